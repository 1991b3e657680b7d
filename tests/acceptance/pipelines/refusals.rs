//! What the server refuses, in one form for every route: a request that breaks its contract, and a store that fails.

use std::fs;

use serde_json::{Value, json};

use super::{
    http,
    serve::two,
    yard::{Server, Yard, keeps, run_of},
};
use crate::home::until;

fn raw(server: &Server, target: &str, body: &[u8]) -> http::Reply {
    let head = server.head("POST", target) + "content-type: application/json\r\n";
    http::send(&server.address, &head, body)
}

/// The details of a `VALIDATION_ERROR`, which name at least one breach.
#[track_caller]
fn invalid(reply: http::Reply) -> Value {
    let told = reply.refuses(400, "VALIDATION_ERROR").json();
    keeps("authoring/error", &told);
    let details = told["error"]["details"].clone();
    let first = &details["breaches"][0];
    for name in ["pointer", "keyword", "message"] {
        assert!(first[name].is_string(), "{name}: {told}");
    }
    details
}

#[test]
fn a_request_that_breaks_its_contract_is_400_on_every_route() {
    let yard = Yard::new();
    let server = yard.serve(&[]);
    let wanted = json!({"id": "r", "workflow": "sample/approval"});
    server.post("/api/runs", &wanted).is(201);
    for (target, body, pointer) in [
        ("/api/v1/process", json!({}), ""),
        ("/api/v1/process?durable=true", json!({"envelope_id": "x"}), ""),
        (
            "/api/runs",
            json!({"workflow": "sample/steps", "limits": {"calls": -1}}),
            "/limits/calls",
        ),
        ("/api/runs", json!({"workflow": "sample/steps", "input": 7}), ""),
        ("/api/runs/r/answers/ask-1", json!({"value": true, "decline": "no"}), ""),
        ("/api/runs/r/raise", json!({"minutes": "many"}), "/minutes"),
        ("/api/runs/r/cancel", json!({"reason": 7}), "/reason"),
    ] {
        let details = invalid(server.post(target, &body));
        assert_eq!(details["breaches"][0]["pointer"], pointer, "{target}: {details}");
        let torn = invalid(raw(&server, target, b"{\"torn\":\n"));
        let place = [&torn["in"], &torn["reason"], &torn["line"]];
        assert_eq!(place, [&json!("body"), &json!("unfinished"), &json!(2)], "{target}: {torn}");
    }
    for (target, pointer) in [
        ("/api/runs?limit=0", "/limit"),
        ("/api/runs?colour=red", ""),
        ("/api/runs/r?colour=red", ""),
        ("/api/runs/r/events?after=x", "/after"),
        ("/api/inbox?kind=odd", "/kind"),
    ] {
        let details = invalid(server.get(target));
        assert_eq!(
            (&details["in"], &details["breaches"][0]["pointer"]),
            (&json!("query"), &json!(pointer))
        );
    }
    assert_eq!(invalid(server.get("/api/runs/%ff"))["in"], "path");
    let all = server.get("/api/runs").is(200).json();
    assert_eq!(all["items"].as_array().map(Vec::len), Some(1), "nothing was carried out: {all}");
}

#[test]
fn a_store_that_fails_is_500_and_only_the_operator_is_told_why() {
    let yard = Yard::new();
    let pipeline = two(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    // So large that it is kept in a file of its own.
    let mut envelope = yard.envelope("hello", &[]);
    envelope["metadata"]["filler"] = json!("x".repeat(200_000));
    let run = run_of(&server.post("/api/v1/process?durable=true", &envelope));
    fs::remove_dir_all(yard.home.path().join("blobs")).expect("large values are there");
    for target in [format!("/api/runs/{run}"), format!("/api/runs/{run}/events")] {
        let head = server.head("GET", &target) + "accept: application/json\r\n";
        let told = http::send(&server.address, &head, b"").refuses(500, "DATABASE_ERROR").json();
        keeps("authoring/error", &told);
        assert_eq!(told["error"].get("details"), None);
        assert!(!told.to_string().contains("blobs"), "{told}");
        let parts = [
            "\"level\":\"error\"".to_owned(),
            format!("\"path\":\"{target}\""),
            "\"status\":500,\"code\":\"STORE_DAMAGED\"".to_owned(),
        ];
        until("the operator is told", || {
            let told = server.process.stderr();
            let is_told = |line: &str| parts.iter().all(|part| line.contains(part));
            told.lines().any(is_told).then_some(())
        });
    }
    server.get("/healthz").is(200);
}
