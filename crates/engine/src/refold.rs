//! Folding a journal again from its first event, under the versions of the workflow that wrote it.
//!
//! [`Refold::take`] takes one event after the other. It compares nothing and reads no store: proving a run
//! and forking one both stand on it. Where the workflow or an event is missing it goes on without a state,
//! and [`Refold::run`] says why.

use std::collections::BTreeMap;

use crate::{
    Fault, Seq, Version, Workflows,
    frame::Frame,
    journal::{Body, Created, Record},
    run::Run,
};

/// A journal, folded as far as it can be.
pub(crate) struct Refold<'a> {
    workflows: &'a Workflows,
    /// Where newer versions of the workflow took over.
    upgrades: BTreeMap<Seq, Version>,
    run: Result<Option<Run>, String>,
}

impl<'a> Refold<'a> {
    pub(crate) fn new(workflows: &'a Workflows, upgrades: BTreeMap<Seq, Version>) -> Self {
        Self { workflows, upgrades, run: Ok(None) }
    }

    /// The run as it is after the last event that was taken; or why that cannot be told.
    pub(crate) fn run(&mut self) -> Result<&mut Run, String> {
        match &mut self.run {
            Ok(Some(run)) => Ok(run),
            Ok(None) => Err("the journal has no events".to_owned()),
            Err(why) => Err(why.clone()),
        }
    }

    /// Gives up on the state.
    pub(crate) fn lose(&mut self, why: String) {
        if self.run.is_ok() {
            self.run = Err(why);
        }
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.run.is_err()
    }

    /// Takes the next event. The error is for events that cannot follow from those before.
    pub(crate) fn take(&mut self, record: &Record, body: &Body) -> Result<(), Fault> {
        match (&mut self.run, body) {
            (Ok(None), Body::Created(created)) => self.run = self.start(created, record).map(Some),
            (Ok(None), _) => {
                let text = "a journal begins with `created`";
                return Err(Fault::permanent("JOURNAL_INVALID", text));
            }
            (Ok(Some(run)), body) => {
                run.apply(record.at, &record.actor, body)?;
                (run.seq, run.head) = (record.seq, record.hash);
            }
            (Err(_), _) => return Ok(()),
        }
        if let Ok(Some(run)) = &self.run
            && let Err(fault) = &run.program
        {
            self.run = Err(fault.to_string());
        }
        Ok(())
    }

    fn start(&self, created: &Created, record: &Record) -> Result<Run, String> {
        let (name, version) = (&created.workflow, created.version);
        let workflow = self.workflows.version(name, version);
        let workflow = workflow.ok_or_else(|| format!("{name} {version} is not here"))?;
        let program = workflow.start(&created.input).map_err(|fault| fault.to_string())?;
        let frame = Frame::new(created, record.at);
        Ok(Run::new(created.run.clone(), frame, program, record))
    }

    /// Lets a newer version take over, where one did after this event.
    pub(crate) fn upgrade(&mut self, seq: Seq) {
        let (Ok(Some(run)), Some(to)) = (&mut self.run, self.upgrades.get(&seq)) else { return };
        let Ok(program) = &run.program else { return };
        let name = &run.frame.workflow;
        match self.workflows.version(name, *to) {
            Some(workflow) => run.program = workflow.restore(program.version(), &program.state()),
            None => self.run = Err(format!("{name} {to} is not here")),
        }
    }
}
