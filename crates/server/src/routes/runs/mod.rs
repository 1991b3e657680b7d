//! `/api/runs`: what `consign runs` does.

pub(super) mod answer;
pub(super) mod cancel;
pub(super) mod events;
mod follow;
mod limits;
pub(super) mod list;
pub(super) mod raise;
pub(super) mod show;
pub(super) mod start;
