//! Envelope pipelines: the state of a question travels with it (docs/spec/envelope.md).

#[allow(clippy::module_inception, reason = "the envelope is the family's main message")]
mod envelope;
mod error;
mod output;
mod processing_record;

pub use envelope::{CompletedStage, Envelope, GoalStatus, TerminalReason};
pub use error::EnvelopeError;
pub use output::{
    Citation, CriticOutput, Evidence, ExecutionOutput, ExecutionStatus, IntegrationOutput,
    IntentOutput, PerceptionContext, PerceptionOutput, PlanOutput, PlannedStep, StepResult,
    Verdict,
};
pub use processing_record::ProcessingRecord;

use crate::{Contract, Document};

pub static DOCUMENT: Document = Document {
    family: "envelope",
    title: "Envelope State Exchange JSON Schema",
    version: "1.2",
    page: "docs/spec/envelope.md",
};

pub static CONTRACTS: [Contract; 9] = [
    Contract::of::<Envelope>(&DOCUMENT),
    Contract::of::<PerceptionOutput>(&DOCUMENT),
    Contract::of::<IntentOutput>(&DOCUMENT),
    Contract::of::<PlanOutput>(&DOCUMENT),
    Contract::of::<ExecutionOutput>(&DOCUMENT),
    Contract::of::<CriticOutput>(&DOCUMENT),
    Contract::of::<IntegrationOutput>(&DOCUMENT),
    Contract::of::<ProcessingRecord>(&DOCUMENT),
    Contract::of::<EnvelopeError>(&DOCUMENT),
];
