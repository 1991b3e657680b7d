//! Requests that break their contract, route by route; and a store that fails under every route.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{client::Answer, world::World};

/// A method and a path as `/openapi.json` has them, a request, and what is wrong with it: the part, the pointer and the
/// keyword of the first breach.
type Broken = (&'static str, &'static str, Option<Value>, [&'static str; 3]);

fn broken_requests() -> Vec<Broken> {
    let started = |body: Value, pointer, keyword| {
        ("post /api/runs", "/api/runs", Some(body), ["body", pointer, keyword])
    };
    let to_run = |route, target, body: Value, pointer, keyword| {
        (route, target, Some(body), ["body", pointer, keyword])
    };
    let asked =
        |route, target, pointer, keyword| (route, target, None, ["query", pointer, keyword]);
    let (process, runs, run) = ("post /api/v1/process", "get /api/runs", "get /api/runs/{id}");
    let (events, inbox) = ("get /api/runs/{id}/events", "get /api/inbox");
    let answer = "post /api/runs/{id}/answers/{key}";
    let (raise, cancel) = ("post /api/runs/{id}/raise", "post /api/runs/{id}/cancel");
    let (approve, reject) = ("post /api/runs/{id}/approve", "post /api/runs/{id}/reject");
    let (fork, retry) = ("post /api/runs/{id}/fork", "post /api/runs/{id}/retry");
    let (signal, points) = ("post /api/runs/{id}/signals", "get /api/runs/{id}/points");
    let pipeline = "post /api/pipelines/{name}/runs";
    let (jobs, new_job) = ("get /api/jobs", "post /api/jobs");
    let of_job = |route, target| (route, target, None, ["query", "", "additionalProperties"]);
    let to_job =
        |route, target, body: Value, keyword| (route, target, Some(body), ["body", "", keyword]);
    let strange = json!({"strange": 1});
    let job = json!({"name": "j", "objective": "x", "phases": [{"name": "a", "task": "x", "supervisor": true}]});
    vec![
        asked(jobs, "/api/jobs?status=odd", "/status", "enum"),
        asked(jobs, "/api/jobs?limit=0", "/limit", "minimum"),
        asked(jobs, "/api/jobs?before=a%2Fb", "/before", "pattern"),
        to_run(new_job, "/api/jobs", json!({"name": "../x", "objective": "x"}), "/name", "pattern"),
        to_run(
            new_job,
            "/api/jobs",
            json!({"name": "x", "objective": ""}),
            "/objective",
            "pattern",
        ),
        to_run(new_job, "/api/jobs", job, "/phases/0/supervisor", "not"),
        of_job("get /api/jobs/{id}", "/api/jobs/j?full=true"),
        ("get /api/jobs/{id}", "/api/jobs/%ff", None, ["path", "", "encoding"]),
        asked("get /api/jobs/{id}/history", "/api/jobs/j/history?from=-1", "/from", "minimum"),
        of_job("get /api/jobs/{id}/audit", "/api/jobs/j/audit?x=1"),
        of_job("get /api/jobs/{id}/preview", "/api/jobs/j/preview?x=1"),
        of_job("get /api/jobs/{id}/replay", "/api/jobs/j/replay?x=1"),
        of_job("get /api/jobs/{id}/metrics", "/api/jobs/j/metrics?x=1"),
        to_run(
            "post /api/jobs/{id}/activate",
            "/api/jobs/j/activate",
            json!({"detach": 1}),
            "/detach",
            "type",
        ),
        to_job(
            "post /api/jobs/{id}/run",
            "/api/jobs/j/run",
            strange.clone(),
            "additionalProperties",
        ),
        to_job(
            "post /api/jobs/{id}/step",
            "/api/jobs/j/step",
            strange.clone(),
            "additionalProperties",
        ),
        to_job("post /api/jobs/{id}/advise", "/api/jobs/j/advise", json!({}), "required"),
        to_run(
            "post /api/jobs/{id}/advise",
            "/api/jobs/j/advise",
            json!({"text": " "}),
            "/text",
            "pattern",
        ),
        to_job(
            "post /api/jobs/{id}/halt",
            "/api/jobs/j/halt",
            strange.clone(),
            "additionalProperties",
        ),
        to_job(
            "post /api/jobs/{id}/approve",
            "/api/jobs/j/approve",
            strange.clone(),
            "additionalProperties",
        ),
        to_job("post /api/jobs/{id}/reject", "/api/jobs/j/reject", json!({}), "required"),
        to_job("post /api/jobs/{id}/raise", "/api/jobs/j/raise", json!({}), "minProperties"),
        to_run(
            "post /api/jobs/{id}/raise",
            "/api/jobs/j/raise",
            json!({"cost_threshold": 1e99}),
            "/cost_threshold",
            "maximum",
        ),
        to_job(
            "post /api/jobs/{id}/cancel",
            "/api/jobs/j/cancel",
            strange.clone(),
            "additionalProperties",
        ),
        to_job("post /api/jobs/{id}/restore", "/api/jobs/j/restore", json!({}), "required"),
        to_job("post /api/jobs/{id}/rerun", "/api/jobs/j/rerun", json!({}), "required"),
        to_job("post /api/jobs/{id}/adopt", "/api/jobs/j/adopt", strange, "additionalProperties"),
        to_run(process, "/api/v1/process", json!({"do": "check"}), "", "required"),
        asked(process, "/api/v1/process?durable=yes", "/durable", "type"),
        asked(process, "/api/v1/process?until=", "/until", "minLength"),
        asked(process, "/api/v1/process?unitl=plan", "", "additionalProperties"),
        started(json!({}), "", "required"),
        started(json!({"workflow": ""}), "/workflow", "minLength"),
        started(json!({"workflow": "sample/steps", "id": "../x"}), "/id", "pattern"),
        started(json!({"workflow": "a", "limits": {"calls": 1.5}}), "/limits/calls", "type"),
        started(json!({"workflow": "a", "limits": {"calls": 1e30}}), "/limits/calls", "maximum"),
        asked("post /api/runs", "/api/runs?id=x", "", "additionalProperties"),
        asked(runs, "/api/runs?limit=1001", "/limit", "maximum"),
        asked(runs, "/api/runs?limit=few", "/limit", "type"),
        asked(runs, "/api/runs?status=odd", "/status", "enum"),
        asked(runs, "/api/runs?cursor=a%2Fb", "/cursor", "pattern"),
        asked(runs, "/api/runs?owner=a&owner=b", "/owner", "duplicate"),
        asked(runs, "/api/runs?owner=%ff", "", "encoding"),
        asked(run, "/api/runs/r?full=true", "", "additionalProperties"),
        (run, "/api/runs/%ff", None, ["path", "", "encoding"]),
        asked(events, "/api/runs/r/events?after=-1", "/after", "minimum"),
        asked(events, "/api/runs/r/events?limit=0", "/limit", "minimum"),
        asked(inbox, "/api/inbox?kind=odd", "/kind", "enum"),
        asked(inbox, "/api/inbox?cursor=nothing", "/cursor", "cursor"),
        asked(inbox, "/api/inbox?cursor=r/nothing", "/cursor", "cursor"),
        to_run(answer, "/api/runs/r/answers/ask-1", json!({}), "", "minProperties"),
        to_run(answer, "/api/runs/r/answers/ask-1", json!({"decline": 1}), "/decline", "type"),
        asked(answer, "/api/runs/r/answers/ask-1?force=1", "", "additionalProperties"),
        (answer, "/api/runs/r/answers/%ff", None, ["path", "", "encoding"]),
        to_run(raise, "/api/runs/r/raise", json!({}), "", "minProperties"),
        to_run(raise, "/api/runs/r/raise", json!({"cost_usd": "1"}), "/cost_usd", "type"),
        to_run(raise, "/api/runs/r/raise", json!({"cost_usd": 1e99}), "/cost_usd", "maximum"),
        to_run(cancel, "/api/runs/r/cancel", json!({"reason": 1}), "/reason", "type"),
        to_run(cancel, "/api/runs/r/cancel", json!([]), "", "type"),
        asked(cancel, "/api/runs/r/cancel?now=1", "", "additionalProperties"),
        to_run(approve, "/api/runs/r/approve", json!({"why": ""}), "/why", "minLength"),
        to_run(reject, "/api/runs/r/reject", json!({}), "", "required"),
        to_run(signal, "/api/runs/r/signals", json!({"value": 1}), "", "required"),
        of_job("post /api/runs/{id}/redact", "/api/runs/r/redact?x=1"),
        to_run(fork, "/api/runs/r/fork", json!({}), "", "required"),
        to_run(fork, "/api/runs/r/fork", json!({"at": -1}), "/at", "minimum"),
        to_run(fork, "/api/runs/r/fork", json!({"at": 1.5}), "/at", "type"),
        to_run(retry, "/api/runs/r/retry", json!({"from": ""}), "/from", "minLength"),
        to_run(
            retry,
            "/api/runs/r/retry",
            json!({"limits": {"calls": 1e30}}),
            "/limits/calls",
            "maximum",
        ),
        asked(points, "/api/runs/r/points?all=1", "", "additionalProperties"),
        asked(pipeline, "/api/pipelines/p/runs?wait=-1", "/wait", "minimum"),
        to_run(pipeline, "/api/pipelines/p/runs", json!({"in": 1}), "", "additionalProperties"),
        asked("get /api/agents/jobs", "/api/agents/jobs?limit=101", "/limit", "maximum"),
        asked("get /api/agents/jobs", "/api/agents/jobs?limit=0", "/limit", "minimum"),
        asked("get /api/agents/jobs", "/api/agents/jobs?type=poet", "/type", "enum"),
        asked("get /api/agents/jobs", "/api/agents/jobs?state=done", "/state", "enum"),
        to_run("post /api/agents/jobs", "/api/agents/jobs", json!({}), "/type", "validation-error"),
        asked("get /api/agents/jobs/{id}", "/api/agents/jobs/j?include=all", "/include", "pattern"),
        asked(
            "get /api/agents/jobs/{id}/events",
            "/api/agents/jobs/j/events?after=-1",
            "/after",
            "minimum",
        ),
        of_job("get /api/agents/jobs/{id}/archive", "/api/agents/jobs/j/archive?x=1"),
        of_job(
            "get /api/agents/jobs/{id}/artifacts/{path}",
            "/api/agents/jobs/j/artifacts/a/b?x=1",
        ),
        of_job("post /api/agents/jobs/{id}/cancel", "/api/agents/jobs/j/cancel?x=1"),
        to_run(
            "post /api/agents/jobs/{id}/approve",
            "/api/agents/jobs/j/approve",
            json!({"digest": 1}),
            "/digest",
            "type",
        ),
        to_run(
            "post /api/agents/jobs/{id}/reject",
            "/api/agents/jobs/j/reject",
            json!({"why": ""}),
            "/why",
            "minLength",
        ),
        to_run(
            "post /api/agents/jobs/{id}/revise",
            "/api/agents/jobs/j/revise",
            json!({"instruction": "x", "mode": "new", "scope": "both"}),
            "/mode",
            "enum",
        ),
        of_job("get /api/agents/jobs/{id}/revisions", "/api/agents/jobs/j/revisions?x=1"),
        to_run(
            "post /api/agents/jobs/{id}/comments",
            "/api/agents/jobs/j/comments",
            json!({"text": ""}),
            "/text",
            "minLength",
        ),
        asked(
            "get /api/agents/jobs/{id}/comments",
            "/api/agents/jobs/j/comments?limit=101",
            "/limit",
            "maximum",
        ),
        to_job("post /auth/signup", "/auth/signup", json!({}), "required"),
        to_run(
            "post /auth/signup",
            "/auth/signup",
            json!({"email": "a@b.c", "password": "short"}),
            "/password",
            "minLength",
        ),
        to_job("post /auth/verify", "/auth/verify", json!({"email": "a@b.c"}), "required"),
        to_job("post /auth/resend", "/auth/resend", json!({}), "required"),
        to_job("post /auth/login", "/auth/login", json!({"email": "a@b.c"}), "required"),
        of_job("post /auth/logout", "/auth/logout?x=1"),
        of_job("get /auth/me", "/auth/me?x=1"),
        to_job("post /auth/password", "/auth/password", json!({}), "required"),
        to_job(
            "post /auth/reset",
            "/auth/reset",
            json!({"email": "a@b.c", "code": "123456"}),
            "required",
        ),
        to_job("post /auth/setup", "/auth/setup", json!({}), "required"),
        of_job("get /auth/setup", "/auth/setup?token=x"),
        of_job("get /auth/oauth/{provider}", "/auth/oauth/github?x=1"),
        of_job("get /auth/oauth/{provider}/callback", "/auth/oauth/github/callback?x=1"),
        of_job("get /api/tokens", "/api/tokens?x=1"),
        to_run("post /api/tokens", "/api/tokens", json!({"scopes": ["root"]}), "/scopes/0", "enum"),
        of_job("delete /api/tokens/{id}", "/api/tokens/t?x=1"),
        of_job("get /api/users", "/api/users?x=1"),
        of_job("post /api/users/{id}/disable", "/api/users/u/disable?x=1"),
        of_job("post /api/users/{id}/enable", "/api/users/u/enable?x=1"),
        of_job("get /api/settings/ai-keys", "/api/settings/ai-keys?x=1"),
        to_job(
            "post /api/settings/ai-keys",
            "/api/settings/ai-keys",
            json!({"provider": "openai"}),
            "required",
        ),
        to_job(
            "put /api/settings/ai-keys/{provider}",
            "/api/settings/ai-keys/openai",
            json!({}),
            "required",
        ),
        of_job("delete /api/settings/ai-keys/{provider}", "/api/settings/ai-keys/openai?x=1"),
        of_job(
            "post /api/settings/ai-keys/{provider}/test",
            "/api/settings/ai-keys/openai/test?x=1",
        ),
        asked("get /api/documents", "/api/documents?limit=0", "/limit", "minimum"),
        asked("get /api/documents", "/api/documents?owner=x", "", "additionalProperties"),
        asked("post /api/documents", "/api/documents?wait=31", "/wait", "maximum"),
        to_run(
            "post /api/documents",
            "/api/documents",
            json!({"sources": []}),
            "/sources",
            "minItems",
        ),
        to_run(
            "post /api/documents",
            "/api/documents",
            json!({"sources": [{"source_type": "ftp", "source_identifier": "x"}]}),
            "/sources/0/source_type",
            "enum",
        ),
        to_run(
            "post /api/documents",
            "/api/documents",
            json!({"sources": [{"source_type": "web", "source_identifier": "x"}], "trust": "named"}),
            "",
            "additionalProperties",
        ),
        asked("get /api/documents/{source_id}", "/api/documents/s?text=1", "/text", "type"),
        asked("get /api/documents/{source_id}", "/api/documents/s?start=-1", "/start", "minimum"),
        of_job("delete /api/documents/{source_id}", "/api/documents/s?x=1"),
        to_job("post /api/search", "/api/search", json!({}), "required"),
        to_run(
            "post /api/search",
            "/api/search",
            json!({"query_text": "x", "top_k": 0}),
            "/top_k",
            "minimum",
        ),
        to_run(
            "post /api/search",
            "/api/search",
            json!({"query_text": "x", "collection": ""}),
            "/collection",
            "minLength",
        ),
        asked("get /api/conversations", "/api/conversations?limit=0", "/limit", "minimum"),
        asked("get /api/conversations", "/api/conversations?cursor=x", "/cursor", "cursor"),
        of_job("get /api/conversations/{session}", "/api/conversations/s?x=1"),
        of_job("delete /api/conversations/{session}", "/api/conversations/s?x=1"),
        to_job(
            "post /api/conversations/{session}/turns",
            "/api/conversations/s/turns",
            json!({}),
            "required",
        ),
        to_run(
            "post /api/conversations/{session}/turns",
            "/api/conversations/s/turns",
            json!({"user_message": " "}),
            "/user_message",
            "pattern",
        ),
        to_run(
            "post /api/conversations/{session}/turns",
            "/api/conversations/s/turns",
            json!({"user_message": "x", "persona": "Pirate"}),
            "/persona",
            "pattern",
        ),
        to_job(
            "post /api/conversations/{session}/turns",
            "/api/conversations/s/turns",
            json!({"user_message": "x", "model": "openai/gpt-5"}),
            "additionalProperties",
        ),
        to_run(
            "post /api/conversations/{session}/turns",
            "/api/conversations/s/turns",
            json!({"user_message": "x", "user_id": "somebody"}),
            "/user_id",
            "const",
        ),
        (
            "post /api/conversations/{session}/turns",
            "/api/conversations/%07/turns",
            Some(json!({"user_message": "x"})),
            ["path", "/session", "name"],
        ),
        asked(
            "get /api/conversations/{session}/turns/{turn}",
            "/api/conversations/s/turns/1?wait=-1",
            "/wait",
            "minimum",
        ),
        to_job("post /api/guard", "/api/guard", json!({"content": "x"}), "required"),
        to_run(
            "post /api/guard",
            "/api/guard",
            json!({"content": "x", "check_type": "sideways"}),
            "/check_type",
            "enum",
        ),
        of_job("get /api/settings/credentials", "/api/settings/credentials?x=1"),
        to_job(
            "post /api/settings/credentials",
            "/api/settings/credentials",
            json!({"name": "x"}),
            "required",
        ),
        to_job(
            "put /api/settings/credentials/{name}",
            "/api/settings/credentials/x",
            json!({}),
            "required",
        ),
        of_job("delete /api/settings/credentials/{name}", "/api/settings/credentials/x?x=1"),
        of_job("get /api/settings/github", "/api/settings/github?x=1"),
        to_job("put /api/settings/github", "/api/settings/github", json!({}), "required"),
        of_job("delete /api/settings/github", "/api/settings/github?x=1"),
        of_job("get /api/settings/agents/{type}", "/api/settings/agents/trace?x=1"),
        to_run(
            "put /api/settings/agents/{type}",
            "/api/settings/agents/trace",
            json!({"model": 1}),
            "/model",
            "type",
        ),
    ]
}

async fn send(world: &World, route: &str, target: &str, body: Option<&Value>) -> Answer {
    let method = route.split(' ').next().unwrap().to_uppercase();
    let request = world.request(&method, target);
    let (request, body) = match (method.as_str(), body) {
        ("GET" | "DELETE", _) => (request, String::new()),
        (_, body) => {
            let body = body.map_or_else(|| json!({"value": true}).to_string(), Value::to_string);
            (request.header("content-type", "application/json"), body)
        }
    };
    world.ask(request, body).await
}

/// Every route that checks something, as the document says.
async fn routes_with_a_contract(world: &World) -> BTreeSet<String> {
    let document = world.get("/openapi.json").await.json();
    let paths = document["paths"].as_object().unwrap().clone();
    let mut routes = BTreeSet::new();
    for (path, item) in paths {
        for (method, operation) in item.as_object().unwrap() {
            if operation["responses"].get("400").is_some() {
                routes.insert(format!("{method} {path}"));
            }
        }
    }
    routes
}

/// A run of this name that waits for `ask-1`.
async fn waiting_run(world: &World) {
    let wanted = json!({"workflow": "sample/approval", "id": "r"});
    assert_eq!(world.post("/api/runs", &wanted).await.status, 201);
    world.until_waiting("r").await;
}

#[tokio::test]
async fn a_request_that_breaks_its_contract_is_400_with_its_breaches() {
    let world = World::new().await;
    waiting_run(&world).await;
    let broken = broken_requests();
    for (route, target, body, [part, pointer, keyword]) in &broken {
        let answer = send(&world, route, target, body.as_ref()).await;
        answer.is(400, "VALIDATION_ERROR");
        let details = answer.json()["error"]["details"].clone();
        let told = [
            &details["in"],
            &details["breaches"][0]["pointer"],
            &details["breaches"][0]["keyword"],
        ];
        assert_eq!(told, [*part, *pointer, *keyword], "{route} {target}: {}", answer.text);
    }
    let tried: BTreeSet<String> = broken.iter().map(|(route, ..)| (*route).to_owned()).collect();
    assert_eq!(tried, routes_with_a_contract(&world).await);
    // Nothing of it was carried out.
    assert_eq!(world.get("/api/runs").await.json()["items"].as_array().unwrap().len(), 1);
    assert_eq!(world.get("/api/runs/r").await.json()["status"], "waiting");
}

#[tokio::test]
async fn several_breaches_are_told_together() {
    let world = World::new().await;
    let answer = world.get("/api/runs?limit=0&status=odd&sort=up").await;
    let told = answer.is(400, "VALIDATION_ERROR").json()["error"]["details"]["breaches"].clone();
    let pointers: Vec<_> =
        told.as_array().unwrap().iter().map(|breach| breach["pointer"].as_str().unwrap()).collect();
    assert_eq!(pointers, ["", "/limit", "/status"], "{told}");
    let body = json!({"workflow": 1, "certified": "yes"});
    let told = world.post("/api/runs", &body).await.is(400, "VALIDATION_ERROR").json();
    assert_eq!(told["error"]["details"]["breaches"].as_array().unwrap().len(), 2, "{told}");
}

#[tokio::test]
async fn a_header_that_breaks_its_contract_is_400_too() {
    let world = World::new().await;
    waiting_run(&world).await;
    for wrong in ["x", "-1", "1.5", "99999999999999999999"] {
        let request = world.request("GET", "/api/runs/r/events").header("last-event-id", wrong);
        let answer = world.ask(request, "").await;
        let details = answer.is(400, "VALIDATION_ERROR").json()["error"]["details"].clone();
        assert_eq!(details["in"], "header");
        assert_eq!(details["breaches"][0]["pointer"], "/last-event-id");
    }
}

#[tokio::test]
async fn a_body_that_is_not_json_is_400_and_says_where_it_stops_being_json() {
    let world = World::new().await;
    waiting_run(&world).await;
    let routes = [
        "/api/v1/process",
        "/api/runs",
        "/api/runs/r/answers/ask-1",
        "/api/runs/r/raise",
        "/api/runs/r/cancel",
    ];
    for target in routes {
        for (body, reason, at) in [
            ("{\"a\": 1,\n \"b\": nonsense}", "syntax", [15, 2, 7]),
            ("{\"a\": [1", "unfinished", [8, 1, 9]),
            ("{\"a\": 1, \"a\": 2}", "repeated-key", [9, 1, 10]),
        ] {
            let answer = world.post_text(target, body).await;
            let details = answer.is(400, "VALIDATION_ERROR").json()["error"]["details"].clone();
            assert_eq!(details["reason"], reason, "{target}: {}", answer.text);
            let found = [&details["offset"], &details["line"], &details["column"]];
            assert_eq!(found, [at[0], at[1], at[2]], "{target}: {}", answer.text);
            assert_eq!(details["breaches"][0]["keyword"], "malformed");
        }
        let deep = "[".repeat(100_000);
        world.post_text(target, deep).await.is(400, "VALIDATION_ERROR");
        world.post_text(target, &b"{\"a\": \"\xff\"}"[..]).await.is(400, "VALIDATION_ERROR");
    }
    assert_eq!(world.get("/api/runs/r").await.json()["status"], "waiting");
}

/// The pipeline, the workflow and the schema of a question are contracts as well; only the engine knows them.
#[tokio::test]
async fn what_the_engine_finds_wrong_with_a_request_is_400_as_well() {
    let world = World::new().await;
    waiting_run(&world).await;
    let answer = world.post("/api/runs/r/answers/ask-1", &json!({"value": "yes"})).await;
    let told = answer.is(400, "VALIDATION_ERROR").json();
    assert_eq!(told["error"]["details"]["breaches"][0]["keyword"], "type", "{told}");
    let input = json!({"workflow": "sample/steps", "input": {"steps": -1}});
    let told = world.post("/api/runs", &input).await.is(400, "VALIDATION_ERROR").json();
    let breach = &told["error"]["details"]["breaches"][0];
    assert_eq!(
        (&breach["pointer"], &breach["keyword"]),
        (&json!("/steps"), &json!("invalid-input"))
    );
    let input = json!({"workflow": "agent/map", "input": {"agent": "outside", "inputs": 1}});
    let told = world.post("/api/runs", &input).await.is(400, "VALIDATION_ERROR").json();
    let breach = &told["error"]["details"]["breaches"][0];
    assert_eq!((&breach["pointer"], &breach["message"]), (&json!(""), &told["error"]["message"]));
}

#[tokio::test]
async fn a_store_that_fails_is_500_under_every_route() {
    let world = World::new().await;
    waiting_run(&world).await;
    let file = world.home.path().join("consign.db");
    let database = rusqlite::Connection::open(file).unwrap();
    for table in ["runs", "journal", "interactions"] {
        database.execute_batch(&format!("ALTER TABLE {table} RENAME TO lost_{table}")).unwrap();
    }
    let value = json!({"value": true});
    for (method, target, body) in [
        ("GET", "/readyz", &json!(null)),
        ("GET", "/api/runs", &json!(null)),
        ("GET", "/api/runs/r", &json!(null)),
        ("GET", "/api/runs/r/events", &json!(null)),
        ("GET", "/api/inbox", &json!(null)),
        ("POST", "/api/v1/process", &json!({"do": "unavailable"})),
        ("POST", "/api/v1/process", &json!({"do": "damaged"})),
        ("POST", "/api/runs", &json!({"workflow": "sample/steps"})),
        ("POST", "/api/runs/r/answers/ask-1", &value),
        ("POST", "/api/runs/r/raise", &json!({"cost_usd": 20})),
        ("POST", "/api/runs/r/cancel", &json!({})),
    ] {
        let answer = match method {
            "GET" => world.get(target).await,
            _ => world.post(target, body).await,
        };
        answer.is(500, "DATABASE_ERROR");
        assert!(
            !answer.text.contains("lost_") && !answer.text.contains("table"),
            "{}",
            answer.text
        );
        let incident = world.incidents.lock().unwrap().pop().unwrap();
        assert_eq!((incident.status, incident.path.as_str()), (500, target));
        assert!(incident.code.starts_with("STORE_"), "{incident:?}");
        assert!(!incident.cause.is_empty());
    }
    assert_eq!(world.get("/healthz").await.status, 200);
}
