//! Reads how far a creation has come from its run, for lists and pages that show runs.

use consign_engine::{AgentName, Engine, store::Row};
use consign_template::mirror::{AskModel, CREATE, Completed, Mirror, PIN, View};

/// How far a creation has come, as its state file last said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreationPhases {
    pub done: Vec<DonePhase>,
    /// The phase that it is in, its name and the place inside of it; nothing once the creation has ended.
    pub current: Option<(u8, String, String)>,
}

/// A phase that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DonePhase {
    pub phase: u8,
    pub name: String,
    pub summary: String,
}

/// How far the creation of a run has come. Nothing for a run of another workflow, and for one that cannot be read.
pub async fn phases(engine: &Engine, row: &Row) -> Option<CreationPhases> {
    if row.workflow != CREATE {
        return None;
    }
    let state = engine.state(&row.id).await.ok()?;
    let View { completed, phase, phase_name, checkpoint, ended, .. } =
        state.to::<Mirror>().ok()?.view?;
    let done = completed.into_iter().map(|Completed { phase, phase_name, summary }| DonePhase {
        phase,
        name: phase_name,
        summary,
    });
    let current = ended.is_none().then_some((phase, phase_name, checkpoint));
    Some(CreationPhases { done: done.collect(), current })
}

/// What the run of a creation was advised of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// A model is to answer a request.
    AsksModel { model: String, request_id: String },
    /// The state file has a new commit.
    Commit { seq: u64, phase: u8, phase_name: String, checkpoint: String },
}

/// Reads advice; nothing if it is not that of a creation.
#[must_use]
pub fn advice(text: &str) -> Option<Advice> {
    if let Ok(AskModel { model, request_id, .. }) = serde_json::from_str(text) {
        return Some(Advice::AsksModel { model, request_id });
    }
    let View { seq, phase, phase_name, checkpoint, .. } = serde_json::from_str(text).ok()?;
    Some(Advice::Commit { seq, phase, phase_name, checkpoint })
}

/// Whether an agent is asked over the bridge of a creation: its name says who answers outside, and it cannot be called.
#[must_use]
pub fn is_bridged(agent: &str) -> bool {
    AgentName::from(agent).pin() == Some(PIN)
}
