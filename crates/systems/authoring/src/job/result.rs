//! The result of a job, by the contract of its type, and the files in it.

use consign_contracts::{
    Contract,
    authoring::{ProtoResult, ScribeResult, TraceResult},
    json::{Json, Object},
    wire::Message,
};
use consign_engine::{Data, Fault};
use serde::{Deserialize, Serialize};

use super::AgentType;
use crate::publish::{Order, Publication};

/// A file that a job made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeFile {
    #[serde(rename = "filePath")]
    pub path: String,
    #[serde(default)]
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

/// What became of publishing, for Trace and Proto.
#[derive(Default)]
pub(super) struct Published {
    committed: bool,
    branch: Option<String>,
    url: Option<String>,
    error: Option<String>,
}

impl Published {
    pub(super) fn of(order: &Order<'_>, publication: &Publication) -> Self {
        let committed = publication.committed(order).next().is_some();
        let is_there = order.manual || publication.branch.as_ref().is_some_and(|it| it.is_there);
        let branch = publication.looked.as_ref().map(|looked| looked.branch.clone());
        Self {
            committed,
            branch: branch.filter(|_| is_there && committed),
            url: publication.pull.as_ref().and_then(|pull| pull.url.clone()),
            error: publication.error(),
        }
    }
}

/// What the workflow knows of a result besides what the agent that made it knows.
pub(super) struct Besides {
    pub(super) published: Published,
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
    let Published { committed, branch, url, error } = &besides.published;
    metadata.set("committed", Json::Bool(*committed));
    for (name, value) in [("branch", branch), ("prUrl", url)] {
        if let Some(value) = value {
            result.set(name, Json::from(value.as_str()));
        }
    }
    if let Some(error) = error {
        metadata.set("githubError", Json::from(error.as_str()));
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
