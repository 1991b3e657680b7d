//! Scribe: documentation for a repository.

use crate::{
    json::Number,
    wire::{Integer, Nullable, rules, wire, words},
};

wire! {
    /// What Scribe is asked to document. Without a `mode` the repository and its base branch must
    /// be named.
    pub open struct ScribePayload = "authoring/scribe.payload" {
        /// The repository's owner.
        owner: Option<String>,
        /// The repository.
        repo: Option<String>,
        /// The branch that work starts from.
        base_branch as "baseBranch": Option<String> [default: "main"],
        /// Where the rest of the settings comes from.
        mode: Option<RunMode>,
        /// Which documents are wanted.
        doc_pack as "docPack": Option<DocPack>,
        /// How thorough they should be.
        doc_depth as "docDepth": Option<DocDepth>,
        /// Documents to write, by path.
        output_targets as "outputTargets": Option<Vec<String>>,
        /// The branch to write to.
        feature_branch as "featureBranch": Option<String>,
        /// The folder to write to.
        target_path as "targetPath": Option<String>,
        /// How the branch is named, such as `docs/scribe-{timestamp}`.
        branch_pattern as "branchPattern": Option<String>,
        /// How the pull request is titled.
        pr_title_template as "prTitleTemplate": Option<String>,
        /// What the pull request says.
        pr_body_template as "prBodyTemplate": Option<Nullable<String>>,
        /// Most tokens to write; the server has a bound of its own.
        max_output_tokens as "maxOutputTokens": Option<Integer> [minimum: 1],
        /// How often each document is gone over.
        passes: Option<Integer> [minimum: 1, maximum: 2],
        /// How many recent commits to read.
        analyze_last_n_commits as "analyzeLastNCommits": Option<Integer> [minimum: 0],
        /// Whether a person must approve the plan.
        requires_approval as "requiresApproval": Option<bool>,
        /// What the work is about, in words.
        task_description as "taskDescription": Option<String>,
        /// The job that this belongs to.
        job_id as "jobId": Option<String>,
        /// Whether to write nothing.
        dry_run as "dryRun": Option<bool> [default: false],
    }
    with rules(r#"{"if": {"required": ["mode"]}, "else": {"required": ["owner", "repo", "baseBranch"]}}"#)
}

words! {
    /// Where Scribe's settings come from.
    pub enum RunMode {
        FromConfig = "from_config",
        Test = "test",
        Run = "run",
    }
}

words! {
    /// Which documents are wanted.
    pub enum DocPack {
        Readme = "readme",
        Standard = "standard",
        Full = "full",
    }
}

words! {
    /// How thorough the documents should be.
    pub enum DocDepth {
        Lite = "lite",
        Standard = "standard",
        Deep = "deep",
    }
}

wire! {
    /// What Scribe did.
    pub open struct ScribeResult = "authoring/scribe.result" {
        /// Whether it went well.
        ok: bool,
        /// The agent's id.
        agent: ScribeAgent,
        /// How the agent works.
        mode: ScribeMode,
        /// How many files were written, or would be.
        files_updated as "filesUpdated": Integer [minimum: 0],
        /// What was planned.
        plan: Option<Plan>,
        /// Which documents were made.
        doc_pack_config as "docPackConfig": Option<DocPackConfig>,
        /// The branch.
        branch: Option<String>,
        /// Whether the branch is new.
        branch_created as "branchCreated": Option<bool>,
        /// One commit for each file.
        commits: Option<Vec<Commit>>,
        /// The pull request, if there is one.
        pull_request as "pullRequest": Option<PullRequest>,
        /// What a second reading found.
        critiques: Option<Vec<Critique>>,
        /// Whether nothing was written.
        dry_run as "dryRun": Option<bool>,
        /// What would have been written.
        preview: Option<Preview>,
        /// What was done to which file.
        diagnostics: Diagnostics,
        /// Whether the file to update was not there.
        file_missing as "fileMissing": Option<bool>,
    }
}

words! {
    /// The agent's id.
    pub enum ScribeAgent { ScribeV2 = "scribe-v2" }
}

words! {
    /// How the agent works.
    pub enum ScribeMode { ContractFirst = "contract-first-doc-specialist" }
}

wire! {
    /// The sections that were planned.
    pub open struct Plan {
        /// In order.
        sections: Vec<PlannedSection>,
    }
}

wire! {
    /// One section to write.
    pub open struct PlannedSection {
        /// The document.
        path: String,
        /// What it will say.
        outline: String,
    }
}

wire! {
    /// Which documents were made.
    pub open struct DocPackConfig {
        /// The pack.
        pack: String,
        /// The depth.
        depth: String,
        /// The documents.
        targets: Vec<String>,
    }
}

wire! {
    /// A commit and its file.
    pub open struct Commit {
        /// The file.
        path: String,
        /// The commit.
        commit: CommitInfo,
    }
}

wire! {
    /// A commit.
    pub open struct CommitInfo {
        /// Its hash.
        sha: Option<String>,
        /// Its message.
        message: Option<String>,
    }
}

wire! {
    /// A pull request; without an address it could not be opened.
    pub open struct PullRequest {
        /// Its address.
        url: Option<String>,
    }
}

wire! {
    /// What a second reading said of a document.
    pub open struct Critique {
        /// The document.
        path: String,
        /// What was found.
        critique: CritiqueBody,
    }
}

wire! {
    /// What a second reading found.
    pub open struct CritiqueBody {
        /// What is wrong.
        issues: Vec<String>,
        /// What could be better.
        suggestions: Vec<String>,
        /// How good it is.
        score: Option<Number<'static>>,
    }
}

wire! {
    /// What would have been written.
    pub open struct Preview {
        /// The branch.
        branch: String,
        /// The files.
        files: Vec<FilePreview>,
        /// The commit message.
        commit_message as "commitMessage": String,
    }
}

wire! {
    /// A file that would have been written.
    pub open struct FilePreview {
        /// The file.
        path: String,
        /// Its length in characters.
        content_length as "contentLength": Integer [minimum: 0],
        /// Its new lines.
        lines_added as "linesAdded": Integer [minimum: 0],
    }
}

wire! {
    /// What was done to which file.
    pub open struct Diagnostics {
        /// Whether anything was written.
        mode: DiagnosticsMode,
        /// File by file.
        operations: Vec<FileOperation>,
        /// The documents that were wanted.
        targets: Vec<String>,
    }
}

words! {
    /// Whether anything was written.
    pub enum DiagnosticsMode {
        DryRun = "dry-run",
        Execute = "execute",
    }
}

wire! {
    /// What was done to a file.
    pub open struct FileOperation {
        /// The file.
        file: String,
        /// Its size.
        bytes: Integer [minimum: 0],
        /// Lines that changed.
        lines_changed as "linesChanged": Integer [minimum: 0],
    }
}
