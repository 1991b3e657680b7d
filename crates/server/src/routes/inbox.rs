//! `GET /api/inbox`: what runs wait for and somebody can answer.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use consign_contracts::json::Json;
use consign_engine::{AskKind, Key, store::InboxQuery};
use sha2::{Digest, Sha256};

use super::{Access, Room, Route};
use crate::{error::Problem, path, query::Query, respond, server::App, view};

pub(super) const ROUTE: Route = Route {
    method: "get",
    path: "/api/inbox",
    access: Access::Token,
    room: Room::Requests,
    handler: || get(inbox),
    operation: r##"{
        "operationId": "inbox",
        "summary": "What runs wait for and somebody can answer, oldest first",
        "description": "Whoever asks again sends the `ETag` of the answer before as `If-None-Match`.",
        "parameters": [
            {"name": "run", "in": "query", "description": "Only what this run asks.", "schema": {"type": "string"}},
            {"name": "kind", "in": "query", "description": "Only this kind.", "schema": {"type": "string", "enum": ["clarification", "confirmation", "approval", "intervention", "limit", "agent_response"]}},
            {"name": "agent", "in": "query", "description": "Only what is to be answered in the place of this agent.", "schema": {"type": "string"}},
            {"$ref": "#/components/parameters/Limit"},
            {"name": "cursor", "in": "query", "description": "Go on after this entry, as RUN/INTERACTION.", "schema": {"type": "string"}},
            {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}}
        ],
        "responses": {
            "200": {
                "description": "A page.",
                "headers": {"ETag": {"schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {
                    "type": "object",
                    "required": ["items", "cursor"],
                    "properties": {
                        "items": {"type": "array", "items": {"$ref": "#/components/schemas/Interaction"}},
                        "cursor": {"$ref": "#/components/schemas/Cursor"}
                    }
                }}}
            },
            "304": {"description": "Nothing has changed."}
        }
    }"##,
    form: None,
};

async fn inbox(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let store = app.engine.store();
    let mut query = Query::of(request.uri())?;
    let run = query.take("run").map(path::run).transpose()?;
    let kind = query.read("kind", "a kind of interaction", AskKind::from_word)?;
    let agent = query.take("agent");
    let most = query.limit()?;
    let after = query.read("cursor", "RUN/INTERACTION", |cursor| {
        // Ids of runs have no slash.
        let (run, key) = cursor.split_once('/')?;
        Some((path::run(run.to_owned()).ok()?, Key::from(key)))
    })?;
    query.end()?;
    if let Some(run) = &run {
        store.row(run).await?;
    }
    if let Some((run, key)) = &after
        && store.interaction(run, key).await?.is_none()
    {
        return Err(Problem::invalid("nothing was ever asked as the cursor says"));
    }
    // One more than is shown tells whether there is more.
    let query = InboxQuery { run, kind, agent, after, most: most + 1 };
    let mut asks = store.inbox(&query).await?;
    let more = asks.len() > most;
    asks.truncate(most);
    let cursor = asks.last().filter(|_| more).map(|ask| format!("{}/{}", ask.run, ask.key));
    let items = asks.iter().map(|ask| Json::Object(view::interaction(ask))).collect();
    Ok(tagged(&request, respond::page(items, cursor)))
}

/// The page, unless whoever asks has it already.
fn tagged(request: &Request, page: String) -> Response {
    let tag = format!("\"{}\"", hex::encode(&Sha256::digest(&page)[..16]));
    let given = request.headers().get(header::IF_NONE_MATCH).and_then(|given| given.to_str().ok());
    let known = given.is_some_and(|given| {
        given.split(',').any(|given| given.trim().trim_start_matches("W/") == tag)
    });
    let mut response = match known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => respond::text(StatusCode::OK, page),
    };
    if let Ok(tag) = HeaderValue::try_from(tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}
