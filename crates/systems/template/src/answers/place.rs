//! Checks whether a path in an answer is in the project.

use std::path::Path;

use consign_files::{Kind, Root};

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerPath {
    File,
    Folder,
}

/// The path as the project writes it, and what it leads to. `None` if it does not exist, leads out
/// of the project, or goes through a link.
pub(super) fn find(project: &Path, named: &str) -> Option<(String, AnswerPath)> {
    let relative = named.strip_prefix("./").unwrap_or(named).trim_end_matches('/');
    if relative.is_empty()
        || relative.contains(|letter: char| letter.is_control() || letter == '\\')
    {
        return None;
    }
    if relative.split('/').any(|name| ["", ".", "..", ".git"].contains(&name)) {
        return None;
    }
    let about = Root::open(project).and_then(|root| root.metadata(relative)).ok()?;
    let place = match about.kind {
        Kind::File => AnswerPath::File,
        Kind::Folder => AnswerPath::Folder,
        Kind::Link | Kind::Other => return None,
    };
    Some((relative.to_owned(), place))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_what_is_in_the_project_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        fs::create_dir_all(project.join("src")).unwrap();
        fs::create_dir_all(project.join(".git")).unwrap();
        fs::write(project.join("src/a.rs"), "").unwrap();
        fs::write(project.join(".git/config"), "").unwrap();
        fs::write(folder.path().join("outside"), "").unwrap();
        std::os::unix::fs::symlink("../outside", project.join("link")).unwrap();
        std::os::unix::fs::symlink("src", project.join("inner")).unwrap();
        let check = |named: &str, found: Option<(&str, AnswerPath)>| {
            let found = found.map(|(path, place)| (path.to_owned(), place));
            assert_eq!(find(&project, named), found, "{named:?}");
        };
        check("src/a.rs", Some(("src/a.rs", AnswerPath::File)));
        check("./src/", Some(("src", AnswerPath::Folder)));
        let absolute = folder.path().join("outside");
        for stranger in [
            "",
            "/",
            "./",
            "..",
            "../outside",
            "src/../src/a.rs",
            "src//a.rs",
            "src/./a.rs",
            "src/a.rs/b",
            "src\\a.rs",
            "src/a.rs\0",
            "\u{1b}[2J",
            "link",
            "inner/a.rs",
            ".git/config",
            "missing.rs",
            absolute.to_str().unwrap(),
        ] {
            check(stranger, None);
        }
    }
}
