//! Creates a file only where there is none: of two processes at the same time exactly one succeeds.

use std::{ffi::OsStr, fs::File, os::fd::AsRawFd, path::Path};

use rustix::{
    fs::{AtFlags, CWD, OFlags, RenameFlags},
    io::Errno,
};

use crate::{
    Access, Error, Root,
    atomic::{Draft, fill, unfinished_name},
};

impl Root {
    /// Puts a file in its place, whole and durably, if nothing is there; not even a link. Answers with the
    /// open file, which [`is_at`](Self::is_at) can look for later.
    ///
    /// A crash leaves nothing or the whole file; where the file system has no nameless files, perhaps an
    /// unfinished one too, with a hidden name that has the file's, sixteen digits and `.new`.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] if something is there. After [`Error::Sync`] of the folder the file is
    /// there, and it is not known for how long. [`Error::Io`] on a file system that can neither rename
    /// without replacing nor give a file a second name.
    pub fn create_once(
        &self,
        path: impl AsRef<Path>,
        bytes: &[u8],
        access: Access,
    ) -> Result<File, Error> {
        let path = path.as_ref();
        let (folder, name) = self.folder_of(path)?;
        // Nothing is written where it would be in vain. It may come meanwhile: that is seen in the end.
        match folder.metadata(name) {
            Err(Error::Missing { .. }) => {}
            Err(error) => return Err(error),
            Ok(_) => return Err(folder.unchanged("create", Path::new(name), Errno::EXIST)),
        }
        let made = match folder.create_nameless(name, bytes, access)? {
            Some(file) => file,
            None => folder.create_renamed(name, bytes, access)?,
        };
        folder.sync()?;
        Ok(made)
    }

    /// Creates it with a file that has no name until it is complete. `None` where the system cannot
    /// do that.
    #[cfg(target_os = "linux")]
    fn create_nameless(
        &self,
        name: &OsStr,
        bytes: &[u8],
        access: Access,
    ) -> Result<Option<File>, Error> {
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        // Whatever is wrong here is told by the other way, if it is wrong there too.
        let Ok(file) = rustix::fs::openat(self, ".", flags, access.mode()) else { return Ok(None) };
        let (file, path) = (File::from(file), self.path().join(name));
        let settled = access.settle(&file);
        settled.map_err(|source| Error::Io { doing: "create", path: path.clone(), source })?;
        fill(&file, bytes, &path)?;
        let nameless = format!("/proc/self/fd/{}", file.as_raw_fd());
        match rustix::fs::linkat(CWD, nameless, self, name, AtFlags::SYMLINK_FOLLOW) {
            Ok(()) => Ok(Some(file)),
            Err(Errno::EXIST) => Err(Error::AlreadyExists { path }),
            // There is no /proc, or the file system has no second names.
            Err(_) => Ok(None),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn create_nameless(&self, _: &OsStr, _: &[u8], _: Access) -> Result<Option<File>, Error> {
        Ok(None)
    }

    /// Creates it with a file that has a temporary name first.
    fn create_renamed(&self, name: &OsStr, bytes: &[u8], access: Access) -> Result<File, Error> {
        let path = Path::new(name);
        let other = unfinished_name(name).map_err(|source| self.io("create", path, source))?;
        let (draft, file) = Draft::write(self, &other, bytes, access)?;
        match rustix::fs::renameat_with(self, &other, self, name, RenameFlags::NOREPLACE) {
            Ok(()) => draft.keep(),
            // This file system has no such rename. The other name is removed with the draft.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                rustix::fs::linkat(self, &other, self, name, AtFlags::empty())
                    .map_err(|errno| self.unchanged("create", path, errno))?;
            }
            Err(errno) => return Err(self.unchanged("create", path, errno)),
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_way_of_making_a_file_keeps_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path()).unwrap();
        let nameless = |name: &str, bytes: &[u8]| {
            let made = root.create_nameless(OsStr::new(name), bytes, Access::Private);
            made.map(|file| drop(file.expect("there are nameless files here")))
        };
        let renamed = |name: &str, bytes: &[u8]| {
            root.create_renamed(OsStr::new(name), bytes, Access::Private).map(drop)
        };
        nameless("a", b"first").unwrap();
        renamed("b", b"first").unwrap();
        for name in ["a", "b"] {
            for twice in [nameless(name, b"second"), renamed(name, b"second")] {
                assert!(matches!(twice, Err(Error::AlreadyExists { .. })), "{twice:?}");
            }
            assert_eq!(fs::read(folder.path().join(name)).unwrap(), b"first");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside them");
    }
}
