//! `/api/agents/jobs`: test plans, scaffolds and documentation as jobs (docs/spec/authoring.md).
//!
//! Every rule is in `consign_app::agent_jobs`; a job of another owner is answered like one that is not there.

pub(super) mod archive;
pub(super) mod artifact;
pub(super) mod cancel;
pub(super) mod comments;
pub(super) mod decide;
pub(super) mod events;
pub(super) mod list;
pub(super) mod revise;
pub(super) mod show;
pub(super) mod submit;
