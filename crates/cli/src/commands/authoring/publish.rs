//! Where the files of Trace and Proto go: a folder, a branch of a repository with its pull request, or nowhere.

use std::path::Path;

use consign_contracts::json::{Json, Object};
use consign_engine::Owner;

use super::{given::is_remote, job::Completed, out::OutArgs, place::Place};
use crate::{
    engine::Session,
    error::{Error, Exit},
    output::{GOOD, Output, printable, styled},
};

#[derive(clap::Args)]
pub(in crate::commands) struct PublishArgs {
    #[command(flatten)]
    pub(in crate::commands) out: OutArgs,

    /// Commit the files on this branch of --repo; placeholders such as {jobId} are filled in
    #[arg(long, value_name = "NAME", requires = "repo", conflicts_with_all = ["out", "dry_run", "run"])]
    branch: Option<String>,

    /// Open a pull request with them, on a branch of its own or that of --branch
    #[arg(long, requires = "repo", conflicts_with_all = ["out", "dry_run", "run"])]
    pr: bool,

    /// The branch that work starts from; the repository's own if left out
    #[arg(long, value_name = "BRANCH", requires = "repo", conflicts_with = "run")]
    base: Option<String>,
}

impl PublishArgs {
    pub(in crate::commands) fn publishes(&self) -> bool {
        self.branch.is_some() || self.pr
    }

    pub(in crate::commands) fn branch(&self) -> Option<String> {
        self.branch.clone()
    }

    /// The repository that is published to, if one is.
    pub(in crate::commands) fn place(&self, repo: Option<&Path>) -> Result<Option<Place>, Error> {
        let Some(repo) = repo else { return Ok(None) };
        if !self.publishes() {
            return match is_remote(repo) && !repo.exists() && !self.out.is_dry_run() {
                true => Err(unused(repo)),
                false => Ok(None),
            };
        }
        let given = repo.to_str().ok_or_else(|| {
            Error::usage("USAGE", format!("{} is no name in UTF-8", repo.display()))
        })?;
        let place = Place::read(given)?;
        match self.pr && place.folder.is_some() {
            true => Err(Error::usage("USAGE", "a local repository has no pull requests")
                .hint("--branch NAME commits the files there")),
            false => Ok(Some(place)),
        }
    }

    /// Names the repository in a payload.
    pub(in crate::commands) async fn fill(
        &self,
        session: &Session,
        owner: &Owner,
        place: &Place,
        payload: &mut Object<'_>,
    ) -> Result<(), Error> {
        let base = place.base(session, owner, self.base.as_deref()).await?;
        for (name, value) in [("owner", &place.owner), ("repo", &place.repo), ("baseBranch", &base)]
        {
            payload.set(name, Json::String(value.clone().into()));
        }
        Ok(())
    }
}

/// A repository that nothing is done with.
pub(in crate::commands) fn unused(repo: &Path) -> Error {
    let told = format!("{} is named, but nothing is published to it", repo.display());
    Error::usage("USAGE", told)
        .hint("--branch NAME or --pr publishes the files; --out DIR writes them")
}

/// Failures in the words of the command line.
pub(in crate::commands) fn of_options(mut error: Error) -> Error {
    for (member, option) in [("settings.branch", "--branch"), ("payload.baseBranch", "--base")] {
        if let Some(why) = error.message.strip_prefix(&format!("{member}: ")) {
            error.message = format!("{option}: {why}");
            break;
        }
    }
    error
}

/// Says where the files are now.
pub(in crate::commands) fn tell(done: &Completed, output: &mut Output) -> Result<(), Error> {
    let branch = done.text("branch");
    if !branch.is_empty() {
        let files = done.result.get("artifacts").and_then(Json::as_array).unwrap_or_default();
        let told = format!("{} files on {}", files.len(), printable(branch));
        output.line(format!("{} {told}", styled(GOOD, "committed")))?;
    }
    let url = done.text("prUrl");
    if !url.is_empty() {
        output.line(format!("pull request {}", printable(url)))?;
    }
    Ok(())
}

/// How a job that was to publish ended: what went wrong with the repository fails no job, but the command.
pub(in crate::commands) fn exit(done: &Completed) -> Exit {
    let failed = done.result.get("metadata").and_then(|metadata| metadata.get("githubError"));
    if failed.is_some() { Exit::Failed } else { Exit::Done }
}
