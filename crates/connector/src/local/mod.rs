//! Files and folders of this machine.
//!
//! A folder is opened once, by handle, and everything below it is reached from there. Links are never
//! followed, and hidden and ignored names are left out as ripgrep does: names that begin with a dot, and what
//! `.ignore` says, and `.gitignore` in a repository. A file that is named itself is always taken.

mod copy;
mod place;
mod rules;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use consign_files::{Kind, Root};

use self::{
    copy::Copied,
    place::{Place, to_error},
    rules::Rules,
};
use crate::{
    Code, Destination, Error, Fetch, Item, Known, Skipped, Summary, Unchanged, error::Limit,
    http::Http,
};

/// Deeper folders are not read.
const DEEPEST: usize = 128;
/// Names of one folder.
const MOST_NAMES: usize = 1_000_000;

/// A file, or the files of a folder.
pub(crate) struct Local {
    http: Arc<Http>,
    into: Destination,
    recursive: bool,
    place: Arc<Place>,
    /// Folders that are not entered.
    never: Vec<PathBuf>,
    /// Names that are not listed yet, the next one last.
    ahead: Vec<Ahead>,
    looked_at: u64,
    until: std::time::Duration,
    cut: Vec<(PathBuf, Error)>,
}

enum Ahead {
    File(PathBuf),
    Folder { path: PathBuf, depth: usize, rules: Option<Arc<Rules>> },
}

/// What is in one folder.
struct Listed {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    rules: Option<Arc<Rules>>,
    hidden: u64,
    ignored: u64,
    others: u64,
    is_cut: bool,
}

impl Local {
    pub(crate) async fn open(
        http: Arc<Http>,
        fetch: Fetch,
        into: Destination,
    ) -> Result<Self, Error> {
        let (options, recursive) = (http.options.clone(), fetch.recursive);
        let opened = blocking(move || {
            let never = place::real(&options.never);
            Place::open(&fetch, &options).map(|place| (place, never))
        });
        let (place, never) = opened.await??;
        let first = match &place {
            Place::File { name, .. } => Ahead::File(PathBuf::from(name)),
            Place::Folder(_) => Ahead::Folder { path: PathBuf::new(), depth: 0, rules: None },
        };
        let until = http.parts.clock.ticks() + http.options.max_total_time;
        let place = Arc::new(place);
        let (ahead, cut) = (vec![first], Vec::new());
        Ok(Self { http, into, recursive, place, never, ahead, looked_at: 0, until, cut })
    }

    pub(crate) async fn next(
        &mut self,
        known: &dyn Known,
        summary: &mut Summary,
    ) -> Result<Option<Item>, Error> {
        loop {
            let Some(ahead) = self.ahead.last() else {
                return Ok(self.cut.pop().map(|(path, error)| self.skipped(&path, error)));
            };
            if let Some(error) = self.over(summary) {
                self.ahead.clear();
                self.cut.push((PathBuf::new(), error));
                continue;
            }
            match ahead {
                Ahead::Folder { path, depth, rules } => {
                    let (path, depth, rules) = (path.clone(), *depth, rules.clone());
                    let listed = self.list(path.clone(), rules).await;
                    self.ahead.pop();
                    match listed {
                        Ok(listed) => self.enter(&path, depth, listed, summary),
                        Err(error) => return Ok(Some(self.skipped(&path, error))),
                    }
                }
                Ahead::File(path) => {
                    let path = path.clone();
                    let item = self.take(&path, known, summary).await?;
                    self.ahead.pop();
                    self.looked_at += 1;
                    if item.is_some() {
                        return Ok(item);
                    }
                }
            }
        }
    }

    fn over(&self, summary: &Summary) -> Option<Error> {
        let options = &self.http.options;
        if self.looked_at >= options.max_files {
            let why = format!("files after the first {} are left out", options.max_files);
            Some(Error::too_large(Limit::Files, why))
        } else if summary.bytes >= options.max_total_bytes {
            Some(crate::web::total(options.max_total_bytes))
        } else if self.http.parts.clock.ticks() >= self.until {
            let seconds = options.max_total_time.as_secs_f64();
            let why = format!("the folder took longer than {seconds} s: the rest is left out");
            Some(Error { limit: Some(Limit::Seconds), ..Error::timeout(why) })
        } else {
            None
        }
    }

