//! `pipeline/envelope`: an envelope's journey as a durable run.

use std::sync::Arc;

use consign_contracts::{
    authoring::ErrorCode,
    envelope::{Envelope, TerminalReason},
    json::{Json, Object},
    wire::{Nullable, Wire},
};
use consign_engine::{
    Activity, Agents, At, Bound, Data, Fault, Happened, Limits, Next, Outcome, Settings, Workflow,
    Workflows,
};
use serde::{Deserialize, Serialize};

use super::{Journey, Pipeline, Worst, agent_scope::AgentScope, envelope::read_again, file};

/// The name of the workflow.
pub const ENVELOPE: &str = "pipeline/envelope";

/// The workflow of this folder, for these agents.
#[must_use]
pub fn workflows(agents: &Agents, to: Workflows) -> Workflows {
    to.with(EnvelopeWorkflow { agents: agents.clone() })
}

/// What a run is given: everything that the journey depends on, so that a file that changes later changes
/// nothing for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PipelineInput {
    pub pipeline: Data,
    pub envelope: Data,
    #[serde(default)]
    pub place: AgentScope,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// When the envelope came in.
    #[serde(default)]
    pub at: At,
}

impl PipelineInput {
    #[must_use]
    pub fn new(pipeline: &Pipeline, envelope: &Envelope, place: AgentScope, at: At) -> Self {
        let pipeline = Data::from(&Json::Object(pipeline.written.clone()));
        Self { pipeline, envelope: Data::from(&envelope.write()), place, until: None, at }
    }

    /// Why the run would end before its first stage: it is to stop after a stage that is behind it.
    #[must_use]
    pub fn short_of(&self) -> Option<String> {
        self.until.as_ref()?;
        self.journey().ok()?.short_of()
    }

    fn journey(&self) -> Result<Journey, Fault> {
        let refuse = |what: String| Fault::permanent("INVALID_INPUT", what);
        let pipeline = file::restore(self.pipeline.tree()?.into_owned());
        let pipeline = pipeline.map_err(|why| refuse(why.to_string()))?;
        let envelope = read_again(&self.envelope);
        let envelope = envelope.map_err(|why| refuse(why.to_string()))?;
        let until = self.until.as_deref();
        let begun =
            Journey::begin(&Arc::new(pipeline), self.place.clone(), envelope, until, self.at);
        begun.map_err(|why| refuse(why.to_string()))
    }
}

struct EnvelopeWorkflow {
    agents: Agents,
}

fn pipeline_input(input: &Data) -> Result<PipelineInput, Fault> {
    input.to().map_err(|cause| {
        let form =
            r#"{"pipeline": {…}, "envelope": {…}, "place": {"repo": …}, "until": …, "at": 0}"#;
        let text = format!("the input is not {form}: {cause}. `consign run` makes it");
        Fault::permanent("INVALID_INPUT", text)
    })
}

impl Workflow for EnvelopeWorkflow {
    type State = Journey;

    fn name(&self) -> &str {
        ENVELOPE
    }

    fn start(&self, input: &Data) -> Result<Journey, Fault> {
        pipeline_input(input)?.journey()
    }

    fn decide(&self, journey: &Journey) -> Next {
        if journey.has_ended() {
            return Next::Finish(outcome(journey.envelope()));
        }
        match journey.question() {
            Some(ask) => Next::Open(vec![Activity::Ask(ask)]),
            None => Next::Open(journey.calls().into_iter().map(Activity::Call).collect()),
        }
    }

    fn evolve(&self, journey: &mut Journey, happened: &Happened<'_>) {
        match happened {
            Happened::Completed { key, output, work } => journey.ended(key, Ok(output), *work),
            Happened::Failed { key, fault, work } => journey.ended(key, Err(fault), *work),
            Happened::Answered { value, at, by, .. } => {
                journey.answered(value, by.map(|by| by.as_str()), *at);
            }
            Happened::Fired { .. } | Happened::Signalled(_) => {}
        }
    }

    /// After every stage.
    fn point(&self, journey: &Journey) -> Option<String> {
        journey.points.last().map(str::to_owned)
    }

    fn refit(&self, journey: Journey, input: &Data) -> Result<Journey, Fault> {
        let PipelineInput { pipeline, place, at, .. } = pipeline_input(input)?;
        let pipeline = file::restore(pipeline.tree()?.into_owned());
        let pipeline =
            pipeline.map_err(|why| Fault::permanent("INVALID_INPUT", why.to_string()))?;
        journey.refit(&Arc::new(pipeline), place, at)
    }

    fn bound(&self, input: &Data, limits: &Limits, settings: &Settings) -> Bound {
        let journey = self.start(input);
        journey.map_or_else(
            |_| Bound::default(),
            |journey| self.bound_of(&journey, input, limits, settings),
        )
    }

    fn bound_of(&self, journey: &Journey, _: &Data, _: &Limits, settings: &Settings) -> Bound {
        Worst::of(journey, &self.agents, settings).bound
    }
}

/// How a run ends: its output is the envelope. One that ended before its end has failed, and the
/// envelope is in the fault.
fn outcome(envelope: &Envelope) -> Outcome {
    let written = envelope.write();
    let Some(Nullable(Some(reason))) = &envelope.terminal_reason else {
        return Outcome::Succeeded(Data::from(&written));
    };
    if !envelope.terminated || *reason == TerminalReason::CompletedSuccessfully {
        return Outcome::Succeeded(Data::from(&written));
    }
    let words = envelope.termination_reason.clone().and_then(|words| words.0).unwrap_or_default();
    let error = failed_stage(envelope, reason);
    let text = |name: &str| error.and_then(|error| error.get(name)?.as_str());
    let mut details = match error.and_then(|error| error.get("details")) {
        Some(Json::Object(details)) => details.clone(),
        Some(_) | None => Object::new(),
    };
    details.set("terminal_reason", Json::String(reason.as_str().into()));
    if let Some(stage) = text("agent") {
        details.set("stage", Json::String(stage.to_owned().into()));
    }
    details.set("envelope", written);
    let mut fault =
        Fault::permanent("ENDED", words).with_details(Data::from(&Json::Object(details)));
    match text("error_type") {
        Some(code) => {
            fault.dialect = ErrorCode::from_word(code).map(|_| "authoring".into());
            fault.code = code.to_owned().into();
        }
        None => {
            fault.dialect = Some("envelope".into());
            fault.code = reason.as_str().to_uppercase().into();
        }
    }
    Outcome::Failed(fault)
}

/// The error of the stage that the envelope ended at, if it ended because that stage failed: the code that its agent
/// gave tells more than that a stage failed.
fn failed_stage<'a>(
    envelope: &'a Envelope,
    reason: &TerminalReason,
) -> Option<&'a Object<'static>> {
    use TerminalReason::{ToolFailedFatally, ToolFailedRecoverably};
    let is_stage = matches!(reason, ToolFailedFatally | ToolFailedRecoverably);
    envelope.errors.as_deref().unwrap_or_default().last().filter(|_| is_stage)
}
