//! A file that takes nobody's place: of two at once exactly one gets through.

use std::{
    fs::File,
    io::{self, Write},
    os::fd::AsRawFd,
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::{
    fs::{AtFlags, CWD, OFlags, RenameFlags},
    io::Errno,
};

use super::{BridgeFile, Error, Folder, MODE};

/// A file that was made here: which one, whatever its name is by now.
pub struct Made(File);

impl Folder {
    /// Puts a file in its place, durably and whole, if nothing is there.
    ///
    /// # Errors
    /// [`Error::Taken`] if something is.
    pub fn create(&self, file: BridgeFile, bytes: &[u8]) -> Result<Made, Error> {
        let name = file.name();
        let made = self.nameless(name, bytes).unwrap_or_else(|| self.renamed(name, bytes));
        let made = made.map_err(|source| {
            let (taken, name) = (source.kind() == io::ErrorKind::AlreadyExists, self.place(name));
            if taken { Error::Taken { name } } else { Error::Io { doing: "make", name, source } }
        })?;
        self.sync()?;
        Ok(Made(made))
    }

    /// Removes a file that was made here, if that is what has the name. Says whether it was.
    pub fn take_back(&self, file: BridgeFile, made: &Made) -> bool {
        let name = file.name();
        let there = rustix::fs::statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW);
        let ours = rustix::fs::fstat(&made.0);
        if let (Ok(there), Ok(ours)) = (there, ours)
            && (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)
        {
            return rustix::fs::unlinkat(&self.dir, name, AtFlags::empty()).is_ok();
        }
        false
    }

    /// By a file that has no name until it is whole: a crash leaves nothing. Nothing where the file
    /// system has no such files.
    fn nameless(&self, name: &str, bytes: &[u8]) -> Option<io::Result<File>> {
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.dir, ".", flags, MODE).ok()?;
        let mut file = File::from(file);
        if let Err(error) = fill(&mut file, bytes) {
            return Some(Err(error));
        }
        let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
        let follow = AtFlags::SYMLINK_FOLLOW;
        match rustix::fs::linkat(CWD, unnamed, &self.dir, name, follow) {
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
        let mut file = File::from(rustix::fs::openat(&self.dir, &first, flags, MODE)?);
        let named = fill(&mut file, bytes).and_then(|()| {
            let keep = RenameFlags::NOREPLACE;
            rustix::fs::renameat_with(&self.dir, &first, &self.dir, name, keep)?;
            Ok(())
        });
        if named.is_err() {
            let _ = rustix::fs::unlinkat(&self.dir, &first, AtFlags::empty());
        }
        named.map(|()| file)
    }
}

fn fill(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const FILE: BridgeFile = BridgeFile::Response;

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
                assert_eq!(fs::read(project.path().join(taken)).unwrap(), b"first");
            }
        }
        assert_eq!(fs::read_dir(project.path()).unwrap().count(), 4, "no leftovers");
    }

    #[test]
    fn only_what_was_made_here_is_taken_back() {
        let project = tempfile::tempdir().unwrap();
        let folder = Folder::open(project.path()).unwrap();
        let made = folder.create(FILE, b"ours").unwrap();
        let place = project.path().join(FILE.name());
        fs::rename(&place, project.path().join("consumed")).unwrap();
        fs::write(&place, "somebody's").unwrap();
        assert!(!folder.take_back(FILE, &made), "somebody has had it");
        assert_eq!(fs::read_to_string(&place).unwrap(), "somebody's");
        fs::rename(project.path().join("consumed"), &place).unwrap();
        assert!(folder.take_back(FILE, &made));
        assert!(!place.exists());
    }
}
