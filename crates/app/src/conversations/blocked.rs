//! A message that the guard has stopped: there is no run, and the conversation keeps that something was said.

use consign_contracts::json::Json;
use consign_conversation::{failure::Failed, turn};
use consign_engine::{At, Data, Owner};
use consign_knowledge::conversation::{Conversation, LastTurn, Message, TurnEnd};
use serde_json::json;

use crate::{
    Home,
    error::{Error, Refused},
};

/// Why a message was not answered.
#[derive(Clone, Debug)]
pub struct Blocked {
    pub session: String,
    pub failed: Failed,
    /// The checks before it, which took too long.
    pub before: Vec<Failed>,
    pub at: At,
}

impl Blocked {
    /// Keeps it: what was said is not, and the assistant's warning is.
    pub(super) async fn keep(
        &self,
        home: &Home,
        owner: &Owner,
        conversation: &Conversation,
    ) -> Result<(), Error> {
        let message = |role: &str, content: &str| Message {
            role: role.to_owned(),
            content: content.to_owned(),
            at: self.at,
        };
        let code = &self.failed.error_code;
        let codes = self.before.iter().chain([&self.failed]);
        let codes = codes.map(|failed| failed.error_code.as_str());
        let turn = TurnEnd {
            id: conversation.id.clone(),
            number: conversation.turns,
            run: None,
            messages: vec![message("user", ""), message("assistant", turn::warning(code))],
            last: LastTurn {
                plan: Some(Data::of(&turn::blocked_plan(codes))),
                context: Data::of(&json!([])),
            },
            preferences: conversation.preferences.clone(),
            marks: conversation.marks.clone(),
            sources: Vec::new(),
            at: self.at,
        };
        home.turns.conversations.end_turn(owner, &self.session, turn).await?;
        Ok(())
    }

    /// As surfaces report it: the details are the failure, as contract `crew/agent-failure` has it.
    #[must_use]
    pub fn refused(&self) -> Refused {
        let mut refused = Refused::new(self.failed.error_code.clone(), self.failed.message.clone());
        let fault = self.failed.fault(self.at);
        if let Some(Json::Object(details)) = fault.details.as_ref().map(Data::shown) {
            refused.details = details.into_owned();
        }
        refused
    }
}
