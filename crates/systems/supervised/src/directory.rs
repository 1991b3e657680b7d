//! The directory of a job, written from the journals of its runs: manifest, history and audit log.
//!
//! [`JobFiles::catch_up`] brings it up to the newest event, and repairs what a crash left or what was altered. The
//! journal is the truth: nothing here decides anything, and a manifest that was edited by hand is left alone until it is
//! adopted. A writer holds the lock of the directory.

mod altered;

use std::{
    collections::HashMap,
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use consign_contracts::job::JobStatus;
use consign_engine::{
    Data, Engine, Look, Projection, RunId, Seq,
    store::{self, RunQuery},
};
use consign_files::{Access, Lock, Root, Sharing};
use serde_json::Value;
use tokio::task::spawn_blocking;
use tracing::warn;

use self::altered::Altered;
use crate::{
    audit::{self, ALTERED, AUDIT, open_private},
    history::{self, Head, HistoryFile},
    manifest::{self, FileStamp, Found, Origin, Used},
    name::{job_of_run, run_name},
    record::{Additions, Recorder, summary},
    state::JobState,
    workflow::SUPERVISED,
};

pub const MANIFEST: &str = "job_manifest.json";
pub const HISTORY: &str = "jobHistory.json";
const LOCK: &str = ".lock";
/// Events that are read at a time, and how large they may be together.
const PAGE: usize = 1000;
const PAGE_BYTES: usize = 4 << 20;
/// A manifest is no larger than this.
const MOST_MANIFEST: u64 = 64 << 20;

/// Why the files of a job could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Engine(#[from] consign_engine::Error),
    #[error(transparent)]
    History(#[from] history::Error),
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{0}")]
    Files(#[from] consign_files::Error),
    #[error("{MANIFEST} has version {0}, and this program reads 1.x: use a newer one")]
    TooNew(String),
    #[error("the journal of the job cannot be read: {0}")]
    Journal(String),
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        Self::Engine(error.into())
    }
}

/// How the files of a job were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caught {
    /// They are as the journal says now.
    Current,
    /// They were altered, and are written anew: what was found was put aside.
    Repaired(String),
    /// The manifest was edited by hand, and is left alone.
    Diverged(String),
}

/// Something that is not as the journal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The interaction that it is about.
    pub sequence: Option<u64>,
    pub what: String,
}

/// Writes the directories of jobs.
#[derive(Clone)]
pub struct JobFiles {
    rotate_bytes: u64,
    /// Where the jobs of runs are that were written lately.
    directories: Arc<Mutex<HashMap<RunId, PathBuf>>>,
    /// The history that was written last, as it was left: opening one reads its index.
    newest: Arc<Mutex<Option<(PathBuf, FileStamp, HistoryFile)>>>,
}

/// So many directories are remembered.
const MOST_KNOWN: usize = 1024;

#[async_trait]
impl Projection for JobFiles {
    fn follows(&self, workflow: &str) -> bool {
        workflow == SUPERVISED
    }

    /// A run that has a new event is the one that goes on with its job.
    async fn follow(&self, engine: &Engine, run: &RunId) {
        if let Err(why) = self.catch_up_newest(engine, run).await {
            warn!(%run, %why, "the files of a job are not up to date");
        }
    }
}

impl JobFiles {
    /// The history is rotated at so many bytes.
    #[must_use]
    pub fn new(rotate_bytes: u64) -> Self {
        Self { rotate_bytes, directories: Arc::default(), newest: Arc::default() }
    }

    async fn catch_up_newest(&self, engine: &Engine, run: &RunId) -> Result<Caught, Error> {
        let known =
            self.directories.lock().unwrap_or_else(PoisonError::into_inner).get(run).cloned();
        let directory = match known {
            Some(directory) => directory,
            None => read_state(&engine.look(run).await?)?.directory,
        };
        let _lock = lock(&directory).await?;
        let look = engine.look(run).await?;
        let caught =
            Writer { files: self, engine, state: read_state(&look)?, look }.catch_up().await;
        let mut known = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(run.clone(), directory);
        caught
    }

    /// Brings the directory of a run's job up to the newest event.
    pub async fn catch_up(&self, engine: &Engine, run: &RunId) -> Result<Caught, Error> {
        let newest = newest_run(engine, run).await?;
        self.catch_up_newest(engine, &newest).await
    }
}

impl JobFiles {
    /// The manifest as it would be written now.
    pub async fn manifest(&self, engine: &Engine, run: &RunId) -> Result<Value, Error> {
        let look = engine.look(run).await?;
        let writer = Writer { files: self, engine, state: read_state(&look)?, look };
        let origin = Origin {
            run: run.clone(),
            seq: writer.look.row.seq,
            recorded: writer.look.row.seq,
            history: FileStamp::default(),
            audit: FileStamp::default(),
            digest: String::new(),
        };
        let from = writer.state.job.interactions.saturating_sub(200);
        let lines = history::interactions(&writer.state.directory, from, u64::MAX);
        let entries: Vec<Value> = lines
            .map_while(Result::ok)
            .filter_map(|line| Some(summary(&line.to().ok()?)))
            .collect();
        Ok(writer.manifest(&entries, &origin))
    }
}

