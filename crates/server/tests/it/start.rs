//! Starting runs.

use consign_contracts::{Contract, json};
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn a_run_is_started_and_comes_to_its_end() {
    let world = World::new().await;
    let wanted =
        json!({"workflow": "sample/steps", "input": {"steps": 2}, "owner": "ann", "priority": 3});
    let answer = world.post("/api/runs", &wanted).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let run = answer.json();
    let id = run["id"].as_str().unwrap();
    assert_eq!(answer.header("location"), Some(&*format!("/api/runs/{id}")));
    assert_eq!((&run["owner"], &run["priority"]), (&json!("ann"), &json!(3)));
    assert_eq!(run["placement"], "anywhere");
    world.until_closed(id).await;
    let shown = world.get(&format!("/api/runs/{id}")).await;
    let tree = json::parse(shown.text.as_bytes()).unwrap();
    assert!(Contract::find("engine/run").unwrap().schema().check(&tree).is_valid());
    let shown = shown.json();
    assert_eq!((&shown["status"], &shown["output"]["steps"]), (&json!("succeeded"), &json!(2)));
    // As `consign runs show --json` prints it, in that order.
    let names: Vec<_> = tree.as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "workflow",
        "version",
        "status",
        "owner",
        "placement",
        "priority",
        "seq",
        "head",
        "usage",
        "created_at",
        "updated_at",
        "worker",
        "wake_at",
        "label",
        "interrupted",
        "limits",
        "input",
        "certificate",
        "output",
        "fault",
        "cancelled",
        "waits",
        "needs_resume",
    ];
    assert_eq!(names, expected);
}

#[tokio::test]
async fn whoever_repeats_a_start_gets_the_same_run() {
    let world = World::new().await;
    let wanted = json!({"workflow": "sample/approval", "input": {"asks": 2}, "id": "nightly-1"});
    assert_eq!(world.post("/api/runs", &wanted).await.status, 201);
    world.until_waiting("nightly-1").await;
    let again = world.post("/api/runs", &wanted).await;
    assert_eq!((again.status, again.header("location")), (200, Some("/api/runs/nightly-1")));
    assert_eq!(again.json()["waits"].as_array().unwrap().len(), 2);
    let other = json!({"workflow": "sample/approval", "input": {"asks": 3}, "id": "nightly-1"});
    world.post("/api/runs", &other).await.is(409, "RUN_EXISTS");
    assert_eq!(world.get("/api/runs").await.json()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn many_who_start_the_same_at_once_get_one_run() {
    let world = World::new().await;
    let wanted = json!({"workflow": "sample/approval", "id": "one"});
    let starts = (0..8).map(|_| world.post("/api/runs", &wanted));
    let mut statuses: Vec<_> =
        futures_util::future::join_all(starts).await.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 200, 201]);
}

#[tokio::test]
async fn what_is_not_admitted_is_refused_by_its_code() {
    let world = World::new().await;
    let refused = async |wanted: serde_json::Value, status: u16, code: &str| {
        world.post("/api/runs", &wanted).await.is(status, code);
    };
    refused(json!({"workflow": "nothing"}), 404, "WORKFLOW_NOT_FOUND").await;
    let dear = json!({"workflow": "sample/budget", "limits": {"cost_usd": 0.001}});
    refused(dear, 422, "BUDGET_TOO_SMALL").await;
    let sure =
        json!({"workflow": "sample/budget", "limits": {"cost_usd": 0.01}, "certified": true});
    refused(sure, 422, "NOT_CERTIFIED").await;
    let called = json!({"workflow": "agent/call", "input": {"agent": "nobody", "input": 1}});
    refused(called, 404, "AGENT_NOT_FOUND").await;
}

#[tokio::test]
async fn a_body_of_another_form_is_refused_with_its_breaches() {
    let world = World::new().await;
    for (body, pointer) in [
        (json!({}), ""),
        (json!([]), ""),
        (json!({"workflow": 1}), "/workflow"),
        (json!({"workflow": "sample/steps", "wrokflow": 1}), ""),
        (json!({"workflow": "sample/steps", "limits": {"minutes": 0}}), "/limits/minutes"),
        (json!({"workflow": "sample/steps", "limits": {"cost_usd": -1}}), "/limits/cost_usd"),
        (json!({"workflow": "sample/steps", "owner": "two words"}), "/owner"),
        (json!({"workflow": "sample/steps", "priority": 3_000_000_000_u64}), "/priority"),
        (json!({"workflow": "sample/steps", "id": "a/b"}), "/id"),
        (json!({"workflow": "sample/steps", "limits": {"minutes": 1e300}}), "/limits/minutes"),
        (json!({"workflow": "sample/steps", "limits": {"cost_usd": 1e300}}), "/limits/cost_usd"),
        (json!({"workflow": "sample/steps", "input": {"steps": -1}}), "/steps"),
    ] {
        let answer = world.post("/api/runs", &body).await;
        answer.is(400, "VALIDATION_ERROR");
        assert_eq!(answer.json()["error"]["details"]["breaches"][0]["pointer"], pointer, "{body}");
    }
    assert_eq!(world.get("/api/runs").await.json()["items"], json!([]));
}

#[tokio::test]
async fn digits_are_kept() {
    let world = World::new().await;
    let body = r#"{"workflow": "agent/call", "input": {"agent": "outside", "input": 1.10}}"#;
    let answer = world.post_text("/api/runs", body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert!(answer.text.contains("1.10"), "{}", answer.text);
}
