//! `GET /healthz`: the process is alive.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};

use crate::{
    endpoint::{
        Access, Answer, AnyQuery, Call, Capacity, Endpoint, Method, NoBody, NoPath, Operation,
    },
    error::Problem,
    respond,
    server::App,
};

pub(super) struct Healthz;

impl Endpoint for Healthz {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/healthz";
    const ACCESS: Access = Access::Public;
    const CAPACITY: Capacity = Capacity::Unlimited;
    const OPERATION: Operation = Operation::new(
        "alive",
        "Whether the process is alive",
        &[Answer::json(200, "Health", "It is.")],
    );
    type Path = NoPath;
    type Query = AnyQuery;
    type Body = NoBody;

    async fn answer(_app: Arc<App>, _call: Call<Self>) -> Result<Response, Problem> {
        Ok(respond::text(StatusCode::OK, r#"{"status":"alive"}"#))
    }
}
