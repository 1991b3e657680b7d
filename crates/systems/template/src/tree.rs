//! Reads an untrusted folder beneath its handle: no link is followed, and everything is bounded.

use std::{io, path::Path};

use consign_files::{Kind, Root, WalkLimits};

/// Deeper folders are not the work of people.
const DEEPEST: usize = 48;
/// Names in one folder, and folders in all.
const MOST_NAMES: usize = 200_000;

pub(super) struct Tree(Root);

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
        Ok(Self(Root::open(path)?))
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
        let mut walk = self.0.walk(WalkLimits { depth: DEEPEST, names: MOST_NAMES });
        while walk.ahead() > 0 {
            if stop() || listing.files.len() >= most || walk.ahead() > MOST_NAMES {
                listing.truncated = true;
                break;
            }
            let folder = match walk.next_folder() {
                Some(Ok(folder)) => folder,
                Some(Err((path, error))) if path.as_os_str().is_empty() => return Err(error.into()),
                Some(Err((path, _))) => {
                    listing.odd.push(path.to_string_lossy().into_owned());
                    continue;
                }
                None => break,
            };
            listing.truncated |= folder.is_cut;
            // Only folders whose names are UTF-8 are entered.
            let at = folder.path.to_str().unwrap_or_default();
            let mut names = Vec::new();
            for entry in &folder.entries {
                match entry.name.to_str() {
                    Some(name) => names.push(name.to_owned()),
                    None => listing.odd.push(format!("{at}/\u{FFFD}")),
                }
            }
            let mut folders = Vec::new();
            for entry in &folder.entries {
                let Some(name) = entry.name.to_str() else { continue };
                let path = if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") };
                if entry.kind == Kind::Folder {
                    if folder.depth >= DEEPEST {
                        listing.odd.push(path);
                    } else if enters(&path, &names) {
                        folders.push(entry);
                    }
                    continue;
                }
                let Ok(about) = folder.root.metadata(name) else { continue };
                if about.kind == Kind::File && !path.contains(char::is_control) {
                    let executable = about.is_executable();
                    listing.files.push(Seen { path, bytes: about.bytes, executable });
                } else {
                    listing.odd.push(path);
                }
            }
            walk.enter(&folder, folders);
        }
        listing.truncated |= listing.files.len() > most;
        listing.files.truncate(most);
        listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(listing)
    }

    /// The bytes of a file, unless there are more than `limit`.
    pub(super) fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, Unread> {
        use consign_files::Error as Of;
        self.0.read(path, limit).map_err(|error| {
            if matches!(error, Of::TooLarge { .. }) {
                Unread::TooLarge(limit)
            } else if matches!(error, Of::NotAFile { .. }) {
                Unread::NotAFile
            } else {
                Unread::Io(error.into())
            }
        })
    }
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
