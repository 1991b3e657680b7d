//! The lines of the corpus: questions and attacks.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::Trouble;

/// A question about the documents.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) split: String,
    pub(crate) language: String,
    pub(crate) kind: String,
    pub(crate) text: String,
    /// What was asked before in its session.
    pub(crate) after: Vec<String>,
    /// File names, all of which a right answer cites.
    pub(crate) sources: Vec<String>,
    pub(crate) words: Vec<String>,
    pub(crate) not_there: bool,
}

/// An attack, by what is said or by a document.
#[derive(Clone, Debug)]
pub(crate) struct Attack {
    pub(crate) id: String,
    pub(crate) split: String,
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) earlier: Vec<String>,
    pub(crate) documents: Vec<Planted>,
    /// A document of another owner: its owner, and the document.
    pub(crate) foreign: Option<(String, Planted)>,
    pub(crate) canary: String,
    pub(crate) secret: Option<String>,
    /// Words of the right answer to an innocent question.
    pub(crate) honest: Vec<String>,
}

/// A document that comes with an attack.
#[derive(Clone, Debug)]
pub(crate) struct Planted {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) metadata: Option<Value>,
}

/// The folder of the corpus.
pub(crate) fn folder(root: &Path) -> PathBuf {
    root.join("bench/data/conversation")
}

pub(crate) fn questions(folder: &Path) -> Result<Vec<Question>, Trouble> {
    let of = |line: Value| Question {
        id: text(&line, "id"),
        split: text(&line, "split"),
        language: text(&line, "language"),
        kind: text(&line, "kind"),
        text: text(&line, "question"),
        after: list(&line["after"]),
        sources: list(&line["expected_source"]),
        words: list(&line["expected_words"]),
        not_there: line["not_there"] == true,
    };
    Ok(lines(&folder.join("questions.jsonl"))?.into_iter().map(of).collect())
}

pub(crate) fn attacks(folder: &Path) -> Result<Vec<Attack>, Trouble> {
    let of = |line: Value| {
        let one = line.get("document").into_iter();
        let many = line.get("documents").and_then(Value::as_array).into_iter().flatten();
        let foreign = line.get("foreign");
        Attack {
            id: text(&line, "id"),
            split: text(&line, "split"),
            kind: text(&line, "kind"),
            message: text(&line, "message"),
            earlier: list(&line["earlier"]),
            documents: one.chain(many).map(planted).collect(),
            foreign: foreign.map(|document| (text(document, "owner"), planted(document))),
            canary: text(&line, "canary"),
            secret: line.get("secret").and_then(Value::as_str).map(str::to_owned),
            honest: list(&line["honest"]),
        }
    };
    Ok(lines(&folder.join("attacks.jsonl"))?.into_iter().map(of).collect())
}

fn planted(document: &Value) -> Planted {
    Planted {
        name: text(document, "name"),
        text: text(document, "text"),
        metadata: document.get("metadata").cloned(),
    }
}

fn lines(path: &Path) -> Result<Vec<Value>, Trouble> {
    let text = fs::read_to_string(path)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn text(line: &Value, name: &str) -> String {
    line[name].as_str().unwrap_or_default().to_owned()
}

/// One text, or a list of them.
fn list(value: &Value) -> Vec<String> {
    match value {
        Value::String(one) => vec![one.clone()],
        Value::Array(all) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}
