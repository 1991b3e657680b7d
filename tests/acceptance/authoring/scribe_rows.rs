//! What the document says of Scribe in tables 2.3 and 5.3 and in section 7, row by row: over HTTP and in the terminal.

use std::{path::Path, thread};

use git2::build::TreeUpdateBuilder;
use serde_json::{Value, json};

use super::{
    http::{Service, golden, unchanged},
    scribe_command::teapot_in,
    scribe_github::{branch, github},
    workbench::{LOGIN, Workbench},
};
use crate::{
    github_double::{Call, Double, Fault, TOKEN},
    home::keeps,
    sample,
    support::{Folder, Outcome, text},
};

/// Table 2.3: a document of each contract, and what it must have.
const CONTRACTS: [(&str, &[&str]); 5] = [
    (
        "README.md",
        &["Title", "Features", "Installation", "Usage", "Configuration", "Contributing", "License"],
    ),
    (
        "docs/GUIDE.md",
        &["Overview", "Prerequisites", "Main Content", "Examples", "Troubleshooting", "Next Steps"],
    ),
    ("docs/CHANGELOG.md", &["Unreleased", "Versions", "Breaking Changes"]),
    ("docs/adr/0001-begin.md", &["Status", "Context", "Decision", "Consequences"]),
    ("docs/API.md", &["Overview", "Authentication", "Endpoints", "Examples", "Error Handling"]),
];

/// What a model says that forgets all sections.
const FORGETS: &str = "# Teapot\n\nIt boils water.\n";

/// Whether a document has a section, by its own means.
fn has(document: &str, section: &str, others: &[&str]) -> bool {
    let headings = || document.lines().filter(|line| line.starts_with('#'));
    let named = |name: &str| {
        headings().any(|line| line.trim_start_matches(['#', ' ']).eq_ignore_ascii_case(name))
    };
    match section {
        "Title" => headings().any(|line| line.starts_with("# ")),
        "Versions" => headings().any(|line| line.contains("0.3.0")),
        "Main Content" => headings().any(|line| {
            line.starts_with("## ") && !others.contains(&line.trim_start_matches(['#', ' ']))
        }),
        name => named(name),
    }
}

/// Demands that a result keeps every row of the table.
#[track_caller]
fn keeps_the_contracts(result: &Value, by_model: bool) {
    keeps("authoring/scribe.result", &result.to_string());
    let list = |pointer: &str| result.pointer(pointer).and_then(Value::as_array).expect("a list");
    for (path, sections) in CONTRACTS {
        let of = list("/plan/sections").iter().filter(|section| section["path"] == path);
        let planned: Vec<&str> =
            of.map(|it| text(it, "outline").split(':').next().unwrap_or_default()).collect();
        assert_eq!(planned, sections, "{path}");
        let made = list("/artifacts").iter().find(|file| file["filePath"] == path);
        let made = text(made.expect("it is made"), "content");
        for section in sections {
            assert!(has(made, section, sections), "{path} has no {section}: {made}");
        }
        let critique = list("/critiques").iter().find(|critique| critique["path"] == path);
        let critique = &critique.expect("it is looked at")["critique"];
        assert_eq!(critique["issues"], json!([]), "{path}");
        if by_model {
            // What the model forgot was asked for again, and then added.
            let asked = critique["check"]["askedAbout"].to_string();
            let added = list("/diagnostics/documents").iter().find(|it| it["file"] == path);
            let added = &added.expect("it is told")["sectionsAdded"];
            // These two have headings of their own.
            let is_named = |it: &&&str| !["Title", "Main Content", "Versions"].contains(*it);
            for section in sections.iter().filter(is_named) {
                assert!(asked.contains(section), "{path} {section}: {asked}");
                assert!(added.to_string().contains(section), "{path} {section}: {added}");
            }
        }
    }
}

#[test]
fn a_document_of_each_contract_has_its_sections_over_http() {
    let repos = Folder::new();
    teapot_in(&repos.path().join("teapot"), &[]);
    let sources = format!("[local]\nrepos = {:?}\n", repos.path());
    let script = json!([
        {"times": 0, "contains": "You plan the documentation", "json": {"sections": []}},
        {"times": 0, "text": FORGETS},
    ]);
    let files = [("sources.toml", sources.as_str())];
    let service = Service::make(Some(&script.to_string()), unchanged, &files);
    let targets = CONTRACTS.map(|(path, _)| path);
    let payload = json!({"owner": "local", "repo": "teapot", "baseBranch": "main", "dryRun": true, "outputTargets": targets});
    service.send("PUT", "/api/settings/agents/scribe", &json!({"model": "rules"})).is(200);
    keeps_the_contracts(&service.completed("scribe", payload.clone())["result"], false);
    service.think("scribe");
    keeps_the_contracts(&service.completed("scribe", payload)["result"], true);
}

