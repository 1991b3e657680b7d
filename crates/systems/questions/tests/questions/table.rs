//! The tables of questions.

use std::{fs, path::Path};

pub(crate) struct Question {
    pub(crate) ask: String,
    pub(crate) set: Set,
    /// Kinds of question that it may be taken for.
    pub(crate) intent: Vec<String>,
    /// Any of these files answers it.
    pub(crate) files: Vec<String>,
    /// It cannot be answered as it stands: the agents must ask back.
    pub(crate) clarify: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Set {
    /// Looked at while the agents were made better.
    Tuned,
    /// Not looked at.
    HeldOut,
    /// Written when the agents were done, answered once, and then looked at.
    Hard,
    /// About a project that the agents were made without.
    Unseen,
}

pub(crate) fn read(name: &str) -> Vec<Question> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/questions").join(format!("{name}.toml"));
    let text = fs::read_to_string(path).unwrap();
    let table: toml::Table = text.parse().unwrap();
    table["question"].as_array().unwrap().iter().map(question).collect()
}

fn question(one: &toml::Value) -> Question {
    let one = one.as_table().unwrap();
    let texts = |key: &str| -> Vec<String> {
        let list = one.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        list.iter().map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    let question = Question {
        ask: one["ask"].as_str().unwrap().to_owned(),
        set: match one["set"].as_str().unwrap() {
            "tuned" => Set::Tuned,
            "held_out" => Set::HeldOut,
            "hard" => Set::Hard,
            "unseen" => Set::Unseen,
            other => panic!("unknown set {other}"),
        },
        intent: texts("intent"),
        files: texts("files"),
        clarify: one.get("clarify").and_then(toml::Value::as_bool).unwrap_or(false),
    };
    assert!(question.clarify || !question.files.is_empty(), "{}", question.ask);
    question
}
