//! Converts a creation to the state file and back.
//!
//! Everything that is ours is in `phase_data.consign`; beside it stands what the phases found. A state
//! of another tool has no such member: what it has paid for is kept, and the rest is found anew.

use consign_contracts::{
    bridge::{AgentRequest, CompletedPhase, RequestRecord, TemplateCreateState},
    json::{Json, Limits, Object},
    wire::{Integer, Message, Refused, Timestamp},
};
use consign_engine::{At, Data};
use serde::{Deserialize, Serialize};

use crate::folder::BridgeFile;

use super::{
    Adopted, Asked, Completed, Creation, Found, Note, Options, Order, Pending, Step, phase_name,
};

/// What `phase_data.consign` holds.
#[derive(Serialize, Deserialize)]
struct Progress {
    run: String,
    seq: u64,
    step: Step,
    #[serde(default)]
    options: Options,
    #[serde(default)]
    tries: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    consumed: Option<String>,
    /// The whole of it: a crash may come before it is written to its own file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pending_request: Option<Data>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked_at: Option<At>,
    #[serde(default)]
    notes: Vec<Note>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    adopted: Option<Adopted>,
}

/// Why a creation cannot be continued from a state file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("it has version {0}; this program reads versions 1.x")]
    Version(String),
    #[error("phase_data{0}")]
    Data(String),
    #[error("it has no {0}, which is needed to continue")]
    Nameless(&'static str),
    #[error("it says phase {written}, but its steps belong to phase {found}")]
    Phase { written: String, found: u8 },
}

impl Creation {
    /// The document of contract `bridge/template-create-state`.
    #[must_use]
    pub fn to_state(&self, now: At) -> TemplateCreateState {
        let pending = self.pending.as_ref();
        let progress = Progress {
            run: self.run.clone(),
            seq: self.seq,
            step: self.step,
            options: self.order.options.clone(),
            tries: self.tries,
            consumed: self.consumed.clone(),
            pending_request: pending.map(|pending| Data::from(&written(&pending.request))),
            asked_at: pending.map(|pending| pending.asked_at),
            notes: self.notes.clone(),
            adopted: self.adopted.clone(),
        };
        let mut data = self.extra.clone();
        data.set("consign", tree(&Data::of(&progress)));
        if let Json::Object(found) = tree(&Data::of(&self.found)) {
            for (name, value) in found.iter().filter(|(_, value)| **value != Json::Null) {
                data.set(name.to_owned(), value.clone());
            }
        }
        let completed = |done: &Completed| CompletedPhase {
            phase: Some(Integer::from(i64::from(done.phase))),
            phase_name: Some(phase_name(done.phase).to_owned()),
            completed_at: Some(Timestamp(done.at.clone())),
            result_summary: Some(done.summary.clone()),
            extra: Object::new(),
        };
        let asked = |asked: &Asked| RequestRecord {
            request_id: Some(asked.request_id.clone()),
            agent_name: Some(asked.agent.clone()),
            phase: Some(Integer::from(i64::from(asked.phase))),
            status: Some(asked.status.clone()),
            extra: Object::new(),
        };
        TemplateCreateState {
            version: "1.0".to_owned(),
            phase: Integer::from(i64::from(self.step.phase())),
            phase_name: self.step.phase_name().to_owned(),
            checkpoint_name: self.checkpoint().to_owned(),
            created_at: Timestamp(now.to_string()),
            output_path: self.order.output.clone(),
            project_path: Some(self.order.project.clone()),
            template_name: Some(self.order.name.clone()),
            phase_data: Some(data),
            completed_phases: Some(self.completed.iter().map(completed).collect()),
            agent_requests: Some(self.requests.iter().map(asked).collect()),
        }
    }

