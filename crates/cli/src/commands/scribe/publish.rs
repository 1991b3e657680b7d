//! Where the documents go (a folder, a branch, a pull request, or nowhere), and whether a person approves them first.

use consign_contracts::json::{Json, Object};

use crate::{
    commands::authoring::{out::OutArgs, place::Place},
    error::Error,
};

#[derive(clap::Args)]
pub(super) struct PublishArgs {
    #[command(flatten)]
    pub(super) out: OutArgs,

    /// Commit the documents on this branch; placeholders such as {date} are filled in
    #[arg(long, value_name = "NAME", conflicts_with_all = ["out", "dry_run", "run", "revise"])]
    branch: Option<String>,

    /// Open a pull request with them, on a branch of its own or that of --branch
    #[arg(long, conflicts_with_all = ["out", "dry_run", "run", "revise"])]
    pr: bool,

    /// The title of the pull request; placeholders such as {repo} are filled in
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["out", "dry_run", "run", "revise"])]
    pr_title: Option<String>,

    /// The text of the pull request, likewise
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["out", "dry_run", "run", "revise"])]
    pr_body: Option<String>,

    /// Show the changes and ask before anything is published
    #[arg(long, conflicts_with_all = ["out", "dry_run", "run", "revise"])]
    approve: bool,
}

impl PublishArgs {
    fn publishes(&self) -> bool {
        self.branch.is_some() || self.pr
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        if self.approve && !self.publishes() {
            return Err(Error::usage("USAGE", "--approve asks before something is published")
                .hint("--branch NAME or --pr publishes; without them nothing is written"));
        }
        if (self.pr_title.is_some() || self.pr_body.is_some()) && !self.publishes() {
            return Err(Error::usage("USAGE", "--pr-title and --pr-body are for a pull request")
                .hint("--pr opens one"));
        }
        self.out.check()
    }

    /// Refuses what this place does not have.
    pub(super) fn fits(&self, place: &Place) -> Result<(), Error> {
        let speaks = self.pr || self.pr_title.is_some() || self.pr_body.is_some();
        match speaks && place.folder.is_some() {
            true => Err(Error::usage("USAGE", "a local repository has no pull requests")
                .hint("--branch NAME commits the documents there")),
            false => Ok(()),
        }
    }

    pub(super) fn fill(&self, payload: &mut Object<'static>) {
        if let Some(branch) = &self.branch {
            let name = if branch.contains('{') { "branchPattern" } else { "featureBranch" };
            payload.set(name, Json::String(branch.clone().into()));
        }
        for (name, text) in [("prTitleTemplate", &self.pr_title), ("prBodyTemplate", &self.pr_body)]
        {
            if let Some(text) = text {
                payload.set(name, Json::String(text.clone().into()));
            }
        }
        if self.approve {
            payload.set("requiresApproval", Json::Bool(true));
        }
        payload.set("dryRun", Json::Bool(!self.publishes()));
    }
}
