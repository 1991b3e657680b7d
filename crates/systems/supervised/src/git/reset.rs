//! Takes a job's branch back to an earlier commit.

use std::path::Path;

use git2::{Oid, Reference, Repository};

use super::{Attached, Error, administration, open_bare, parse, stage};

/// Moves the job's branch to a commit that it had, and the worktree's index with it. The commit that it
/// leaves stays reachable as `refs/consign/<job_id>/<keep_as>`. The files of the workspace are not touched.
///
/// If the branch is there already, only the index is written, so the call can be repeated.
///
/// # Errors
/// [`Error::NoSuchCommit`], [`Error::NotOfTheJob`] and [`Error::AlreadyKept`] for what was asked,
/// [`Error::BranchMissing`], and what libgit2 or the system says.
pub fn reset(attached: &Attached, workspace: &Path, to: &str, keep_as: &str) -> Result<(), Error> {
    let keep = format!("{}{keep_as}", attached.kept());
    if !Reference::is_valid_name(&keep) {
        return Err(Error::BadName { name: keep_as.to_owned() });
    }
    let root = stage::open_workspace(workspace)?;
    administration::restore(attached, root.path())?;
    administration::restore_link(attached, &root)?;
    let git = open_bare(&attached.administration())?;
    let failed = |error| Error::git("take the branch of the job back", error);
    let target = parse(to)?;
    let commit = git.find_commit(target).map_err(|_| Error::NoSuchCommit { id: to.to_owned() })?;
    let tip = attached.tip(&git)?;
    if tip != target {
        if !is_of_the_job(attached, &git, tip, target)? {
            let branch = attached.branch();
            return Err(Error::NotOfTheJob { id: to.to_owned(), branch });
        }
        match git.refname_to_id(&keep) {
            Ok(kept) if kept == tip => {}
            Ok(_) => return Err(Error::AlreadyKept { name: keep }),
            Err(error) if error.code() == git2::ErrorCode::NotFound => {
                git.reference(&keep, tip, false, "kept by a Consign job").map_err(failed)?;
            }
            Err(error) => return Err(failed(error)),
        }
        let words = "reset: a Consign job was restored";
        git.reference_matching(&attached.reference(), target, true, tip, words).map_err(failed)?;
    }
    stage::write_index(&git, attached, &commit.tree().map_err(failed)?)
}

/// Whether a commit is the one that the job began with or a later one, on its branch or on what was kept
/// of it.
fn is_of_the_job(
    attached: &Attached,
    git: &Repository,
    tip: Oid,
    target: Oid,
) -> Result<bool, Error> {
    let failed = |error| Error::git("read the history of the job", error);
    let within = |later: Oid, earlier: Oid| -> Result<bool, Error> {
        Ok(later == earlier || git.graph_descendant_of(later, earlier).map_err(failed)?)
    };
    if !within(target, parse(&attached.base)?)? {
        return Ok(false);
    }
    if within(tip, target)? {
        return Ok(true);
    }
    for kept in git.references_glob(&format!("{}*", attached.kept())).map_err(failed)? {
        if let Some(kept) = kept.map_err(failed)?.target()
            && within(kept, target)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}
