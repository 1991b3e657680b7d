//! `GET /auth/me`: who makes the request.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_accounts::Way;
use serde_json::Value;

use super::user_json;
use crate::{
    endpoint::{Access, Answer, Call, Endpoint, Method, NoBody, NoPath, NoQuery, Operation},
    error::Problem,
    respond,
    server::App,
};

pub(in crate::routes) struct Me;

impl Endpoint for Me {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/auth/me";
    const ACCESS: Access = Access::Anyone;
    const OPERATION: Operation =
        Operation::new("me", "Who makes this request", &[Answer::json(200, "Me", "The user.")])
            .description("`csrfToken` is null for a request with a token: it needs none.");
    type Path = NoPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(_app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let identity = call.caller.account()?;
        let mut body = user_json(&identity.user);
        body["csrfToken"] = match &identity.way {
            Way::Session { csrf, .. } => Value::String(csrf.clone()),
            Way::Token { .. } => Value::Null,
        };
        Ok(respond::text(StatusCode::OK, body.to_string()))
    }
}
