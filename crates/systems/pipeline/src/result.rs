//! The result of an envelope, as far as the envelope alone can tell: its pipeline may not be at hand.

use std::{borrow::Cow, collections::BTreeSet};

use consign_contracts::{
    envelope::Envelope,
    json::{Json, Object},
};

use super::pipeline::INTEGRATION;

/// The members of a record that are ours: the stage whose members ran at once, and where the output went
/// if that is not the stage's own name.
pub(super) const PARALLEL: &str = "parallel";
pub(super) const OUTPUT_KEY: &str = "output_key";

/// The answer, or what the last stage gave, with the name that it goes by. Of several stages at once
/// these are the outputs of all, in the order of the pipeline.
#[must_use]
pub fn result(envelope: &Envelope) -> Option<(&str, Cow<'_, Object<'static>>)> {
    if let Some(answer) = envelope.outputs.get(INTEGRATION) {
        return Some((INTEGRATION, Cow::Borrowed(answer)));
    }
    let history = envelope.processing_history.as_deref().unwrap_or_default();
    let turns: Vec<_> =
        history.iter().filter_map(|record| FinishedStage::of(record, envelope)).collect();
    let last = turns.iter().rev().find_map(|turn| Some((turn, turn.output?)));
    match last {
        Some((FinishedStage { parallel: Some(whole), .. }, _)) => {
            Some((whole, Cow::Owned(together(&turns, whole))))
        }
        Some((turn, output)) => Some((turn.key, Cow::Borrowed(output))),
        // The envelope was written by another program: the newest output stands last.
        None => {
            let is_ours = envelope.stage_order.as_ref().is_some_and(|order| !order.is_empty());
            let last = envelope.outputs.0.last().filter(|_| is_ours);
            last.map(|(key, output)| (key.as_str(), Cow::Borrowed(output)))
        }
    }
}

/// A turn of which the history tells.
struct FinishedStage<'a> {
    agent: &'a str,
    order: i64,
    parallel: Option<&'a str>,
    key: &'a str,
    /// What it gave, unless it failed or that is gone.
    output: Option<&'a Object<'static>>,
    done: bool,
}

impl<'a> FinishedStage<'a> {
    fn of(record: &'a Object<'static>, envelope: &'a Envelope) -> Option<Self> {
        let text = |name: &str| record.get(name).and_then(Json::as_str);
        let agent = text("agent")?;
        let key = text(OUTPUT_KEY).unwrap_or(agent);
        let done = text("status") == Some("success");
        let order = record.get("stage_order").and_then(Json::as_number);
        Some(Self {
            agent,
            order: order.and_then(|order| order.as_i64()).unwrap_or(i64::MAX),
            parallel: text(PARALLEL),
            key,
            output: envelope.outputs.get(key).filter(|_| done),
            done,
        })
    }
}

/// The outputs of the members of a parallel stage, the last time that it ran.
fn together(turns: &[FinishedStage<'_>], whole: &str) -> Object<'static> {
    let theirs = |turn: &&FinishedStage<'_>| turn.parallel == Some(whole);
    let block = turns.iter().rev().skip_while(|turn| !theirs(turn)).take_while(theirs);
    let mut seen = BTreeSet::new();
    let mut members = Vec::new();
    for turn in block {
        // A model that gave nothing is followed by a turn without it; a second success is of the time before.
        if !seen.insert(turn.agent) && turn.done {
            break;
        }
        members.extend(turn.output.map(|output| (turn.order, turn.key, output)));
    }
    members.sort_by_key(|(order, ..)| *order);
    let mut all = Object::new();
    for (_, key, output) in members {
        all.set(key.to_owned(), Json::Object(output.clone()));
    }
    all
}

#[cfg(test)]
mod tests;
