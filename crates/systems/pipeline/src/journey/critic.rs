//! The critic's verdict, and where it leads: on to the answer, back to intent, or into another round.

use consign_contracts::{
    envelope::{CompletedStage, GoalStatus, Verdict},
    json::{Json, Object},
    wire::{Integer, Nullable, Wire},
};

use super::{Journey, bounds};
use crate::{
    envelope::number,
    pipeline::{CRITIC, EXECUTION, PLAN, Target},
};

/// A critic's output, as far as it matters here.
pub(super) struct Heard {
    verdict: Verdict,
    satisfied: Vec<String>,
    unsatisfied: Vec<String>,
    feedback: Option<String>,
}

impl Journey {
    /// What a stage says if it is the critic. A verdict that is no such word is for the routes.
    pub(super) fn verdict(&self, stage: usize, output: &Object<'static>) -> Option<Heard> {
        if self.pipeline.stages[stage].output_key != CRITIC {
            return None;
        }
        let goals = |name: &str| {
            let goals = output.get(name).and_then(Json::as_array).unwrap_or_default();
            goals.iter().filter_map(|goal| goal.as_str().map(str::to_owned)).collect()
        };
        Some(Heard {
            verdict: Verdict::read(output.get("verdict")?).ok()?,
            satisfied: goals("satisfied_goals"),
            unsatisfied: goals("unsatisfied_goals"),
            feedback: output.get("feedback").and_then(Json::as_str).map(str::to_owned),
        })
    }

    /// Does what a verdict asks for, and says where it leads.
    pub(super) fn heed(&mut self, critic: usize, heard: &Heard) -> Target {
        if let Some(feedback) = heard.feedback.as_ref().filter(|text| !text.is_empty()) {
            self.envelope.critic_feedback.get_or_insert_default().push(feedback.clone());
        }
        self.reach_goals(&heard.satisfied);
        let pipeline = self.pipeline.clone();
        match heard.verdict {
            Verdict::Approved => {
                self.fail_goals(&heard.unsatisfied);
                self.reach_the_rest();
                pipeline.after_verdict(critic, "approved")
            }
            Verdict::Reintent => {
                let target = pipeline.after_verdict(critic, "reintent");
                self.fire();
                bounds::add(&mut self.envelope.iteration, 1);
                self.give_up_plan(target);
                target
            }
            Verdict::NextStage => self.next_round(critic, heard),
        }
    }

    /// Keeps the plan for the stage that makes the next one, and forgets what followed from it.
    fn give_up_plan(&mut self, back_to: Target) {
        let envelope = &mut self.envelope;
        if let Some(plan) = envelope.outputs.get(PLAN) {
            envelope.prior_plans.get_or_insert_default().push(plan.clone());
        }
        let Target::Stage(back_to) = back_to else { return };
        let again = self.pipeline.members(back_to);
        let later = self.pipeline.stages.iter().enumerate().skip(back_to + 1);
        let later: Vec<_> = later
            .filter(|(at, _)| !again.contains(at))
            .map(|(_, stage)| stage.output_key.as_str())
            .collect();
        envelope.outputs.0.retain(|(key, _)| !later.contains(&key.as_str()));
    }

    /// Records a round, and goes on with the goals that remain.
    fn next_round(&mut self, critic: usize, heard: &Heard) -> Target {
        let round = number(self.envelope.current_stage_number.as_ref(), 1);
        let most = number(self.envelope.max_stages.as_ref(), 5);
        let output = |key: &str| self.envelope.outputs.get(key);
        let plan_id =
            output(PLAN).and_then(|plan| plan.get("plan_id")?.as_str().map(str::to_owned));
        let mut summary = Object::new();
        if let Some(evidence) = output(EXECUTION).and_then(|execution| execution.get("evidence")) {
            summary.set("evidence", evidence.clone());
        }
        self.envelope.completed_stages.get_or_insert_default().push(CompletedStage {
            stage_number: Some(Integer::from(round)),
            satisfied_goals: Some(heard.satisfied.clone()),
            summary: Some(summary),
            plan_id: Some(Nullable(plan_id)),
            extra: Object::new(),
        });
        let left = self.envelope.remaining_goals.as_ref().is_some_and(|goals| !goals.is_empty());
        if left && round < most {
            self.envelope.current_stage_number = Some(Integer::from(round + 1));
            return self.pipeline.after_verdict(critic, "next_stage");
        }
        let unmet = self.envelope.remaining_goals.clone().unwrap_or_default();
        self.fail_goals(&unmet);
        self.pipeline.after_verdict(critic, "approved")
    }

    fn reach_the_rest(&mut self) {
        let status = self.envelope.goal_completion_status.get_or_insert_default();
        let rest = status.0.iter().filter(|(_, status)| *status == GoalStatus::Pending);
        let rest: Vec<_> = rest.map(|(goal, _)| goal.clone()).collect();
        self.reach_goals(&rest);
    }
}
