//! Checks that paths stay inside their folder.

use std::collections::BTreeSet;

/// A path that would lead out of its folder, or that no file can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path:?} cannot be written: {why}")]
pub struct OutOfPlace {
    pub path: String,
    pub why: &'static str,
}

const LONGEST_NAME: usize = 255;
const LONGEST: usize = 3_000;

/// The path, if it leads to a file below the folder that it is seen from.
///
/// # Errors
/// [`OutOfPlace`] says what is wrong with it.
pub fn safe(path: &str) -> Result<String, OutOfPlace> {
    let refuse = |why| Err(OutOfPlace { path: path.chars().take(300).collect(), why });
    if path.is_empty() || path.ends_with('/') {
        return refuse("it names no file");
    }
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return refuse("it is absolute");
    }
    if path.contains('\\') || path.contains(char::is_control) {
        return refuse("it has a character that is not allowed in a path");
    }
    for part in path.split('/') {
        match part {
            ".." => return refuse("it leads out of its folder"),
            "" | "." => return refuse("it has an empty part"),
            _ if is_git(part) => return refuse("it belongs to git"),
            _ if part.len() > LONGEST_NAME => return refuse("a part of it is too long"),
            _ => {}
        }
    }
    if path.len() > LONGEST { refuse("it is too long") } else { Ok(path.to_owned()) }
}

/// Whether some file system takes a name for `.git`: in another case, shortened, or with characters
/// that it ignores.
fn is_git(part: &str) -> bool {
    let unseen = |it: &char| !matches!(*it, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let seen: String = part.chars().filter(unseen).collect();
    let seen = seen.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    seen == ".git" || seen == "git~1"
}

/// Checks that no two paths are equal, and that none is the folder of another.
pub(in super::super) fn apart<'a>(paths: impl Iterator<Item = &'a str>) -> Result<(), OutOfPlace> {
    let mut files = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for path in paths {
        let refuse = |why| Err(OutOfPlace { path: path.to_owned(), why });
        if !files.insert(path) || folders.contains(path) {
            return refuse("two files would be there");
        }
        for (end, _) in path.match_indices('/') {
            if files.contains(&path[..end]) {
                return refuse("a file and a folder would be there");
            }
            folders.insert(&path[..end]);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out() {
        for path in [
            "",
            "/etc/passwd",
            "../a",
            "a/../../b",
            "a//b",
            "./a",
            "a/",
            "a\0b",
            "a\nb",
            "C:/a",
            "a\\..\\b",
            ".git/config",
            "a/.GIT/hooks/x",
            "GIT~1/config",
            ".git. /config",
            ".g\u{200c}it/config",
        ] {
            assert!(safe(path).is_err(), "{path:?}");
        }
        assert!(safe(&format!("{}.rs", "a".repeat(300))).is_err());
        for path in ["a", "a/b.rs", ".github/workflows/ci.yml", "{{ProjectName}}/ü", "..a/b.."] {
            assert!(safe(path).is_ok(), "{path:?}");
        }
    }

    #[test]
    fn two_files_are_never_in_one_place() {
        assert!(apart(["a/b", "a/c", "d"].into_iter()).is_ok());
        for paths in [["a", "a"], ["a", "a/b"], ["a/b", "a"]] {
            assert!(apart(paths.into_iter()).is_err(), "{paths:?}");
        }
    }
}
