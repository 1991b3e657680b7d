//! The workflow that interprets a plan.

use consign_engine::{
    Bound, Data, Fault, Happened, Limits, Next, Outcome, Role, Settings, Signal, SignalContract,
    Version, Workflow,
};
use serde::{Deserialize, Serialize};

use super::{
    Plan,
    progress::{Ended, Facts, Progress},
};
use crate::draft::json;

pub(super) const NAME: &str = "test/program";

/// Does what a [`Plan`] says.
#[derive(Clone, Copy, Debug)]
pub struct Programs {
    version: Version,
    mended: bool,
    takes_over: bool,
    marks: bool,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Input {
    pub(super) plan: Plan,
    pub(super) bound: Bound,
}

/// A plan and what is known of it.
#[derive(Serialize, Deserialize)]
pub struct State {
    plan: Plan,
    facts: Facts,
}

impl Programs {
    /// A version of it. Each takes over from the earlier ones.
    #[must_use]
    pub fn version(version: Version) -> Self {
        Self { version, mended: false, takes_over: true, marks: false }
    }

    /// [`Plan::Trap`] does nothing to it, and no key is poison.
    #[must_use]
    pub fn mended(mut self) -> Self {
        self.mended = true;
        self
    }

    /// It takes the signal `note`, has a label, and a recovery point after each activity that came to something.
    #[must_use]
    pub fn marking(mut self) -> Self {
        self.marks = true;
        self
    }

    /// It cannot take over from earlier versions.
    #[must_use]
    pub fn from_scratch(mut self) -> Self {
        self.takes_over = false;
        self
    }
}

impl Default for Programs {
    fn default() -> Self {
        Self::version(1)
    }
}

impl Workflow for Programs {
    type State = State;

    fn name(&self) -> &str {
        NAME
    }

    fn version(&self) -> Version {
        self.version
    }

    fn start(&self, input: &Data) -> Result<State, Fault> {
        let input: Input = input
            .to()
            .map_err(|cause| Fault::permanent("PLAN_INVALID", format!("no plan: {cause}")))?;
        Ok(State { plan: input.plan, facts: Facts::default() })
    }

    fn decide(&self, state: &State) -> Next {
        match state.facts.progress(&state.plan, self.mended) {
            Progress::Done(_, output) => Next::Finish(Outcome::Succeeded(output)),
            Progress::Failed(_, fault) => Next::Finish(Outcome::Failed(fault)),
            Progress::Open(activities) => Next::Open(activities),
        }
    }

    fn evolve(&self, state: &mut State, happened: &Happened<'_>) {
        let facts = &mut state.facts;
        match *happened {
            Happened::Completed { key, output, .. } => {
                assert!(self.mended || !key.as_str().starts_with("poison"), "{key} is poison");
                facts.end(key.as_str(), Ended::Output(output.clone()));
            }
            Happened::Failed { key, fault, .. } => {
                facts.end(key.as_str(), Ended::Fault(fault.clone()))
            }
            Happened::Answered { key, value, .. } => {
                facts.end(key.as_str(), Ended::Output(value.clone()));
            }
            Happened::Fired { key } => facts.end(key.as_str(), Ended::Output(Data::null())),
            Happened::Signalled(Signal::Advice(text)) => facts.advise(text),
            Happened::Signalled(Signal::Named { value, .. }) => facts.signal(value),
            Happened::Signalled(Signal::Raised(_) | Signal::Cancel) => {}
        }
    }

    fn signals(&self) -> Vec<SignalContract> {
        let note = |name: &'static str, from| SignalContract {
            name: name.into(),
            schema: json(r#"{"type": "string"}"#),
            from,
        };
        if self.marks {
            vec![note("note", Role::Agent), note("order", Role::Person)]
        } else {
            vec![]
        }
    }

    fn label(&self, state: &State, asks: &[&str]) -> Option<String> {
        let label = || match asks.first() {
            Some(code) => (*code).to_owned(),
            None if state.facts.is_advised() => format!("{} done, advised", state.facts.done()),
            None => format!("{} done", state.facts.done()),
        };
        self.marks.then(label)
    }

    fn point(&self, state: &State) -> Option<String> {
        if self.marks { state.facts.last().map(str::to_owned) } else { None }
    }

    fn bound(&self, input: &Data, _limits: &Limits, _settings: &Settings) -> Bound {
        input.to::<Input>().map(|input| input.bound).unwrap_or_default()
    }

    fn upgrade(&self, from: Version, state: &Data) -> Result<State, Fault> {
        let cannot = |why: String| Fault::permanent("WORKFLOW_VERSION_MISSING", why);
        if !self.takes_over || from > self.version {
            return Err(cannot(format!("{} cannot take over from {from}", self.version)));
        }
        state.to().map_err(|cause| cannot(cause.to_string()))
    }
}
