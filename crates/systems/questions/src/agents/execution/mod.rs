//! The execution stage: runs a plan, follows up on what it found, and keeps the best as evidence.
//!
//! A step that fails or is denied is a result like any other. Nothing is run before a person has
//! confirmed what the policy wants confirmed, and a confirmation is for these steps only.

mod follow;
mod sift;

use std::time::Instant;

use consign_contracts::{
    Contract,
    envelope::ExecutionOutput,
    json::{Json, Object},
    wire::Message,
};
use consign_engine::Fault;

use super::{
    super::tools::{self, Broken, Evidence, Rule, View, Yield},
    Brief, BuiltIn, Stop,
    barred::{self, Barred},
    built_in::contract,
    intent::kind::Kind,
    json::{self, IntoJson, object},
    plan,
    topic::Topic,
};

pub(super) struct Execution;

/// How many places of a count are listed; the others are only counted.
const MOST_COUNTED: usize = 100;

impl BuiltIn for Execution {
    fn name(&self) -> &'static str {
        "execution"
    }

    fn contract(&self) -> &'static Contract {
        contract(ExecutionOutput::NAME)
    }

    fn reads(&self) -> &'static [&'static str] {
        &[
            "raw_input",
            "outputs.perception",
            "outputs.intent",
            "outputs.plan",
            "clarification_response",
            "confirmation_id",
            "confirmation_response",
            "prior_plans",
        ]
    }

    fn work(&self, brief: &Brief, stop: &Stop) -> Result<Json<'static>, Fault> {
        let steps: Vec<Object<'static>> = brief
            .output("plan")
            .map(|plan| json::objects(plan, "steps").take(plan::MOST_STEPS).cloned().collect())
            .unwrap_or_default();
        if let Some(ask) = confirmation(brief, &steps) {
            return Ok(ask.into_json());
        }
        let topic = Topic::of(brief);
        let kind = Kind::of(
            brief.output("intent").and_then(|it| json::text(it, "intent")).unwrap_or_default(),
        );
        let view = brief.view(stop)?;
        let source = brief.output("plan").and_then(|plan| json::text(plan, "source"));
        let mut run = Run {
            counts: kind == Kind::Count,
            of_model: source == Some("model"),
            ..Run::default()
        };
        for (index, step) in steps.iter().enumerate() {
            stop.check()?;
            run.step(brief, view.as_ref(), index, step)?;
        }
        let mut evidence = std::mem::take(&mut run.evidence);
        if let Some(view) = &view {
            follow::follow(brief, view, &topic, kind, &mut evidence, stop)?;
            evidence = sift::sift(brief, view, &topic, kind, evidence);
        }
        let evidence: Vec<Object<'static>> = evidence.iter().map(Evidence::to_json).collect();
        let mut output = object! {
            "status": run.status(),
            "results": run.results,
            "evidence": evidence,
        };
        if run.denied > 0 && run.denied == steps.len() {
            output.set("denied_by_policy", true.into_json());
        }
        let left_out =
            brief.output("plan").map(|plan| json::texts(plan, "left_out")).unwrap_or_default();
        let left_out =
            left_out.into_iter().map(|tool| Barred { tool, rule: barred::PLAN.to_owned() });
        let mut all: Vec<Barred> = Vec::new();
        for one in left_out.chain(run.barred) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        if !all.is_empty() {
            let all: Vec<Object<'static>> = all.iter().map(Barred::to_json).collect();
            output.set("barred", all.into_json());
        }
        if let Some(counted) = run.counted {
            output.set("counted", counted.into_json());
        }
        output.set("source", "heuristic".into_json());
        Ok(output.into_json())
    }
}

