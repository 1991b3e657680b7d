//! `sample/paid`: costs exactly what it is told to, in the worst case too.

use std::time::Duration;

use async_trait::async_trait;
use consign_engine::{Agent, Attempt, Data, Effect, Failure, Invoker, Nanos, Reply};
use serde::{Deserialize, Serialize};

use super::{
    nap::nap,
    terms::{self, unpaid},
};
use crate::sample::usd::Usd;

pub(crate) const NAME: &str = "sample/paid";

const INPUT: &str = r#"{
    "type": "object",
    "properties": {
        "cost_usd": {"type": "number", "minimum": 0},
        "sleep_ms": {"type": "integer", "minimum": 0}
    },
    "required": ["cost_usd", "sleep_ms"],
    "additionalProperties": false
}"#;

const OUTPUT: &str = r#"{
    "type": "object",
    "properties": {"cost_usd": {"type": "number", "minimum": 0}},
    "required": ["cost_usd"],
    "additionalProperties": false
}"#;

#[derive(Serialize, Deserialize)]
pub(crate) struct Input {
    pub(crate) cost_usd: Usd,
    pub(crate) sleep_ms: u32,
}

#[derive(Serialize)]
struct Output {
    cost_usd: Usd,
}

pub(super) fn agent() -> Agent {
    Agent::new(Effect::Pure, Paid)
        .with_contract(Some(terms::schema(INPUT)), Some(terms::schema(OUTPUT)))
}

struct Paid;

#[async_trait]
impl Invoker for Paid {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        // What cannot be read is refused before it costs anything.
        Some(input.to::<Input>().map_or(Nanos::ZERO, |input| input.cost_usd.0))
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let Input { cost_usd, sleep_ms } = terms::read(&attempt.input).map_err(unpaid)?;
        nap(Duration::from_millis(sleep_ms.into()), attempt.cancelled()).await.map_err(unpaid)?;
        Ok(Reply::new(Data::of(&Output { cost_usd }), cost_usd.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_case_is_the_price() {
        let input = Data::of(&Input { cost_usd: Usd(Nanos::new(1)), sleep_ms: 0 });
        assert_eq!(input.as_str(), r#"{"cost_usd":0.000000001,"sleep_ms":0}"#);
        assert_eq!(Paid.worst_case(&input), Some(Nanos::new(1)));
        assert_eq!(Paid.worst_case(&Data::null()), Some(Nanos::ZERO));
    }

    #[test]
    fn its_answer_keeps_its_contract() {
        let output = Data::of(&Output { cost_usd: Usd(Nanos::new(1)) });
        assert!(terms::schema(OUTPUT).is_valid(&output.tree().unwrap()));
    }
}
