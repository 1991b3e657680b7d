//! `sample/signals`: waits for notes that are sent to it, with nothing open meanwhile.
//!
//! Each note is a signal with a text. When there are enough the run ends with them; the signal `enough`, which
//! only a person may send, ends it before that. Its label says how many there are, and after each note there is
//! a recovery point.

use consign_engine::{
    Actor, Bound, Data, Fault, Happened, Limits, Nanos, Next, Outcome, Role, Settings, Signal,
    SignalContract, Workflow,
};
use serde::{Deserialize, Serialize};

use super::fields::Fields;

const MOST_NOTES: u32 = 1_000;

const NOTE: &str = "note";
const ENOUGH: &str = "enough";

pub(super) struct Signals;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct State {
    wanted: usize,
    notes: Vec<Note>,
    enough: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    text: Data,
    by: Actor,
}

#[derive(Serialize)]
struct Output<'a> {
    notes: &'a [Note],
}

impl Workflow for Signals {
    type State = State;

    fn name(&self) -> &str {
        "sample/signals"
    }

    fn start(&self, input: &Data) -> Result<State, Fault> {
        Fields::read(input, |fields| {
            let wanted = fields.count("notes", 1, MOST_NOTES) as usize;
            State { wanted, notes: Vec::new(), enough: false }
        })
    }

    fn decide(&self, state: &State) -> Next {
        if state.enough || state.notes.len() >= state.wanted {
            let output = Output { notes: &state.notes };
            return Next::Finish(Outcome::Succeeded(Data::of(&output)));
        }
        Next::Open(Vec::new())
    }

    fn evolve(&self, state: &mut State, happened: &Happened<'_>) {
        let Happened::Signalled(Signal::Named { name, value, by, .. }) = happened else { return };
        match *name {
            NOTE => state.notes.push(Note { text: (*value).clone(), by: (*by).clone() }),
            _ => state.enough = true,
        }
    }

    fn signals(&self) -> Vec<SignalContract> {
        let signal = |name: &'static str, schema: &str, from| SignalContract {
            name: name.into(),
            schema: Data::restore(schema.to_owned()).unwrap_or_else(Data::null),
            from,
        };
        vec![
            signal(NOTE, r#"{"type": "string", "minLength": 1, "maxLength": 1000}"#, Role::Agent),
            signal(ENOUGH, r#"{"type": "null"}"#, Role::Person),
        ]
    }

    fn label(&self, state: &State, _asks: &[&str]) -> Option<String> {
        Some(format!("{}_of_{}", state.notes.len(), state.wanted))
    }

    fn point(&self, state: &State) -> Option<String> {
        let count = state.notes.len();
        (count > 0).then(|| format!("{NOTE}-{count}"))
    }

    fn bound(&self, _input: &Data, _limits: &Limits, _settings: &Settings) -> Bound {
        Bound { cost: Some(Nanos::ZERO), calls: Some(0) }
    }
}

#[cfg(test)]
mod tests {
    use consign_engine::At;

    use super::*;

    fn state(input: &str) -> State {
        Signals.start(&Data::parse(input).unwrap()).unwrap()
    }

    fn hear(state: &mut State, name: &str, value: &str) {
        let (value, by) = (Data::parse(value).unwrap(), Actor::from("ada"));
        let signal = Signal::Named { name, value: &value, at: At::default(), by: &by };
        Signals.evolve(state, &Happened::Signalled(signal));
    }

    #[test]
    fn it_ends_with_enough_notes() {
        let mut state = state(r#"{"notes": 2}"#);
        assert!(matches!(Signals.decide(&state), Next::Open(open) if open.is_empty()));
        assert_eq!(Signals.label(&state, &[]).as_deref(), Some("0_of_2"));
        assert_eq!(Signals.point(&state), None);
        hear(&mut state, NOTE, r#""one""#);
        assert_eq!(Signals.point(&state).as_deref(), Some("note-1"));
        hear(&mut state, NOTE, r#""two""#);
        let Next::Finish(Outcome::Succeeded(output)) = Signals.decide(&state) else { panic!() };
        assert_eq!(
            output.as_str(),
            r#"{"notes":[{"text":"one","by":"ada"},{"text":"two","by":"ada"}]}"#
        );
    }

    #[test]
    fn a_person_can_end_it_before() {
        let mut state = state("{}");
        hear(&mut state, ENOUGH, "null");
        assert!(matches!(Signals.decide(&state), Next::Finish(Outcome::Succeeded(_))));
    }
}
