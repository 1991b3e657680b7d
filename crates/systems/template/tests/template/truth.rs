//! Ground truth: thirty small projects of as many stacks, written as their developers would, and a table of
//! what is true of each.
//!
//! What the table leaves out is not asked. A pattern that is found and not in the table is wrong too. What is
//! known to be wrong is in `exceptions`; one that is right after all has to be taken out.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use consign_template::analysis::{Analysis, Cancel, analyse};
use serde::Deserialize;

const LEAST: f64 = 0.9;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Truth {
    exceptions: Vec<String>,
    project: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    folder: String,
    name: String,
    language: String,
    /// Empty if there is none.
    framework: String,
    version: Option<String>,
    tests: String,
    tests_version: Option<String>,
    architecture: Vec<String>,
    /// `path = role`
    key_files: Vec<String>,
    layers: Vec<String>,
    namespace: Option<String>,
    #[serde(default)]
    entities: Vec<String>,
    #[serde(default)]
    authors: Vec<String>,
    files_named: Option<String>,
    failures: Option<String>,
    indentation: Option<String>,
    test_command: String,
    run_command: Option<String>,
}

pub(crate) fn projects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/template/projects")
}

/// Each question with whether it was answered rightly, and what was said.
fn ask(entry: &Entry, found: &Analysis) -> Vec<(String, bool, String)> {
    let mut asked = Vec::new();
    let mut ask = |what: &str, right: bool, said: String| {
        asked.push((format!("{}: {what}", entry.folder), right, said));
    };
    let same = |wanted: &str, said: Option<&str>| said.unwrap_or_default() == wanted;
    ask("name", found.names.project == entry.name, found.names.project.clone());
    ask("language", found.primary_language == entry.language, found.primary_language.clone());
    let framework = found.framework.as_deref();
    ask("framework", same(&entry.framework, framework), format!("{framework:?}"));
    if let Some(version) = &entry.version {
        let said = found.frameworks.first().and_then(|first| first.version.as_deref());
        ask("framework version", same(version, said), format!("{said:?}"));
    }
    let tests = found.testing.first();
    let said = tests.map(|first| first.framework.as_str());
    ask("tests", same(&entry.tests, said), format!("{said:?}"));
    if let Some(version) = &entry.tests_version {
        let said = tests.and_then(|first| first.version.as_deref());
        ask("tests version", same(version, said), format!("{said:?}"));
    }
    let all: BTreeSet<&String> = entry.architecture.iter().chain(&found.patterns).collect();
    for name in all {
        let right = entry.architecture.contains(name) && found.patterns.contains(name);
        ask(&format!("architecture {name}"), right, format!("{:?}", found.patterns));
    }
    for wanted in &entry.key_files {
        let (path, role) = wanted.split_once(" = ").unwrap();
        let right = found.key_files.iter().any(|file| file.path == path && file.role == role);
        ask(&format!("key file {path}"), right, format!("{:?}", found.key_files));
    }
    for wanted in &entry.layers {
        let right = found.layers.iter().any(|layer| layer.name == *wanted);
        ask(&format!("layer {wanted}"), right, format!("{:?}", found.layers));
    }
    for wanted in &entry.entities {
        let right = found.names.entities.contains(wanted);
        ask(&format!("entity {wanted}"), right, format!("{:?}", found.names.entities));
    }
    if let Some(namespace) = &entry.namespace {
        let said = found.names.namespaces.first().map(String::as_str);
        ask("namespace", same(namespace, said), format!("{said:?}"));
    }
    ask("authors", found.names.authors == entry.authors, format!("{:?}", found.names.authors));
    let first = |counts: &[consign_template::analysis::Count], of: &str| {
        counts.iter().find(|count| count.of == of).map(|count| count.value.clone())
    };
    if let Some(style) = &entry.files_named {
        let said = first(&found.conventions.naming, "files");
        ask("names of files", same(style, said.as_deref()), format!("{said:?}"));
    }
    if let Some(way) = &entry.failures {
        let said = first(&found.conventions.error_handling, "failures");
        ask("failures", same(way, said.as_deref()), format!("{said:?}"));
    }
    if let Some(indentation) = &entry.indentation {
        let said = found.conventions.indentation.as_deref();
        ask("indentation", same(indentation, said), format!("{said:?}"));
    }
    let said = found.commands.test.as_deref();
    ask("test command", same(&entry.test_command, said), format!("{said:?}"));
    if let Some(run) = &entry.run_command {
        let said = found.commands.run.as_deref();
        ask("run command", same(run, said), format!("{said:?}"));
    }
    asked
}

#[test]
fn nine_in_ten_entries_are_right_and_the_others_are_named() {
    let table = std::fs::read_to_string(projects().join("../truth.toml")).unwrap();
    let truth: Truth = toml::from_str(&table).unwrap();
    let mut folders = BTreeSet::new();
    let (mut asked, mut right, mut wrong) = (0, 0, BTreeSet::new());
    for entry in &truth.project {
        assert!(folders.insert(entry.folder.clone()), "{} is there twice", entry.folder);
        let found = analyse(&projects().join(&entry.folder), &Cancel::new()).unwrap();
        for (what, is_right, said) in ask(entry, &found) {
            asked += 1;
            right += usize::from(is_right);
            if !is_right {
                println!("{what}: said {said}");
                wrong.insert(what);
            }
        }
    }
    let rate = right as f64 / f64::from(asked);
    println!("{right} of {asked} entries of {} projects: {:.1} %", folders.len(), rate * 100.0);
    let there: BTreeSet<String> = std::fs::read_dir(projects())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(folders, there, "the table has each project once");
    let exceptions: BTreeSet<String> = truth.exceptions.into_iter().collect();
    assert_eq!(wrong, exceptions, "left: wrong; right: said to be wrong");
    assert!(rate >= LEAST, "{rate}");
}

#[test]
fn whatever_is_found_has_its_evidence_in_the_project() {
    for entry in std::fs::read_dir(projects()).unwrap() {
        let root = entry.unwrap().path();
        let found = analyse(&root, &Cancel::new()).unwrap();
        let frameworks = found.frameworks.iter().map(|one| (&one.name, &one.evidence));
        let patterns = found.architecture.iter().map(|one| (&one.name, &one.evidence));
        let testing = found.testing.iter().map(|one| (&one.framework, &one.evidence));
        for (name, evidence) in frameworks.chain(patterns).chain(testing) {
            assert!(!evidence.is_empty(), "{name} in {}", root.display());
            for seen in evidence {
                let path = root.join(&seen.path);
                assert!(path.exists(), "{name}: {}", path.display());
                if let Some(line) = seen.line {
                    let lines = std::fs::read_to_string(&path).unwrap().lines().count();
                    assert!((1..=lines).contains(&line), "{name}: {}:{line}", path.display());
                }
            }
        }
        for file in &found.key_files {
            assert!(root.join(&file.path).is_file(), "{}", file.path);
        }
        assert!((0.0..=0.95).contains(&found.confidence), "{}", found.confidence);
    }
}

#[test]
fn the_same_tree_gives_the_same_analysis() {
    for folder in ["aspnet-clean", "monorepo", "django"] {
        let root = projects().join(folder);
        let all: BTreeSet<String> = (0..5)
            .map(|_| serde_json::to_string(&analyse(&root, &Cancel::new()).unwrap()).unwrap())
            .collect();
        assert_eq!(all.len(), 1, "{folder}");
    }
}
