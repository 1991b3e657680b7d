//! Finding a run by its id, or the beginning of it.

use std::sync::Arc;

use consign_engine::{
    Engine, RunId,
    store::{self, Row, RunQuery},
};

use crate::error::{Error, Refused};

/// Fewer letters would soon name several.
const FEWEST: usize = 4;
/// Candidates that are shown.
const CANDIDATES: usize = 6;

/// The run that is meant, as it is now.
pub async fn find(engine: &Arc<Engine>, typed: &str) -> Result<Row, Error> {
    // Ids have nothing in them that could mean something to a store.
    let typed = typed.trim();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let unknown = || Error::from(store::Error::NotFound(RunId::from(typed)));
    if typed.is_empty() || typed.len() > 100 || !typed.chars().all(plain) {
        return Err(unknown());
    }
    // Our ids are lower case, whatever the caps lock says; an id that a caller chose may not be.
    let small = typed.to_ascii_lowercase();
    for id in [typed, &small] {
        match engine.store().row(&RunId::from(id)).await {
            Ok(row) => return Ok(row),
            Err(store::Error::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if typed.len() < FEWEST {
        let told = format!("{typed:?} is too short to name a run");
        let hint = format!("give at least {FEWEST} letters of its id");
        return Err(Refused::usage("USAGE", told).hint(hint).into());
    }
    let mut rows = Vec::new();
    for prefix in [typed, &small] {
        if rows.is_empty() {
            let (prefix, most) = (Some(prefix.to_owned()), CANDIDATES + 1);
            rows = engine.store().runs(&RunQuery { prefix, most, ..Default::default() }).await?;
        }
    }
    match rows.len() {
        0 => Err(unknown()),
        1 => Ok(rows.remove(0)),
        _ => Err(ambiguous(typed, &rows)),
    }
}

fn ambiguous(typed: &str, rows: &[Row]) -> Error {
    let candidate =
        |row: &Row| format!("{}  {}  {}  {}", row.id, row.workflow, row.status, row.created_at);
    let more = (rows.len() > CANDIDATES).then(|| "… and more of them".to_owned());
    Refused::new("RUN_AMBIGUOUS", format!("several runs begin with {typed:?}"))
        .listing(rows.iter().take(CANDIDATES).map(candidate).chain(more))
        .hint("give more letters of the id")
        .into()
}
