//! The connector's step: the next file of a source.
//!
//! A source is fetched by a session that lives in this process, from file to file. Where a run goes on in another
//! process, or a step is repeated after its answer was lost, a new session passes over what the run's journal has.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use consign_connector::{Destination, Fetched, Item, Past, Session};
use consign_contracts::crew::FailureCode;
use consign_engine::{Attempt, Data, Failure, Fault, Invoker, Nanos, Reply, RunId};
use consign_knowledge::SourceId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{CONNECTOR, broken, failure, parser::discard, passing, removed};
use crate::{
    Library,
    failure::Failed,
    ingest::{FileRow, RowStatus, progress::Fetching, workflow::FetchInput},
};

/// A file that was fetched: what the parser's step is given. The first four are contract `crew/connector.output`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FetchedFile {
    pub(crate) file_path: PathBuf,
    pub(crate) file_size_bytes: u64,
    pub(crate) source_metadata: Map<String, Value>,
    pub(crate) checksum: String,
    pub(crate) source_type: String,
    pub(crate) identifier: String,
    /// What the connector calls it.
    pub(crate) fetched_as: String,
    pub(crate) source_url: Option<String>,
    pub(crate) file_name: Option<String>,
    pub(crate) validators: Value,
}

#[derive(Clone)]
pub(super) struct ConnectorAgent(Arc<Sources>);

struct Sources {
    library: Arc<Library>,
    /// One for each source that is being fetched here.
    sessions: Mutex<HashMap<(RunId, usize), Shared>>,
}

/// A source that is being fetched, for the step that goes on with it.
type Shared = Arc<tokio::sync::Mutex<Open>>;

/// A source that is being fetched.
struct Open {
    session: Session,
    /// Where it copies to.
    into: Destination,
    /// A step that takes longer hangs.
    longest: Duration,
    known: HashMap<String, Past>,
    /// The last step and what it gave: a step that is repeated gives it again.
    last: Option<(u32, Data)>,
    /// A step was left after the session had moved on: what it gave is lost, so the session is of no use.
    is_astray: bool,
    /// Copies that are not recorded yet, by number.
    copies: Vec<(u32, PathBuf)>,
}

impl ConnectorAgent {
    pub(super) fn new(library: Arc<Library>) -> Self {
        Self(Arc::new(Sources { library, sessions: Mutex::default() }))
    }
}

impl Sources {
    async fn open(&self, attempt: &Attempt, input: &FetchInput) -> Result<Shared, Failure> {
        let key = (attempt.run.clone(), input.place);
        let found = self.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(found) = found {
            let follows = {
                let open = found.lock().await;
                let follows = |last: u32| last == input.number || last + 1 == input.number;
                !open.is_astray && open.last.as_ref().is_some_and(|(last, _)| follows(*last))
            };
            if follows {
                return Ok(found);
            }
        }
        let folder = self.library.folder_of(&attempt.run);
        let fetch = input.source.fetch(input.trust).map_err(failure)?;
        let connector = (self.library.connectors)(&attempt.owner);
        let opening = tokio::task::spawn_blocking(move || Destination::open(&folder)).await;
        let into = opening
            .map_err(|cause| passing("HOME_NOT_WRITABLE", cause.to_string()))?
            .map_err(|error| passing("HOME_NOT_WRITABLE", error.to_string()))?;
        let given = self.library.given.given(&attempt.run).await;
        let given = given.map_err(|why| passing("DATABASE_ERROR", why))?;
        let known = given.into_iter().map(|(name, was)| (name, Past::Done(was))).collect();
        let open = Open {
            session: connector.open(fetch, into.clone()),
            into,
            longest: connector.longest_step(),
            known,
            last: None,
            is_astray: false,
            copies: Vec::new(),
        };
        let open = Arc::new(tokio::sync::Mutex::new(open));
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.insert(key, open.clone());
        Ok(open)
    }

