//! The bounds of a journey, in the order in which they are checked: critic fires, iterations, model calls,
//! hops.

use consign_contracts::{
    envelope::TerminalReason,
    json::{Json, Object},
    wire::Integer,
};

use super::Journey;
use crate::envelope::number;

/// Where the envelope's metadata counts how often the critic sent it back.
const FIRES: &str = "critic_fires";

/// Whatever an envelope allows itself, no journey is longer than this.
pub(crate) const MOST_HOPS: i64 = 10_000;

impl Journey {
    /// The bound that keeps a stage from having its turn, in a word and in words.
    pub(super) fn reached(&self, members: &[usize]) -> Option<(TerminalReason, String)> {
        let envelope = &self.envelope;
        let (fires, most) = (self.fires(), self.pipeline.max_critic_fires);
        if fires > most {
            let words = format!("The critic sent it back {fires} times; {most} are allowed");
            return Some((TerminalReason::MaxCriticFiresExceeded, words));
        }
        let iteration = number(envelope.iteration.as_ref(), 0);
        let most = number(envelope.max_iterations.as_ref(), 3);
        if iteration > most {
            let words = format!("It is in iteration {iteration}; {most} are allowed");
            return Some((TerminalReason::MaxIterationsExceeded, words));
        }
        // Those that begin together all have to fit.
        let count = |members: usize| i64::try_from(members).unwrap_or(i64::MAX);
        let thinking = count(members.iter().filter(|stage| self.calls_a_model(**stage)).count());
        let calls = number(envelope.llm_call_count.as_ref(), 0);
        let most = number(envelope.max_llm_calls.as_ref(), 10);
        if thinking > 0 && calls.saturating_add(thinking) > most {
            let words = format!("{calls} model calls were made; {most} are allowed");
            return Some((TerminalReason::MaxLlmCallsExceeded, words));
        }
        let hops = number(envelope.agent_hop_count.as_ref(), 0);
        let most = number(envelope.max_agent_hops.as_ref(), 21).min(MOST_HOPS);
        if hops.saturating_add(count(members.len())) > most {
            let words = format!("{hops} stages were begun; {most} are allowed");
            return Some((TerminalReason::MaxAgentHopsExceeded, words));
        }
        None
    }

    /// Whether a stage's turn begins with a question to a model.
    fn calls_a_model(&self, stage: usize) -> bool {
        let stage = &self.pipeline.stages[stage];
        stage.model.is_some() || self.place.thinkers.contains(&stage.name)
    }

    /// How often the critic has sent it back.
    pub(crate) fn fires(&self) -> i64 {
        let fires = self.envelope.metadata.as_ref().and_then(|metadata| metadata.get(FIRES));
        fires.and_then(Json::as_number).map_or(0, |fires| fires.as_i64().unwrap_or(i64::MAX).max(0))
    }

    pub(super) fn fire(&mut self) {
        let fires = self.fires().saturating_add(1);
        let metadata = self.envelope.metadata.get_or_insert_with(Object::new);
        metadata.set(FIRES, Json::Number(fires.into()));
    }
}

/// Adds to a counter. One that nothing is added to keeps its digits.
pub(super) fn add(counter: &mut Option<Integer>, more: i64) {
    if more == 0 && counter.is_some() {
        return;
    }
    *counter = Some(Integer::from(number(counter.as_ref(), 0).saturating_add(more)));
}
