//! The critic stage: decides whether the evidence reaches the goals, and what follows if not.
//!
//! It sends a question back only if there is a broader way to look that was not tried, and goes on
//! to another round only if this one reached something; so it always comes to an end.

use consign_contracts::{
    Contract,
    envelope::CriticOutput,
    json::{Json, Object},
    wire::Message,
};
use consign_engine::Fault;

use super::{
    super::tools::{Evidence, Role},
    Brief, BuiltIn, Stop,
    barred::{self, Barred},
    built_in::{contract, held, refused},
    goals::{Goal, Need},
    intent::kind::Kind,
    json::{self, IntoJson, object},
    plan, prompt,
    topic::{BROADEST, Topic},
};

pub(super) struct Critic;

impl BuiltIn for Critic {
    fn name(&self) -> &'static str {
        "critic"
    }

    fn contract(&self) -> &'static Contract {
        contract(CriticOutput::NAME)
    }

    fn reads(&self) -> &'static [&'static str] {
        &[
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
        ]
    }

    fn work(&self, brief: &Brief, _stop: &Stop) -> Result<Json<'static>, Fault> {
        let goals = plan::goals(brief);
        let evidence = evidence(brief);
        let mut reached = Vec::new();
        let (mut satisfied, mut open) = (Vec::new(), Vec::new());
        for goal in &goals {
            let found = supports(goal, &evidence, brief);
            // A number and a list of commits may have no line to show.
            let without = match goal.need {
                Need::Count => has_counted(brief),
                Need::History => has_commits(brief),
                Need::Structure => has_listed(brief),
                // That there is none is an answer, too.
                Need::Implementers => has_result(brief, "implementers"),
                Need::Tests => has_result(brief, "tests"),
                Need::EntryPoints => has_result(brief, "entry_points"),
                Need::Project => true,
                Need::Definition
                | Need::Usage
                | Need::Flow
                | Need::Parts
                | Need::Raise
                | Need::Lines
                | Need::Mention => false,
            };
            if found.is_empty() && !without {
                open.push(goal);
            } else {
                let places: Vec<String> = found.iter().take(6).map(|one| one.location()).collect();
                reached.push(object! { "goal": &goal.text, "evidence": places });
                satisfied.push(goal.text.clone());
            }
        }
        let verdict = verdict(brief, satisfied.len(), &open);
        let confidence = if goals.is_empty() {
            0.3
        } else {
            let share = satisfied.len() as f64 / goals.len() as f64;
            let depth = (evidence.len().min(8) as f64) / 8.0;
            (0.25 + 0.5 * share + 0.2 * depth).min(0.95)
        };
        Ok(object! {
            "verdict": verdict,
            "satisfied_goals": satisfied,
            "unsatisfied_goals": open.iter().map(|goal| goal.text.clone()).collect::<Vec<_>>(),
            "feedback": feedback(brief, &open, &evidence, verdict),
            "confidence": confidence,
            "goal_evidence": reached,
            "source": "heuristic",
        }
        .into_json())
    }

    fn prompt(&self, brief: &Brief) -> Option<String> {
        Some(prompt::critic(brief))
    }

    fn settle(&self, brief: &Brief, said: Json<'static>) -> Result<Json<'static>, Fault> {
        held(self.contract(), &said)?;
        let Json::Object(mut said) = said else {
            return Err(refused("the answer is not an object"));
        };
        let goals: Vec<String> = plan::goals(brief).into_iter().map(|goal| goal.text).collect();
        let satisfied = json::texts(&said, "satisfied_goals");
        let unsatisfied = json::texts(&said, "unsatisfied_goals");
        if let Some(unknown) =
            satisfied.iter().chain(&unsatisfied).find(|goal| !goals.contains(goal))
        {
            return Err(refused(format!("{unknown:?} is not one of the goals")));
        }
        // What it says nothing about, or two things, is not satisfied.
        let satisfied: Vec<String> = goals
            .iter()
            .filter(|goal| satisfied.contains(goal) && !unsatisfied.contains(goal))
            .cloned()
            .collect();
        let open: Vec<String> =
            goals.iter().filter(|goal| !satisfied.contains(goal)).cloned().collect();
        let wanted = json::text(&said, "verdict").unwrap_or_default().to_owned();
        let verdict = match wanted.as_str() {
            "next_stage" if open.is_empty() || satisfied.is_empty() || !has_rounds(brief) => {
                "approved"
            }
            "reintent" if !can_reintent(brief) => "approved",
            _ => wanted.as_str(),
        };
        if verdict != wanted {
            said.set("verdict_asked", wanted.clone().into_json());
        }
        said.set("verdict", verdict.to_owned().into_json());
        said.set("satisfied_goals", satisfied.into_json());
        said.set("unsatisfied_goals", open.into_json());
        said.set("source", "model".into_json());
        Ok(said.into_json())
    }
}

