//! One run with everything that belongs to it, and how it ended.

use consign_contracts::json::{Json, Object};
use consign_engine::{
    Actor, Data, Engine, Fault, Placement, RunId, Seq, Status,
    journal::{Body, Created},
    store::{Error, InboxQuery, Interaction, Row},
};

use super::{
    interaction,
    lineage::lineage,
    run::{add_usage, certificate, limits, listed, pipeline},
    scalar::{data, object, text},
};

/// How a run ended.
#[derive(Clone, Debug)]
pub enum End {
    Succeeded(Data),
    Failed(Fault),
    Cancelled { by: Actor, reason: Option<String> },
}

/// The closing event is the last; what may follow it says nothing about the end.
const LAST: u64 = 8;
/// Asks that are read at a time.
const PAGE: usize = 500;

/// How a run ended, if it has and that can still be read.
pub async fn end(engine: &Engine, row: &Row) -> Result<Option<End>, Error> {
    if !row.status.is_closed() {
        return Ok(None);
    }
    // One by one: each may be as large as an envelope, and the last is most likely the one.
    for back in 0..LAST.min(row.seq.0 + 1) {
        let last = engine.store().events(&row.id, Seq(row.seq.0 - back), 1).await?;
        let end = last.iter().find_map(|record| match record.body() {
            Ok(Some(Body::Succeeded(end))) => Some(End::Succeeded(end.output)),
            Ok(Some(Body::Failed(end))) => Some(End::Failed(end.fault)),
            Ok(Some(Body::Cancelled(end))) => {
                Some(End::Cancelled { by: end.by, reason: end.reason })
            }
            Ok(_) | Err(_) => None,
        });
        if end.is_some() {
            return Ok(end);
        }
    }
    Ok(None)
}

/// How a run began, if that can still be read.
pub async fn beginning(engine: &Engine, row: &Row) -> Result<Option<Created>, Error> {
    let first = engine.store().events(&row.id, Seq(0), 1).await?;
    Ok(first.first().and_then(|record| match record.body() {
        Ok(Some(Body::Created(created))) => Some(created),
        Ok(_) | Err(_) => None,
    }))
}

/// Everything that a run asks now, oldest first.
pub async fn open_asks(engine: &Engine, run: &RunId) -> Result<Vec<Interaction>, Error> {
    let mut asks: Vec<Interaction> = Vec::new();
    loop {
        let after = asks.last().map(|ask| (ask.run.clone(), ask.key.clone()));
        let query = InboxQuery { run: Some(run.clone()), after, most: PAGE, ..Default::default() };
        let page = engine.store().inbox(&query).await?;
        let last = page.len() < PAGE;
        asks.extend(page);
        if last {
            return Ok(asks);
        }
    }
}

/// A run with its certificate, limits, end and waits.
pub async fn whole(
    engine: &Engine,
    row: &Row,
    asks: &[Interaction],
) -> Result<Object<'static>, Error> {
    let created = beginning(engine, row).await?;
    let mut whole = listed(row, created.as_ref().and_then(pipeline).as_deref());
    // A run whose state cannot be read is shown all the same.
    if let Ok((allowed, used)) = engine.usage(&row.id).await {
        add_usage(&mut whole, &used);
        whole.set("limits", limits(&allowed));
    }
    whole.set("input", created.as_ref().map_or(Json::Null, |created| data(&created.input)));
    let certified = created.map(|created| certificate(&created.certificate));
    whole.set("certificate", certified.unwrap_or(Json::Null));
    let (mut output, mut fault, mut cancelled) = (Json::Null, Json::Null, Json::Null);
    match end(engine, row).await? {
        Some(End::Succeeded(end)) => output = data(&end),
        Some(End::Failed(end)) => fault = data(&Data::of(&end)),
        Some(End::Cancelled { by, reason }) => {
            let reason = reason.map_or(Json::Null, text);
            cancelled = Json::Object(object([("by", text(by)), ("reason", reason)]));
        }
        None => {}
    }
    whole.set("output", output);
    whole.set("fault", fault);
    whole.set("cancelled", cancelled);
    let asks = asks.iter().map(|ask| Json::Object(interaction(ask)));
    whole.set("waits", Json::Array(asks.collect()));
    let parents = lineage(engine, row).await?;
    if !parents.is_empty() {
        let parents = parents.iter().map(|parent| Json::Object(parent.view()));
        whole.set("parents", Json::Array(parents.collect()));
    }
    whole.set("needs_resume", Json::Bool(needs_resume(engine, row)));
    Ok(whole)
}

/// A run as it is now, with its certificate, limits, end and everything that it asks.
pub async fn current(engine: &Engine, row: &Row) -> Result<Object<'static>, Error> {
    let asks = open_asks(engine, &row.id).await?;
    whole(engine, row, &asks).await
}

/// Whether a run could go on and no worker will take it: its command stopped in the middle, or it may go on only
/// by a command.
#[must_use]
pub fn needs_resume(engine: &Engine, row: &Row) -> bool {
    let now = engine.now();
    let due = match row.status {
        Status::Queued => true,
        Status::Waiting => row.wake_at.is_some_and(|at| at <= now),
        Status::Running | Status::Succeeded | Status::Failed | Status::Cancelled => false,
    };
    // A run that is kept outside of the store continues there.
    let by_command = row.interrupted
        || row.placement == Placement::HereOnly
        || engine.home_of(&row.workflow).is_some();
    due && row.worker.is_none() && by_command
}
