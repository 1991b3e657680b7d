//! Who is alive. A worker holds the lock of its file for life; a lock that is free, or a file that
//! is not there, proves a death without any clock.
//!
//! A file gets its final name only once it is locked, so nobody ever sees a living worker's file
//! unlocked. Whoever removes a file has its lock.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use consign_engine::{
    WorkerId,
    store::{Enlisted, Error},
};

use super::{fail::of_disk, home::Home, home::remove, lock::try_lock};

#[derive(Clone, Debug)]
pub(crate) struct Workers {
    folder: PathBuf,
}

/// The proof of a death. While it is there, nobody else proves the same.
#[derive(Debug)]
pub(crate) struct Grave {
    file: Option<(File, PathBuf)>,
}

impl Workers {
    pub(crate) fn of(home: &Home) -> Self {
        Self { folder: home.workers() }
    }

    pub(crate) fn enlist(&self, worker: &WorkerId) -> Result<Alive, Error> {
        let nameless = || Error::Unavailable(format!("{worker:?} cannot be the name of a worker"));
        let path = self.path(worker).ok_or_else(nameless)?;
        loop {
            match self.try_enlist(&path) {
                Ok(alive) => return Ok(alive),
                // The draft was taken for a dead worker's before it was locked.
                Err(error) if error.kind() == io::ErrorKind::NotFound && self.folder.is_dir() => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    match self.dead(worker)? {
                        Some(grave) => grave.close(),
                        None => return Err(taken(worker)),
                    }
                }
                Err(error) => return Err(of_disk("enlist a worker", &error)),
            }
        }
    }

    fn try_enlist(&self, path: &Path) -> io::Result<Alive> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let draft = self.folder.join(format!(".{:016x}", u64::from_le_bytes(random)));
        let options = OpenOptions::new().write(true).create_new(true).mode(0o600).clone();
        let file = options.open(&draft)?;
        let linked = match try_lock(&file) {
            // Unlike a rename, a link does not put itself in the place of another.
            Ok(true) => fs::hard_link(&draft, path),
            Ok(false) => Err(io::ErrorKind::NotFound.into()),
            Err(error) => Err(error),
        };
        remove(&draft)?;
        linked?;
        Ok(Alive { path: path.to_owned(), _lock: file })
    }

    /// Looks whether a worker is dead.
    pub(crate) fn dead(&self, worker: &WorkerId) -> Result<Option<Grave>, Error> {
        match self.path(worker) {
            Some(path) => dead(&path).map_err(|error| of_disk("look after a worker", &error)),
            // Nobody can live under such a name.
            None => Ok(Some(Grave { file: None })),
        }
    }

    /// Removes what the dead left behind, except for `unburied`, whose runs are still theirs.
    pub(crate) fn sweep(&self, unburied: &[WorkerId]) -> Result<(), Error> {
        let swept = || {
            for file in fs::read_dir(&self.folder)? {
                let path = file?.path();
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let name = name.strip_suffix(SUFFIX).unwrap_or_default();
                if !unburied.iter().any(|worker| worker.as_str() == name)
                    && let Some(grave) = dead(&path)?
                {
                    grave.close();
                }
            }
            Ok(())
        };
        swept().map_err(|error| of_disk("sweep up after workers", &error))
    }

    fn path(&self, worker: &WorkerId) -> Option<PathBuf> {
        let name = worker.as_str();
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:@".contains(letter);
        let fit = (1..=200).contains(&name.len()) && !name.starts_with('.');
        (fit && name.chars().all(plain)).then(|| self.folder.join(format!("{name}{SUFFIX}")))
    }
}

const SUFFIX: &str = ".lock";

fn taken(worker: &WorkerId) -> Error {
    Error::Unavailable(format!("there is a living worker {worker} already"))
}

fn dead(path: &Path) -> io::Result<Option<Grave>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Some(Grave { file: None }));
        }
        Err(error) => return Err(error),
    };
    if !try_lock(&file)? {
        return Ok(None);
    }
    // It may have been removed, and its name taken by a newer file, before we had the lock.
    match fs::metadata(path) {
        Ok(now) if now.ino() == file.metadata()?.ino() => {
            Ok(Some(Grave { file: Some((file, path.to_owned())) }))
        }
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(Grave { file: None })),
        Err(error) => Err(error),
    }
}

impl Grave {
    /// Removes the file. If it cannot be, the next sweep tries again.
    pub(crate) fn close(self) {
        if let Some((_lock, path)) = self.file {
            let _ = remove(&path);
        }
    }
}

/// A living worker.
#[derive(Debug)]
pub(crate) struct Alive {
    path: PathBuf,
    _lock: File,
}

impl Enlisted for Alive {}

impl Drop for Alive {
    fn drop(&mut self) {
        // If it stays, its lock is free from now on all the same.
        let _ = remove(&self.path);
    }
}
