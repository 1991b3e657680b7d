//! How a journey begins, or goes on from an envelope that was processed elsewhere before.

use std::sync::Arc;

use consign_contracts::envelope::Envelope;
use consign_engine::At;

use super::{Journey, Points, Room, Stand};
use crate::{
    agent_scope::AgentScope,
    envelope::{enter, has_waits},
    pipeline::{Does, END, Pipeline, START},
};

/// Why an envelope cannot go through a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("the pipeline {pipeline} has no stage {stage:?}; it has {has}")]
    UnknownStage { pipeline: String, stage: String, has: String },
    #[error("{stage:?} runs beside others, and no envelope can stand there")]
    NotATurn { stage: String },
}

impl Journey {
    /// A journey that has not begun, from which its worst case can be computed.
    #[must_use]
    pub fn before(
        pipeline: &Arc<Pipeline>,
        place: AgentScope,
        mut envelope: Envelope,
        at: At,
    ) -> Self {
        enter(&mut envelope, pipeline, at);
        envelope.current_stage.clone_from(&pipeline.stages[0].name);
        let (pipeline, stand) = (pipeline.clone(), Stand::Stopped);
        let (room, points) = (Room::of(&envelope), Points::default());
        Self { pipeline, place, envelope, stand, until: None, turns: 0, points, room }
    }

    /// Takes up an envelope in any state: at the start, in the middle, with an answer, or over.
    pub fn begin(
        pipeline: &Arc<Pipeline>,
        place: AgentScope,
        envelope: Envelope,
        until: Option<&str>,
        at: At,
    ) -> Result<Self, Unfit> {
        let until = until.map(|until| stage_of(pipeline, until)).transpose()?;
        let pipeline = pipeline.clone();
        let (stand, turns, room) = (Stand::Over, 0, Room::of(&envelope));
        let points = Points::default();
        let mut journey = Self { pipeline, place, envelope, stand, until, turns, points, room };
        if journey.envelope.terminated {
            return Ok(journey);
        }
        // An agent that was called in its run may have done what must not be done twice.
        if has_waits(&journey.envelope) {
            journey.stand = Stand::Stopped;
            return Ok(journey);
        }
        if journey.envelope.current_stage == START {
            journey.envelope.current_stage.clone_from(&journey.pipeline.stages[0].name);
        } else if journey.envelope.current_stage != END {
            stage_of(&journey.pipeline, &journey.envelope.current_stage)?;
            if journey.is_past() {
                journey.stand = Stand::Stopped;
                return Ok(journey);
            }
        }
        enter(&mut journey.envelope, &journey.pipeline, at);
        if journey.envelope.current_stage == END {
            journey.complete(at);
        } else {
            journey.resume(at);
        }
        Ok(journey)
    }
}

fn stage_of(pipeline: &Pipeline, name: &str) -> Result<usize, Unfit> {
    let unknown = || Unfit::UnknownStage {
        pipeline: pipeline.name.clone(),
        stage: name.chars().take(100).collect(),
        has: pipeline.names().collect::<Vec<_>>().join(", "),
    };
    let at = pipeline.find(name).ok_or_else(unknown)?;
    let beside = pipeline.stages.iter().any(|stage| match &stage.does {
        Does::Parallel(members) => members.contains(&at),
        Does::Agent(_) | Does::Person(_) => false,
    });
    if beside { Err(Unfit::NotATurn { stage: name.to_owned() }) } else { Ok(at) }
}
