//! How many: each thing that can be counted has its own way of counting.
//!
//! The first step is the count; the others show what was counted. What nobody knows how to count is not
//! guessed: definitions with the word in their name are counted then, and the answer says so.

use consign_engine::Fault;

use super::{
    super::super::{
        json::{IntoJson, object},
        words,
    },
    Planner, Step, escaped,
    implementers::builds_on,
};

/// Words for what is counted, and the kinds of definitions that are meant.
const KINDS: &[(&str, &[&str])] = &[
    ("classes class klassen clases classi", &["class"]),
    ("structs struct structures", &["struct"]),
    ("enums enum enumerations", &["enum"]),
    ("traits trait", &["trait"]),
    ("interfaces interface", &["interface"]),
    ("functions function funktionen fonctions funciones funzioni funções", &["function", "method"]),
    ("methods method methoden méthodes métodos metodi", &["method", "function"]),
    ("types type typen", &["class", "struct", "enum", "trait", "interface", "type"]),
    ("macros macro", &["macro"]),
    ("constants constant konstanten", &["constant"]),
    ("variants variant cases", &["variant"]),
    ("fields field members attributes properties", &["field"]),
    ("exceptions exception errors", &["class", "struct"]),
];

/// How the languages mark a test.
const TESTS: &str = r"^\s*#\[([\w:]+::)?test(\(.*\))?\]|^\s*(async\s+)?def test_|^\s*func Test[A-Z]|^\s*@(Test|ParameterizedTest)\b|^\s*\[(Test|Fact|Theory|TestMethod|TestCase)\b|^\s*(it|test)(\.\w+)?\(|^\s*TEST(_[FP])?\(";

const LANGUAGES: &[&str] = &[
    "rust",
    "python",
    "typescript",
    "javascript",
    "go",
    "java",
    "c#",
    "c++",
    "c",
    "markdown",
    "toml",
    "json",
    "yaml",
];

impl Planner<'_> {
    pub(super) fn count(&self) -> Result<(), Fault> {
        let lower = self.topic.text.to_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !(c.is_alphanumeric() || "#+_".contains(c)))
            .filter(|word| !word.is_empty())
            .collect();
        let says =
            |list: &str| words.iter().any(|word| list.split(' ').any(|known| known == *word));
        let path = self.paths.first().map_or("", String::as_str);
        let place = if path.is_empty() { "the repository" } else { path };
        let kinds = KINDS.iter().find(|(named, _)| says(named));
        let name = self.topic.symbols.first();
        let derived = ["extend", "inherit", "implement", "subclass", "derive"]
            .iter()
            .any(|it| lower.contains(it));
        match name {
            Some(name) if derived => {
                self.add(builds_on(name));
                self.find(name);
                return Ok(());
            }
            // "How many methods does Session have?" counts in it, "how many functions call it" uses of it.
            Some(name)
                if kinds.is_some() && !says("call calls called use uses used invoke invokes") =>
            {
                self.counted_definitions(kinds, path, Some(name));
                self.find(name);
                return Ok(());
            }
            Some(name) if says("call calls called caller callers invoke invoked") => {
                let bare = name.split('(').next().unwrap_or(name);
                self.add(Step::new(
                    "find_references",
                    object! { "name": bare, "calls": true, "limit": 120_u32 },
                    format!("calls of `{bare}`"),
                ));
                self.find(name);
                return Ok(());
            }
            Some(name) => {
                self.references(name);
                self.find(name);
                return Ok(());
            }
            None => {}
        }
        let language = LANGUAGES.iter().find(|language| words.contains(*language)).copied();
        if says("lines line zeilen loc") || lower.contains("lines of code") {
            self.census("lines", path, language, format!("lines of {place}"));
        } else if says("files file dateien fichiers archivos") {
            let tests = says("test tests");
            let of = match (language, tests) {
                (_, true) => "test files".to_owned(),
                (Some(language), false) => format!("{language} files"),
                (None, false) => "files".to_owned(),
            };
            let count = if tests { "test_files" } else { "files" };
            self.census(count, path, language, format!("{of} in {place}"));
        } else if says("crates crate") {
            self.add(Step::new(
                "code_search",
                object! { "query": r"^\[package\]", "regex": true, "glob": "**/Cargo.toml", "limit": 200_u32 },
                "packages in Cargo.toml files",
            ));
        } else if kinds.is_none() && says("tests test testfälle pruebas") {
            let mut params =
                object! { "query": TESTS, "regex": true, "case_sensitive": true, "limit": 200_u32 };
            if !path.is_empty() {
                let glob = if self.is_file(path)? { path.to_owned() } else { format!("{path}/**") };
                params.set("glob", glob.into_json());
            }
            self.add(Step::new(
                "code_search",
                params,
                format!("tests in {place}, by how they are marked"),
            ));
        } else {
            self.counted_definitions(kinds, path, None);
        }
        Ok(())
    }

    fn census(&self, count: &str, path: &str, language: Option<&str>, of: String) {
        let mut params = object! { "depth": 1_u32, "count": count };
        if !path.is_empty() {
            params.set("path", path.into_json());
        }
        if let Some(language) = language {
            params.set("language", language.into_json());
        }
        self.add(Step::new("list_tree", params, of));
    }

    /// Definitions of these kinds, in a file, a folder or a type, with the words of the question in their names.
    fn counted_definitions(
        &self,
        kinds: Option<&(&'static str, &'static [&'static str])>,
        path: &str,
        within: Option<&String>,
    ) {
        let named = kinds.map_or("", |(named, _)| named);
        let counted = |word: &str| {
            named.split(' ').any(|known| known == word || words::stem(known) == words::stem(word))
        };
        let exceptions = named.starts_with("exceptions");
        let mut stems: Vec<String> = self
            .topic
            .groups
            .iter()
            .filter(|group| !["name", "names", "named"].contains(&group.word.as_str()))
            .filter(|group| !counted(&group.word) && !path.to_lowercase().contains(&group.word))
            .map(|group| group.stem.clone())
            .collect();
        stems.truncate(2);
        if exceptions {
            stems.push("error|exception".to_owned());
        }
        let mut params = object! { "path": if path.is_empty() { "." } else { path } };
        let mut of = match kinds {
            Some((named, _)) => named.split(' ').next().unwrap_or("definitions").to_owned(),
            None => "definitions".to_owned(),
        };
        if let Some((_, kinds)) = kinds {
            params.set(
                "kinds",
                kinds.iter().map(|kind| (*kind).to_owned()).collect::<Vec<_>>().into_json(),
            );
        }
        if let Some(within) = within {
            params.set("within", words::last_name(within).into_json());
            of.push_str(&format!(" of `{within}`"));
        }
        if !stems.is_empty() {
            params.set("words", stems.clone().into_json());
            let said: Vec<String> = stems.iter().map(|stem| stem.replace('|', " or ")).collect();
            of.push_str(&format!(" with {} in their names", said.join(" and ")));
        }
        if !path.is_empty() {
            of.push_str(&format!(" in {path}"));
        }
        self.add(Step::new("outline", params, of));
        for group in self.topic.groups.iter().take(1).filter(|_| kinds.is_none()) {
            self.add(Step::new(
                "code_search",
                object! { "query": format!("(?i){}", escaped(&group.stem)), "regex": true },
                format!("lines that speak of {}", group.word),
            ));
        }
    }
}
