//! `POST /auth/reset`: mails a code, or sets a new password by one.

use std::sync::Arc;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use consign_contracts::wire::{rules, wire};

use super::client;
use crate::{
    endpoint::{
        Access, Answer, Call, Capacity, Checked, Endpoint, Method, NoPath, NoQuery, Operation,
    },
    error::Problem,
    server::App,
};

wire! {
    /// An address alone asks for a code; with code and password it sets the password.
    pub closed struct ResetBody {
        /// The address.
        email: String [minLength: 1, maxLength: 254],
        /// Six digits.
        code: Option<String> [minLength: 1, maxLength: 32],
        /// 8 to 256 characters.
        new_password as "newPassword": Option<String> [minLength: 8, maxLength: 256],
    }
    with rules(r#"{"dependencies": {"code": ["newPassword"], "newPassword": ["code"]}}"#)
}

pub(in crate::routes) struct Reset;

impl Endpoint for Reset {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/auth/reset";
    const ACCESS: Access = Access::Public;
    const CAPACITY: Capacity = Capacity::SignIns;
    const OPERATION: Operation = Operation::new(
        "reset",
        "Mail a code for a new password, or set the password by that code",
        &[Answer::empty(
            204,
            "A code was mailed; or the password was set and all sessions are over.",
        )],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Checked<ResetBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let client = client(&call);
        let accounts = app.accounts()?;
        let Checked(ResetBody { email, code, new_password }) = call.body;
        match code.zip(new_password) {
            None => accounts.begin_reset(&email, &client).await?,
            Some((code, new)) => accounts.reset(&email, &code, &new, &client).await?,
        }
        Ok(StatusCode::NO_CONTENT.into_response())
    }
}
