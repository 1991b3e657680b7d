//! How large an envelope may become: whatever it holds when it goes out must be let in again.

use consign_contracts::{
    envelope::Envelope,
    json::{Json, Limits, Object},
    wire::Message,
};
use consign_engine::Fault;
use serde::{Deserialize, Serialize};

use crate::envelope::MOST_BYTES;

/// Levels that an envelope puts around an output, and some to spare.
const AROUND: usize = 8;
/// What a turn writes besides its output.
const RECORD: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Room {
    /// About how much the envelope holds.
    holds: usize,
    most: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { holds: 0, most: MOST_BYTES }
    }
}

impl Room {
    /// For an envelope that comes in. One that was let in although it is larger has room for as much again.
    pub(super) fn of(envelope: &Envelope) -> Self {
        let holds = weight(envelope);
        Self { holds, most: if holds > MOST_BYTES / 2 { holds + MOST_BYTES } else { MOST_BYTES } }
    }

    /// Takes in an output, or says why there is no room for it.
    pub(super) fn take(
        &mut self,
        (what, stage): (&str, &str),
        envelope: &Envelope,
        bytes: usize,
        output: &Json<'_>,
    ) -> Result<(), Fault> {
        let size = bytes + RECORD;
        let most_deep = Limits::default().depth - AROUND;
        if depth(output) > most_deep {
            let text = format!("{what} {stage} is nested deeper than {most_deep} levels");
            return Err(Fault::permanent("OUTPUT_TOO_DEEP", text));
        }
        self.holds = self.holds.saturating_add(size);
        // An estimate is good enough until it matters.
        if self.holds > self.most / 2 {
            let exact = envelope.to_json().len().saturating_add(size);
            self.holds = exact;
            if exact > self.most {
                self.holds -= size;
                let text = format!(
                    "with {what} {stage} the envelope would have {exact} bytes; {} are allowed",
                    self.most
                );
                return Err(Fault::permanent("ENVELOPE_TOO_LARGE", text));
            }
        }
        Ok(())
    }
}

/// About how many bytes an envelope is written with. Looks, and copies nothing.
fn weight(envelope: &Envelope) -> usize {
    let listed = |objects: &Option<Vec<Object<'static>>>| -> usize {
        objects.iter().flatten().map(object).sum()
    };
    let outputs: usize = envelope.outputs.0.iter().map(|(key, it)| key.len() + object(it)).sum();
    let stages = envelope.completed_stages.iter().flatten();
    let stages: usize = stages.map(|stage| stage.summary.as_ref().map_or(0, object)).sum();
    2_000
        + envelope.raw_input.len()
        + outputs
        + stages
        + listed(&envelope.processing_history)
        + listed(&envelope.prior_plans)
        + listed(&envelope.errors)
        + envelope.metadata.as_ref().map_or(0, object)
        + object(&envelope.extra)
}

fn object(object: &Object<'_>) -> usize {
    2 + object.iter().map(|(key, value)| key.len() + 4 + json(value)).sum::<usize>()
}

fn json(value: &Json<'_>) -> usize {
    match value {
        Json::Null | Json::Bool(_) => 5,
        Json::Number(number) => number.as_str().len(),
        Json::String(text) => text.len() + 2,
        Json::Array(items) => 2 + items.iter().map(|item| json(item) + 1).sum::<usize>(),
        Json::Object(members) => object(members),
    }
}

fn depth(value: &Json<'_>) -> usize {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => 0,
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Json::Object(members) => {
            1 + members.iter().map(|(_, value)| depth(value)).max().unwrap_or(0)
        }
    }
}