/// What a person must confirm first, if they have not.
fn confirmation(brief: &Brief, steps: &[Object<'static>]) -> Option<Object<'static>> {
    let mut named: Vec<&str> = steps.iter().filter_map(|step| json::text(step, "tool")).collect();
    named.retain(|tool| brief.allows(tool) && brief.policy.rule(tool) == Rule::Confirm);
    named.sort_unstable();
    named.dedup();
    if named.is_empty() {
        return None;
    }
    let id = format!("conf_{}", plan::digest(steps));
    let said_yes = json::is_true(&brief.envelope, "confirmation_response");
    if said_yes && brief.text("confirmation_id") == Some(id.as_str()) {
        return None;
    }
    let calls: Vec<String> = steps
        .iter()
        .filter(|step| json::text(step, "tool").is_some_and(|tool| named.contains(&tool)))
        .map(|step| {
            let params = step.get("params").map(ToString::to_string).unwrap_or_default();
            format!(
                "{} {}",
                json::text(step, "tool").unwrap_or_default(),
                super::clip(&params, 200)
            )
        })
        .collect();
    Some(object! {
        "status": "partial",
        "results": Vec::<Json<'static>>::new(),
        "evidence": Vec::<Json<'static>>::new(),
        "confirmation_needed": true,
        "confirmation_id": id,
        "confirmation_message": format!("The policy asks for your confirmation before this is run: {}.", calls.join("; ")),
        "source": "heuristic",
    })
}

#[derive(Default)]
struct Run {
    results: Vec<Object<'static>>,
    evidence: Vec<Evidence>,
    denied: usize,
    barred: Vec<Barred>,
    failed: usize,
    /// The question is how many.
    counts: bool,
    /// The plan is a model's.
    of_model: bool,
    counted: Option<Object<'static>>,
}

impl Run {
    fn step(
        &mut self,
        brief: &Brief,
        view: Option<&View>,
        index: usize,
        step: &Object<'static>,
    ) -> Result<(), Fault> {
        let name = json::text(step, "tool").unwrap_or_default();
        let params = step.get("params").and_then(Json::as_object).cloned().unwrap_or_default();
        let began = Instant::now();
        let given = carry_out(brief, view, name, &params);
        let took = began.elapsed().as_secs_f64() * 1000.0;
        let result = match given {
            Ok(Yield { result, evidence }) => {
                // What a plan asks first it wants most, and what was counted is what is shown.
                let counts = self.count(&result, step, &evidence);
                let worth = (1.0 + if counts { 0.8 } else { 0.0 }) / (1.0 + index as f64 * 0.04);
                self.evidence.extend(evidence.into_iter().map(|mut one| {
                    one.score *= worth;
                    one
                }));
                result
            }
            Err(Broken::Cancelled) => return Err(Stop::fault()),
            Err(Broken::Denied(rule)) => {
                self.denied += 1;
                self.barred.push(Barred { tool: name.to_owned(), rule: rule.clone() });
                object! { "denied": true, "rule": rule }
            }
            Err(broken @ (Broken::Params(_) | Broken::Code(_))) => {
                self.failed += 1;
                object! { "error": broken.to_string() }
            }
        };
        self.results.push(object! {
            "step_index": index,
            "tool": name,
            "result": result,
            "duration_ms": took,
        });
        Ok(())
    }

    /// The number that was asked for, of the step that says it has it. A model's plan does not say so; there
    /// the first step that has a number is taken for it.
    fn count(
        &mut self,
        result: &Object<'static>,
        step: &Object<'static>,
        evidence: &[Evidence],
    ) -> bool {
        let key = json::text(step, "counts").or(self.of_model.then_some("total"));
        let total = key.and_then(|key| json::whole(result, key));
        let (true, None, Some(total)) = (self.counts, &self.counted, total) else { return false };
        // Of those who call it each is shown once, and so is each file.
        let mut shown: Vec<&Evidence> = Vec::new();
        for one in evidence {
            let again = shown.iter().any(|known| match key {
                Some("files") => known.path == one.path,
                Some("callers") => known.path == one.path && known.symbol == one.symbol,
                _ => false,
            });
            if !again && shown.len() < MOST_COUNTED {
                shown.push(one);
            }
        }
        let mut counted = object! {
            "total": total,
            "of": json::text(step, "expected_output").unwrap_or("matches"),
            "more": json::is_true(result, "more"),
            "locations": shown.iter().map(|one| one.location()).collect::<Vec<_>>(),
        };
        for key in ["note", "marks", "sure", "unsure"] {
            if let Some(value) = result.get(key).filter(|value| **value != Json::Null) {
                counted.set(key, value.clone());
            }
        }
        self.counted = Some(counted);
        true
    }

    fn status(&self) -> &'static str {
        match self.denied + self.failed {
            _ if self.results.is_empty() => "error",
            0 => "success",
            broken if broken == self.results.len() => "error",
            _ => "partial",
        }
    }
}

fn carry_out(
    brief: &Brief,
    view: Option<&View>,
    name: &str,
    params: &Object<'static>,
) -> Result<Yield, Broken> {
    let tool =
        tools::find(name).ok_or_else(|| Broken::Params(format!("there is no tool {name:?}")))?;
    if !brief.allows(name) {
        return Err(Broken::Denied(barred::EXECUTION.to_owned()));
    }
    match brief.policy.rule(name) {
        Rule::Deny => return Err(Broken::Denied(format!("tools.{name}"))),
        // Confirmed, or nothing would have been run.
        Rule::Allow | Rule::Confirm => {}
    }
    let view = view.ok_or_else(|| Broken::Code("the question has no repository".to_owned()))?;
    tool.run(view, params)
}
