//! Scribe as a durable run: documents, publishing, approval and failures, against a repository that counts its writes.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::sync::Arc;

use consign_authoring::{
    job::{JobOutcome, rule_agents, workflows},
    publish::OpenRepository,
};
use consign_contracts::{authoring::ScribeResult, wire::Message};
use consign_engine::{
    Actor, Agents, Data, Limits, Owner, Placement, RunId, Settings, Submission, Workflows,
};
use consign_repositories::Error;
use consign_testkit::{
    scripted::Scripted,
    world::{Setting, World},
};
use serde_json::{Value, json};

use crate::repository::{Double, One, sample};

pub(crate) const JOB: &str = "0b6f7a52-3a86-4c43-9f0a-0f9a3d0c1e11";

pub(crate) fn setting(double: &Double) -> Setting {
    let repositories: Arc<dyn OpenRepository> = Arc::new(One(double.clone()));
    let agents = rule_agents(Agents::default(), &repositories);
    agents.known().fold(Setting::new(), |setting, (name, agent)| setting.real(name, agent.clone()))
}

pub(crate) async fn world(setting: Setting) -> World {
    let mut world = setting.await;
    world.deploy(workflows(Workflows::default())).await;
    world
}

/// A job with these members of its payload besides the repository's, written by a model or by the rules.
pub(crate) fn input(payload: Value, model: &str) -> Value {
    let mut whole = json!({"owner": "o", "repo": "demo", "baseBranch": "main"});
    for (name, value) in payload.as_object().unwrap() {
        whole[name] = value.clone();
    }
    json!({"type": "scribe", "payload": whole, "settings": {"model": model},
        "submitted": 1_707_350_400_000_000_i64})
}

pub(crate) fn submission(input: &Value) -> Submission {
    let kind = input["type"].as_str().unwrap();
    Submission {
        id: Some(RunId::from(JOB)),
        workflow: format!("authoring/{kind}"),
        input: Data::of(input),
        owner: Owner::from("ada"),
        limits: Limits::standard(),
        placement: Placement::Anywhere,
        priority: 0,
        settings: Settings::default(),
        certified: false,
        actor: Actor::from("ada"),
    }
}

pub(crate) async fn outcome(world: &World, run: &RunId) -> JobOutcome {
    Data::parse(world.output(run).await).unwrap().to().unwrap()
}

/// Plays a job to its end. The result is held to its contract.
pub(crate) async fn play(setting: Setting, input: &Value) -> (Value, JobOutcome) {
    let world = world(setting).await;
    let run = world.desk().submit(submission(input)).await.unwrap().run;
    let worker = world.worker().await;
    world.until_closed(&run).await;
    let outcome = outcome(&world, &run).await;
    if input["type"] == "scribe" {
        let tree = outcome.result.tree().unwrap();
        assert!(ScribeResult::contract().schema().is_valid(&tree), "{tree:?}");
    }
    world.proves(&run).await;
    worker.kill().await;
    (outcome.result.to().unwrap(), outcome)
}

const BRANCH: &str = "docs/scribe-1707350400";

#[tokio::test(start_paused = true)]
async fn the_example_of_the_document_by_rules() {
    let double = sample();
    let payload = json!({"docPack": "readme", "docDepth": "standard", "dryRun": true});
    let (result, outcome) = play(setting(&double), &input(payload, "rules")).await;
    assert_eq!(result["ok"], true);
    assert_eq!((&result["agent"], &result["filesUpdated"]), (&json!("scribe-v2"), &json!(1)));
    assert_eq!(result["mode"], "contract-first-doc-specialist");
    assert_eq!((&result["dryRun"], &result["preview"]["branch"]), (&json!(true), &json!(BRANCH)));
    assert_eq!(result["preview"]["commitMessage"], "docs: generate README.md via Scribe agent");
    let file = &result["preview"]["files"][0];
    let text = result["artifacts"][0]["content"].as_str().unwrap();
    assert_eq!(file["path"], "README.md");
    assert_eq!(file["contentLength"], text.chars().count());
    assert_eq!(file["linesAdded"], text.lines().count());
    let diagnostics = &result["diagnostics"];
    assert_eq!(
        (&diagnostics["mode"], &diagnostics["targets"]),
        (&json!("dry-run"), &json!(["README.md"]))
    );
    assert_eq!(diagnostics["operations"][0]["bytes"], text.len());
    assert_eq!(result.get("commits").or(result.get("branch")).or(result.get("fileMissing")), None);
    assert_eq!(double.writes(), Vec::<String>::new());
    let quality = outcome.quality.unwrap();
    assert_eq!((quality.score, quality.targets), (100, 30));
    assert!(
        outcome.trace.iter().any(|it| it.step == "README.md: Usage" && it.why.contains("rules"))
    );
}

