//! Lock files that tell which workers are alive.
//!
//! A worker holds the lock of its file for life. A lock that is free, or a file that is missing,
//! proves its death without any clock. A file gets its final name only once it is locked, so no
//! process ever sees the file of a living worker unlocked. A process that removes a file holds its
//! lock exclusively; one that only checks it shares the lock with others that check.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use consign_engine::{
    WorkerId,
    store::{Enlisted, Error},
};

use consign_files::{Sharing, trusted::is_at, try_lock};

use super::{
    fail::of_disk,
    store_folder::{StoreFolder, make_folder, remove},
};

#[derive(Clone, Debug)]
pub(crate) struct Workers {
    folder: PathBuf,
}

impl Workers {
    pub(crate) fn of(home: &StoreFolder) -> Self {
        Self { folder: home.workers() }
    }

    pub(crate) fn enlist(&self, worker: &WorkerId) -> Result<Alive, Error> {
        let nameless = || Error::Unavailable(format!("{worker:?} is not a valid worker name"));
        let path = self.path(worker).ok_or_else(nameless)?;
        let taken = || Error::Unavailable(format!("a worker named {worker} is already running"));
        let file =
            self.take(&path).map_err(|error| of_disk("create the worker's lock file", &error))?;
        let lock = WorkerLock { path, file: Mutex::new(file.ok_or_else(taken)?) };
        Ok(Alive(Arc::new(lock)))
    }

    /// Puts back the file of a worker of this process if it was removed. Without it, all processes
    /// would take the worker for dead again and again while it goes on.
    pub(crate) fn keep(&self, lock: &WorkerLock) -> Result<(), Error> {
        let mut file = lock.file.lock().unwrap_or_else(PoisonError::into_inner);
        let put_back = || {
            if is_at(&lock.path, &file)? {
                return Ok(None);
            }
            make_folder(&self.folder)?;
            self.take(&lock.path).map(Some)
        };
        match put_back().map_err(|error| of_disk("restore the worker's lock file", &error))? {
            None => Ok(()),
            Some(Some(again)) => {
                *file = again;
                Ok(())
            }
            // Its claims cannot be told from ours.
            Some(None) => Err(Error::Lost(format!(
                "the lock file {} was removed, and another worker has taken its name",
                lock.path.display()
            ))),
        }
    }

    /// Takes a name, or returns `None` if a living worker has it.
    fn take(&self, path: &Path) -> io::Result<Option<File>> {
        let mut looks = 0;
        loop {
            match self.try_take(path) {
                Ok(file) => return Ok(Some(file)),
                // The draft was taken for a dead worker's before it was locked.
                Err(error) if error.kind() == io::ErrorKind::NotFound && self.folder.is_dir() => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if !remove_dead(path)? {
                        // A process that checks for dead workers has the lock for a moment, too.
                        looks += 1;
                        if looks == LOOKS {
                            return Ok(None);
                        }
                        thread::sleep(MOMENT);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn try_take(&self, path: &Path) -> io::Result<File> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let draft = self.folder.join(format!(".{:016x}", u64::from_le_bytes(random)));
        let options = OpenOptions::new().write(true).create_new(true).mode(0o600).clone();
        let file = options.open(&draft)?;
        let linked = match try_lock(&file, Sharing::Exclusive) {
            // Unlike a rename, a link does not put itself in the place of another.
            Ok(true) => fs::hard_link(&draft, path),
            Ok(false) => Err(io::ErrorKind::NotFound.into()),
            Err(error) => Err(error),
        };
        remove(&draft)?;
        linked?;
        Ok(file)
    }

    /// Whether a worker is dead. A caller with the write lock can rely on it: a worker that takes
    /// this name later has claimed nothing yet.
    pub(crate) fn is_dead(&self, worker: &WorkerId) -> Result<bool, Error> {
        match self.path(worker) {
            Some(path) => {
                is_dead(&path).map_err(|error| of_disk("check a worker's lock file", &error))
            }
            // No worker can have such a name.
            None => Ok(true),
        }
    }

    /// Removes the files of dead workers, except for `holding`, which still hold runs.
    pub(crate) fn sweep(&self, holding: &[WorkerId]) -> Result<(), Error> {
        let swept = || {
            let files = match fs::read_dir(&self.folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                files => files?,
            };
            for file in files {
                let path = file?.path();
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let name = name.strip_suffix(SUFFIX).unwrap_or_default();
                if !holding.iter().any(|worker| worker.as_str() == name) {
                    remove_dead(&path)?;
                }
            }
            Ok(())
        };
        swept().map_err(|error| of_disk("remove lock files of dead workers", &error))
    }

    fn path(&self, worker: &WorkerId) -> Option<PathBuf> {
        let name = worker.as_str();
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:@".contains(letter);
        let fit = (1..=200).contains(&name.len()) && !name.starts_with('.');
        (fit && name.chars().all(plain)).then(|| self.folder.join(format!("{name}{SUFFIX}")))
    }
}

const SUFFIX: &str = ".lock";

/// How often, and how far apart, a lock is tried before its name counts as taken.
const LOOKS: usize = 10;
const MOMENT: Duration = Duration::from_millis(2);

/// The lock file of a living worker. Dropping it removes the file.
#[derive(Debug)]
pub(crate) struct WorkerLock {
    path: PathBuf,
    /// The file, locked.
    file: Mutex<File>,
}

impl Drop for WorkerLock {
    fn drop(&mut self) {
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        // If it stays, its lock is free from now on all the same. Another's is not ours to remove.
        if is_at(&self.path, file).unwrap_or(false) {
            let _ = remove(&self.path);
        }
    }
}

/// A worker that was enlisted here and is alive.
#[derive(Debug)]
pub(crate) struct Alive(pub(crate) Arc<WorkerLock>);

impl Enlisted for Alive {}

fn is_dead(path: &Path) -> io::Result<bool> {
    let Some(file) = open(path)? else { return Ok(true) };
    if !try_lock(&file, Sharing::Shared)? {
        return Ok(false);
    }
    // It may have been removed, and its name taken by a newer file, before we had the lock.
    Ok(is_at(path, &file)? || !path.try_exists()?)
}

/// Removes the file of a dead worker. Returns whether the name is free now.
fn remove_dead(path: &Path) -> io::Result<bool> {
    let Some(file) = open(path)? else { return Ok(true) };
    if !try_lock(&file, Sharing::Exclusive)? {
        return Ok(false);
    }
    if is_at(path, &file)? {
        // If it cannot be, the next sweep tries again.
        return Ok(remove(path).is_ok());
    }
    Ok(!path.try_exists()?)
}

fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
