//! `sample/fanout`: many calls at once. The run ends when all of them have ended.
//!
//! The first that fails fails the run, and the others are cancelled.

use std::sync::Arc;

use consign_engine::{
    Activity, Bound, Call, Data, Fault, Happened, Key, Limits, Nanos, Next, Outcome, Retry,
    Settings, Workflow,
};
use serde::{Deserialize, Serialize};

use super::{agents::paid, fields::Fields, ticks::Ticks, usd::Usd, worst::worst};

/// Keeps the state, at a bit for each call, small enough to be stored with every commit.
const MOST_WIDTH: u32 = 4_096;

const PREFIX: &str = "call-";

pub(super) struct Fanout {
    agent: Arc<str>,
    retry: Retry,
}

impl Default for Fanout {
    fn default() -> Self {
        Self { agent: paid::NAME.into(), retry: Retry::default() }
    }
}

struct Plan {
    width: u32,
    cost: Nanos,
    sleep_ms: u32,
}

impl Plan {
    fn read(input: &Data) -> Result<Self, Fault> {
        Fields::read(input, |fields| Self {
            width: fields.count("width", 8, MOST_WIDTH),
            cost: fields.usd("cost_usd", Nanos::ZERO),
            sleep_ms: fields.sleep_ms(),
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Going { ended: Ticks, cost: Nanos, input: Data },
    Failed(Fault),
}

#[derive(Serialize)]
struct Output {
    width: u32,
    spent_usd: Usd,
}

impl Workflow for Fanout {
    type State = State;

    fn name(&self) -> &str {
        "sample/fanout"
    }

    fn start(&self, input: &Data) -> Result<State, Fault> {
        let Plan { width, cost, sleep_ms } = Plan::read(input)?;
        let input = Data::of(&paid::Input { cost_usd: Usd(cost), sleep_ms });
        Ok(State::Going { ended: Ticks::new(width), cost, input })
    }

    fn decide(&self, state: &State) -> Next {
        let (ended, cost, input) = match state {
            State::Going { ended, cost, input } => (ended, cost, input),
            State::Failed(fault) => return Next::Finish(Outcome::Failed(fault.clone())),
        };
        let call = |number: u32| {
            let key = Key::new(format!("{PREFIX}{number}"));
            let (agent, input) = (self.agent.clone(), input.clone());
            Activity::Call(Call { key, agent: agent.into(), input, retry: self.retry.clone() })
        };
        let open: Vec<_> = ended.open().map(call).collect();
        if open.is_empty() {
            let width = ended.of();
            let output = Output { width, spent_usd: Usd(cost.times(width.into())) };
            return Next::Finish(Outcome::Succeeded(Data::of(&output)));
        }
        Next::Open(open)
    }

    fn evolve(&self, state: &mut State, happened: &Happened<'_>) {
        match (&mut *state, happened) {
            (State::Going { ended, .. }, Happened::Completed { key, .. }) => {
                ended.tick(PREFIX, key);
            }
            (State::Going { .. }, Happened::Failed { fault, .. }) => {
                *state = State::Failed((*fault).clone());
            }
            (
                State::Going { .. },
                Happened::Answered { .. } | Happened::Fired { .. } | Happened::Signalled(_),
            )
            | (State::Failed(_), _) => {}
        }
    }

    fn bound(&self, input: &Data, _limits: &Limits, _settings: &Settings) -> Bound {
        let plan = Plan::read(input);
        plan.map(|plan| worst(plan.width, plan.cost, &self.retry)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use consign_engine::Work;
    use proptest::prelude::*;

    use super::*;
    use crate::sample::interpreter::{Trial, refusal};

    #[test]
    fn all_are_called_at_once_and_all_are_waited_for() {
        let trial = Trial::of(&Fanout::default(), r#"{"width": 5, "cost_usd": 0.25}"#);
        assert_eq!(trial.output(), r#"{"width":5,"spent_usd":1.25}"#);
        assert_eq!(trial.widest, 5);
        assert_eq!(trial.keys.len(), 5);
        assert_eq!(trial.ended, 5);
    }

    #[test]
    fn one_failure_ends_it() {
        let fault = Fault::permanent("BROKEN", "it broke");
        let failing = |key: &str| (key == "call-2").then(|| fault.clone());
        let trial = Trial::with_failures(&Fanout::default(), r#"{"width": 5}"#, failing);
        assert_eq!(trial.fault().code, "BROKEN");
        assert_eq!(trial.ended, 2);
    }

    #[test]
    fn the_bound_counts_every_try_at_its_full_price() {
        let trial = Trial::of(&Fanout::default(), r#"{"width": 5, "cost_usd": 0.5}"#);
        assert_eq!(trial.promised, trial.worst);
        assert_eq!(trial.promised.cost, Nanos::from_usd("7.5"));
    }

    #[test]
    fn the_widest_state_is_still_a_small_one() {
        let fanout = Fanout::default();
        let input = Data::parse(r#"{"width": 4096, "cost_usd": 999.999999999}"#).unwrap();
        let mut state = fanout.start(&input).unwrap();
        // With the highest bit set, each word is as long as a number of 64 bits can be.
        for number in (1..=MOST_WIDTH).filter(|number| number % 64 == 0) {
            let key = &Key::new(format!("{PREFIX}{number}"));
            fanout.evolve(
                &mut state,
                &Happened::Completed { key, output: &Data::null(), work: Work::default() },
            );
        }
        let size = Data::of(&state).as_str().len();
        assert!(size < 2048, "{size} bytes");
    }

    #[test]
    fn a_bad_input_is_refused_by_the_name_of_its_field() {
        assert_eq!(
            refusal(&Fanout::default(), r#"{"width": 4097, "cost_usd": "1"}"#),
            "/width: 4097 is not a whole number from 0 to 4096; \
             /cost_usd: expected number, found string"
        );
    }

    proptest! {
        #[test]
        fn the_order_in_which_calls_end_changes_nothing(
            width in 0u32..100,
            choices in proptest::collection::vec(any::<prop::sample::Index>(), 100),
        ) {
            let input = format!(r#"{{"width": {width}, "cost_usd": 0.01}}"#);
            let ordered = Trial::of(&Fanout::default(), &input);
            let shuffled = Trial::in_order(&Fanout::default(), &input, &choices);
            prop_assert_eq!(ordered.output(), shuffled.output());
        }
    }
}
