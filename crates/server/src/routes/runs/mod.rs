//! `/api/runs`: starting runs, looking at them, and letting them go on.

pub(super) mod answer;
pub(super) mod cancel;
mod event_stream;
pub(super) mod events;
mod limits;
pub(super) mod list;
pub(super) mod raise;
pub(super) mod show;
pub(super) mod start;
