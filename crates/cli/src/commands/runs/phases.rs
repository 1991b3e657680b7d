//! How far a template creation has come, as its state file last said.

use consign_app::templates::{self, DonePhase};
use consign_engine::store::Row;

use crate::{engine::Session, text::shortened};

/// A line for each phase that is done, and one for where it stands. Nothing of other runs, and of one that
/// cannot be read.
pub(super) async fn phases(session: &Session, row: &Row) -> Vec<(String, String)> {
    let Some(found) = templates::phases(&session.engine, row).await else { return Vec::new() };
    let done = found.done.into_iter().map(|DonePhase { phase, name, summary }| {
        let told = format!("{name}: {summary}");
        (format!("phase {phase}"), shortened(&told, 500).into_owned())
    });
    let now = found.current.map(|(phase, name, checkpoint)| {
        (format!("phase {phase}"), format!("{name}, at {checkpoint}"))
    });
    done.chain(now).collect()
}