    async fn step(&self, attempt: &Attempt) -> Result<Data, Failure> {
        let input: FetchInput = attempt.input.to().map_err(broken)?;
        let open = self.open(attempt, &input).await?;
        let mut open = open.lock().await;
        if let Some((number, gave)) = &open.last
            && *number == input.number
        {
            return Ok(gave.clone());
        }
        open.discard_below(input.settled);
        open.is_astray = true;
        let Open { session, known, longest, .. } = &mut *open;
        let Ok(item) = tokio::time::timeout(*longest, session.next(&*known)).await else {
            // What hangs once hangs again.
            self.end(attempt, &input);
            let row = Box::new(self.given_up(attempt, &input, *longest));
            return Ok(Data::of(&Fetching::GivenUp { row }));
        };
        let item = item.map_err(|error| passing("HOME_NOT_WRITABLE", error.to_string()))?;
        let settled = |row, validators| Fetching::Row { row: Box::new(row), validators };
        let gave = match item {
            None => {
                self.end(attempt, &input);
                Fetching::End
            }
            Some(Item::NotYet) => Fetching::NotYet,
            Some(Item::Skipped(skipped)) => settled(self.left_out(attempt, &input, &skipped), None),
            Some(Item::Unchanged(unchanged)) => {
                let (identifier, checksum) = (unchanged.identifier, unchanged.checksum);
                let row = self.unchanged(attempt, &input, &identifier, &checksum).await?;
                settled(row, Some(unchanged.validators))
            }
            Some(Item::Fetched(fetched)) => match self.settled(attempt, &input, &fetched).await? {
                Some(row) => {
                    discard(&fetched.file);
                    // A crawl that goes on in another process follows the links of this page too.
                    settled(row, Some(fetched.validators))
                }
                None => {
                    open.copies.push((input.number, fetched.file.clone()));
                    open.keep(&fetched.file).await?;
                    Fetching::Fetched { file: Data::of(&file(&input, *fetched)) }
                }
            },
        };
        let gave = Data::of(&gave);
        open.last = Some((input.number, gave.clone()));
        open.is_astray = false;
        Ok(gave)
    }

    /// The source has no more files.
    fn end(&self, attempt: &Attempt, input: &FetchInput) {
        let key = (attempt.run.clone(), input.place);
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
    }

    /// The row of a file that needs not be read: it was removed, or its bytes are those that are kept already.
    async fn settled(
        &self,
        attempt: &Attempt,
        input: &FetchInput,
        fetched: &Fetched,
    ) -> Result<Option<FileRow>, Failure> {
        let identifier = input.source.called.as_deref().unwrap_or(&fetched.identifier);
        let source = SourceId::of(&attempt.owner, &input.collection, identifier);
        if self.library.is_removed(&attempt.run, &source) {
            return Ok(Some(removed(&self.library, &source, identifier, &input.collection)));
        }
        if input.ocr.is_some() {
            return Ok(None);
        }
        let kept = self.library.index.source(&attempt.owner, &source).await;
        let kept = kept.map_err(|error| passing("DATABASE_ERROR", error.to_string()))?;
        let same = kept.filter(|kept| {
            let about = &kept.about;
            // An ingest that says nothing of its files leaves what was said before.
            let has_news = !input.metadata.is_empty() && input.metadata != about.metadata;
            about.checksum == fetched.checksum && !kept.missing && !has_news
        });
        let fetched_as = input.source.called.is_some().then(|| fetched.identifier.clone());
        Ok(same.map(|kept| FileRow {
            fetched_as: fetched_as.clone(),
            document_id: Some(kept.document.to_string()),
            status: RowStatus::Unchanged,
            chunks: kept.chunks,
            pages: kept.about.pages,
            checksum: Some(kept.about.checksum),
            ..row(&source, identifier, input)
        }))
    }

    async fn unchanged(
        &self,
        attempt: &Attempt,
        input: &FetchInput,
        identifier: &str,
        checksum: &str,
    ) -> Result<FileRow, Failure> {
        let identifier = input.source.called.as_deref().unwrap_or(identifier);
        let source = SourceId::of(&attempt.owner, &input.collection, identifier);
        let kept = self.library.index.source(&attempt.owner, &source).await;
        let kept = kept.map_err(|error| passing("DATABASE_ERROR", error.to_string()))?;
        Ok(FileRow {
            document_id: kept.as_ref().map(|kept| kept.document.to_string()),
            status: RowStatus::Unchanged,
            chunks: kept.as_ref().map_or(0, |kept| kept.chunks),
            pages: kept.as_ref().map_or(0, |kept| kept.about.pages),
            checksum: Some(checksum.to_owned()),
            ..row(&source, identifier, input)
        })
    }

