//! Finding a run by what the user typed: its id, or the beginning of it.

use consign_engine::{
    RunId,
    store::{self, Row, RunQuery},
};

use crate::{engine::Session, error::Error, fault::not_found, output::printable, text::span};

/// Fewer letters would soon name several.
const FEWEST: usize = 4;
/// Candidates that are shown.
const CANDIDATES: usize = 6;

/// The run that is meant, as it is now.
pub(crate) async fn find(session: &Session, typed: &str) -> Result<Row, Error> {
    // Ids have nothing in them that could mean something to a store.
    let typed = typed.trim();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let unknown = || not_found(format!("there is no run {:?}", printable(typed)));
    if typed.is_empty() || typed.len() > 100 || !typed.chars().all(plain) {
        return Err(unknown());
    }
    // Ours are written small, whatever the caps lock says; somebody's own may be written otherwise.
    let small = typed.to_ascii_lowercase();
    for id in [typed, &small] {
        match session.store().row(&RunId::from(id)).await {
            Ok(row) => return Ok(row),
            Err(store::Error::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if typed.len() < FEWEST {
        let told = format!("{typed:?} is too short to name a run");
        return Err(Error::usage("USAGE", told).hint(format!(
            "type at least {FEWEST} letters of its id; `consign runs list` shows all"
        )));
    }
    let mut rows = Vec::new();
    for prefix in [typed, &small] {
        if rows.is_empty() {
            let (prefix, most) = (Some(prefix.to_owned()), CANDIDATES + 1);
            rows = session.store().runs(&RunQuery { prefix, most, ..Default::default() }).await?;
        }
    }
    match rows.len() {
        0 => Err(unknown()),
        1 => Ok(rows.remove(0)),
        _ => Err(ambiguous(session, typed, &rows)),
    }
}

fn ambiguous(session: &Session, typed: &str, rows: &[Row]) -> Error {
    let now = session.engine.now();
    let candidate = |row: &Row| {
        let age = span(now.since(row.created_at));
        format!("{}  {}  {}  {age} ago", row.id, row.workflow, row.status)
    };
    let more = (rows.len() > CANDIDATES).then(|| "… and more of them".to_owned());
    let told = format!("several runs begin with {:?}", printable(typed));
    Error::new("RUN_AMBIGUOUS", told)
        .listing(rows.iter().take(CANDIDATES).map(candidate).chain(more))
        .hint("type more letters of the id")
}
