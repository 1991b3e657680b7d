//! The steps for each thing that a goal can need.

use std::cell::RefCell;

use consign_code::Node;
use consign_contracts::json::Object;
use consign_engine::Fault;

use super::{
    super::{
        super::tools::View,
        Brief, Stop,
        goals::{Goal, Need},
        intent::{clarify::landmarks, ground::ok, kind::Kind, sides},
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
}

impl Step {
    fn new(tool: &'static str, params: Object<'static>, expected: impl Into<String>) -> Self {
        Self { tool, params, expected: expected.into() }
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
                Need::Structure => self.structure(),
                Need::History => self.history()?,
                Need::Raise => self.raise(),
                Need::Count => self.count()?,
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
        let last = words::last_name(name.split('(').next().unwrap_or(name));
        self.add(Step::new(
            "find_references",
            object! { "name": last },
            format!("where `{last}` is used"),
        ));
    }

    fn search(&self, text: &str, whole_word: bool) {
        let params = if whole_word {
            object! { "query": text, "whole_word": true }
        } else {
            object! { "query": text }
        };
        self.add(Step::new("code_search", params, format!("lines that speak of {text}")));
    }

    fn outline(&self, path: &str) {
        self.add(Step::new("outline", object! { "path": path }, format!("what {path} defines")));
    }

    fn usage(&self) {
        for name in self.topic.symbols.iter().take(3) {
            self.references(name);
            self.find(name);
            if self.topic.level > 0 {
                self.search(words::last_name(name), false);
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
                    "lines that speak of both",
                ));
                if self.topic.level > 0 {
                    stems.iter().take(3).for_each(|stem| self.search(stem, false));
                }
            }
        }
    }

    fn structure(&self) {
        let path = self.paths.first().map_or("", String::as_str);
        let params = if path.is_empty() {
            object! { "depth": 2_u32 }
        } else {
            object! { "path": path, "depth": 2_u32 }
        };
        let place = if path.is_empty() { "the repository" } else { path };
        self.add(Step::new("list_tree", params, format!("what is in {place}")));
    }

    /// The files of a folder that say most about it: those that open it, then the others in order.
    fn parts_of_folder(&self) -> Result<(), Fault> {
        let Some(view) = self.view else { return Ok(()) };
        let path = self.paths.first().map_or("", String::as_str);
        let Some(tree) = ok(view.list_tree(path, 2, 300))? else {
            self.outline(path);
            return Ok(());
        };
        let mut files: Vec<(usize, usize, String)> = Vec::new();
        for node in tree.nodes {
            if let Node::File { path, language: Some(language) } = node
                && language.has_grammar()
            {
                let name = path
                    .rsplit('/')
                    .next()
                    .unwrap_or_default()
                    .split('.')
                    .next()
                    .unwrap_or_default();
                let opens = [
                    "__init__", "mod", "lib", "index", "main", "base", "core", "app", "common",
                    "types",
                ];
                let place = opens.iter().position(|known| *known == name).unwrap_or(opens.len());
                files.push((path.matches('/').count(), place, path));
            }
        }
        files.sort();
        for (_, _, path) in files.iter().take(5) {
            self.outline(path);
        }
        if files.is_empty() && path.is_empty() {
            for folder in landmarks(view)?.iter().take(3) {
                self.add(Step::new(
                    "list_tree",
                    object! { "path": folder },
                    format!("what is in {folder}"),
                ));
            }
        }
        Ok(())
    }

    fn history(&self) -> Result<(), Fault> {
        let log = |path: &str| {
            Step::new(
                "git_log",
                object! { "path": path, "limit": 10_u32 },
                format!("the commits that changed {path}"),
            )
        };
        let blame = |path: &str, from: usize, to: usize| {
            Step::new(
                "git_blame",
                object! { "path": path, "from": from, "to": to },
                format!("who last changed lines {from} to {to} of {path}"),
            )
        };
        for (at, path) in self.paths.iter().take(2).enumerate() {
            self.add(log(path));
            let line = self
                .topic
                .paths
                .get(at)
                .and_then(|path| path.line)
                .and_then(|line| usize::try_from(line).ok());
            let (from, to) = line
                .map_or((1, 40), |line| (line.saturating_sub(5).max(1), line.saturating_add(5)));
            self.add(blame(path, from, to));
        }
        let mut places: Vec<(String, usize, usize)> = Vec::new();
        if let Some(view) = self.view {
            for name in self.topic.symbols.iter().take(2) {
                let bare = name.split('(').next().unwrap_or(name);
                let found =
                    ok(view.find_symbol(bare, None))?.map(|found| found.items).unwrap_or_default();
                places.extend(
                    found.into_iter().take(1).map(|one| (one.path, one.line, one.end_line)),
                );
            }
        }
        if self.paths.is_empty() && places.is_empty() {
            let best = self.ranked.iter().take(2);
            places.extend(
                best.map(|one| (one.symbol.path.clone(), one.symbol.line, one.symbol.end_line)),
            );
        }
        for (path, from, to) in &places {
            self.add(blame(path, *from, (*to).min(from + 60)));
            self.add(log(path));
        }
        if self.paths.is_empty() && places.is_empty() {
            for group in self.topic.groups.iter().take(2) {
                self.add(Step::new(
                    "git_log",
                    object! { "grep": &group.word },
                    format!("commits that speak of {}", group.word),
                ));
            }
            self.add(Step::new("git_log", object! { "limit": 10_u32 }, "the newest commits"));
        }
        Ok(())
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
                    format!("failures that speak of {}", group.word),
                ));
            }
            self.best(3);
        }
    }

    fn count(&self) -> Result<(), Fault> {
        let lower = self.topic.text.to_lowercase();
        for path in self.paths.iter().take(1) {
            // A folder has no outline, and a file no tree; whichever fits answers.
            self.outline(path);
            self.add(Step::new(
                "list_tree",
                object! { "path": path, "depth": 3_u32 },
                format!("what is in {path}"),
            ));
        }
        for name in self.topic.symbols.iter().take(1) {
            let derived = ["extend", "inherit", "implement", "subclass", "derive"]
                .iter()
                .any(|it| lower.contains(it));
            if derived {
                let last = escaped(words::last_name(name));
                self.add(Step::new(
                    "code_search",
                    object! {
                        "query": format!("(class|interface|struct|impl)\\b.*(extends|implements|:|\\(|for|<)\\s*[^{{]*\\b{last}\\b|impl.*\\b{last}\\b.*\\bfor\\b"),
                        "regex": true,
                        "case_sensitive": true,
                        "limit": 200_u32,
                    },
                    format!("definitions that build on `{name}`"),
                ));
            }
            self.references(name);
            self.find(name);
        }
        if self.topic.symbols.is_empty() {
            let word = |words: &[&str]| words.iter().any(|word| lower.contains(word));
            let lead = if word(&["class", "klass", "clase", "struct", "type"]) {
                "(class|struct|interface|trait|enum|type)\\s+\\w*"
            } else if word(&[
                "function", "method", "funktion", "fonction", "funci", "funzion", "funç",
            ]) {
                "(def|fn|func|function)\\s+\\w*"
            } else if word(&["test"]) {
                "(def|fn|func|function|it|test)\\b.*"
            } else {
                "(class|struct|interface|trait|enum|type|def|fn|func|function|const)\\s+\\w*"
            };
            for group in self.topic.groups.iter().take(2) {
                self.add(Step::new(
                    "code_search",
                    object! { "query": format!("(?i)\\b{lead}{}", escaped(&group.stem)), "regex": true, "limit": 200_u32 },
                    format!("definitions with {} in their name", group.word),
                ));
            }
            self.best(3);
        }
        Ok(())
    }

    fn compare(&self, goal: &Goal) {
        let Some(side) =
            sides(self.topic).into_iter().find(|side| goal.text == format!("Find {}", side.title))
        else {
            return self.definition();
        };
        for name in &side.names {
            self.find(name);
            self.references(name);
        }
        if side.names.is_empty() {
            // Its own words, without those of the other side.
            let mut own = Topic {
                text: side.title.clone(),
                groups: Vec::new(),
                symbols: Vec::new(),
                paths: Vec::new(),
                phrases: Vec::new(),
                level: self.topic.level,
            };
            side.terms.iter().for_each(|term| own.add(term, 1.0));
            let mut best: Vec<(f64, &Ranked)> = self
                .ranked
                .iter()
                .map(|one| {
                    let place = own.fits(&one.symbol.path);
                    (rank::judge(&own, &one.symbol) + place, one)
                })
                .collect();
            best.sort_by(|a, b| b.0.total_cmp(&a.0));
            best.iter().take(3).for_each(|(_, one)| self.at(one));
            if let Some(file) = self
                .candidates
                .iter()
                .max_by(|a, b| own.fits(&a.path).total_cmp(&own.fits(&b.path)))
            {
                self.outline(&file.path);
            }
        }
    }

    /// What else could be looked for, from near to far, when everything else was tried.
    pub(super) fn further(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let search = |text: &str| {
            Step::new(
                "code_search",
                object! { "query": text, "limit": 60_u32 },
                format!("lines that speak of {text}"),
            )
        };
        for name in &self.topic.symbols {
            steps.push(search(words::last_name(name)));
            steps.extend(
                words::parts(name).iter().filter(|part| part.len() > 3).map(|part| search(part)),
            );
        }
        for group in &self.topic.groups {
            steps.push(search(&group.stem));
            steps.extend(group.kin.iter().map(|kin| search(kin)));
            if group.stem.len() > 5 {
                steps.push(search(words::clip(&group.stem, 4)));
            }
        }
        for file in self.candidates.iter().take(10) {
            steps.push(Step::new(
                "outline",
                object! { "path": &file.path },
                format!("what {} defines", file.path),
            ));
        }
        for depth in 1..=6_u32 {
            steps.push(Step::new("list_tree", object! { "depth": depth }, "what there is"));
        }
        steps.push(Step::new("git_log", object! {}, "what was worked on"));
        steps
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
