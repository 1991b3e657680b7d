//! Proto: a first working skeleton of a project.

use super::{Artifact, BranchStrategy};
use crate::wire::{Integer, rules, wire, words};

wire! {
    /// What Proto is asked to build, as `requirements` or as a `goal`.
    pub open struct ProtoPayload = "authoring/proto.payload" {
        /// What the project must do.
        requirements: Option<String>,
        /// What the project is for.
        goal: Option<String>,
        /// The repository's owner.
        owner: Option<String>,
        /// The repository.
        repo: Option<String>,
        /// The branch that work starts from.
        base_branch as "baseBranch": Option<String> [default: "main"],
        /// Where the files are committed.
        branch_strategy as "branchStrategy": Option<BranchStrategy>,
        /// The technologies to use.
        stack: Option<String>,
        /// Whether to write nothing.
        dry_run as "dryRun": Option<bool> [default: false],
    }
    with rules(r#"{"anyOf": [{"required": ["requirements"]}, {"required": ["goal"]}]}"#)
}

wire! {
    /// The skeleton.
    pub open struct ProtoResult = "authoring/proto.result" {
        /// Whether it went well.
        ok: bool,
        /// The agent's id.
        agent: ProtoAgent,
        /// The files.
        artifacts: Vec<Artifact>,
        /// The branch.
        branch: Option<String>,
        /// The pull request's address.
        pr_url as "prUrl": Option<String>,
        /// What there is to say about it.
        message: Option<String>,
        /// Counts, and what went wrong with the repository.
        metadata: ProtoMetadata,
    }
}

words! {
    /// The agent's id.
    pub enum ProtoAgent { Proto = "proto" }
}

wire! {
    /// Counts, and what went wrong with the repository.
    pub open struct ProtoMetadata {
        /// Files that were made.
        files_created as "filesCreated": Integer [minimum: 0],
        /// Whether they were committed.
        committed: bool,
        /// Why they were not.
        github_error as "githubError": Option<String>,
    }
}
