//! Every field of the payload and of the result of Scribe, as tables over HTTP and in the terminal, against GitHub on
//! loopback. What a contract has and no row names fails the test.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};

use super::{
    http::{JOBS, Service, unchanged},
    scribe_github::{branch, github},
    workbench::Workbench,
};
use crate::{
    github_double::{Double, TOKEN},
    home::{keeps, until},
    sample,
    support::{root, text},
};

/// What the model says: a review, or a document.
const MODEL: &str = r##"[
    {"times": 0, "contains": "You review one document", "json": {"issues": ["It has no picture."], "suggestions": [], "score": 61}},
    {"times": 0, "text": "# Sample\n\nIt does little.\n"}
]"##;

/// The rows of one test, and what they were about.
#[derive(Default)]
struct Seen {
    payload: BTreeSet<String>,
    result: BTreeSet<String>,
}

impl Seen {
    /// Keeps a result, which must keep its contract.
    fn result(&mut self, result: &Value) {
        keeps("authoring/scribe.result", &result.to_string());
        members(result, "", &mut self.result);
    }

    fn payload(&mut self, names: &[&str]) {
        self.payload.extend(names.iter().map(|name| (*name).to_owned()));
    }

    /// Demands that all fields of both contracts were seen.
    #[track_caller]
    fn is_all(&self, but: &[&str]) {
        let missing = |contract: &str, seen: &BTreeSet<String>| -> Vec<String> {
            let fields = fields(contract).into_iter();
            fields.filter(|it| !seen.contains(it) && !but.contains(&it.as_str())).collect()
        };
        assert_eq!(missing("scribe.payload", &self.payload), Vec::<String>::new());
        assert_eq!(missing("scribe.result", &self.result), Vec::<String>::new());
    }
}

/// The fields of a contract, with those inside of them: `preview.files.path`.
fn fields(contract: &str) -> BTreeSet<String> {
    fn collect(schema: &Value, above: &str, found: &mut BTreeSet<String>) {
        if let Some(items) = schema.get("items") {
            collect(items, above, found);
        }
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            collect(inner, &below(above, name), found);
            found.insert(below(above, name));
        }
    }
    let file = root().join(format!("schemas/authoring/{contract}.json"));
    let schema = fs::read_to_string(file).expect("the schema is published");
    let mut found = BTreeSet::new();
    collect(&serde_json::from_str(&schema).expect("it is JSON"), "", &mut found);
    found
}

/// The members that a value has, likewise.
fn members(value: &Value, above: &str, found: &mut BTreeSet<String>) {
    for value in value.as_array().into_iter().flatten() {
        members(value, above, found);
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        members(inner, &below(above, name), found);
        found.insert(below(above, name));
    }
}

fn below(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") }
}

fn service(double: &Double) -> Service {
    let sources = format!("[github]\napi_url = {:?}\n", double.url);
    let service = Service::make(Some(MODEL), unchanged, &[("sources.toml", &sources)]);
    service.send("PUT", "/api/settings/agents/scribe", &json!({"model": "rules"})).is(200);
    service.send("PUT", "/api/settings/github", &json!({"token": TOKEN})).is(200);
    service
}

/// The payload of a job on a repository of GitHub.
fn payload(repo: &str, more: &Value) -> Value {
    let mut payload = json!({"owner": "octo", "repo": repo, "baseBranch": "main"});
    for (name, value) in more.as_object().expect("an object") {
        payload[name] = value.clone();
    }
    payload
}

/// The result of a job that is over; it keeps its contract.
fn result(service: &Service, repo: &str, more: &Value) -> Value {
    service.completed("scribe", payload(repo, more))["result"].clone()
}

