//! Searching documents.

use consign_contracts::crew::MemoryQuery;
use consign_engine::Owner;
use consign_knowledge::{Answer, Search};

use super::vectors::NoModel;
use crate::{Home, error::Error};

/// Searches the documents of an owner, in one collection or in all: by words and meaning, or by words alone where there
/// is no model, or no vector yet.
pub async fn search(
    home: &Home,
    owner: &Owner,
    query: &MemoryQuery,
    collection: Option<&str>,
) -> Result<Answer, Error> {
    let (embedder, trouble) = match home.vectors.embedder() {
        Ok(embedder) => (Some(embedder), None),
        Err(NoModel::Missing) => (None, None),
        Err(why @ (NoModel::Damaged(_) | NoModel::Unusable(_))) => (None, Some(why.to_string())),
    };
    let search = Search::new(home.library.index.clone(), embedder);
    let mut answer = search.search(owner, query, collection).await?;
    answer.trouble = answer.trouble.or(trouble);
    Ok(answer)
}
