//! What may be submitted: the contract of the payload, and the rules that a contract cannot say.
//!
//! [`check`] is the whole of it, for every surface. It reads the payload only: no repository, no account.

use consign_contracts::{
    Contract,
    authoring::{ProtoPayload, RevisionMode, RevisionScope, ScribePayload, TracePayload},
    json::{Json, Object},
    wire::{Message, Wire},
};
use consign_engine::{Data, Fault};
use serde_json::json;

use super::{AgentType, JobInput, RULES, Revision, generators, places};

/// Why a job may not be submitted.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Invalid {
    pub message: String,
    /// Where, as JSON pointers into the submission, and what is wrong there.
    pub issues: Vec<(String, String)>,
    /// The line of the specification that cannot be read, from 1.
    pub line: Option<u32>,
}

impl Invalid {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// A breach at one place of the submission.
    pub(super) fn at(pointer: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let issues = vec![(pointer.to_owned(), message.clone())];
        Self { message: format!("{}: {message}", named(pointer)), issues, line: None }
    }

    pub(super) fn fault(&self) -> Fault {
        let issues =
            self.issues.iter().map(|(path, message)| json!({"pointer": path, "message": message}));
        let mut details = json!({"breaches": issues.collect::<Vec<_>>()});
        if let Some(line) = self.line {
            details["line"] = line.into();
        }
        Fault::permanent("VALIDATION_ERROR", self.message.clone()).with_details(Data::of(&details))
    }
}

