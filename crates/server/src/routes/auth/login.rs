//! `POST /auth/login`: a new session, as a cookie.

use std::sync::Arc;

use axum::response::Response;
use consign_contracts::wire::wire;

use super::{client, is_secure, signed_in};
use crate::{
    endpoint::{
        Access, Answer, Call, Capacity, Checked, Endpoint, Method, NoPath, NoQuery, Operation,
    },
    error::Problem,
    server::App,
};

wire! {
    /// Who logs in.
    pub closed struct LogInBody {
        /// The address.
        email: String [minLength: 1, maxLength: 254],
        /// The password.
        password: String [minLength: 1, maxLength: 256],
    }
}

pub(in crate::routes) struct LogIn;

/// What a route that begins a session answers.
pub(super) const SIGNED_IN: &[Answer] =
    &[Answer::json(200, "SignedIn", "The session is the cookie.")
        .headers(&[("Set-Cookie", "The session; HttpOnly, and Secure over TLS.")])];

impl Endpoint for LogIn {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/auth/login";
    const ACCESS: Access = Access::Public;
    const CAPACITY: Capacity = Capacity::SignIns;
    const OPERATION: Operation = Operation::new("logIn", "Log in", SIGNED_IN).description(
        "Ten tries per account and thirty per address in 15 minutes, the right password included. The `csrfToken` \
         goes into the header `X-CSRF-Token` of every change that is made by the cookie.",
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Checked<LogInBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (client, is_secure) = (client(&call), is_secure(&app, &call));
        let Checked(LogInBody { email, password }) = call.body;
        let session = app.accounts()?.log_in(&email, &password, &client).await?;
        Ok(signed_in(&session, is_secure))
    }
}
