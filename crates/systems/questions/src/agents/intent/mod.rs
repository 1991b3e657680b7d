//! The intent stage: what a question asks for, the goals of an answer, and whether it can be answered.
//!
//! It searches the repository once, so that it never sets goals for something that does not exist: then
//! it asks the user instead, with suggestions. The files that it found are passed on to the plan.

pub(super) mod clarify;
pub(super) mod ground;
mod joined;
pub(super) mod kind;
mod names;
pub(super) mod spelling;
mod start;

use consign_contracts::{
    Contract,
    envelope::IntentOutput,
    json::{Json, Object},
    wire::Message,
};
use consign_engine::Fault;

use super::{
    Brief, BuiltIn, Stop,
    built_in::{contract, held, refused},
    entities,
    goals::{Goal, Need},
    json::{self, IntoJson, object},
    perception, prompt,
    topic::Topic,
    words,
};
use ground::Ground;
use kind::{Kind, Names};

pub(super) struct Intent;

impl BuiltIn for Intent {
    fn name(&self) -> &'static str {
        "intent"
    }

    fn contract(&self) -> &'static Contract {
        contract(IntentOutput::NAME)
    }

    fn reads(&self) -> &'static [&'static str] {
        &[
            "raw_input",
            "outputs.perception",
            "clarification_response",
            "critic_feedback",
            "prior_plans",
            "iteration",
        ]
    }

    fn work(&self, brief: &Brief, stop: &Stop) -> Result<Json<'static>, Fault> {
        let mut topic = Topic::of(brief);
        let view = brief.view(stop)?;
        // What "it" is was said before.
        let starts = topic.taken_for.is_none() && start::asks_where_it_starts(&topic.text);
        if starts {
            topic.name_nothing();
        }
        if let (Some(view), false) = (&view, starts) {
            names::settle(view, &mut topic)?;
            stop.check()?;
        }
        let mut ground = match &view {
            Some(view) => Ground::survey(view, &topic)?,
            None => Ground::default(),
        };
        if let Some(view) = &view
            && spelling::settle(view, &mut topic, &ground)?
        {
            stop.check()?;
            ground = Ground::survey(view, &topic)?;
        }
        let (kind, sure) = match starts {
            true => (Kind::FindEntryPoints, 0.95),
            false => kind::classify(&topic.text, named(&topic)),
        };
        if let (Some(view), Kind::History) = (&view, kind) {
            ground.look_for_a_place(view, &mut topic)?;
        }
        let topic = topic;
        if let (Some(view), Kind::ListStructure | Kind::Count) = (&view, kind) {
            ground.look_for_folders(view, &topic)?;
        }
        stop.check()?;
        // Who was asked already, or was sent back by the critic, is not asked again.
        let asked =
            brief.text("clarification_response").is_some_and(|said| !said.trim().is_empty());
        let again = asked || topic.level > 0;
        let question = match &view {
            _ if again => None,
            Some(view) => clarify::question(view, &topic, kind, &ground)?,
            None => topic.is_empty().then(|| clarify::Question {
                text: "What would you like to know, and about which part of the code?".to_owned(),
                options: Vec::new(),
            }),
        };
        let goals = goals(kind, &topic, &ground);
        let confidence = match &question {
            Some(_) => 0.2,
            None => (sure * (0.6 + 0.4 * ground.coverage(&topic))).clamp(0.05, 0.99),
        };
        let mut output = object! {
            "intent": kind.word(),
            "goals": goals.iter().map(|goal| goal.text.clone()).collect::<Vec<_>>(),
            "confidence": confidence,
            "clarification_needed": question.is_some(),
        };
        if let Some(question) = question {
            output.set("clarification_question", question.text.into_json());
            output.set("clarification_options", question.options.into_json());
        }
        output.set("subject", subject(&topic));
        output.set("absent", ground.absent(&topic).into_json());
        output.set("reworded", ground.reworded(&topic).into_json());
        output.set("respelled", topic.respelled.clone().into_json());
        output.set("goal_details", goals.iter().map(Goal::to_json).collect::<Vec<_>>().into_json());
        output.set("candidates", ground.candidates_json());
        output.set("weights", ground.weights_json(&topic));
        output.set("paths", ground.paths.into_json());
        output.set("broadened", topic.level.into_json());
        output.set("source", "heuristic".into_json());
        Ok(output.into_json())
    }

    fn prompt(&self, brief: &Brief) -> Option<String> {
        Some(prompt::intent(brief))
    }

    fn settle(&self, brief: &Brief, said: Json<'static>) -> Result<Json<'static>, Fault> {
        held(self.contract(), &said)?;
        let Json::Object(mut said) = said else {
            return Err(refused("the answer is not an object"));
        };
        let mut goals = json::texts(&said, "goals");
        goals.retain(|goal| !goal.trim().is_empty());
        goals.dedup();
        goals.truncate(4);
        let asks = json::is_true(&said, "clarification_needed");
        if goals.is_empty() && !asks {
            return Err(refused("there is no goal"));
        }
        if asks
            && json::text(&said, "clarification_question").is_none_or(|text| text.trim().is_empty())
        {
            return Err(refused(
                "clarification_needed is true and clarification_question is missing",
            ));
        }
        said.set("goals", goals.into_json());
        // The files are what no model can know; where it cannot be looked, the plan does without.
        let mut topic = Topic::of(brief);
        if let Some(view) = brief.view(&Stop::new())? {
            names::settle(&view, &mut topic)?;
            said.set("subject", subject(&topic));
            let ground = Ground::survey(&view, &topic)?;
            said.set("candidates", ground.candidates_json());
            said.set("weights", ground.weights_json(&topic));
            said.set("paths", ground.paths.into_json());
        }
        said.set("broadened", topic.level.into_json());
        said.set("source", "model".into_json());
        Ok(said.into_json())
    }
}

