//! The agent bridge: template creation that stops with exit code 42 and is answered through files
//! (docs/spec/bridge.md).

mod agent_creation;
mod agent_enhancement;
mod agent_request;
mod agent_response;
mod codebase_analysis;
mod codes;
mod template_create_state;

pub use agent_creation::{AgentCreation, AgentProposal};
pub use agent_enhancement::{AgentEnhancement, CodeExample};
pub use agent_request::{AgentName, AgentRequest, PhaseName, RequestContext};
pub use agent_response::{AgentResponse, ResponseMetadata, ResponseStatus};
pub use codebase_analysis::{
    ArchitectureFindings, CodebaseAnalysis, ConventionFindings, EvidenceFinding, KeyFileFinding,
    LayerFinding, NamingFinding, PatternFinding, TechnologyStack,
};
pub use codes::{ErrorType, ExitCode, Recovery};
pub use template_create_state::{CompletedPhase, RequestRecord, TemplateCreateState};

use crate::{Contract, Document};

pub static DOCUMENT: Document = Document {
    family: "bridge",
    title: "Agent Bridge Data Schemas",
    version: "1.0",
    page: "docs/spec/bridge.md",
};

pub static CONTRACTS: [Contract; 6] = [
    Contract::of::<AgentRequest>(&DOCUMENT),
    Contract::of::<AgentResponse>(&DOCUMENT),
    Contract::of::<TemplateCreateState>(&DOCUMENT),
    Contract::of::<CodebaseAnalysis>(&DOCUMENT),
    Contract::of::<AgentCreation>(&DOCUMENT),
    Contract::of::<AgentEnhancement>(&DOCUMENT),
];
