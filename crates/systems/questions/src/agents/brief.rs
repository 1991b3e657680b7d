//! The input of a built-in agent, and the flag that tells it to stop.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use consign_code::Cancel;
use consign_contracts::json::{Json, Object};
use consign_engine::{Data, Fault};

use super::{
    super::tools::{Policy, Rule, View},
    json,
};

/// How long an agent searches. After that it continues with what it has.
const PATIENCE: Duration = Duration::from_secs(20);

/// The input of a built-in agent: the members of the envelope that it reads, and what it may
/// search.
#[derive(Clone, Debug)]
pub struct Brief {
    /// Members of the envelope, with those of `outputs` that the agent reads.
    pub envelope: Object<'static>,
    /// The repository that the question is about.
    pub repo: Option<PathBuf>,
    /// The tools that the stage allows; `None` allows all.
    pub tools: Option<Vec<String>>,
    pub policy: Policy,
}

impl Brief {
    /// Reads `{"envelope": {…}, "repo": "/abs" or null, "tools": […] or null, "policy": {…} or null}`.
    pub fn read(input: &Data) -> Result<Self, Fault> {
        let refuse =
            |what: &str| Fault::permanent("BRIEF_INVALID", format!("the agent's input {what}"));
        let tree = input.tree()?;
        let members = tree.as_object().ok_or_else(|| refuse("is not an object"))?;
        if let Some(unknown) =
            members.keys().find(|key| !["envelope", "repo", "tools", "policy"].contains(key))
        {
            return Err(refuse(&format!("has an unknown member {unknown:?}")));
        }
        let envelope = members
            .get("envelope")
            .and_then(Json::as_object)
            .ok_or_else(|| refuse("has no envelope"))?
            .clone()
            .into_owned();
        let repo = match members.get("repo") {
            None | Some(Json::Null) => None,
            Some(Json::String(path)) => {
                let path = PathBuf::from(path.as_ref());
                if !path.is_absolute() {
                    return Err(refuse("has a `repo` that is not an absolute path"));
                }
                Some(path)
            }
            Some(_) => return Err(refuse("has a `repo` that is not a string")),
        };
        let tools = match members.get("tools") {
            None | Some(Json::Null) => None,
            Some(Json::Array(names)) => Some(
                names
                    .iter()
                    .map(|name| name.as_str().map(str::to_owned))
                    .collect::<Option<Vec<_>>>()
                    .ok_or_else(|| refuse("has `tools` with a name that is not a string"))?,
            ),
            Some(_) => return Err(refuse("has `tools` that are not an array")),
        };
        let policy = match members.get("policy") {
            None | Some(Json::Null) => Policy::default(),
            Some(policy) => Policy::from_json(policy)
                .map_err(|why| refuse(&format!("has a policy that cannot be used: {why}")))?,
        };
        Ok(Self { envelope, repo, tools, policy })
    }

    /// The repository as the policy shows it. `None` if the question has no repository.
    pub(super) fn view(&self, stop: &Stop) -> Result<Option<View>, Fault> {
        let Some(root) = &self.repo else { return Ok(None) };
        View::open(root, self.policy.clone(), stop.cancel().within(PATIENCE))
            .map(Some)
            .map_err(|cause| Fault::permanent("REPOSITORY_UNREADABLE", cause.to_string()))
    }

    /// Whether the stage may use a tool.
    pub(super) fn allows(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|allowed| allowed.iter().any(|name| name == tool))
    }

    /// Whether a tool may be used without a person's confirmation. Only then may an agent use it on
    /// its own.
    pub(super) fn free(&self, tool: &str) -> bool {
        self.policy.rule(tool) == Rule::Allow
    }

    /// A text member of the envelope.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        json::text(&self.envelope, key)
    }

    /// The output of an earlier stage.
    pub(super) fn output(&self, key: &str) -> Option<&Object<'static>> {
        self.envelope.get("outputs")?.get(key)?.as_object()
    }

    pub(super) fn number(&self, key: &str) -> Option<u64> {
        json::whole(&self.envelope, key)
    }
}

/// Tells an agent that its result is no longer needed. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn cancel(&self) -> Cancel {
        Cancel::watching(self.0.clone())
    }

    /// Returns an error if the agent was told to stop. To be called where an agent can end early.
    pub(super) fn check(&self) -> Result<(), Fault> {
        if self.is_stopped() { Err(Self::fault()) } else { Ok(()) }
    }

    pub(super) fn fault() -> Fault {
        Fault::permanent("CANCELLED", "the agent was cancelled")
    }
}
