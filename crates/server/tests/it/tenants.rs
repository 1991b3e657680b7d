//! One user's ids are to another what random ids are, on every route.

use consign_server::route_table;
use serde_json::{Value, json};

use crate::{
    account_world::{AccountWorld, LoggedIn},
    documents,
};

/// A body that each changing route would take, so that the refusal is about the id and not about the body.
fn body_for(path: &str) -> Value {
    match path {
        "/api/runs/{id}/answers/{key}" => json!({"value": "x"}),
        "/api/runs/{id}/reject" => json!({"why": "no"}),
        "/api/runs/{id}/raise" => json!({"calls": 100}),
        "/api/runs/{id}/fork" => json!({"at": 0}),
        "/api/runs/{id}/signals" => json!({"name": "x", "value": 1}),
        "/api/jobs/{id}/reject" => json!({"why": "no"}),
        "/api/jobs/{id}/advise" => json!({"text": "go on"}),
        "/api/jobs/{id}/raise" => json!({"cost_threshold": 2000}),
        "/api/jobs/{id}/restore" => json!({"point": "start"}),
        "/api/jobs/{id}/rerun" => json!({"phase": "main"}),
        "/api/agents/jobs/{id}/revise" => {
            json!({"instruction": "shorter", "mode": "edit", "scope": "files"})
        }
        "/api/agents/jobs/{id}/comments" => json!({"text": "good"}),
        _ => json!({}),
    }
}

/// Everything that Anna has.
struct Belongings {
    run: String,
    waiting: String,
    key: String,
    job: String,
    agent_job: String,
    token: String,
    source: String,
    session: String,
}

async fn belongings(world: &AccountWorld, anna: &LoggedIn) -> Belongings {
    let start = async |workflow: &str, input: Value| {
        let body = json!({"workflow": workflow, "input": input});
        let answer = world.ask(anna, "POST", "/api/runs", &body).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        answer.json()["id"].as_str().unwrap().to_owned()
    };
    let run = start("sample/steps", json!({"steps": 1})).await;
    world.world.until_closed(&run).await;
    let waiting = start("agent/call", json!({"agent": "outside", "input": 1})).await;
    world.world.until_waiting(&waiting).await;
    let inbox = world.ask(anna, "GET", "/api/inbox", &Value::Null).await.json();
    let key = inbox["items"][0]["interaction"].as_str().unwrap().to_owned();
    let made = world
        .ask(anna, "POST", "/api/jobs", &json!({"name": "annas", "objective": "secret plans"}))
        .await;
    assert_eq!(made.status, 201, "{}", made.text);
    let submitted = world
        .ask(
            anna,
            "POST",
            "/api/agents/jobs",
            &json!({"type": "trace", "payload": {"spec": "Login: enter, submit"}}),
        )
        .await;
    assert_eq!(submitted.status, 201, "{}", submitted.text);
    let agent_job = submitted.json()["jobId"].as_str().unwrap().to_owned();
    world.world.until_closed(&agent_job).await;
    let token = world.ask(anna, "POST", "/api/tokens", &json!({"name": "annas"})).await;
    let token = token.json()["id"].as_str().unwrap().to_owned();
    let form = documents::form(&[("file", Some("annas.txt"), b"what anna has written")]);
    let mut request = world.as_user(anna, "POST", "/api/documents");
    let media = documents::media().parse().unwrap();
    request.headers_mut().unwrap().insert("content-type", media);
    let sent = world.world.ask(request, form).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    let source = sent.json()["items"][0]["source_id"].as_str().unwrap().to_owned();
    let asked = json!({"user_message": "What has Anna written?"});
    let session = "annas-own".to_owned();
    let turns = format!("/api/conversations/{session}/turns");
    let answered = world.ask(anna, "POST", &turns, &asked).await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    Belongings { run, waiting, key, job: "annas".to_owned(), agent_job, token, source, session }
}

