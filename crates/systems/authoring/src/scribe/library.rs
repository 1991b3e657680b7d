//! Repositories as they were at a commit, read once and kept for a while.
//!
//! A reading follows from its [`Shelf`] alone, so a process that has lost it reads it again and finds the same. Readings
//! are kept by owner: what one user may read is never served to another.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use consign_documentation::{
    Facts, LeftOut, LogEntry, MOST_DOCUMENT_BYTES, MOST_FILE_BYTES, Snapshot, WhyLeftOut, targets,
};
use consign_engine::{Fault, Owner};
use consign_repositories::{BlobId, CommitId, Entry, EntryKind, Error, Repository};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

use crate::publish::{OpenRepository, fault_of, look::Site};

/// Readings that are kept.
const MOST_READINGS: usize = 6;
/// Files that are read of one repository, and how many at once. Of larger ones the checker knows what it does not know.
const MOST_FILES: usize = 5_000;
const MOST_FILES_REMOTE: usize = 400;
const AT_ONCE: usize = 8;

/// Which reading: a commit of a repository, and the documents as they are on the branch that is written to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shelf {
    pub(crate) site: Site,
    pub(crate) base: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) head: Option<String>,
    pub(crate) targets: Vec<String>,
    pub(crate) commits: usize,
}

/// A repository as it was at a commit.
pub(crate) struct Reading {
    pub(crate) snapshot: Snapshot,
    pub(crate) facts: Facts,
    /// The documents that are there already, by path.
    pub(crate) documents: BTreeMap<String, Existing>,
    /// Not all files of the commit are known.
    pub(crate) truncated: bool,
}

impl Reading {
    /// The targets by the names that they have here: `Readme.md` is the README, and for a pack `History.md` is the
    /// changelog. Empty if all are as they were asked for.
    pub(crate) fn targets_as_they_are(&self, wanted: &[String], of_pack: bool) -> Vec<String> {
        let is_there = |path: &str| self.documents.contains_key(path);
        // The targets are among the paths, also those that are not there yet.
        let paths = || {
            self.snapshot
                .paths()
                .filter(|path| is_there(path) || wanted.iter().all(|it| it != path))
        };
        let named = |target: &String| {
            let same = || {
                let same = targets::same_file(target, paths());
                same.or_else(|| targets::held_by(target, paths()).filter(|_| of_pack))
            };
            let found = (!is_there(target)).then(same).flatten().map(str::to_owned);
            found.filter(|found| !wanted.contains(found)).unwrap_or_else(|| target.clone())
        };
        let named: Vec<String> = wanted.iter().map(named).collect();
        let once: BTreeSet<&String> = named.iter().collect();
        if named == wanted || once.len() < named.len() { Vec::new() } else { named }
    }
}

/// A document that is there already.
pub(crate) struct Existing {
    pub(crate) blob: String,
    /// None if it is no text, or too long to be updated.
    pub(crate) text: Option<String>,
}

type Cell = Arc<OnceCell<Arc<Reading>>>;

/// All readings of this process.
pub(crate) struct Library {
    repositories: Arc<dyn OpenRepository>,
    kept: Mutex<VecDeque<((Owner, Shelf), Cell)>>,
}

impl Library {
    pub(crate) fn new(repositories: Arc<dyn OpenRepository>) -> Self {
        Self { repositories, kept: Mutex::default() }
    }

    pub(crate) async fn open(
        &self,
        owner: &Owner,
        site: &Site,
    ) -> Result<Arc<dyn Repository>, Fault> {
        site.open(&*self.repositories, owner).await
    }

    /// The repository at the commit of this shelf.
    pub(crate) async fn read(&self, owner: &Owner, shelf: &Shelf) -> Result<Arc<Reading>, Fault> {
        let cell = self.cell(owner, shelf);
        let reading = cell.get_or_try_init(|| async {
            let repository = self.open(owner, &shelf.site).await?;
            let read = read(&*repository, shelf).await.map_err(|error| fault_of(&error))?;
            let worked = tokio::task::spawn_blocking(move || read.finish()).await;
            worked.map(Arc::new).map_err(|cause| {
                Fault::permanent("INTERNAL_ERROR", format!("the repository: {cause}"))
            })
        });
        reading.await.cloned()
    }

    /// The place of a reading. The one that was used least recently goes first.
    fn cell(&self, owner: &Owner, shelf: &Shelf) -> Cell {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().position(|((of, at), _)| of == owner && at == shelf);
        let entry = match found.and_then(|at| kept.remove(at)) {
            Some(entry) => entry,
            None => ((owner.clone(), shelf.clone()), Cell::default()),
        };
        let cell = entry.1.clone();
        kept.push_back(entry);
        while kept.len() > MOST_READINGS {
            kept.pop_front();
        }
        cell
    }
}

struct Raw {
    snapshot: Snapshot,
    documents: BTreeMap<String, Existing>,
    truncated: bool,
}

