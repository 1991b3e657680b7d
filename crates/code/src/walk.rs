//! Lists the files of a repository, once, with as many threads as there are cores.
//!
//! Directories are opened beneath the root by handle. Links are not followed and not listed, so that
//! there are no loops; pipes and devices are not listed either, nor what is hidden, and none of it
//! counts. No file is opened here but the rules of [`crate::rules`].

use std::sync::{
    Arc, Condvar, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use crate::{
    Cancel, Class, Error, Language, Limits, output, parallel,
    root::{self, Root},
    rules::{self, Rules},
};

/// Deeper directories are not read.
const DEEPEST: usize = 128;

/// A file of the list.
pub(crate) struct Entry {
    pub(crate) path: Box<str>,
    pub(crate) class: Class,
    pub(crate) language: Option<Language>,
    /// Whether its name says that it is not text.
    pub(crate) binary: bool,
}

impl Entry {
    pub(crate) fn new(path: String, name: &str) -> Self {
        let binary = rules::is_binary_name(name);
        let (class, language) = (Class::of(&path), Language::of(&path));
        Self { path: path.into_boxed_str(), class, language, binary }
    }
}

/// All files, by path.
#[derive(Default)]
pub(crate) struct Listing {
    pub(crate) files: Vec<Entry>,
    /// There are more than the limit.
    pub(crate) truncated: bool,
    /// Time was up before all were seen.
    pub(crate) late: bool,
    /// What could not be listed: directories that are closed or too deep, names that are not UTF-8.
    pub(crate) skipped: usize,
}

/// What a path stands for: the listed files below a folder, or one file that the caller named,
/// listed or not.
pub(crate) enum Below<'a> {
    Folder(&'a [Entry]),
    File(Box<Entry>),
}

impl Below<'_> {
    pub(crate) fn files(&self) -> &[Entry] {
        match self {
            Self::Folder(files) => files,
            Self::File(file) => std::slice::from_ref(file),
        }
    }
}

impl Listing {
    /// The empty path is the root.
    ///
    /// Says what is wrong with a path that leads nowhere, or out.
    pub(crate) fn below(&self, root: &Root, path: &str) -> Result<Below<'_>, Error> {
        let path = root::clean(path)?;
        if let Err(error) = root.dir(&path) {
            // A file, then; otherwise it is wrong for the first reason.
            root.size(&path).map_err(|_| error)?;
            let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
            return Ok(Below::File(Box::new(Entry::new(path, &name))));
        }
        if path.is_empty() {
            return Ok(Below::Folder(&self.files));
        }
        // They are sorted, so that those of a folder stand together.
        let prefix = format!("{path}/");
        let from = self.files.partition_point(|file| *file.path < *prefix);
        let below = &self.files[from..];
        let count = below.partition_point(|file| file.path.starts_with(&prefix));
        Ok(Below::Folder(&below[..count]))
    }
}

struct Job {
    path: String,
    depth: usize,
    rules: Option<Arc<Rules>>,
}

struct Walk<'a> {
    root: &'a Root,
    limits: &'a Limits,
    /// Output is told by marks.
    by_marks: bool,
    cancel: &'a Cancel,
    queue: Mutex<Queue>,
    changed: Condvar,
    listed: AtomicUsize,
    full: AtomicBool,
}

struct Queue {
    jobs: Vec<Job>,
    /// Directories being read, which may bring more.
    busy: usize,
}

pub(crate) fn list(
    root: &Root,
    limits: &Limits,
    by_marks: bool,
    cancel: &Cancel,
) -> Result<Listing, Error> {
    let first = Job { path: String::new(), depth: 0, rules: None };
    let walk = Walk {
        root,
        limits,
        by_marks,
        cancel,
        queue: Mutex::new(Queue { jobs: vec![first], busy: 0 }),
        changed: Condvar::new(),
        listed: AtomicUsize::new(0),
        full: AtomicBool::new(false),
    };
    let mut all = Listing::default();
    for part in parallel::threads(|| walk.run()) {
        all.files.extend(part.files);
        all.skipped += part.skipped;
    }
    cancel.check()?;
    all.truncated = walk.full.load(Ordering::Relaxed);
    all.late = cancel.is_late();
    all.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(all)
}

