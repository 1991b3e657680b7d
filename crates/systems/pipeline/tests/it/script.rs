//! Agents that say what a row tells them to, each turn of a stage one line.
//!
//! A line is a word for an output that many rows need, the output itself as JSON, `echo` for what the
//! agent was given, or a failure: `!CODE` for good, `!CODE?` recoverable, `!CODE~` passing, so that it
//! is tried again. ` *2` at the end says that two requests to models were made.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use consign_engine::{
    Agent, Agents, Attempt, Data, Effect, Failure, Fault, Invoker, Key, Nanos, Reply,
};
use consign_pipeline::{Does, Pipeline, Who};
use serde_json::json;

/// Outputs that many rows need.
const WORDS: &[(&str, &str)] = &[
    ("perceived", r#"{"normalized_input": "where is it"}"#),
    ("clear", r#"{"intent": "explain", "goals": ["one", "two"]}"#),
    (
        "unclear",
        r#"{"intent": "explain", "goals": ["one", "two"], "clarification_needed": true,
            "clarification_question": "Which one?"}"#,
    ),
    ("planned", r#"{"plan_id": "p1", "steps": []}"#),
    ("done", r#"{"status": "success", "results": [], "evidence": []}"#),
    ("found", r#"{"status": "success", "results": [], "evidence": [{"location": "a.rs:1"}]}"#),
    (
        "confirm",
        r#"{"status": "partial", "results": [], "evidence": [], "confirmation_needed": true,
            "confirmation_id": "c1", "confirmation_message": "Delete it?"}"#,
    ),
    ("denied", r#"{"status": "error", "results": [], "evidence": [], "denied_by_policy": true}"#),
    ("approved", r#"{"verdict": "approved"}"#),
    ("again", r#"{"verdict": "reintent", "feedback": "more of it"}"#),
    ("next", r#"{"verdict": "next_stage", "satisfied_goals": ["one"]}"#),
    ("answered", r#"{"final_response": "there"}"#),
];

/// What a stage says that has no line left, by its name.
fn usual(stage: &str) -> &'static str {
    match stage {
        "perception" => "perceived",
        "intent" => "clear",
        "plan" => "planned",
        "execution" => "done",
        "critic" => "approved",
        "integration" => "answered",
        _ => "{}",
    }
}

#[derive(Clone, Debug)]
struct Line {
    says: Says,
    model_calls: u32,
}

#[derive(Clone, Debug)]
enum Says {
    Gives(Data),
    Echoes,
    Fails(Fault),
}

impl Line {
    fn read(text: &str) -> Self {
        let (text, model_calls) = match text.rsplit_once(" *") {
            Some((text, calls)) => (text, calls.parse().unwrap()),
            None => (text, 0),
        };
        Self { says: Says::read(text), model_calls }
    }
}

impl Says {
    fn read(text: &str) -> Self {
        if text == "echo" {
            return Self::Echoes;
        }
        if let Some(code) = text.strip_prefix('!') {
            return Self::Fails(fault(code));
        }
        let word = WORDS.iter().find(|(word, _)| *word == text);
        let text = word.map_or(text, |(_, output)| output);
        Self::Gives(Data::parse(text).unwrap_or_else(|why| panic!("{text}: {why}")))
    }
}

fn fault(code: &str) -> Fault {
    let says = "as the row says";
    let plain = code.trim_end_matches(['?', '~']).to_owned();
    let fault = match code.chars().last() {
        Some('~') => Fault::transient("", says),
        Some('?') => Fault { recoverable: true, ..Fault::permanent("", says) },
        _ => Fault::permanent("", says),
    };
    Fault { code: plain.into(), ..fault }
}

/// The lines of every stage, and who was called so far.
#[derive(Clone)]
pub(crate) struct Script(Arc<Mutex<Stage>>);

struct Stage {
    lines: BTreeMap<String, VecDeque<Line>>,
    /// Every attempt at a call has the same line.
    taken: BTreeMap<Key, Line>,
    called: Vec<String>,
    tried: BTreeMap<String, u32>,
}

impl Script {
    pub(crate) fn new(lines: &BTreeMap<String, Vec<String>>) -> Self {
        let read = |lines: &Vec<String>| lines.iter().map(|line| Line::read(line)).collect();
        let lines = lines.iter().map(|(stage, lines)| (stage.clone(), read(lines))).collect();
        let (taken, called, tried) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
        Self(Arc::new(Mutex::new(Stage { lines, taken, called, tried })))
    }

    /// The keys of the calls, in order, each once.
    pub(crate) fn called(&self) -> Vec<String> {
        self.0.lock().unwrap().called.clone()
    }

    /// How often each call was tried.
    pub(crate) fn tried(&self) -> BTreeMap<String, u32> {
        self.0.lock().unwrap().tried.clone()
    }

    /// Stages that still have something to say.
    pub(crate) fn unsaid(&self) -> Vec<String> {
        let stage = self.0.lock().unwrap();
        let left = stage.lines.iter().filter(|(_, lines)| !lines.is_empty());
        left.map(|(stage, _)| stage.clone()).collect()
    }

    fn line(&self, key: &Key) -> Line {
        let mut stage = self.0.lock().unwrap();
        *stage.tried.entry(key.to_string()).or_default() += 1;
        if let Some(line) = stage.taken.get(key) {
            return line.clone();
        }
        let (name, _) = key.as_str().rsplit_once('-').unwrap();
        let next = stage.lines.get_mut(name).and_then(VecDeque::pop_front);
        let line = next.unwrap_or_else(|| Line::read(usual(name)));
        stage.taken.insert(key.clone(), line.clone());
        stage.called.push(key.to_string());
        line
    }

    /// What a call comes to, with the requests to models that it takes.
    pub(crate) fn say(&self, key: &Key, input: &Data) -> (Result<Data, Fault>, u32) {
        let Line { says, model_calls } = self.line(key);
        let result = match says {
            Says::Gives(output) => Ok(output),
            Says::Echoes => Ok(input.clone()),
            Says::Fails(fault) => Err(fault),
        };
        (result, model_calls)
    }

    /// The agents of a pipeline, all of which say what is written here.
    pub(crate) fn agents(&self, pipeline: &Pipeline) -> Agents {
        let agent = || Agent::new(Effect::Pure, Actor(self.clone()));
        pipeline.stages.iter().fold(Agents::default(), |agents, stage| match &stage.does {
            Does::Agent(Who::Named(name)) => match &stage.model {
                Some(model) => {
                    let with = format!("{name}@{model}");
                    agents.with(with, agent()).with(name.as_str(), agent())
                }
                None => agents.with(name.as_str(), agent()),
            },
            Does::Agent(Who::File(_) | Who::Defined(_)) | Does::Person(_) | Does::Parallel(_) => {
                agents
            }
        })
    }
}

struct Actor(Script);

#[async_trait]
impl Invoker for Actor {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let (result, calls) = self.0.say(&attempt.key, &attempt.input);
        let note = (calls > 0).then(|| Data::of(&json!({ "llm_calls": calls })));
        match result {
            Ok(output) => Ok(Reply { note, ..Reply::new(output, Nanos::ZERO) }),
            Err(fault) => Err(Failure { note, ..Failure::new(fault, Some(Nanos::ZERO)) }),
        }
    }
}
