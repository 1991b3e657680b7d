//! Orchestrator: from a message to a plan, its steps and the answer.

use super::TailorOutput;
use crate::{
    json::Number,
    wire::{Integer, wire, words},
};

wire! {
    /// A message from a user.
    pub open struct OrchestratorInput = "crew/orchestrator.input" {
        /// What the user wrote.
        user_message: String,
        /// The conversation.
        session_id: String,
        /// The user.
        user_id: String,
    }
}

wire! {
    /// The answer, and how it came about.
    pub open struct OrchestratorOutput = "crew/orchestrator.output" {
        /// The answer.
        final_response: TailorOutput,
        /// The steps that led to it.
        execution_plan: Vec<PlanStep>,
        /// How long it took.
        processing_time_total_ms: Number<'static> [minimum: 0],
    }
}

wire! {
    /// One step of a plan.
    pub open struct PlanStep {
        /// Its number.
        step_id: Integer,
        /// What it is for.
        description: String,
        /// What it calls.
        tool_call: String,
        /// How it stands.
        status: StepStatus,
    }
}

words! {
    /// How a step stands.
    pub enum StepStatus {
        Pending = "pending",
        InProgress = "in_progress",
        Completed = "completed",
        Failed = "failed",
    }
}