#[test]
fn a_document_of_each_contract_has_its_sections_in_the_terminal() {
    let bench = Workbench::new();
    teapot_in(&bench.path("teapot"), &[]);
    let script = json!([
        {"agent": "scribe.plan", "response": {"sections": []}},
        {"agent": "*", "response": FORGETS, "times": 0},
    ]);
    let script = bench.file("forgets.json", script.to_string());
    let targets = CONTRACTS.iter().flat_map(|(path, _)| ["--target", path]);
    let args: Vec<&str> = ["scribe", "teapot", "--json"].into_iter().chain(targets).collect();
    for (more, by_model) in [(["--model", "rules"], false), (["--agent-script", &script], true)] {
        let result = bench.run(&[&args[..], &more].concat()).exits(0).json();
        keeps_the_contracts(&result, by_model);
    }
}

/// A home in the terminal that knows where GitHub is.
fn terminal(github: &str) -> Workbench {
    let bench = Workbench::new();
    bench.home_file("sources.toml", &format!("[github]\n{github}"));
    bench
}

fn at(double: &Double) -> String {
    format!("api_url = {:?}\n", double.url)
}

/// A server that knows where GitHub is, with the user's token, and lets the rules write.
fn over_http(github: &str) -> Service {
    let service = Service::start_with(&[("sources.toml", &format!("[github]\n{github}"))]);
    service.send("PUT", "/api/settings/agents/scribe", &json!({"model": "rules"})).is(200);
    service.send("PUT", "/api/settings/github", &json!({"token": TOKEN})).is(200);
    service
}

fn on_github(repo: &str) -> Value {
    json!({"owner": "octo", "repo": repo, "baseBranch": "main", "featureBranch": "docs/x"})
}

fn scribe(bench: &Workbench, repo: &str) -> Outcome {
    let repo = format!("octo/{repo}");
    let args = ["scribe", &repo, "--model", "rules", "--pr", "--branch", "docs/x", "--json"];
    bench.consign(&args).env("GITHUB_TOKEN", TOKEN).run()
}

/// The call that does this, from 1.
fn nth(double: &Double, from: usize, method: &str, end: &str) -> usize {
    let calls = double.calls().split_off(from);
    let is_it = |call: &Call| call.method == method && call.path.ends_with(end);
    calls.iter().position(is_it).expect("it is called") + 1
}

/// Table 5.3: "Branch creation fails" and "PR creation fails". `run` does a job on a repository, and gives its result.
fn what_a_repository_refuses(double: &Double, run: impl Fn(&str) -> Value) {
    let run = |repo: &str| {
        let told = run(repo);
        keeps("authoring/scribe.result", &told.to_string());
        told
    };
    double.add("octo/whole");
    let before = double.calls().len();
    run("whole");
    let refs = nth(double, before, "POST", "/git/refs");
    let pull = nth(double, before, "POST", "/pulls");

    double.add("octo/branch");
    double.fault(refs, Fault::Status(403, "Resource not accessible"));
    let told = run("branch");
    assert_eq!((&told["ok"], &told["filesUpdated"]), (&json!(false), &json!(0)), "{told:#}");
    assert_eq!((&told["branchCreated"], told.get("branch")), (&json!(false), None), "{told:#}");
    assert_eq!(told["metadata"]["committed"], false);
    assert!(text(&told["metadata"], "githubError").starts_with("the branch: "), "{told:#}");

    branch(&double.add("octo/there"), "docs/x");
    let told = run("there");
    assert_eq!((&told["ok"], &told["branchCreated"]), (&json!(true), &json!(false)), "{told:#}");
    assert_eq!((&told["branch"], &told["filesUpdated"]), (&json!("docs/x"), &json!(1)), "{told:#}");

    double.add("octo/pull");
    double.fault(pull, Fault::Status(403, "Resource not accessible"));
    let told = run("pull");
    assert_eq!((&told["ok"], &told["filesUpdated"]), (&json!(true), &json!(1)), "{told:#}");
    assert_eq!((&told["pullRequest"], &told["metadata"]["committed"]), (&json!({}), &json!(true)));
    assert!(text(&told["metadata"], "githubError").starts_with("the pull request: "), "{told:#}");
    assert!(double.pulls("octo/pull").is_empty());
}