#[tokio::test]
async fn another_users_id_is_what_a_random_id_is() {
    let world = AccountWorld::new().await;
    let _admin = world.user("admin@example.com").await;
    let (anna, ben) = (world.user("anna@example.com").await, world.user("ben@example.com").await);
    let hers = belongings(&world, &anna).await;
    let mut compared = 0;
    for route in route_table().filter(|route| route.path.contains('{') && !route.is_public) {
        if route.path.starts_with("/api/users")
            || route.path.starts_with("/api/settings")
            || route.path.starts_with("/api/pipelines")
            // The name of a session is everybody's own: conversations.rs has two users with the same.
            || (route.method, route.path) == ("POST", "/api/conversations/{session}/turns")
        {
            continue;
        }
        let (ids, random): (Vec<&str>, &str) = match route.path {
            path if path.starts_with("/api/runs") => {
                (vec![&hers.run, &hers.waiting, &hers.agent_job], "0123456789abcdef")
            }
            path if path.starts_with("/api/jobs") => (vec![&hers.job], "nobodys"),
            path if path.starts_with("/api/agents") => {
                (vec![&hers.agent_job, &hers.run], "3b1f8a44-3c6e-4b57-9a0e-0c5d0f7f9a11")
            }
            path if path.starts_with("/api/tokens") => {
                (vec![&hers.token], "3b1f8a44-3c6e-4b57-9a0e-0c5d0f7f9a11")
            }
            path if path.starts_with("/api/documents") => {
                (vec![&hers.source], "src_0123456789abcdef0123456789abcdef")
            }
            path if path.starts_with("/api/conversations") => (vec![&hers.session], "nobodys-own"),
            path => panic!("say whose ids {path} takes"),
        };
        let at = |id: &str| {
            let path = route.path.replace("{id}", id).replace("{source_id}", id);
            let path = path.replace("{key}", &hers.key).replace("{turn}", "1");
            let path = path.replace("{session}", id);
            path.replace("{*path}", "test-plan.md")
        };
        let body = if route.method == "GET" { Value::Null } else { body_for(route.path) };
        let expected = world.ask(&ben, route.method, &at(random), &body).await;
        assert_eq!(expected.status, 404, "{route:?}: {}", expected.text);
        for id in ids {
            let found = world.ask(&ben, route.method, &at(id), &body).await;
            assert_eq!(
                (found.status, found.code()),
                (404, expected.code()),
                "{route:?} {id}: {}",
                found.text
            );
            let plain = |text: &str, id: &str| text.replace(id, "ID");
            let (mut told, mut known) = (found.json(), expected.json());
            told["requestId"] = json!(null);
            known["requestId"] = json!(null);
            assert_eq!(
                plain(&told.to_string(), id),
                plain(&known.to_string(), random),
                "{route:?}"
            );
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
    // And everything of hers is as it was.
    for run in [&hers.run, &hers.waiting] {
        assert_eq!(
            world.ask(&anna, "GET", &format!("/api/runs/{run}"), &Value::Null).await.status,
            200
        );
    }
    let row = world.world.until(&hers.waiting, |_| true).await;
    assert_eq!(row.status, consign_engine::Status::Waiting);
}

#[tokio::test]
async fn lists_cursors_and_labels_show_only_what_is_ones_own() {
    let world = AccountWorld::new().await;
    let (anna, ben) = (world.user("anna@example.com").await, world.user("ben@example.com").await);
    let hers = belongings(&world, &anna).await;
    for target in [
        "/api/runs",
        "/api/runs?label=completed",
        "/api/runs?status=succeeded",
        "/api/inbox",
        "/api/inbox?answered=true",
        "/api/jobs",
        "/api/agents/jobs",
        "/api/agents/jobs?state=completed",
        "/api/agents/jobs?type=trace",
        "/api/tokens",
        "/api/documents",
        "/api/conversations",
        "/api/settings/credentials",
    ] {
        let answer = world.ask(&ben, "GET", target, &Value::Null).await;
        assert_eq!(answer.status, 200, "{target}: {}", answer.text);
        for secret in [
            &hers.run,
            &hers.waiting,
            &hers.job,
            &hers.agent_job,
            &hers.token,
            &hers.source,
            &hers.session,
            &anna.id,
        ] {
            assert!(
                !answer.text.contains(secret.as_str()),
                "{target} tells {secret}: {}",
                answer.text
            );
        }
    }
    // A cursor of hers is none of his.
    let random = world.ask(&ben, "GET", "/api/runs?cursor=0123456789abcdef", &Value::Null).await;
    let found =
        world.ask(&ben, "GET", &format!("/api/runs?cursor={}", hers.run), &Value::Null).await;
    assert_eq!((found.status, found.code()), (random.status, random.code()));
    let found = world
        .ask(&ben, "GET", &format!("/api/inbox?cursor={}/{}", hers.waiting, hers.key), &Value::Null)
        .await;
    found.is(400, "VALIDATION_ERROR");
    world
        .ask(&ben, "GET", &format!("/api/inbox?run={}", hers.waiting), &Value::Null)
        .await
        .is(404, "RUN_NOT_FOUND");
    for owner in [format!("user:{}", anna.id), "local".to_owned()] {
        world
            .ask(&ben, "GET", &format!("/api/runs?owner={owner}"), &Value::Null)
            .await
            .is(400, "VALIDATION_ERROR");
        world
            .ask(&ben, "GET", &format!("/api/inbox?owner={owner}"), &Value::Null)
            .await
            .is(400, "VALIDATION_ERROR");
    }
    // A cursor of a page of jobs belongs to its user.
    for _ in 0..2 {
        let body = json!({"type": "proto", "payload": {"goal": "a list of books"}});
        assert_eq!(world.ask(&anna, "POST", "/api/agents/jobs", &body).await.status, 201);
    }
    let page = world.ask(&anna, "GET", "/api/agents/jobs?limit=1", &Value::Null).await.json();
    let cursor = page["nextCursor"].as_str().unwrap();
    world
        .ask(&ben, "GET", &format!("/api/agents/jobs?limit=1&cursor={cursor}"), &Value::Null)
        .await
        .is(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn names_that_one_user_chose_are_free_for_another() {
    let world = AccountWorld::new().await;
    let (anna, ben) = (world.user("anna@example.com").await, world.user("ben@example.com").await);
    let body = json!({"workflow": "sample/steps", "id": "nightly", "input": {"steps": 1}});
    let hers = world.ask(&anna, "POST", "/api/runs", &body).await;
    let again = world.ask(&anna, "POST", "/api/runs", &body).await;
    let his = world.ask(&ben, "POST", "/api/runs", &body).await;
    assert_eq!((hers.status, again.status, his.status), (201, 200, 201), "{}", his.text);
    assert_eq!(hers.json()["id"], again.json()["id"]);
    assert_ne!(hers.json()["id"], his.json()["id"]);
    let job = json!({"name": "release", "objective": "release it"});
    for user in [&anna, &ben] {
        let made = world.ask(user, "POST", "/api/jobs", &job).await;
        assert_eq!(made.status, 201, "{}", made.text);
    }
    let key = |user: &LoggedIn| {
        world.as_user(user, "POST", "/api/agents/jobs").header("idempotency-key", "same")
    };
    let body = json!({"type": "trace", "payload": {"spec": "Login: enter, submit"}}).to_string();
    let hers = world.world.ask(key(&anna), body.clone()).await.json()["jobId"].clone();
    let his = world.world.ask(key(&ben), body).await.json()["jobId"].clone();
    assert!(hers.is_string() && his.is_string() && hers != his);
}

#[tokio::test]
async fn an_envelope_is_its_senders_whether_it_is_carried_or_kept() {
    let world = AccountWorld::new().await;
    let anna = world.user("anna@example.com").await;
    for target in ["/api/v1/process", "/api/v1/process?durable=true"] {
        let answer = world.ask(&anna, "POST", target, &json!({"do": ""})).await;
        assert!(answer.status < 300, "{}", answer.text);
    }
    let asked = world.world.processor.asked.lock().unwrap();
    let owner = format!("user:{}", anna.id);
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|ask| ask.owner.as_str() == owner));
    assert!(asked.iter().all(|ask| ask.by.actor.as_str() == format!("http:{owner}")));
}
