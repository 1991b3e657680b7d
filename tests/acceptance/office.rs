//! A home with an agent in it, whose models may be a double.

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};

use crate::{
    harness::Process,
    home::{Home, until},
    models::{Double, with_keys},
    support::{Consign, Folder, Outcome, text},
};

pub(crate) const REVIEWER: &str = r#"
name = "reviewer"
description = "Reviews a diff"
effect = "pure"
[contract]
output = "review.schema.json"
[model]
name = "openai/gpt-5-mini"
fallback = ["anthropic/claude-haiku-4-5"]
prompt = "Review this diff: {{input.diff}}"
max_tokens = 200
"#;

const REVIEW: &str = r#"{"type": "object", "required": ["verdict"], "additionalProperties": false,
    "properties": {"verdict": {"enum": ["accept", "reject"]}}}"#;

const DIFF: &str = r#"{"diff": "- a\n+ b"}"#;

/// A home with an agent, and files for its runs.
pub(crate) struct Office {
    pub(crate) home: Home,
    pub(crate) folder: Folder,
}

impl Office {
    pub(crate) fn new() -> Self {
        let this = Self { home: Home::new(), folder: Folder::new() };
        this.folder.file("review.schema.json", REVIEW);
        let file = this.folder.file("reviewer.toml", REVIEWER);
        this.run(&["agents", "add", &file]).exits(0);
        this
    }

    /// Whose models are all this double.
    pub(crate) fn before(double: &Double) -> Self {
        let this = Self::new();
        let file = this.home.path().join("models.toml");
        fs::write(file, double.settings()).expect("the home is there");
        this
    }

    pub(crate) fn consign(&self, args: &[&str]) -> Consign {
        with_keys(self.home.consign(args), "sk-office-key-0123456789")
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        self.consign(args).run()
    }

    /// `agents try NAME`, as an object.
    pub(crate) fn tried(&self, more: &[&str]) -> Outcome {
        let args = ["agents", "try", "reviewer", "--input", DIFF, "--json"];
        self.run(&[&args[..], more].concat())
    }

    pub(crate) fn events(&self, run: &str) -> Vec<Value> {
        self.run(&["runs", "show", run, "--events", "--json"]).exits(0).json_lines()
    }

    /// How a run stands.
    pub(crate) fn shown(&self, run: &str) -> Value {
        self.run(&["runs", "show", run, "--json"]).exits(0).json()
    }

    /// How it stands when it is over.
    pub(crate) fn until_over(&self, run: &str) -> Value {
        until("the run is over", || {
            let shown = self.shown(run);
            ["succeeded", "failed", "cancelled"].contains(&text(&shown, "status")).then_some(shown)
        })
    }

    /// What the calls of a run came to, by their keys.
    pub(crate) fn outputs(&self, run: &str) -> BTreeMap<String, Value> {
        let events = self.events(run);
        let completed = events.iter().filter(|event| event["kind"] == "call_completed");
        let body = completed.map(|event| &event["body"]);
        body.map(|body| (text(body, "key").to_owned(), body["output"].clone())).collect()
    }

    /// A run of `agent/map` over diffs `0`, `1` and so on.
    pub(crate) fn map(&self, inputs: usize, at_once: usize, more: &[&str]) -> Outcome {
        let inputs: Vec<_> = (0..inputs).map(|n| json!({"diff": n.to_string()})).collect();
        let input = json!({"agent": "reviewer", "inputs": inputs, "at_once": at_once}).to_string();
        let args = ["runs", "start", "agent/map", "--input", &input, "--json"];
        self.run(&[&args[..], more].concat())
    }

    /// A worker that dies with the test.
    pub(crate) fn worker(&self) -> Process {
        self.home.let_go_on(self.consign(&["worker", "--json"]))
    }
}
