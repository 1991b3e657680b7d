//! What a pipeline knows of the six built-in agents: what each reads of an envelope, and the tools that a stage may
//! allow them.
//!
//! The agents themselves are another system's, which this crate does not import. That both tables agree with the
//! agents and tools is held by a test of the crate `app`, which sees both.

/// The tools that a stage's `tools` may name.
pub const TOOLS: [&str; 8] = [
    "code_search",
    "read_file",
    "list_tree",
    "find_symbol",
    "find_references",
    "outline",
    "git_log",
    "git_blame",
];

/// The members of the envelope that a built-in agent is given: only what it reads, so that journals stay small.
#[must_use]
pub fn reads(agent: &str) -> &'static [&'static str] {
    match agent {
        "perception" => &["raw_input", "envelope_id", "session_id", "metadata"],
        "intent" => &[
            "raw_input",
            "outputs.perception",
            "clarification_response",
            "critic_feedback",
            "prior_plans",
            "iteration",
        ],
        "plan" => &[
            "raw_input",
            "outputs.perception",
            "outputs.intent",
            "clarification_response",
            "remaining_goals",
            "critic_feedback",
            "prior_plans",
            "completed_stages",
            "iteration",
        ],
        "execution" => &[
            "raw_input",
            "outputs.perception",
            "outputs.intent",
            "outputs.plan",
            "clarification_response",
            "confirmation_id",
            "confirmation_response",
            "prior_plans",
        ],
        "critic" => &[
            "raw_input",
            "outputs.perception",
            "outputs.intent",
            "outputs.plan",
            "outputs.execution",
            "clarification_response",
            "remaining_goals",
            "prior_plans",
            "iteration",
            "max_iterations",
            "current_stage_number",
            "max_stages",
            "metadata",
        ],
        "integration" => &[
            "raw_input",
            "envelope_id",
            "session_id",
            "outputs.perception",
            "outputs.intent",
            "outputs.execution",
            "outputs.critic",
            "clarification_response",
            "completed_stages",
            "goal_completion_status",
            "prior_plans",
        ],
        _ => &[],
    }
}
