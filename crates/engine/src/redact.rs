//! Redacting a run: what it said and heard is erased, and that it ran stays.
//!
//! [`Engine::redact`] leaves of each event its place, instant, actor, kind and hash, and what binds the body that is
//! gone, so the chain can still be verified. One event, `redacted`, follows the end of the run. Nothing here decides
//! who may redact; what other runs were given by this one, such as its forks, stays in them.

use crate::{
    Engine, Error, Fault, RunId, Speaker,
    journal::{Record, Redacted},
    store::{self, Erasure, Refusal, Row},
};

/// What a redaction came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redaction {
    Done,
    /// It was redacted before.
    Already,
}

impl Engine {
    /// Erases the bodies of a closed run's events, its state, its asks and what was said about it, for good. Redacting
    /// it again changes nothing. A run that is not over is refused with `INVALID_STATE`.
    pub async fn redact(&self, run: &RunId, by: &Speaker) -> Result<Redaction, Error> {
        loop {
            let row = self.store.row(run).await?;
            if !row.status.is_closed() {
                return Err(open(&row).into());
            }
            let at = self.time.now().max(row.at);
            let (seq, prev) = (row.seq.next(), Some(row.head));
            let body = Redacted {}.into();
            let record = Record::new(seq, at, by.actor.clone(), &body, self.salt(), prev);
            let erasure = Erasure { run: run.clone(), seen: row.seq, record };
            match self.store.redact(erasure).await {
                Ok(true) => return Ok(Redaction::Done),
                Ok(false) => return Ok(Redaction::Already),
                Err(store::Error::Refused(Refusal::Moved { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn open(row: &Row) -> Fault {
    let text = format!(
        "run {} is {}; only a run that is over can be redacted: wait for its end, or cancel it first",
        row.id, row.status
    );
    Fault::permanent("INVALID_STATE", text)
}

/// Refuses what needs the content of a run that is redacted.
pub(crate) fn unless_redacted(row: &Row) -> Result<(), store::Error> {
    if row.redacted { Err(store::Error::Redacted(row.id.clone())) } else { Ok(()) }
}
