//! A project's folder as a handle: files in it are read and made by name, and no link is followed.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, RenameFlags},
    io::Errno,
};

use super::RespondError;

pub(super) struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

/// A file that was made here: which one, whatever its name is by now.
pub(super) struct Made(File);

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self, RespondError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| {
            RespondError::Folder { place: path.display().to_string(), source: errno.into() }
        })?;
        Ok(Self { handle, path: path.to_owned() })
    }

    /// A whole file, unless it is larger than `most`; nothing if it is not there.
    pub(super) fn read(&self, name: &str, most: usize) -> Result<Option<Vec<u8>>, RespondError> {
        // Without blocking: a pipe without a writer would hold us forever.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NXIO) => return Err(self.no_file(name)),
            Err(errno) => return Err(self.fault(name, errno.into())),
        };
        let about = file.metadata().map_err(|source| self.fault(name, source))?;
        if !about.is_file() {
            return Err(self.no_file(name));
        }
        let mut bytes = Vec::new();
        let read = file.take(most as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|source| self.fault(name, source))?;
        if bytes.len() > most {
            let large = io::Error::new(io::ErrorKind::FileTooLarge, format!("over {most} bytes"));
            return Err(self.fault(name, large));
        }
        Ok(Some(bytes))
    }

    /// Makes a file, durably and whole, in the place of none.
    pub(super) fn create(&self, name: &str, bytes: &[u8]) -> Result<Made, RespondError> {
        let made = self.nameless(name, bytes).unwrap_or_else(|| self.renamed(name, bytes));
        let made = made.map_err(|error| {
            let taken = error.kind() == io::ErrorKind::AlreadyExists;
            if taken { RespondError::AlreadyAnswered } else { self.fault(name, error) }
        })?;
        rustix::fs::fsync(&self.handle).map_err(|errno| self.fault(name, errno.into()))?;
        Ok(Made(made))
    }

    /// Removes a file that was made here, if that is what has the name. Says whether it was.
    pub(super) fn take_back(&self, name: &str, made: &Made) -> bool {
        let there = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW);
        let ours = rustix::fs::fstat(&made.0);
        if let (Ok(there), Ok(ours)) = (there, ours)
            && (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)
        {
            return rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()).is_ok();
        }
        false
    }

    /// By a file that has no name until it is whole: a crash leaves nothing. Nothing where the file
    /// system has no such files.
    fn nameless(&self, name: &str, bytes: &[u8]) -> Option<io::Result<File>> {
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.handle, ".", flags, MODE).ok()?;
        let mut file = File::from(file);
        if let Err(error) = fill(&mut file, bytes) {
            return Some(Err(error));
        }
        let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
        let follow = AtFlags::SYMLINK_FOLLOW;
        match rustix::fs::linkat(CWD, unnamed, &self.handle, name, follow) {
            Ok(()) => Some(Ok(file)),
            Err(Errno::EXIST) => Some(Err(Errno::EXIST.into())),
            // No /proc, or no links: there is another way.
            Err(_) => None,
        }
    }

    /// By another name first.
    fn renamed(&self, name: &str, bytes: &[u8]) -> io::Result<File> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let first = format!("{name}.{}.{count}.tmp", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&self.handle, &first, flags, MODE)?);
        let named = fill(&mut file, bytes).and_then(|()| {
            let keep = RenameFlags::NOREPLACE;
            rustix::fs::renameat_with(&self.handle, &first, &self.handle, name, keep)?;
            Ok(())
        });
        if named.is_err() {
            let _ = rustix::fs::unlinkat(&self.handle, &first, AtFlags::empty());
        }
        named.map(|()| file)
    }

    fn place(&self, name: &str) -> String {
        self.path.join(name).display().to_string()
    }

    fn fault(&self, name: &str, source: io::Error) -> RespondError {
        RespondError::Folder { place: self.place(name), source }
    }

    fn no_file(&self, name: &str) -> RespondError {
        RespondError::NoFile { place: self.place(name) }
    }
}

/// For whoever has the project alone: an answer quotes its source.
const MODE: Mode = Mode::RUSR.union(Mode::WUSR);

fn fill(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_making_a_file_keep_what_is_there() {
        let project = tempfile::tempdir().unwrap();
        let folder = Folder::open(project.path()).unwrap();
        for (name, other) in [("a", "b"), ("c", "d")] {
            folder.nameless(name, b"first").expect("there are such files here").unwrap();
            folder.renamed(other, b"first").unwrap();
            for taken in [name, other] {
                let twice = [
                    folder.nameless(taken, b"second").unwrap().unwrap_err(),
                    folder.renamed(taken, b"second").unwrap_err(),
                ];
                assert!(twice.iter().all(|it| it.kind() == io::ErrorKind::AlreadyExists));
                assert_eq!(folder.read(taken, 10).unwrap().unwrap(), b"first");
            }
        }
        assert_eq!(std::fs::read_dir(project.path()).unwrap().count(), 4, "no leftovers");
    }

    #[test]
    fn only_what_was_made_here_is_taken_back() {
        let project = tempfile::tempdir().unwrap();
        let folder = Folder::open(project.path()).unwrap();
        let made = folder.create("answer", b"ours").unwrap();
        let place = project.path().join("answer");
        std::fs::rename(&place, project.path().join("consumed")).unwrap();
        std::fs::write(&place, "somebody's").unwrap();
        folder.take_back("answer", &made);
        assert_eq!(std::fs::read_to_string(&place).unwrap(), "somebody's");
        std::fs::rename(project.path().join("consumed"), &place).unwrap();
        folder.take_back("answer", &made);
        assert!(!place.exists());
    }
}
