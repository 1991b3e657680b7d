//! `POST /auth/password`: another password, by the one that holds.

use std::sync::Arc;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use consign_contracts::wire::wire;

use super::client;
use crate::{
    endpoint::{
        Access, Answer, Call, Capacity, Checked, Endpoint, Method, NoPath, NoQuery, Operation,
    },
    error::Problem,
    server::App,
};

wire! {
    /// The two passwords.
    pub closed struct PasswordBody {
        /// The one that holds.
        current as "currentPassword": String [minLength: 1, maxLength: 256],
        /// 8 to 256 characters.
        new as "newPassword": String [minLength: 8, maxLength: 256],
    }
}

pub(in crate::routes) struct ChangePassword;

impl Endpoint for ChangePassword {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/auth/password";
    const ACCESS: Access = Access::Unscoped;
    const CAPACITY: Capacity = Capacity::SignIns;
    const OPERATION: Operation = Operation::new(
        "changePassword",
        "Set another password",
        &[Answer::empty(204, "It was set; all other sessions are over.")],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Checked<PasswordBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let client = client(&call);
        let identity = call.caller.account()?;
        let Checked(PasswordBody { current, new }) = call.body;
        app.accounts()?.change_password(identity, &current, &new, &client).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    }
}
