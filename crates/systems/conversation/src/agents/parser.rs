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

use super::{broken, connector::FetchedFile, failure, passing, removed};
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
        let (copy, began) = (file.file_path.clone(), Instant::now());
        let bytes = tokio::task::spawn_blocking(move || trusted::read(&copy, MOST_BYTES)).await;
        let bytes = bytes
            .map_err(|cause| passing("HOME_NOT_READABLE", cause.to_string()))?
            .map_err(|error| passing("HOME_NOT_READABLE", error.to_string()))?;
        let (bytes, sum) = tokio::task::spawn_blocking(move || {
            let sum = hex::encode(Sha256::digest(&bytes));
            (bytes, sum)
        })
        .await
        .map_err(|cause| passing("HOME_NOT_READABLE", cause.to_string()))?;
        if sum != file.checksum {
            let path = file.file_path.display();
            let text = format!("{path} is damaged: it is not what was fetched");
            return Err(passing("HOME_DAMAGED", text));
        }
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
            Err(error) => {
                let failed = Failed::of_file(&error).at(self.0.now());
                let row = FileRow {
                    source_id: source.to_string(),
                    document_id: None,
                    source_identifier: file.identifier,
                    collection: input.collection,
                    status: if failed.is_skip() { RowStatus::Skipped } else { RowStatus::Failed },
                    chunks: 0,
                    pages: 0,
                    checksum: Some(file.checksum),
                    error: Some(failed),
                    warnings: Vec::new(),
                    fetched_as: None,
                };
                return Ok(Data::of(&Parsing::Row { row: Box::new(row) }));
            }
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
