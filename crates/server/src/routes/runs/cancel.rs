//! `POST /api/runs/{id}/cancel`: asks for a run to end.

use std::{sync::Arc, time::Duration};

use axum::{http::StatusCode, response::Response};
use consign_app::{foreground::Unobserved, next, runs};
use consign_contracts::wire::wire;
use consign_engine::{Engine, RunId, Stop};
use tokio::sync::watch;

use crate::{
    endpoint::{Answer, Call, Checked, Endpoint, Method, NoQuery, Operation, RunPath},
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// Why the run is to end.
    pub closed struct CancelBody {
        /// Why, for the journal.
        reason: Option<String>,
    }
}

pub(in crate::routes) struct Cancel;

impl Endpoint for Cancel {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/runs/{id}/cancel";
    const OPERATION: Operation = Operation::new(
        "cancel",
        "Ask for a run to end",
        &[
            Answer::json(200, "WholeRun", "The run is over."),
            Answer::json(
                202,
                "WholeRun",
                "The wish was taken, and the worker that has the run closes it; the run as it is now.",
            ),
        ],
    )
    .description(
        "What is under way is told to stop, its cost is settled, and then the run closes as cancelled.",
    );
    type Path = RunPath;
    type Query = NoQuery;
    type Body = Option<Checked<CancelBody>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let RunPath(run) = call.path;
        let reason = call.body.and_then(|Checked(body)| body.reason);
        let mut row = runs::cancel(&app.engine, &run, reason, &app.options.actor).await?;
        if next::is_foreground(&row) && row.worker.is_none() {
            close(&app.engine, &run).await;
            row = app.engine.store().row(&run).await?;
        }
        let status = if row.status.is_closed() { StatusCode::OK } else { StatusCode::ACCEPTED };
        respond::run(&app, status, &row).await
    }
}

/// Closes a run that no worker would take. If that fails, another process has the run or will: the wish to
/// cancel is in its journal.
async fn close(engine: &Arc<Engine>, run: &RunId) {
    let (engine, run) = (engine.clone(), run.clone());
    // On its own, so that it ends even if the client has gone.
    let closing = tokio::spawn(async move {
        let (_go_on, stop) = watch::channel(Stop::GoOn);
        runs::close(&engine, &run, Duration::ZERO, &stop, &mut Unobserved, |_| {}).await
    });
    let _ = closing.await;
}
