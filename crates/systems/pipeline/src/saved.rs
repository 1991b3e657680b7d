//! A journey as JSON, for the snapshots of durable runs.

use std::sync::Arc;

use consign_contracts::{envelope::Envelope, json::Json, wire::Wire};
use consign_engine::{Data, Fault, Key, Unreadable};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{
    agent_scope::AgentScope,
    file,
    journey::{Journey, Points, Room, StageTurn, Stand},
};

#[derive(Serialize, Deserialize)]
struct Saved {
    pipeline: Data,
    place: AgentScope,
    envelope: Data,
    stand: SavedStand,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<usize>,
    turns: u32,
    #[serde(default, skip_serializing_if = "Points::is_empty")]
    points: Points,
    #[serde(default)]
    room: Room,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SavedStand {
    Working { stage: usize, turns: Vec<SavedTurn> },
    Clarifying,
    Confirming,
    Stopped,
    Over,
}

#[derive(Serialize, Deserialize)]
struct SavedTurn {
    stage: usize,
    key: Key,
    thinks: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unfit: Option<Fault>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<Data>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
}

impl Serialize for Journey {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let stand = match &self.stand {
            Stand::Working { stage, turns } => {
                SavedStand::Working { stage: *stage, turns: turns.iter().map(save).collect() }
            }
            Stand::Clarifying => SavedStand::Clarifying,
            Stand::Confirming => SavedStand::Confirming,
            Stand::Stopped => SavedStand::Stopped,
            Stand::Over => SavedStand::Over,
        };
        Saved {
            pipeline: Data::from(&Json::Object(self.pipeline.written.clone())),
            place: self.place.clone(),
            envelope: Data::from(&self.envelope.write()),
            stand,
            until: self.until,
            turns: self.turns,
            points: self.points.clone(),
            room: self.room,
        }
        .serialize(to)
    }
}

impl<'de> Deserialize<'de> for Journey {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let saved = Saved::deserialize(from)?;
        let pipeline = file::restore(saved.pipeline.tree().map_err(D::Error::custom)?.into_owned());
        let pipeline = pipeline.map_err(D::Error::custom)?;
        let envelope = Envelope::read(&saved.envelope.tree().map_err(D::Error::custom)?)
            .map_err(D::Error::custom)?;
        let stand = match saved.stand {
            SavedStand::Working { stage, turns } => {
                let turns = turns.into_iter().map(restore).collect::<Result<_, _>>();
                Stand::Working { stage, turns: turns.map_err(D::Error::custom)? }
            }
            SavedStand::Clarifying => Stand::Clarifying,
            SavedStand::Confirming => Stand::Confirming,
            SavedStand::Stopped => Stand::Stopped,
            SavedStand::Over => Stand::Over,
        };
        Ok(Self {
            pipeline: Arc::new(pipeline),
            place: saved.place,
            envelope,
            stand,
            until: saved.until,
            turns: saved.turns,
            points: saved.points,
            room: saved.room,
        })
    }
}

fn save(turn: &StageTurn) -> SavedTurn {
    let StageTurn { stage, key, thinks, unfit, ended } = turn.clone();
    let (output, fault) = match ended {
        Some(Ok(output)) => (Some(Data::from(&Json::Object(output))), None),
        Some(Err(fault)) => (None, Some(fault)),
        None => (None, None),
    };
    SavedTurn { stage, key, thinks, unfit, output, fault }
}

fn restore(saved: SavedTurn) -> Result<StageTurn, Unreadable> {
    let SavedTurn { stage, key, thinks, unfit, output, fault } = saved;
    let ended = match (output, fault) {
        (Some(output), _) => {
            let output = output.tree()?.as_object().cloned().unwrap_or_default().into_owned();
            Some(Ok(output))
        }
        (None, Some(fault)) => Some(Err(fault)),
        (None, None) => None,
    };
    Ok(StageTurn { stage, key, thinks, unfit, ended })
}
