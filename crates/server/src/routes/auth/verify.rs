//! `POST /auth/verify` and `/auth/resend`: proves that an address is the user's own.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_contracts::wire::wire;
use serde_json::json;

use super::client;
use crate::{
    endpoint::{Access, Answer, Call, Checked, Endpoint, Method, NoPath, NoQuery, Operation},
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// A code that was mailed.
    pub closed struct VerifyBody {
        /// The address.
        email: String [minLength: 1, maxLength: 254],
        /// Six digits.
        code: String [minLength: 1, maxLength: 32],
    }
}

wire! {
    /// An address.
    pub closed struct ResendBody {
        /// The address.
        email: String [minLength: 1, maxLength: 254],
    }
}

pub(in crate::routes) struct Verify;

impl Endpoint for Verify {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/auth/verify";
    const ACCESS: Access = Access::Public;
    const OPERATION: Operation = Operation::new(
        "verify",
        "Verify an address by the code that was mailed",
        &[Answer::json(200, "Verified", "The address is verified.")],
    )
    .description("A code lasts 15 minutes and 5 tries.");
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Checked<VerifyBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let client = client(&call);
        let Checked(VerifyBody { email, code }) = call.body;
        app.accounts()?.verify(&email, &code, &client).await?;
        Ok(respond::text(StatusCode::OK, json!({ "verified": true }).to_string()))
    }
}

pub(in crate::routes) struct Resend;

impl Endpoint for Resend {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/auth/resend";
    const ACCESS: Access = Access::Public;
    const OPERATION: Operation = Operation::new(
        "resend",
        "Mail another code",
        &[Answer::json(200, "Sent", "A code was mailed; the one before is void.")],
    )
    .description("Three codes in 15 minutes, the one of the sign-up included.");
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Checked<ResendBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let client = client(&call);
        let Checked(ResendBody { email }) = call.body;
        app.accounts()?.resend(&email, &client).await?;
        Ok(respond::text(StatusCode::OK, json!({ "sent": true }).to_string()))
    }
}
