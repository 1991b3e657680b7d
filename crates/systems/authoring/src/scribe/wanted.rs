//! What a job of Scribe is asked for, read from its payload once.

use consign_contracts::{
    authoring::{DocDepth, DocPack, RunMode, ScribePayload},
    json::Json,
    wire::Wire,
};
use consign_documentation::targets::{self, Budget};
use consign_engine::{Data, Fault};

use crate::{
    job::JobInput,
    publish::look::{BranchChoice, BranchRule, Site},
};

/// Commits that are read unless a payload says otherwise.
const COMMITS: u64 = 30;

/// A request, with its defaults.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) site: Site,
    pub(crate) rule: BranchRule,
    pub(crate) targets: Vec<String>,
    pub(crate) pack: Option<DocPack>,
    pub(crate) depth: DocDepth,
    pub(crate) budget: Budget,
    pub(crate) commits: usize,
    pub(crate) dry_run: bool,
    pub(crate) task: Option<String>,
    /// What a revision asks for.
    pub(crate) instruction: Option<String>,
    /// The targets are those of a pack, and none that somebody named: a document that is there under another name or in
    /// another folder is the same one.
    pub(crate) of_pack: bool,
    /// The payload names one file that is to be updated.
    pub(crate) names_file: bool,
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
}

impl Wanted {
    /// Reads the input of a job, which was checked before.
    pub(crate) fn read(input: &JobInput) -> Result<Self, Fault> {
        let payload = input.effective()?;
        let tree = payload.tree()?;
        let number = |name: &str| tree.get(name)?.as_number()?.as_u64();
        let payload = ScribePayload::read(&tree).map_err(|breach| {
            Fault::permanent("VALIDATION_ERROR", format!("the payload: {breach}"))
        })?;
        let depth = payload.doc_depth.unwrap_or(DocDepth::Standard);
        let wanted_targets = payload.output_targets.unwrap_or_default();
        let path = payload.target_path.as_deref();
        let tokens = number("maxOutputTokens");
        let pattern = payload.feature_branch.or(payload.branch_pattern);
        let pattern = pattern.unwrap_or_else(|| "docs/scribe-{timestamp}".to_owned());
        let is_test = payload.mode == Some(RunMode::Test);
        Ok(Self {
            site: site(input, &tree)?,
            rule: rule(input, "scribe", BranchChoice::Pattern(pattern)),
            targets: targets::targets(payload.doc_pack, &wanted_targets, path),
            pack: payload.doc_pack,
            depth,
            budget: targets::budget(payload.doc_pack, depth, tokens, number("passes")),
            commits: usize::try_from(number("analyzeLastNCommits").unwrap_or(COMMITS))
                .unwrap_or(usize::MAX)
                .min(targets::MOST_COMMITS),
            dry_run: payload.dry_run == Some(true) || is_test,
            task: payload.task_description.filter(|task| !task.trim().is_empty()),
            instruction: input.revision.as_ref().map(|revision| revision.instruction.clone()),
            of_pack: path.is_none() && (payload.doc_pack.is_some() || wanted_targets.is_empty()),
            names_file: payload.doc_pack.is_none()
                && wanted_targets.is_empty()
                && path.is_some_and(|path| !path.ends_with('/')),
            title: payload.pr_title_template,
            body: payload.pr_body_template.and_then(|body| body.0),
        })
    }

    /// The tokens that one document may have.
    pub(crate) fn share(&self) -> u32 {
        let share = self.budget.tokens / self.targets.len().max(1) as u64;
        u32::try_from(share.max(1)).unwrap_or(u32::MAX)
    }

    /// The tokens of sources that a model is shown for one document.
    pub(crate) fn context(&self) -> u64 {
        match self.depth {
            DocDepth::Lite => 6_000,
            DocDepth::Standard => 16_000,
            DocDepth::Deep => 40_000,
        }
    }
}

/// The repository of a job.
pub(crate) fn site(input: &JobInput, payload: &Json<'_>) -> Result<Site, Fault> {
    let text = |name: &str| payload.get(name).and_then(Json::as_str).map(str::to_owned);
    let (Some(owner), Some(repo)) = (text("owner"), text("repo")) else {
        let why = "the payload names no repository";
        return Err(Fault::permanent("VALIDATION_ERROR", why));
    };
    let base_branch = text("baseBranch").unwrap_or_else(|| "main".to_owned());
    Ok(Site { owner, repo, folder: input.settings.folder.clone(), base_branch })
}

/// How the branch of a job is found. A revision goes to the branch of the job that it revises.
pub(crate) fn rule(input: &JobInput, agent: &str, usual: BranchChoice) -> BranchRule {
    let parent = input.revision.as_ref().and_then(|revision| {
        let branch = revision.branch.clone()?;
        Some(BranchChoice::Revised { branch, had_pull_request: revision.pull_request.is_some() })
    });
    let choice = if usual == BranchChoice::Base { usual } else { parent.unwrap_or(usual) };
    BranchRule { agent: agent.to_owned(), choice, submitted: input.submitted }
}

/// Whether a member of the payload is `true`.
pub(crate) fn is_set(payload: &Data, member: &str) -> bool {
    payload.tree().is_ok_and(|tree| tree.get(member).and_then(Json::as_bool) == Some(true))
}
