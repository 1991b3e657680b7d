//! The pure program of a run.
//!
//! A [`Workflow`] says what should be open now and how its state takes in what happened. It sees no
//! clock, no store and no randomness, so that the same journal always gives the same state.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Activity, Actor, At, Bound, Data, ExternalHome, Fault, Key, Limits, Nanos, Settings,
    SignalContract, Version,
};

/// How a kind of run goes.
pub trait Workflow: Send + Sync + 'static {
    type State: Serialize + DeserializeOwned + Send + 'static;

    /// Its name, such as `sample/steps`.
    fn name(&self) -> &str;

    /// Raised with every change that would make an old journal mean something else.
    fn version(&self) -> Version {
        1
    }

    /// The first state, or why there is none for this input.
    fn start(&self, input: &Data) -> Result<Self::State, Fault>;

    /// Everything that should be open now. What is new is opened, what is missing is cancelled. A workflow
    /// that takes signals may want nothing: then its run waits for one.
    fn decide(&self, state: &Self::State) -> Next;

    /// Takes in what happened.
    fn evolve(&self, state: &mut Self::State, happened: &Happened<'_>);

    /// The signals that its runs take, each with its contract.
    fn signals(&self) -> Vec<SignalContract> {
        Vec::new()
    }

    /// A short word of the workflow's own for where its run stands, such as `awaiting_approval`. Lists show it
    /// and can be filtered by it. `asks` are the codes of the engine's own open questions, such as `LIMIT_COST`:
    /// what the state cannot know.
    fn label(&self, _state: &Self::State, _asks: &[&str]) -> Option<String> {
        None
    }

    /// The name of the recovery point at which the state stands, if it stands at one. A new name is written to
    /// the journal, and the run can be forked from there. Names must not repeat within a run.
    fn point(&self, _state: &Self::State) -> Option<String> {
        None
    }

    /// The state of a run that was forked, for another input than its parent's: a mended definition, say.
    fn refit(&self, _state: Self::State, _input: &Data) -> Result<Self::State, Fault> {
        let text = format!("a fork of {} keeps the input of its parent", self.name());
        Err(Fault::permanent("FORK_IMPOSSIBLE", text))
    }

    /// The worst case, for the certificate.
    fn bound(&self, input: &Data, limits: &Limits, settings: &Settings) -> Bound;

    /// The worst case, for a caller that has the first state already: what that was made from need not be read
    /// twice.
    fn bound_of(
        &self,
        _first: &Self::State,
        input: &Data,
        limits: &Limits,
        settings: &Settings,
    ) -> Bound {
        self.bound(input, limits, settings)
    }

    /// A state of an earlier version, as one of this.
    fn upgrade(&self, from: Version, _state: &Data) -> Result<Self::State, Fault> {
        Err(Fault::permanent(
            "WORKFLOW_VERSION_MISSING",
            format!("{} {} cannot take over from version {from}", self.name(), self.version()),
        ))
    }
}

/// What a workflow wants.
#[derive(Clone, Debug)]
pub enum Next {
    Open(Vec<Activity>),
    Finish(Outcome),
}

/// How a run ends by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Succeeded(Data),
    Failed(Fault),
}

