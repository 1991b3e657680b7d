//! A home, and a folder with documents beside it.

use std::fs;

use serde_json::Value;

use crate::{
    home::Home,
    support::{Folder, Outcome, text},
};

pub(super) struct Desk {
    pub(super) home: Home,
    pub(super) folder: Folder,
}

/// What an ingest told: a row for each file, and the counts.
pub(super) struct Told {
    pub(super) rows: Vec<Value>,
    pub(super) counts: Value,
}

impl Desk {
    pub(super) fn new() -> Self {
        Self { home: Home::new(), folder: Folder::new() }
    }

    /// Writes a document, with the folders above it.
    pub(super) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("it can be made");
        self.folder.file(name, content)
    }

    /// The folder with the documents.
    pub(super) fn place(&self) -> String {
        self.folder.path().to_str().expect("a plain name").to_owned()
    }

    pub(super) fn run(&self, args: &[&str]) -> Outcome {
        self.home.run(args)
    }

    /// Takes in, which ends with this exit code.
    #[track_caller]
    pub(super) fn ingest(&self, args: &[&str], exit: i32) -> Told {
        Told::of(&self.run(&[&["ingest", "--json"], args].concat()).exits(exit))
    }

    /// What a search finds with the defaults, or with more.
    #[track_caller]
    pub(super) fn search(&self, question: &str, more: &[&str]) -> Value {
        self.run(&[&["search", "--json", question], more].concat()).exits(0).json()
    }

    /// The results of a search.
    #[track_caller]
    pub(super) fn found(&self, question: &str, more: &[&str]) -> Vec<Value> {
        let answer = self.search(question, more);
        answer["results"].as_array().expect("results are a list").clone()
    }

    /// The text that is kept of a source.
    #[track_caller]
    pub(super) fn text(&self, source: &str) -> String {
        self.run(&["sources", "show", source, "--text"]).exits(0).stdout
    }

    #[track_caller]
    pub(super) fn sources(&self, more: &[&str]) -> Vec<Value> {
        self.run(&[&["sources", "list", "--json"], more].concat()).exits(0).json_lines()
    }
}

impl Told {
    #[track_caller]
    pub(super) fn of(outcome: &Outcome) -> Self {
        let mut rows = outcome.json_lines();
        let counts = rows.pop().expect("the counts are last");
        Self { rows, counts }
    }

    /// The row of a file, by the end of its name.
    #[track_caller]
    pub(super) fn row(&self, name: &str) -> &Value {
        let mut rows = self.rows.iter();
        let row = rows.find(|row| text(row, "source_identifier").ends_with(name));
        row.unwrap_or_else(|| panic!("{name} is not in {:#?}", self.rows))
    }

    /// Status and code of every file, by name.
    pub(super) fn statuses(&self) -> Vec<(String, String, Option<String>)> {
        let one = |row: &Value| {
            let name = text(row, "source_identifier").rsplit('/').next().unwrap_or_default();
            let code = row["error"]["error_code"].as_str().map(str::to_owned);
            (name.to_owned(), text(row, "status").to_owned(), code)
        };
        let mut all: Vec<_> = self.rows.iter().map(one).collect();
        all.sort();
        all
    }
}
