//! Which paths of a workspace git ignores.
//!
//! The rules are read here and not by libgit2, which would follow a `.gitignore` that is a link and wait
//! for one that is a pipe.

use std::path::{Path, PathBuf};

use consign_files::{Root, trusted};
use git2::Repository;
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path},
};

const LARGEST: u64 = 1 << 20;

/// The rules of a folder and of those it is in.
pub(super) struct Ignored {
    case: bool,
    /// The user's own and the repository's: they count where no other does.
    outer: Vec<Gitignore>,
    /// From the workspace down to the folder that is looked at.
    folders: Vec<(PathBuf, Gitignore)>,
}

impl Ignored {
    pub(super) fn new(git: &Repository) -> Self {
        let config = git.config().and_then(|mut it| it.snapshot()).ok();
        let config = config.as_ref();
        let case = config.is_some_and(|it| it.get_bool("core.ignorecase").unwrap_or(false));
        let excludes = config.and_then(|it| it.get_path("core.excludesfile").ok());
        let excludes = excludes.or_else(gitconfig_excludes_path);
        let exclude = Some(git.commondir().join("info/exclude"));
        let outer = [exclude, excludes].into_iter().flatten();
        let outer = outer.filter_map(|path| trusted::read(&path, LARGEST).ok());
        let outer = outer.map(|text| rules(Path::new(""), &text, case)).collect();
        Self { case, outer, folders: Vec::new() }
    }

    /// Takes in the rules of a folder. Folders come in the order of a walk.
    pub(super) fn enter(&mut self, path: &Path, folder: &Root) {
        self.folders.retain(|(above, _)| path.starts_with(above));
        if let Ok(text) = folder.read(".gitignore", LARGEST) {
            self.folders.push((path.to_owned(), rules(path, &text, self.case)));
        }
    }

    /// Whether something in the folder that was entered last is ignored.
    pub(super) fn has(&self, path: &Path, is_folder: bool) -> bool {
        let path = Path::new("/").join(path);
        let all = self.folders.iter().rev().map(|(_, rules)| rules).chain(&self.outer);
        for rules in all {
            match rules.matched(&path, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}

fn rules(folder: &Path, text: &[u8], case: bool) -> Gitignore {
    let mut builder = GitignoreBuilder::new(Path::new("/").join(folder));
    let _ = builder.case_insensitive(case);
    for line in String::from_utf8_lossy(text).trim_start_matches('\u{feff}').lines() {
        // What is no pattern matches nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
