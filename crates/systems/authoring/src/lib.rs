//! Agent jobs: documentation, test plans and scaffolds (docs/spec/authoring.md).

pub mod job;
pub mod proto;
pub mod trace;
