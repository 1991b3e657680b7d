//! The inbox: what runs ask, and what was answered by whom.
//!
//! [`list`] is one page of it for every surface. What is past its deadline is not open any more, and an agent
//! is shown only what it may answer.

use std::sync::Arc;

use consign_engine::{
    AskKind, Engine, Role,
    store::{InboxQuery, Interaction},
};

use crate::{
    error::{Error, Refused},
    listing::Page,
};

/// A page of the inbox: open entries, oldest first, or answered ones, newest first. The query's `most` is the size
/// of the page, and its `after` the last entry of the page before.
pub async fn list(
    engine: &Arc<Engine>,
    mut query: InboxQuery,
    reader: Role,
) -> Result<Page<Interaction>, Error> {
    let store = engine.store();
    if let Some(run) = &query.run {
        store.row(run).await?;
    }
    if let Some((run, key)) = &query.after
        && store.interaction(run, key).await?.is_none()
    {
        let told = "the cursor names no entry; use the `cursor` of the page before";
        return Err(Refused::new("CURSOR_UNKNOWN", told).into());
    }
    if !query.answered {
        query.open_at = Some(engine.now());
    }
    if reader == Role::Agent {
        match query.kind {
            None => query.kind = Some(AskKind::AgentResponse),
            Some(kind) if kind.audience() == Role::Agent => {}
            Some(_) => return Ok(Page { items: Vec::new(), cursor: None }),
        }
    }
    let most = query.most;
    query.most = most.saturating_add(1);
    let asks = store.inbox(&query).await?;
    Ok(Page::of(asks, most, |ask| format!("{}/{}", ask.run, ask.key)))
}
