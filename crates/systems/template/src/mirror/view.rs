//! What a state file says of its run, in so far as others are shown it.

use consign_engine::{Data, Fault, RunId};
use serde::{Deserialize, Serialize};

use crate::{
    answers,
    creation::{Creation, Step, phase_name},
};

/// A template creation at one commit of its state file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub run: RunId,
    /// Commits of the state file.
    pub seq: u64,
    pub project_path: String,
    pub output_path: String,
    pub template_name: String,
    pub phase: u8,
    pub phase_name: String,
    /// The place inside the phase.
    pub checkpoint: String,
    #[serde(default)]
    pub completed: Vec<Completed>,
    /// The request that waits for an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
}

/// A phase that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completed {
    pub phase: u8,
    pub phase_name: String,
    pub summary: String,
}

/// A request that waits for an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    pub request_id: String,
    pub agent_name: String,
    /// That of the request, which is not always that of the state.
    pub phase_name: String,
    pub prompt: String,
    pub retry_count: u32,
    /// The JSON Schema of the answer.
    pub schema: Data,
}

/// How a template creation ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    Succeeded(Data),
    Failed(Fault),
}

impl View {
    /// What the files say: where a creation stands, or how it failed for good.
    #[must_use]
    pub fn of(creation: &Creation, failed: Option<Fault>) -> Self {
        let pending = creation.pending.as_ref().filter(|_| failed.is_none()).map(|pending| {
            let request = &pending.request;
            let about = creation.enhances().map(|agent| agent.name.clone());
            Pending {
                request_id: request.request_id.to_string(),
                agent_name: request.agent_name.to_string(),
                phase_name: request.phase_name.to_string(),
                prompt: request.prompt.clone(),
                retry_count: u32::from(pending.retries()),
                schema: Data::from(&answers::asked(request.phase_name, about.as_deref())),
            }
        });
        let ended = match failed {
            Some(fault) => Some(Ended::Failed(fault)),
            None if creation.step == Step::Complete => {
                Some(Ended::Succeeded(Data::of(&creation.report())))
            }
            None => None,
        };
        let completed = creation.completed.iter().map(|done| Completed {
            phase: done.phase,
            phase_name: phase_name(done.phase).to_owned(),
            summary: done.summary.clone(),
        });
        Self {
            run: RunId::from(creation.run.as_str()),
            seq: creation.seq,
            project_path: creation.order.project.clone(),
            output_path: creation.order.output.clone(),
            template_name: creation.order.name.clone(),
            phase: creation.step.phase(),
            phase_name: creation.step.phase_name().to_owned(),
            checkpoint: creation.checkpoint().to_owned(),
            completed: completed.collect(),
            pending,
            ended,
        }
    }
}
