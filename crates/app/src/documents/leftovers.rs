//! What ingests leave on the disk when they are cancelled or killed: copies of files, and what these say; and what was
//! sent to be taken in, and never was.
//!
//! A run that is over needs nothing of it. A run that goes on needs the copies of files that are not settled yet, and no
//! others: which these are is in its journal.

use std::{collections::BTreeMap, fs, path::PathBuf};

use consign_connector::Destination;
use consign_conversation::{
    Library, discard,
    ingest::{CopyNote, IngestInput, Trusting, WORKFLOW, copy_note_of, row_of},
};
use consign_engine::{
    Owner, RunId, Seq,
    journal::{Body, Record},
    store::{self, Row, RunQuery},
};
use consign_files::trusted;
use consign_knowledge::{Source, SourceId};

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

/// Has no ingest that is under way keep anything of a source, which is about to be removed. Its copies go, also those that
/// no journal knows of yet.
pub(super) async fn forget(home: &Home, owner: &Owner, source: &Source) -> Result<(), Error> {
    let identifier = &source.about.identifier;
    let all = ingests(home, owner).await?;
    for run in all.into_iter().filter(|row| !row.status.is_closed()).map(|row| row.id) {
        let first = home.store().events(&run, Seq(0), 1).await?;
        let Some(Body::Created(created)) = read(first.first())? else { continue };
        let Ok(input) = created.input.to::<IngestInput>() else { continue };
        if input.collection != source.about.collection {
            continue;
        }
        let noted = home.library.note_removed(&run, &source.id);
        noted.map_err(|error| store::Error::Unavailable(error.to_string()))?;
        let mut copied_as = vec![identifier.clone()];
        for sent in input.sources.iter().filter(|sent| sent.called.as_ref() == Some(identifier)) {
            if input.trust == Trusting::Sent
                && let Ok(folder) = fs::canonicalize(&home.library.sent)
            {
                let place = folder.join(&sent.source_identifier);
                copied_as.extend(place.to_str().map(str::to_owned));
                gone(trusted::remove_file(&place))?;
            }
        }
        let folder = home.library.folder_of(&run);
        for name in copied_as {
            gone(Destination::forget(&folder, &name))?;
        }
    }
    Ok(())
}

/// Has the journals of ingests erased that name a source, which is about to be removed: what its files are called, and
/// where they lie. Those of ingests that are under way follow when they are over.
pub(super) async fn redact_later(home: &Home, owner: &Owner, source: &Source) -> Result<(), Error> {
    for row in ingests(home, owner).await? {
        if !row.redacted && names(home, &row.id, source).await? {
            home.turns.conversations.redact_later(&row.id).await?;
        }
    }
    Ok(())
}

/// Whether the journal of an ingest has a file of a source.
async fn names(home: &Home, run: &RunId, source: &Source) -> Result<bool, Error> {
    let mut from = Seq::default();
    loop {
        let page = home.store().events_within(run, from, PAGE, PAGE_BYTES).await?;
        let Some(last) = page.last() else { return Ok(false) };
        from = last.seq.next();
        for record in &page {
            let Some(Body::CallCompleted(call)) = read(Some(record))? else { continue };
            let key = call.key.as_str();
            let names = match copy_note_of(key, &call.output) {
                Some(CopyNote::Made { identifier, .. }) => identifier == source.about.identifier,
                Some(CopyNote::Settled(_)) | None => {
                    row_of(key, &call.output).is_some_and(|row| row.source_id == source.id.as_str())
                }
            };
            if names {
                return Ok(true);
            }
        }
    }
}

fn gone<T>(removed: Result<T, impl std::error::Error>) -> Result<(), store::Error> {
    removed.map(drop).map_err(|error| store::Error::Unavailable(error.to_string()))
}

/// The ingests of an owner. They are not asked for by status: one that changes meanwhile could be missed.
async fn ingests(home: &Home, owner: &Owner) -> Result<Vec<Row>, Error> {
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let query = RunQuery {
            workflow: Some(WORKFLOW.to_owned()),
            owner: Some(owner.clone()),
            before,
            most: PAGE,
            ..RunQuery::default()
        };
        let rows = home.store().runs(&query).await?;
        let Some(last) = rows.last() else { return Ok(all) };
        before = Some(last.id.clone());
        all.extend(rows);
    }
}

fn read(record: Option<&Record>) -> Result<Option<Body>, store::Error> {
    let body = record.map(|record| record.body().map_err(store::Error::Unavailable));
    Ok(body.transpose()?.flatten())
}

/// The copies of files that are settled, or whose source was removed.
async fn settled(home: &Home, run: &RunId) -> Result<Vec<PathBuf>, Error> {
    let (mut made, mut settled, mut from) = (BTreeMap::new(), Vec::new(), Seq::default());
    let mut sources = None;
    loop {
        let page = home.store().events_within(run, from, PAGE, PAGE_BYTES).await?;
        let Some(last) = page.last() else { return Ok(settled) };
        from = last.seq.next();
        for record in &page {
            let call = match read(Some(record))? {
                Some(Body::CallCompleted(call)) => call,
                Some(Body::Created(created)) => {
                    let input = created.input.to::<IngestInput>().ok();
                    sources = input.map(|input| (created.owner, input.collection));
                    continue;
                }
                Some(_) | None => continue,
            };
            match copy_note_of(call.key.as_str(), &call.output) {
                Some(CopyNote::Made { number, copy, identifier }) => {
                    let is_removed = sources.as_ref().is_some_and(|(owner, collection)| {
                        let source = SourceId::of(owner, collection, &identifier);
                        home.library.is_removed(run, &source)
                    });
                    if is_removed {
                        settled.push(copy);
                    } else {
                        made.insert(number, copy);
                    }
                }
                Some(CopyNote::Settled(number)) => settled.extend(made.remove(&number)),
                None => {}
            }
        }
    }
}