impl Walk<'_> {
    fn run(&self) -> Listing {
        let mut part = Listing::default();
        while let Some(job) = self.next() {
            let more = if self.is_over() { Vec::new() } else { self.read(job, &mut part) };
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.busy -= 1;
            queue.jobs.extend(more);
            self.changed.notify_all();
        }
        part
    }

    fn is_over(&self) -> bool {
        self.full.load(Ordering::Relaxed) || self.cancel.is_over()
    }

    fn next(&self) -> Option<Job> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(job) = queue.jobs.pop() {
                queue.busy += 1;
                return Some(job);
            }
            if queue.busy == 0 {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is_foreign_dir(&self, name: &str) -> bool {
        if self.by_marks { output::is_always_foreign(name) } else { rules::is_foreign_dir(name) }
    }

    /// Lists one directory and says which ones are in it.
    fn read(&self, job: Job, part: &mut Listing) -> Vec<Job> {
        let Ok(dir) = self.root.dir(&job.path) else {
            part.skipped += 1;
            return Vec::new();
        };
        let Ok(entries) = dir.entries() else {
            part.skipped += 1;
            return Vec::new();
        };
        let hides = |path: &str| self.root.hidden().is_some_and(|hidden| hidden.hides(path));
        let (mut dirs, mut files, mut git, mut own) = (Vec::new(), Vec::new(), false, false);
        for (seen, entry) in entries.enumerate() {
            if seen % 1024 == 1023 && self.is_over() {
                break;
            }
            let Ok((name, kind)) = entry else {
                // It may be one that is hidden, if something is.
                let told = self.root.hidden().is_none_or(|hidden| !hidden.has_rule());
                part.skipped += usize::from(told);
                continue;
            };
            let path = join(&job.path, &name);
            if kind == root::Entry::Directory {
                if !self.is_foreign_dir(&name) && !hides(&path) {
                    dirs.push((path, name));
                }
            } else if kind == root::Entry::File {
                git |= name == ".gitignore";
                own |= name == ".ignore";
                if !rules::is_foreign_file(&name) && !hides(&path) {
                    files.push((path, name));
                }
            }
            // A directory of millions of names is cut as it is read.
            if files.len() + dirs.len() > self.limits.files {
                self.full.store(true, Ordering::Relaxed);
                break;
            }
        }
        if self.by_marks {
            let names: Vec<&str> =
                files.iter().chain(&dirs).map(|(_, name)| name.as_str()).collect();
            let own = job.path.rsplit('/').next().unwrap_or_default();
            if !job.path.is_empty() && output::is_told_from_inside(own, &names) {
                return Vec::new();
            }
            let built: Vec<bool> =
                dirs.iter().map(|(_, name)| output::is_told_from_beside(name, &names)).collect();
            let mut built = built.into_iter();
            dirs.retain(|_| !built.next().unwrap_or(false));
        }
        let rules = Rules::read(job.rules, &dir, &job.path, git, own);
        let ignored = |path: &str, is_dir| rules.as_ref().is_some_and(|r| r.ignores(path, is_dir));
        for (path, name) in files {
            if ignored(&path, false) {
                continue;
            }
            if self.listed.fetch_add(1, Ordering::Relaxed) >= self.limits.files {
                self.full.store(true, Ordering::Relaxed);
                return Vec::new();
            }
            part.files.push(Entry::new(path, &name));
        }
        if job.depth >= DEEPEST {
            part.skipped += dirs.len();
            return Vec::new();
        }
        dirs.into_iter()
            .filter(|(path, _)| !ignored(path, true))
            .map(|(path, _)| Job { path, depth: job.depth + 1, rules: rules.clone() })
            .collect()
    }
}

fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}
