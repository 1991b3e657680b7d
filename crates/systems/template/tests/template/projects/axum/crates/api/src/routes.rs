use std::sync::Arc;

use axum::{Json, Router, extract::State, routing::get};
use ledgerline_store::{Entry, EntryRepository, InMemoryEntryRepository};

use crate::error::ApiError;

type Entries = Arc<InMemoryEntryRepository>;

pub fn router(entries: Entries) -> Router {
    Router::new().route("/entries", get(all_entries)).with_state(entries)
}

async fn all_entries(State(entries): State<Entries>) -> Result<Json<Vec<Entry>>, ApiError> {
    Ok(Json(entries.all()?))
}
