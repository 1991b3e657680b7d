//! `GET /api/inbox`: a page of what runs ask and can be answered.

use std::sync::Arc;

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use consign_app::{inbox, listing::Page};
use consign_contracts::{
    engine::InteractionKind,
    json::Json,
    wire::{Integer, wire},
};
use consign_engine::{AskKind, Key, Owner, RunId, store::InboxQuery};
use sha2::{Digest, Sha256};

use crate::{
    endpoint::{Answer, Call, Endpoint, Method, NoBody, NoPath, Operation, page_size, run_id},
    error::{Part, Problem},
    respond,
    server::App,
    view,
};

wire! {
    /// Which entries of the inbox.
    pub closed struct Filter {
        /// Only what this run asks.
        run: Option<String>,
        /// Only this kind.
        kind: Option<InteractionKind>,
        /// Only what is to be answered in the place of this agent.
        agent: Option<String>,
        /// Only what runs of this owner ask.
        owner: Option<String>,
        /// Those that were answered, newest first, instead of those that are open.
        answered: Option<bool>,
        /// How many entries.
        limit: Option<Integer> [minimum: 1, maximum: 1000, default: 50],
        /// Go on after this entry, as RUN/INTERACTION.
        cursor: Option<String>,
    }
}

pub(super) struct Inbox;

impl Endpoint for Inbox {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/inbox";
    const OPERATION: Operation = Operation::new(
        "inbox",
        "What runs wait for and an answer can be given to, oldest first",
        &[
            Answer::json(200, "InboxPage", "A page.").headers(&[("ETag", "Names this page.")]),
            Answer::empty(304, "Nothing has changed."),
        ],
    )
    .description(
        "A client that asks again sends the `ETag` of the answer before as `If-None-Match`.",
    )
    .headers(&[(
        "If-None-Match",
        "The `ETag` of the page that the client has.",
        r#"{"type": "string"}"#,
    )]);
    type Path = NoPath;
    type Query = Filter;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let most = page_size(call.query.limit.as_ref());
        let run = call.query.run.clone().map(run_id).transpose()?;
        let after = call.query.cursor.as_deref().map(position).transpose()?;
        let kind = call.query.kind.and_then(|kind| AskKind::from_word(kind.as_str()));
        let agent = call.query.agent.clone();
        let reach = &call.caller.reach;
        let owner = reach.narrow(call.query.owner.clone().map(Owner::from))?;
        if let Some(run) = &run {
            reach.check(&app.engine, run).await?;
        }
        if let Some((run, _)) = &after
            && reach.check(&app.engine, run).await.is_err()
        {
            return Err(unknown_cursor());
        }
        let answered = call.query.answered.unwrap_or(false);
        let query =
            InboxQuery { run, kind, agent, owner, answered, after, most, ..InboxQuery::default() };
        let page = inbox::list(&app.engine, query, call.caller.speaker.role).await;
        let unknown = |error: &consign_app::Error| match error {
            consign_app::Error::Refused(refused) => refused.code == "CURSOR_UNKNOWN",
            consign_app::Error::Engine(_) => false,
        };
        let Page { items, cursor } = match page {
            Err(error) if unknown(&error) => return Err(unknown_cursor()),
            page => page?,
        };
        let items = items.iter().map(|ask| Json::Object(view::interaction(ask))).collect();
        Ok(tagged(call.headers(), respond::page(items, cursor)))
    }
}

/// The entry that a cursor names. Ids of runs have no slash.
fn position(cursor: &str) -> Result<(RunId, Key), Problem> {
    let (run, key) = cursor.split_once('/').ok_or_else(unknown_cursor)?;
    let run = run_id(run.to_owned()).map_err(|_| unknown_cursor())?;
    Ok((run, Key::from(key)))
}

fn unknown_cursor() -> Problem {
    let told = "the cursor names no entry; use the `cursor` of the page before";
    Problem::invalid(Part::Query, "/cursor", "cursor", told)
}

/// The page, unless the client has it already.
fn tagged(headers: &HeaderMap, page: String) -> Response {
    let tag = format!("\"{}\"", hex::encode(&Sha256::digest(&page)[..16]));
    let given = headers.get(header::IF_NONE_MATCH).and_then(|given| given.to_str().ok());
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
