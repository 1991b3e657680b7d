//! `GET /api/agents/jobs/{id}/artifacts/{path}`: one file that a job made, as plain text.

use std::sync::Arc;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use consign_accounts::Scope;
use consign_app::agent_jobs;

use crate::{
    endpoint::{Access, Answer, ArtifactPath, Call, Endpoint, Method, NoBody, NoQuery, Operation},
    error::Problem,
    server::App,
};

pub(in crate::routes) struct ShowArtifact;

impl Endpoint for ShowArtifact {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/agents/jobs/{id}/artifacts/{*path}";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "showArtifact",
        "A file that a job made",
        &[Answer::text(200, "text/plain", "The file, whatever its kind: it is shown, never run.")],
    );
    type Path = ArtifactPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let ArtifactPath(id, path) = &call.path;
        let (owner, by) = (&call.caller.owner, &call.caller.speaker);
        let text = agent_jobs::artifact(&app.home, owner, by, id, path).await?;
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8")),
            // A model may have written it.
            (
                header::CONTENT_SECURITY_POLICY,
                HeaderValue::from_static("default-src 'none'; sandbox"),
            ),
        ];
        Ok((StatusCode::OK, headers, text).into_response())
    }
}
