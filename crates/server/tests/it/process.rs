//! Envelopes in, envelopes out.

use std::time::Duration;

use consign_server::{Options, Wire};
use serde_json::json;

use crate::world::{SECRET, World};

#[tokio::test]
async fn an_envelope_comes_back() {
    let world = World::new().await;
    let answer = world.post_text("/api/v1/process", r#"{"b": 1.10, "a": null}"#).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, r#"{"b":1.10,"a":null}"#));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("location"), None);
    let ask = world.processor.asked.lock().unwrap().pop().unwrap();
    assert_eq!((ask.until, ask.durable), (None, false));
    assert_eq!((ask.owner.as_str(), ask.by.actor.as_str()), ("local", "http:token"));
    assert!(ask.within < Duration::from_secs(60) && ask.within > Duration::from_secs(50));
}

#[tokio::test]
async fn a_durable_one_says_where_its_run_is() {
    let world = World::new().await;
    let answer = world.post("/api/v1/process?durable=true&until=plan%20b", &json!({})).await;
    assert_eq!((answer.status, answer.header("location")), (200, Some("/api/runs/durable-1")));
    let ask = world.processor.asked.lock().unwrap().pop().unwrap();
    assert_eq!((ask.until.as_deref(), ask.durable), (Some("plan b"), true));
    let later = world.post("/api/v1/process?durable=true", &json!({"do": "later"})).await;
    assert_eq!((later.status, later.header("location")), (202, Some("/api/runs/durable-1")));
    assert_eq!(later.json(), json!({"do": "later"}));
}

#[tokio::test]
async fn what_is_no_envelope_is_refused() {
    let world = World::new().await;
    let malformed = world.post_text("/api/v1/process", "{\"a\": 1,\n \"a\": 2}").await;
    malformed.is(400, "VALIDATION_ERROR");
    assert_eq!(malformed.json()["error"]["details"]["reason"], "repeated-key");
    assert_eq!(malformed.json()["error"]["details"]["line"], 2);
    for body in [&b""[..], b"{", b"\xff\xfe", b"{\"a\": \"\xff\"}", b"nonsense", b"[[", b"{}{}"] {
        world.post_text("/api/v1/process", body).await.is(400, "VALIDATION_ERROR");
    }
    let deep = "[".repeat(100_000);
    world.post_text("/api/v1/process", deep).await.is(400, "VALIDATION_ERROR");
    let breached = world.post("/api/v1/process", &json!({"do": "check"})).await;
    breached.is(400, "VALIDATION_ERROR");
    let breaches = breached.json()["error"]["details"]["breaches"].clone();
    assert_eq!(breaches[0]["keyword"], "required", "{breaches}");
    for query in ["durable=yes", "until=", "unitl=plan", "durable=true&durable=true"] {
        let answer = world.post(&format!("/api/v1/process?{query}"), &json!({})).await;
        answer.is(400, "VALIDATION_ERROR");
    }
    for media in
        ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"]
    {
        let request = world.request("POST", "/api/v1/process").header("content-type", media);
        world.ask(request, "{}").await.is(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    world
        .ask(world.request("POST", "/api/v1/process"), "{}")
        .await
        .is(415, "UNSUPPORTED_MEDIA_TYPE");
    let packed = world
        .request("POST", "/api/v1/process")
        .header("content-type", "application/json")
        .header("content-encoding", "gzip");
    world.ask(packed, "{}").await.is(415, "UNSUPPORTED_MEDIA_TYPE");
}

#[tokio::test]
async fn what_goes_wrong_inside_stays_inside() {
    let world = World::new().await;
    for (wish, code, precise) in [
        ("panic", "INTERNAL_ERROR", "INTERNAL_ERROR"),
        ("damaged", "DATABASE_ERROR", "STORE_DAMAGED"),
        ("unavailable", "DATABASE_ERROR", "STORE_UNAVAILABLE"),
    ] {
        let answer = world.post("/api/v1/process", &json!({"do": wish})).await;
        answer.is(500, code);
        let may_help = (precise == "STORE_UNAVAILABLE").then_some("1");
        assert_eq!(answer.header("retry-after"), may_help, "{wish}");
        assert!(!answer.text.contains(SECRET));
        let incident = world.incidents.lock().unwrap().pop().unwrap();
        assert!(incident.cause.contains(SECRET), "{incident:?}");
        assert_eq!(incident.request, answer.json()["requestId"].as_str().unwrap());
        assert_eq!((incident.status, incident.code.as_str()), (500, precise));
        assert_eq!((incident.method.as_str(), incident.path.as_str()), ("POST", "/api/v1/process"));
        assert!(!format!("{incident:?}").contains(world.token.reveal()));
    }
    // The process is none the worse for it.
    assert_eq!(world.post("/api/v1/process", &json!({})).await.status, 200);
}

#[tokio::test]
async fn what_takes_too_long_is_cut_off() {
    let options = Options { time_limit: Duration::from_millis(100), ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    world.post("/api/v1/process", &json!({"do": "stay"})).await.is(504, "TIMEOUT");
    assert!(
        world.processor.asked.lock().unwrap().pop().unwrap().within < Duration::from_millis(100)
    );
}

#[tokio::test]
async fn what_is_carried_comes_back_as_far_as_it_came() {
    let options = Options { time_limit: Duration::from_secs(2), ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    let (target, body) = ("/api/v1/process", json!({"do": "carry", "n": 1}));
    let late = world.post(target, &body).await;
    late.is(504, "TIMEOUT");
    assert_eq!(late.json()["error"]["details"], json!({"envelope": body}));
    // Likewise when the server stops.
    let mut world = World::new().await;
    let (processor, stop) = (world.processor.clone(), world.take_stop());
    let (stopped, ()) = tokio::join!(world.post(target, &body), async {
        processor.stays.notified().await;
        drop(stop);
    });
    stopped.is(503, "STOPPING");
    assert_eq!(stopped.json()["error"]["details"], json!({"envelope": body}));
    assert_eq!(stopped.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn what_is_cut_off_is_dropped() {
    let options = Options { time_limit: Duration::from_millis(100), ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    world.post("/api/v1/process", &json!({"do": "stay"})).await.is(504, "TIMEOUT");
    world.processor.gone.notified().await;
    // Likewise when whoever asked has gone.
    let world = World::new().await;
    let (target, body) = ("/api/v1/process", json!({"do": "stay"}));
    tokio::select! {
        _ = world.post(target, &body) => unreachable!("it stays"),
        () = world.processor.stays.notified() => {}
    }
    world.processor.gone.notified().await;
}

#[tokio::test]
async fn whoever_is_one_too_many_is_told_to_come_back() {
    let options = Options { max_processing: 1, ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    let (target, body) = ("/api/v1/process", json!({"do": "stay"}));
    let staying = world.post(target, &body);
    let meanwhile = async {
        world.processor.stays.notified().await;
        let answer = world.post(target, &json!({})).await;
        answer.is(503, "OVERLOADED");
        assert_eq!(answer.header("retry-after"), Some("1"));
    };
    tokio::select! {
        _ = staying => unreachable!("it stays"),
        () = meanwhile => {}
    }
    // Whoever left made room, as soon as the server has seen that they did.
    while world.post(target, &json!({})).await.status == 503 {}
}

#[tokio::test]
async fn whoever_waits_for_an_envelope_keeps_nobody_from_the_rest() {
    let options = Options { max_processing: 1, max_requests: 1, ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    let run = world.start("sample/approval", json!({"asks": 2})).await;
    world.until_waiting(&run).await;
    let (target, body) = ("/api/v1/process", json!({"do": "stay"}));
    let staying = world.post(target, &body);
    let meanwhile = async {
        world.processor.stays.notified().await;
        for target in ["/healthz", "/readyz", "/openapi.json", "/api/runs", "/api/inbox"] {
            assert_eq!(world.get(target).await.status, 200, "{target}");
        }
        let answer = format!("/api/runs/{run}/answers/ask-1");
        assert_eq!(world.post(&answer, &json!({"value": true})).await.status, 200);
        let cancelled = world.post(&format!("/api/runs/{run}/cancel"), &json!({})).await;
        assert!([200, 202].contains(&cancelled.status), "{}", cancelled.text);
        world.until_closed(&run).await;
    };
    tokio::select! {
        _ = staying => unreachable!("it stays"),
        () = meanwhile => {}
    }
}

#[tokio::test]
async fn others_are_answered_while_an_envelope_is_computed() {
    let world = World::new().await;
    let body = json!({"do": "compute"});
    let computing = world.post("/api/v1/process", &body);
    let meanwhile = async {
        world.processor.computes.notified().await;
        for target in ["/healthz", "/readyz", "/api/runs"] {
            assert_eq!(world.get(target).await.status, 200, "{target}");
        }
        world.start("sample/steps", json!({})).await;
        assert_eq!(world.post("/api/v1/process", &json!({})).await.status, 200);
        world.processor.has_result();
    };
    let (computed, ()) = tokio::join!(computing, meanwhile);
    assert_eq!(computed.status, 200);
}

#[tokio::test]
async fn what_computes_for_too_long_is_answered_in_time_and_keeps_its_place() {
    let time_limit = Duration::from_millis(100);
    let options = Options { time_limit, max_processing: 1, ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    let target = "/api/v1/process";
    world.post(target, &json!({"do": "compute"})).await.is(504, "TIMEOUT");
    world.post(target, &json!({})).await.is(503, "OVERLOADED");
    assert_eq!(world.get("/api/runs").await.status, 200);
    world.processor.has_result();
    while world.post(target, &json!({})).await.status == 503 {}
}
