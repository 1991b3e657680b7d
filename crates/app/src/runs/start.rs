//! Starting a run of a workflow.

use std::sync::Arc;

use consign_basics::sample;
use consign_contracts::json::Json;
use consign_engine::{
    Actor, AgentName, Data, Drive, Engine, Limits, Owner, Placement, RunId, Settings, Submission,
    Submitted,
};
use consign_pipeline::{AgentScope, BUILT_IN, ENVELOPE, PipelineInput};

use crate::{
    error::{Error, Refused},
    foreground::Foreground,
    suggest::nearest,
};

/// What a run is started with.
#[derive(Clone, Debug)]
pub struct Start {
    /// The caller's own name for it: the same start under the same name gives the same run.
    pub id: Option<RunId>,
    pub workflow: String,
    pub input: Data,
    pub owner: Owner,
    /// Limits that were set; the standard ones hold for the rest.
    pub limits: Limits,
    pub placement: Placement,
    pub priority: i32,
    pub settings: Settings,
    pub certified: bool,
    pub actor: Actor,
}

/// On whose behalf a run is started, and so what its input may say.
#[derive(Clone, Copy, Debug)]
pub enum Admission<'a> {
    /// The user of this machine: the input may name places on it.
    Trusted,
    /// A request from outside: repository, policy and definitions are the server's, whatever the input says.
    Outside(&'a AgentScope),
}

/// Starts a run and leaves it to the workers.
pub async fn start(
    engine: &Arc<Engine>,
    start: Start,
    admission: Admission<'_>,
) -> Result<Submitted, Error> {
    let submission = submission(engine, start, admission)?;
    Ok(engine.submit(submission).await?)
}

/// Starts a run that this process holds from the beginning. One that was there already has no drive.
pub async fn begin(
    engine: &Arc<Engine>,
    foreground: &mut Foreground,
    start: Start,
) -> Result<(Submitted, Option<Drive>), Error> {
    foreground.begin(submission(engine, start, Admission::Trusted)?).await
}

/// Whether the same run was started before under the same name.
pub async fn is_repeated(engine: &Arc<Engine>, start: &Start) -> bool {
    match submission(engine, start.clone(), Admission::Trusted) {
        Ok(submission) if submission.id.is_some() => engine.repeated(&submission).await.is_ok(),
        Ok(_) | Err(_) => false,
    }
}

/// What the engine is given.
pub(crate) fn submission(
    engine: &Arc<Engine>,
    start: Start,
    admission: Admission<'_>,
) -> Result<Submission, Error> {
    let known: Vec<_> = engine.workflows().names().collect();
    if !known.contains(&start.workflow.as_str()) {
        return Err(unknown(&start.workflow, &known).into());
    }
    let input = match admission {
        Admission::Trusted => start.input,
        Admission::Outside(place) => admit(&start.workflow, start.input, place)?,
    };
    Ok(Submission {
        id: start.id,
        workflow: start.workflow,
        input,
        owner: start.owner,
        limits: Limits::standard().raised(&start.limits),
        placement: start.placement,
        priority: start.priority,
        settings: start.settings,
        certified: start.certified,
        actor: start.actor,
    })
}

/// What a run is given that is started from outside. Built-in agents look where they are told to, so they are never
/// called by themselves from there.
fn admit(workflow: &str, input: Data, place: &AgentScope) -> Result<Data, Refused> {
    if workflow == sample::EFFECTS {
        let text =
            format!("{workflow} writes to files of this machine: start it on its command line");
        return Err(Refused::new("INVALID_INPUT", text));
    }
    if workflow == consign_supervised::SUPERVISED {
        let text = format!("{workflow} is begun by making a job: it names places on this machine");
        return Err(Refused::new("INVALID_INPUT", text));
    }
    if consign_authoring::job::kind_of(workflow).is_some() {
        let text = format!(
            "{workflow} is begun by submitting a job: its settings are the user's saved ones"
        );
        return Err(Refused::new("INVALID_INPUT", text));
    }
    if workflow == consign_conversation::ingest::WORKFLOW {
        let text = format!(
            "{workflow} is begun by sending a document: its input says how far the caller is trusted"
        );
        return Err(Refused::new("INVALID_INPUT", text));
    }
    if workflow == consign_conversation::turn::WORKFLOW {
        let text = format!("{workflow} is begun by asking: the guard looks at a message before");
        return Err(Refused::new("INVALID_INPUT", text));
    }
    if workflow == ENVELOPE {
        let mut pipeline_input: PipelineInput = input.to().map_err(|cause| {
            Refused::new("INVALID_INPUT", format!("the input of {workflow}: {cause}"))
        })?;
        pipeline_input.place = place.clone();
        let pipeline = pipeline_input.pipeline.shown();
        let stages = ["stages", "stage"].map(|name| pipeline.get(name).and_then(Json::as_array));
        for stage in stages.into_iter().flatten().flatten() {
            let named = |member| stage.get(member).and_then(Json::as_str);
            let of_agent =
                named("agent").and_then(|agent| AgentName::from(agent).model().map(str::to_owned));
            if named("agent").is_some_and(|agent| writes_files(AgentName::from(agent).plain())) {
                return Err(writes());
            }
            if named("agent").is_some_and(|agent| of_documents(AgentName::from(agent).plain())) {
                return Err(of_documents_only());
            }
            if named("model").is_some_and(is_file) || of_agent.as_deref().is_some_and(is_file) {
                return Err(names_file());
            }
        }
        return Ok(Data::of(&pipeline_input));
    }
    let tree = input.tree().map_err(|why| Refused::new("INVALID_INPUT", why.to_string()))?;
    let agent = tree.get("agent").and_then(Json::as_str).map(str::to_owned);
    let agent = agent.map(AgentName::from);
    if agent.as_ref().is_some_and(|agent| consign_authoring::job::is_agent(agent.plain())) {
        let text = "this agent works in a job only: submit a job instead";
        return Err(Refused::new("INVALID_INPUT", text));
    }
    if agent.as_ref().is_some_and(|agent| writes_files(agent.plain())) {
        return Err(writes());
    }
    if agent.as_ref().is_some_and(|agent| of_documents(agent.plain())) {
        return Err(of_documents_only());
    }
    if agent.as_ref().and_then(AgentName::model).is_some_and(is_file) {
        return Err(names_file());
    }
    if let Some(agent) = agent.filter(|agent| BUILT_IN.contains(&agent.plain())) {
        let agent = agent.plain();
        let text = format!("{agent} works in a pipeline only: process an envelope instead");
        return Err(Refused::new("INVALID_INPUT", text));
    }
    Ok(input)
}

