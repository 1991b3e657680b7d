//! `sample/effects`: calls that append a line to a file, so that the user can count what happened.
//!
//! The class is what the agent claims to be, not what it does: it appends a line every time that it
//! is invoked. What differs is what the engine may do when it does not know whether a call came to
//! its end.

use std::{path::Path, sync::Arc};

use consign_engine::{
    Bound, Data, Effect, Fault, Happened, Limits, Nanos, Next, Retry, Settings, Workflow,
};
use serde::{Deserialize, Serialize};

use super::{agents::append, fields::Fields, series::Series, worst::worst};

/// Keeps the state, which holds the path, small enough to be stored with every commit.
const MOST_PATH: usize = 1_024;

pub(super) struct Effects;

struct Plan {
    class: Effect,
    times: u32,
    append: append::Input,
}

impl Plan {
    fn read(input: &Data) -> Result<Self, Fault> {
        Fields::read(input, |fields| Self {
            class: class(fields),
            times: fields.count("times", 1, 100_000),
            append: append::Input { file: file(fields), sleep_ms: fields.sleep_ms() },
        })
    }
}

fn class(fields: &mut Fields<'_>) -> Effect {
    match fields.text("class").as_deref() {
        Some("idempotent") => Effect::Idempotent,
        Some("keyed") => Effect::Keyed,
        Some("unsafe") => Effect::Unsafe,
        Some("pure") => Effect::Pure,
        Some(_) | None => {
            fields.refuse("class", "must be one of `pure`, `idempotent`, `keyed`, `unsafe`");
            Effect::Pure
        }
    }
}

fn file(fields: &mut Fields<'_>) -> String {
    let file = fields.text("file").unwrap_or_default();
    if file.len() > MOST_PATH {
        fields.refuse("file", format!("is longer than {MOST_PATH} bytes"));
    } else if !Path::new(&file).is_absolute() {
        fields.refuse(
            "file",
            "must be an absolute path, such as /tmp/effects: the worker may run elsewhere",
        );
    }
    file
}

/// What is unsafe to repeat is never tried again, not even after a reported failure.
fn retry(class: Effect) -> Retry {
    match class {
        Effect::Pure | Effect::Idempotent | Effect::Keyed => Retry::default(),
        Effect::Unsafe => Retry::NEVER,
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct State {
    class: Effect,
    series: Series,
}

#[derive(Serialize)]
struct Output {
    times: u32,
}

impl Workflow for Effects {
    type State = State;

    fn name(&self) -> &str {
        "sample/effects"
    }

    fn start(&self, input: &Data) -> Result<State, Fault> {
        let Plan { class, times, append } = Plan::read(input)?;
        Ok(State { class, series: Series::new(times, Data::of(&append)) })
    }

    fn decide(&self, State { class, series }: &State) -> Next {
        let agent: Arc<str> = append::name(*class).into();
        series.decide(&agent, &retry(*class), |times| Data::of(&Output { times }))
    }

    fn evolve(&self, state: &mut State, happened: &Happened<'_>) {
        state.series.evolve(happened);
    }

    fn bound(&self, input: &Data, _limits: &Limits, _settings: &Settings) -> Bound {
        let plan = Plan::read(input);
        plan.map(|plan| worst(plan.times, Nanos::ZERO, &retry(plan.class))).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{
        agents::agents,
        interpreter::{Trial, refusal},
    };

    #[test]
    fn each_class_has_an_agent_of_its_own_that_is_of_that_class() {
        let check = |class: Effect, tries: u64| {
            let word = Data::of(&class);
            let input = format!(r#"{{"class": {word:?}, "times": 3, "file": "/tmp/effects"}}"#);
            let trial = Trial::of(&Effects, &input);
            assert_eq!(trial.output(), r#"{"times":3}"#);
            assert_eq!(trial.widest, 1);
            assert_eq!(trial.promised, trial.worst);
            assert_eq!(trial.promised.calls, Some(3 * tries), "{class:?}");
            assert_eq!(agents().get(append::name(class)).unwrap().effect, class);
            assert!(trial.agents.iter().all(|agent| agent == append::name(class)));
        };
        check(Effect::Pure, 3);
        check(Effect::Idempotent, 3);
        check(Effect::Keyed, 3);
        check(Effect::Unsafe, 1);
    }

    #[test]
    fn the_longest_path_is_still_a_small_state() {
        let file = "/".repeat(MOST_PATH);
        let input = format!(r#"{{"class": "keyed", "file": "{file}"}}"#);
        assert!(Trial::of(&Effects, &input).state_sizes().1 < 2048);
    }

    #[test]
    fn a_bad_input_is_refused_by_the_name_of_its_field() {
        let check = |input: &str, message: &str| assert_eq!(refusal(&Effects, input), message);
        check(
            r#"{"class": "keyed", "file": "here.log"}"#,
            "/file: must be an absolute path, such as /tmp/effects: the worker may run elsewhere",
        );
        check(
            r#"{"class": "safe", "file": "/tmp/x"}"#,
            "/class: must be one of `pure`, `idempotent`, `keyed`, `unsafe`",
        );
        check(
            "{}",
            "/class: must be one of `pure`, `idempotent`, `keyed`, `unsafe`; \
             /file: must be an absolute path, such as /tmp/effects: the worker may run elsewhere",
        );
    }
}
