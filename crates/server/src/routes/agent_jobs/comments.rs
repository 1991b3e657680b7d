//! `/api/agents/jobs/{id}/comments`: what people say about a job.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_accounts::Scope;
use consign_app::agent_jobs;
use consign_contracts::wire::{Integer, wire};

use super::submit::{KEY_HEADER, idempotency_key};
use crate::{
    endpoint::{
        Access, Answer, Call, Checked, Endpoint, Method, NamePath, NoBody, NoQuery, Operation,
    },
    error::Problem,
    respond,
    server::App,
};

wire! {
    /// A comment.
    pub closed struct CommentBody {
        /// What there is to say.
        text: String [minLength: 1, maxLength: 10_000],
    }
}

wire! {
    /// Which comments.
    pub closed struct CommentFilter {
        /// How many entries.
        limit: Option<Integer> [minimum: 1, maximum: 100, default: 20],
        /// The `nextCursor` of the page before.
        cursor: Option<String> [minLength: 1, maxLength: 1000],
    }
}

pub(in crate::routes) struct AddComment;

impl Endpoint for AddComment {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/agents/jobs/{id}/comments";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "addComment",
        "Say something about a job",
        &[Answer::json(201, "Comment", "It is kept.")],
    )
    .description("409 INVALID_STATE for a job with 1,000 comments.")
    .headers(KEY_HEADER);
    type Path = NamePath;
    type Query = NoQuery;
    type Body = Checked<CommentBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let key = idempotency_key(call.headers())?;
        let (NamePath(id), Checked(body)) = (&call.path, &call.body);
        let (owner, by) = (&call.caller.owner, &call.caller.speaker);
        let kept = agent_jobs::comment(&app.home, owner, by, id, &body.text, key).await?;
        Ok(respond::object(StatusCode::CREATED, kept))
    }
}

pub(in crate::routes) struct ListComments;

impl Endpoint for ListComments {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/agents/jobs/{id}/comments";
    const ACCESS: Access = Access::Scope(Scope::Jobs);
    const OPERATION: Operation = Operation::new(
        "listComments",
        "What was said about a job, the oldest first",
        &[Answer::json(200, "CommentPage", "A page.")],
    );
    type Path = NamePath;
    type Query = CommentFilter;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (NamePath(id), CommentFilter { limit, cursor }) = (&call.path, &call.query);
        let limit = limit.as_ref().and_then(Integer::as_u64);
        let (home, owner) = (&app.home, &call.caller.owner);
        let page = agent_jobs::comments(home, owner, id, limit, cursor.as_deref()).await?;
        Ok(respond::object(StatusCode::OK, page.into_object()))
    }
}
