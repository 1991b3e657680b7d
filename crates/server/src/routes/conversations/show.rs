//! `GET /api/conversations/{session}`: what was said, and what the last turn found.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_app::conversations;

use crate::{
    endpoint::{Answer, Call, Endpoint, Method, NoBody, NoQuery, Operation, SessionPath},
    error::Problem,
    respond,
    server::App,
};

pub(in crate::routes) struct ShowConversation;

impl Endpoint for ShowConversation {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/conversations/{session}";
    const OPERATION: Operation = Operation::new(
        "showConversation",
        "A conversation: what was said, and what its last turn found",
        &[Answer::json(200, "ConversationState", "Contract crew/conversation-state.")],
    );
    type Path = SessionPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let SessionPath(session) = call.path;
        let state = conversations::show(&app.home, &call.caller.owner, &session).await?;
        Ok(respond::text(StatusCode::OK, state.to_string()))
    }
}
