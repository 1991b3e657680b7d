//! The document of what the server offers.

use consign_engine::Status;
use serde_json::{Value, json};

use crate::world::World;

async fn document(world: &World) -> Value {
    let request = hyper::Request::builder().uri("/openapi.json").header("host", "localhost");
    let answer = world.ask(request, "").await;
    assert_eq!(answer.status, 200);
    answer.json()
}

/// A path with something for every name in it.
fn target_of(path: &str) -> String {
    let words = [("{id}", "nobody"), ("{key}", "ask"), ("{name}", "none"), ("{path}", "a/b.md")];
    let words = words.into_iter().chain([("{provider}", "openai"), ("{type}", "trace")]);
    let words =
        words.chain([("{source_id}", "src_nothing"), ("{session}", "none"), ("{turn}", "1")]);
    words.fold(path.to_owned(), |path, (name, word)| path.replace(name, word))
}

#[tokio::test]
async fn every_operation_of_the_document_is_there() {
    let world = World::new().await;
    let document = document(&world).await;
    let paths = document["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 80);
    for (path, item) in paths {
        let target = target_of(path);
        for method in item.as_object().unwrap().keys() {
            let request = world.request(&method.to_uppercase(), &target);
            let answer = world.ask(request, "").await;
            let told = format!("{method} {path}: {}", answer.text);
            assert_ne!(answer.status, 405, "{told}");
            // What it is asked for need not be there, but the route is.
            assert!(!answer.text.contains("there is no such route"), "{told}");
        }
        for method in ["DELETE", "PUT", "PATCH", "OPTIONS"] {
            if item.get(method.to_lowercase()).is_some() {
                continue;
            }
            let answer = world.ask(world.request(method, &target), "").await;
            answer.is(405, "METHOD_NOT_ALLOWED");
            let allowed = answer.header("allow").unwrap().to_lowercase();
            assert!(item.as_object().unwrap().keys().all(|known| allowed.contains(known)));
        }
    }
}

#[tokio::test]
async fn the_document_is_openapi() {
    let world = World::new().await;
    let document = document(&world).await;
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["info"]["title"].is_string() && document["info"]["version"].is_string());
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for (name, schema) in schemas {
        assert!(jsonschema::draft202012::meta::is_valid(schema), "{name}");
    }
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            assert!(operation["operationId"].is_string() && operation["summary"].is_string());
            for response in operation["responses"].as_object().unwrap().values() {
                assert!(response["description"].is_string() || response["$ref"].is_string());
            }
            for parameter in operation["parameters"].as_array().unwrap_or(&Vec::new()) {
                assert!(parameter["$ref"].is_string() || parameter["schema"].is_object());
            }
        }
    }
}

/// What is answered is what the document says is answered.
#[tokio::test]
async fn answers_keep_to_the_document() {
    let world = World::new().await;
    let document = document(&world).await;
    let run = world.start("sample/approval", json!({})).await;
    world.until(&run, |row| row.status == Status::Waiting).await;
    let schema = |method: &str, path: &str, status: u16| {
        let responses = &document["paths"][path][method]["responses"];
        let mut response = responses[status.to_string()].clone();
        if let Some(place) = response["$ref"].as_str() {
            response = document.pointer(&place[1..]).unwrap().clone();
        }
        response["content"]["application/json"]["schema"].clone()
    };
    let page = world.request("GET", &format!("/api/runs/{run}/events"));
    let events = world.ask(page.header("accept", "application/json"), "").await;
    let start = json!({"workflow": "sample/approval", "id": "again"});
    let to_run = |end: &str| format!("/api/runs/{run}/{end}");
    let job = json!({"name": "paint", "objective": "Paint the fence."});
    let wait = json!({"detach": false});
    let of_job = async |end: &str| world.get(&format!("/api/jobs/paint/{end}")).await;
    for (method, path, answer) in [
        ("post", "/api/jobs", world.post("/api/jobs", &job).await),
        ("post", "/api/jobs", world.post("/api/jobs", &json!({})).await),
        ("get", "/api/jobs", world.get("/api/jobs").await),
        ("get", "/api/jobs/{id}", world.get("/api/jobs/paint").await),
        ("get", "/api/jobs/{id}/history", of_job("history").await),
        ("get", "/api/jobs/{id}/audit", of_job("audit").await),
        ("get", "/api/jobs/{id}/preview", of_job("preview").await),
        ("get", "/api/jobs/{id}/replay", of_job("replay").await),
        ("get", "/api/jobs/{id}/metrics", of_job("metrics").await),
        ("post", "/api/jobs/{id}/activate", world.post("/api/jobs/paint/activate", &wait).await),
        ("post", "/api/jobs/{id}/cancel", world.post("/api/jobs/paint/cancel", &json!({})).await),
        ("get", "/api/runs", world.get("/api/runs").await),
        ("get", "/api/runs", world.get("/api/runs?limit=0").await),
        ("get", "/api/runs/{id}", world.get(&format!("/api/runs/{run}")).await),
        ("get", "/api/runs/{id}/events", events),
        ("get", "/api/inbox", world.get("/api/inbox").await),
        ("get", "/api/inbox", world.get("/api/inbox?kind=odd&x=1").await),
        ("get", "/healthz", world.get("/healthz").await),
        ("get", "/readyz", world.get("/readyz").await),
        ("get", "/openapi.json", world.get("/openapi.json").await),
        ("post", "/api/runs", world.post("/api/runs", &start).await),
        ("post", "/api/runs", world.post("/api/runs", &start).await),
        ("post", "/api/runs", world.post_text("/api/runs", "{").await),
        ("post", "/api/v1/process", world.post("/api/v1/process", &json!({"do": "check"})).await),
        (
            "post",
            "/api/runs/{id}/answers/{key}",
            world.post(&to_run("answers/ask-1"), &json!({"value": 1})).await,
        ),
        (
            "post",
            "/api/runs/{id}/raise",
            world.post(&to_run("raise"), &json!({"cost_usd": 20})).await,
        ),
        (
            "post",
            "/api/runs/{id}/answers/{key}",
            world.post(&to_run("answers/ask-1"), &json!({"value": true})).await,
        ),
        ("post", "/api/runs/{id}/cancel", world.post("/api/runs/again/cancel", &json!({})).await),
    ] {
        let mut schema = schema(method, path, answer.status);
        assert!(schema.is_object(), "{method} {path}: {}", answer.text);
        schema["components"] = document["components"].clone();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let errors: Vec<_> =
            validator.iter_errors(&answer.json()).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}: {}", answer.text);
    }
}
