//! `DELETE /api/conversations/{session}`: a conversation goes, with what the journals of its turns hold.

use std::sync::Arc;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use consign_app::conversations;

use crate::{
    endpoint::{Answer, Call, Endpoint, Method, NoBody, NoQuery, Operation, SessionPath},
    error::Problem,
    server::App,
};

pub(in crate::routes) struct RemoveConversation;

impl Endpoint for RemoveConversation {
    const METHOD: Method = Method::Delete;
    const PATH: &'static str = "/api/conversations/{session}";
    const OPERATION: Operation = Operation::new(
        "removeConversation",
        "Forget a conversation, and erase the journals of its turns",
        &[Answer::empty(204, "It is gone.")],
    );
    type Path = SessionPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let SessionPath(session) = call.path;
        let (owner, by) = (&call.caller.owner, &call.caller.speaker);
        conversations::remove(&app.home, owner, by, &session).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    }
}
