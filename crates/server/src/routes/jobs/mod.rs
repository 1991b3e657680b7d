//! `/api/jobs`: making supervised jobs, looking at them, and helping them on.
//!
//! A job is named by its folder below the server's folder of jobs, and is there only for its owner. Workers drive it:
//! no route here does.

pub(super) mod activate;
pub(super) mod adopt;
pub(super) mod advise;
pub(super) mod audit;
pub(super) mod cancel;
pub(super) mod create;
pub(super) mod decide;
pub(super) mod halt;
pub(super) mod history;
pub(super) mod list;
pub(super) mod metrics;
pub(super) mod pace;
pub(super) mod preview;
pub(super) mod raise;
pub(super) mod replay;
pub(super) mod restore;
pub(super) mod show;

use std::borrow::Cow;

use axum::{http::StatusCode, response::Response};
use consign_app::jobs::{Change, JobView, OutsideJobs};
use consign_contracts::wire::wire;
use serde_json::Value;

use crate::{caller::Caller, endpoint::Answer, error::Problem, respond, server::App};

wire! {
    /// Nothing: the path says all.
    pub closed struct NoMembers {
    }
}

/// What most changes are answered with.
const CHANGED: &[Answer] = &[Answer::json(200, "Job", "It was taken; the job as it is now.")];

/// The jobs that a request can reach. Every user has a folder of jobs: names of one say nothing about those of others.
fn jobs<'a>(app: &'a App, caller: &'a Caller) -> OutsideJobs<'a> {
    let folder = match caller.identity() {
        None => Cow::Borrowed(app.jobs_dir.as_path()),
        Some(identity) => Cow::Owned(app.jobs_dir.join(format!("user-{}", identity.user.id))),
    };
    OutsideJobs { home: &app.home, folder, owner: &caller.owner, by: &caller.speaker }
}

/// Does something to a job, and shows how it stands then.
async fn change(
    app: &App,
    caller: &Caller,
    job: &str,
    change: Change,
) -> Result<Response, Problem> {
    let view = jobs(app, caller).change(job, change).await?;
    Ok(shown(StatusCode::OK, &view))
}

fn shown(status: StatusCode, view: &JobView) -> Response {
    respond::text(status, view.json().to_string())
}

fn value(value: &Value) -> Response {
    respond::text(StatusCode::OK, value.to_string())
}