#[tokio::test(start_paused = true)]
async fn documents_are_published_once_each() {
    let double = sample();
    let payload = json!({"outputTargets": ["README.md", "docs/API.md"], "prTitleTemplate": "Docs of {repo} {date}"});
    let (result, _) = play(setting(&double), &input(payload, "rules")).await;
    assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(true), &json!(2)));
    assert_eq!((&result["branch"], &result["branchCreated"]), (&json!(BRANCH), &json!(true)));
    assert_eq!(result["pullRequest"]["url"], "https://github.com/o/demo/pull/1");
    assert_eq!(result["commits"][1]["path"], "docs/API.md");
    assert_eq!(
        result["commits"][0]["commit"]["message"],
        "docs: generate README.md via Scribe agent"
    );
    assert_eq!(
        double.writes(),
        [
            format!("branch {BRANCH}"),
            format!("commit README.md on {BRANCH}"),
            format!("commit docs/API.md on {BRANCH}"),
            format!("pull request of {BRANCH}"),
        ]
    );
    assert_eq!(double.state().pulls[0].2.title, "Docs of demo 2024-02-08");
    assert_eq!(double.text("main", "README.md"), None);
}

#[tokio::test(start_paused = true)]
async fn a_document_that_is_right_is_left_alone() {
    let double = sample();
    let (first, _) = play(setting(&double), &input(json!({"dryRun": true}), "rules")).await;
    double.change("main", "README.md", first["artifacts"][0]["content"].as_str().unwrap());
    let (result, outcome) = play(setting(&double), &input(json!({}), "rules")).await;
    assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(true), &json!(0)));
    assert_eq!((double.writes(), &result["artifacts"]), (Vec::new(), &json!([])));
    assert_eq!(outcome.quality.unwrap().score, 100);
    // No model is asked to write it either.
    let asks = setting(&double).agent("scribe.write", Scripted::answers([]));
    let (result, _) = play(asks, &input(json!({}), "scripted:/x")).await;
    assert_eq!(result["filesUpdated"], 0);
}

/// Plays a job by rules in which something fails.
async fn failing(name: &'static str, times: u32, error: fn() -> Error) -> (Value, Double) {
    let double = sample();
    double.state().fails.insert(name, (times, error));
    let (result, _) = play(setting(&double), &input(json!({}), "rules")).await;
    (result, double)
}

fn unreachable() -> Error {
    Error::Unreachable { why: "no route".to_owned() }
}

fn denied() -> Error {
    Error::Forbidden { why: "read only".to_owned() }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_cannot_be_read_completes_the_job() {
    for error in [unreachable, denied] {
        let (result, _) = failing("tree", 99, error).await;
        assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(false), &json!(0)));
        assert!(result["metadata"]["githubError"].is_string(), "{result}");
    }
    // What passes is waited for.
    let (result, _) = failing("tree", 2, unreachable).await;
    assert_eq!((&result["ok"], result["metadata"].get("githubError")), (&json!(true), None));
}

#[tokio::test(start_paused = true)]
async fn a_branch_that_cannot_be_made_stops_publishing_unless_it_is_there() {
    let (result, double) = failing("create_branch", 99, denied).await;
    assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(false), &json!(0)));
    assert_eq!((&result["branchCreated"], result.get("branch")), (&json!(false), None));
    assert!(result["metadata"]["githubError"].as_str().unwrap().contains("read only"));
    assert_eq!(double.writes(), Vec::<String>::new());

    let double = sample();
    let main = double.state().branches["main"].clone();
    double.state().branches.insert("docs/mine".to_owned(), main);
    double.state().fails.insert("create_branch", (99, denied));
    let payload = json!({"featureBranch": "docs/mine"});
    let (result, _) = play(setting(&double), &input(payload, "rules")).await;
    assert_eq!((&result["ok"], &result["branchCreated"]), (&json!(true), &json!(false)));
    assert_eq!((&result["branch"], &result["filesUpdated"]), (&json!("docs/mine"), &json!(1)));
}

#[tokio::test(start_paused = true)]
async fn a_pull_request_that_cannot_be_opened_has_no_address() {
    let (result, double) = failing("open_pull_request", 99, denied).await;
    assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(true), &json!(1)));
    assert_eq!(result["pullRequest"], json!({}));
    assert_eq!(double.writes().len(), 2);
    let local = || Error::Unsupported { what: "a pull request" };
    let (result, _) = failing("open_pull_request", 99, local).await;
    assert_eq!((result.get("pullRequest"), result["metadata"].get("githubError")), (None, None));
}

#[tokio::test(start_paused = true)]
async fn nothing_committed_is_not_ok() {
    let (result, _) = failing("commit_file", 99, denied).await;
    assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(false), &json!(0)));
    assert!(result["metadata"]["githubError"].is_string());
    let limited = || Error::RateLimited { retry_after: Some(std::time::Duration::from_secs(30)) };
    let (result, double) = failing("commit_file", 2, limited).await;
    assert_eq!((&result["ok"], double.writes().len()), (&json!(true), 3));
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_lost_make_nothing_twice() {
    for name in ["create_branch", "commit_file", "open_pull_request"] {
        let double = sample();
        double.state().loses.insert(name, 2);
        let (result, _) = play(setting(&double), &input(json!({}), "rules")).await;
        assert_eq!(
            (&result["ok"], &result["branchCreated"]),
            (&json!(true), &json!(true)),
            "{name}"
        );
        assert_eq!(double.writes().len(), 3, "{name}: {:?}", double.writes());
    }
}
