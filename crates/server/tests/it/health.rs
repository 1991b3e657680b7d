//! Whether the server is there, and how it goes.

use consign_server::{Options, Wire, WorkerHealth};
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn health_needs_no_token() {
    let world = World::new().await;
    for (target, status) in [("/healthz", "alive"), ("/readyz", "ready")] {
        let request = hyper::Request::builder().uri(target).header("host", "localhost");
        let answer = world.ask(request, "").await;
        assert_eq!((answer.status, answer.json()), (200, json!({"status": status})));
    }
}

#[tokio::test]
async fn a_server_whose_runs_nobody_drives_is_alive_and_not_ready() {
    let health = WorkerHealth::default();
    let options = Options { worker_health: health.clone(), ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    assert_eq!(world.get("/readyz").await.status, 200);
    health.set(false);
    world.get("/readyz").await.is(503, "UNATTENDED");
    assert_eq!(world.get("/healthz").await.status, 200);
    // It is asked every second, and whoever keeps the server is not told every second.
    assert!(world.incidents.lock().unwrap().is_empty());
    health.set(true);
    assert_eq!(world.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn a_head_is_answered_without_a_body() {
    let world = World::new().await;
    let answer = world.ask(world.request("HEAD", "/healthz"), "").await;
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
    let answer = world.ask(world.request("HEAD", "/api/runs/nobody"), "").await;
    assert_eq!((answer.status, answer.text.as_str()), (404, ""));
}

#[tokio::test]
async fn a_request_keeps_its_name() {
    let world = World::new().await;
    let named = world.request("GET", "/api/runs/nobody").header("x-request-id", "mine-1");
    let answer = world.ask(named, "").await;
    assert_eq!(answer.is(404, "RUN_NOT_FOUND").json()["requestId"], "mine-1");
    let unfit = world.request("GET", "/api/runs/nobody").header("x-request-id", "a b");
    let answer = world.ask(unfit, "").await;
    assert_eq!(answer.json()["requestId"].as_str().unwrap().len(), 36);
}

#[tokio::test]
async fn a_server_that_stops_ends_its_streams_and_answers_nobody_new() {
    let mut world = World::new().await;
    let run = world.start("sample/approval", json!({})).await;
    let mut events = world.events(&format!("/api/runs/{run}/events"), None).await;
    assert_eq!(events.next().await.unwrap().id, Some(0));
    world.tell_to_stop();
    while events.next().await.is_some() {}
    let address = world.address;
    world.stop().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}
