//! Reads objects with limits: a few kilobytes can unpack to gigabytes, so the header is read first.

use git2::{Commit, ObjectType, Oid, Repository, Tree};

use super::open::refused;
use crate::{CommitId, Error};

const COMMIT: usize = 1 << 20;
const TREE: usize = 16 << 20;

/// The modes of a tree's entries that are not folders.
pub(super) const PLAIN: [i32; 2] = [0o100_644, 0o100_755];
pub(super) const EXECUTABLE: i32 = 0o100_755;
pub(super) const LINK: i32 = 0o120_000;
pub(super) const SUBMODULE: i32 = 0o160_000;

pub(super) fn commit<'git>(git: &'git Repository, id: &CommitId) -> Result<Commit<'git>, Error> {
    let unknown = || Error::not_found(format!("commit {id}"));
    let oid = Oid::from_str(id.as_str()).map_err(|_| unknown())?;
    commit_at(git, oid)?.ok_or_else(unknown)
}

/// A commit; `None` if it is not there, as in a shallow history.
pub(super) fn commit_at(git: &Repository, id: Oid) -> Result<Option<Commit<'_>>, Error> {
    match size(git, id, ObjectType::Commit)? {
        None => Ok(None),
        Some(size) if size > COMMIT => Err(Error::refused("a commit is too large to be read")),
        Some(_) => git.find_commit(id).map(Some).map_err(refused("read a commit")),
    }
}

pub(super) fn tree(git: &Repository, id: Oid) -> Result<Tree<'_>, Error> {
    match size(git, id, ObjectType::Tree)? {
        None => Err(Error::not_found("a folder of the commit")),
        Some(size) if size > TREE => Err(Error::refused("a folder is too large to be read")),
        Some(_) => git.find_tree(id).map_err(refused("read a folder")),
    }
}

/// How large an object of this kind is; `None` if there is none.
pub(super) fn size(git: &Repository, id: Oid, kind: ObjectType) -> Result<Option<usize>, Error> {
    let odb = git.odb().map_err(refused("open the objects"))?;
    match odb.read_header(id) {
        Ok((size, found)) if found == kind => Ok(Some(size)),
        Ok(_) => Ok(None),
        Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
        Err(error) => Err(refused("read an object")(error)),
    }
}

/// What a commit has at a path: its mode and its object. A file or a link on the way is in the way.
pub(super) enum At {
    Nothing,
    Found { mode: i32, id: Oid },
    Blocked,
}

pub(super) fn find(git: &Repository, commit: &Commit<'_>, path: &str) -> Result<At, Error> {
    let mut folder = tree(git, commit.tree_id())?;
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let Some(entry) = folder.get_name(part) else { return Ok(At::Nothing) };
        let (mode, id) = (entry.filemode(), entry.id());
        if parts.peek().is_none() {
            return Ok(At::Found { mode, id });
        }
        if entry.kind() != Some(ObjectType::Tree) {
            return Ok(At::Blocked);
        }
        drop(entry);
        folder = tree(git, id)?;
    }
    Ok(At::Nothing)
}