    /// The row of a source that hangs.
    fn given_up(&self, attempt: &Attempt, input: &FetchInput, longest: Duration) -> FileRow {
        let identifier = input.source.called.as_deref().unwrap_or(&input.source.source_identifier);
        let source = SourceId::of(&attempt.owner, &input.collection, identifier);
        let why = format!("nothing came of it within {} s", longest.as_secs());
        let failed = Failed::new(CONNECTOR, FailureCode::Timeout.as_str(), why);
        let failed = Failed { recoverable: true, ..failed.at(self.library.now()) };
        FileRow { error: Some(failed), ..row(&source, identifier, input) }
    }

    fn left_out(
        &self,
        attempt: &Attempt,
        input: &FetchInput,
        skipped: &consign_connector::Skipped,
    ) -> FileRow {
        let failed = Failed::of_source(&skipped.error).at(self.library.now());
        let identifier = input.source.called.as_deref().unwrap_or(&skipped.identifier);
        let source = SourceId::of(&attempt.owner, &input.collection, identifier);
        FileRow {
            status: if failed.is_skip() { RowStatus::Skipped } else { RowStatus::Failed },
            error: Some(failed),
            fetched_as: input.source.called.is_some().then(|| skipped.identifier.clone()),
            ..row(&source, identifier, input)
        }
    }
}

impl Open {
    /// Makes a copy durable, before it is recorded that it is there.
    async fn keep(&self, copy: &Path) -> Result<(), Failure> {
        let (into, copy) = (self.into.clone(), copy.to_owned());
        let kept = tokio::task::spawn_blocking(move || into.sync(&copy)).await;
        kept.map_err(|cause| passing("HOME_NOT_WRITABLE", cause.to_string()))?
            .map_err(|error| passing("HOME_NOT_WRITABLE", error.to_string()))
    }

    /// Removes copies of files that are recorded. One that stays is removed with the folder.
    fn discard_below(&mut self, settled: u32) {
        self.copies.retain(|(number, copy)| {
            let is_needed = *number >= settled;
            if !is_needed {
                discard(copy);
            }
            is_needed
        });
    }
}

fn row(source: &SourceId, identifier: &str, input: &FetchInput) -> FileRow {
    FileRow {
        source_id: source.to_string(),
        document_id: None,
        source_identifier: identifier.to_owned(),
        collection: input.collection.clone(),
        status: RowStatus::Failed,
        chunks: 0,
        pages: 0,
        checksum: None,
        error: None,
        warnings: Vec::new(),
        fetched_as: None,
    }
}

fn file(input: &FetchInput, fetched: Fetched) -> FetchedFile {
    let called = input.source.called.clone();
    let named = called.clone().or_else(|| fetched.hint.file_name.clone());
    FetchedFile {
        file_path: fetched.file,
        file_size_bytes: fetched.size,
        source_metadata: fetched.source_metadata,
        checksum: fetched.checksum,
        source_type: fetched.source_type.as_str().to_owned(),
        source_url: if called.is_some() { None } else { fetched.source_url },
        identifier: called.unwrap_or_else(|| fetched.identifier.clone()),
        fetched_as: fetched.identifier,
        file_name: named,
        validators: serde_json::to_value(&fetched.validators).unwrap_or_default(),
    }
}

#[async_trait]
impl Invoker for ConnectorAgent {
    fn worst_case(&self, _: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let sources = self.0.clone();
        // Copies are written here, so it is a thread that may wait for the disk.
        let here = tokio::runtime::Handle::current();
        // Whoever drops this call no longer waits for it, and the next one needs the session.
        let (_wanted, unwanted) = tokio::sync::oneshot::channel::<()>();
        let working = tokio::task::spawn_blocking(move || {
            here.block_on(async {
                tokio::select! {
                    // The session may be left at any point: it begins with the same file again.
                    gave = sources.step(&attempt) => gave,
                    () = attempt.cancelled() => Err(passing("STOPPED", "the step was stopped")),
                    _ = unwanted => Err(passing("STOPPED", "nobody waits for the step any more")),
                }
            })
        });
        let gave = working.await.unwrap_or_else(|cause| {
            Err(failure(Fault::permanent("INTERNAL_ERROR", cause.to_string())))
        });
        gave.map(|gave| Reply::new(gave, Nanos::ZERO))
    }
}
