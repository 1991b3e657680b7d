//! Supervised jobs: a worker, a supervisor and a steward (docs/spec/job.md).

mod agent_response;
mod history;
mod manifest;
mod request;

pub use agent_response::{Action, AgentResponse};
pub use history::{
    Interaction, InteractionMetadata, InteractionRequest, InteractionResponse, JobHistory, Outcome,
    RecoveryPoint,
};
pub use manifest::{HistoryEntry, JobManifest, JobStatus, Metrics};
pub use request::{JobRequest, RequestMetadata};

use crate::{Contract, Document};

pub static DOCUMENT: Document = Document {
    family: "job",
    title: "Communication Protocol & Data Structures",
    version: "1.0",
    page: "docs/spec/job.md",
};

pub static CONTRACTS: [Contract; 4] = [
    Contract::of::<AgentResponse>(&DOCUMENT),
    Contract::of::<JobManifest>(&DOCUMENT),
    Contract::of::<JobRequest>(&DOCUMENT),
    Contract::of::<JobHistory>(&DOCUMENT),
];