pub(super) fn evidence(brief: &Brief) -> Vec<Evidence> {
    let Some(execution) = brief.output("execution") else { return Vec::new() };
    json::objects(execution, "evidence").filter_map(Evidence::read).collect()
}

/// The evidence that reaches a goal; none if it is not reached.
fn supports<'e>(goal: &Goal, evidence: &'e [Evidence], brief: &Brief) -> Vec<&'e Evidence> {
    let about = |one: &&Evidence| {
        if goal.about.is_empty() {
            return true;
        }
        let lower = |text: &str| text.to_lowercase();
        let texts = [
            lower(&one.content),
            lower(&one.path),
            lower(one.symbol.as_deref().unwrap_or_default()),
        ];
        let note = lower(one.note.as_deref().unwrap_or_default());
        goal.about.iter().any(|word| {
            let word = word.to_lowercase();
            texts.iter().any(|text| text.contains(&word)) || note.contains(&word)
        })
    };
    let of = |roles: &[Role]| -> Vec<&'e Evidence> {
        evidence.iter().filter(|one| roles.contains(&one.role)).filter(about).collect()
    };
    match goal.need {
        Need::Definition => of(&[Role::Definition]),
        Need::Usage => of(&[Role::Call, Role::Usage, Role::Raise]),
        Need::Flow => {
            let steps = of(&[Role::Definition, Role::Call]);
            let linked = steps.iter().any(|one| !one.calls.is_empty() || one.role == Role::Call);
            if steps.len() >= 2 && (linked || steps.len() >= 3) { steps } else { Vec::new() }
        }
        Need::Parts => {
            let parts = of(&[Role::Definition]);
            let parts = if parts.is_empty() { of(&[Role::Structure]) } else { parts };
            if parts.len() >= 2 || parts.iter().any(|one| one.end_line > one.line) {
                parts
            } else {
                Vec::new()
            }
        }
        Need::Structure => of(&[Role::Structure, Role::Definition]),
        Need::History => {
            // What was asked about without a path is in the commits themselves.
            let found = of(&[Role::History]);
            if found.is_empty() && has_commits(brief) {
                evidence.iter().take(1).collect()
            } else {
                found
            }
        }
        Need::Raise => {
            let raised = of(&[Role::Raise]);
            if raised.is_empty() { of(&[Role::Mention, Role::Call, Role::Usage]) } else { raised }
        }
        // What was counted has been counted, however many there are.
        Need::Count if has_counted(brief) => evidence.iter().collect(),
        Need::Implementers => of(&[Role::Usage]),
        Need::Tests => of(&[Role::Definition]),
        Need::EntryPoints => evidence.iter().collect(),
        Need::Lines | Need::Project => {
            evidence.iter().filter(|one| one.role == Role::Mention).collect()
        }
        Need::Count | Need::Mention => evidence.iter().filter(about).collect(),
    }
}

fn has_listed(brief: &Brief) -> bool {
    let Some(execution) = brief.output("execution") else { return false };
    json::objects(execution, "results").any(|one| {
        let entries = one.get("result").and_then(|it| it.get("entries"));
        entries.and_then(Json::as_array).is_some_and(|entries| !entries.is_empty())
    })
}

fn has_result(brief: &Brief, key: &str) -> bool {
    let Some(execution) = brief.output("execution") else { return false };
    json::objects(execution, "results")
        .any(|one| one.get("result").is_some_and(|it| it.get(key).is_some()))
}

