//! Which files a scaffold may consist of, whoever proposed them.
//!
//! A path is relative, stays below its root on every system, and never reaches into `.git` or
//! `.github/workflows` (Proto has no approval, so it may not change what runs in CI).

use std::collections::{BTreeMap, BTreeSet};

use super::{Artifact, Refused};

/// At most this many files.
pub(super) const MOST_FILES: usize = 200;
/// At most this many bytes in one file.
pub(super) const MOST_BYTES: usize = 1 << 20;
/// At most this many bytes in all files.
pub(super) const MOST_TOTAL: usize = 8 << 20;
const LONGEST_PATH: usize = 240;
const LONGEST_NAME: usize = 100;

/// Refuses files that could be written outside the project, over each other, or without end.
pub fn check_paths(artifacts: &[Artifact]) -> Result<(), Refused> {
    if artifacts.len() > MOST_FILES {
        return Err(Refused::TooMany { found: artifacts.len(), most: MOST_FILES });
    }
    let mut total = 0;
    // Compared without case: two names that differ by case are one file on many systems.
    let mut files = BTreeMap::new();
    let mut folders = BTreeSet::new();
    for Artifact { path, content } in artifacts {
        let refuse = |reason| Refused::Path { path: path.chars().take(300).collect(), reason };
        check_path(path).map_err(refuse)?;
        if content.len() > MOST_BYTES {
            return Err(Refused::TooLarge {
                what: path.clone(),
                found: content.len(),
                most: MOST_BYTES,
            });
        }
        total += content.len();
        let folded = path.to_lowercase();
        folders.extend(folded.match_indices('/').map(|(at, _)| folded[..at].to_owned()));
        if files.insert(folded, path).is_some() {
            return Err(refuse("another file has the same name"));
        }
    }
    if total > MOST_TOTAL {
        return Err(Refused::TooLarge {
            what: "the scaffold".into(),
            found: total,
            most: MOST_TOTAL,
        });
    }
    match files.iter().find(|(folded, _)| folders.contains(*folded)) {
        Some((_, path)) => Err(Refused::Path {
            path: (*path).clone(),
            reason: "it is a file and a folder at once",
        }),
        None => Ok(()),
    }
}

fn check_path(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        return Err("it is empty");
    }
    if path.len() > LONGEST_PATH {
        return Err("it is too long");
    }
    if path.starts_with(['/', '~']) {
        return Err("it must be relative");
    }
    if path.chars().any(|c| c.is_control() || is_invisible(c)) {
        return Err("it has a control character or an invisible one");
    }
    if path.contains(['\\', ':', '*', '?', '"', '<', '>', '|']) {
        return Err("it has a character that not every system allows in a name");
    }
    for part in path.split('/') {
        match part {
            "" => return Err("it has an empty part"),
            "." | ".." => return Err("it must not have `.` or `..` as a part"),
            _ if part.len() > LONGEST_NAME => return Err("a part of it is too long"),
            _ if part.ends_with(['.', ' ']) || part.starts_with(' ') => {
                return Err("a part of it ends with a full stop or begins or ends with a space");
            }
            _ if is_git(part) => return Err("`.git` belongs to git"),
            _ if is_device(part) => return Err("a part of it names a device on some systems"),
            _ => {}
        }
    }
    let folded = path.to_lowercase();
    if folded == ".github/workflows" || folded.starts_with(".github/workflows/") {
        return Err("workflows are changed only with an approval");
    }
    Ok(())
}

/// `.git` also by the short name that Windows gives it.
fn is_git(part: &str) -> bool {
    let folded = part.to_lowercase();
    folded == ".git" || folded == "git~1"
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).to_lowercase();
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.ends_with(|c: char| c.is_ascii_digit()))
}

/// Marks that some file systems drop, so that `.g\u{200c}it` is `.git` there, or that reorder text.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> Artifact {
        Artifact { path: path.into(), content: String::new() }
    }

    #[test]
    fn ordinary_paths_are_accepted() {
        let paths = [
            "README.md",
            "src/db/schema.ts",
            ".gitignore",
            ".github/dependabot.yml",
            "a b/c.d",
            "日本/語",
        ];
        assert_eq!(check_paths(&paths.map(file)), Ok(()));
    }

    #[test]
    fn paths_that_leave_the_project_or_reach_into_git_are_refused() {
        for path in [
            "",
            "/etc/passwd",
            "../x",
            "a/../../x",
            "a//b",
            "./a",
            "a/",
            "a/.",
            "~/x",
            "C:/x",
            "a\\b",
            ".git/config",
            "a/.GIT/hooks/x",
            ".git",
            "GIT~1/x",
            ".git./config",
            ".git /config",
            ".g\u{200c}it/config",
            "a\0b",
            "a\nb",
            ".github/workflows/ci.yml",
            ".GitHub/Workflows/ci.yml",
            "nul",
            "src/com1.txt",
            "a<b",
        ] {
            assert!(matches!(check_paths(&[file(path)]), Err(Refused::Path { .. })), "{path:?}");
        }
        assert!(check_paths(&[file(&"a".repeat(101))]).is_err());
        assert!(check_paths(&[file(&"ab/".repeat(100))]).is_err());
    }

    #[test]
    fn files_that_would_be_one_are_refused() {
        assert!(check_paths(&[file("README.md"), file("readme.md")]).is_err());
        assert!(check_paths(&[file("src/a.ts"), file("SRC")]).is_err());
        assert!(check_paths(&[file("src"), file("src/a/b.ts")]).is_err());
    }

    #[test]
    fn count_and_size_are_bounded() {
        let many: Vec<_> = (0..=MOST_FILES).map(|n| file(&format!("f{n}"))).collect();
        assert!(matches!(check_paths(&many), Err(Refused::TooMany { .. })));
        let large = Artifact { path: "a".into(), content: "x".repeat(MOST_BYTES + 1) };
        assert!(matches!(check_paths(&[large]), Err(Refused::TooLarge { .. })));
        let full = |n: usize| Artifact { path: format!("f{n}"), content: "x".repeat(MOST_BYTES) };
        assert!(check_paths(&(0..8).map(full).collect::<Vec<_>>()).is_ok());
        assert!(matches!(
            check_paths(&(0..9).map(full).collect::<Vec<_>>()),
            Err(Refused::TooLarge { .. })
        ));
    }
}
