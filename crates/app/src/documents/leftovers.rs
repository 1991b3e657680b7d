//! What ingests leave on the disk when they are cancelled or killed: copies of files, and what these say; and what was
//! sent to be taken in, and never was.
//!
//! A run that is over needs nothing of it. A run that goes on needs the copies of files that are not settled yet, and no
//! others: which these are is in its journal.

use std::{collections::BTreeMap, fs, path::PathBuf};

use consign_conversation::{
    Library, discard,
    ingest::{CopyNote, copy_note_of},
};
use consign_engine::{RunId, Seq, journal::Body, store};

use crate::{
    Home,
    error::Error,
    home::{PAGE, PAGE_BYTES},
};

/// Removes what no run needs any more.
pub async fn sweep(home: &Home) -> Result<(), Error> {
    super::upload::sweep(home).await?;
    let Ok(entries) = fs::read_dir(&home.library.folder) else { return Ok(()) };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let Some(run) = name.to_str().and_then(Library::run_of) else { continue };
        let is_over = match home.store().row(&run).await {
            Ok(row) => row.status.is_closed(),
            Err(store::Error::NotFound(_)) => true,
            Err(error) => return Err(error.into()),
        };
        if is_over {
            if let Err(error) = fs::remove_dir_all(entry.path()) {
                tracing::warn!(%error, "what a closed ingest left could not be removed");
            }
        } else {
            for copy in settled(home, &run).await? {
                discard(&copy);
            }
        }
    }
    Ok(())
}

/// The copies of files that are settled.
async fn settled(home: &Home, run: &RunId) -> Result<Vec<PathBuf>, Error> {
    let (mut made, mut settled, mut from) = (BTreeMap::new(), Vec::new(), Seq::default());
    loop {
        let page = home.store().events_within(run, from, PAGE, PAGE_BYTES).await?;
        let Some(last) = page.last() else { return Ok(settled) };
        from = last.seq.next();
        for record in &page {
            let body = record.body().map_err(store::Error::Unavailable)?;
            let Some(Body::CallCompleted(call)) = body else { continue };
            match copy_note_of(call.key.as_str(), &call.output) {
                Some(CopyNote::Made(number, copy)) => {
                    made.insert(number, copy);
                }
                Some(CopyNote::Settled(number)) => settled.extend(made.remove(&number)),
                None => {}
            }
        }
    }
}
