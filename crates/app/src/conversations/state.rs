//! Conversations as they are kept: listed, shown, removed.

use consign_contracts::crew::Role;
use consign_engine::{Error as EngineError, Owner, Speaker, store};
use consign_knowledge::conversation::{Conversation, Listed, SessionQuery};
use serde_json::{Value, json};

use super::{forget::redact_forgotten, watching::Watching};
use crate::{
    Home,
    error::{Error, Refused},
    runs::cancel_unattended,
};

/// Messages that are shown at most.
const MOST_SHOWN: usize = 100_000;

/// Conversations, the one that went on last first.
pub async fn list(home: &Home, owner: &Owner, query: &SessionQuery) -> Result<Vec<Listed>, Error> {
    Ok(home.turns.conversations.list(owner, query).await?)
}

/// A conversation as contract `crew/conversation-state` has it. While a turn is under way, plan and passages are that
/// turn's, as far as it has come.
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
    let (plan, context) = match under_way(home, &conversation).await? {
        Some(watching) => (json!(watching.steps()), json!(watching.context())),
        None => {
            let last = &conversation.last;
            (last.plan.as_ref().map(value).into(), value(&last.context))
        }
    };
    Ok(json!({
        "session_id": conversation.session,
        "history": history,
        "current_plan": plan,
        "accumulated_context": context,
        "user_preferences": value(&conversation.preferences),
    }))
}

/// The turn that has begun and not ended, if there is one.
async fn under_way(home: &Home, conversation: &Conversation) -> Result<Option<Watching>, Error> {
    let run = conversation.run(conversation.turns);
    match home.store().row(&run).await {
        Ok(_) => {}
        Err(store::Error::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    let mut watching = Watching::default();
    watching.more(&home.engine, &run).await?;
    Ok((!watching.steps().is_empty()).then_some(watching))
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
    let conversations = &home.turns.conversations;
    let found = conversations.conversation(owner, session).await?;
    if !conversations.remove(owner, session).await? {
        return Err(not_found(session).into());
    }
    if let Some(conversation) = found {
        forget_open(home, speaker, &conversation).await?;
    }
    redact_forgotten(home, speaker).await
}

/// A turn of a conversation that is gone needs no answer: it is cancelled, and its journal erased once it is over.
async fn forget_open(
    home: &Home,
    speaker: &Speaker,
    conversation: &Conversation,
) -> Result<(), Error> {
    // The one before may have been kept by a process that died then.
    let numbers = [Some(conversation.turns), conversation.turns.checked_sub(1)];
    for run in numbers.into_iter().flatten().map(|number| conversation.run(number)) {
        let row = match home.store().row(&run).await {
            Ok(row) => row,
            Err(store::Error::NotFound(_)) => continue,
            Err(error) => return Err(error.into()),
        };
        home.turns.conversations.redact_later(&run).await?;
        if row.status.is_closed() {
            continue;
        }
        home.store().reclaim().await?;
        let reason = Some("the conversation was removed".to_owned());
        match cancel_unattended(&home.engine, &run, reason, speaker).await {
            Ok(_) => {}
            // It has ended meanwhile.
            Err(Error::Engine(EngineError::Fault(fault))) if fault.code == "INVALID_STATE" => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn not_found(session: &str) -> Refused {
    Refused::new("NOT_FOUND", format!("there is no conversation {session:?}"))
        .hint("`consign sessions list` shows them")
}
