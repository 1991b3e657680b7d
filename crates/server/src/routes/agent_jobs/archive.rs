//! `GET /api/agents/jobs/{id}/archive`: all files that a job made, in one archive.

use std::sync::Arc;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use consign_accounts::Scope;
use consign_app::agent_jobs;

use crate::{
    endpoint::{Access, Answer, Call, Endpoint, Method, NamePath, NoBody, NoQuery, Operation},
    error::Problem,
    server::App,
};

pub(in crate::routes) struct Archive;

impl Endpoint for Archive {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/agents/jobs/{id}/archive";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "archive",
        "All files that a job made, in one archive",
        &[Answer::text(200, "application/zip", "The archive.")],
    );
    type Path = NamePath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let NamePath(id) = &call.path;
        let (owner, by) = (&call.caller.owner, &call.caller.speaker);
        let packing = agent_jobs::archive(&app.home, owner, by, id);
        let bytes = app.compute_permits.run(packing).await?;
        let name = format!("attachment; filename=\"{id}.zip\"");
        let mut response = (StatusCode::OK, bytes).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/zip"));
        // The id was found, so it is a UUID.
        if let Ok(name) = HeaderValue::try_from(name) {
            headers.insert(header::CONTENT_DISPOSITION, name);
        }
        Ok(response)
    }
}
