//! The steps for each need of a goal.
//!
//! One file per need adds its steps to a list; [`Planner::steps`] puts them together. No
//! step is run here.

mod compare;
mod count;
mod entry_points;
mod further;
mod history;
mod implementers;
mod project;
mod structure;
mod tests;

pub(in super::super) use history::author;

use std::cell::RefCell;

use consign_contracts::json::Object;
use consign_engine::Fault;

use super::{
    super::{
        super::tools::View,
        Brief, Stop,
        goals::{Goal, Need},
        intent::kind::Kind,
        json::{self, object},
        topic::Topic,
        words,
    },
    rank::{self, Candidate, Ranked},
};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) tool: &'static str,
    pub(super) params: Object<'static>,
    pub(super) expected: String,
    /// The member of the result that has the number that was asked for.
    pub(super) counts: Option<&'static str>,
}

impl Step {
    fn new(tool: &'static str, params: Object<'static>, expected: impl Into<String>) -> Self {
        Self { tool, params, expected: expected.into(), counts: None }
    }

    fn counting(self, key: &'static str) -> Self {
        Self { counts: Some(key), ..self }
    }
}

pub(super) struct Planner<'p> {
    topic: &'p Topic,
    kind: Kind,
    view: Option<&'p View>,
    candidates: Vec<Candidate>,
    ranked: Vec<Ranked>,
    /// Files and folders that the question names.
    paths: Vec<String>,
    steps: RefCell<Vec<Step>>,
}

/// How many files are looked into for definitions, by level.
const FILES: [usize; 3] = [10, 14, 18];

impl<'p> Planner<'p> {
    pub(super) fn new(
        brief: &Brief,
        topic: &'p Topic,
        kind: Kind,
        view: Option<&'p View>,
        stop: &Stop,
    ) -> Result<Self, Fault> {
        let candidates = rank::candidates(brief);
        let files = FILES[topic.level.min(2)];
        let ranked = match view {
            Some(view) => rank::symbols(view, topic, &candidates, files, stop)?,
            None => Vec::new(),
        };
        let paths =
            brief.output("intent").map(|intent| json::texts(intent, "paths")).unwrap_or_default();
        Ok(Self { topic, kind, view, candidates, ranked, paths, steps: RefCell::default() })
    }

    /// The steps for these goals, each once.
    pub(super) fn steps(&self, goals: &[Goal]) -> Result<Vec<Step>, Fault> {
        self.steps.borrow_mut().clear();
        for goal in goals {
            match goal.need {
                Need::Definition if self.kind == Kind::Compare => self.compare(goal),
                Need::Definition => self.definition(),
                Need::Usage => self.usage(),
                Need::Flow => self.flow(),
                Need::Parts if self.kind == Kind::ListStructure => self.parts_of_folder()?,
                Need::Parts => self.parts(),
                Need::Structure => self.structure()?,
                Need::History => self.history()?,
                Need::Raise => self.raise(),
                Need::Count => self.count()?,
                Need::Implementers => self.implementers(),
                Need::Lines => self.lines(),
                Need::Tests => self.tests(),
                Need::Project => self.project()?,
                Need::EntryPoints => self.entry_points(),
                Need::Mention => self.mention(),
            }
        }
        Ok(self.steps.take())
    }

    fn add(&self, step: Step) {
        let mut steps = self.steps.borrow_mut();
        if !steps.iter().any(|known| known.tool == step.tool && known.params == step.params) {
            steps.push(step);
        }
    }

    fn definition(&self) {
        for name in self.topic.symbols.iter().take(3) {
            self.find(name);
            if self.topic.level > 0 {
                self.search(words::last_name(name), false);
            }
        }
        for path in self.paths.iter().take(2) {
            self.outline(path);
        }
        if self.topic.symbols.is_empty() {
            self.best(5);
            self.mention();
        }
    }

    /// The definitions that fit best, each in its file.
    fn best(&self, most: usize) {
        for one in self.ranked.iter().take(most) {
            self.at(one);
        }
    }

    fn at(&self, one: &Ranked) {
        let symbol = &one.symbol;
        self.add(Step::new(
            "find_symbol",
            object! { "name": &symbol.name, "path": &symbol.path },
            format!("the {} `{}` in {}", symbol.kind.name(), symbol.name, symbol.path),
        ));
    }

    fn find(&self, name: &str) {
        let bare = name.split('(').next().unwrap_or(name).trim_end_matches('!');
        self.add(Step::new(
            "find_symbol",
            object! { "name": bare },
            format!("where `{bare}` is defined"),
        ));
    }

    fn references(&self, name: &str) {
        let bare = name.split('(').next().unwrap_or(name).trim_end_matches('!');
        self.add(Step::new(
            "find_references",
            object! { "name": bare, "limit": 120_u32 },
            format!("where `{bare}` is used"),
        ));
    }

