//! Searching documents.

use consign_contracts::crew::MemoryQuery;
use consign_engine::Owner;
use consign_knowledge::{Answer, Search};

use crate::{Home, error::Error};

/// Searches the documents of an owner, in one collection or in all.
pub async fn search(
    home: &Home,
    owner: &Owner,
    query: &MemoryQuery,
    collection: Option<&str>,
) -> Result<Answer, Error> {
    let search = Search::new(home.library.index.clone(), home.embedder.clone());
    Ok(search.search(owner, query, collection).await?)
}