impl Raw {
    fn finish(self) -> Reading {
        let Self { snapshot, documents, truncated } = self;
        Reading { facts: Facts::of(&snapshot), snapshot, documents, truncated }
    }
}

async fn read(repository: &dyn Repository, shelf: &Shelf) -> Result<Raw, Error> {
    let base = CommitId::parse(&shelf.base)?;
    let mut snapshot = Snapshot::new(&shelf.site.owner, &shelf.site.repo);
    let tree = repository.tree(&base).await?;
    snapshot.truncated = tree.truncated;
    let most = if repository.reads_cheaply() { MOST_FILES } else { MOST_FILES_REMOTE };
    let (files, left_out) = sorted(tree.entries, most);
    let read = stream::iter(files.into_iter().map(|path| {
        let base = &base;
        async move {
            match repository.read(base, &path, MOST_FILE_BYTES as u64).await {
                Err(error) if error.is_transient() => Err(error),
                read => Ok((path, read.ok().flatten())),
            }
        }
    }));
    // In order, so that the same commit always fills the same bounds.
    let read: Vec<_> = read.buffered(AT_ONCE).try_collect().await?;
    for (path, content) in read {
        match content {
            Some(content) => snapshot.add(&path, &content),
            None => snapshot.left_out.push(LeftOut { path, why: WhyLeftOut::Unreadable }),
        }
    }
    snapshot.left_out.extend(left_out);
    if shelf.commits > 0 {
        let log = repository.log(&base, shelf.commits).await?;
        snapshot.commits = log.into_iter().map(told).collect();
    }
    let ground = CommitId::parse(shelf.head.as_deref().unwrap_or(&shelf.base))?;
    let mut documents = BTreeMap::new();
    for path in &shelf.targets {
        let content = match repository.read(&ground, path, MOST_DOCUMENT_BYTES as u64).await {
            Ok(content) => content,
            Err(Error::TooLarge { .. }) => {
                let content = repository.read(&ground, path, crate::publish::look::MOST_BYTES);
                let blob = content.await?.map(|content| BlobId::of(&content).to_string());
                let blob = blob.unwrap_or_default();
                documents.insert(path.clone(), Existing { blob, text: None });
                continue;
            }
            Err(error) => return Err(error),
        };
        let Some(content) = content else { continue };
        snapshot.add(path, &content);
        let blob = BlobId::of(&content).to_string();
        documents.insert(path.clone(), Existing { blob, text: String::from_utf8(content).ok() });
    }
    // The documents are there when the job is done, and may link to each other.
    for path in &shelf.targets {
        if snapshot.paths().all(|there| there != path) {
            snapshot.add(path, b"");
        }
    }
    Ok(Raw { snapshot, documents, truncated: tree.truncated })
}

/// The files to read, and those that are only known by name.
fn sorted(entries: Vec<Entry>, most: usize) -> (Vec<String>, Vec<LeftOut>) {
    let (mut files, mut left_out): (Vec<(bool, usize, String)>, Vec<LeftOut>) = Default::default();
    for Entry { path, kind, size } in entries {
        let why = match kind {
            EntryKind::File if is_binary(&path) => WhyLeftOut::Binary,
            EntryKind::File if size > MOST_FILE_BYTES as u64 => WhyLeftOut::Large,
            EntryKind::File => {
                files.push((is_tested_or_vendored(&path), path.matches('/').count(), path));
                continue;
            }
            EntryKind::Link => WhyLeftOut::Link,
            EntryKind::Submodule => WhyLeftOut::Submodule,
        };
        left_out.push(LeftOut { path, why });
    }
    files.sort();
    let rest = files.split_off(most.min(files.len()));
    let why = WhyLeftOut::Bound;
    left_out.extend(rest.into_iter().map(|(_, _, path)| LeftOut { path, why }));
    (files.into_iter().map(|(_, _, path)| path).collect(), left_out)
}

fn is_binary(path: &str) -> bool {
    const BINARY: [&str; 24] = [
        "png", "jpg", "jpeg", "gif", "webp", "ico", "pdf", "zip", "gz", "xz", "bz2", "tar", "7z",
        "jar", "class", "so", "dll", "exe", "woff", "woff2", "ttf", "mp4", "mp3", "wasm",
    ];
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| BINARY.contains(&ending.as_str()))
}

/// What says least of a repository is read last.
fn is_tested_or_vendored(path: &str) -> bool {
    let mut folders = path.split('/');
    folders.any(|part| {
        ["test", "tests", "testdata", "fixtures", "vendor", "node_modules", "third_party"]
            .contains(&part)
    })
}

fn told(entry: consign_repositories::LogEntry) -> LogEntry {
    LogEntry {
        id: entry.id.to_string(),
        date: entry.at.chars().take(10).collect(),
        subject: entry.summary,
        body: entry.body,
        tags: Vec::new(),
    }
}
