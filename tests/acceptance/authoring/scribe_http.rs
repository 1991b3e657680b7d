//! Jobs of Scribe over HTTP on a repository below `serve --repos`: approval, revisions, comments.

use std::{fs, path::Path, process::Command, thread};

use serde_json::{Value, json};

use super::http::Service;
use crate::{
    home::{keeps, until},
    support::{Folder, text},
};

const JOBS: &str = "/api/agents/jobs";

#[track_caller]
fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]);
    command.args(args).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output().expect("git starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// A server that shares one repository, `teapot`, and lets the rules write.
fn shared() -> (Folder, Service) {
    let repos = Folder::new();
    let folder = repos.path().join("teapot");
    fs::create_dir_all(folder.join("src")).expect("a folder");
    fs::write(folder.join("Cargo.toml"), "[package]\nname = \"teapot\"\nversion = \"0.3.0\"\n")
        .expect("a file");
    fs::write(folder.join("src/main.rs"), "fn main() {}\n").expect("a file");
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-q", "-m", "Begin"]);
    let sources = format!("[local]\nrepos = {:?}\n", repos.path());
    let service = Service::start_with(&[("sources.toml", &sources)]);
    service.send("PUT", "/api/settings/agents/scribe", &json!({"model": "rules"})).is(200);
    (repos, service)
}

fn payload(more: Value) -> Value {
    let mut payload = json!({"owner": "local", "repo": "teapot", "baseBranch": "main"});
    for (name, value) in more.as_object().expect("an object") {
        payload[name] = value.clone();
    }
    json!({"type": "scribe", "payload": payload})
}

fn waiting(service: &Service, more: Value) -> Value {
    let taken = service.server.post(JOBS, &payload(more)).is(201).json();
    let place = format!("{JOBS}/{}?include=plan,artifacts", text(&taken, "jobId"));
    until("the job waits", || {
        let job = service.server.get(&place).is(200).json();
        assert_ne!(job["state"], "failed", "{job:#}");
        (job["state"] == "awaiting_approval").then_some(job)
    })
}

fn over(service: &Service, job: &str) -> Value {
    let place = format!("{JOBS}/{job}");
    until("the job is over", || {
        let job = service.server.get(&place).is(200).json();
        ["completed", "failed"].contains(&text(&job, "state")).then_some(job)
    })
}

#[test]
fn what_is_approved_is_what_was_seen() {
    let (repos, service) = shared();
    let folder = repos.path().join("teapot");
    let job = waiting(&service, json!({"requiresApproval": true, "featureBranch": "docs/x"}));
    let id = text(&job, "id").to_owned();
    let digest = text(&job["approval"], "digest").to_owned();
    assert_eq!(text(&job["approval"], "base"), git(&folder, &["rev-parse", "main"]));
    assert_eq!((digest.len(), job["artifacts"].as_array().map(Vec::len)), (64, Some(1)));
    let approve = |body: Value| service.server.post(&format!("{JOBS}/{id}/approve"), &body);
    let refused = approve(json!({"digest": "0"})).refuses(409, "INVALID_STATE").json();
    assert_eq!(refused["error"]["details"]["digest"], digest.as_str());
    // The ground moves: the job takes it in, and waits on with another digest.
    fs::write(folder.join("src/lib.rs"), "/// New.\npub fn new() {}\n").expect("a file");
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-q", "-m", "More"]);
    let refused = approve(json!({"digest": digest})).refuses(409, "INVALID_STATE").json();
    let moved = text(&refused["error"]["details"], "digest").to_owned();
    assert_ne!(moved, digest);
    assert_eq!(git(&folder, &["branch", "--format", "%(refname:short)"]), "main");
    // Two at once: one.
    let statuses: Vec<u16> = thread::scope(|scope| {
        let one = || approve(json!({"digest": moved})).status;
        let both = [scope.spawn(one), scope.spawn(one)];
        both.map(|asked| asked.join().expect("an answer")).to_vec()
    });
    let mut sorted = statuses.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [200, 409]);
    let done = over(&service, &id);
    assert_eq!(
        (text(&done, "state"), &done["result"]["ok"]),
        ("completed", &json!(true)),
        "{done:#}"
    );
    assert_eq!(git(&folder, &["rev-list", "--count", "main..docs/x"]), "1");
}

