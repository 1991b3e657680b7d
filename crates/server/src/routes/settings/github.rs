//! `/api/settings/github`: the caller's token for GitHub, which never comes out again.

use std::sync::Arc;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use consign_app::{
    settings::github::{self, OwnToken},
    view,
};
use consign_contracts::wire::wire;
use serde_json::json;

use super::{Confidential, SecretText};
use crate::{
    endpoint::{Access, Answer, Call, Endpoint, Method, NoBody, NoPath, NoQuery, Operation},
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// The token to keep. Where GitHub is, the operator of the server says.
    pub closed struct GitHubTokenBody {
        /// The token, as GitHub gave it.
        token: SecretText [minLength: 1, maxLength: 4096, pattern: "^[!-~]+$"],
    }
}

fn answered(token: Option<&OwnToken>) -> Response {
    let body = json!({
        "connected": token.is_some(),
        "createdAt": token.map(|token| view::at(token.at).as_str().map(str::to_owned)),
        "fingerprint": token.and_then(|token| token.fingerprint.as_deref()),
    });
    respond::text(StatusCode::OK, body.to_string())
}

pub(in crate::routes) struct GetGitHub;

impl Endpoint for GetGitHub {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/settings/github";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "getGitHub",
        "Whether you have a token for GitHub",
        &[Answer::json(200, "GitHubToken", "Its date and its fingerprint.")],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let token = github::get(&app.home, &call.caller.owner).await?;
        Ok(answered(token.as_ref()))
    }
}

pub(in crate::routes) struct SetGitHub;

impl Endpoint for SetGitHub {
    const METHOD: Method = Method::Put;
    const PATH: &'static str = "/api/settings/github";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "setGitHub",
        "Keep a token for GitHub, in the place of the one before",
        &[Answer::json(200, "GitHubToken", "It was sealed and is kept.")],
    )
    .description("503 ENCRYPTION_NOT_CONFIGURED without a sealing key.");
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Confidential<GitHubTokenBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let Confidential(GitHubTokenBody { token }) = call.body;
        let kept = github::set(&app.home, &call.caller.owner, token.reveal()).await?;
        Ok(answered(Some(&kept)))
    }
}

pub(in crate::routes) struct RemoveGitHub;

impl Endpoint for RemoveGitHub {
    const METHOD: Method = Method::Delete;
    const PATH: &'static str = "/api/settings/github";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "removeGitHub",
        "Remove your token for GitHub",
        &[Answer::empty(204, "It is gone.")],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        github::remove(&app.home, &call.caller.owner).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    }
}