    fn search(&self, text: &str, whole_word: bool) {
        let params = if whole_word {
            object! { "query": text, "whole_word": true }
        } else {
            object! { "query": text }
        };
        self.add(Step::new("code_search", params, format!("lines that mention {text}")));
    }

    fn outline(&self, path: &str) {
        self.add(Step::new("outline", object! { "path": path }, format!("what {path} defines")));
    }

    fn usage(&self) {
        // A file is used where others take it in.
        for path in self.paths.iter().filter(|_| self.topic.symbols.is_empty()).take(2) {
            let stem = escaped(words::file_stem(path));
            self.add(Step::new(
                "code_search",
                object! {
                    "query": format!(r"\b(import|require|from|use|include|mod)\b.*\b{stem}\b"),
                    "regex": true,
                    "limit": 60_u32,
                },
                format!("lines that import {path}"),
            ));
        }
        for name in self.topic.symbols.iter().take(3) {
            self.references(name);
            self.find(name);
            let last = words::last_name(name);
            // Settings and variables of the environment are named in texts.
            let in_texts = !last.chars().any(char::is_lowercase);
            if self.topic.level > 0 || in_texts {
                self.search(last, false);
            }
        }
        if self.topic.symbols.is_empty() {
            for one in self.ranked.iter().take(2) {
                self.references(&one.symbol.name);
                self.at(one);
            }
            self.mention();
        }
    }

    fn flow(&self) {
        self.best(6);
        let functions = self.ranked.iter().filter(|one| is_called(one));
        for one in functions.take(2) {
            self.references(&one.symbol.name);
        }
        for name in self.topic.symbols.iter().take(2) {
            self.find(name);
            self.references(name);
        }
        self.parts();
    }

    fn parts(&self) {
        for path in self.paths.iter().take(2) {
            self.outline(path);
        }
        for name in self.topic.symbols.iter().take(2) {
            self.find(name);
        }
        // The files of the best definitions, then those that speak of it most.
        let mut files: Vec<&str> = Vec::new();
        let best = self.ranked.iter().take(6).map(|one| one.symbol.path.as_str());
        for path in best.chain(self.candidates.iter().take(3).map(|file| file.path.as_str())) {
            if !files.contains(&path) {
                files.push(path);
            }
        }
        files.iter().take(2 + self.topic.level).for_each(|path| self.outline(path));
        self.best(6);
    }

    fn mention(&self) {
        for phrase in self.topic.phrases.iter().take(2) {
            self.search(phrase, false);
        }
        // Two words on one line say more than either.
        let stems: Vec<&str> = self.topic.groups.iter().map(|group| group.stem.as_str()).collect();
        match stems[..] {
            [] => {}
            [one] => self.search(one, false),
            [one, two, ..] => {
                let (one, two) = (escaped(one), escaped(two));
                self.add(Step::new(
                    "code_search",
                    object! { "query": format!("(?i){one}.*{two}|{two}.*{one}"), "regex": true },
                    "lines that mention both",
                ));
                if self.topic.level > 0 {
                    stems.iter().take(3).for_each(|stem| self.search(stem, false));
                }
            }
        }
    }

    fn raise(&self) {
        for phrase in self.topic.phrases.iter().take(2) {
            self.search(phrase, false);
            // A message is often put together: its longest run of plain words stands in the code.
            let run = phrase.split(|c: char| !(c.is_alphanumeric() || c == ' ' || c == '\''));
            let run = run.map(str::trim).max_by_key(|run| run.len()).unwrap_or_default();
            if run.len() > 8 && run != phrase.as_str() {
                self.search(run, false);
            }
            // Where it is put together of parts, two of its words may still stand on one line.
            let mut words: Vec<&str> = phrase
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| word.len() > 3)
                .collect();
            words.sort_by_key(|word| std::cmp::Reverse(word.len()));
            if let [one, two, ..] = words[..] {
                let (one, two) = (escaped(one), escaped(two));
                self.add(Step::new(
                    "code_search",
                    object! { "query": format!("(?i){one}.*{two}|{two}.*{one}"), "regex": true, "limit": 10_u32 },
                    "lines that have two of its words",
                ));
            }
        }
        for name in self.topic.symbols.iter().take(2) {
            self.references(name);
            self.find(name);
        }
        if self.topic.symbols.is_empty() && self.topic.phrases.is_empty() {
            for group in self.topic.groups.iter().take(2) {
                self.add(Step::new(
                    "code_search",
                    object! {
                        "query": format!("(?i)(raise|throw|panic|bail|err\\(|error|exception|fail).*{}", escaped(&group.stem)),
                        "regex": true,
                    },
                    format!("failures that mention {}", group.word),
                ));
            }
            self.best(3);
        }
    }
}

fn is_called(one: &Ranked) -> bool {
    use consign_code::Kind;
    matches!(one.symbol.kind, Kind::Function | Kind::Method)
}

/// Text as a regular expression that matches it.
fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for letter in text.chars() {
        if !letter.is_alphanumeric() && letter != '_' && letter.is_ascii() {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}
