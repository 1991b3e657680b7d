//! Changes the rights of a file or a folder, and never those of what a link leads to.

use std::path::Path;

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
};

use crate::{Error, Kind, Metadata, Root};

impl Root {
    /// Gives a file or a folder these rights, whatever the umask is. It is reached by a handle, for which
    /// Linux asks no right to read it. All names of a file (hard links) have the same rights.
    ///
    /// # Errors
    /// [`Error::Link`] for a link, [`Error::NotAFile`] for a pipe, a socket or a device, and those of every
    /// path.
    pub fn set_mode(&self, path: impl AsRef<Path>, mode: u32) -> Result<(), Error> {
        let path = path.as_ref();
        let failed = |errno| self.unchanged("change the rights of", path, errno);
        let (folder, name) = self.folder_of(path)?;
        let whole = || self.path().join(path);
        let handle = rustix::fs::openat(&folder, name, TO_CHANGE, Mode::empty());
        let handle = handle.map_err(|errno| match errno {
            Errno::LOOP => Error::Link { path: whole() },
            errno => failed(errno),
        })?;
        let about = Metadata::of(&rustix::fs::fstat(&handle).map_err(failed)?);
        match about.kind {
            Kind::File | Kind::Folder => {}
            Kind::Link => return Err(Error::Link { path: whole() }),
            Kind::Other => return Err(Error::NotAFile { path: whole() }),
        }
        change(&handle, Mode::from_raw_mode(mode & 0o7777)).map_err(failed)
    }
}

/// A handle of whatever has the name, a link itself too.
#[cfg(target_os = "linux")]
const TO_CHANGE: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const TO_CHANGE: OFlags =
    OFlags::NONBLOCK.union(OFlags::NOCTTY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// `fchmod` does not take a handle that cannot read; by this path the system finds what the handle is of.
#[cfg(target_os = "linux")]
fn change(handle: &std::os::fd::OwnedFd, mode: Mode) -> Result<(), Errno> {
    use std::os::fd::AsRawFd;
    rustix::fs::chmod(format!("/proc/self/fd/{}", handle.as_raw_fd()), mode)
}

#[cfg(not(target_os = "linux"))]
fn change(handle: &std::os::fd::OwnedFd, mode: Mode) -> Result<(), Errno> {
    rustix::fs::fchmod(handle, mode)
}
