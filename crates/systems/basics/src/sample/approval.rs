//! `sample/approval`: does some work, then asks several people, all at once.
//!
//! The work is one call whose result is recorded before any ask opens: however long the answers
//! take and however often the process dies meanwhile, it is not done again.

use std::{sync::Arc, time::Duration};

use consign_engine::{
    Activity, Ask, AskKind, Bound, Call, Data, Fault, Happened, Key, Limits, Nanos, Next, Outcome,
    Retry, Settings, Workflow,
};
use serde::{Deserialize, Serialize};

use super::{agents::echo, fields::Fields, ticks::Ticks, worst::worst};

const MOST_ASKS: u32 = 1_000;

const PREFIX: &str = "ask-";

pub(super) struct Approval {
    agent: Arc<str>,
    retry: Retry,
    schema: Data,
}

impl Default for Approval {
    fn default() -> Self {
        #[derive(Serialize)]
        struct Schema {
            r#type: &'static str,
        }
        let schema = Data::of(&Schema { r#type: "boolean" });
        Self { agent: echo::NAME.into(), retry: Retry::default(), schema }
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    asks: u32,
    deadline: Option<Deadline>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Deadline {
    after: Duration,
    /// The answer that counts if the deadline passes.
    default: Option<bool>,
}

impl Plan {
    fn read(input: &Data) -> Result<Self, Fault> {
        Fields::read(input, |fields| {
            let asks = fields.count("asks", 1, MOST_ASKS);
            let after = fields.seconds("deadline_seconds");
            let default = fields.flag("default");
            if after.is_none() && default.is_some() {
                fields.refuse("default", "is used at the deadline: set `deadline_seconds` too");
            }
            Self { asks, deadline: after.map(|after| Deadline { after, default }) }
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Preparing(Plan),
    Asking(Asking),
    Failed(Fault),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Asking {
    plan: Plan,
    ended: Ticks,
    approved: u32,
    denied: u32,
    expired: u32,
}

#[derive(Serialize)]
struct Output {
    asks: u32,
    approved: u32,
    denied: u32,
    /// How many asks had no answer in time, and no default.
    expired: u32,
}

impl Workflow for Approval {
    type State = State;

    fn name(&self) -> &str {
        "sample/approval"
    }

    fn start(&self, input: &Data) -> Result<State, Fault> {
        Plan::read(input).map(State::Preparing)
    }

    fn decide(&self, state: &State) -> Next {
        match state {
            State::Preparing(_) => Next::Open(vec![Activity::Call(Call {
                key: Key::from("prepare"),
                agent: self.agent.clone().into(),
                input: Data::of(&echo::Input { sleep_ms: 0, payload: 0 }),
                retry: self.retry.clone(),
            })]),
            State::Asking(asking) => asking.decide(&self.schema),
            State::Failed(fault) => Next::Finish(Outcome::Failed(fault.clone())),
        }
    }

    fn evolve(&self, state: &mut State, happened: &Happened<'_>) {
        match (&mut *state, happened) {
            (State::Preparing(plan), Happened::Completed { .. }) => {
                *state = State::Asking(Asking::new(*plan));
            }
            (State::Preparing(_), Happened::Failed { fault, .. }) => {
                *state = State::Failed((*fault).clone());
            }
            (State::Asking(asking), Happened::Answered { key, value, .. }) => {
                match value.tree().ok().and_then(|value| value.as_bool()) {
                    Some(true) => asking.end(key, |all| &mut all.approved),
                    // Only a plain yes is one.
                    Some(false) | None => asking.end(key, |all| &mut all.denied),
                }
            }
            (State::Asking(asking), Happened::Failed { key, .. }) => {
                asking.end(key, |all| &mut all.expired);
            }
            (State::Preparing(_), Happened::Answered { .. })
            | (State::Asking(_), Happened::Completed { .. })
            | (
                State::Preparing(_) | State::Asking(_),
                Happened::Fired { .. } | Happened::Signalled(_),
            )
            | (State::Failed(_), _) => {}
        }
    }

    fn bound(&self, input: &Data, _limits: &Limits, _settings: &Settings) -> Bound {
        let plan = Plan::read(input);
        plan.map(|_| worst(1, Nanos::ZERO, &self.retry)).unwrap_or_default()
    }
}

impl Asking {
    fn new(plan: Plan) -> Self {
        Self { plan, ended: Ticks::new(plan.asks), approved: 0, denied: 0, expired: 0 }
    }

    fn decide(&self, schema: &Data) -> Next {
        let Plan { asks, deadline } = self.plan;
        let ask = |number: u32| {
            Activity::Ask(Ask {
                key: Key::new(format!("{PREFIX}{number}")),
                kind: AskKind::Approval,
                prompt: format!("Approve {number} of {asks}?"),
                schema: schema.clone(),
                deadline: deadline.map(|deadline| deadline.after),
                default: deadline.and_then(|deadline| deadline.default).map(|yes| Data::of(&yes)),
            })
        };
        let open: Vec<_> = self.ended.open().map(ask).collect();
        if open.is_empty() {
            let Self { approved, denied, expired, .. } = *self;
            let output = Output { asks, approved, denied, expired };
            return Next::Finish(Outcome::Succeeded(Data::of(&output)));
        }
        Next::Open(open)
    }

    /// Counts an ask that ended, once.
    fn end(&mut self, key: &Key, count: fn(&mut Self) -> &mut u32) {
        if self.ended.tick(PREFIX, key) {
            *count(self) += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sample::interpreter::{Trial, refusal};

    #[test]
    fn the_work_comes_first_then_all_are_asked_at_once() {
        let trial = Trial::of(&Approval::default(), r#"{"asks": 3}"#);
        assert_eq!(trial.keys, ["prepare", "ask-1", "ask-2", "ask-3"]);
        assert_eq!(trial.widest, 3);
        assert_eq!(trial.ended, 4);
    }

    #[test]
    fn answers_are_counted() {
        let yes = |number: u32| number != 2;
        let trial = Trial::with_answers(&Approval::default(), r#"{"asks": 3}"#, yes);
        assert_eq!(trial.output(), r#"{"asks":3,"approved":2,"denied":1,"expired":0}"#);
    }

    #[test]
    fn an_ask_without_an_answer_is_counted_apart() {
        let late = Fault::permanent("DEADLINE_PASSED", "there was no answer");
        let failing = |key: &str| (key == "ask-1").then(|| late.clone());
        let trial = Trial::with_failures(
            &Approval::default(),
            r#"{"asks": 2, "deadline_seconds": 1}"#,
            failing,
        );
        assert_eq!(trial.output(), r#"{"asks":2,"approved":1,"denied":0,"expired":1}"#);
    }

    #[test]
    fn work_that_fails_leaves_nothing_to_ask() {
        let fault = Fault::permanent("BROKEN", "it broke");
        let failing = |key: &str| (key == "prepare").then(|| fault.clone());
        let trial = Trial::with_failures(&Approval::default(), r#"{"asks": 2}"#, failing);
        assert_eq!(trial.fault().code, "BROKEN");
    }

    #[test]
    fn an_ask_has_the_deadline_and_the_default_of_the_input() {
        let approval = Approval::default();
        let ask = |input: &str| {
            let plan = Plan::read(&Data::parse(input).unwrap()).unwrap();
            match approval.decide(&State::Asking(Asking::new(plan))) {
                Next::Open(open) => match open.into_iter().next() {
                    Some(Activity::Ask(ask)) => ask,
                    other => panic!("{other:?}"),
                },
                Next::Finish(outcome) => panic!("{outcome:?}"),
            }
        };
        let plain = ask(r#"{"asks": 2}"#);
        assert_eq!((plain.deadline, plain.default), (None, None));
        assert_eq!(
            (plain.kind, plain.schema.as_str()),
            (AskKind::Approval, r#"{"type":"boolean"}"#)
        );
        assert_eq!(plain.prompt, "Approve 1 of 2?");
        let timed = ask(r#"{"deadline_seconds": 1.5, "default": false}"#);
        assert_eq!(timed.deadline, Some(Duration::from_millis(1500)));
        assert_eq!(timed.default, Some(Data::of(&false)));
    }

    #[test]
    fn the_bound_is_the_work_alone() {
        let trial = Trial::of(&Approval::default(), r#"{"asks": 9}"#);
        assert_eq!(trial.promised, trial.worst);
        assert_eq!(trial.promised, Bound { cost: Some(Nanos::ZERO), calls: Some(3) });
    }

    #[test]
    fn a_bad_input_is_refused_by_the_name_of_its_field() {
        let check = |input: &str, message: &str| {
            assert_eq!(refusal(&Approval::default(), input), message);
        };
        check(r#"{"asks": 1001}"#, "/asks: 1001 is not a whole number from 0 to 1000");
        check(
            r#"{"default": true}"#,
            "/default: is used at the deadline: set `deadline_seconds` too",
        );
    }

    proptest! {
        #[test]
        fn the_order_of_answers_changes_nothing(
            answers in proptest::collection::vec(any::<bool>(), 0..100),
            choices in proptest::collection::vec(any::<prop::sample::Index>(), 101),
        ) {
            let input = format!(r#"{{"asks": {}}}"#, answers.len());
            let yes = |number: u32| answers[number as usize - 1];
            let ordered = Trial::with_answers(&Approval::default(), &input, yes);
            let shuffled = Trial::with_answers_in_order(&Approval::default(), &input, yes, &choices);
            prop_assert_eq!(ordered.output(), shuffled.output());
        }
    }
}
