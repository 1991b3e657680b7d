//! Trace and Proto publish what they made.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use consign_contracts::{
    authoring::{ProtoResult, TraceResult},
    wire::Message,
};
use consign_engine::Data;
use consign_repositories::Error;
use serde_json::{Value, json};

use crate::{
    repository::{Double, sample},
    scribe::{JOB, play, setting},
};

fn job(kind: &str, more: Value) -> Value {
    let mut payload = json!({"owner": "o", "repo": "demo"});
    payload[if kind == "trace" { "spec" } else { "goal" }] = "Login. The user sees a page.".into();
    for (name, value) in more.as_object().unwrap() {
        payload[name] = value.clone();
    }
    json!({"type": kind, "payload": payload})
}

async fn made(double: &Double, kind: &str, more: Value) -> Value {
    let (result, _) = play(setting(double), &job(kind, more)).await;
    let data = Data::of(&result);
    let tree = data.tree().unwrap();
    let schema = match kind {
        "trace" => TraceResult::contract().schema(),
        _ => ProtoResult::contract().schema(),
    };
    assert!(schema.is_valid(&tree), "{result}");
    result
}

#[tokio::test(start_paused = true)]
async fn files_go_to_a_branch_of_the_job() {
    for kind in ["trace", "proto"] {
        let double = sample();
        let result = made(&double, kind, json!({})).await;
        let branch = format!("{kind}/{JOB}");
        assert_eq!(result["branch"], branch.as_str());
        assert_eq!(result["prUrl"], "https://github.com/o/demo/pull/1");
        assert_eq!(result["metadata"]["committed"], true);
        let files = result["artifacts"].as_array().unwrap();
        assert_eq!(double.writes().len(), files.len() + 2, "{:?}", double.writes());
        for file in files {
            let path = file["filePath"].as_str().unwrap();
            assert_eq!(double.text(&branch, path).as_deref(), file["content"].as_str(), "{path}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn manual_commits_to_the_base_branch_without_a_pull_request() {
    let double = sample();
    let result = made(&double, "trace", json!({"branchStrategy": "manual"})).await;
    assert_eq!((&result["branch"], result.get("prUrl")), (&json!("main"), None));
    assert_eq!(result["metadata"]["committed"], true);
    assert!(
        double.writes().iter().all(|write| write.ends_with("on main")),
        "{:?}",
        double.writes()
    );
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_published_is_made_all_the_same() {
    let double = sample();
    let down = || Error::Unreachable { why: "no route".to_owned() };
    double.state().fails.insert("commit_of", (99, down));
    let result = made(&double, "proto", json!({})).await;
    assert_eq!((&result["ok"], &result["metadata"]["committed"]), (&json!(true), &json!(false)));
    assert!(result["metadata"]["githubError"].as_str().unwrap().contains("no route"));
    let double = sample();
    let result = made(&double, "proto", json!({"dryRun": true})).await;
    assert_eq!((double.state().calls.len(), result["metadata"].get("githubError")), (0, None));
}
