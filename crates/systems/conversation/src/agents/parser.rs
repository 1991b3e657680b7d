//! The parser's step: reads a file that was fetched, and puts what it says beside it.
//!
//! What a document says goes into a file of the run's folder and not into the journal, so that it is gone when its source
//! is removed.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use async_trait::async_trait;
use consign_engine::{Attempt, Data, Failure, Invoker, Nanos, Reply};
use consign_files::{Access, trusted};
use consign_knowledge::{DocumentId, SourceId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{PARSER, broken, connector::FetchedFile, failure, passing, removed};
use crate::{
    Library, Reading,
    failure::Failed,
    ingest::{FileRow, RowStatus, progress::Parsing, workflow::ReadInput},
};

/// The largest file that is read.
const MOST_BYTES: u64 = 4 << 30;

/// A file that was read: what the memory's step is given.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReadFile {
    #[serde(flatten)]
    pub(crate) file: FetchedFile,
    pub(crate) document_id: String,
    /// Where what it says lies.
    pub(crate) parsed: PathBuf,
    pub(crate) processing_time_ms: f64,
    pub(crate) warnings: Vec<String>,
}

/// Where what a copy says lies.
fn parsed(copy: &Path) -> PathBuf {
    let mut name = copy.as_os_str().to_owned();
    name.push(".parsed");
    PathBuf::from(name)
}

/// What a copy has, if it still is what was fetched: a disk may have lost it since, or somebody changed it.
fn intact(copy: &Path, checksum: &str) -> Result<Option<Vec<u8>>, consign_files::Error> {
    let bytes = trusted::read(copy, MOST_BYTES)?;
    Ok((hex::encode(Sha256::digest(&bytes)) == checksum).then_some(bytes))
}

/// Removes the copy of a file and what it says. One that stays is removed with the folder of its run.
pub fn discard(copy: &Path) {
    trusted::remove_file(copy).ok();
    trusted::remove_file(&parsed(copy)).ok();
}

pub(super) struct ParserAgent(pub(super) Arc<Library>);

impl ParserAgent {
    async fn step(&self, attempt: &Attempt) -> Result<Data, Failure> {
        let input: ReadInput = attempt.input.to().map_err(broken)?;
        let file: FetchedFile = input.file.to().map_err(broken)?;
        let source = SourceId::of(&attempt.owner, &input.collection, &file.identifier);
        let document = DocumentId::of(&attempt.owner, &source, &file.checksum);
        let removed = || {
            let row = removed(&self.0, &source, &file.identifier, &input.collection);
            discard(&file.file_path);
            Ok(Data::of(&Parsing::Row { row: Box::new(row) }))
        };
        if self.0.is_removed(&attempt.run, &source) {
            return removed();
        }
        let (copy, sum, began) = (file.file_path.clone(), file.checksum.clone(), Instant::now());
        let bytes = tokio::task::spawn_blocking(move || intact(&copy, &sum)).await;
        let bytes = bytes
            .map_err(|cause| passing("HOME_NOT_READABLE", cause.to_string()))?
            .map_err(|error| passing("HOME_NOT_READABLE", error.to_string()))?;
        let unread = |failed: Failed| {
            let failed = failed.at(self.0.now());
            let row = FileRow {
                source_id: source.to_string(),
                document_id: None,
                source_identifier: file.identifier.clone(),
                collection: input.collection.clone(),
                status: if failed.is_skip() { RowStatus::Skipped } else { RowStatus::Failed },
                chunks: 0,
                pages: 0,
                checksum: Some(file.checksum.clone()),
                error: Some(failed),
                warnings: Vec::new(),
                fetched_as: None,
            };
            Ok(Data::of(&Parsing::Row { row: Box::new(row) }))
        };
        let Some(bytes) = bytes else {
            let why = "its copy in the home is damaged: take it in again";
            if !attempt.last {
                return Err(passing("HOME_DAMAGED", why));
            }
            return unread(Failed::new(PARSER, "HOME_DAMAGED", why));
        };
        let reading = Reading {
            name: file.file_name.clone(),
            ocr: input.ocr,
            force_ocr: input.ocr.is_some(),
            password: self.password(attempt, input.credentials_id.as_deref()).await?,
            ..Reading::default()
        };
        let stop = Arc::new(AtomicBool::new(false));
        let asked = stop.clone();
        let stopped = Box::new(move || asked.load(Ordering::Relaxed));
        let mut working = self.0.reader.read(bytes, reading, stopped);
        let read = tokio::select! {
            read = &mut working => read,
            () = attempt.cancelled() => {
                stop.store(true, Ordering::Relaxed);
                working.await
            }
        };
        let read = match read {
            Ok(read) => read,
            Err(error) if error.code().is_none() => {
                return Err(passing("PARSER_NOT_STARTED", error.to_string()));
            }
            Err(error) => return unread(Failed::of_file(&error)),
        };
        let to = parsed(&file.file_path);
        let (warnings, place) = (read.warnings.clone(), to.clone());
        let written = tokio::task::spawn_blocking(move || {
            let bytes = serde_json::to_vec(&read).map_err(|cause| cause.to_string())?;
            trusted::write_atomic(&place, &bytes, Access::Private)
                .map_err(|error| error.to_string())
        });
        let written = written.await.unwrap_or_else(|cause| Err(cause.to_string()));
        written.map_err(|why| passing("HOME_NOT_WRITABLE", why))?;
        // Whoever removed it meanwhile has not seen what was written just now.
        if self.0.is_removed(&attempt.run, &source) {
            return removed();
        }
        let read = ReadFile {
            file,
            document_id: document.to_string(),
            parsed: to,
            processing_time_ms: began.elapsed().as_secs_f64() * 1e3,
            warnings,
        };
        Ok(Data::of(&Parsing::Read { read: Data::of(&read) }))
    }

    async fn password(
        &self,
        attempt: &Attempt,
        name: Option<&str>,
    ) -> Result<Option<String>, Failure> {
        let Some(name) = name else { return Ok(None) };
        let credentials = (self.0.credentials)(&attempt.owner);
        let found = credentials.find(name).await.map_err(|why| passing("KEYS_UNAVAILABLE", why))?;
        Ok(match found {
            Some(consign_connector::Credential::Password(secret)) => {
                Some(secret.reveal().to_owned())
            }
            Some(_) | None => None,
        })
    }
}

#[async_trait]
impl Invoker for ParserAgent {
    fn worst_case(&self, _: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        self.step(&attempt).await.map(|gave| Reply::new(gave, Nanos::ZERO))
    }
}

/// Reads what a parser's step left.
pub(super) fn reread(path: &Path) -> Result<consign_parsers::Document, Failure> {
    let bytes = trusted::read(path, MOST_BYTES)
        .map_err(|error| passing("HOME_NOT_READABLE", error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|cause| {
        let text = format!("{} is damaged: {cause}", path.display());
        failure(consign_engine::Fault::permanent("HOME_DAMAGED", text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_read_only_if_it_is_what_was_fetched() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("a.txt");
        let sum = hex::encode(Sha256::digest(b"abc"));
        let check = |kept: &[u8], expected: Option<&[u8]>| {
            std::fs::write(&copy, kept).unwrap();
            assert_eq!(intact(&copy, &sum).unwrap().as_deref(), expected);
        };
        check(b"abc", Some(b"abc"));
        // After a power cut a file may have its size and not its bytes.
        check(b"\0\0\0", None);
        check(b"", None);
        std::fs::remove_file(&copy).unwrap();
        assert!(intact(&copy, &sum).is_err());
    }
}