fn read_state(look: &Look) -> Result<JobState, Error> {
    look.state.to().map_err(|cause| Error::Journal(cause.to_string()))
}

/// Waits for the lock of a directory.
async fn lock(directory: &Path) -> Result<Lock, Error> {
    let path = directory.join(LOCK);
    let taken = spawn_blocking(move || {
        let file = open_private(&path);
        let locked = file.and_then(|file| Lock::wait_on(file, Sharing::Exclusive));
        locked.map_err(|source| Error::Io { path, source })
    });
    taken.await.unwrap_or_else(|broken| Err(Error::Journal(broken.to_string())))
}

/// The runs of a job, the first one first.
pub async fn runs_of(engine: &Engine, job_id: &str, directory: &Path) -> Result<Vec<RunId>, Error> {
    let prefix = Some(run_name(job_id, directory));
    let query = RunQuery { prefix, most: 10_000, ..RunQuery::default() };
    let rows = engine.store().runs(&query).await?;
    let mut runs: Vec<_> =
        rows.into_iter().filter_map(|row| Some((job_of_run(row.id.as_str())?.1, row.id))).collect();
    runs.sort();
    Ok(runs.into_iter().map(|(_, run)| run).collect())
}

/// The run that goes on with a job, of all its runs.
async fn newest_run(engine: &Engine, run: &RunId) -> Result<RunId, Error> {
    let state = read_state(&engine.look(run).await?)?;
    let runs = runs_of(engine, &state.job_id, &state.directory).await?;
    Ok(runs.into_iter().next_back().unwrap_or_else(|| run.clone()))
}

/// Writes the directory of one job, under its lock.
struct Writer<'a> {
    files: &'a JobFiles,
    engine: &'a Engine,
    state: JobState,
    look: Look,
}

