//! What runs wait for.

use consign_contracts::{Contract, json};
use serde_json::{Value, json};

use crate::world::World;

fn names(page: &Value) -> Vec<String> {
    let entries = page["items"].as_array().unwrap().iter();
    entries
        .map(|entry| {
            format!("{}/{}", entry["run"].as_str().unwrap(), entry["interaction"].as_str().unwrap())
        })
        .collect()
}

#[tokio::test]
async fn the_inbox_is_filtered_and_comes_in_pages() {
    let world = World::new().await;
    for (id, workflow, input) in [
        ("one", "sample/approval", json!({"asks": 3})),
        ("two", "agent/call", json!({"agent": "outside", "input": {}})),
    ] {
        let wanted = json!({"workflow": workflow, "input": input, "id": id});
        assert_eq!(world.post("/api/runs", &wanted).await.status, 201);
        world.until_waiting(id).await;
    }
    let page = world.get("/api/inbox").await;
    assert_eq!(names(&page.json()), ["one/ask-1", "one/ask-2", "one/ask-3", "two/call"]);
    let contract = Contract::find("engine/interaction").unwrap();
    let tree = json::parse(page.text.as_bytes()).unwrap();
    for entry in tree.get("items").unwrap().as_array().unwrap() {
        assert!(contract.schema().check(entry).is_valid());
    }
    let listed = async |query: &str| names(&world.get(&format!("/api/inbox?{query}")).await.json());
    assert_eq!(listed("run=two").await, ["two/call"]);
    assert_eq!(listed("kind=approval&limit=2").await, ["one/ask-1", "one/ask-2"]);
    assert_eq!(listed("agent=outside").await, ["two/call"]);
    assert_eq!(listed("owner=local&kind=agent_response").await, ["two/call"]);
    assert_eq!(listed("owner=ada").await, [""; 0]);
    assert_eq!(listed("answered=true").await, [""; 0]);
    let yes = json!({"value": true});
    assert_eq!(world.post("/api/runs/one/answers/ask-3", &yes).await.status, 200);
    let answered = world.get("/api/inbox?answered=true").await.json();
    assert_eq!(names(&answered), ["one/ask-3"]);
    assert_eq!(answered["items"][0]["answered_by"], "http:token");
    assert_eq!(listed("cursor=one%2Fask-2").await, ["two/call"]);
    let first = world.get("/api/inbox?limit=2").await.json();
    assert_eq!(first["cursor"], "one/ask-2");
    for wrong in ["kind=odd", "cursor=one", "cursor=one/ask-9", "answered=maybe", "run=%ff"] {
        world.get(&format!("/api/inbox?{wrong}")).await.is(400, "VALIDATION_ERROR");
    }
    world.get("/api/inbox?run=nobody").await.is(404, "RUN_NOT_FOUND");
}

#[tokio::test]
async fn whoever_has_the_page_is_not_sent_it_again() {
    let world = World::new().await;
    let run = world.start("sample/approval", json!({})).await;
    world.until_waiting(&run).await;
    let tag = world.get("/api/inbox").await.header("etag").unwrap().to_owned();
    let again = || world.request("GET", "/api/inbox").header("if-none-match", &tag);
    let same = world.ask(again(), "").await;
    assert_eq!((same.status, same.text.as_str(), same.header("etag")), (304, "", Some(&*tag)));
    let answer =
        world.post(&format!("/api/runs/{run}/answers/ask-1"), &json!({"value": true})).await;
    assert_eq!(answer.status, 200);
    let other = world.ask(again(), "").await;
    assert_eq!((other.status, names(&other.json())), (200, Vec::new()));
}
