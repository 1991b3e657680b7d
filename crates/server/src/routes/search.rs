//! `POST /api/search`: passages of the caller's documents.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_app::documents;
use consign_contracts::{
    Breach,
    crew::MemoryQuery,
    json::{Json, Object},
    wire::{Message, Wire},
};

use crate::{
    endpoint::{Answer, Call, Checked, Endpoint, Method, NoPath, NoQuery, Operation},
    error::Problem,
    respond,
    server::App,
};

/// The most passages of one answer.
const MOST: u64 = 1000;

/// Contract `crew/memory.query`, with the collection to look in.
pub(crate) struct SearchBody(MemoryQuery);

impl Wire for SearchBody {
    fn schema() -> Object<'static> {
        let mut schema = Json::Object(MemoryQuery::schema());
        if let Some(Json::Object(properties)) = schema.at_mut("/properties") {
            let collection = r#"{"type": "string", "minLength": 1, "maxLength": 100, "description": "Only this collection."}"#;
            let collection = consign_contracts::wire::rules(collection);
            properties.set("collection", Json::Object(collection));
        }
        if let Some(Json::Object(top_k)) = schema.at_mut("/properties/top_k") {
            top_k.set("maximum", Json::Number(MOST.into()));
        }
        if let Json::Object(schema) = schema { schema } else { Object::new() }
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        MemoryQuery::read(json).map(Self)
    }

    fn write(&self) -> Json<'static> {
        self.0.write()
    }
}

pub(super) struct SearchDocuments;

impl Endpoint for SearchDocuments {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/search";
    const OPERATION: Operation = Operation::new(
        "searchDocuments",
        "Find passages of documents, best first",
        &[Answer::json(200, "Found", "What was found; there may be nothing.")],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Checked<SearchBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let Checked(SearchBody(query)) = call.body;
        let collection = query.extra.get("collection").and_then(Json::as_str);
        let owner = &call.caller.owner;
        let searching = documents::search(&app.home, owner, &query, collection);
        let answer = app.compute_permits.run(searching).await?;
        Ok(respond::text(StatusCode::OK, answer.to_output().to_json()))
    }
}