#[test]
fn what_a_repository_refuses_fails_no_job_over_http() {
    let double = github();
    let service = over_http(&at(&double));
    what_a_repository_refuses(&double, |repo| {
        service.completed("scribe", on_github(repo))["result"].clone()
    });
}

#[test]
fn what_a_repository_refuses_is_told_in_the_terminal() {
    let double = github();
    let bench = terminal(&at(&double));
    what_a_repository_refuses(&double, |repo| {
        let done = scribe(&bench, repo);
        // A job that published nothing has not done what the command was for.
        done.exits(if repo == "branch" { 1 } else { 0 }).json()
    });
}

/// Table 5.3: "GitHub MCP unreachable", for all three agents, side by side: each tries again for a while.
#[test]
fn a_server_of_tools_that_is_not_there_fails_no_job() {
    for settings in ["mcp_command = [\"/nothing/here\"]\n", "mcp_command = [\"false\"]\n"] {
        let service = over_http(settings);
        let kinds = [("scribe", ""), ("trace", LOGIN), ("proto", "A list of books")];
        thread::scope(|scope| {
            for (kind, given) in kinds {
                scope.spawn(move || {
                    let bench = terminal(settings);
                    let args: &[&str] = match kind {
                        "scribe" => &["scribe", "octo/sample", "--model", "rules"],
                        _ => &[kind, "-", "--repo", "octo/sample"],
                    };
                    let args = [args, &["--pr", "--base", "main", "--json"]].concat();
                    let done = bench.consign(&args).stdin(given).env("GITHUB_TOKEN", TOKEN);
                    is_not_reached(kind, &done.run().exits(1).json());
                });
            }
            for (kind, given) in kinds {
                let mut payload = json!({"owner": "octo", "repo": "sample", "baseBranch": "main"});
                match kind {
                    "trace" => payload["spec"] = json!(given),
                    "proto" => payload["goal"] = json!(given),
                    _ => {}
                }
                is_not_reached(kind, &service.completed(kind, payload)["result"]);
            }
        });
    }
}

#[track_caller]
fn is_not_reached(kind: &str, result: &Value) {
    keeps(&format!("authoring/{kind}.result"), &result.to_string());
    assert!(!text(&result["metadata"], "githubError").is_empty(), "{kind}: {result:#}");
    assert_eq!(result["metadata"]["committed"], false, "{kind}: {result:#}");
    assert_eq!((result.get("commits"), result.get("branch")), (None, None), "{kind}: {result:#}");
    if kind == "scribe" {
        assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(false), &json!(0)));
    }
}

/// Table 5.3: "Empty spec (Trace)" and "No requirements/goal (Proto)", in the terminal; over HTTP they are in `http`.
#[test]
fn nothing_to_work_on_is_refused_before_an_agent_runs() {
    let bench = Workbench::new();
    for kind in ["trace", "proto"] {
        for nothing in ["", " \n\t"] {
            bench.consign(&[kind, "-"]).stdin(nothing).run().fails_with(&["VALIDATION_ERROR"]);
        }
    }
    assert_eq!(bench.run(&["runs", "list", "--json"]).exits(0).stdout, "");
}

