//! Links as links: where they lead is read and written, and never followed.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::Path,
};

use rustix::io::Errno;

use crate::{Error, Root};

impl Root {
    /// The words of a link: where it says that it leads. None if something else is there.
    ///
    /// # Errors
    /// [`Error::Missing`], and those of every path.
    pub fn read_link(&self, path: impl AsRef<Path>) -> Result<Option<OsString>, Error> {
        let path = path.as_ref();
        let (folder, name) = self.folder_of(path)?;
        match rustix::fs::readlinkat(&folder, name, Vec::new()) {
            Ok(target) => Ok(Some(OsStr::from_bytes(target.to_bytes()).to_owned())),
            Err(Errno::INVAL) => Ok(None),
            Err(errno) => Err(self.unchanged("read the link", path, errno)),
        }
    }

    /// Makes a link where nothing is. Where it leads is not looked at. [`link_atomic`](Self::link_atomic)
    /// replaces what is there, and is durable.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`], and those of every path.
    pub fn create_link(
        &self,
        path: impl AsRef<Path>,
        target: impl AsRef<Path>,
    ) -> Result<(), Error> {
        let path = path.as_ref();
        let (folder, name) = self.folder_of(path)?;
        rustix::fs::symlinkat(target.as_ref(), &folder, name)
            .map_err(|errno| self.unchanged("create", path, errno))
    }
}
