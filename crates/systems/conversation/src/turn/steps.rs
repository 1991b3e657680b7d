//! The plan of a turn: which agents were called for what, and how that stands.

use serde::{Deserialize, Serialize};

/// One step, with the members of contract `crew/orchestrator.output`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    /// Counts from 1.
    pub step_id: u32,
    pub description: String,
    pub tool_call: String,
    pub status: StepStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    InProgress,
    Completed,
    Failed,
}

/// The tools that steps name.
pub(crate) mod tool {
    pub(crate) const GUARD_INPUT: &str = "guardrails.input";
    pub(crate) const PLANNER: &str = "planner";
    pub(crate) const MEMORY: &str = "memory";
    pub(crate) const TAILOR: &str = "tailor";
    pub(crate) const VERIFIER: &str = "verifier";
    pub(crate) const GUARD_OUTPUT: &str = "guardrails.output";
}

/// The plan of a message that the guard has stopped: one step, which failed. A check that was tried again is a step of
/// its own.
#[must_use]
pub fn blocked_plan<'a>(codes: impl IntoIterator<Item = &'a str>) -> Vec<PlanStep> {
    let mut plan = Plan::default();
    for code in codes {
        let step = plan.begin(tool::GUARD_INPUT, "Check what the user said".to_owned());
        plan.fail(step, code);
    }
    plan.steps
}

/// The steps of a turn, in the order in which they began. A step is named by its place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Plan {
    pub(super) steps: Vec<PlanStep>,
}

impl Plan {
    pub(super) fn begin(&mut self, tool_call: &str, description: String) -> usize {
        let place = self.steps.len();
        let step_id = u32::try_from(place).unwrap_or(u32::MAX).saturating_add(1);
        let (tool_call, status) = (tool_call.to_owned(), StepStatus::InProgress);
        self.steps.push(PlanStep { step_id, description, tool_call, status });
        place
    }

    pub(super) fn complete(&mut self, step: usize) {
        if let Some(step) = self.steps.get_mut(step) {
            step.status = StepStatus::Completed;
        }
    }

    /// The step failed; its description ends with the code.
    pub(super) fn fail(&mut self, step: usize, code: &str) {
        if let Some(step) = self.steps.get_mut(step) {
            step.status = StepStatus::Failed;
            step.description.push_str(": ");
            step.description.push_str(code);
        }
    }

    /// What is under way is not waited for any more.
    pub(super) fn give_up(&mut self) {
        for place in 0..self.steps.len() {
            if self.steps[place].status == StepStatus::InProgress {
                self.fail(place, "CANCELLED");
            }
        }
    }
}