/// Members by their names.
type Members = Vec<(&'static str, Value)>;

/// Each field, a payload with it, and what the result has then.
fn effects() -> Vec<(&'static str, Value, Members)> {
    vec![
        (
            "branchPattern",
            json!({"branchPattern": "docs/{agent}-{repo}"}),
            vec![("/branch", json!("docs/scribe-row0")), ("/branchCreated", json!(true))],
        ),
        (
            "featureBranch",
            json!({"featureBranch": "docs/mine", "branchPattern": "docs/{agent}"}),
            vec![("/branch", json!("docs/mine"))],
        ),
        (
            "targetPath",
            json!({"targetPath": "docs/START.md"}),
            vec![("/fileMissing", json!(true)), ("/diagnostics/targets", json!(["docs/START.md"]))],
        ),
        (
            "targetPath",
            json!({"targetPath": "README.md"}),
            vec![("/fileMissing", Value::Null), ("/commits/0/path", json!("README.md"))],
        ),
        (
            "targetPath",
            json!({"targetPath": "guide/", "outputTargets": ["API.md"]}),
            vec![("/diagnostics/targets", json!(["guide/API.md"])), ("/fileMissing", Value::Null)],
        ),
        (
            "outputTargets",
            json!({"outputTargets": ["docs/FAQ.md"]}),
            vec![("/commits/0/path", json!("docs/FAQ.md")), ("/filesUpdated", json!(1))],
        ),
        (
            "docPack",
            json!({"docPack": "standard"}),
            vec![("/docPackConfig/pack", json!("standard")), ("/filesUpdated", json!(4))],
        ),
        (
            "docDepth",
            json!({"docPack": "readme", "docDepth": "deep"}),
            vec![("/docPackConfig/depth", json!("deep")), ("/docPackConfig/pack", json!("readme"))],
        ),
        (
            "analyzeLastNCommits",
            json!({"analyzeLastNCommits": 1}),
            vec![("/diagnostics/sources/commitsRead", json!(1))],
        ),
        (
            "maxOutputTokens",
            json!({"maxOutputTokens": 70_000}),
            vec![(
                "/diagnostics/clamped/0",
                json!("maxOutputTokens 70000 is more than the cap of 64000; 64000 is used"),
            )],
        ),
        (
            "dryRun",
            json!({"dryRun": true}),
            vec![
                ("/dryRun", json!(true)),
                ("/diagnostics/mode", json!("dry-run")),
                ("/preview/files/0/path", json!("README.md")),
                ("/commits", Value::Null),
            ],
        ),
        (
            "dryRun",
            json!({"dryRun": false}),
            vec![
                ("/dryRun", Value::Null),
                ("/diagnostics/mode", json!("execute")),
                ("/preview", Value::Null),
            ],
        ),
        // The rules can follow no wish, and say so.
        (
            "taskDescription",
            json!({"taskDescription": "the API"}),
            vec![("/metadata/ignored", json!(["taskDescription"]))],
        ),
        // The document gives it no use.
        ("jobId", json!({"jobId": "mine"}), vec![("/ok", json!(true))]),
    ]
}

#[test]
fn every_field_has_its_effect_over_http() {
    let double = github();
    let service = service(&double);
    let mut seen = Seen::default();
    for (at, (field, more, pointers)) in effects().into_iter().enumerate() {
        let repo = format!("row{at}");
        double.add(&format!("octo/{repo}"));
        let result = result(&service, &repo, &more);
        seen.result(&result);
        seen.payload(&[field]);
        for (pointer, expected) in pointers {
            let found = result.pointer(pointer).cloned().unwrap_or_default();
            assert_eq!(found, expected, "{pointer} of {more}: {result:#}");
        }
    }
    // The words of the pull request, and what it is from and for.
    let git = double.add("octo/words");
    branch(&git, "next");
    let words = json!({"baseBranch": "next", "prTitleTemplate": "Docs of {repo}", "prBodyTemplate": "By {agent}.\n\nMore."});
    let made = result(&service, "words", &words);
    let pull = double.pulls("octo/words").remove(0);
    assert_eq!((pull.title.as_str(), pull.base.as_str()), ("Docs of words", "next"));
    assert!(pull.body.starts_with("By scribe.\n\nMore.\n\n<!-- consign-key: "), "{}", pull.body);
    let url = format!("https://github.test/octo/words/pull/{}", pull.number);
    assert_eq!(made["pullRequest"]["url"], url, "{made:#}");
    seen.payload(&["owner", "repo", "baseBranch", "prTitleTemplate", "prBodyTemplate"]);
    // Without a text of one's own it is ours.
    double.add("octo/silent");
    result(&service, "silent", &json!({"prBodyTemplate": null}));
    assert!(double.pulls("octo/silent")[0].body.starts_with("Scribe wrote these documents"));
    // A person is asked.
    double.add("octo/asked");
    let wish = payload("asked", &json!({"requiresApproval": true}));
    let taken = service.server.post(JOBS, &json!({"type": "scribe", "payload": wish})).is(201);
    let place = format!("{JOBS}/{}", text(&taken.json(), "jobId"));
    until("the job waits", || {
        (service.server.get(&place).is(200).json()["state"] == "awaiting_approval").then_some(())
    });
    assert!(double.pulls("octo/asked").is_empty());
    seen.payload(&["requiresApproval"]);
    // What only a model can do: a second pass is a review, and it is told what to stress.
    service.think("scribe");
    double.add("octo/model");
    let stress =
        json!({"passes": 2, "taskDescription": "Stress the melted coins.", "dryRun": true});
    let made = result(&service, "model", &stress);
    let critique = &made["critiques"][0]["critique"];
    assert_eq!(critique["score"], 61, "{made:#}");
    assert!(critique["issues"].to_string().contains("It has no picture."), "{critique:#}");
    assert_eq!(made["metadata"].get("ignored"), None, "{made:#}");
    let asked = service.asked();
    assert!(asked.iter().any(|it| it.contains("Stress the melted coins.")), "{asked:?}");
    seen.payload(&["passes"]);
    // The mode has a test of its own, below.
    seen.is_all(&["mode"]);
}

/// Options of the command, and the members of the payload that they fill.
fn options() -> Vec<(Vec<&'static str>, Members)> {
    vec![
        (
            vec!["--dry-run"],
            vec![
                ("owner", json!("octo")),
                ("repo", json!("sample")),
                ("baseBranch", json!("main")),
                ("dryRun", json!(true)),
            ],
        ),
        (
            vec![
                "--pr",
                "--base",
                "next",
                "--pack",
                "readme",
                "--depth",
                "deep",
                "--pr-title",
                "Docs of {repo}",
                "--pr-body",
                "By {agent}.",
                "--passes",
                "1",
                "--max-output-tokens",
                "70000",
                "--commits",
                "1",
                "--task",
                "the API",
            ],
            vec![
                ("baseBranch", json!("next")),
                ("docPack", json!("readme")),
                ("docDepth", json!("deep")),
                ("prTitleTemplate", json!("Docs of {repo}")),
                ("prBodyTemplate", json!("By {agent}.")),
                ("passes", json!(1)),
                ("maxOutputTokens", json!(70_000)),
                ("analyzeLastNCommits", json!(1)),
                ("taskDescription", json!("the API")),
                ("dryRun", json!(false)),
            ],
        ),
        (
            vec!["--branch", "docs/{date}", "--target", "docs/FAQ.md", "--target", "docs/API.md"],
            vec![
                ("branchPattern", json!("docs/{date}")),
                ("outputTargets", json!(["docs/FAQ.md", "docs/API.md"])),
            ],
        ),
        (
            vec!["--branch", "docs/x", "--target-path", "docs/START.md"],
            vec![("featureBranch", json!("docs/x")), ("targetPath", json!("docs/START.md"))],
        ),
        (vec!["--branch", "docs/y", "--approve"], vec![("requiresApproval", json!(true))]),
    ]
}

#[test]
fn every_field_has_its_option_in_the_terminal() {
    let double = github();
    let git = double.add("octo/sample");
    branch(&git, "next");
    let bench = Workbench::new();
    bench.home_file("sources.toml", &format!("[github]\napi_url = {:?}\n", double.url));
    let mut seen = Seen::default();
    for (options, members) in options() {
        let args =
            [&["scribe", "octo/sample", "--model", "rules", "--json"][..], &options].concat();
        let waits = options.contains(&"--approve");
        let done = bench.consign(&args).env("GITHUB_TOKEN", TOKEN).run();
        let done = done.exits(if waits { 43 } else { 0 });
        if !waits {
            seen.result(&done.json());
        }
        let runs =
            bench.run(&["runs", "list", "--workflow", "authoring/scribe", "--json"]).exits(0);
        let run = text(&runs.json_lines()[0], "id").to_owned();
        let created = bench.0.events(&run)[0]["body"]["input"]["payload"].clone();
        for (member, expected) in members {
            assert_eq!(created[member], expected, "{options:?}: {created:#}");
            seen.payload(&[member]);
        }
    }
    assert_eq!(double.pulls("octo/sample")[0].title, "Docs of sample");
    // Settings are saved for users of a server, and a number that says nothing is left out.
    seen.is_all(&["mode", "jobId"]);
}

#[test]
fn a_mode_takes_what_was_saved() {
    let double = github();
    let service = service(&double);
    let submit = |mode: &str| {
        let job = json!({"type": "scribe", "payload": {"mode": mode}});
        service.server.post(JOBS, &job)
    };
    submit("run").refuses(400, "VALIDATION_ERROR");
    let saved = json!({"model": "rules", "defaults": {"owner": "octo", "repo": "saved", "baseBranch": "main",
        "outputTargets": ["docs/API.md"], "featureBranch": "docs/saved"}});
    service.send("PUT", "/api/settings/agents/scribe", &saved).is(200);
    for (mode, is_dry) in [("test", true), ("run", false), ("from_config", false)] {
        let git = double.add("octo/saved");
        let job = service.completed("scribe", json!({"mode": mode}));
        let result = &job["result"];
        keeps("authoring/scribe.result", &result.to_string());
        assert_eq!(result["docPackConfig"]["targets"], json!(["docs/API.md"]), "{mode}");
        assert_eq!(result["dryRun"] == true, is_dry, "{mode}: {result:#}");
        let there = sample::branches(&git);
        assert_eq!(there.contains(&"docs/saved".to_owned()), !is_dry, "{mode}: {there:?}");
        std::fs::remove_dir_all(&git).expect("it is there");
    }
}
