//! The acceptance files of the Gherkin project: Trace finds every scenario and every step of the good
//! ones, and refuses the bad ones with their line.
//!
//! The files come from `scripts/trace-tools.sh gherkin`. A good file has its tree and its pickles
//! beside it, a pickle being what we call a case; a bad one has its errors.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use consign_authoring::trace::{self, Framework, Strategy};
use serde_json::Value;

use crate::support::root;

/// Good files that Trace reads in a way of its own.
const OTHERWISE: &[(&str, &str)] = &[
    ("empty.feature", "a specification may not be blank"),
    ("incomplete_feature_1.feature", "a feature without a scenario is read as prose"),
    ("incomplete_feature_2.feature", "a feature without a scenario is read as prose"),
    ("incomplete_feature_3.feature", "a comment alone is read as prose"),
];

/// Bad files that are good for another strategy.
const NOT_GHERKIN: &[&str] = &["not_gherkin.feature"];

/// Fetches what is missing; gives the folder.
pub(super) fn tool(name: &str) -> PathBuf {
    let script = root().join("scripts/trace-tools.sh");
    let made = Command::new(script).arg(name).stdin(Stdio::null()).output();
    let made = made.expect("the script starts");
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{name} could not be fetched: {said}");
    PathBuf::from(String::from_utf8_lossy(&made.stdout).trim())
}

fn features(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).expect("it can be listed");
    let names = entries.map(|entry| entry.expect("it is listed").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(".feature"));
    names.sort();
    let read = |name: String| {
        let text = fs::read_to_string(folder.join(&name)).expect("it is text");
        (name, text)
    };
    names.into_iter().map(read).collect()
}

/// The JSON values beside a file, one a line.
fn beside(folder: &Path, name: &str, ending: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(format!("{name}.{ending}"))).expect("it is there");
    text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

#[test]
fn good_files_give_all_scenarios_and_steps() {
    let folder = tool("gherkin").join("good");
    let files = features(&folder);
    assert!(files.len() >= 35, "{} files", files.len());
    let mut read = 0;
    for (name, text) in &files {
        if OTHERWISE.iter().any(|(other, _)| other == name) {
            continue;
        }
        let output = trace::generate(text, &Framework::Default, &[]);
        let output = output.unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(output.strategy, Strategy::Gherkin, "{name}");
        let tree = Tree::of(&beside(&folder, name, "ast.ndjson"));
        assert_eq!(output.scenario_count, tree.scenarios.len(), "{name}");

        let pickles = beside(&folder, name, "pickles.ndjson");
        let expected: Vec<_> = pickles.iter().map(|line| tree.case(&line["pickle"])).collect();
        let cases = output.files[0].cases.iter();
        let mut found: Vec<_> = cases.map(|case| (case.name.clone(), case.steps.clone())).collect();
        // Examples without a row make no pickle; with us they make a case to fill in.
        found.retain(|(name, _)| !tree.scenarios.contains(&(name.clone(), false)));
        assert_eq!(found, expected, "{name}");
        read += 1;
    }
    assert_eq!(read, files.len() - OTHERWISE.len());
}

#[test]
fn bad_files_are_refused_with_their_line() {
    let folder = tool("gherkin").join("bad");
    let files = features(&folder);
    assert!(files.len() >= 7, "{} files", files.len());
    for (name, text) in &files {
        if NOT_GHERKIN.contains(&name.as_str()) {
            let output = trace::generate(text, &Framework::Default, &[]).expect("it is a text");
            assert_ne!(output.strategy, Strategy::Gherkin);
            continue;
        }
        let errors = beside(&folder, name, "errors.ndjson");
        let line = errors[0]["parseError"]["source"]["location"]["line"].as_u64();
        let refused = trace::check(text).expect_err(name);
        assert_eq!(refused.line.map(u64::from), line, "{name}: {refused}");
    }
}

/// What the tree beside a file knows: its scenarios, with whether they make a pickle, and the
/// keyword of every step.
struct Tree {
    scenarios: Vec<(String, bool)>,
    keywords: BTreeMap<String, String>,
}

impl Tree {
    fn of(lines: &[Value]) -> Self {
        let mut tree = Self { scenarios: Vec::new(), keywords: BTreeMap::new() };
        for line in lines {
            tree.children(&line["gherkinDocument"]["feature"]["children"]);
        }
        tree
    }

    fn children(&mut self, children: &Value) {
        for child in children.as_array().into_iter().flatten() {
            self.children(&child["rule"]["children"]);
            for part in ["background", "scenario"] {
                for step in child[part]["steps"].as_array().into_iter().flatten() {
                    self.keywords.insert(string(&step["id"]), string(&step["keyword"]));
                }
            }
            let scenario = &child["scenario"];
            if scenario.is_object() {
                let examples: Vec<&Value> =
                    scenario["examples"].as_array().into_iter().flatten().collect();
                let rows = examples.iter().any(|examples| examples["tableBody"][0].is_object());
                self.scenarios.push((string(&scenario["name"]), examples.is_empty() || rows));
            }
        }
    }

    /// The name and the steps that Trace must give for a pickle.
    fn case(&self, pickle: &Value) -> (String, Vec<String>) {
        let name = string(&pickle["name"]);
        let name = if name.is_empty() { "Unnamed scenario".to_owned() } else { name };
        let steps = pickle["steps"].as_array().into_iter().flatten().map(|step| {
            let id = string(&step["astNodeIds"][0]);
            let keyword = self.keywords.get(&id).expect("the tree has the step");
            let text = format!("{keyword}{}", string(&step["text"]));
            let argument = &step["argument"];
            if argument["docString"].is_object() {
                format!("{text}\n{}", string(&argument["docString"]["content"]))
            } else if argument["dataTable"].is_object() {
                format!("{text}\n{}", table(&argument["dataTable"]))
            } else {
                text
            }
        });
        (name, steps.collect())
    }
}

fn table(table: &Value) -> String {
    let cell = |cell: &Value| {
        string(&cell["value"]).replace('\\', "\\\\").replace('|', "\\|").replace('\n', "\\n")
    };
    let row = |row: &Value| {
        let cells: Vec<String> = row["cells"].as_array().expect("cells").iter().map(cell).collect();
        format!("| {} |", cells.join(" | "))
    };
    let rows: Vec<String> = table["rows"].as_array().expect("rows").iter().map(row).collect();
    rows.join("\n")
}

/// A member that is absent is empty.
fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_list_of_exceptions_names_files_that_are_there() {
    let good: BTreeSet<String> =
        features(&tool("gherkin").join("good")).into_iter().map(|(name, _)| name).collect();
    for (name, why) in OTHERWISE {
        assert!(good.contains(*name), "{name} ({why}) is not there");
    }
}