impl Writer<'_> {
    async fn catch_up(&self) -> Result<Caught, Error> {
        let (run, seq) = (&self.look.row.id, self.look.row.seq);
        let found = read_manifest(&self.state.directory)?;
        let (origin, manifest) = match found {
            Found::TooNew(version) => return Err(Error::TooNew(version)),
            Found::Edited(_, why) => return Ok(Caught::Diverged(why)),
            // History and audit log stay if they are what the journals say.
            Found::Missing => {
                let aside = put_unreadable_aside(&self.state.directory)?;
                let caught = match self.altered(0).await? {
                    Some(altered) => self.rebuild(altered).await?,
                    None => self.complete().await?,
                };
                return Ok(aside.map_or(caught, Caught::Repaired));
            }
            Found::Ours(origin, manifest) => (origin, manifest),
        };
        if origin.run == *run && origin.seq > seq {
            return Ok(Caught::Diverged(format!(
                "it shows event {}, and the run has {seq}",
                origin.seq
            )));
        }
        let theirs = job_of_run(origin.run.as_str());
        if theirs.map(|(name, _)| name) != Some(self.state.job_id.as_str()) {
            return Ok(Caught::Diverged(format!("it is of run {}", origin.run)));
        }
        let stamps = self.stamps()?;
        let touched = stamps != (origin.history, origin.audit);
        let known = manifest["metrics"]["interactions"].as_u64().unwrap_or_default();
        let entries = entries_of(&manifest);
        if touched && let Some(altered) = self.altered(known).await? {
            return self.rebuild(altered).await;
        }
        let current = origin.run == *run && origin.seq == seq;
        if current && !touched {
            return Ok(Caught::Current);
        }
        let from = if origin.run == *run { origin.recorded.next() } else { Seq(0) };
        let audit = if touched { None } else { Some(origin.audit.bytes) };
        let recorded = if origin.run == *run { origin.recorded } else { Seq(0) };
        self.go_on(from, recorded, entries, audit).await?;
        Ok(Caught::Current)
    }

    /// Adds what the journal of the newest run has from an event on, then writes the manifest.
    async fn go_on(
        &self,
        from: Seq,
        recorded: Seq,
        mut entries: Vec<Value>,
        audit_bytes: Option<u64>,
    ) -> Result<(), Error> {
        let directory = &self.state.directory;
        let mut recorder = Recorder::default();
        let (mut from, mut recorded) = (from, recorded);
        let mut audit = Vec::new();
        let mut history = None;
        while let Some(next) = self.page(&self.look.row.id, from, &mut recorder).await? {
            from = next;
            let added = std::mem::take(&mut recorder.added);
            recorded = added.settled.unwrap_or(recorded).max(recorded);
            if !added.interactions.is_empty() || !added.points.is_empty() {
                if history.is_none() {
                    history = Some(self.take_history()?);
                }
                if let Some(history) = &mut history {
                    append(history, directory, &added)?;
                }
            }
            entries.extend(added.interactions.iter().map(summary));
            audit.extend(added.audit);
        }
        if let Some(history) = history {
            let path = directory.join(HISTORY);
            let left = (directory.clone(), stamp(&path)?, history);
            *self.files.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(left);
        }
        // What is open is read again the next time.
        self.append_audit(audit_bytes, &audit)?;
        let (history, audit) = self.stamps()?;
        let origin = Origin {
            run: self.look.row.id.clone(),
            seq: self.look.row.seq,
            recorded,
            history,
            audit,
            digest: String::new(),
        };
        self.write_manifest(&entries, &origin)
    }

    /// Takes a page of a journal in. Says where the next begins, or nothing if there was none.
    async fn page(
        &self,
        run: &RunId,
        from: Seq,
        recorder: &mut Recorder,
    ) -> Result<Option<Seq>, Error> {
        let page = self.engine.store().events_within(run, from, PAGE, PAGE_BYTES).await?;
        for record in &page {
            if *run == self.look.row.id && record.seq > self.look.row.seq {
                break;
            }
            recorder.take(record).map_err(Error::Journal)?;
        }
        Ok(page.last().map(|last| last.seq.next()))
    }

    /// The history as it was left here, if nothing else has touched it since.
    fn take_history(&self) -> Result<HistoryFile, Error> {
        let directory = &self.state.directory;
        let left = self.files.newest.lock().unwrap_or_else(PoisonError::into_inner).take();
        match left {
            Some((of, left, history))
                if of == *directory && left == stamp(&directory.join(HISTORY))? =>
            {
                Ok(history)
            }
            Some(_) | None => self.history(),
        }
    }

    fn history(&self) -> Result<HistoryFile, Error> {
        let (directory, rotate) = (&self.state.directory, self.files.rotate_bytes);
        match HistoryFile::open(directory, rotate) {
            Ok(history) => Ok(history),
            Err(history::Error::Missing { .. }) => {
                Ok(HistoryFile::create(directory, &self.head(), rotate)?)
            }
            Err(history::Error::Damaged { .. }) => Ok(HistoryFile::repair(directory, rotate)?),
            Err(history::Error::NeedsMigration { .. }) => Ok(history::migrate(directory, rotate)?),
            Err(error) => Err(error.into()),
        }
    }

    fn head(&self) -> Head {
        let state = &self.state;
        Head { job_id: state.job_id.clone(), created_at: state.created_at.to_string() }
    }

    fn stamps(&self) -> Result<(FileStamp, FileStamp), Error> {
        let directory = &self.state.directory;
        Ok((stamp(&directory.join(HISTORY))?, stamp(&directory.join(AUDIT))?))
    }

    /// Writes a file anew from the journals. What was there is put aside, and why is noted.
    async fn rebuild(&self, altered: Altered) -> Result<Caught, Error> {
        let directory = &self.state.directory;
        let Altered { why, is_audit } = altered;
        let (history, mut notes) = if is_audit {
            let notes = audit::of_repairs(directory);
            put_aside(directory, AUDIT)?;
            (self.history()?, notes)
        } else {
            let nothing = std::iter::empty::<Result<Data, history::Error>>();
            let rotate = self.files.rotate_bytes;
            (history::rebuild(directory, &self.head(), rotate, nothing, &[])?, Vec::new())
        };
        notes.push(audit::line(self.engine.now(), None, ALTERED, &why));
        self.write_all(history, notes).await?;
        Ok(Caught::Repaired(why))
    }

    /// Writes what is missing of what the journals say; what is there is right.
    async fn complete(&self) -> Result<Caught, Error> {
        self.write_all(self.history()?, Vec::new()).await?;
        Ok(Caught::Current)
    }

    /// Goes through the journals of all runs, adds what the files lack, and writes the manifest.
    async fn write_all(&self, mut history: HistoryFile, notes: Vec<Value>) -> Result<(), Error> {
        let directory = &self.state.directory;
        let (mut entries, mut audit) = (Vec::new(), Vec::new());
        let mut recorded = Seq(0);
        for run in runs_of(self.engine, &self.state.job_id, directory).await? {
            let (mut recorder, mut from) = (Recorder::default(), Seq(0));
            recorded = Seq(0);
            while let Some(next) = self.page(&run, from, &mut recorder).await? {
                from = next;
                let added = std::mem::take(&mut recorder.added);
                recorded = added.settled.unwrap_or(recorded);
                append(&mut history, directory, &added)?;
                entries.extend(added.interactions.iter().map(summary));
                let old = entries.len().saturating_sub(200);
                entries.drain(..old);
                audit.extend(added.audit);
            }
        }
        audit.extend(notes);
        self.append_audit(None, &audit)?;
        let (history, audit) = self.stamps()?;
        let (run, seq) = (self.look.row.id.clone(), self.look.row.seq);
        let origin = Origin { run, seq, recorded, history, audit, digest: String::new() };
        self.write_manifest(&entries, &origin)
    }

    fn append_audit(&self, end: Option<u64>, lines: &[Value]) -> Result<(), Error> {
        audit::append(&self.state.directory, end, lines).map_err(|cause| self.audit_error(cause))
    }

    fn audit_error(&self, source: io::Error) -> Error {
        Error::Io { path: self.state.directory.join(AUDIT), source }
    }

    fn manifest(&self, entries: &[Value], origin: &Origin) -> Value {
        let (state, look) = (&self.state, &self.look);
        let status = look.label.as_deref().and_then(JobStatus::from_word);
        let status = status.unwrap_or_else(|| state.job.status());
        let active = look.usage.active.unwrap_or_default().as_secs_f64();
        let used = Used {
            spent: state.before.spent + look.usage.spent,
            seconds: state.before.seconds + active,
        };
        manifest::write(state, status, used, entries, origin)
    }

    /// Puts the manifest in its place. It need not survive a power cut: it is written anew then.
    fn write_manifest(&self, entries: &[Value], origin: &Origin) -> Result<(), Error> {
        let state = &self.state;
        let manifest = self.manifest(entries, origin);
        let root = Root::open(&state.directory)?;
        let unfinished = format!(".{MANIFEST}.new");
        root.remove_file(&unfinished)?;
        let file = root.create_new(&unfinished, Access::Private)?;
        let text = format!("{manifest:#}\n");
        io::Write::write_all(&mut &file, text.as_bytes())
            .map_err(|source| Error::Io { path: state.directory.join(&unfinished), source })?;
        root.rename(&unfinished, MANIFEST)?;
        Ok(())
    }
}

