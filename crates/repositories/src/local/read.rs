//! Reads branches, files and history.

use std::collections::{BinaryHeap, HashSet};

use git2::{BranchType, Commit, ErrorCode, ObjectType, Oid, Repository};

use super::{
    objects::{self, At, LINK, PLAIN, SUBMODULE},
    open::refused,
};
use crate::{BranchName, CommitId, Described, Entry, EntryKind, Error, LogEntry, Tree, key};

/// Entries that are looked at: a few trees that contain each other make a walk that does not end.
const MOST_ENTRIES: usize = 100_000;
const DEEPEST: usize = 128;
/// Commits that are looked at.
pub(super) const MOST_COMMITS: usize = 10_000;
const LONGEST_NAME: usize = 300;

/// The branch that is checked out; else what the first remote calls its own, else a usual name.
pub(super) fn describe(git: &Repository) -> Result<Described, Error> {
    let target = |name: &str| {
        let reference = git.find_reference(name).ok()?;
        Some(reference.symbolic_target().ok()??.to_owned())
    };
    let named = target("HEAD").and_then(|it| it.strip_prefix("refs/heads/").map(str::to_owned));
    let remote = || {
        let name = target("refs/remotes/origin/HEAD")?;
        name.strip_prefix("refs/remotes/origin/").map(str::to_owned)
    };
    let exists = |name: &str| git.find_branch(name, BranchType::Local).is_ok();
    let usual = || ["main", "master"].into_iter().find(|it| exists(it)).map(str::to_owned);
    let first = || {
        let branches = git.branches(Some(BranchType::Local)).ok()?.flatten();
        branches.filter_map(|(branch, _)| Some(branch.name().ok()??.to_owned())).min()
    };
    let found = named.or_else(|| remote().filter(|it| exists(it))).or_else(usual).or_else(first);
    let default_branch = found.ok_or_else(|| Error::not_found("a branch"))?;
    Ok(Described { default_branch })
}

pub(super) fn reference(branch: &BranchName) -> String {
    format!("refs/heads/{branch}")
}

/// The newest commit of a branch; `None` if there is no such branch.
pub(super) fn tip(git: &Repository, branch: &BranchName) -> Result<Option<CommitId>, Error> {
    let found = match git.find_reference(&reference(branch)) {
        Ok(found) => found,
        Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::InvalidSpec) => {
            return Ok(None);
        }
        Err(error) => return Err(refused("read a branch")(error)),
    };
    let resolved = found.resolve().map_err(refused("read a branch"))?;
    let id = resolved.target().ok_or_else(|| Error::refused("a branch points to nothing"))?;
    CommitId::parse(&id.to_string()).map(Some)
}

pub(super) fn tree(git: &Repository, at: &CommitId) -> Result<Tree, Error> {
    let root = objects::commit(git, at)?.tree_id();
    let mut folders = vec![(root, String::new(), 0)];
    let (mut entries, mut truncated, mut seen) = (Vec::new(), false, 0);
    while let Some((id, prefix, depth)) = folders.pop() {
        let folder = objects::tree(git, id)?;
        for entry in &folder {
            seen += 1;
            let name = entry.name().ok().filter(|name| names_of_trees(name));
            let Some(name) = name.filter(|_| seen <= MOST_ENTRIES && depth < DEEPEST) else {
                truncated = true;
                continue;
            };
            let path = format!("{prefix}{name}");
            let kind = match (entry.kind(), entry.filemode()) {
                (Some(ObjectType::Tree), _) => {
                    folders.push((entry.id(), format!("{path}/"), depth + 1));
                    continue;
                }
                (_, SUBMODULE) => EntryKind::Submodule,
                (_, LINK) => EntryKind::Link,
                _ => EntryKind::File,
            };
            let size = match kind {
                EntryKind::File => objects::size(git, entry.id(), ObjectType::Blob)?,
                EntryKind::Link | EntryKind::Submodule => Some(0),
            };
            // A file of a partial clone may not be here.
            match size {
                Some(size) => entries.push(Entry { path, kind, size: size as u64 }),
                None => truncated = true,
            }
        }
        if seen > MOST_ENTRIES {
            break;
        }
    }
    entries.sort();
    Ok(Tree { entries, truncated })
}

fn names_of_trees(name: &str) -> bool {
    !name.contains('/') && crate::names::is_readable(name)
}

pub(super) fn file(
    git: &Repository,
    at: &CommitId,
    path: &str,
    most: u64,
) -> Result<Option<Vec<u8>>, Error> {
    let At::Found { mode, id } = objects::find(git, &objects::commit(git, at)?, path)? else {
        return Ok(None);
    };
    if !PLAIN.contains(&mode) {
        return Ok(None);
    }
    let Some(size) = objects::size(git, id, ObjectType::Blob)? else { return Ok(None) };
    if size as u64 > most {
        return Err(Error::TooLarge { path: path.to_owned(), size: size as u64, most });
    }
    let blob = git.find_blob(id).map_err(refused("read a file"))?;
    Ok(Some(blob.content().to_vec()))
}

/// Newest first, by the time of the commit. Parents that are not here, as in a shallow clone, end it.
pub(super) fn log(git: &Repository, at: &CommitId, most: usize) -> Result<Vec<LogEntry>, Error> {
    let first = objects::commit(git, at)?;
    let mut next = BinaryHeap::from([(first.time().seconds(), first.id())]);
    let mut known: HashSet<Oid> = HashSet::from([first.id()]);
    let mut log = Vec::new();
    while let Some((_, id)) = next.pop() {
        if log.len() >= most || known.len() > MOST_COMMITS {
            break;
        }
        let Some(commit) = objects::commit_at(git, id)? else { continue };
        for parent in commit.parent_ids() {
            if known.insert(parent)
                && let Some(parent) = objects::commit_at(git, parent)?
            {
                next.push((parent.time().seconds(), parent.id()));
            }
        }
        log.push(entry(&commit)?);
    }
    Ok(log)
}

fn entry(commit: &Commit<'_>) -> Result<LogEntry, Error> {
    let (summary, body) = key::split(&String::from_utf8_lossy(commit.message_bytes()));
    let author = commit.author();
    let name = String::from_utf8_lossy(author.name_bytes());
    let at = jiff::Timestamp::from_second(author.when().seconds()).unwrap_or_default();
    Ok(LogEntry {
        id: CommitId::parse(&commit.id().to_string())?,
        summary,
        body,
        author: name.chars().filter(|it| !it.is_control()).take(LONGEST_NAME).collect(),
        at: at.to_string(),
    })
}
