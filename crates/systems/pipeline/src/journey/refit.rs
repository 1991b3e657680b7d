//! A journey that goes on through another version of its pipeline, in which a stage or an agent was fixed.

use std::sync::Arc;

use consign_engine::{At, Fault};

use super::{Journey, Stand};
use crate::{agent_scope::AgentScope, input, pipeline::Pipeline};

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
