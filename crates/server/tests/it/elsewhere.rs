//! A run that is at home in a project: its request is in the inbox, and its answer in the project.

use std::fs;

use consign_engine::{Actor, Data, Owner, RunId};
use consign_template::mirror::{Pending, View, sync};
use serde_json::{Value, json};

use crate::world::World;

const ID: &str = "550e8400-e29b-41d4-a716-446655440000";
const RESPONSE: &str = ".agent-response.json";

#[tokio::test]
async fn an_answer_is_put_into_the_project() {
    let world = World::new().await;
    let project = tempfile::tempdir().unwrap();
    let prompt = "Say what this project is made of. ".repeat(4);
    let request = json!({"request_id": ID, "version": "1.0", "phase": 7,
        "phase_name": "agent_enhancement", "agent_name": "agent-content-enhancer",
        "prompt": prompt, "created_at": "2025-11-18T10:30:00Z"});
    fs::write(project.path().join(".agent-request.json"), request.to_string()).unwrap();
    let view = View {
        run: RunId::from("tmpl"),
        seq: 4,
        project_path: project.path().to_str().unwrap().to_owned(),
        output_path: "/tmp/out".to_owned(),
        template_name: "web-api".to_owned(),
        phase: 7,
        phase_name: "agent_enhancement".to_owned(),
        checkpoint: "before_agent_invocation".to_owned(),
        completed: Vec::new(),
        pending: Some(Pending {
            request_id: ID.to_owned(),
            agent_name: "agent-content-enhancer".to_owned(),
            phase_name: "agent_enhancement".to_owned(),
            prompt,
            retry_count: 0,
            schema: Data::of(&json!({"type": "object"})),
        }),
        ended: None,
    };
    let who = (&Owner::from("ada"), &Actor::from("ada"));
    sync(&world.engine, &view, None, who).await.unwrap();
    let inbox = world.get("/api/inbox?agent=agent-content-enhancer").await.json();
    assert_eq!(inbox["items"][0]["interaction"], ID);
    assert_eq!(inbox["items"][0]["agent"], "agent-content-enhancer");
    let place = format!("/api/runs/tmpl/answers/{ID}");
    world.post(&place, &json!({"value": "text"})).await.is(400, "VALIDATION_ERROR");
    assert!(!project.path().join(RESPONSE).exists());
    let answered = world.post_text(&place, r#"{"value": {"b": 1.50, "a": 2}}"#).await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    assert_eq!(answered.json()["needs_resume"], true);
    let response = fs::read_to_string(project.path().join(RESPONSE)).unwrap();
    let response: Value = serde_json::from_str(&response).unwrap();
    assert_eq!(response["response"], r#"{"b":1.50,"a":2}"#);
    assert_eq!((&response["request_id"], &response["status"]), (&json!(ID), &json!("success")));
    world.post(&place, &json!({"value": {}})).await.is(409, "ALREADY_ANSWERED");
    // Whoever keeps the server is told how it goes on.
    let told = world.incidents.lock().unwrap().pop().unwrap();
    assert_eq!(told.code, "NEEDS_RESUME");
    assert!(told.cause.contains("consign template create --path"), "{}", told.cause);
    for (route, body) in [("cancel", json!({})), ("raise", json!({"calls": 9}))] {
        let refused = world.post(&format!("/api/runs/tmpl/{route}"), &body).await;
        let told = refused.json();
        assert_eq!((refused.status, &told["error"]["code"]), (409, &json!("RUN_ELSEWHERE")));
        let go_on = told["error"]["details"]["go_on"].as_str().unwrap();
        assert!(go_on.ends_with("--name web-api --output /tmp/out --resume"), "{go_on}");
    }
    let wanted = json!({"workflow": "template/create", "input": {"project_path": "/",
        "output_path": "/", "template_name": "x"}});
    world.post("/api/runs", &wanted).await.is(409, "RUN_ELSEWHERE");
}
