//! `POST /api/documents`: takes files or sources in, by a run that a worker drives.

use std::{sync::Arc, time::Duration};

use axum::{
    http::{StatusCode, header},
    response::Response,
};
use consign_app::{
    documents::{self, FileRow, RowStatus, Rows},
    runs,
};
use consign_contracts::wire::{Integer, wire};
use consign_engine::{Status, store::Row};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::body::Sent;
use crate::{
    endpoint::{Answer, Call, Capacity, Endpoint, Method, NoPath, Operation},
    error::Problem,
    respond,
    server::App,
};

/// How long a request waits for its run, in seconds.
const WAIT: u64 = 30;

wire! {
    /// How long to wait.
    pub closed struct SendWait {
        /// Wait at most so many seconds for what becomes of it.
        wait: Option<Integer> [minimum: 0, maximum: 30, default: 30],
    }
}

pub(in crate::routes) struct SendDocuments;

impl Endpoint for SendDocuments {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/documents";
    const CAPACITY: Capacity = Capacity::Processing;
    const OPERATION: Operation = Operation::new(
        "sendDocuments",
        "Take documents in: files that are sent, or sources that are named",
        &[
            Answer::json(201, "SentDocuments", "What became of each file."),
            Answer::json(202, "WholeRun", "It takes longer: the run, which goes on.")
                .headers(&[("Location", "The run.")]),
        ],
    )
    .description(
        "Where nothing could be taken in, the answer is the failure of the first file: its code, with contract \
         crew/agent-failure in `details`. Local paths are reached only below folders that the operator shares.",
    );
    type Path = NoPath;
    type Query = SendWait;
    type Body = Sent;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (received, closing) = (call.received, call.closing());
        let seconds = call.query.wait.as_ref().and_then(Integer::as_u64).unwrap_or(WAIT);
        let (owner, by) = (&call.caller.owner, &call.caller.speaker);
        let run = match call.body {
            Sent::Files(upload, wishes) => upload.begin_run(&app.home, owner, by, wishes).await?,
            Sent::Sources(input) => documents::begin_outside(&app.home, owner, by, input).await?,
        };
        // The request's own time is over before the server's.
        let limit = received + app.options.time_limit.saturating_sub(Duration::from_secs(1));
        let until = limit.min(Instant::now() + Duration::from_secs(seconds));
        let row = runs::wait(&app.engine, &run, until, closing).await?;
        if row.status.is_closed() {
            return settled(&app, &row).await;
        }
        let mut response = respond::run(&app, StatusCode::ACCEPTED, &row).await?;
        if let Some(location) = respond::location(&run) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(response)
    }
}

/// What a run that is over has come to.
async fn settled(app: &App, row: &Row) -> Result<Response, Problem> {
    let mut rows = Rows::default();
    let files = rows.more(&app.engine, &row.id).await?;
    if let Some(fault) = rows.fault {
        return Err(fault.into());
    }
    if row.status != Status::Succeeded {
        return Err(Problem::new("INVALID_STATE", format!("the run {} was cancelled", row.id)));
    }
    let is_known = |file: &FileRow| {
        matches!(file.status, RowStatus::Taken | RowStatus::Replaced | RowStatus::Unchanged)
    };
    if !files.iter().any(is_known)
        && let Some(failed) = files.iter().find_map(|file| file.error.as_ref())
    {
        return Err(Problem::of_failure(failed, app.engine.now()));
    }
    let items: Vec<Value> = files.iter().map(item).collect();
    Ok(respond::text(StatusCode::CREATED, json!({ "items": items }).to_string()))
}

/// What became of a file, without where we had it meanwhile.
fn item(file: &FileRow) -> Value {
    let mut item = json!(file);
    if let Some(members) = item.as_object_mut() {
        members.remove("fetched_as");
    }
    item
}
