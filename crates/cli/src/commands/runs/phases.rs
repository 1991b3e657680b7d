//! How far a template creation has come, as its state file last said.

use consign_engine::store::Row;
use consign_template::mirror::{CREATE, Completed, Mirror, View};

use crate::{engine::Session, text::shortened};

/// A line for each phase that is done, and one for where it stands. Nothing of other runs, and of one that
/// cannot be read.
pub(super) async fn phases(session: &Session, row: &Row) -> Vec<(String, String)> {
    if row.workflow != CREATE {
        return Vec::new();
    }
    let state = session.engine.state(&row.id).await.ok();
    let mirror = state.and_then(|state| state.to::<Mirror>().ok());
    let Some(view) = mirror.and_then(|mirror| mirror.view) else { return Vec::new() };
    let View { completed, phase, phase_name, checkpoint, ended, .. } = view;
    let done = completed.into_iter().map(|Completed { phase, phase_name, summary }| {
        let told = format!("{phase_name}: {summary}");
        (format!("phase {phase}"), shortened(&told, 500).into_owned())
    });
    let now = (format!("phase {phase}"), format!("{phase_name}, at {checkpoint}"));
    done.chain(ended.is_none().then_some(now)).collect()
}
