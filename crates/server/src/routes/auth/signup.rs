//! `POST /auth/signup`: a new account, which has to be verified by a code that is mailed.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_contracts::wire::wire;
use serde_json::json;

use super::client;
use crate::{
    endpoint::{
        Access, Answer, Call, Capacity, Checked, Endpoint, Method, NoPath, NoQuery, Operation,
    },
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// An account to make.
    pub closed struct SignUpBody {
        /// The address, which compares without case.
        email: String [minLength: 1, maxLength: 254],
        /// 8 to 256 characters.
        password: String [minLength: 8, maxLength: 256],
    }
}

pub(in crate::routes) struct SignUp;

impl Endpoint for SignUp {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/auth/signup";
    const ACCESS: Access = Access::Public;
    const CAPACITY: Capacity = Capacity::SignIns;
    const OPERATION: Operation = Operation::new(
        "signUp",
        "Make an account",
        &[Answer::json(201, "NewUser", "It was made; a code to verify the address was mailed.")],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Checked<SignUpBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let client = client(&call);
        app.with_accounts()?.check_first(call.headers()).await?;
        let Checked(SignUpBody { email, password }) = call.body;
        let user = app.accounts()?.sign_up(&email, &password, &client).await?;
        let body = json!({ "id": user.id.to_string(), "email": user.email });
        Ok(respond::text(StatusCode::CREATED, body.to_string()))
    }
}
