//! A stage's turn: which agent is called, and with what.

use consign_contracts::json::Object;
use consign_engine::{Call, Data, Fault, Key};

use super::{Journey, Stand};
use crate::{input, pipeline::Does};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StageTurn {
    pub(crate) stage: usize,
    pub(crate) key: Key,
    /// A model is asked, and there is a way without it.
    pub(crate) thinks: bool,
    /// Why its agent cannot even be called.
    pub(crate) unfit: Option<Fault>,
    /// What it came to.
    pub(crate) ended: Option<Result<Object<'static>, Fault>>,
}

/// The key of a stage's turn, which is the journey's so-manieth.
pub(crate) fn turn_key(stage: &str, turns: usize) -> Key {
    Key::new(format!("{stage}-{turns}"))
}

impl Journey {
    /// Gives a stage a turn of its own, with the model that it names or without.
    pub(super) fn take_turn(&mut self, stage: usize, thinking: bool) -> StageTurn {
        self.turns += 1;
        let own = &self.pipeline.stages[stage];
        let key = turn_key(&own.name, self.turns as usize);
        let thinks = thinking && own.model.is_some() && own.built_in().is_some();
        let unfit = input::check(own, &self.envelope).err();
        StageTurn { stage, key, thinks, unfit, ended: None }
    }

    pub(super) fn replace(&mut self, at: usize, turn: StageTurn) {
        if let Stand::Working { turns, .. } = &mut self.stand {
            turns[at] = turn;
        }
    }

    /// The call of a turn; a person is not called.
    pub(super) fn call(&self, turn: &StageTurn) -> Option<Call> {
        let stage = &self.pipeline.stages[turn.stage];
        let Does::Agent(who) = &stage.does else { return None };
        let named = stage.agent_name(who, &self.place.pinned);
        let agent = match &stage.model {
            // A built-in agent whose model failed goes on by itself.
            Some(model) if turn.thinks || stage.built_in().is_none() => named.with_model(model),
            Some(_) | None => named,
        };
        Some(Call {
            key: turn.key.clone(),
            agent,
            input: input::of(stage, &self.envelope, &self.place).unwrap_or_else(|_| Data::null()),
            retry: stage.retry.clone(),
        })
    }
}
