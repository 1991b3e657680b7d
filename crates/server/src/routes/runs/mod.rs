//! `/api/runs`: starting runs, looking at them, and letting them go on.

pub(super) mod answer;
pub(super) mod cancel;
pub(super) mod decide;
pub(super) mod event_stream;
pub(super) mod events;
pub(super) mod fork;
pub(super) mod limits;
pub(super) mod list;
pub(super) mod points;
pub(super) mod raise;
pub(super) mod redact;
pub(super) mod show;
pub(super) mod signal;
pub(super) mod start;
