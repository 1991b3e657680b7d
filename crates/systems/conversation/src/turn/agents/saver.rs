//! The last step of a turn: what was said is kept, once.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use consign_engine::{Attempt, Data, Failure, Invoker, Nanos, Reply};
use consign_knowledge::{
    SourceId,
    conversation::{Ended, LastTurn, Message, TurnEnd},
};
use serde_json::{Value, json};

use super::{Turns, broken, store_failed};
use crate::turn::workflow::SaveInput;

pub(super) struct SaverAgent(pub(super) Arc<Turns>);

#[async_trait]
impl Invoker for SaverAgent {
    fn worst_case(&self, _: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let input: SaveInput = attempt.input.to().map_err(broken)?;
        let at = self.0.library.now();
        let message = |role: &str, content: String| Message { role: role.to_owned(), content, at };
        let sources: BTreeSet<_> = input
            .context
            .iter()
            .filter_map(|passage| passage.get("source_id").and_then(Value::as_str))
            .collect();
        let turn = TurnEnd {
            id: input.conversation,
            number: input.number,
            run: Some(attempt.run.clone()),
            messages: vec![message("user", input.message), message("assistant", input.said)],
            last: LastTurn { plan: Some(Data::of(&input.plan)), context: Data::of(&input.context) },
            preferences: Data::of(&input.preferences),
            marks: input.marks,
            sources: sources.into_iter().map(SourceId::named).collect(),
            at,
        };
        let conversations = &self.0.conversations;
        let ended = conversations.end_turn(&attempt.owner, &input.session, turn).await;
        let ended = ended.map_err(|error| store_failed(&error))?;
        // A conversation that was removed meanwhile keeps nothing of this turn, its journal neither.
        if ended == Ended::Gone {
            let later = conversations.redact_later(&attempt.run).await;
            later.map_err(|error| store_failed(&error))?;
        }
        Ok(Reply::new(Data::of(&json!({ "kept": ended != Ended::Gone })), Nanos::ZERO))
    }
}
