//! `GET /api/conversations`: a page of conversations, the one that went on last first.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_app::conversations::{self, Listed, SessionQuery};
use consign_contracts::{
    json::Json,
    wire::{Integer, wire},
};
use consign_engine::At;
use serde_json::json;

use crate::{
    endpoint::{Answer, Call, Endpoint, Method, NoBody, NoPath, Operation, page_size},
    error::{Part, Problem},
    respond,
    server::App,
};

wire! {
    /// Which conversations.
    pub closed struct ConversationFilter {
        /// How many entries.
        limit: Option<Integer> [minimum: 1, maximum: 1000, default: 50],
        /// The `cursor` of the page before.
        cursor: Option<String> [minLength: 1, maxLength: 300],
    }
}

pub(in crate::routes) struct ListConversations;

impl Endpoint for ListConversations {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/conversations";
    const OPERATION: Operation = Operation::new(
        "listConversations",
        "Conversations, the one that went on last first",
        &[Answer::json(200, "ConversationPage", "A page.")],
    );
    type Path = NoPath;
    type Query = ConversationFilter;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let ConversationFilter { limit, cursor } = call.query;
        let after = cursor.map(|cursor| place(&cursor)).transpose()?;
        let most = page_size(limit.as_ref());
        let query = SessionQuery { after, most: most + 1 };
        let mut listed = conversations::list(&app.home, &call.caller.owner, &query).await?;
        let has_more = listed.len() > most;
        listed.truncate(most);
        let last = listed.last().filter(|_| has_more);
        let cursor = last.map(|last| format!("{}.{}", last.ended_at.0, last.session));
        let items = listed.iter().map(item).collect();
        Ok(respond::text(StatusCode::OK, respond::page(items, cursor)))
    }
}

fn item(one: &Listed) -> Json<'static> {
    Json::from(&json!({
        "session_id": one.session,
        "turns": one.turns,
        "began_at": one.began_at.to_string(),
        "ended_at": one.ended_at.to_string(),
    }))
}

/// When the last conversation of a page went on, and its session.
fn place(cursor: &str) -> Result<(At, String), Problem> {
    let place = cursor.split_once('.').and_then(|(at, session)| {
        let at: i64 = at.parse().ok()?;
        Some((At(at), session.to_owned()))
    });
    place.ok_or_else(|| {
        let told = "the cursor is none that this list gave";
        Problem::invalid(Part::Query, "/cursor", "cursor", told)
    })
}