/// Appends what is not there yet.
fn append(history: &mut HistoryFile, directory: &Path, added: &Additions) -> Result<(), Error> {
    let next = history.next_sequence();
    let is_new = |own: &&Value| own["sequence"].as_u64().is_some_and(|sequence| sequence >= next);
    let interactions: Vec<Data> = added.interactions.iter().filter(is_new).map(Data::of).collect();
    let mut points = Vec::new();
    if !added.points.is_empty() {
        let there = history::points(directory)?;
        let known = |id: &Value| {
            there.iter().any(|own| own.to::<Value>().is_ok_and(|own| own["id"] == *id))
        };
        points.extend(added.points.iter().filter(|own| !known(&own["id"])).map(Data::of));
    }
    Ok(history.append(&interactions, &points, false)?)
}

fn entries_of(manifest: &Value) -> Vec<Value> {
    manifest["history"].as_array().cloned().unwrap_or_default()
}

/// Reads the manifest of a directory.
pub fn read_manifest(directory: &Path) -> Result<Found, Error> {
    let root = Root::open(directory)?;
    match root.read(MANIFEST, MOST_MANIFEST) {
        Ok(bytes) => Ok(manifest::read(&bytes)),
        Err(_) => Ok(Found::Missing),
    }
}

fn stamp(path: &Path) -> Result<FileStamp, Error> {
    match fs::metadata(path) {
        Ok(meta) => {
            let modified = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
            Ok(FileStamp { bytes: meta.len(), modified })
        }
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(FileStamp::default()),
        Err(source) => Err(Error::Io { path: path.to_owned(), source }),
    }
}

/// Puts a manifest aside that has text in it and cannot be read: it may be an edit with a mistake. An empty one is what a
/// power cut left, and is not kept. Says what was done.
fn put_unreadable_aside(directory: &Path) -> Result<Option<String>, Error> {
    let bytes = fs::read(directory.join(MANIFEST)).unwrap_or_default();
    if bytes.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace()) {
        return Ok(None);
    }
    let aside = put_aside(directory, MANIFEST)?;
    Ok(aside.map(|aside| format!("{MANIFEST} could not be read; it was put aside as {aside}")))
}

/// Renames a file out of the way, if it is there. Gives its new name.
fn put_aside(directory: &Path, name: &str) -> Result<Option<String>, Error> {
    let path = directory.join(name);
    if !path.exists() {
        return Ok(None);
    }
    let free = (1..).map(|number| directory.join(format!("{name}.altered-{number}")));
    let free = free.into_iter().find(|own| !own.exists()).unwrap_or_else(|| path.clone());
    fs::rename(&path, &free).map_err(|source| Error::Io { path, source })?;
    Ok(free.file_name().map(|name| name.to_string_lossy().into_owned()))
}
