//! Records a workspace as a commit on its job's branch.

use std::path::Path;

use git2::{Repository, Signature, Time};

use super::{Attached, Error, administration, open_bare, stage};

const TRAILER: &str = "Consign-Point: ";

/// What a commit says.
#[derive(Clone, Copy, Debug)]
pub struct Commit<'a> {
    /// The recovery point that it is made for: one line. It tells a repeated call from a new one.
    pub point: &'a str,
    pub message: &'a str,
    /// Seconds since 1970, in UTC.
    pub at_seconds: i64,
}

/// A commit that is on the job's branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    pub id: String,
    /// What git cannot keep, as paths in the workspace: pipes, repositories in the workspace (their
    /// files are in the commit), names that git refuses. Empty if an earlier call made the commit.
    pub left_out: Vec<String>,
}

/// Commits the workspace as it is, less what is ignored, on top of the job's branch, also when nothing
/// has changed. If the branch's newest commit is of this point already, that is the result.
///
/// # Errors
/// [`Error::BranchMissing`], [`Error::TooLarge`], [`Error::TooMany`], [`Error::TooDeep`] and
/// [`Error::Workspace`] for what is in the way, and what libgit2 or the system says.
pub fn commit(attached: &Attached, workspace: &Path, say: Commit<'_>) -> Result<Committed, Error> {
    let point = one_line(say.point);
    let root = stage::open_workspace(workspace)?;
    administration::restore(attached, root.path())?;
    administration::restore_link(attached, &root)?;
    let git = open_bare(&attached.administration())?;
    let failed = |error| Error::git("commit the workspace", error);
    let tip = git.find_commit(attached.tip(&git)?).map_err(failed)?;
    if is_of(&tip, &point) {
        let id = tip.id().to_string();
        // A crash may have come before the index.
        stage::write_index(&git, attached, &tip.tree().map_err(failed)?)?;
        return Ok(Committed { id, left_out: Vec::new() });
    }
    let (tree, left_out) = stage::tree(&git, attached, &root, &tip)?;
    let tree = git.find_tree(tree).map_err(failed)?;
    let by = identity(&git, say.at_seconds)?;
    let message = format!("{}\n\n{TRAILER}{point}\n", cleaned(say.message));
    let id = git
        .commit(Some(&attached.reference()), &by, &by, &message, &tree, &[&tip])
        .map_err(failed)?;
    stage::write_index(&git, attached, &tree)?;
    Ok(Committed { id: id.to_string(), left_out })
}

/// Whether a commit was made for this point: its last line says so. Ours always has that line at the end,
/// whatever the message before it says.
fn is_of(commit: &git2::Commit<'_>, point: &str) -> bool {
    let message = commit.message_raw_bytes().trim_ascii_end();
    let last = message.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    last == format!("{TRAILER}{point}").trim_end().as_bytes()
}

fn one_line(text: &str) -> String {
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect::<String>().trim().into()
}

/// A message that git takes, and that has a subject.
fn cleaned(message: &str) -> String {
    let plain = |it: &char| !it.is_control() || matches!(it, '\n' | '\t');
    let text: String = message.chars().filter(plain).collect();
    let text = text.trim();
    if text.is_empty() { "Phase accepted".to_owned() } else { text.to_owned() }
}

/// Who the user's configuration says they are, or else ourselves.
fn identity(git: &Repository, at: i64) -> Result<Signature<'static>, Error> {
    let failed = |error| Error::git("read the configuration of the repository", error);
    let config = git.config().and_then(|mut it| it.snapshot()).map_err(failed)?;
    let value = |name| config.get_string(name).ok().filter(|it| !it.trim().is_empty());
    let when = Time::new(at, 0);
    if let (Some(name), Some(email)) = (value("user.name"), value("user.email"))
        && let Ok(signature) = Signature::new(&name, &email, &when)
    {
        return Ok(signature);
    }
    Signature::new("Consign", "consign@localhost", &when).map_err(failed)
}
