//! Which commits there were.

use git2::{Commit as Object, DiffOptions, Oid, Repository as Git, Sort};

use super::{Commit, author, date, fault, subject};
use crate::{Error, Found, Repository, root};

impl Repository {
    /// Commits from `HEAD` on, the newest first: those that changed `path` (a file or directory), and those
    /// with `grep` in their message, in whatever case. A merge is among those of a path only if it differs
    /// from all of its parents there.
    ///
    /// # Errors
    /// [`Error::NoHistory`] if there is none that may be read.
    pub fn git_log(
        &self,
        path: Option<&str>,
        limit: usize,
        grep: Option<&str>,
    ) -> Result<Found<Commit>, Error> {
        let path = path.map(root::clean).transpose()?.filter(|path| !path.is_empty());
        let git = self.history()?;
        let mut found = Found::default();
        let mut walk = git.revwalk().map_err(fault("walk"))?;
        walk.set_sorting(Sort::TIME).map_err(fault("walk"))?;
        let Some(head) = head(&git).map_err(fault("find the newest commit"))? else {
            return Ok(found);
        };
        walk.push(head.id()).map_err(fault("walk"))?;
        let limit = limit.min(self.limits.results);
        let needle = grep.map(str::to_lowercase);
        for (seen, id) in walk.enumerate() {
            self.cancel.check()?;
            if seen >= self.limits.commits || found.items.len() >= limit || self.cancel.is_late() {
                found.truncated = true;
                break;
            }
            // A shallow or broken history ends where it ends.
            let Ok(commit) = id.and_then(|id| git.find_commit(id)) else {
                found.truncated = true;
                break;
            };
            let says = |needle: &String| {
                String::from_utf8_lossy(commit.message_bytes()).to_lowercase().contains(needle)
            };
            let wanted = needle.as_ref().is_none_or(says)
                && path.as_deref().is_none_or(|path| touches(&commit, path));
            if wanted {
                found.items.push(Commit {
                    id: commit.id().to_string(),
                    author: author(&commit),
                    date: date(&commit),
                    subject: subject(&commit),
                    files_changed: changed(&git, &commit).map_err(fault("compare a commit"))?,
                });
            }
        }
        found.total = found.items.len();
        Ok(found)
    }
}

/// The commit that is checked out; none before the first.
pub(super) fn head(git: &Git) -> Result<Option<Object<'_>>, git2::Error> {
    match git.head() {
        Ok(head) => head.peel_to_commit().map(Some),
        Err(error) if error.code() == git2::ErrorCode::UnbornBranch => Ok(None),
        Err(error) => Err(error),
    }
}

fn touches(commit: &Object<'_>, path: &str) -> bool {
    let here = at(commit, path);
    let mut parents = commit.parents().peekable();
    if parents.peek().is_none() {
        return here.is_some();
    }
    parents.all(|parent| at(&parent, path) != here)
}

/// What a commit has at a path.
pub(super) fn at(commit: &Object<'_>, path: &str) -> Option<Oid> {
    let tree = commit.tree().ok()?;
    tree.get_path(std::path::Path::new(path)).ok().map(|entry| entry.id())
}

fn changed(git: &Git, commit: &Object<'_>) -> Result<usize, git2::Error> {
    let before = commit.parents().next().map(|parent| parent.tree()).transpose()?;
    let mut options = DiffOptions::new();
    // Names are enough: nothing needs to be unpacked.
    options.skip_binary_check(true).ignore_submodules(true);
    let diff = git.diff_tree_to_tree(before.as_ref(), Some(&commit.tree()?), Some(&mut options))?;
    Ok(diff.deltas().len())
}