/// What a topic names, for [`classify`](kind::classify).
fn named(topic: &Topic) -> Names {
    let nothing = topic.groups.is_empty() && topic.symbols.is_empty() && topic.phrases.is_empty();
    Names {
        path: topic.paths.iter().any(|path| !entities::is_maybe_words(&path.text)),
        line: topic.paths.iter().any(|path| path.line.is_some()),
        name: !topic.symbols.is_empty(),
        phrase: topic.phrases.iter().any(|phrase| phrase.trim().contains(' ')),
        // A path and nothing else is asked about as a whole, too.
        whole: nothing && (!topic.paths.is_empty() || means_all(&topic.text)),
    }
}

/// Whether a question without a subject is about the repository itself.
fn means_all(text: &str) -> bool {
    const ALL: &str = " repository repo project codebase code program application app library package folder files \
        everything overview architecture structure projekt programm projet proyecto progetto projeto ";
    let lower = text.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| !word.is_empty() && ALL.contains(&format!(" {word} ")))
}

/// What turned out to be a name and what a path, for the stages that follow.
fn subject(topic: &Topic) -> Json<'static> {
    let paths: Vec<String> = topic.paths.iter().map(|path| path.text.clone()).collect();
    object! { "symbols": topic.symbols.as_slice(), "paths": paths }.into_json()
}

/// What an answer must reach, by the kind of question.
fn goals(kind: Kind, topic: &Topic, ground: &Ground) -> Vec<Goal> {
    let title = topic.title();
    let about = about(topic);
    let each = |make: fn(&str) -> String, need: Need| -> Vec<Goal> {
        let named = topic.symbols.iter().take(2);
        let goals: Vec<Goal> =
            named.map(|name| Goal::new(make(name), need, &of_name(name))).collect();
        if goals.is_empty() {
            return vec![Goal::new(make(&title), need, &about)];
        }
        goals
    };
    match kind {
        Kind::TraceFlow => vec![
            Goal::new(format!("Find the code for {title}"), Need::Definition, &about),
            Goal::new(format!("Show what {title} passes through"), Need::Flow, &about),
        ],
        Kind::Explain if topic.symbols.is_empty() => vec![
            Goal::new(format!("Find the code for {title}"), Need::Definition, &about),
            Goal::new(format!("Show the main parts of {title}"), Need::Parts, &about),
        ],
        Kind::Explain => each(|name| format!("Find where {name} is defined"), Need::Definition),
        Kind::AnalyzeCode => vec![
            Goal::new(format!("Find the code of {title}"), Need::Definition, &about),
            Goal::new(format!("Show the main parts of {title}"), Need::Parts, &about),
        ],
        Kind::FindUsage => each(|name| format!("Find where {name} is used"), Need::Usage),
        Kind::FindDefinition => {
            each(|name| format!("Find where {name} is defined"), Need::Definition)
        }
        Kind::ListStructure => {
            let place =
                ground.paths.first().cloned().unwrap_or_else(|| "the repository".to_owned());
            let inside: Vec<String> = ground.paths.first().cloned().into_iter().collect();
            vec![
                Goal::new(format!("List what {place} contains"), Need::Structure, &inside),
                Goal::new(
                    format!("Show what the main files of {place} define"),
                    Need::Parts,
                    &inside,
                ),
            ]
        }
        Kind::History => {
            let inside: Vec<String> = ground.paths.clone();
            vec![Goal::new(format!("Find who changed {title}, and when"), Need::History, &inside)]
        }
        Kind::Compare => sides(topic)
            .into_iter()
            .map(|side| {
                let about =
                    if side.names.is_empty() { stems(&side.terms) } else { of_names(&side.names) };
                Goal::new(format!("Find {}", side.title), Need::Definition, &about)
            })
            .collect(),
        Kind::FindProblem => {
            let mut goals =
                vec![Goal::new(format!("Find where {title} comes from"), Need::Raise, &about)];
            if let Some(name) = topic.symbols.first() {
                goals.push(Goal::new(
                    format!("Find where {name} is defined"),
                    Need::Definition,
                    &of_name(name),
                ));
            }
            goals
        }
        Kind::Count => vec![Goal::new(format!("Count {title}"), Need::Count, &about)],
        Kind::FindImplementers => {
            each(|name| format!("Find what builds on {name}"), Need::Implementers)
        }
        Kind::FindTests => {
            vec![Goal::new(format!("Find the tests of {title}"), Need::Tests, &about)]
        }
        Kind::AboutProject => {
            vec![Goal::new(
                "Find what the project says about itself".to_owned(),
                Need::Project,
                &[],
            )]
        }
        Kind::FindEntryPoints => {
            let inside: Vec<String> = ground.paths.clone();
            vec![Goal::new("Find where the program starts".to_owned(), Need::EntryPoints, &inside)]
        }
        Kind::ShowLines => {
            let inside: Vec<String> = ground.paths.clone();
            vec![Goal::new(format!("Show what stands at {title}"), Need::Lines, &inside)]
        }
    }
}

