//! The result of a job, by the contract of its type, and the files in it.

use consign_contracts::{
    Contract,
    authoring::{ProtoResult, ScribeResult, TraceResult},
    json::{Json, Object},
    wire::Message,
};
use consign_engine::{Data, Fault};

use super::AgentType;

/// What a job that was to publish says as long as nothing can be published.
pub(super) const NOT_PUBLISHED: &str =
    "nothing was published: publishing to a repository is not configured on this server";

/// A file that a job made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeFile {
    pub path: String,
    pub content: String,
}

/// The files of a result, in its order.
#[must_use]
pub fn artifacts(result: &Data) -> Vec<MadeFile> {
    let tree = result.shown();
    let files = tree.get("artifacts").and_then(Json::as_array).unwrap_or_default();
    let file = |file: &Json<'_>| {
        let text = |name: &str| file.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(MadeFile { path: text("filePath")?, content: text("content").unwrap_or_default() })
    };
    files.iter().filter_map(file).collect()
}

/// What the workflow knows of a result besides what the agent that made it knows.
pub(super) struct Besides {
    /// It was to be published.
    pub(super) is_for_repository: bool,
    /// The code of the failure of the model that was asked.
    pub(super) ai_error: Option<String>,
    /// What a second look said.
    pub(super) reflection: Option<Data>,
}

/// The whole result: what was made, and what became of it.
pub(super) fn complete(made: &Data, besides: &Besides) -> Data {
    let Ok(Json::Object(mut result)) = made.tree() else { return made.clone() };
    let metadata = result.remove("metadata");
    let mut metadata = match metadata {
        Some(Json::Object(metadata)) => metadata,
        Some(_) | None => Object::new(),
    };
    metadata.set("committed", Json::Bool(false));
    if besides.is_for_repository {
        metadata.set("githubError", Json::from(NOT_PUBLISHED));
    }
    if let Some(code) = &besides.ai_error {
        metadata.set("aiError", Json::from(code.as_str()));
    }
    if let Some(reflection) = &besides.reflection {
        metadata.set("reflection", reflection.shown());
    }
    result.set("metadata", Json::Object(metadata));
    Data::from(&Json::Object(result))
}

/// Holds a result to its contract.
pub(super) fn check(kind: AgentType, result: &Data) -> Result<(), Fault> {
    let contract: &Contract = match kind {
        AgentType::Scribe => ScribeResult::contract(),
        AgentType::Trace => TraceResult::contract(),
        AgentType::Proto => ProtoResult::contract(),
    };
    let verdict = contract.schema().check(&result.tree()?);
    let Some(first) = verdict.breaches.first() else { return Ok(()) };
    let text = format!("the result breaks its contract at {:?}: {}", first.pointer, first.message);
    Err(Fault::permanent("AI_INVALID_RESPONSE", text))
}
