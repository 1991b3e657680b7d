//! `DELETE /api/documents/{source_id}`: a source goes, with everything that came from it.

use std::sync::Arc;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use consign_app::documents;

use crate::{
    endpoint::{Answer, Call, Endpoint, Method, NoBody, NoQuery, Operation, SourcePath},
    error::Problem,
    server::App,
};

pub(in crate::routes) struct RemoveDocument;

impl Endpoint for RemoveDocument {
    const METHOD: Method = Method::Delete;
    const PATH: &'static str = "/api/documents/{source_id}";
    const OPERATION: Operation = Operation::new(
        "removeDocument",
        "Remove a document: its text, its passages, their words and their vectors",
        &[Answer::empty(204, "It is gone.")],
    );
    type Path = SourcePath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (SourcePath(id), owner) = (call.path, &call.caller.owner);
        documents::show(&app.home, owner, &id).await?;
        documents::remove(&app.home, owner, &id).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    }
}
