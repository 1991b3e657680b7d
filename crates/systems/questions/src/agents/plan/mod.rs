//! The plan stage: which tools are called, and with which parameters, to reach the goals.
//!
//! Each goal has its own steps, by what it needs. A plan is never one that was given up before: it
//! looks further. The same question in the same repository gives the same plan, under the same name.

pub(super) mod rank;
mod steps;

use consign_contracts::{
    Contract,
    envelope::PlanOutput,
    json::{Json, Object},
    wire::Message,
};
use consign_engine::Fault;
use sha2::{Digest, Sha256};

use super::{
    super::tools,
    Brief, BuiltIn, Stop,
    built_in::{contract, held, refused},
    goals::Goal,
    intent::{self, kind::Kind},
    json::{self, IntoJson, object},
    prompt,
    topic::Topic,
};
pub(super) use steps::author;
use steps::{Planner, Step};

pub(super) struct Plan;

pub(super) const MOST_STEPS: usize = 12;

impl BuiltIn for Plan {
    fn name(&self) -> &'static str {
        "plan"
    }

    fn contract(&self) -> &'static Contract {
        contract(PlanOutput::NAME)
    }

    fn reads(&self) -> &'static [&'static str] {
        &[
            "raw_input",
            "outputs.perception",
            "outputs.intent",
            "clarification_response",
            "remaining_goals",
            "critic_feedback",
            "prior_plans",
            "completed_stages",
            "iteration",
        ]
    }

    fn work(&self, brief: &Brief, stop: &Stop) -> Result<Json<'static>, Fault> {
        let topic = Topic::of(brief);
        let kind = Kind::of(
            brief.output("intent").and_then(|it| json::text(it, "intent")).unwrap_or_default(),
        );
        let view = brief.view(stop)?;
        let planner = Planner::new(brief, &topic, kind, view.as_ref(), stop)?;
        let mut steps = planner.steps(&goals(brief))?;
        let left_out = left_out(brief, steps.iter().map(|step| step.tool));
        steps.retain(|step| brief.allows(step.tool));
        steps.truncate(MOST_STEPS);
        let before = given_up(brief);
        // Not the same again: each try adds something that was not looked for yet.
        let mut more = planner.further().into_iter().filter(|step| brief.allows(step.tool));
        while steps.is_empty() || before.contains(&plan_id(&to_json(&steps))) {
            let Some(step) = more.next() else { break };
            if !steps.contains(&step) {
                steps.truncate(MOST_STEPS - 1);
                steps.push(step);
            }
        }
        let steps = to_json(&steps);
        let complexity = match steps.len() {
            0..=2 => "low",
            3..=6 => "medium",
            _ => "high",
        };
        let mut output = object! {
            "plan_id": plan_id(&steps),
            "steps": steps,
            "estimated_complexity": complexity,
        };
        if !left_out.is_empty() {
            output.set("left_out", left_out.into_json());
        }
        output.set("source", "heuristic".into_json());
        Ok(output.into_json())
    }

    fn prompt(&self, brief: &Brief) -> Option<String> {
        Some(prompt::plan(brief))
    }

    fn settle(&self, brief: &Brief, said: Json<'static>) -> Result<Json<'static>, Fault> {
        held(self.contract(), &said)?;
        let Json::Object(mut said) = said else {
            return Err(refused("the answer is not an object"));
        };
        let (mut steps, mut dropped) = (Vec::new(), Vec::new());
        for step in json::objects(&said, "steps") {
            let name = json::text(step, "tool").unwrap_or_default();
            let Some(tool) = tools::find(name) else {
                dropped.push(format!("there is no tool {name:?}"));
                continue;
            };
            if !brief.allows(name) {
                dropped.push(format!("{name} is not among the tools of this stage"));
                continue;
            }
            let params = step.get("params").and_then(Json::as_object).cloned().unwrap_or_default();
            match tool.accepts(&params) {
                Ok(()) if steps.len() < MOST_STEPS => steps.push(step.clone()),
                Ok(()) => dropped.push(format!("more than {MOST_STEPS} steps")),
                Err(why) => dropped.push(format!("{name}: {why}")),
            }
        }
        if steps.is_empty() && dropped.is_empty() {
            return Err(refused("the plan has no steps"));
        }
        if steps.is_empty() {
            let why = dropped.join("; ");
            return Err(refused(format!("no step of the plan can be carried out: {why}")));
        }
        // A model is not told of tools that it may not use; the goals tell that they are missing.
        let goals = goals(brief);
        let left_out = left_out(brief, goals.iter().flat_map(|goal| goal.need.tools()).copied());
        said.set("plan_id", plan_id(&steps).into_json());
        said.set("steps", steps.into_json());
        if !dropped.is_empty() {
            said.set("dropped_steps", dropped.into_json());
        }
        if !left_out.is_empty() {
            said.set("left_out", left_out.into_json());
        }
        said.set("source", "model".into_json());
        Ok(said.into_json())
    }
}

/// The tools that the stage may not use, each once.
fn left_out<'t>(brief: &Brief, wanted: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for tool in wanted.filter(|tool| !brief.allows(tool)) {
        if !names.iter().any(|known| known == tool) {
            names.push(tool.to_owned());
        }
    }
    names
}

/// The goals to reach now: the remaining ones, or all of them.
pub(super) fn goals(brief: &Brief) -> Vec<Goal> {
    let Some(intent) = brief.output("intent") else { return Vec::new() };
    let details = intent::details(intent);
    let remaining = json::texts(&brief.envelope, "remaining_goals");
    let goals = if remaining.is_empty() { json::texts(intent, "goals") } else { remaining };
    goals.iter().map(|goal| Goal::of(goal, &details)).collect()
}

/// The ids of plans that were tried already.
fn given_up(brief: &Brief) -> Vec<String> {
    let prior = json::objects(&brief.envelope, "prior_plans");
    let done = json::objects(&brief.envelope, "completed_stages");
    prior.chain(done).filter_map(|plan| json::text(plan, "plan_id").map(str::to_owned)).collect()
}

fn to_json(steps: &[Step]) -> Vec<Object<'static>> {
    let one = |step: &Step| {
        let mut one = object! { "tool": step.tool, "params": step.params.clone(), "expected_output": &step.expected };
        if let Some(key) = step.counts {
            one.set("counts", key.into_json());
        }
        one
    };
    steps.iter().map(one).collect()
}

/// The id of a plan, made from its steps.
pub(super) fn plan_id(steps: &[Object<'static>]) -> String {
    format!("plan_{}", digest(steps))
}

/// Sixteen letters that tell one list of steps from another. The order of members is of no account: an envelope may
/// come back from a program that writes them in another.
pub(super) fn digest(steps: &[Object<'static>]) -> String {
    let mut hash = Sha256::new();
    for step in steps {
        hash.update(json::text(step, "tool").unwrap_or_default());
        hash.update([0]);
        let params = step.get("params").cloned().map(Json::sorted);
        hash.update(params.map(|params| params.to_string()).unwrap_or_default());
        hash.update([0]);
    }
    hex::encode(&hash.finalize()[..8])
}
