//! Listing runs.

use std::sync::Arc;

use consign_contracts::json::Object;
use consign_engine::{Engine, store::RunQuery};

use crate::{error::Error, listing::Page, view};

/// A page of runs, newest first, as lists show them. The query's `most` is the size of the page, and its `before` the
/// cursor of the page before.
pub async fn list(
    engine: &Arc<Engine>,
    mut query: RunQuery,
) -> Result<Page<Object<'static>>, Error> {
    let most = query.most;
    query.most = most.saturating_add(1);
    let rows = engine.store().runs(&query).await?;
    let Page { items: rows, cursor } = Page::of(rows, most, |row| row.id.to_string());
    let names = view::pipelines(engine, &rows).await?;
    let listed = rows.iter().zip(&names);
    let items = listed.map(|(row, name)| view::listed(row, name.as_deref())).collect();
    Ok(Page { items, cursor })
}
