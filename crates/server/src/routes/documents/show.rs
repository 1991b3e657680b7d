//! `GET /api/documents/{source_id}`: one source, and what it says.

use std::{ops::Range, sync::Arc};

use axum::{http::StatusCode, response::Response};
use consign_app::documents::{self, Source};
use consign_contracts::wire::{Integer, wire};
use serde_json::{Value, json};

use crate::{
    endpoint::{Answer, Call, Endpoint, Method, NoBody, Operation, SourcePath},
    error::{Part, Problem},
    respond,
    server::App,
};

wire! {
    /// How much of it.
    pub closed struct DocumentView {
        /// What it says too.
        text: Option<bool>,
        /// The first byte of the text; 0 if left out.
        start: Option<Integer> [minimum: 0],
        /// The byte behind the last one of the text; its length if left out.
        end: Option<Integer> [minimum: 0],
    }
}

pub(in crate::routes) struct ShowDocument;

impl Endpoint for ShowDocument {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/documents/{source_id}";
    const OPERATION: Operation = Operation::new(
        "showDocument",
        "A document, and with `text` what it says",
        &[Answer::json(200, "WholeDocument", "The document.")],
    )
    .description("`start` and `end` are those of a passage's `span`, and cut letters of several bytes never.");
    type Path = SourcePath;
    type Query = DocumentView;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (SourcePath(id), owner) = (call.path, &call.caller.owner);
        let DocumentView { text, start, end } = call.query;
        let source = documents::show(&app.home, owner, &id).await?;
        let mut shown = whole(&source);
        if text == Some(true) {
            let span = span(&source, start.as_ref(), end.as_ref())?;
            let told = "that is no part of the text, or it has changed meanwhile";
            let said = documents::text(&app.home, owner, &source, Some(span.clone())).await;
            let said = said.map_err(|error| match error {
                consign_app::Error::Refused(_) => {
                    Problem::invalid(Part::Query, "/start", "span", told)
                }
                error @ consign_app::Error::Engine(_) => error.into(),
            })?;
            shown["span"] = json!([span.start, span.end]);
            shown["text"] = Value::String(said);
        }
        Ok(respond::text(StatusCode::OK, shown.to_string()))
    }
}

fn span(
    source: &Source,
    start: Option<&Integer>,
    end: Option<&Integer>,
) -> Result<Range<usize>, Problem> {
    let length = usize::try_from(source.length).unwrap_or(usize::MAX);
    let place = |given: Option<&Integer>, usual: usize| match given {
        None => Some(usual),
        Some(given) => given.as_u64().and_then(|place| usize::try_from(place).ok()),
    };
    let (start, end) = (place(start, 0), place(end, length));
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= length => Ok(start..end),
        _ => {
            let told = format!("the text has {length} bytes: start, then end, are at most that");
            Err(Problem::invalid(Part::Query, "/start", "span", told))
        }
    }
}

/// Everything that is known of a source.
fn whole(source: &Source) -> Value {
    let (mut shown, about) = (documents::row(source), &source.about);
    shown["file_name"] = json!(about.file_name);
    shown["file_type"] = json!(about.file_type);
    shown["source_url"] = json!(about.url);
    shown["metadata"] = json!(about.metadata);
    shown["length"] = json!(source.length);
    shown
}
