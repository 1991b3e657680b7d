//! Where a journey is to stop: after a stage, and before whatever comes after that.
//!
//! A user who says "until the plan" wants nothing done that follows from the plan. So an envelope that is
//! past the stage goes nowhere, and neither does one that cannot come to it any more. In a circle the stage
//! counts anew once the envelope has come back to where it was before it.

use consign_contracts::json::{Json, Object};

use super::{Journey, Stand};
use crate::{
    envelope::{has_waits, waiting},
    result::PARALLEL,
};

impl Journey {
    /// Why it stopped elsewhere than after the stage that it was to stop after, or did not even begin.
    #[must_use]
    pub fn short_of(&self) -> Option<String> {
        if self.is_waiting() {
            return Some(waiting(&self.envelope));
        }
        let until = self.until.filter(|_| self.stand == Stand::Stopped)?;
        let (here, stage) = (&self.envelope.current_stage, &self.pipeline.stages[until].name);
        if self.turns > 0 {
            let reached = self.done().last() == Some(&until);
            return (!reached)
                .then(|| format!("no way leads from {here} to {stage}: it stopped before {here}"));
        }
        Some(match self.is_behind(until, self.due()) {
            true => format!("at {here} the envelope is past {stage}, and comes back as it was"),
            false => {
                format!("no way leads from {here} to {stage}: the envelope comes back as it was")
            }
        })
    }

    /// Whether it goes nowhere because its run waits for a person.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.stand == Stand::Stopped && has_waits(&self.envelope)
    }

    /// Whether a stage that leads to another is the last to have its turn.
    pub(super) fn goes_no_further(&self, from: usize, to: usize) -> bool {
        self.until.is_some_and(|until| from == until || !self.pipeline.leads(to, until, None))
    }

    /// Whether an envelope that comes in is past the stage to stop after, or cannot come to it.
    pub(super) fn is_past(&self) -> bool {
        let Some(until) = self.until else { return false };
        let here = self.due();
        here != until && (self.is_behind(until, here) || !self.pipeline.leads(here, until, None))
    }

    /// Whether every way to where it stands leads over the stage, or the way that was taken did.
    fn is_behind(&self, until: usize, here: usize) -> bool {
        !self.pipeline.leads(0, here, Some(until)) || self.has_passed(until, here)
    }

    /// Whether it had a turn, and the envelope has not come back since to a stage that was before it.
    fn has_passed(&self, until: usize, here: usize) -> bool {
        let done = self.done();
        let first = |stage: usize| done.iter().position(|done| *done == stage);
        let Some(last) = done.iter().rposition(|stage| *stage == until) else { return false };
        let before = |stage: usize| first(stage).is_some_and(|at| Some(at) < first(until));
        !done[last..].iter().chain([&here]).any(|stage| before(*stage))
    }

    /// The stages that had turns, in order.
    fn done(&self) -> Vec<usize> {
        let history = self.envelope.processing_history.as_deref().unwrap_or_default();
        let stage = |record: &Object<'_>| {
            let name = record.get(PARALLEL).or_else(|| record.get("agent"));
            self.pipeline.find(name.and_then(Json::as_str)?)
        };
        history.iter().filter_map(stage).collect()
    }
}