/// A pointer as people write a place: `payload.spec`.
fn named(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

/// Checks what a job was given.
pub(super) fn check(kind: AgentType, input: &JobInput) -> Result<(), Invalid> {
    let unreadable = |fault: Fault| Invalid::at("/payload", fault.message);
    let given = input.payload.tree().map_err(|cause| unreadable(cause.into()))?;
    let Json::Object(members) = &given else {
        return Err(Invalid::at("/payload", format!("it is a JSON object, not {}", given.kind())));
    };
    let contract = match kind {
        AgentType::Scribe => ScribePayload::contract(),
        AgentType::Trace => TracePayload::contract(),
        AgentType::Proto => ProtoPayload::contract(),
    };
    if input.is_strict() {
        refuse_unknown(kind, members)?;
    }
    if input.settings.framework.is_some() && kind != AgentType::Trace {
        return Err(Invalid::at("/settings/framework", "only Trace writes tests"));
    }
    if let Some(named) = &input.settings.branch {
        let base = given.get("baseBranch").and_then(Json::as_str);
        named_branch(kind, named, base)?;
    }
    if let Some(revision) = &input.revision {
        revised(kind, revision, input)?;
    }
    hold(contract, &given)?;
    let effective = input.effective().map_err(unreadable)?;
    let effective = effective.tree().map_err(|cause| unreadable(cause.into()))?;
    if input.settings.defaults.is_some() {
        hold(contract, &effective)?;
    }
    let breach = |breach: consign_contracts::Breach| Invalid::at("/payload", breach.to_string());
    match kind {
        AgentType::Scribe => {
            let payload = ScribePayload::read(&effective).map_err(breach)?;
            scribe(&payload, input)
        }
        AgentType::Trace => trace(&TracePayload::read(&effective).map_err(breach)?),
        AgentType::Proto => proto(&ProtoPayload::read(&effective).map_err(breach)?),
    }
}

/// The branch that the user of a terminal named.
fn named_branch(kind: AgentType, named: &str, base: Option<&str>) -> Result<(), Invalid> {
    let refused = |why: String| Err(Invalid::at("/settings/branch", why));
    if kind == AgentType::Scribe {
        return refused("a payload of Scribe names its branch".to_owned());
    }
    if let Some(unknown) = places::unknown_placeholder(named) {
        let known = places::PLACEHOLDERS.join(", ");
        return refused(format!("there is no placeholder {{{unknown}}}; there are {known}"));
    }
    if base == Some(named) {
        return refused(
            "it is the base branch: files are made on a branch of their own".to_owned(),
        );
    }
    match places::unfit_branch(&places::filled(named)) {
        Some(why) => refused(format!("not the name of a branch: {why}")),
        None => Ok(()),
    }
}

/// Whether a job can be revised so.
fn revised(kind: AgentType, revision: &Revision, input: &JobInput) -> Result<(), Invalid> {
    let words = [
        ("mode", &revision.mode, RevisionMode::from_word(&revision.mode).is_some()),
        ("scope", &revision.scope, RevisionScope::from_word(&revision.scope).is_some()),
    ];
    for (name, word, is_known) in words {
        if !is_known {
            let text = format!("there is no such word: {word:?}");
            return Err(Invalid::at(&format!("/revision/{name}"), text));
        }
    }
    if revision.instruction.trim().is_empty() {
        return Err(Invalid::at("/revision/instruction", "the instruction is blank"));
    }
    let model = input.settings.model.as_deref().filter(|model| *model != RULES);
    if kind != AgentType::Scribe && model.is_none() {
        let text =
            format!("a revision of {kind} needs a model: rules cannot follow an instruction");
        return Err(Invalid::at("/settings/model", text));
    }
    Ok(())
}

/// Holds a payload to its contract.
fn hold(contract: &Contract, payload: &Json<'_>) -> Result<(), Invalid> {
    let verdict = contract.schema().check(payload);
    let Some(first) = verdict.breaches.first() else { return Ok(()) };
    let at = |pointer: &str| format!("/payload{pointer}");
    let message = format!("{}: {}", named(&at(&first.pointer)), first.message);
    let issues = verdict.breaches.iter();
    let issues = issues.map(|breach| (at(&breach.pointer), breach.message.clone())).collect();
    Err(Invalid { message, issues, line: None })
}

fn refuse_unknown(kind: AgentType, members: &Object<'_>) -> Result<(), Invalid> {
    let schema = match kind {
        AgentType::Scribe => ScribePayload::schema(),
        AgentType::Trace => TracePayload::schema(),
        AgentType::Proto => ProtoPayload::schema(),
    };
    let known = schema.get("properties").and_then(Json::as_object);
    let is_known = |name: &str| known.is_some_and(|known| known.get(name).is_some());
    let unknown = members.keys().filter(|name| !is_known(name));
    let issues: Vec<_> = unknown
        .map(|name| (format!("/payload/{name}"), format!("{kind} has no field `{name}`")))
        .collect();
    match issues.first() {
        None => Ok(()),
        Some((_, first)) => {
            let message = format!("payload: {first} (requiresStrictValidation)");
            Err(Invalid { message, issues, line: None })
        }
    }
}

fn trace(payload: &TracePayload) -> Result<(), Invalid> {
    if payload.spec.trim().is_empty() {
        return Err(Invalid::at("/payload/spec", "the specification is blank"));
    }
    repository(payload.owner.as_deref(), payload.repo.as_deref())?;
    branch("baseBranch", payload.base_branch.as_deref())?;
    generators::check_spec(&payload.spec)
}

fn proto(payload: &ProtoPayload) -> Result<(), Invalid> {
    let said = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    if !said(&payload.requirements) && !said(&payload.goal) {
        let pointer = if payload.requirements.is_some() { "requirements" } else { "goal" };
        let text = "requirements and goal are blank: one of them must say what to build";
        return Err(Invalid::at(&format!("/payload/{pointer}"), text));
    }
    repository(payload.owner.as_deref(), payload.repo.as_deref())?;
    branch("baseBranch", payload.base_branch.as_deref())?;
    generators::check_requirements(payload)
}

fn scribe(payload: &ScribePayload, input: &JobInput) -> Result<(), Invalid> {
    if let Some(mode) = payload.mode {
        if input.settings.defaults.is_none() {
            let text =
                format!("mode {mode} takes the saved settings of Scribe, and none are saved");
            return Err(Invalid::at("/payload/mode", text));
        }
        for (name, value) in [
            ("owner", &payload.owner),
            ("repo", &payload.repo),
            ("baseBranch", &payload.base_branch),
        ] {
            if value.is_none() {
                let text = format!("neither the payload nor the saved settings have `{name}`");
                return Err(Invalid::at(&format!("/payload/{name}"), text));
            }
        }
    }
    repository(payload.owner.as_deref(), payload.repo.as_deref())?;
    branch("baseBranch", payload.base_branch.as_deref())?;
    branch("featureBranch", payload.feature_branch.as_deref())?;
    if payload.feature_branch.is_some() && payload.feature_branch == payload.base_branch {
        let text = "it is the base branch: documents are written on a branch of their own";
        return Err(Invalid::at("/payload/featureBranch", text));
    }
    let body = payload.pr_body_template.as_ref().and_then(|body| body.0.as_deref());
    for (name, template) in [
        ("branchPattern", payload.branch_pattern.as_deref()),
        ("prTitleTemplate", payload.pr_title_template.as_deref()),
        ("prBodyTemplate", body),
    ] {
        if let Some(unknown) = template.and_then(places::unknown_placeholder) {
            let known = places::PLACEHOLDERS.join(", ");
            let text = format!("there is no placeholder {{{unknown}}}; there are {known}");
            return Err(Invalid::at(&format!("/payload/{name}"), text));
        }
    }
    let pattern = payload.branch_pattern.as_deref().map(places::filled);
    branch("branchPattern", pattern.as_deref())?;
    let may_touch_workflows = payload.requires_approval == Some(true);
    let count = payload.output_targets.as_ref().map_or(0, Vec::len);
    if count > places::MOST_TARGETS {
        let text = format!("{count} documents; a job writes at most {}", places::MOST_TARGETS);
        return Err(Invalid::at("/payload/outputTargets", text));
    }
    let targets = payload.output_targets.iter().flatten().enumerate();
    let targets = targets.map(|(at, target)| (format!("outputTargets/{at}"), target));
    let folder = payload.target_path.iter().map(|path| ("targetPath".to_owned(), path));
    for (name, target) in targets.chain(folder) {
        if let Some(why) = places::unfit_target(target, may_touch_workflows) {
            return Err(Invalid::at(&format!("/payload/{name}"), why));
        }
    }
    Ok(())
}

/// The owner and the name of a repository come together, and fit into an address.
fn repository(owner: Option<&str>, repo: Option<&str>) -> Result<(), Invalid> {
    for (name, value, other) in [("owner", owner, repo), ("repo", repo, owner)] {
        match value {
            Some(value) if !places::is_repository_name(value) => {
                let text = "it has 1 to 100 of the letters A-Z a-z 0-9 . _ -";
                return Err(Invalid::at(&format!("/payload/{name}"), text));
            }
            None if other.is_some() => {
                let text = "owner and repo come together, and this one is missing";
                return Err(Invalid::at(&format!("/payload/{name}"), text));
            }
            Some(_) | None => {}
        }
    }
    Ok(())
}

fn branch(name: &str, branch: Option<&str>) -> Result<(), Invalid> {
    match branch.and_then(places::unfit_branch) {
        Some(why) => Err(Invalid::at(
            &format!("/payload/{name}"),
            format!("not the name of a branch: {why}"),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
