//! Agent jobs: Scribe writes documentation, Trace plans tests, Proto builds scaffolds
//! (docs/spec/authoring.md).

mod artifact;
mod codes;
mod error;
mod job;
mod proto;
mod revise;
mod scribe;
mod submit;
mod trace;

pub use artifact::{Artifact, BranchStrategy};
pub use codes::ErrorCode;
pub use error::{ErrorBody, ErrorEnvelope};
pub use job::{AiMetrics, Job, JobCancelled, JobList, JobState, MetricsSummary, ModelChoice};
pub use proto::{ProtoMetadata, ProtoPayload, ProtoResult};
pub use revise::{JobRevised, JobRevision, RevisionMode, RevisionScope};
pub use scribe::{
    Commit, CommitInfo, Critique, CritiqueBody, Diagnostics, DocDepth, DocPack, DocPackConfig,
    FileOperation, FilePreview, Plan, PlannedSection, Preview, PullRequest, RunMode, ScribeMode,
    ScribePayload, ScribeResult,
};
pub use submit::{AgentType, JobSubmission, JobSubmitted};
pub use trace::{TestCase, TestFile, TraceMetadata, TracePayload, TraceResult};

use crate::{Contract, Document};

pub static DOCUMENT: Document = Document {
    family: "authoring",
    title: "Agent Contracts — S0.5",
    version: "1.1.0",
    page: "docs/spec/authoring.md",
};

pub static CONTRACTS: [Contract; 14] = [
    Contract::of::<ScribePayload>(&DOCUMENT),
    Contract::of::<ScribeResult>(&DOCUMENT),
    Contract::of::<TracePayload>(&DOCUMENT),
    Contract::of::<TraceResult>(&DOCUMENT),
    Contract::of::<ProtoPayload>(&DOCUMENT),
    Contract::of::<ProtoResult>(&DOCUMENT),
    Contract::of::<JobSubmission>(&DOCUMENT),
    Contract::of::<JobSubmitted>(&DOCUMENT),
    Contract::of::<Job>(&DOCUMENT),
    Contract::of::<JobList>(&DOCUMENT),
    Contract::of::<JobCancelled>(&DOCUMENT),
    Contract::of::<JobRevision>(&DOCUMENT),
    Contract::of::<JobRevised>(&DOCUMENT),
    Contract::of::<ErrorEnvelope>(&DOCUMENT),
];
