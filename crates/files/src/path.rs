//! Checks whether a path can be below a folder, by its text alone.

use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Component, Path, PathBuf},
};

use crate::BadPath;

/// The longest path that the system accepts.
const LONGEST: usize = 4096;

/// The path without `.` and doubled slashes. It is empty for the root itself.
///
/// Any `..` is refused, also one that would come back: what it leads to depends on links.
pub(crate) fn relative(path: &Path) -> Result<PathBuf, BadPath> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.contains(&0) {
        return Err(BadPath::Nul);
    }
    if bytes.len() >= LONGEST {
        return Err(BadPath::TooLong);
    }
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::RootDir | Component::Prefix(_) => return Err(BadPath::Absolute),
            Component::ParentDir => return Err(BadPath::Parent),
            Component::CurDir => {}
            Component::Normal(name) => clean.push(name),
        }
    }
    Ok(clean)
}

/// The folder that a path is in, which is empty for the root, and its name there.
pub(crate) fn split(path: &Path) -> Result<(PathBuf, &OsStr), BadPath> {
    let folder = relative(path)?;
    // It has names and `.` only, so this is the last name.
    let name = path.file_name().ok_or(BadPath::Nameless)?;
    Ok((folder.parent().unwrap_or(Path::new("")).to_owned(), name))
}

/// Whether something is the name of one thing in a folder, and no path.
pub(crate) fn is_name(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    !matches!(bytes, b"" | b"." | b"..") && !bytes.iter().any(|byte| [0, b'/'].contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_could_leave_its_folder_is_refused() {
        let check = |path: &str, clean: Result<&str, BadPath>| {
            assert_eq!(relative(Path::new(path)), clean.map(PathBuf::from), "{path:?}");
        };
        check("", Ok(""));
        check(".", Ok(""));
        check("./", Ok(""));
        check("a", Ok("a"));
        check("./a//b/./c/", Ok("a/b/c"));
        check("...", Ok("..."));
        check("a..b/..c", Ok("a..b/..c"));
        check("/", Err(BadPath::Absolute));
        check("/a", Err(BadPath::Absolute));
        check("//a", Err(BadPath::Absolute));
        check("..", Err(BadPath::Parent));
        check("a/../b", Err(BadPath::Parent));
        check("a/..", Err(BadPath::Parent));
        check("a\0", Err(BadPath::Nul));
        check("/\0", Err(BadPath::Nul));
        check(&"a/".repeat(2047), Ok(&"a/".repeat(2047)));
        check(&"a/".repeat(2048), Err(BadPath::TooLong));
    }

    #[test]
    fn the_last_name_is_told_from_its_folder() {
        let check = |path: &str, split_up: Result<(&str, &str), BadPath>| {
            let split_up = split_up.map(|(folder, name)| (folder.into(), OsStr::new(name)));
            assert_eq!(split(Path::new(path)), split_up, "{path:?}");
        };
        check("a", Ok(("", "a")));
        check("./a/b//c/", Ok(("a/b", "c")));
        check("", Err(BadPath::Nameless));
        check("./.", Err(BadPath::Nameless));
        check("a/..", Err(BadPath::Parent));
    }

    #[test]
    fn a_name_is_no_path() {
        for name in ["", ".", "..", "a/b", "/", "a\0"] {
            assert!(!is_name(OsStr::new(name)), "{name:?}");
        }
        assert!(["a", "...", ".a", "a b"].into_iter().all(|name| is_name(OsStr::new(name))));
    }
}
