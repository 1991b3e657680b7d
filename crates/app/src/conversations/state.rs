//! Conversations as they are kept: listed, shown, removed.

use consign_contracts::crew::Role;
use consign_engine::{Owner, Speaker};
use consign_knowledge::conversation::{Listed, SessionQuery};
use serde_json::{Value, json};

use super::forget::redact_forgotten;
use crate::{
    Home,
    error::{Error, Refused},
};

/// Messages that are shown at most.
const MOST_SHOWN: usize = 100_000;

/// Conversations, the one that went on last first.
pub async fn list(home: &Home, owner: &Owner, query: &SessionQuery) -> Result<Vec<Listed>, Error> {
    Ok(home.turns.conversations.list(owner, query).await?)
}

/// A conversation as contract `crew/conversation-state` has it.
///
/// # Errors
/// `NOT_FOUND`, if there is none.
pub async fn show(home: &Home, owner: &Owner, session: &str) -> Result<Value, Error> {
    let found = home.turns.conversations.conversation(owner, session).await?;
    let Some(conversation) = found else { return Err(not_found(session).into()) };
    let messages = home.turns.conversations.messages(&conversation, MOST_SHOWN).await?;
    let history: Vec<_> = messages
        .iter()
        .map(|message| {
            let role = Role::from_word(&message.role).map_or("system", |role| role.as_str());
            json!({
                "role": role,
                "content": message.content,
                "timestamp": message.at.to_string(),
            })
        })
        .collect();
    let value = |data: &consign_engine::Data| data.shown().to_serde();
    Ok(json!({
        "session_id": conversation.session,
        "history": history,
        "current_plan": conversation.last.plan.as_ref().map(value),
        "accumulated_context": value(&conversation.last.context),
        "user_preferences": value(&conversation.preferences),
    }))
}

/// Removes a conversation, what was said in it and what the journals of its turns hold.
///
/// # Errors
/// `NOT_FOUND`, if there is none.
pub async fn remove(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    session: &str,
) -> Result<(), Error> {
    if !home.turns.conversations.remove(owner, session).await? {
        return Err(not_found(session).into());
    }
    redact_forgotten(home, speaker).await
}

fn not_found(session: &str) -> Refused {
    Refused::new("NOT_FOUND", format!("there is no conversation {session:?}"))
        .hint("`consign sessions list` shows them")
}