/// One of the two things that are compared.
pub(super) struct Side {
    pub(super) title: String,
    pub(super) names: Vec<String>,
    pub(super) terms: Vec<String>,
}

/// What is compared with what: names if there are two, else what stands on either side of the `and`.
pub(super) fn sides(topic: &Topic) -> Vec<Side> {
    if topic.symbols.len() >= 2 {
        return topic
            .symbols
            .iter()
            .take(3)
            .map(|name| Side {
                title: format!("`{name}`"),
                names: vec![name.clone()],
                terms: Vec::new(),
            })
            .collect();
    }
    const BETWEEN: &[&str] = &[
        " versus ",
        " vs. ",
        " vs ",
        " compared to ",
        " compared with ",
        " with ",
        " and ",
        " from ",
        " und ",
        " mit ",
        " et ",
        " avec ",
        " y ",
        " con ",
        " e ",
        " com ",
        " to ",
    ];
    let text = topic.text.trim_end_matches(['?', '.', '!']);
    let cut = BETWEEN.iter().find_map(|word| text.split_once(word));
    let whole = || {
        vec![Side {
            title: topic.title(),
            names: topic.symbols.clone(),
            terms: topic.groups.iter().map(|group| group.word.clone()).collect(),
        }]
    };
    let Some((left, right)) = cut else { return whole() };
    let side = |text: &str| {
        let seen = perception::perceive(text);
        let names: Vec<String> = seen
            .entities
            .iter()
            .map(|entity| entity.text.clone())
            .filter(|name| topic.symbols.contains(name))
            .collect();
        (!names.is_empty() || !seen.terms.is_empty()).then(|| Side {
            title: if names.is_empty() {
                seen.terms.join(" ")
            } else {
                format!("`{}`", names.join("` and `"))
            },
            names,
            terms: seen.terms,
        })
    };
    match (side(left), side(right)) {
        (Some(left), Some(right)) => vec![left, right],
        _ => whole(),
    }
}

fn about(topic: &Topic) -> Vec<String> {
    let names = topic.symbols.iter().flat_map(|name| of_name(name));
    let phrases = topic.phrases.iter().map(|phrase| phrase.to_lowercase());
    let mut about: Vec<String> = names.chain(phrases).collect();
    if about.is_empty() {
        about = topic.groups.iter().map(|group| group.stem.clone()).collect();
        about.extend(topic.groups.iter().flat_map(|group| group.kin.iter().cloned()));
    }
    about
}

fn of_name(name: &str) -> Vec<String> {
    vec![words::last_name(name).to_lowercase()]
}

fn of_names(names: &[String]) -> Vec<String> {
    names.iter().flat_map(|name| of_name(name)).collect()
}

fn stems(terms: &[String]) -> Vec<String> {
    terms.iter().map(|term| words::stem(term)).collect()
}

/// What intent handed on about goals.
pub(super) fn details<'o>(output: &'o Object<'static>) -> Vec<&'o Object<'static>> {
    json::objects(output, "goal_details").collect()
}
