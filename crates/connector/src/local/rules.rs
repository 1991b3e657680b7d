//! What `.ignore` and `.gitignore` files leave out, from the folder that was named down.
//!
//! They are read by handle and in bounds, which is why the walk of the `ignore` crate is not used: it opens
//! whatever has the name, be it a pipe or a link.

use std::{path::Path, sync::Arc};

use consign_files::Root;
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

/// Larger files of rules are not read: a pattern costs memory and time to compile.
const LARGEST: u64 = 128 << 10;
const MOST_LINES: usize = 2_000;

/// The rules that hold in one folder, and those above it.
pub(super) struct Rules {
    above: Option<Arc<Self>>,
    /// This folder or one above it is a repository: only there `.gitignore` has a meaning.
    in_repository: bool,
    git: Option<Gitignore>,
    own: Option<Gitignore>,
}

impl Rules {
    pub(super) fn read(
        above: Option<Arc<Self>>,
        folder: &Root,
        path: &Path,
        has_repository: bool,
        has_git: bool,
        has_own: bool,
    ) -> Option<Arc<Self>> {
        let in_repository = has_repository || above.as_ref().is_some_and(|it| it.in_repository);
        let git = (has_git && in_repository).then(|| compile(folder, path, ".gitignore")).flatten();
        let own = has_own.then(|| compile(folder, path, ".ignore")).flatten();
        let is_new = has_repository || git.is_some() || own.is_some();
        if is_new { Some(Arc::new(Self { above, in_repository, git, own })) } else { above }
    }

    /// `.ignore` outranks `.gitignore`; of the same kind the nearest decides.
    pub(super) fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let nearest = |pick: fn(&Self) -> Option<&Gitignore>| {
            let mut rules = Some(self);
            while let Some(at) = rules {
                match pick(at).map_or(Match::None, |rules| rules.matched(path, is_folder)) {
                    Match::None => rules = at.above.as_deref(),
                    Match::Ignore(_) => return Some(true),
                    Match::Whitelist(_) => return Some(false),
                }
            }
            None
        };
        nearest(|at| at.own.as_ref()).or_else(|| nearest(|at| at.git.as_ref())).unwrap_or(false)
    }
}

fn compile(folder: &Root, path: &Path, name: &str) -> Option<Gitignore> {
    // One that cannot be read leaves nothing out.
    let bytes = folder.read(name, LARGEST).ok()?;
    let mut builder = GitignoreBuilder::new(path);
    for line in String::from_utf8_lossy(&bytes).lines().take(MOST_LINES) {
        // A line that means nothing is passed over, as git does.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}
