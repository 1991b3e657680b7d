//! What happened to the world: lines in files, counted from outside.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::Home;

pub(crate) const CLASSES: [&str; 4] = ["pure", "idempotent", "keyed", "unsafe"];

/// One file for each class. A line is the idempotency key of a call: `RUN:KEY`.
#[derive(Clone, Debug)]
pub(crate) struct Effects {
    folder: PathBuf,
}

/// How often each key stands in the file of its class.
pub(crate) type Lines = BTreeMap<String, BTreeMap<String, usize>>;

impl Effects {
    pub(crate) fn of(home: &Home) -> Self {
        Self { folder: home.folder().to_owned() }
    }

    pub(crate) fn file(&self, class: &str) -> PathBuf {
        self.folder.join(format!("effects.{class}"))
    }

    /// The input of `sample/effects`.
    pub(crate) fn input(&self, class: &str, times: u64, sleep_ms: u64) -> Value {
        json!({"class": class, "times": times, "file": self.file(class), "sleep_ms": sleep_ms})
    }

    pub(crate) fn lines(&self) -> Lines {
        CLASSES.iter().map(|class| ((*class).to_owned(), count(&self.file(class)))).collect()
    }

    pub(crate) fn count(&self, class: &str, key: &str) -> usize {
        count(&self.file(class)).get(key).copied().unwrap_or(0)
    }

    /// The true answer to the question what became of a call.
    pub(crate) fn truth(&self, run: &str, interaction: &str) -> Value {
        let asked = interaction.strip_prefix("@outcome:").and_then(|of| of.rsplit_once('@'));
        let (key, _attempt) = asked.expect("it asks for an outcome");
        let line = format!("{run}:{key}");
        match self.count("unsafe", &line) {
            0 => json!({"outcome": "not_done"}),
            _ => json!({"outcome": "done", "output": {"line": line}}),
        }
    }
}

fn count(file: &Path) -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    for line in fs::read_to_string(file).unwrap_or_default().lines() {
        *lines.entry(line.to_owned()).or_default() += 1;
    }
    lines
}