fn has_counted(brief: &Brief) -> bool {
    brief.output("execution").is_some_and(|execution| execution.get("counted").is_some())
}

fn has_commits(brief: &Brief) -> bool {
    let Some(execution) = brief.output("execution") else { return false };
    json::objects(execution, "results").any(|result| {
        result
            .get("result")
            .and_then(|it| it.get("commits"))
            .and_then(Json::as_array)
            .is_some_and(|it| !it.is_empty())
    })
}

fn verdict(brief: &Brief, satisfied: usize, open: &[&Goal]) -> &'static str {
    // What nobody may look for is not found by looking again.
    let barred = Barred::read(brief);
    let hopeless = open.iter().all(|goal| barred::is_closed(&barred, goal.need));
    match satisfied {
        _ if hopeless => "approved",
        0 if can_reintent(brief) => "reintent",
        0 => "approved",
        _ if has_rounds(brief) => "next_stage",
        _ => "approved",
    }
}

/// Whether going back would be allowed, and could help.
fn can_reintent(brief: &Brief) -> bool {
    let topic = Topic::of(brief);
    let iteration = brief.number("iteration").unwrap_or(0);
    let most = brief.number("max_iterations").unwrap_or(3);
    let tried = json::list(&brief.envelope, "prior_plans").len();
    let widens = !topic.groups.is_empty() || !topic.symbols.is_empty() || !topic.phrases.is_empty();
    let fires = brief.envelope.get("metadata").and_then(Json::as_object);
    let fires = fires.and_then(|metadata| json::whole(metadata, "critic_fires")).unwrap_or(0);
    let denied = brief
        .output("execution")
        .is_some_and(|execution| json::is_true(execution, "denied_by_policy"));
    iteration < most && fires < 3 && tried < BROADEST && widens && brief.repo.is_some() && !denied
}

fn has_rounds(brief: &Brief) -> bool {
    brief.number("current_stage_number").unwrap_or(1) < brief.number("max_stages").unwrap_or(5)
}

fn feedback(brief: &Brief, open: &[&Goal], evidence: &[Evidence], verdict: &str) -> String {
    if open.is_empty() {
        return "Every goal is reached.".to_owned();
    }
    let barred = Barred::read(brief);
    let missing: Vec<String> = open
        .iter()
        .map(|goal| {
            let lacks = match goal.need {
                need if barred::is_closed(&barred, need) => {
                    "not looked for, because its tools are not allowed"
                }
                Need::Definition => "no definition was found",
                Need::Usage => "no use was found",
                Need::Flow => "too few functions that call each other were found",
                Need::Parts => "too few parts were found",
                Need::Structure => "nothing was listed",
                Need::History => "no commit was found",
                Need::Raise => "no place was found that raises it",
                Need::Count => "nothing was found to count",
                Need::Implementers => "no type that extends or implements it was found",
                Need::Lines => "there is no such line",
                Need::Tests => "no test was found",
                Need::Project => "no manifest was found",
                Need::EntryPoints => "no entry point was found",
                Need::Mention => "nothing was found",
            };
            format!("{}: {lacks}", goal.text)
        })
        .collect();
    let broken = brief.output("execution").map_or(0, |execution| {
        let results = json::objects(execution, "results");
        results.filter(|one| one.get("result").is_some_and(|it| it.get("error").is_some())).count()
    });
    let mut text = format!("{}.", missing.join("; "));
    if broken > 0 {
        text.push_str(&format!(" {broken} of the steps failed."));
    }
    match verdict {
        "reintent" => {
            text.push_str(" Look for other words of the same meaning and for parts of the names.")
        }
        "next_stage" => text.push_str(" Continue with what is missing."),
        _ if evidence.is_empty() => text.push_str(" There is no broader search left."),
        _ => text.push_str(" The answer must use what was found."),
    }
    text
}

/// The kind of question, as intent saw it.
pub(super) fn kind(brief: &Brief) -> Kind {
    Kind::of(
        brief
            .output("intent")
            .and_then(|it: &Object<'static>| json::text(it, "intent"))
            .unwrap_or_default(),
    )
}
