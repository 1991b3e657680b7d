//! A journey that goes on through another version of its pipeline, in which a stage or an agent was fixed.

use std::sync::Arc;

use consign_engine::{At, Fault};

use super::{Journey, Stand};
use crate::{
    agent_scope::AgentScope,
    input,
    pipeline::{Pipeline, Stage},
};

impl Journey {
    /// This journey through another pipeline. Stages are found again by their names: those that were done,
    /// or have their turn, must still be there. `at` is when it came in.
    pub(crate) fn refit(
        mut self,
        pipeline: &Arc<Pipeline>,
        place: AgentScope,
        at: At,
    ) -> Result<Self, Fault> {
        let asked = self.asked_person().map(|(stage, ..)| stage);
        let since = asked.and_then(|stage| self.withdraw_question(stage));
        let before = std::mem::replace(&mut self.pipeline, pipeline.clone());
        let find = |stage: usize| {
            let name = &before.stages[stage].name;
            pipeline.find(name).ok_or_else(|| {
                let text = format!("the pipeline no longer has the stage {name:?}");
                Fault::permanent("FORK_IMPOSSIBLE", text)
            })
        };
        self.until = self.until.map(find).transpose()?;
        let stands_at = match &self.stand {
            Stand::Working { stage, .. } => Some(&before.stages[*stage].name),
            Stand::Clarifying | Stand::Confirming | Stand::Stopped | Stand::Over => {
                Some(&self.envelope.current_stage)
            }
        };
        if let Some(skipped) = stands_at.and_then(|stage| skipped(&before, pipeline, stage)) {
            return Err(Fault::permanent("FORK_IMPOSSIBLE", skipped));
        }
        if let Stand::Working { stage, turns } = &mut self.stand {
            *stage = find(*stage)?;
            for turn in turns {
                turn.stage = find(turn.stage)?;
                turn.unfit = input::check(&pipeline.stages[turn.stage], &self.envelope).err();
            }
        }
        for done in self.points.stages() {
            if pipeline.find(done).is_none() {
                let text = format!("the pipeline no longer has the stage {done:?}, which is done");
                return Err(Fault::permanent("FORK_IMPOSSIBLE", text));
            }
        }
        self.place = place;
        self.ask_person(since.unwrap_or(at));
        Ok(self)
    }
}

/// Why a journey that stands at this stage must not go on in the new pipeline: a stage in front of it, an approval say,
/// would be skipped without a word, because it is new there, was behind it before, or had an agent and has a person now.
fn skipped(before: &Pipeline, now: &Pipeline, stands_at: &str) -> Option<String> {
    let (at, stood) = (now.find(stands_at)?, before.find(stands_at)?);
    let is_skipped = |stage: &&Stage| match before.find(&stage.name) {
        None => true,
        Some(old) if old >= stood => true,
        Some(old) => stage.person().is_some() && before.stages[old].person().is_none(),
    };
    let stage = &now.stages[..at].iter().find(is_skipped)?.name;
    Some(format!(
        "the stage {stage:?} is new before {stands_at:?} and would be skipped; begin at a stage before it, with --from"
    ))
}
