//! Redacts a run: reads what binds its events, has them erased, and clears the files.
//!
//! What binds each body is computed before the write, page by page, so that neither a long run nor a large value
//! holds up the writer. The bodies of a closed run never change, and the write is refused if an event came meanwhile.

use std::sync::Arc;

use consign_engine::{
    RunId, Seq,
    journal::Hash,
    store::{Erasure, Error, Store as _},
};
use tracing::warn;

use super::{
    lock::WriteLock,
    schema,
    store::SqliteStore,
    sweep::{is_named, unswept},
    write::Redact,
};
use crate::blobs::Name;

/// Events that are read at a time, and how large they may be together.
const PAGE: usize = 1_000;
const PAGE_BYTES: usize = 4 << 20;

impl SqliteStore {
    pub(super) async fn erase_run(&self, erasure: Erasure) -> Result<bool, Error> {
        self.writer()?;
        let run = erasure.run.clone();
        let row = self.row(&run).await?;
        if row.redacted {
            // Whoever did it may have died before the files were cleared.
            self.erase().await?;
            self.sweep_complete().await?;
            return Ok(false);
        }
        let commitments = match row.status.is_closed() {
            true => self.commitments(&run, erasure.seen).await?,
            // It will be refused.
            false => Vec::new(),
        };
        let (erasure, commitments) = (Arc::new(erasure), Arc::new(commitments));
        let files = self.post(Redact { erasure, commitments }).await?;
        self.erase().await?;
        let count = files.len();
        if let Err(error) = self.remove_unnamed(files).await {
            warn!(%run, files = count, %error, "large values of a redacted run are left to the sweep");
        }
        Ok(true)
    }

    async fn commitments(&self, run: &RunId, newest: Seq) -> Result<Vec<Hash>, Error> {
        let (mut commitments, mut from) = (Vec::new(), Seq(0));
        while from <= newest {
            let page = self.events_within(run, from, PAGE, PAGE_BYTES).await?;
            let Some(last) = page.last() else { break };
            from = last.seq.next();
            let page = page.iter().take_while(|record| record.seq <= newest);
            commitments.extend(page.map(|record| record.content.commitment()));
        }
        Ok(commitments)
    }

    /// Removes these files unless a row names them. What cannot be removed now is left to a sweep.
    async fn remove_unnamed(&self, files: Vec<Name>) -> Result<(), Error> {
        if files.is_empty() {
            return Ok(());
        }
        let (blobs, path) = (self.blobs.clone(), self.home.write_lock());
        self.pool
            .read(move |db| {
                let lock = WriteLock::open(&path).map_err(unswept)?;
                // As in a sweep: a row that is written later finds its file gone, and has it put again.
                let _held = lock.hold().map_err(unswept)?;
                schema::check(db)?;
                for name in &files {
                    if !is_named(db, name)? {
                        blobs.remove(name).map_err(unswept)?;
                    }
                }
                Ok(())
            })
            .await
    }
}
