//! What the agents of jobs call: the generators of Trace and Proto, with their types turned into plans and results.

use std::borrow::Cow;

use consign_contracts::{
    authoring::{ProtoPayload, TestCase, TracePayload},
    json::{Json, Object},
    wire::{Map, Wire},
};
use consign_engine::{Data, Fault};
use serde_json::json;

use super::{
    AgentType, Explained, JobPlan, Revision,
    check::Invalid,
    progress::Made,
    result::{MadeFile, artifacts},
};
use crate::{
    proto::{self, Artifact, Reflection, Scaffold},
    trace::{self, Framework},
};

/// Whether a specification can be read.
pub(super) fn check_spec(spec: &str) -> Result<(), Invalid> {
    trace::check(spec).map_err(|refused| {
        let invalid = Invalid::at("/payload/spec", refused.message);
        Invalid { line: refused.line, ..invalid }
    })
}

/// Whether there is anything to build.
pub(super) fn check_requirements(payload: &ProtoPayload) -> Result<(), Invalid> {
    proto::check(payload.requirements.as_deref(), payload.goal.as_deref()).map_err(|refused| {
        let member = if payload.requirements.is_some() { "requirements" } else { "goal" };
        Invalid::at(&format!("/payload/{member}"), refused.to_string())
    })
}

/// The steps that a job will take.
pub(super) fn plan(
    kind: AgentType,
    payload: &Data,
    model: Option<&str>,
    framework: Framework,
) -> Result<JobPlan, Fault> {
    let steps = match kind {
        AgentType::Scribe => Vec::new(),
        AgentType::Trace => {
            let payload = trace_payload(payload)?;
            let output =
                trace::generate(&payload.spec, &framework, &[]).map_err(|why| unfit(&why))?;
            let count = output.scenario_count;
            let noun = if count == 1 { "scenario" } else { "scenarios" };
            let think =
                model.map(|_| "Ask the model for cases that the specification implies".to_owned());
            let files = output.artifacts.iter().map(|file| file.file_path.as_str());
            let write = format!("Write {}", files.collect::<Vec<_>>().join(", "));
            let read =
                format!("Read the specification as {}: {count} {noun}", output.strategy.as_str());
            [Some(read), think, Some(write)].into_iter().flatten().collect()
        }
        AgentType::Proto => {
            let mut steps = scaffold_of(&proto_payload(payload)?)?.plan;
            if model.is_some() {
                steps.push(
                    "Ask the model for the files; these are what is left without it".to_owned(),
                );
            }
            steps.push("Look over what was written".to_owned());
            steps
        }
    };
    Ok(JobPlan { steps, sections: None })
}

/// Makes what a job is for.
pub(super) fn make(
    kind: AgentType,
    payload: &Data,
    thought: Option<&Data>,
    framework: Framework,
) -> Result<Made, Fault> {
    match kind {
        AgentType::Scribe => Err(Fault::permanent(
            "AGENT_NOT_FOUND",
            "Scribe has no single step that makes its result",
        )),
        AgentType::Trace => make_trace(&trace_payload(payload)?, thought, framework),
        AgentType::Proto => make_proto(&proto_payload(payload)?, thought),
    }
}

fn make_trace(
    payload: &TracePayload,
    thought: Option<&Data>,
    framework: Framework,
) -> Result<Made, Fault> {
    let suggested = thought.map(suggestions).unwrap_or_default();
    let output =
        trace::generate(&payload.spec, &framework, &suggested).map_err(|why| unfit(&why))?;
    let source = if thought.is_some() { "model" } else { "rules" };
    let explained = vec![
        Explained::new(
            "read",
            format!("the specification has the form {}", output.strategy.as_str()),
            &["payload.spec"],
        ),
        Explained::new(
            "write",
            "each scenario gives its cases, ids and a place in the matrix",
            &["read"],
        ),
    ];
    let metadata = object([
        ("scenarioCount", count(output.scenario_count)),
        ("totalTestCases", count(output.total_test_cases)),
        ("specLength", count(output.spec_length)),
        ("source", Json::from(source)),
        ("suggested", count(output.suggested)),
        ("strategy", Json::from(output.strategy.as_str())),
    ]);
    let result = object([
        ("ok", Json::Bool(true)),
        ("agent", Json::from("trace")),
        ("files", output.files.write()),
        ("testPlan", Json::String(output.test_plan.into())),
        ("coverageMatrix", Map::write(&output.coverage_matrix)),
        ("artifacts", output.artifacts.write()),
        ("metadata", Json::Object(metadata)),
    ]);
    Ok(Made { result: Data::from(&Json::Object(result)), trace: explained })
}

/// The cases that a model thought of.
fn suggestions(thought: &Data) -> Vec<TestCase> {
    let tree = thought.shown();
    let cases = tree.get("cases").and_then(Json::as_array).unwrap_or_default();
    cases.iter().filter_map(|case| TestCase::read(case).ok()).collect()
}

