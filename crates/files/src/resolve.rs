//! Opens a path beneath the handle of a folder, and never outside of it.
//!
//! The kernel does it in one call (`openat2` with `RESOLVE_BENEATH`). Where it cannot, because it is older
//! than Linux 5.6, is no Linux, or sits behind a sandbox that does not know the call, [`by_steps`] does
//! the same one name at a time. Both open nothing by a path that was looked at before, so that there is no
//! moment between looking and opening.

use std::{
    ffi::{CStr, OsStr, OsString},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
};

/// Which links are followed on the way to something, and at the end of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// None. A link anywhere is [`Error::Link`](crate::Error::Link).
    #[default]
    Refuse,
    /// Those that stay beneath the root. An absolute one leads out, wherever it leads.
    Inside,
}

/// How a path is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Resolver {
    /// By the kernel, and by steps where it cannot.
    #[default]
    Kernel,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests choose it; otherwise the kernel does"))]
    Steps,
}

/// What is opened on the way: only to look for names in it, which needs no right to list them.
#[cfg(target_os = "linux")]
const ON_THE_WAY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
#[cfg(not(target_os = "linux"))]
const ON_THE_WAY: OFlags = OFlags::DIRECTORY;

/// To find out where something is, without a right to read it.
#[cfg(target_os = "linux")]
pub(crate) const TO_LOOK: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
pub(crate) const TO_LOOK: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

/// As many as Linux follows.
const MOST_LINKS: usize = 40;

/// Opens a [relative](crate::path::relative) path beneath a folder. `XDEV` if a link leads out; `LOOP` if
/// there is a link that is not followed, or a circle of them.
pub(crate) fn open(
    dir: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
    links: Links,
    resolver: Resolver,
) -> Result<OwnedFd, Errno> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let steps = || by_steps(dir, path, flags, mode, links).map(|(opened, _)| opened);
    match resolver {
        Resolver::Kernel => by_kernel(dir, path, flags, mode, links).unwrap_or_else(steps),
        Resolver::Steps => steps(),
    }
}

/// Where a path leads: a path without links. Links that stay beneath the folder are followed.
pub(crate) fn real(dir: BorrowedFd<'_>, path: &Path) -> Result<PathBuf, Errno> {
    by_steps(dir, path, TO_LOOK, Mode::empty(), Links::Inside).map(|(_, real)| real)
}

/// Opens a path that has no link in it, from the root of the file system.
pub(crate) fn open_absolute(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let top = rustix::fs::open("/", ON_THE_WAY | OFlags::CLOEXEC, Mode::empty())?;
    let below = path.strip_prefix("/").map_err(|_| Errno::INVAL)?;
    open(top.as_fd(), below, flags, Mode::empty(), Links::Refuse, Resolver::Kernel)
}

/// Resolves it with the kernel; `None` where it has to be done by steps.
#[cfg(target_os = "linux")]
fn by_kernel(
    dir: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
    links: Links,
) -> Option<Result<OwnedFd, Errno>> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = match links {
        Links::Refuse => ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS,
        Links::Inside => ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS,
    };
    // A rename anywhere on the system at this moment can make it unsure; it says so and is asked again.
    for _ in 0..16 {
        match openat2(dir, path, flags | OFlags::CLOEXEC, mode, resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            // Old kernels do not have it, and some sandboxes refuse what they do not know.
            Err(Errno::NOSYS | Errno::PERM) => return None,
            other => return Some(other),
        }
    }
    None
}

#[cfg(not(target_os = "linux"))]
fn by_kernel(
    _: BorrowedFd<'_>,
    _: &Path,
    _: OFlags,
    _: Mode,
    _: Links,
) -> Option<Result<OwnedFd, Errno>> {
    None
}

/// Opens one name at a time, and says where that is. A link is read and its words are walked like those
/// of the path; a `..` among them goes back to the handle of the folder that we came from, never to
/// whatever folder is above by now.
fn by_steps(
    dir: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
    links: Links,
) -> Result<(OwnedFd, PathBuf), Errno> {
    // The next one is the last.
    let mut ahead = reversed(path.as_os_str());
    let mut way: Vec<(OwnedFd, OsString)> = Vec::new();
    let mut followed = 0;
    loop {
        // After a `..` there may be nothing ahead: it is the folder that we are in.
        let name = ahead.pop().unwrap_or_else(|| OsString::from("."));
        let is_last = ahead.is_empty();
        let at = way.last().map_or(dir, |(folder, _)| folder.as_fd());
        if name == ".." {
            way.pop().ok_or(Errno::XDEV)?;
        } else if name == "." {
            if is_last {
                let opened = open_here(at, c".", flags, mode)?;
                return Ok((opened, real_path(&way, None)));
            }
        } else {
            let target = match links {
                Links::Refuse => None,
                Links::Inside => link_target(at, &name)?,
            };
            if let Some(target) = target {
                followed += 1;
                if followed > MOST_LINKS {
                    return Err(Errno::LOOP);
                }
                if target.as_bytes().first() == Some(&b'/') {
                    return Err(Errno::XDEV);
                }
                ahead.extend(reversed(&target));
                continue;
            }
            let careful = (if is_last { flags } else { ON_THE_WAY }) | OFlags::NOFOLLOW;
            match open_here(at, &*name, careful, mode) {
                Ok(opened) if is_last => return Ok((opened, real_path(&way, Some(&name)))),
                Ok(opened) => way.push((opened, name)),
                // Systems do not agree on the word for a link where a folder was wanted.
                Err(errno) if link_target(at, &name).is_ok_and(|link| link.is_some()) => {
                    match links {
                        Links::Refuse => return Err(Errno::LOOP),
                        // It has become one since we looked.
                        Links::Inside => ahead.push(name),
                    }
                    followed += 1;
                    if followed > MOST_LINKS {
                        return Err(errno);
                    }
                }
                Err(errno) => return Err(errno),
            }
        }
    }
}

/// The names of a path, the first one last. One that ends with a slash means a folder: so says a `.`.
fn reversed(path: &OsStr) -> Vec<OsString> {
    let mut names: Vec<OsString> = path
        .as_bytes()
        .split(|byte| *byte == b'/')
        .map(|name| OsString::from_vec(if name.is_empty() { vec![b'.'] } else { name.to_vec() }))
        .collect();
    names.reverse();
    names
}

fn real_path(way: &[(OwnedFd, OsString)], name: Option<&OsStr>) -> PathBuf {
    way.iter().map(|(_, name)| name.as_os_str()).chain(name).collect()
}

fn open_here(
    at: BorrowedFd<'_>,
    name: impl rustix::path::Arg,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(at, name, flags | OFlags::CLOEXEC, mode)
}

/// Where a link leads. None if it is something else, or nothing.
fn link_target(at: BorrowedFd<'_>, name: &OsStr) -> Result<Option<OsString>, Errno> {
    match rustix::fs::readlinkat(at, name, Vec::new()) {
        Ok(target) => Ok(Some(OsStr::from_bytes(CStr::to_bytes(&target)).to_owned())),
        Err(Errno::INVAL | Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}
