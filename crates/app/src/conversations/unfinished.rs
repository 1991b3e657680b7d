//! What a session has left unfinished: a turn whose process died is finished before the next one begins.

use std::collections::BTreeSet;

use consign_conversation::turn::{TurnInput, warning};
use consign_engine::{Owner, Placement, RunId, Seq, Status, Stop, journal::Body, store};
use consign_knowledge::{
    SourceId,
    conversation::{Conversation, LastTurn, Message, TurnEnd},
};
use tokio::sync::watch;

use super::watching::Watching;
use crate::{
    Home,
    error::{Error, Refused},
    foreground::{Ended, Foreground, Unobserved},
    machine::{now, random},
};

/// How often a session is looked at again, after something of it was finished.
const TRIES: usize = 10;

/// The conversation of a session, with no turn under way.
///
/// # Errors
/// `TURN_IN_PROGRESS` while another process, or a person, has a turn of it.
pub(super) async fn settled(
    home: &Home,
    owner: &Owner,
    session: &str,
) -> Result<Conversation, Error> {
    for _ in 0..TRIES {
        let id = hex::encode(random::<16>());
        let conversation = home.turns.conversations.open(owner, session, &id, now()).await?;
        let run = conversation.run(conversation.turns);
        let row = match home.store().row(&run).await {
            Ok(row) => row,
            Err(store::Error::NotFound(_)) => {
                close_saved(home, &conversation).await?;
                return Ok(conversation);
            }
            Err(error) => return Err(error.into()),
        };
        if row.status.is_closed() {
            close(home, owner, &conversation, &run).await?;
        } else if row.status == Status::Waiting {
            let hint = format!(
                "`consign inbox` shows what it waits for; `consign runs cancel {run}` gives it up"
            );
            return Err(under_way().hint(hint).into());
        } else {
            finish(home, &run, row.interrupted).await?;
        }
    }
    Err(under_way().into())
}

pub(super) fn under_way() -> Refused {
    Refused::new("TURN_IN_PROGRESS", "another turn of this session is under way")
        .hint("wait for its answer, or ask in another session")
}

/// A turn whose process died after it was kept is over for the conversation; its run is closed too.
async fn close_saved(home: &Home, conversation: &Conversation) -> Result<(), Error> {
    let Some(before) = conversation.turns.checked_sub(1) else { return Ok(()) };
    let run = conversation.run(before);
    let row = match home.store().row(&run).await {
        Ok(row) if row.status.is_closed() => return Ok(()),
        Ok(row) => row,
        // It was blocked.
        Err(store::Error::NotFound(_)) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    match finish(home, &run, row.interrupted).await {
        // Its process is about to close it.
        Err(Error::Refused(refused)) if refused.code == "TURN_IN_PROGRESS" => Ok(()),
        finished => finished,
    }
}

/// Finishes a turn that no living process has.
async fn finish(home: &Home, run: &RunId, is_interrupted: bool) -> Result<(), Error> {
    home.store().reclaim().await?;
    let row = home.store().row(run).await?;
    // One that a worker had, and has no more: the worker has died.
    let is_left = row.status == Status::Queued && row.worker.is_none() && row.epoch.0 > 0;
    let is_free = is_interrupted
        || (row.placement == Placement::Foreground && row.interrupted)
        || (row.placement == Placement::Anywhere && is_left);
    if !is_free {
        return Err(under_way().into());
    }
    let mut foreground = Foreground::new(&home.engine).await?;
    let Some(drive) = foreground.take_if_free(run).await? else {
        return Err(under_way().into());
    };
    let (_going, stop) = watch::channel(Stop::GoOn);
    match foreground.go_on(run, Some(drive), &stop, &mut Unobserved).await? {
        Ended::Closed(_) => Ok(()),
        Ended::Waiting(..) | Ended::Stopped(_) => Err(under_way().into()),
    }
}

/// A run that ended without its record, by a cancellation or a fault: the conversation keeps what the user said.
async fn close(
    home: &Home,
    owner: &Owner,
    conversation: &Conversation,
    run: &RunId,
) -> Result<(), Error> {
    let first = home.store().events(run, Seq(0), 1).await?;
    let body = first.first().map(|record| record.body().map_err(store::Error::Unavailable));
    let input = match body.transpose()?.flatten() {
        Some(Body::Created(created)) => TurnInput::read(&created.input).ok(),
        Some(_) | None => None,
    };
    let mut watching = Watching::default();
    watching.more(&home.engine, run).await?;
    let passages = watching.context().iter();
    let sources: BTreeSet<_> =
        passages.filter_map(|passage| passage.get("source_id")?.as_str()).collect();
    let at = now();
    let said = |role: &str, content: String| Message { role: role.to_owned(), content, at };
    let message = input.map_or_else(String::new, |input| input.message);
    let turn = TurnEnd {
        id: conversation.id.clone(),
        number: conversation.turns,
        run: Some(run.clone()),
        messages: vec![said("user", message), said("assistant", warning("").to_owned())],
        last: LastTurn { plan: None, context: consign_engine::Data::of(&serde_json::json!([])) },
        preferences: conversation.preferences.clone(),
        marks: conversation.marks.clone(),
        sources: sources.into_iter().map(SourceId::named).collect(),
        at,
    };
    home.turns.conversations.end_turn(owner, &conversation.session, turn).await?;
    Ok(())
}
