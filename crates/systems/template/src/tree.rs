//! Somebody else's folder, read beneath its handle.
//!
//! A project and a template are both strangers' work. Folders and files are opened one name at a time
//! from the folder they are in, and no link is followed, so that nothing outside is ever read, whoever
//! renames what meanwhile. Pipes and devices are not waited for. Everything is bounded.

use std::{
    fs::File,
    io::{self, Read},
    os::fd::{AsFd, OwnedFd},
    path::Path,
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags},
    io::Errno,
};

/// Deeper folders are not the work of people.
const DEEPEST: usize = 48;
/// Names in one folder, and folders in all.
const MOST_NAMES: usize = 200_000;

pub(super) struct Tree(OwnedFd);

/// A file that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Relative, with `/`.
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) executable: bool,
}

#[derive(Debug, Default)]
pub(super) struct Listing {
    /// By path.
    pub(super) files: Vec<Seen>,
    /// Links, pipes, devices, folders that cannot be read, names that are not UTF-8.
    pub(super) odd: Vec<String>,
    /// There is more than the limit.
    pub(super) truncated: bool,
}

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unread {
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    #[error("it is not a file")]
    NotAFile,
    #[error("it could not be read: {0}")]
    Io(#[from] io::Error),
}

impl Tree {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::open(path, flags, Mode::empty())?))
    }

    /// All files, but for those in folders that `enters` refuses: it is given the folder's path, and
    /// the names that are beside it.
    pub(super) fn list(
        &self,
        most: usize,
        mut enters: impl FnMut(&str, &[String]) -> bool,
        stop: impl Fn() -> bool,
    ) -> io::Result<Listing> {
        let mut listing = Listing::default();
        let mut waiting = vec![(String::new(), 0_usize)];
        while let Some((folder, depth)) = waiting.pop() {
            if stop() || listing.files.len() >= most || waiting.len() > MOST_NAMES {
                listing.truncated = true;
                break;
            }
            let opened = self.folder(&folder);
            let Ok(dir) = opened else {
                if folder.is_empty() {
                    return Err(opened.err().map_or(io::ErrorKind::Other.into(), Into::into));
                }
                listing.odd.push(folder);
                continue;
            };
            let mut names = Vec::new();
            for entry in rustix::fs::Dir::read_from(&dir)?.take(MOST_NAMES) {
                let Ok(entry) = entry else { break };
                match entry.file_name().to_str() {
                    Ok("." | "..") => {}
                    Ok(name) => names.push(name.to_owned()),
                    Err(_) => listing.odd.push(format!("{folder}/\u{FFFD}")),
                }
            }
            names.sort_unstable();
            let mut folders = Vec::new();
            for name in &names {
                let path =
                    if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                let Ok(about) = rustix::fs::statat(&dir, name.as_str(), AtFlags::SYMLINK_NOFOLLOW)
                else {
                    continue;
                };
                let kind = FileType::from_raw_mode(about.st_mode);
                if kind == FileType::Directory {
                    if depth >= DEEPEST {
                        listing.odd.push(path);
                    } else if enters(&path, &names) {
                        folders.push((path, depth + 1));
                    }
                } else if kind == FileType::RegularFile && !path.contains(char::is_control) {
                    listing.files.push(Seen {
                        path,
                        bytes: u64::try_from(about.st_size).unwrap_or(0),
                        executable: about.st_mode & 0o100 != 0,
                    });
                } else {
                    listing.odd.push(path);
                }
            }
            waiting.extend(folders.into_iter().rev());
        }
        listing.truncated |= listing.files.len() > most;
        listing.files.truncate(most);
        listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(listing)
    }

    /// The bytes of a file, unless there are more than `limit`.
    pub(super) fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, Unread> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let dir = self.folder(folder).map_err(io::Error::from)?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(step(&dir, name, flags).map_err(io::Error::from)?);
        if !file.metadata()?.is_file() {
            return Err(Unread::NotAFile);
        }
        let mut bytes = Vec::new();
        file.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit { Err(Unread::TooLarge(limit)) } else { Ok(bytes) }
    }

    fn folder(&self, path: &str) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let mut dir = rustix::io::fcntl_dupfd_cloexec(&self.0, 0)?;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            dir = step(&dir, name, flags)?;
        }
        // A handle of its own: reading a folder moves along in it.
        rustix::fs::openat(&dir, ".", flags | OFlags::CLOEXEC, Mode::empty())
    }
}

/// One name further, never over a link and never up.
fn step(dir: &impl AsFd, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    if name == ".." || name.contains('\0') {
        return Err(Errno::INVAL);
    }
    rustix::fs::openat(dir, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn a_link_is_never_followed() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "s").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("src")).unwrap();
        fs::write(root.join("src/a.rs"), "fn main() {}").unwrap();
        symlink(outside.path(), root.join("out")).unwrap();
        symlink(outside.path().join("secret"), root.join("link")).unwrap();
        symlink(".", root.join("src/loop")).unwrap();
        let tree = Tree::open(root).unwrap();
        let listing = tree.list(100, |_, _| true, || false).unwrap();
        let paths: Vec<_> = listing.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["src/a.rs"]);
        assert_eq!(listing.odd, ["link", "out", "src/loop"]);
        assert!(tree.read("src/a.rs", 100).is_ok());
        for path in ["link", "out/secret", "src/../../secret", "src/loop/a.rs", "src"] {
            assert!(tree.read(path, 100).is_err(), "{path}");
        }
        assert!(matches!(tree.read("src/a.rs", 3), Err(Unread::TooLarge(3))));
    }

    #[test]
    fn a_list_ends_at_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let tree = Tree::open(folder.path()).unwrap();
        let listing = tree.list(2, |_, _| true, || false).unwrap();
        assert_eq!((listing.files.len(), listing.truncated), (2, true));
    }
}