    /// The name of the position inside the phase.
    #[must_use]
    pub fn checkpoint(&self) -> &'static str {
        match self.step {
            _ if self.pending.is_some() => "before_agent_invocation",
            Step::Complete => "template_written",
            Step::ReviewAnalysis | Step::ReviewAgents | Step::Enhance(_) => "agent_invocation",
            Step::Analyse
            | Step::Manifest
            | Step::Settings
            | Step::Templates
            | Step::Recommend
            | Step::Draft
            | Step::Document
            | Step::Assemble => "phase_started",
        }
    }

    /// Reads a state file. `request` is the request file beside it, which a state of another tool needs;
    /// `run` is what the run is called if the state does not say.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(
        bytes: &[u8],
        request: Option<&AgentRequest>,
        run: &str,
    ) -> Result<Self, Unreadable> {
        let most = usize::try_from(BridgeFile::State.most()).unwrap_or(usize::MAX);
        let limits = Limits { bytes: most, ..Limits::default() };
        let state = TemplateCreateState::from_json_within(bytes, limits)?;
        if !is_read(&state.version) {
            return Err(Unreadable::Version(state.version));
        }
        let project = state.project_path.clone().ok_or(Unreadable::Nameless("project_path"))?;
        let name = state.template_name.clone().ok_or(Unreadable::Nameless("template_name"))?;
        let mut order =
            Order { project, output: state.output_path.clone(), name, options: Options::default() };
        let data = state.phase_data.clone().unwrap_or_default();
        let Some(progress) = data.get("consign") else {
            let mut creation = Self::new(order, run.to_owned());
            creation.adopt(&state, &data, request);
            return Ok(creation);
        };
        let progress: Progress = Data::from(progress)
            .to()
            .map_err(|cause| Unreadable::Data(format!(".consign: {cause}")))?;
        let found = Data::from(&Json::Object(data.clone()));
        let found: Found = found.to().map_err(|cause| Unreadable::Data(format!(": {cause}")))?;
        order.options = progress.options;
        let written = state.phase.as_i64();
        if written != Some(i64::from(progress.step.phase())) {
            let written = state.phase.to_string();
            return Err(Unreadable::Phase { written, found: progress.step.phase() });
        }
        let pending = match (progress.pending_request, progress.asked_at) {
            (Some(request), Some(asked_at)) => {
                let request = AgentRequest::from_json(request.as_str().as_bytes())?;
                if progress.step.asks() != Some((request.phase_name, request.agent_name)) {
                    let text = ".consign: the pending request is not that of its step";
                    return Err(Unreadable::Data(text.to_owned()));
                }
                Some(Pending { request, asked_at })
            }
            (None, _) | (_, None) => None,
        };
        if let Step::Enhance(at) = progress.step
            && at >= found.agents.len()
        {
            return Err(Unreadable::Data(format!(": there is no agent number {at}")));
        }
        let mut creation = Self {
            run: progress.run,
            seq: progress.seq,
            step: progress.step,
            pending,
            tries: progress.tries,
            consumed: progress.consumed,
            found,
            notes: progress.notes,
            adopted: progress.adopted,
            ..Self::new(order, String::new())
        };
        creation.take_history(&state);
        creation.extra = foreign(&data);
        Ok(creation)
    }

    fn take_history(&mut self, state: &TemplateCreateState) {
        let completed = state.completed_phases.as_deref().unwrap_or_default().iter();
        self.completed = completed
            .filter_map(|done| {
                let phase = u8::try_from(done.phase.as_ref()?.as_i64()?).ok()?;
                let at = done.completed_at.as_ref().map_or_else(String::new, |at| at.0.clone());
                let summary = done.result_summary.clone().unwrap_or_default();
                Some(Completed { phase, at, summary })
            })
            .collect();
        let requests = state.agent_requests.as_deref().unwrap_or_default().iter();
        self.requests = requests
            .filter_map(|asked| {
                Some(Asked {
                    request_id: asked.request_id.clone()?,
                    agent: asked.agent_name.clone().unwrap_or_default(),
                    phase: u8::try_from(asked.phase.as_ref()?.as_i64()?).ok()?,
                    status: asked.status.clone().unwrap_or_default(),
                })
            })
            .collect();
    }

    /// Takes over from another tool: the answers of its agents and its open request, not what it
    /// made of them.
    fn adopt(
        &mut self,
        state: &TemplateCreateState,
        data: &Object<'static>,
        request: Option<&AgentRequest>,
    ) {
        self.take_history(state);
        let reviewed = self.completed.iter().any(|done| done.phase == 1);
        self.completed.clear();
        let analysis = data.get("codebase_analysis").filter(|_| reviewed);
        let analysis = analysis.and_then(|analysis| Data::from(analysis).to().ok());
        let request = request.map(|request| Data::from(&written(request)));
        self.adopted = Some(Adopted { reviewed: analysis, request });
        self.extra = foreign(data);
    }

    /// The request that another tool left open, if it is one of this phase.
    pub(super) fn left_open(
        &mut self,
        phase: consign_contracts::bridge::PhaseName,
        now: At,
    ) -> Option<Pending> {
        let adopted = self.adopted.as_mut()?;
        let request = adopted.request.as_ref()?;
        let request = AgentRequest::from_json(request.as_str().as_bytes()).ok()?;
        if request.phase_name != phase {
            return None;
        }
        adopted.request = None;
        // Nobody knows by which clock it was written: its time begins now.
        Some(Pending { request, asked_at: now })
    }
}

/// Whether this version of a state file can be read.
#[must_use]
pub(crate) fn is_read(version: &str) -> bool {
    version.split_once('.').is_some_and(|(major, _)| major == "1")
}

fn written(request: &AgentRequest) -> Json<'static> {
    consign_contracts::wire::Wire::write(request)
}

fn tree(data: &Data) -> Json<'static> {
    data.shown().into_owned()
}

/// The members of `phase_data` that are not ours.
fn foreign(data: &Object<'static>) -> Object<'static> {
    let ours = Data::of(&Found::default());
    let ours = ours.shown();
    let is_ours = |name: &str| name == "consign" || ours.get(name).is_some();
    let rest = data.iter().filter(|(name, _)| !is_ours(name));
    rest.map(|(name, value)| (name.to_owned().into(), value.clone())).collect()
}
