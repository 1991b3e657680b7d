//! `POST /auth/logout`: ends the session on the server.

use std::sync::Arc;

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};

use super::is_secure;
use crate::{
    cookies,
    endpoint::{Access, Answer, Call, Endpoint, Method, NoBody, NoPath, NoQuery, Operation},
    error::Problem,
    server::App,
};

pub(in crate::routes) struct LogOut;

impl Endpoint for LogOut {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/auth/logout";
    const ACCESS: Access = Access::Anyone;
    const OPERATION: Operation = Operation::new(
        "logOut",
        "End the session",
        &[Answer::empty(204, "The session is over. A token stays: revoke it.")],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        app.accounts()?.log_out(call.caller.account()?).await?;
        let mut response = StatusCode::NO_CONTENT.into_response();
        let cookie = cookies::end_session(is_secure(&app, &call));
        response.headers_mut().append(header::SET_COOKIE, cookie);
        Ok(response)
    }
}
