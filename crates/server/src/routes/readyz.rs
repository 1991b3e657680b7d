//! `GET /readyz`: the store answers and a worker drives runs, so that requests can be served.

use std::{sync::Arc, time::Duration};

use axum::{http::StatusCode, response::Response};
use consign_engine::store;
use tokio::time::timeout;

use crate::{
    endpoint::{
        Access, Answer, AnyQuery, Call, Capacity, Endpoint, Method, NoBody, NoPath, Operation,
    },
    error::Problem,
    gate::UNATTENDED,
    respond,
    server::App,
};

/// A store that takes longer is not ready.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) struct Readyz;

impl Endpoint for Readyz {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/readyz";
    const ACCESS: Access = Access::Public;
    const CAPACITY: Capacity = Capacity::Unlimited;
    const OPERATION: Operation = Operation::new(
        "ready",
        "Whether the store answers, and runs are driven",
        &[Answer::json(200, "Health", "So it is.")],
    );
    type Path = NoPath;
    type Query = AnyQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, _call: Call<Self>) -> Result<Response, Problem> {
        if !app.options.worker_health.can_work() {
            let told = "no worker can drive runs at the moment; accepted runs wait until one can";
            return Err(Problem::new(UNATTENDED, told));
        }
        let answered = timeout(PATIENCE, app.engine.store().newest()).await;
        answered
            .map_err(|_| store::Error::Unavailable("the store does not answer".to_owned()))??;
        Ok(respond::text(StatusCode::OK, r#"{"status":"ready"}"#))
    }
}
