//! The envelope: a question, what is known of it, and how far it has come.

use crate::{
    json::Object,
    wire::{Integer, Map, Nullable, Timestamp, wire, words},
};

wire! {
    /// The whole state of a question on its way through a pipeline. What a field defaults to is
    /// what a reader assumes when an older envelope lacks it.
    pub open struct Envelope = "envelope/envelope" {
        /// Names the envelope.
        envelope_id: String [pattern: "^env_[a-f0-9]{16}$"],
        /// Names the request.
        request_id: String [pattern: "^req_[a-f0-9]{16}$"],
        /// Whose question it is.
        user_id: String [default: "anonymous"],
        /// The session that it belongs to.
        session_id: String [pattern: "^sess_[a-f0-9]{16}$"],
        /// The question as it was asked.
        raw_input: String,
        /// When it was asked.
        received_at: Option<Timestamp>,
        /// What each stage has produced, by output key.
        outputs: Map<Object<'static>>,
        /// The stage that is next: an agent's name, `start` or `end`.
        current_stage: String,
        /// The pipeline's stages, in order.
        stage_order: Option<Vec<String>>,
        /// How often the question was taken up again.
        iteration: Option<Integer> [minimum: 0],
        /// Bound on `iteration`.
        max_iterations: Option<Integer> [minimum: 1, default: 3],
        /// Model calls so far.
        llm_call_count: Option<Integer> [minimum: 0],
        /// Bound on `llm_call_count`.
        max_llm_calls: Option<Integer> [minimum: 1, default: 10],
        /// Stages begun so far.
        agent_hop_count: Option<Integer> [minimum: 0],
        /// Bound on `agent_hop_count`.
        max_agent_hops: Option<Integer> [minimum: 1, default: 21],
        /// Why it ended or stands still.
        terminal_reason: Option<Nullable<TerminalReason>>,
        /// Whether it has ended.
        terminated: bool,
        /// Why it ended, in words.
        termination_reason: Option<Nullable<String>>,
        /// Whether it waits for an answer from the user.
        clarification_pending: Option<bool> [default: false],
        /// What the user is asked.
        clarification_question: Option<Nullable<String>>,
        /// What the user answered.
        clarification_response: Option<Nullable<String>>,
        /// Whether it waits for a yes or a no.
        confirmation_pending: Option<bool> [default: false],
        /// Names what is to be confirmed.
        confirmation_id: Option<Nullable<String>>,
        /// What is to be confirmed.
        confirmation_message: Option<Nullable<String>>,
        /// The yes or no.
        confirmation_response: Option<Nullable<bool>>,
        /// Stages of a larger goal that are done.
        completed_stages: Option<Vec<CompletedStage>>,
        /// The stage of the larger goal that is under way.
        current_stage_number: Option<Integer> [minimum: 1, default: 1],
        /// Bound on `current_stage_number`.
        max_stages: Option<Integer> [minimum: 1, default: 5],
        /// Everything that is to be reached.
        all_goals: Option<Vec<String>>,
        /// What is still to be reached.
        remaining_goals: Option<Vec<String>>,
        /// How each goal stands.
        goal_completion_status: Option<Map<GoalStatus>>,
        /// Plans that were given up.
        prior_plans: Option<Vec<Object<'static>>>,
        /// What the critic has said.
        critic_feedback: Option<Vec<String>>,
        /// What went wrong, as envelope errors.
        errors: Option<Vec<Object<'static>>>,
        /// When it ended.
        completed_at: Option<Nullable<Timestamp>>,
        /// What each stage did and when, as processing records.
        processing_history: Option<Vec<Object<'static>>>,
        /// Anything else that travels along.
        metadata: Option<Object<'static>> [additionalProperties: true],
    }
}

wire! {
    /// A stage of a larger goal that is done.
    pub open struct CompletedStage {
        /// Its number.
        stage_number: Option<Integer>,
        /// The goals that it reached.
        satisfied_goals: Option<Vec<String>>,
        /// What it found.
        summary: Option<Object<'static>>,
        /// The plan that it followed.
        plan_id: Option<Nullable<String>>,
    }
}

words! {
    /// Why an envelope ended or stands still.
    pub enum TerminalReason {
        CompletedSuccessfully = "completed_successfully",
        ClarificationRequired = "clarification_required",
        ConfirmationRequired = "confirmation_required",
        DeniedByPolicy = "denied_by_policy",
        ToolFailedRecoverably = "tool_failed_recoverably",
        ToolFailedFatally = "tool_failed_fatally",
        MaxIterationsExceeded = "max_iterations_exceeded",
        MaxLlmCallsExceeded = "max_llm_calls_exceeded",
        MaxAgentHopsExceeded = "max_agent_hops_exceeded",
        MaxCriticFiresExceeded = "max_critic_fires_exceeded",
    }
}

words! {
    /// How a goal stands.
    pub enum GoalStatus {
        Pending = "pending",
        Satisfied = "satisfied",
        Failed = "failed",
    }
}