/// Whether an agent of the samples writes to the file that its input names.
fn writes_files(agent: &str) -> bool {
    agent.starts_with("sample/append")
}

fn writes() -> Refused {
    Refused::new(
        "INVALID_INPUT",
        "this agent writes to files of this machine: start it on its command line",
    )
}

/// Whether an agent works on documents: what these are given names files below the home.
fn of_documents(agent: &str) -> bool {
    consign_conversation::is_agent(agent)
}

fn of_documents_only() -> Refused {
    Refused::new("INVALID_INPUT", "this agent works on documents only: send or search one instead")
}

/// Whether a model is a file of this machine: a script or a recording.
pub(crate) fn is_file(model: &str) -> bool {
    model.starts_with("replay:") || model.starts_with("scripted:")
}

fn names_file() -> Refused {
    Refused::new(
        "INVALID_INPUT",
        "a model that is a file of this machine is named on its command line",
    )
}

fn unknown(name: &str, known: &[&str]) -> Refused {
    let refused = Refused::usage("WORKFLOW_NOT_FOUND", format!("there is no workflow {name:?}"));
    let is_file = name.ends_with(".toml") || name.ends_with(".json");
    if is_file {
        return refused.hint(format!("a pipeline's file is run by `consign run {name}`"));
    }
    let near = nearest(name, known);
    let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    refused.hint(format!("{near}there are {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_from_outside_says_nothing_of_places_on_this_machine() {
        let scope = AgentScope { repo: Some("/srv/repo".into()), ..AgentScope::default() };
        let check = |workflow: &str, input: &str| {
            let input = Data::parse(input).expect("a test writes JSON");
            admit(workflow, input, &scope).map_err(|refused| refused.code.into_owned())
        };
        let invalid = Err("INVALID_INPUT".to_owned());
        assert_eq!(check("sample/effects", r#"{"file": "/etc/passwd"}"#), invalid);
        assert_eq!(check("agent/call", r#"{"agent": "plan@openai/gpt-5", "input": 1}"#), invalid);
        let given = r#"{"agent": "trace.suggest", "input": {"model": "replay:/etc/passwd"}}"#;
        assert_eq!(check("agent/call", given), invalid);
        let given = r#"{"agent": "sample/append.pure", "input": {"file": "/etc/passwd"}}"#;
        assert_eq!(check("agent/call", given), invalid);
        assert_eq!(check("agent/map", given), invalid);
        let given = r#"{"pipeline": {"stages": [{"name": "a", "agent": "sample/append.keyed"}]}, "envelope": {}}"#;
        assert_eq!(check(ENVELOPE, given), invalid);
        let given = r#"{"agent": "reviewer@scripted:/etc/passwd", "input": 1}"#;
        assert_eq!(check("agent/call", given), invalid);
        let given = r#"{"pipeline": {"stages": [{"name": "a", "agent": "x", "model": "replay:/etc/passwd"}]}, "envelope": {}}"#;
        assert_eq!(check(ENVELOPE, given), invalid);
        assert_eq!(check(ENVELOPE, "[]"), invalid);
        let given = r#"{"sources": [{"source_type": "local", "source_identifier": "/etc"}], "trust": "named"}"#;
        assert_eq!(check("conversation/ingest", given), invalid);
        let given =
            r#"{"session": "s", "conversation": "x", "number": 0, "message": "m", "guard": {}}"#;
        assert_eq!(check("conversation/turn", given), invalid);
        let documents =
            ["connector", "parser", "memory", "memory.keep", "ingest.tidy", "parser@x/y"];
        let turns = ["guardrails", "tailor", "turn/verify", "turn/save", "tailor@x/y"];
        for agent in documents.into_iter().chain(turns) {
            let given =
                format!(r#"{{"agent": "{agent}", "input": {{"file_path": "/etc/passwd"}}}}"#);
            assert_eq!(check("agent/call", &given), invalid, "{agent}");
            assert_eq!(check("agent/map", &given), invalid, "{agent}");
            let given = format!(
                r#"{{"pipeline": {{"stages": [{{"name": "a", "agent": "{agent}"}}]}}, "envelope": {{}}}}"#
            );
            assert_eq!(check(ENVELOPE, &given), invalid, "{agent}");
        }
        assert_eq!(check("authoring/trace", r#"{"type": "trace", "payload": {}}"#), invalid);
        let given = r#"{"pipeline": {}, "envelope": {}, "place": {"repo": "/etc"}}"#;
        let admitted = check(ENVELOPE, given).expect("it is admitted");
        let read: PipelineInput = admitted.to().expect("it is what a run is given");
        assert_eq!(read.place, scope);
    }
}