#[test]
fn revisions_are_a_chain_and_comments_a_list() {
    let (repos, service) = shared();
    let job =
        service.completed("scribe", payload(json!({"featureBranch": "docs/x"}))["payload"].clone());
    keeps("authoring/scribe.result", &job["result"].to_string());
    let id = text(&job, "id").to_owned();
    let wish = json!({"instruction": "shorter", "mode": "edit", "scope": "files"});
    let revise = format!("{JOBS}/{id}/revise");
    let made = service.server.post(&revise, &wish).is(201);
    keeps("authoring/revised", &made.body);
    let second = text(&made.json(), "jobId").to_owned();
    assert_eq!(made.json()["parentJobId"], id.as_str());
    assert_eq!(over(&service, &second)["state"], "completed");
    for at in [&id, &second] {
        let chain = service.server.get(&format!("{JOBS}/{at}/revisions")).is(200).json();
        let jobs: Vec<_> =
            chain["items"].as_array().expect("a list").iter().map(|it| text(it, "jobId")).collect();
        assert_eq!(jobs, [&id, &second]);
    }
    let branches = git(&repos.path().join("teapot"), &["branch", "--format", "%(refname:short)"]);
    assert_eq!(branches, "docs/x\nmain");
    for bad in [
        json!({"instruction": "x", "mode": "new", "scope": "files"}),
        json!({"instruction": "", "mode": "edit", "scope": "files"}),
        json!({}),
    ] {
        service.server.post(&revise, &bad).refuses(400, "VALIDATION_ERROR");
    }
    let waits = waiting(&service, json!({"requiresApproval": true}));
    let unfinished = format!("{JOBS}/{}/revise", text(&waits, "id"));
    service.server.post(&unfinished, &wish).refuses(409, "INVALID_STATE");
    let trace = service.completed("trace", json!({"spec": "Login: enter, submit"}));
    let by_rules = format!("{JOBS}/{}/revise", text(&trace, "id"));
    service.server.post(&by_rules, &wish).refuses(409, "INVALID_STATE");

    let comments = format!("{JOBS}/{id}/comments");
    for text in ["first", "second", "third"] {
        service.server.post(&comments, &json!({"text": text})).is(201);
    }
    service.server.post(&comments, &json!({"text": ""})).refuses(400, "VALIDATION_ERROR");
    let page = service.server.get(&format!("{comments}?limit=2")).is(200).json();
    let cursor = text(&page, "nextCursor").to_owned();
    let rest = service.server.get(&format!("{comments}?cursor={cursor}")).is(200).json();
    let said = |page: &Value| -> Vec<String> {
        page["items"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|it| text(it, "text").to_owned())
            .collect()
    };
    assert_eq!(
        (said(&page), said(&rest)),
        (vec!["first".to_owned(), "second".to_owned()], vec!["third".to_owned()])
    );
    assert_eq!(rest["nextCursor"], Value::Null);
}

#[test]
fn only_what_is_shared_can_be_read() {
    let (_repos, service) = shared();
    for repo in ["other", "..", "teapot.git"] {
        let job = payload(json!({"repo": repo, "dryRun": true}));
        let taken = service.server.post(JOBS, &job);
        if taken.status == 400 {
            continue;
        }
        let done = over(&service, text(&taken.is(201).json(), "jobId"));
        assert_eq!(
            (text(&done, "state"), &done["result"]["ok"]),
            ("completed", &json!(false)),
            "{done:#}"
        );
        assert_eq!(done["result"]["filesUpdated"], 0);
    }
    let unset = json!({"owner": "octo", "repo": "sample", "baseBranch": "main", "dryRun": true});
    let done = service.completed("scribe", unset);
    assert!(
        text(&done["result"]["metadata"], "githubError").contains("no token for GitHub"),
        "{done:#}"
    );
}
