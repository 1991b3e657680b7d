//! Whether the files of a job are what its journals say, line by line.
//!
//! This reads everything, so it is asked only when a file looks touched. It repairs nothing.

use consign_engine::{Data, Seq};
use serde_json::Value;

use super::{Error, Writer, runs_of};
use crate::{
    audit::{self, AUDIT},
    history,
    record::Recorder,
};

/// A file that is not what the journals say, and why that is thought.
pub(super) struct Altered {
    pub(super) why: String,
    /// It is the audit log, and not the history.
    pub(super) is_audit: bool,
}

impl Altered {
    fn history(why: &str) -> Result<Option<Self>, Error> {
        Ok(Some(Self { why: why.to_owned(), is_audit: false }))
    }

    fn audit(why: &str) -> Result<Option<Self>, Error> {
        Ok(Some(Self { why: format!("{AUDIT} {why}"), is_audit: true }))
    }
}

impl Writer<'_> {
    /// Why the history or the audit log are not what the journals say; nothing if they are, or if only what came after the
    /// first `known` interactions is missing: a crash took it.
    pub(super) async fn altered(&self, known: u64) -> Result<Option<Altered>, Error> {
        let directory = &self.state.directory;
        let mut history = history::interactions(directory, 0, u64::MAX);
        let audit = audit::of_journal(directory).map_err(|cause| self.audit_error(cause))?;
        let mut audit = audit.into_iter();
        for run in runs_of(self.engine, &self.state.job_id, directory).await? {
            let (mut recorder, mut from) = (Recorder::default(), Seq(0));
            while let Some(next) = self.page(&run, from, &mut recorder).await? {
                from = next;
                let added = std::mem::take(&mut recorder.added);
                for expected in &added.interactions {
                    let is_known = expected["sequence"].as_u64().is_some_and(|own| own < known);
                    match history.next() {
                        None | Some(Err(_)) if !is_known => {}
                        None => {
                            return Altered::history("interactions are missing in the history");
                        }
                        Some(Err(why)) => return Altered::history(&why.to_string()),
                        Some(Ok(line)) if is_equal(&line, expected) => {}
                        Some(Ok(_)) => {
                            let why = format!("interaction {} was altered", expected["sequence"]);
                            return Altered::history(&why);
                        }
                    }
                }
                for expected in &added.audit {
                    let is_known = expected["sequence"].as_u64().is_none_or(|own| own < known);
                    match audit.next() {
                        Some(line) if line == *expected => {}
                        None if !is_known => {}
                        Some(_) | None => return Altered::audit("was altered"),
                    }
                }
            }
        }
        match history.next() {
            None | Some(Err(history::Error::Missing { .. })) => {}
            Some(Err(why)) => return Altered::history(&why.to_string()),
            Some(Ok(_)) => return Altered::history("the history has interactions that never were"),
        }
        if audit.next().is_some() {
            return Altered::audit("has lines that never were");
        }
        Ok(None)
    }
}

fn is_equal(line: &Data, expected: &Value) -> bool {
    line.to::<Value>().is_ok_and(|line| line == *expected)
}
