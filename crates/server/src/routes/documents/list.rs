//! `GET /api/documents`: a page of sources, by collection and identifier.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_app::documents::{self, Source, SourceQuery};
use consign_contracts::{
    json::Json,
    wire::{Integer, wire},
};

use crate::{
    endpoint::{Answer, Call, Capacity, Endpoint, Method, NoBody, NoPath, Operation, page_size},
    error::{Part, Problem},
    respond,
    server::App,
};

wire! {
    /// Which sources.
    pub closed struct DocumentFilter {
        /// Only this collection.
        collection: Option<String> [minLength: 1, maxLength: 100],
        /// How many entries.
        limit: Option<Integer> [minimum: 1, maximum: 1000, default: 50],
        /// The `cursor` of the page before.
        cursor: Option<String> [minLength: 1, maxLength: 100],
    }
}

pub(in crate::routes) struct ListDocuments;

impl Endpoint for ListDocuments {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/documents";
    // What is sent to this path is counted so.
    const CAPACITY: Capacity = Capacity::Processing;
    const OPERATION: Operation = Operation::new(
        "listDocuments",
        "Documents, by collection and identifier",
        &[Answer::json(200, "DocumentPage", "A page.")],
    );
    type Path = NoPath;
    type Query = DocumentFilter;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let DocumentFilter { collection, limit, cursor } = call.query;
        let owner = &call.caller.owner;
        let place = |source: Source| (source.about.collection, source.about.identifier);
        let after = match cursor {
            None => None,
            Some(id) => {
                let told = "the cursor is none that this list gave, or its document is removed";
                let begin = documents::show(&app.home, owner, &id).await;
                let begin =
                    begin.map_err(|_| Problem::invalid(Part::Query, "/cursor", "cursor", told))?;
                Some(place(begin))
            }
        };
        let most = page_size(limit.as_ref());
        let query = SourceQuery { collection, after, most: most + 1 };
        let mut sources = documents::list(&app.home, owner, &query).await?;
        let has_more = sources.len() > most;
        sources.truncate(most);
        let cursor = sources.last().filter(|_| has_more).map(|last| last.id.to_string());
        let items = sources.iter().map(|source| Json::from(&documents::row(source))).collect();
        Ok(respond::text(StatusCode::OK, respond::page(items, cursor)))
    }
}