fn make_proto(payload: &ProtoPayload, thought: Option<&Data>) -> Result<Made, Fault> {
    let rules = scaffold_of(payload)?;
    let (files, source, message) = match thought {
        Some(thought) => (thought_files(thought), "model", thought_message(thought)),
        None => (rules.artifacts, rules.source.as_str(), rules.message),
    };
    let why = match source {
        "model" => "the settings name a model, and its files passed the checks",
        "stack" => "the stack is a known one",
        _ => "no known stack was asked for, so the scaffold is the minimal one",
    };
    let artifact = |file: &Artifact| {
        Json::Object(object([
            ("filePath", Json::String(file.path.clone().into())),
            ("content", Json::String(file.content.clone().into())),
        ]))
    };
    let metadata = object([
        ("filesCreated", count(files.len())),
        ("source", Json::from(source)),
        ("suggested", count(0)),
    ]);
    let result = object([
        ("ok", Json::Bool(true)),
        ("agent", Json::from("proto")),
        ("artifacts", Json::Array(files.iter().map(artifact).collect())),
        ("message", Json::String(message.into())),
        ("metadata", Json::Object(metadata)),
    ]);
    let trace = vec![Explained::new("write", why, &["payload.requirements", "payload.stack"])];
    Ok(Made { result: Data::from(&Json::Object(result)), trace })
}

/// Looks over what Proto made.
pub(super) fn reflect(payload: &Data, result: &Data) -> Result<Data, Fault> {
    let payload = proto_payload(payload)?;
    let files = artifacts(result).into_iter();
    let files = files.map(|MadeFile { path, content }| Artifact { path, content }).collect();
    let scaffold = Scaffold { artifacts: files, ..scaffold_of(&payload)? };
    let said = [payload.requirements.as_deref(), payload.goal.as_deref()];
    let said: Vec<_> = said.into_iter().flatten().collect();
    let Reflection { issues, suggestions, score } = proto::reflect(&scaffold, &said.join("\n\n"));
    Ok(Data::of(&json!({
        "ok": issues.is_empty(),
        "issues": issues,
        "suggestions": suggestions,
        "score": score,
    })))
}

/// The scaffold that the rules make.
fn scaffold_of(payload: &ProtoPayload) -> Result<Scaffold, Fault> {
    let (requirements, goal) = (payload.requirements.as_deref(), payload.goal.as_deref());
    proto::generate(requirements, goal, payload.stack.as_deref()).map_err(|why| unfit(&why))
}

/// Whether the files that a model proposes may be written.
pub(super) fn are_files_fit(thought: &Data) -> bool {
    let files = thought_files(thought);
    !files.is_empty() && proto::check_paths(&files).is_ok()
}

/// A model's files as far as a revision may change them. `files` keeps the list of files, `plan` keeps what is in them.
pub(super) fn revised(thought: &Data, revision: &Revision) -> Data {
    let new = thought_files(thought);
    let parent = |path: &str| revision.parent_artifacts.iter().find(|file| file.path == path);
    let files: Vec<Artifact> = match revision.scope.as_str() {
        "files" => {
            let written = |path: &str| new.iter().find(|file| file.path == path);
            let kept = revision.parent_artifacts.iter().map(|file| Artifact {
                path: file.path.clone(),
                content: written(&file.path).map_or(&file.content, |new| &new.content).clone(),
            });
            kept.collect()
        }
        "plan" => {
            let added = new.into_iter().filter(|file| parent(&file.path).is_none());
            let kept = revision.parent_artifacts.iter();
            let kept = kept
                .map(|file| Artifact { path: file.path.clone(), content: file.content.clone() });
            kept.chain(added).collect()
        }
        _ => new,
    };
    let message = thought_message(thought);
    let files: Vec<_> =
        files.into_iter().map(|file| json!({"path": file.path, "content": file.content})).collect();
    Data::of(&json!({"files": files, "message": message}))
}

fn thought_files(thought: &Data) -> Vec<Artifact> {
    let tree = thought.shown();
    let files = tree.get("files").and_then(Json::as_array).unwrap_or_default();
    let file = |file: &Json<'_>| {
        let text =
            |name: &str| file.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        Artifact { path: text("path"), content: text("content") }
    };
    files.iter().map(file).collect()
}

fn thought_message(thought: &Data) -> String {
    let tree = thought.shown();
    let message = tree.get("message").and_then(Json::as_str);
    message.unwrap_or("The files were written by a model.").to_owned()
}

fn trace_payload(payload: &Data) -> Result<TracePayload, Fault> {
    TracePayload::read(&payload.tree()?).map_err(|breach| broken(&breach))
}

fn proto_payload(payload: &Data) -> Result<ProtoPayload, Fault> {
    ProtoPayload::read(&payload.tree()?).map_err(|breach| broken(&breach))
}

fn broken(breach: &consign_contracts::Breach) -> Fault {
    Fault::permanent("VALIDATION_ERROR", format!("the payload: {breach}"))
}

/// What was good when it was submitted and is refused now.
fn unfit(why: &dyn std::error::Error) -> Fault {
    Fault::permanent("VALIDATION_ERROR", why.to_string())
}

fn count(number: usize) -> Json<'static> {
    Json::Number((number as u64).into())
}

fn object<'a, const N: usize>(members: [(&'static str, Json<'a>); N]) -> Object<'a> {
    members.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect()
}
