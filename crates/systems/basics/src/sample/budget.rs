//! `sample/budget`: calls that cost money, one after the other.
//!
//! None is tried again, so the worst case is the price times the number, and a run whose cap is not
//! below it is certified by its structure.

use std::sync::Arc;

use consign_engine::{
    Bound, Data, Fault, Happened, Limits, Nanos, Next, Retry, Settings, Workflow,
};
use serde::{Deserialize, Serialize};

use super::{agents::paid, fields::Fields, series::Series, usd::Usd, worst::worst};

pub(super) struct Budget {
    agent: Arc<str>,
    retry: Retry,
}

impl Default for Budget {
    fn default() -> Self {
        Self { agent: paid::NAME.into(), retry: Retry::NEVER }
    }
}

struct Plan {
    calls: u32,
    cost: Nanos,
}

impl Plan {
    fn read(input: &Data) -> Result<Self, Fault> {
        Fields::read(input, |fields| Self {
            calls: fields.count("calls", 3, 100_000),
            cost: fields.usd("cost_usd", Nanos::new(10_000_000)),
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct State {
    cost: Nanos,
    series: Series,
}

#[derive(Serialize)]
struct Output {
    calls: u32,
    spent_usd: Usd,
}

impl Workflow for Budget {
    type State = State;

    fn name(&self) -> &str {
        "sample/budget"
    }

    fn start(&self, input: &Data) -> Result<State, Fault> {
        let Plan { calls, cost } = Plan::read(input)?;
        let input = Data::of(&paid::Input { cost_usd: Usd(cost), sleep_ms: 0 });
        Ok(State { cost, series: Series::new(calls, input) })
    }

    fn decide(&self, state: &State) -> Next {
        state.series.decide(&self.agent, &self.retry, |calls| {
            Data::of(&Output { calls, spent_usd: Usd(state.cost.times(calls.into())) })
        })
    }

    fn evolve(&self, state: &mut State, happened: &Happened<'_>) {
        state.series.evolve(happened);
    }

    fn bound(&self, input: &Data, _limits: &Limits, _settings: &Settings) -> Bound {
        let plan = Plan::read(input);
        plan.map(|plan| worst(plan.calls, plan.cost, &self.retry)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use consign_engine::{BoundedBy, Certificate};

    use super::*;
    use crate::sample::interpreter::{Trial, refusal};

    #[test]
    fn it_says_what_it_spent() {
        let trial = Trial::of(&Budget::default(), r#"{"calls": 3, "cost_usd": 0.1}"#);
        assert_eq!(trial.output(), r#"{"calls":3,"spent_usd":0.3}"#);
        assert_eq!(trial.widest, 1);
    }

    #[test]
    fn its_worst_case_is_exact_and_certified_up_to_the_last_nano() {
        let trial = Trial::of(&Budget::default(), r#"{"calls": 7, "cost_usd": 0.000000001}"#);
        assert_eq!(trial.promised, trial.worst);
        assert_eq!(trial.promised, Bound { cost: Some(Nanos::new(7)), calls: Some(7) });
        let check = |cap: u64, bounded_by: BoundedBy| {
            let limits = Limits { cost: Some(Nanos::new(cap)), ..Limits::standard() };
            assert_eq!(Certificate::new(&trial.promised, &limits).bounded_by, bounded_by);
        };
        check(7, BoundedBy::Structure);
        check(6, BoundedBy::Cap);
    }

    #[test]
    fn the_largest_input_has_a_bound_that_did_not_saturate() {
        let input = Data::parse(r#"{"calls": 100000, "cost_usd": 1000}"#).unwrap();
        let bound = Budget::default().bound(&input, &Limits::standard(), &Settings::default());
        assert_eq!(bound.cost, Nanos::from_usd("100000000"));
    }

    #[test]
    fn a_bad_input_is_refused_by_the_name_of_its_field() {
        assert_eq!(
            refusal(&Budget::default(), r#"{"cost_usd": -1, "call": 1}"#),
            "/cost_usd: -1 is not an amount from 0 to 1000; \
             the input: unknown field `call`; the known fields are `calls`, `cost_usd`"
        );
    }
}
