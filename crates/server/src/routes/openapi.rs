//! `GET /openapi.json`: the description of this server's routes.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};

use crate::{
    endpoint::{
        Access, Answer, AnyQuery, Call, Capacity, Endpoint, Method, NoBody, NoPath, Operation,
    },
    error::Problem,
    openapi, respond,
    server::App,
};

pub(super) struct OpenApi;

impl Endpoint for OpenApi {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/openapi.json";
    const ACCESS: Access = Access::Public;
    const CAPACITY: Capacity = Capacity::Unlimited;
    const OPERATION: Operation =
        Operation::new("openapi", "This document", &[Answer::json(200, "OpenApi", "OpenAPI 3.1.")]);
    type Path = NoPath;
    type Query = AnyQuery;
    type Body = NoBody;

    async fn answer(_app: Arc<App>, _call: Call<Self>) -> Result<Response, Problem> {
        Ok(respond::text(StatusCode::OK, openapi::document()))
    }
}
