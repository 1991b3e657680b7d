//! Scribe on real repositories: copies of five of those that `consign-bench scribe` measures with, as git folders. By
//! rules and with a model that invents, the output keeps its contract, its links lead somewhere, and nothing of the
//! checkout is touched.

use std::{collections::BTreeSet, env, fs, path::Path};

use serde_json::{Value, json};

use super::{
    scribe_command::{checkout, git},
    workbench::Workbench,
};
use crate::{home::keeps, support::text};

/// The folder of the corpus. What cannot be tested must not look as if it had been: without it the tests fail, unless
/// `CONSIGN_WITHOUT_CORPUS` says that this is known.
#[expect(clippy::print_stderr, reason = "it tells what was not tested")]
fn corpus(name: &str) -> Option<std::path::PathBuf> {
    let base = env::var_os("XDG_CACHE_HOME").map(std::path::PathBuf::from);
    let base = base.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cache")));
    let folder = base.map(|base| base.join("consign/scribe").join(name)).filter(|it| it.is_dir());
    if folder.is_none() {
        assert!(
            env::var_os("CONSIGN_WITHOUT_CORPUS").is_some(),
            "{name} is not there, so nothing was tested on it: scripts/scribe-corpus.sh fetches it \
             (CONSIGN_WITHOUT_CORPUS=1 goes on without)"
        );
        eprintln!("SKIPPED: {name} is not there, so this was NOT tested");
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("it can be listed") {
        let entry = entry.expect("it is listed");
        let kind = entry.file_type().expect("it has one");
        match kind.is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false if kind.is_file() => {
                fs::copy(entry.path(), to.join(entry.file_name())).expect("it is copied");
            }
            false => {}
        }
    }
}

/// The targets of links in a line, without anchors.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', ' ', '#', '?']).next()?;
        (!target.is_empty()).then_some(target)
    })
}

/// Links of a document that lead to no file of the branch. By its own means: neither the check nor its facts are used.
fn dead_links(path: &str, document: &str, files: &BTreeSet<&str>) -> Vec<String> {
    let mut in_code = false;
    let mut dead = Vec::new();
    for line in document.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        for target in links(line).filter(|_| !in_code) {
            if target.contains(':') || target.starts_with('/') || target.contains('`') {
                continue;
            }
            let mut parts: Vec<&str> = path.split('/').collect();
            parts.pop();
            for part in target.split('/') {
                match part {
                    "" | "." => {}
                    ".." => drop(parts.pop()),
                    part => parts.push(part),
                }
            }
            let there = parts.join("/");
            let folder = format!("{there}/");
            if !files.contains(there.as_str()) && !files.iter().any(|it| it.starts_with(&folder)) {
                dead.push(format!("{path}: {target}"));
            }
        }
    }
    dead
}

/// What a model says that invents: a true title, and names that no repository has.
const INVENTS: &str = "# It\n\nIt is a program.\n\n## Installation\n\nSee the [plan](docs/melted/PLAN.md).\n\n## Usage\n\n\
    Read `src/melted/coins.rs`, and set `MELTED_COIN_OVEN` first.\n\n```json\n{\"melted\": \n```\n";

fn is_documented(name: &str) {
    let Some(from) = corpus(name) else { return };
    let bench = Workbench::new();
    let folder = bench.path(name);
    copy(&from, &folder);
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "-A", "-f"]);
    git(&folder, &["commit", "-q", "-m", "Begin"]);
    fs::write(folder.join("not-committed.txt"), "mine\n").expect("a file");
    let before = checkout(&folder);
    let plan = json!({"sections": [
        {"path": "README.md", "outline": "Usage: see docs/melted/PLAN.md"},
        {"path": "docs/melted/PLAN.md", "outline": "Melted: it is a plan"},
    ]});
    let script = json!([
        {"agent": "scribe.plan", "response": plan},
        {"agent": "*", "response": INVENTS, "times": 0},
    ]);
    let script = script.to_string();
    let script = bench.file("invents.json", script);
    let rules = ["--model", "rules"];
    let model = ["--agent-script", script.as_str()];
    for (branch, writer) in [("docs/rules", rules), ("docs/model", model)] {
        let args = [
            "scribe",
            name,
            "--branch",
            branch,
            "--target",
            "README.md",
            "--target",
            "docs/DEVELOPMENT.md",
            "--json",
        ];
        let result: Value = bench.run(&[&args[..], &writer].concat()).exits(0).json();
        keeps("authoring/scribe.result", &result.to_string());
        let listed =
            git(&folder, &["-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", branch]);
        let files: BTreeSet<&str> = listed.lines().collect();
        let made = result["artifacts"].as_array().expect("there are artifacts");
        assert!(!made.is_empty(), "{name} {branch}: {result:#}");
        for file in made {
            let (path, content) = (text(file, "filePath"), text(file, "content"));
            assert_eq!(
                git(&folder, &["show", &format!("{branch}:{path}")]),
                content.trim_end(),
                "{name} {branch} {path}"
            );
            let is_new = git(&folder, &["ls-tree", "--name-only", "main", path]).is_empty();
            if is_new {
                assert_eq!(
                    dead_links(path, content, &files),
                    Vec::<String>::new(),
                    "{name} {branch}"
                );
            }
            for invented in ["docs/melted/PLAN.md", "src/melted", "MELTED_COIN_OVEN", "{\"melted\""]
            {
                assert!(
                    !content.contains(invented),
                    "{name} {branch} {path}: {invented} is in {content}"
                );
            }
        }
        let critiques = result["critiques"].as_array().expect("there are critiques");
        for critique in critiques {
            assert_eq!(
                critique["critique"]["check"].get("notLookedUp"),
                None,
                "{name}: {critique:#}"
            );
        }
    }
    assert_eq!(checkout(&folder), before, "{name}");
    assert_eq!(git(&folder, &["rev-parse", "--abbrev-ref", "HEAD"]), "main");
}

#[test]
fn cbindgen_is_documented() {
    is_documented("cbindgen");
}

#[test]
fn commander_is_documented() {
    is_documented("commander");
}

#[test]
fn cobra_is_documented() {
    is_documented("cobra");
}

#[test]
fn httpie_is_documented() {
    is_documented("httpie");
}

#[test]
fn catch2_is_documented() {
    is_documented("catch2");
}