/// What a workflow hears of.
#[derive(Clone, Copy, Debug)]
pub enum Happened<'a> {
    /// A call has a result.
    Completed { key: &'a Key, output: &'a Data, work: Work },
    /// A call has none, or an ask passed its deadline without a default.
    Failed { key: &'a Key, fault: &'a Fault, work: Work },
    /// An ask was answered; by its default, if `by` is empty.
    Answered { key: &'a Key, value: &'a Data, at: At, by: Option<&'a Actor> },
    /// A timer's time has come.
    Fired { key: &'a Key },
    /// Something came from outside.
    Signalled(Signal<'a>),
}

/// When something was open, and what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    pub began: At,
    pub ended: At,
    /// Requests to models over all attempts, as far as their notes say (`llm_calls`). What a crash
    /// took is not in it.
    pub model_calls: u32,
    /// What all attempts cost.
    pub cost: Nanos,
    /// The part of the cost that is the full reservation of attempts whose outcome is unknown.
    pub assumed: Nanos,
}

/// What can come from outside without being asked for.
#[derive(Clone, Copy, Debug)]
pub enum Signal<'a> {
    Advice(&'a str),
    Raised(&'a Limits),
    Cancel,
    /// One that the workflow declares in [`Workflow::signals`]. The value was held to its contract.
    Named {
        name: &'a str,
        value: &'a Data,
        at: At,
        by: &'a Actor,
    },
}

/// The program of one run with its state, whatever the type of it.
pub(crate) trait Program: Send {
    fn version(&self) -> Version;
    fn decide(&self) -> Result<Next, Fault>;
    fn evolve(&mut self, happened: &Happened<'_>) -> Result<(), Fault>;
    fn state(&self) -> Data;
    /// Puts another state of the same version in the place of its own.
    fn replace(&mut self, state: &Data) -> Result<(), Fault>;
    /// Fits the state to another input.
    fn refit(&mut self, input: &Data) -> Result<(), Fault>;
    fn takes_signals(&self) -> bool;
    fn label(&self, asks: &[&str]) -> Result<Option<String>, Fault>;
    fn point(&self) -> Result<Option<String>, Fault>;
    /// The worst case, of a program that has not begun.
    fn bound(&self, input: &Data, limits: &Limits, settings: &Settings) -> Result<Bound, Fault>;
}

struct Instance<W: Workflow> {
    workflow: Arc<W>,
    state: W::State,
}

impl<W: Workflow> Program for Instance<W> {
    fn version(&self) -> Version {
        self.workflow.version()
    }

    fn decide(&self) -> Result<Next, Fault> {
        guard(self.workflow.name(), || self.workflow.decide(&self.state))
    }

    fn evolve(&mut self, happened: &Happened<'_>) -> Result<(), Fault> {
        guard(self.workflow.name(), || self.workflow.evolve(&mut self.state, happened))
    }

    fn state(&self) -> Data {
        Data::of(&self.state)
    }

    fn replace(&mut self, state: &Data) -> Result<(), Fault> {
        self.state = read_state(self.workflow.name(), state)?;
        Ok(())
    }

    fn refit(&mut self, input: &Data) -> Result<(), Fault> {
        let name = self.workflow.name();
        let state = read_state(name, &self.state())?;
        self.state = guard(name, || self.workflow.refit(state, input))??;
        Ok(())
    }

    fn takes_signals(&self) -> bool {
        !self.workflow.signals().is_empty()
    }

    fn label(&self, asks: &[&str]) -> Result<Option<String>, Fault> {
        guard(self.workflow.name(), || self.workflow.label(&self.state, asks))
    }

    fn point(&self) -> Result<Option<String>, Fault> {
        guard(self.workflow.name(), || self.workflow.point(&self.state))
    }

    fn bound(&self, input: &Data, limits: &Limits, settings: &Settings) -> Result<Bound, Fault> {
        let bound = || self.workflow.bound_of(&self.state, input, limits, settings);
        guard(self.workflow.name(), bound)
    }
}

fn read_state<T: DeserializeOwned>(workflow: &str, state: &Data) -> Result<T, Fault> {
    state.to().map_err(|cause| {
        Fault::permanent("STATE_UNREADABLE", format!("the state of {workflow}: {cause}"))
    })
}

/// A bug in one workflow must not take the worker down with all its runs.
fn guard<T>(workflow: &str, work: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Fault::permanent("WORKFLOW_PANICKED", format!("{workflow} panicked: {said}"))
    })
}

/// A workflow, whatever the type of its state.
pub(crate) trait ErasedWorkflow: Send + Sync {
    fn name(&self) -> &str;
    fn version(&self) -> Version;
    fn signals(&self) -> Vec<SignalContract>;
    fn start(&self, input: &Data) -> Result<Box<dyn Program>, Fault>;
    fn restore(&self, version: Version, state: &Data) -> Result<Box<dyn Program>, Fault>;
}

struct Erased<W>(Arc<W>);

impl<W: Workflow> ErasedWorkflow for Erased<W> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn version(&self) -> Version {
        self.0.version()
    }

    fn signals(&self) -> Vec<SignalContract> {
        self.0.signals()
    }

    fn start(&self, input: &Data) -> Result<Box<dyn Program>, Fault> {
        let state = guard(self.0.name(), || self.0.start(input))??;
        Ok(Box::new(Instance { workflow: self.0.clone(), state }))
    }

    fn restore(&self, version: Version, state: &Data) -> Result<Box<dyn Program>, Fault> {
        let state = if version == self.0.version() {
            read_state(self.0.name(), state)?
        } else {
            guard(self.0.name(), || self.0.upgrade(version, state))??
        };
        Ok(Box::new(Instance { workflow: self.0.clone(), state }))
    }
}