/// Table 5.3: "AI generates empty output".
#[test]
fn a_model_that_says_nothing_leaves_the_least_that_is_needed() {
    // With two documents a model is asked for the plan too.
    let targets = ["README.md", "docs/API.md"];
    let is_minimal = |result: &Value| {
        keeps("authoring/scribe.result", &result.to_string());
        assert_eq!(
            (&result["ok"], &result["filesUpdated"]),
            (&json!(true), &json!(2)),
            "{result:#}"
        );
        let writers = targets.map(|path| json!({"path": path, "writer": "rules", "minimal": true}));
        assert_eq!(result["metadata"]["writers"], json!(writers), "{result:#}");
        assert_ne!(result["plan"]["sections"], json!([]), "{result:#}");
    };
    let repos = Folder::new();
    teapot_in(&repos.path().join("teapot"), &[]);
    let sources = format!("[local]\nrepos = {:?}\n", repos.path());
    let script = r#"[{"times": 0, "fault": {"kind": "empty"}}]"#;
    let service = Service::make(Some(script), unchanged, &[("sources.toml", &sources)]);
    service.think("scribe");
    let payload =
        json!({"owner": "local", "repo": "teapot", "baseBranch": "main", "outputTargets": targets});
    is_minimal(&service.completed("scribe", payload)["result"]);
    assert!(!service.asked().is_empty(), "the model was asked");

    let bench = Workbench::new();
    teapot_in(&bench.path("teapot"), &[]);
    let script = bench.file("empty.json", r#"[{"agent": "*", "response": " \n", "times": 0}]"#);
    let args = ["scribe", "teapot", "--branch", "docs/x", "--agent-script", &script, "--json"];
    let args = [&args[..], &["--target", "README.md", "--target", "docs/API.md"]].concat();
    is_minimal(&bench.run(&args).exits(0).json());
}

/// Takes the README off `main`: the repository of the example has none.
fn without_readme(git: &Path) {
    let git = git2::Repository::open(git).expect("a repository");
    let main = git.find_reference("refs/heads/main").and_then(|main| main.peel_to_commit());
    let main = main.expect("a commit");
    let mut update = TreeUpdateBuilder::new();
    update.remove("README.md");
    let tree = update.create_updated(&git, &main.tree().expect("a folder")).expect("a folder");
    let id = sample::commit(&git, tree, &[main.id()], "Forget\n", 1_700_000_200);
    git.reference("refs/heads/main", id, true, "test").expect("it moves");
}

/// Section 7.1: the example's answer, but for its lengths and the time in the branch.
#[track_caller]
fn is_the_example(result: &Value) {
    keeps("authoring/scribe.result", &result.to_string());
    let lengths = ["contentLength", "linesAdded", "bytes", "linesChanged"];
    fn check(found: &Value, example: &Value, at: &str, lengths: &[&str]) {
        match example {
            Value::Object(members) => {
                for (name, example) in members {
                    let at = format!("{at}/{name}");
                    match name.as_str() {
                        name if lengths.contains(&name) => {
                            assert!(found[name].as_u64() > Some(0), "{at}: {found}");
                        }
                        "branch" => {
                            assert!(text(found, name).starts_with("docs/scribe-"), "{found}")
                        }
                        _ => check(&found[name], example, &at, lengths),
                    }
                }
            }
            Value::Array(items) => {
                assert_eq!(found.as_array().map(Vec::len), Some(items.len()), "{at}: {found}");
                for (index, example) in items.iter().enumerate() {
                    check(&found[index], example, &format!("{at}/{index}"), lengths);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                assert_eq!(found, example, "{at}");
            }
        }
    }
    check(result, &golden("scribe.result/dry-run.json"), "", &lengths);
}

#[test]
fn the_examples_of_the_document() {
    let double = github();
    without_readme(&double.add("akisflow/demo-app"));
    double.add("akisflow/demo");
    let service = over_http(&at(&double));
    let job = service.job(&golden("submit/scribe.json"));
    is_the_example(&job["result"]);
    assert!(job["qualityScore"].as_u64().is_some_and(|score| score <= 100), "{job:#}");
    assert_eq!(job["artifacts"].as_array().map(Vec::len), Some(1), "{job:#}");
    assert_ne!(job["plan"]["sections"], Value::Null);

    let bench = terminal(&at(&double));
    let consign = |args: &[&str]| bench.consign(args).env("GITHUB_TOKEN", TOKEN).run();
    let args = [
        "scribe",
        "akisflow/demo-app",
        "--base",
        "main",
        "--pack",
        "readme",
        "--depth",
        "standard",
    ];
    let done = consign(&[&args[..], &["--dry-run", "--model", "rules", "--json"]].concat());
    is_the_example(&done.exits(0).json());
    // 7.4: there is no key.
    let failed = golden("job/failed-without-a-key.json");
    let told = consign(&["scribe", "akisflow/demo", "--base", "main", "--pr"]);
    let told = told.fails_with(&[text(&failed, "errorCode")]);
    assert!(told.stderr.contains(text(&failed, "errorMessage")), "{told:#?}");
    assert!(double.writes().is_empty(), "{:?}", double.writes());
}
