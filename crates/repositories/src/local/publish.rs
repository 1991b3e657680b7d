//! Makes branches and commits, in the objects and references only.

use git2::{
    Commit, ErrorCode, FileMode, ReferenceType, Repository, Signature, build::TreeUpdateBuilder,
};

use super::{
    checked_out, left_lock,
    objects::{self, At, EXECUTABLE, PLAIN},
    open::refused,
    read::{log, reference, tip},
};
use crate::{
    BadName, Base, BlobId, BranchName, CommitId, Committed, Error, FileChange, FileCommit, Made,
    key,
};

/// How often a commit is built again because the branch moved meanwhile.
const TRIES: usize = 5;

pub(super) fn create_branch(
    git: &Repository,
    branch: &BranchName,
    from: &Base,
) -> Result<Made<CommitId>, Error> {
    if branch.as_str() == from.branch {
        return Err(BadName::IsBase.into());
    }
    if let Some(value) = tip(git, branch)? {
        return Ok(Made { value, was_there: true });
    }
    let commit = objects::commit(git, &from.commit)?;
    // `HEAD` may be on a branch that has no commit yet.
    checked_out::refuse(git, branch)?;
    checked_out::refuse_links(git, branch)?;
    let name = reference(branch);
    let made = left_lock::change(git, &name, || {
        git.reference(&name, commit.id(), false, "branch: created by consign")
    });
    match made {
        Ok(_) => Ok(Made { value: from.commit.clone(), was_there: false }),
        Err(error) => match tip(git, branch)? {
            // Another process was faster.
            Some(value) => Ok(Made { value, was_there: true }),
            None => Err(refused("make the branch")(error)),
        },
    }
}

pub(super) fn commit_file(
    git: &Repository,
    branch: &BranchName,
    change: &FileChange,
) -> Result<FileCommit, Error> {
    let message = key::with_key(&change.message, &change.key)?;
    for _ in 0..TRIES {
        let tip = tip(git, branch)?;
        let tip = tip.ok_or_else(|| Error::not_found(format!("the branch {branch}")))?;
        if let Some(found) = key::find(&log(git, &tip, key::LOOKBACK)?, &change.key) {
            return Ok(FileCommit::Found(found));
        }
        let parent = objects::commit(git, &tip)?;
        let (mode, there) = before(git, &parent, change)?;
        if there.as_ref() == Some(&BlobId::of(&change.content)) {
            return Ok(FileCommit::Unchanged);
        }
        change.expected.check(there.as_ref(), &change.path)?;
        checked_out::refuse(git, branch)?;
        checked_out::refuse_links(git, branch)?;
        if let Some(sha) = commit(git, branch, change, (&parent, mode, &message))? {
            let message = key::subject(&change.message);
            return Ok(FileCommit::New(Committed { sha, message }));
        }
    }
    Err(Error::conflict(format!("the branch {branch} keeps moving")))
}

/// How the file is now: its mode, and what is in it.
fn before(
    git: &Repository,
    parent: &Commit<'_>,
    change: &FileChange,
) -> Result<(FileMode, Option<BlobId>), Error> {
    let path = &change.path;
    match objects::find(git, parent, path.as_str())? {
        At::Nothing => Ok((FileMode::Blob, None)),
        At::Found { mode, id } if PLAIN.contains(&mode) => {
            let kept = if mode == EXECUTABLE { FileMode::BlobExecutable } else { FileMode::Blob };
            Ok((kept, Some(BlobId::parse(&id.to_string())?)))
        }
        At::Found { .. } => Err(Error::conflict(format!("{path} is not a plain file"))),
        At::Blocked => Err(Error::conflict(format!("a folder of {path} is not a folder"))),
    }
}

/// Commits on top of `parent`, if that is still the newest commit; else `None`.
fn commit(
    git: &Repository,
    branch: &BranchName,
    change: &FileChange,
    (parent, mode, message): (&Commit<'_>, FileMode, &str),
) -> Result<Option<CommitId>, Error> {
    let name = reference(branch);
    let direct = git.find_reference(&name).map(|it| it.kind() == Some(ReferenceType::Direct));
    if !direct.map_err(refused("read the branch"))? {
        return Err(Error::refused(format!("the branch {branch} is another name for a branch")));
    }
    let blob = git.blob(&change.content).map_err(refused("write the file"))?;
    let base = objects::tree(git, parent.tree_id())?;
    let tree = TreeUpdateBuilder::new()
        .upsert(change.path.as_str(), blob, mode)
        .create_updated(git, &base)
        .map_err(refused("write the file's folder"))?;
    let tree = objects::tree(git, tree)?;
    let by = identity(git)?;
    let id = git
        .commit(None, &by, &by, message, &tree, &[parent])
        .map_err(refused("write the commit"))?;
    // Only if the branch is where it was: another's commit is never lost.
    let moved = left_lock::change(git, &name, || {
        git.reference_matching(&name, id, true, parent.id(), "commit: by consign")
    });
    match moved {
        Ok(_) => CommitId::parse(&id.to_string()).map(Some),
        Err(error) if matches!(error.code(), ErrorCode::Modified | ErrorCode::NotFound) => Ok(None),
        Err(error) => Err(refused("move the branch")(error)),
    }
}

/// Who the user's configuration says they are, or else ourselves.
fn identity(git: &Repository) -> Result<Signature<'static>, Error> {
    let config = git.config().and_then(|mut it| it.snapshot());
    let config = config.map_err(refused("read the configuration"))?;
    let value = |name| config.get_string(name).ok().filter(|it| !it.trim().is_empty());
    if let (Some(name), Some(email)) = (value("user.name"), value("user.email"))
        && let Ok(signature) = Signature::now(&name, &email)
    {
        return Ok(signature);
    }
    Signature::now("Consign", "consign@localhost").map_err(refused("write the commit"))
}
