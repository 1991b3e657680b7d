//! The files of an ingest, as they are settled: read from the journal of its run.

use consign_conversation::ingest::{FileRow, IngestOutcome, row_of};
use consign_engine::{Engine, Fault, RunId, Seq, journal::Body, store};

use crate::{error::Error, home::page};

/// Reads the rows of a run, from where it stopped before.
#[derive(Debug, Default)]
pub struct Rows {
    next: Seq,
    /// What the ingest came to, once it is over.
    pub outcome: Option<IngestOutcome>,
    /// Why the run failed, if it did.
    pub fault: Option<Fault>,
}

impl Rows {
    /// The rows that came since the last call.
    pub async fn more(&mut self, engine: &Engine, run: &RunId) -> Result<Vec<FileRow>, Error> {
        let mut rows = Vec::new();
        loop {
            let records = page(engine, run, self.next).await?;
            let Some(last) = records.last() else { return Ok(rows) };
            self.next = last.seq.next();
            for record in &records {
                match record.body().map_err(store::Error::Unavailable)? {
                    Some(Body::CallCompleted(call)) => {
                        rows.extend(row_of(call.key.as_str(), &call.output));
                    }
                    Some(Body::Succeeded(end)) => self.outcome = end.output.to().ok(),
                    Some(Body::Failed(end)) => self.fault = Some(end.fault),
                    Some(_) | None => {}
                }
            }
        }
    }
}
