//! Conversations over documents: six agents that guard, fetch, parse, remember, write and lead
//! (docs/spec/crew.md).

mod agent_metadata;
mod connector;
mod conversation_state;
mod failure;
mod guardrails;
mod memory;
mod orchestrator;
mod parser;
mod tailor;

pub use agent_metadata::AgentMetadata;
pub use connector::{ConnectorInput, ConnectorOutput, SourceType};
pub use conversation_state::{ConversationMessage, ConversationState, Role};
pub use failure::{AgentFailure, Expected, FailureCode};
pub use guardrails::{CheckType, GuardrailsInput, GuardrailsOutput, RiskCategory};
pub use memory::{MemoryOutput, MemoryQuery, RetrievedContext};
pub use orchestrator::{OrchestratorInput, OrchestratorOutput, PlanStep, StepStatus};
pub use parser::{FileType, IngestionSource, LayoutType, ParsedChunk, ParserInput, ParserOutput};
pub use tailor::{Persona, SourceCitation, TailorInput, TailorOutput};

use crate::{Contract, Document};

pub static DOCUMENT: Document = Document {
    family: "crew",
    title: "Agent Contracts & Subsystem Specification",
    version: "1.0",
    page: "docs/spec/crew.md",
};

pub static CONTRACTS: [Contract; 15] = [
    Contract::of::<GuardrailsInput>(&DOCUMENT),
    Contract::of::<GuardrailsOutput>(&DOCUMENT),
    Contract::of::<ConnectorInput>(&DOCUMENT),
    Contract::of::<ConnectorOutput>(&DOCUMENT),
    Contract::of::<ParserInput>(&DOCUMENT),
    Contract::of::<ParserOutput>(&DOCUMENT),
    Contract::of::<MemoryQuery>(&DOCUMENT),
    Contract::of::<MemoryOutput>(&DOCUMENT),
    Contract::of::<TailorInput>(&DOCUMENT),
    Contract::of::<TailorOutput>(&DOCUMENT),
    Contract::of::<OrchestratorInput>(&DOCUMENT),
    Contract::of::<OrchestratorOutput>(&DOCUMENT),
    Contract::of::<ConversationState>(&DOCUMENT),
    Contract::of::<AgentMetadata>(&DOCUMENT),
    Contract::of::<AgentFailure>(&DOCUMENT),
];
