//! What each of the six agents writes under its key of `outputs`.

use crate::{
    json::{Json, Number, Object},
    wire::{Integer, wire, words},
};

wire! {
    /// The question, made regular.
    pub open struct PerceptionOutput = "envelope/output.perception" {
        /// The question without noise.
        normalized_input: String,
        /// The natural language that it is asked in.
        detected_language: Option<String>,
        /// Paths, symbols and names that it mentions.
        extracted_entities: Option<Vec<String>>,
        /// What is known of the person who asks.
        context: Option<PerceptionContext>,
    }
}

wire! {
    /// What is known of the person who asks.
    pub open struct PerceptionContext {
        /// Earlier turns of the session.
        session_history: Option<Vec<Json<'static>>>,
        /// How the person likes answers.
        user_preferences: Option<Object<'static>>,
    }
}

wire! {
    /// What the question is after.
    pub open struct IntentOutput = "envelope/output.intent" {
        /// The kind of question, such as `trace_flow`, `analyze_code` or `explain`.
        intent: String,
        /// What an answer must reach.
        goals: Vec<String>,
        /// How sure the agent is.
        confidence: Option<Number<'static>> [minimum: 0, maximum: 1],
        /// Whether the person must say more first.
        clarification_needed: Option<bool>,
    }
}

wire! {
    /// How the goals will be reached.
    pub open struct PlanOutput = "envelope/output.plan" {
        /// Names the plan.
        plan_id: String,
        /// Tool calls, in order.
        steps: Vec<PlannedStep>,
        /// How much work the agent expects.
        estimated_complexity: Option<String>,
    }
}

wire! {
    /// One tool call to make.
    pub open struct PlannedStep {
        /// The tool.
        tool: String,
        /// What it is called with.
        params: Object<'static>,
        /// What it should bring.
        expected_output: Option<String>,
    }
}

wire! {
    /// What the plan's tools brought.
    pub open struct ExecutionOutput = "envelope/output.execution" {
        /// How it went as a whole.
        status: ExecutionStatus,
        /// Each step's result.
        results: Vec<StepResult>,
        /// What speaks for an answer, with its place.
        evidence: Vec<Evidence>,
    }
}

wire! {
    /// What one tool call brought.
    pub open struct StepResult {
        /// The plan's step, from 0.
        step_index: Integer [minimum: 0],
        /// The tool.
        tool: String,
        /// What it gave.
        result: Option<Json<'static>>,
        /// How long it took.
        duration_ms: Option<Number<'static>> [minimum: 0],
    }
}

wire! {
    /// Something found, and where.
    pub open struct Evidence {
        /// `path:line`.
        location: String,
        /// The text at that place.
        content: Option<String>,
        /// Why it matters.
        relevance: Option<String>,
    }
}

words! {
    /// How an execution went.
    pub enum ExecutionStatus {
        Success = "success",
        Partial = "partial",
        Error = "error",
    }
}

wire! {
    /// Whether the evidence answers the question.
    pub open struct CriticOutput = "envelope/output.critic" {
        /// What happens next.
        verdict: Verdict,
        /// Goals that the evidence reaches.
        satisfied_goals: Option<Vec<String>>,
        /// Goals that it does not.
        unsatisfied_goals: Option<Vec<String>>,
        /// What is missing.
        feedback: Option<String>,
        /// How sure the agent is.
        confidence: Option<Number<'static>> [minimum: 0, maximum: 1],
    }
}

words! {
    /// What a critic can decide.
    pub enum Verdict {
        /// Write the answer.
        Approved = "approved",
        /// Understand the question anew.
        Reintent = "reintent",
        /// Go on with the goals that remain.
        NextStage = "next_stage",
    }
}

wire! {
    /// The answer.
    pub open struct IntegrationOutput = "envelope/output.integration" {
        /// The answer's text.
        final_response: String,
        /// Where each claim comes from.
        citations: Option<Vec<Citation>>,
        /// What could be asked next.
        follow_up_suggestions: Option<Vec<String>>,
    }
}

wire! {
    /// A claim's source.
    pub open struct Citation {
        /// What is cited.
        text: String,
        /// `path:line`.
        location: String,
    }
}