/// The workflows of this process, by name. Of a name there may be several versions: the newest
/// takes new runs, the others are there to refold what they began.
#[derive(Clone, Default)]
pub struct Workflows {
    known: BTreeMap<String, BTreeMap<Version, Arc<dyn ErasedWorkflow>>>,
    /// The workflows whose runs are kept outside of the store.
    homes: BTreeMap<String, Arc<dyn ExternalHome>>,
}

impl Workflows {
    #[must_use]
    pub fn with(mut self, workflow: impl Workflow) -> Self {
        let workflow: Arc<dyn ErasedWorkflow> = Arc::new(Erased(Arc::new(workflow)));
        let versions = self.known.entry(workflow.name().to_owned()).or_default();
        versions.insert(workflow.version(), workflow);
        self
    }

    /// Adds a workflow whose runs are kept outside of the store, which has their mirrors.
    #[must_use]
    pub fn with_home(mut self, workflow: impl Workflow, home: Arc<dyn ExternalHome>) -> Self {
        self.homes.insert(workflow.name().to_owned(), home);
        self.with(workflow)
    }

    pub(crate) fn has_homes(&self) -> bool {
        !self.homes.is_empty()
    }

    pub(crate) fn home(&self, name: &str) -> Option<&Arc<dyn ExternalHome>> {
        self.homes.get(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }

    /// Each with its newest version.
    pub fn versions(&self) -> impl Iterator<Item = (&str, Version)> {
        let newest = |versions: &BTreeMap<Version, _>| versions.keys().next_back().copied();
        self.known
            .iter()
            .filter_map(move |(name, versions)| Some((name.as_str(), newest(versions)?)))
    }

    pub(crate) fn newest(&self, name: &str) -> Result<&Arc<dyn ErasedWorkflow>, Fault> {
        let versions = self.known.get(name).and_then(|versions| versions.values().next_back());
        versions.ok_or_else(|| {
            Fault::permanent("WORKFLOW_NOT_FOUND", format!("there is no workflow {name}"))
        })
    }

    /// Whether a run of this version can go on here: under it, or under a newer one.
    pub(crate) fn knows(&self, name: &str, version: Version) -> Result<(), Fault> {
        let newest = self.newest(name)?.version();
        if version <= newest {
            return Ok(());
        }
        let text = format!("it needs {name} version {version}, and there is version {newest} here");
        Err(Fault::permanent("WORKFLOW_VERSION_MISSING", text))
    }

    /// The signals that runs of a workflow take, in its newest version.
    #[must_use]
    pub fn signals(&self, name: &str) -> Vec<SignalContract> {
        self.newest(name).map(|workflow| workflow.signals()).unwrap_or_default()
    }

    pub(crate) fn version(&self, name: &str, version: Version) -> Option<&Arc<dyn ErasedWorkflow>> {
        self.known.get(name)?.get(&version)
    }
}
