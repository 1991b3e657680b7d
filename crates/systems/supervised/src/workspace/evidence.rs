//! Whether a path that an agent named is in the workspace.

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Component, Path, PathBuf},
};

use consign_files::{Error, Kind, Links, Root};

use crate::answer::Evidence;

/// As many as Linux follows.
const MOST_LINKS: usize = 40;

/// What is found at a path of the workspace. It is reached from the handle of the workspace, and what is judged is what
/// was opened.
///
/// A file or a folder is there, also by way of links that stay inside. A path that is absolute, has a `..`, is the
/// workspace itself, or goes through a link that leads out or in a circle is outside; an absolute link leads out, wherever
/// it leads. So is a link to nothing whose words lead out. A pipe, a socket or a device is no evidence: it is missing, as
/// is what cannot be looked at.
#[must_use]
pub fn evidence(root: &Root, path: &str) -> Evidence {
    if !is_below(path) {
        return Evidence::Outside;
    }
    match root.look(path) {
        Ok(about) => match about.kind {
            Kind::File | Kind::Folder => Evidence::There,
            // A link is followed; only one that has just been put there is seen.
            Kind::Link | Kind::Other => Evidence::Missing,
        },
        Err(Error::BadPath { .. } | Error::Outside { .. } | Error::Loop { .. }) => {
            Evidence::Outside
        }
        Err(
            Error::Link { .. }
            | Error::Missing { .. }
            | Error::NotAFile { .. }
            | Error::NotAFolder { .. }
            | Error::HardLinked { .. }
            | Error::TooLarge { .. }
            | Error::AlreadyExists { .. }
            | Error::Sync { .. }
            | Error::Io { .. },
        ) => {
            if leads_out(root, path) {
                Evidence::Outside
            } else {
                Evidence::Missing
            }
        }
    }
}

/// Whether the text of a path names something below a folder, and not the folder itself.
pub(super) fn is_below(path: &str) -> bool {
    let mut names = 0;
    for part in Path::new(path).components() {
        match part {
            Component::Prefix(_) | Component::RootDir | Component::ParentDir => return false,
            Component::CurDir => {}
            Component::Normal(_) => names += 1,
        }
    }
    names > 0 && !path.contains('\0')
}

/// Whether the words of a path and of the links on it lead out, as far as they can be read: what is not there counts as a
/// folder.
fn leads_out(root: &Root, path: &str) -> bool {
    let Ok(root) = root.open_dir("").map(|root| root.following(Links::Refuse)) else {
        return false;
    };
    // The next one is the last.
    let mut ahead = reversed(path.as_bytes());
    let (mut at, mut followed) = (PathBuf::new(), 0);
    while let Some(name) = ahead.pop() {
        match name.as_bytes() {
            b"" | b"." => continue,
            b".." => {
                if !at.pop() {
                    return true;
                }
                continue;
            }
            _ => at.push(&name),
        }
        if let Ok(Some(target)) = root.read_link(&at) {
            followed += 1;
            if target.as_bytes().starts_with(b"/") || followed > MOST_LINKS {
                return true;
            }
            at.pop();
            ahead.extend(reversed(target.as_bytes()));
        }
    }
    false
}

fn reversed(path: &[u8]) -> Vec<OsString> {
    path.split(|byte| *byte == b'/').rev().map(|name| OsString::from_vec(name.to_vec())).collect()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn a_path_is_there_missing_or_outside() {
        let place = tempfile::tempdir().unwrap();
        let inside = place.path().join("workspace");
        fs::create_dir_all(inside.join("folder/deep")).unwrap();
        fs::write(inside.join("folder/file"), "").unwrap();
        fs::write(place.path().join("secret"), "").unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, inside.join("pipe"), rustix::fs::Mode::RUSR).unwrap();
        let links = [
            ("to-file", "folder/file"),
            ("to-folder", "folder"),
            ("folder/deep/up", "../file"),
            ("round", "folder/../folder/deep/up"),
            ("out", "../secret"),
            ("out-folder", ".."),
            ("out-gone", "../none"),
            ("absolute", "/etc/passwd"),
            ("absolute-gone", "/none"),
            ("gone", "folder/none"),
            ("gone-up", "none/../folder/none"),
            ("gone-out", "none/../../secret"),
            ("through-gone", "gone-out"),
            ("loop", "loop"),
            ("ping", "pong"),
            ("pong", "ping"),
        ];
        for (link, target) in links {
            symlink(target, inside.join(link)).unwrap();
        }
        let long = "x".repeat(300);
        let rows = [
            ("folder/file", Evidence::There),
            ("./folder//file", Evidence::There),
            ("folder", Evidence::There),
            ("folder/", Evidence::There),
            ("to-file", Evidence::There),
            ("to-folder/file", Evidence::There),
            ("to-folder/deep/up", Evidence::There),
            ("round", Evidence::There),
            ("none", Evidence::Missing),
            ("none/none", Evidence::Missing),
            ("folder/file/x", Evidence::Missing),
            ("folder/file/", Evidence::There),
            ("gone", Evidence::Missing),
            ("gone-up", Evidence::Missing),
            ("pipe", Evidence::Missing),
            (&long, Evidence::Missing),
            ("", Evidence::Outside),
            (".", Evidence::Outside),
            ("./.", Evidence::Outside),
            ("..", Evidence::Outside),
            ("folder/../folder/file", Evidence::Outside),
            ("/etc/passwd", Evidence::Outside),
            ("/", Evidence::Outside),
            ("folder\0", Evidence::Outside),
            ("out", Evidence::Outside),
            ("out-folder/secret", Evidence::Outside),
            ("out-folder/none", Evidence::Outside),
            ("out-gone", Evidence::Outside),
            ("absolute", Evidence::Outside),
            ("absolute-gone", Evidence::Outside),
            ("gone-out", Evidence::Outside),
            ("through-gone", Evidence::Outside),
            ("loop", Evidence::Outside),
            ("ping/x", Evidence::Outside),
        ];
        for links in [Links::Refuse, Links::Inside] {
            let root = Root::open(&inside).unwrap().following(links);
            for (path, expected) in rows {
                assert_eq!(evidence(&root, path), expected, "{path:?}");
            }
        }
    }
}
