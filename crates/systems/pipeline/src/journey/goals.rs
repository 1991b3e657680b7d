//! The goals of an envelope, and which of them are reached.

use consign_contracts::{
    envelope::GoalStatus,
    json::{Json, Object},
};

use super::Journey;

impl Journey {
    /// Takes over the goals of an intent. What was reached before stays reached.
    pub(super) fn set_goals(&mut self, intent: &Object<'static>) {
        let goals = intent.get("goals").and_then(Json::as_array).unwrap_or_default();
        let goals: Vec<_> = goals.iter().filter_map(Json::as_str).map(str::to_owned).collect();
        let envelope = &mut self.envelope;
        let before = envelope.goal_completion_status.take().unwrap_or_default();
        let mut status: Vec<(String, GoalStatus)> = Vec::new();
        for goal in &goals {
            if status.iter().all(|(known, _)| known != goal) {
                let reached = before.get(goal) == Some(&GoalStatus::Satisfied);
                let now = if reached { GoalStatus::Satisfied } else { GoalStatus::Pending };
                status.push((goal.clone(), now));
            }
        }
        let pending = status.iter().filter(|(_, status)| *status == GoalStatus::Pending);
        envelope.remaining_goals = Some(pending.map(|(goal, _)| goal.clone()).collect());
        envelope.goal_completion_status = Some(consign_contracts::wire::Map(status));
        envelope.all_goals = Some(goals);
    }

    pub(super) fn reach_goals(&mut self, goals: &[String]) {
        self.mark(goals, GoalStatus::Satisfied);
        if let Some(remaining) = &mut self.envelope.remaining_goals {
            remaining.retain(|goal| !goals.contains(goal));
        }
    }

    pub(super) fn fail_goals(&mut self, goals: &[String]) {
        self.mark(goals, GoalStatus::Failed);
    }

    /// Sets the status of goals. Goals that the envelope does not have are ignored.
    fn mark(&mut self, goals: &[String], as_what: GoalStatus) {
        let Some(status) = &mut self.envelope.goal_completion_status else { return };
        for (goal, status) in &mut status.0 {
            if goals.contains(goal) {
                *status = as_what;
            }
        }
    }
}