    fn enter(&mut self, path: &Path, depth: usize, listed: Listed, summary: &mut Summary) {
        let (mut listed, top) = (listed, self.place.root().path());
        listed.folders.retain(|folder| !self.never.contains(&top.join(folder)));
        summary.hidden += listed.hidden;
        summary.ignored += listed.ignored;
        summary.links_and_devices += listed.others;
        if listed.is_cut {
            let why = format!("names after the first {MOST_NAMES} are left out");
            self.cut.push((path.to_owned(), Error::too_large(Limit::Files, why)));
        }
        if !self.recursive {
            summary.folders_not_entered += listed.folders.len() as u64;
        } else if depth >= DEEPEST {
            if !listed.folders.is_empty() {
                let why = format!("folders more than {DEEPEST} deep are left out");
                self.cut.push((path.to_owned(), Error::too_large(Limit::Depth, why)));
            }
        } else {
            let rules = &listed.rules;
            let folder = |path| Ahead::Folder { path, depth: depth + 1, rules: rules.clone() };
            self.ahead.extend(listed.folders.into_iter().rev().map(folder));
        }
        self.ahead.extend(listed.files.into_iter().rev().map(Ahead::File));
    }

    async fn list(&self, path: PathBuf, rules: Option<Arc<Rules>>) -> Result<Listed, Error> {
        let (place, all) = (self.place.clone(), self.http.options.hidden_and_ignored);
        blocking(move || {
            let folder = place.root().open_dir(&path).map_err(to_error)?;
            list(&folder, &path, rules, all)
        })
        .await?
    }

    async fn take(
        &self,
        path: &Path,
        known: &dyn Known,
        summary: &mut Summary,
    ) -> Result<Option<Item>, Error> {
        let whole = self.place.root().path().join(path);
        let Some(identifier) = whole.to_str().map(str::to_owned) else {
            let error = Error::unreachable("its name is not UTF-8: rename it to take it");
            return Ok(Some(self.skipped(path, error)));
        };
        let before = match known.past(&identifier) {
            Some(crate::Past::Done(_)) => {
                summary.done_before += 1;
                return Ok(None);
            }
            Some(crate::Past::Before(validators)) => Some(validators),
            None => None,
        };
        let (place, http, into) = (self.place.clone(), self.http.clone(), self.into.clone());
        let (name, path_below) = (identifier.clone(), path.to_owned());
        let left = http.options.max_total_bytes.saturating_sub(summary.bytes);
        let copied = blocking(move || {
            copy::copy(&http, place.root(), &path_below, &name, &into, before.as_ref(), left)
        });
        match copied.await? {
            Ok(Copied::New(fetched)) => Ok(Some(Item::Fetched(fetched))),
            Ok(Copied::Unchanged(validators)) => {
                let checksum = validators.checksum.clone();
                Ok(Some(Item::Unchanged(Unchanged { identifier, checksum, validators })))
            }
            Err(error) if error.code == Code::Home => Err(error),
            Err(error) => Ok(Some(Item::Skipped(Skipped { identifier, error }))),
        }
    }

    fn skipped(&self, path: &Path, error: Error) -> Item {
        let identifier = self.place.root().path().join(path).to_string_lossy().into_owned();
        Item::Skipped(Skipped { identifier, error })
    }
}

fn list(folder: &Root, path: &Path, above: Option<Arc<Rules>>, all: bool) -> Result<Listed, Error> {
    let mut entries = Vec::new();
    let mut is_cut = false;
    for entry in folder.entries().map_err(to_error)? {
        if entries.len() == MOST_NAMES {
            is_cut = true;
            break;
        }
        match entry {
            Ok(entry) => entries.push(entry),
            // Removed since it was listed.
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(to_error(error)),
        }
    }
    entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    let has = |name: &str| entries.iter().any(|entry| entry.name == name);
    let rules = match all {
        true => None,
        false => Rules::read(above, folder, path, has(".git"), has(".gitignore"), has(".ignore")),
    };
    let (files, folders) = (Vec::new(), Vec::new());
    let mut listed =
        Listed { files, folders, rules: None, hidden: 0, ignored: 0, others: 0, is_cut };
    for entry in entries {
        let is_folder = entry.kind == Kind::Folder;
        let name = entry.name.to_string_lossy();
        let below = path.join(&entry.name);
        if matches!(entry.kind, Kind::Link | Kind::Other) {
            listed.others += 1;
        } else if name.eq_ignore_ascii_case(".git") || (!all && name.starts_with('.')) {
            listed.hidden += 1;
        } else if rules.as_ref().is_some_and(|rules| rules.ignores(&below, is_folder)) {
            listed.ignored += 1;
        } else if is_folder {
            listed.folders.push(below);
        } else {
            listed.files.push(below);
        }
    }
    listed.rules = rules;
    Ok(listed)
}

/// Does what waits for the disk where nothing else waits for it.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Error::home("the work with files was broken off"))
}
