//! `.agent-request.json`: what an outside agent is asked.

use crate::wire::{Integer, Timestamp, Uuid, wire, words};

wire! {
    /// A question to an outside agent, written before the process stops with exit code 42.
    pub closed struct AgentRequest = "bridge/agent-request" {
        /// Names this request; the response repeats it.
        request_id: Uuid,
        /// Version of the file format.
        version: String [pattern: r"^\d+\.\d+$", default: "1.0"],
        /// The phase of template creation that asks.
        phase: Integer [minimum: 1, maximum: 9],
        /// What the phase is about.
        phase_name: PhaseName,
        /// Who should answer.
        agent_name: AgentName,
        /// The whole prompt.
        prompt: String [minLength: 100],
        /// Where the work happens.
        context: Option<RequestContext>,
        /// How long to wait for the answer.
        timeout_seconds: Option<Integer> [minimum: 30, maximum: 600, default: 120],
        /// When the request was written.
        created_at: Timestamp,
        /// How often this has been asked before.
        retry_count: Option<Integer> [minimum: 0, default: 0],
    }
}

wire! {
    /// The places and the name that a prompt speaks of.
    pub open struct RequestContext {
        /// The project that is read.
        project_path: Option<String>,
        /// The folder that the template is written to.
        output_path: Option<String>,
        /// The template's name.
        template_name: Option<String>,
    }
}

words! {
    /// The three phases that ask an agent.
    pub enum PhaseName {
        CodebaseAnalysis = "codebase_analysis",
        AgentCreation = "agent_creation",
        AgentEnhancement = "agent_enhancement",
    }
}

words! {
    /// The two agents that the bridge knows.
    pub enum AgentName {
        ArchitecturalReviewer = "architectural-reviewer",
        AgentContentEnhancer = "agent-content-enhancer",
    }
}
