//! `sample/steps`: calls that do nothing, one after the other.
//!
//! What remains is the engine's own cost, so `bench/` measures it with this. Nothing here may grow
//! with the number of steps or the size of their answers.

use std::sync::Arc;

use consign_engine::{
    Bound, Data, Fault, Happened, Limits, Nanos, Next, Retry, Settings, Workflow,
};
use serde::Serialize;

use super::{agents::echo, fields::Fields, series::Series, worst::worst};

pub(super) struct Steps {
    agent: Arc<str>,
    retry: Retry,
}

impl Default for Steps {
    fn default() -> Self {
        Self { agent: echo::NAME.into(), retry: Retry::default() }
    }
}

struct Plan {
    steps: u32,
    echo: echo::Input,
}

impl Plan {
    fn read(input: &Data) -> Result<Self, Fault> {
        Fields::read(input, |fields| Self {
            steps: fields.count("steps", 3, 1_000_000),
            echo: echo::Input {
                sleep_ms: fields.sleep_ms(),
                payload: fields.count("payload", 0, echo::MOST_PAYLOAD),
            },
        })
    }
}

#[derive(Serialize)]
struct Output {
    steps: u32,
}

impl Workflow for Steps {
    type State = Series;

    fn name(&self) -> &str {
        "sample/steps"
    }

    fn start(&self, input: &Data) -> Result<Series, Fault> {
        let plan = Plan::read(input)?;
        Ok(Series::new(plan.steps, Data::of(&plan.echo)))
    }

    fn decide(&self, series: &Series) -> Next {
        series.decide(&self.agent, &self.retry, |steps| Data::of(&Output { steps }))
    }

    fn evolve(&self, series: &mut Series, happened: &Happened<'_>) {
        series.evolve(happened);
    }

    fn bound(&self, input: &Data, _limits: &Limits, _settings: &Settings) -> Bound {
        let plan = Plan::read(input);
        plan.map(|plan| worst(plan.steps, Nanos::ZERO, &self.retry)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::interpreter::{Trial, refusal};

    #[test]
    fn every_step_is_called_once_and_in_order() {
        let trial = Trial::of(&Steps::default(), r#"{"steps": 4, "payload": 100}"#);
        assert_eq!(trial.output(), r#"{"steps":4}"#);
        assert_eq!(trial.keys, ["step-1", "step-2", "step-3", "step-4"]);
        assert_eq!(trial.widest, 1);
    }

    #[test]
    fn nothing_to_do_is_done_at_once() {
        let trial = Trial::of(&Steps::default(), r#"{"steps": 0}"#);
        assert_eq!(trial.output(), r#"{"steps":0}"#);
        assert!(trial.keys.is_empty());
    }

    #[test]
    fn the_state_does_not_grow_with_the_steps_or_their_answers() {
        let trial = Trial::of(&Steps::default(), r#"{"steps": 1000, "payload": 1048576}"#);
        let (least, most) = trial.state_sizes();
        assert!(most - least <= "1000".len() - "0".len(), "{least} to {most} bytes");
        assert!(most < 200, "{most} bytes");
    }

    #[test]
    fn a_step_that_fails_fails_the_run() {
        let fault = Fault::permanent("BROKEN", "it broke");
        let failing = |key: &str| (key == "step-2").then(|| fault.clone());
        let trial = Trial::with_failures(&Steps::default(), r#"{"steps": 4}"#, failing);
        assert_eq!(trial.fault().code, "BROKEN");
        assert_eq!(trial.keys, ["step-1", "step-2"]);
    }

    #[test]
    fn the_bound_counts_every_try() {
        let trial = Trial::of(&Steps::default(), r#"{"steps": 4}"#);
        assert_eq!(trial.promised, trial.worst);
        assert_eq!(trial.promised.calls, Some(12));
        assert_eq!(trial.promised.cost, Some(Nanos::ZERO));
    }

    #[test]
    fn a_bad_input_is_refused_by_the_name_of_its_field() {
        let check = |input: &str, message: &str| {
            assert_eq!(refusal(&Steps::default(), input), message);
        };
        check(r#"{"steps": -1}"#, "/steps: -1 is not a whole number from 0 to 1000000");
        check(
            r#"{"payload": 1048577}"#,
            "/payload: 1048577 is not a whole number from 0 to 1048576",
        );
        check(
            r#"{"step": 3}"#,
            "the input: unknown field `step`; the known fields are `steps`, `sleep_ms`, `payload`",
        );
    }
}
