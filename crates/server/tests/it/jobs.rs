//! Supervised jobs over HTTP and MCP.

use std::{fs, time::Duration};

use consign_engine::{Data, Owner, Role, RunId, Speaker};
use consign_server::{Options, Wire};
use serde_json::{Value, json};

use crate::{mcp::Mcp, world::World};

async fn create(world: &World, body: Value) -> Value {
    let answer = world.post("/api/jobs", &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.json()
}

fn paint() -> Value {
    json!({"name": "paint", "objective": "Paint the fence."})
}

/// The job's pages of history, audit log and so on.
async fn page(world: &World, end: &str) -> Value {
    let answer = world.get(&format!("/api/jobs/paint/{end}")).await;
    assert_eq!(answer.status, 200, "{end}: {}", answer.text);
    answer.json()
}

async fn change(world: &World, end: &str, body: Value) -> (u16, Value) {
    let answer = world.post(&format!("/api/jobs/paint/{end}"), &body).await;
    (answer.status, answer.json())
}

/// Waits until no worker has the job, and it stands so.
async fn until(world: &World, run: &str, status: &str) {
    let waiting =
        world.until(run, |row| row.worker.is_none() && row.label.as_deref() == Some(status));
    let waited = tokio::time::timeout(Duration::from_secs(60), waiting).await;
    waited.unwrap_or_else(|_| panic!("the job is not {status}"));
}

/// Lets the worker of a job say these actions, one after the other.
async fn answer_by(world: &World, run: &str, actions: &[&str]) {
    let says = |action: &&str| {
        let said =
            json!({"action": action, "evidence_files": [], "summary_for_supervisor": action});
        json!({"agent": "Worker", "response": said})
    };
    let script: Vec<Value> = actions.iter().map(says).collect();
    let file = world.home.path().join("script.json");
    fs::write(&file, Value::from(script).to_string()).unwrap();
    let (settings, person) = (Data::of(&json!({"script": file})), Speaker::person("test"));
    world.engine.signal(&RunId::from(run), "agents", &settings, &person).await.unwrap();
    until(world, run, "DRAFT").await;
}

#[tokio::test]
async fn a_job_is_made_listed_and_shown() {
    let world = World::new().await;
    let phases = json!([
        {"name": "build", "task": "Build it.", "context": ["spec.md"]},
        {"name": "test", "task": "Try it.", "role": "Tester", "supervisor": false},
    ]);
    let body = json!({
        "name": "paint", "objective": "Paint the fence.", "phases": phases, "cost_threshold": 12.5,
        "time_threshold_minutes": 0, "require_approval": true,
    });
    let answer = world.post("/api/jobs", &body).await;
    assert_eq!((answer.status, answer.header("location")), (201, Some("/api/jobs/paint")));
    let made = answer.json();
    assert_eq!((&made["job_id"], &made["status"]), (&json!("paint"), &json!("DRAFT")));
    assert_eq!(made["phase"], json!({"name": "build", "number": 1, "of": 2}));
    assert_eq!(made["cost_threshold"], json!(12.5));
    assert_eq!(made["time_threshold_minutes"], json!(0));
    assert_eq!(made["require_approval"], true);
    let directory = world.home.path().canonicalize().unwrap().join("jobs/paint");
    assert_eq!(made["directory"], json!(directory));
    assert!(directory.join("job_manifest.json").is_file());
    assert_eq!(world.get("/api/jobs/paint").await.json(), made);

    let usual = create(&world, json!({"name": "b.2", "objective": "x"})).await;
    assert_eq!(usual["cost_threshold"], 1000);
    assert_eq!(usual["time_threshold_minutes"], json!(60));
    let names = async |target: &str| {
        let page = world.get(target).await.json();
        let jobs = page["jobs"].as_array().unwrap().clone();
        let names: Vec<_> = jobs.iter().map(|job| job["job_id"].as_str().unwrap()).collect();
        (names.join(" "), page["next"].as_str().map(str::to_owned))
    };
    assert_eq!(names("/api/jobs").await, ("b.2 paint".to_owned(), None));
    let (first, next) = names("/api/jobs?limit=1&status=DRAFT").await;
    let before = format!("/api/jobs?limit=1&before={}", next.unwrap());
    assert_eq!((first.as_str(), names(&before).await), ("b.2", ("paint".to_owned(), None)));
    assert_eq!(names("/api/jobs?status=SUCCESS").await, (String::new(), None));
    let line = world.get("/api/jobs?limit=1").await.json()["jobs"][0].clone();
    assert_eq!((&line["cost"], &line["run"]), (&json!(0), &usual["run"]));
    world.get("/api/jobs?before=nobody").await.is(404, "RUN_NOT_FOUND");
    world.post("/api/jobs", &paint()).await.is(409, "JOB_EXISTS");
}

#[tokio::test]
async fn a_request_names_no_path_and_no_program() {
    let world = World::new().await;
    for (member, value) in [
        ("check", json!(["true"])),
        ("repo", json!("/tmp")),
        ("roles", json!("/tmp")),
        ("directory", json!("/tmp/x")),
    ] {
        let mut body = paint();
        body[member] = value;
        let answer = world.post("/api/jobs", &body).await;
        answer.is(400, "VALIDATION_ERROR");
        assert!(answer.text.contains(member), "{}", answer.text);
    }
    let mut body = paint();
    body["phases"] = json!([{"name": "a", "task": "x", "check": ["true"]}]);
    let answer = world.post("/api/jobs", &body).await;
    answer.is(400, "VALIDATION_ERROR");
    assert!(answer.text.contains("check"), "{}", answer.text);

    for name in ["", ".", "..", "../x", "a/b", "/tmp/x", "-x", "a b", "ä", &"x".repeat(45)] {
        let answer = world.post("/api/jobs", &json!({"name": name, "objective": "x"})).await;
        let breach =
            answer.is(400, "VALIDATION_ERROR").json()["error"]["details"]["breaches"][0]["pointer"]
                .clone();
        assert_eq!(breach, "/name", "{name}");
    }
    let phase = |phase: Value| {
        let mut body = paint();
        body["phases"] = phase;
        body
    };
    for wrong in [
        json!({"name": "paint"}),
        json!({"name": "paint", "objective": " "}),
        json!({"name": "paint", "objective": "x", "cost_threshold": -1}),
        json!({"name": "paint", "objective": "x", "cost_threshold": 1e99}),
        json!({"name": "paint", "objective": "x", "time_threshold_minutes": 1e300}),
        phase(json!([])),
        phase(json!([{"name": "a", "task": " "}])),
        phase(json!([{"name": "../a", "task": "x"}])),
        phase(json!([{"name": "a", "task": "x", "role": "../../x"}])),
        phase(json!([{"name": "a", "task": "x", "supervisor": true}])),
        phase(json!([{"name": "a", "task": "x"}, {"name": "a", "task": "y"}])),
    ] {
        world.post("/api/jobs", &wrong).await.is(400, "VALIDATION_ERROR");
    }
    // A link in the folder of jobs leads nowhere.
    let jobs = world.home.path().join("jobs");
    fs::create_dir_all(&jobs).unwrap();
    let elsewhere = world.home.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, jobs.join("paint")).unwrap();
    world.post("/api/jobs", &paint()).await.is(400, "VALIDATION_ERROR");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    assert_eq!(world.get("/api/jobs").await.json()["jobs"], json!([]));
}

#[tokio::test]
async fn a_job_of_another_owner_is_not_there() {
    let world = World::new().await;
    create(&world, paint()).await;
    let mut other = Mcp::begin(&world, Role::Person, "bob").await;
    assert_eq!(other.call("job_list", json!({})).await.unwrap()["jobs"], json!([]));
    for tool in ["job_show", "job_history", "job_activate", "job_approve", "job_cancel"] {
        let told = other.call(tool, json!({"job": "paint"})).await;
        assert_eq!(told, Err("JOB_NOT_FOUND".to_owned()), "{tool}");
    }
    assert_eq!(world.get("/api/jobs/paint").await.json()["status"], "DRAFT");

    let bobs = other.call("job_new", json!({"name": "bobs", "objective": "x"})).await.unwrap();
    assert_eq!(bobs["status"], "DRAFT");
    let of_none = world.get("/api/jobs/none").await;
    let of_bob = world.get("/api/jobs/bobs").await;
    let message = |text: &Value| text["error"]["message"].clone();
    assert_eq!(message(&of_none.json()), message(&of_bob.json()));
    for name in ["bobs", "none", "..", "%2e%2e%2fx", "a%2Fb", "%00", "a%20b", &"x".repeat(300)] {
        world.get(&format!("/api/jobs/{name}")).await.is(404, "JOB_NOT_FOUND");
        let ends = ["history", "audit", "preview", "replay", "metrics"];
        for end in ends {
            world.get(&format!("/api/jobs/{name}/{end}")).await.is(404, "JOB_NOT_FOUND");
        }
    }
    for (end, body) in [
        ("activate", json!({})),
        ("run", json!({})),
        ("step", json!({})),
        ("advise", json!({"text": "x"})),
        ("halt", json!({})),
        ("approve", json!({})),
        ("reject", json!({"why": "x"})),
        ("raise", json!({"cost_threshold": 2000})),
        ("cancel", json!({})),
        ("restore", json!({"point": "start"})),
        ("rerun", json!({"phase": "main"})),
        ("adopt", json!({})),
    ] {
        world.post(&format!("/api/jobs/bobs/{end}"), &body).await.is(404, "JOB_NOT_FOUND");
    }
    assert_eq!(other.call("job_show", json!({"job": "bobs"})).await.unwrap(), bobs);
}

#[tokio::test]
async fn a_job_that_is_activated_is_pending_and_nothing_else_fits_it() {
    let world = World::new().await;
    create(&world, paint()).await;
    for (end, body) in [
        ("run", json!({})),
        ("step", json!({})),
        ("advise", json!({"text": "Use white."})),
        ("halt", json!({})),
        ("approve", json!({})),
        ("reject", json!({"why": "It is blue."})),
    ] {
        let answer = world.post(&format!("/api/jobs/paint/{end}"), &body).await;
        answer.is(409, "INVALID_STATE");
    }
    let (status, view) = change(&world, "activate", json!({"detach": false})).await;
    assert_eq!((status, &view["status"]), (200, &json!("PENDING")));
    world.post("/api/jobs/paint/activate", &json!({})).await.is(409, "INVALID_STATE");
    let advice = json!({"text": "Use white."});
    world.post("/api/jobs/paint/advise", &advice).await.is(409, "INVALID_STATE");
    for (end, body, code) in [
        ("restore", json!({"point": "phase-9-complete"}), "POINT_NOT_FOUND"),
        ("rerun", json!({"phase": "none"}), "PHASE_NOT_FOUND"),
    ] {
        world.post(&format!("/api/jobs/paint/{end}"), &body).await.is(404, code);
    }
    let (status, view) = change(&world, "raise", json!({"cost_threshold": 2000})).await;
    assert_eq!((status, &view["cost_threshold"]), (200, &json!(2000)), "{view}");
    let lower = world.post("/api/jobs/paint/raise", &json!({"cost_threshold": 1})).await;
    assert_eq!((lower.status, lower.code().as_str()), (422, "INVALID_LIMIT"));
    let (status, view) = change(&world, "cancel", json!({})).await;
    assert_eq!((status, &view["status"]), (200, &json!("CANCELED")));
    world.post("/api/jobs/paint/cancel", &json!({})).await.is(409, "INVALID_STATE");
}

#[tokio::test]
async fn what_is_for_a_person_is_refused_from_an_agent() {
    let options = Options { by: Speaker::agent("http:agent"), ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    create(&world, paint()).await;
    for (end, body) in [
        ("advise", json!({"text": "x"})),
        ("halt", json!({})),
        ("approve", json!({})),
        ("reject", json!({"why": "x"})),
        ("raise", json!({"cost_threshold": 2000})),
        ("restore", json!({"point": "start"})),
        ("rerun", json!({"phase": "main"})),
        ("adopt", json!({})),
    ] {
        let answer = world.post(&format!("/api/jobs/paint/{end}"), &body).await;
        answer.is(403, "PERSON_REQUIRED");
    }
    let (status, view) = change(&world, "activate", json!({"detach": false})).await;
    assert_eq!((status, &view["status"]), (200, &json!("PENDING")));
}

#[tokio::test]
async fn a_job_without_interactions_has_empty_pages() {
    let world = World::new().await;
    create(&world, paint()).await;
    for target in ["history", "history?from=5", "history?from=0&to=0"] {
        assert_eq!(page(&world, target).await, json!({"interactions": [], "next": null}));
    }
    for (wrong, pointer) in
        [("from=-1", "/from"), ("to=x", "/to"), ("from=2&to=1", "/from"), ("limit=1", "")]
    {
        let answer = world.get(&format!("/api/jobs/paint/history?{wrong}")).await;
        let details = answer.is(400, "VALIDATION_ERROR").json()["error"]["details"].clone();
        assert_eq!(
            (&details["in"], &details["breaches"][0]["pointer"]),
            (&json!("query"), &json!(pointer))
        );
    }
    assert_eq!(page(&world, "audit").await, json!({"lines": []}));
    assert_eq!(page(&world, "replay").await, json!({"interactions": 0, "findings": []}));
    let preview = page(&world, "preview").await;
    assert_eq!((&preview["role"], &preview["sequence"]), (&json!("Worker"), &json!(0)));
    assert!(preview["prompt"].as_str().unwrap().contains("Paint the fence."));
    let metrics = page(&world, "metrics").await;
    assert_eq!((&metrics["interactions"], &metrics["cost_threshold"]), (&json!(0), &json!(1000)));
}

#[tokio::test]
async fn workers_drive_a_job_and_a_person_helps_it_on() {
    let world = World::new().await;
    let mut body = paint();
    body["require_approval"] = json!(true);
    body["phases"] = json!([{"name": "main", "task": "Paint.", "supervisor": false}]);
    let run = create(&world, body).await["run"].as_str().unwrap().to_owned();
    answer_by(&world, &run, &["STUCK", "COMPLETED", "COMPLETED"]).await;
    change(&world, "activate", json!({"detach": false})).await;
    until(&world, &run, "PENDING").await;

    let (status, view) = change(&world, "step", json!({})).await;
    assert_eq!(status, 202, "{view}");
    until(&world, &run, "INTERVENTION_REQUIRED").await;
    let asked = world.get("/api/jobs/paint").await.json();
    assert_eq!(asked["question"]["kind"], "intervention", "{asked}");
    let (status, view) =
        change(&world, "advise", json!({"text": "Use white.", "reset": true})).await;
    assert_eq!(status, 200, "{view}");
    until(&world, &run, "PENDING").await;
    assert_eq!(change(&world, "run", json!({})).await.0, 202);
    until(&world, &run, "REVIEWING").await;
    let (status, view) = change(&world, "reject", json!({"why": "A board is missing."})).await;
    assert_eq!(status, 200, "{view}");
    until(&world, &run, "REVIEWING").await;

    let history = page(&world, "history").await;
    let sequences: Vec<_> =
        history["interactions"].as_array().unwrap().iter().map(|own| &own["sequence"]).collect();
    assert_eq!(
        (sequences, &history["next"]),
        (vec![&json!(0), &json!(1), &json!(2)], &json!(null))
    );
    let last = page(&world, "history?from=1&to=1").await["interactions"].clone();
    assert!(last[0]["request"]["prompt"].as_str().unwrap().contains("Use white."), "{last}");
    assert_eq!(change(&world, "approve", json!({})).await.0, 200);
    world.until_closed(&run).await;
    let done = world.get("/api/jobs/paint").await.json();
    assert_eq!((&done["status"], &done["metrics"]["interactions"]), (&json!("SUCCESS"), &json!(3)));
    assert_eq!(change(&world, "run", json!({})).await.0, 202, "there is nothing left to do");
    world.post("/api/jobs/paint/step", &json!({})).await.is(409, "INVALID_STATE");
    assert_eq!(page(&world, "replay").await["findings"], json!([]));

    // A job that is restored after its end goes on in another run, and is listed once.
    let (status, view) = change(&world, "restore", json!({"point": "start"})).await;
    assert_eq!((status, &view["status"]), (200, &json!("PENDING")), "{view}");
    assert_ne!(view["run"], json!(run));
    for target in ["/api/jobs", "/api/jobs?limit=1"] {
        let jobs = world.get(target).await.json()["jobs"].clone();
        assert_eq!((jobs.as_array().unwrap().len(), &jobs[0]["run"]), (1, &view["run"]), "{jobs}");
    }
    assert_eq!(world.get("/api/jobs?status=SUCCESS").await.json()["jobs"], json!([]));
}

#[tokio::test]
async fn workers_go_on_with_a_job_that_is_activated() {
    let world = World::new().await;
    let mut body = paint();
    body["phases"] = json!([{"name": "main", "task": "Paint.", "supervisor": false}]);
    let run = create(&world, body).await["run"].as_str().unwrap().to_owned();
    answer_by(&world, &run, &["COMPLETED"]).await;
    assert_eq!(change(&world, "activate", json!({})).await.0, 200);
    until(&world, &run, "SUCCESS").await;
    assert_eq!(world.get("/api/jobs/paint").await.json()["status"], "SUCCESS");
}

#[tokio::test]
async fn tools_make_a_job_as_routes_do() {
    let world = World::new().await;
    let mut agent = Mcp::begin(&world, Role::Agent, "local").await;
    let tools = agent.ask("tools/list", &json!({})).await["tools"].clone();
    let names = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    assert_eq!(names.filter(|name| name.starts_with("job_")).count(), 10);
    let wanted = json!({"name": "paint", "objective": "x", "phases": [{"name": "a", "task": "x", "supervisor": false}]});
    let made = agent.call("job_new", wanted.clone()).await.unwrap();
    assert_eq!((&made["status"], &made["phase"]["name"]), (&json!("DRAFT"), &json!("a")));
    assert_eq!(world.get("/api/jobs/paint").await.json(), made);
    assert_eq!(agent.call("job_new", wanted).await, Err("JOB_EXISTS".to_owned()));
    for (name, code) in [("../x", "INVALID_JOB_NAME"), ("a b", "INVALID_JOB_NAME")] {
        let told = agent.call("job_new", json!({"name": name, "objective": "x"})).await;
        assert_eq!(told, Err(code.to_owned()));
    }
    for member in ["check", "repo", "roles"] {
        let mut wanted = json!({"name": "b", "objective": "x"});
        wanted[member] = json!("true");
        let told = agent.call("job_new", wanted).await;
        assert_eq!(told, Err("INVALID_ARGUMENTS".to_owned()), "{member}");
    }
    let phases = json!([{"name": "a", "task": "x", "check": ["true"]}]);
    let told =
        agent.call("job_new", json!({"name": "b", "objective": "x", "phases": phases})).await;
    assert_eq!(told, Err("INVALID_ARGUMENTS".to_owned()));
    let listed = agent.call("job_list", json!({"status": "DRAFT"})).await.unwrap();
    assert_eq!(listed, world.get("/api/jobs").await.json());
    let empty = agent.call("job_history", json!({"job": "paint", "from": 3})).await.unwrap();
    assert_eq!(empty, json!({"interactions": [], "next": null}));

    let mut person = Mcp::begin(&world, Role::Person, "local").await;
    for (tool, more) in [
        ("job_advise", json!({"job": "paint", "text": "x"})),
        ("job_approve", json!({"job": "paint"})),
        ("job_reject", json!({"job": "paint", "why": "x"})),
    ] {
        let told = agent.call(tool, more.clone()).await;
        assert_eq!(told, Err("PERSON_REQUIRED".to_owned()), "{tool}");
        assert_eq!(person.call(tool, more).await, Err("INVALID_STATE".to_owned()), "{tool}");
    }
    let more = json!({"job": "paint", "cost_threshold": 2000.5});
    assert_eq!(agent.call("job_raise", more.clone()).await, Err("PERSON_REQUIRED".to_owned()));
    assert_eq!(person.call("job_raise", more).await.unwrap()["cost_threshold"], json!(2000.5));
    let nothing = person.call("job_raise", json!({"job": "paint"})).await;
    assert_eq!(nothing, Err("INVALID_ARGUMENTS".to_owned()));
    let begun = agent.call("job_activate", json!({"job": "paint", "detach": false})).await.unwrap();
    assert_eq!(begun["status"], "PENDING");
    let shown = agent.call("job_show", json!({"job": "paint"})).await.unwrap();
    assert_eq!(shown["status"], "PENDING");
    let over = agent.call("job_cancel", json!({"job": "paint"})).await.unwrap();
    assert_eq!(over["status"], "CANCELED");
    assert_eq!(
        world.engine.store().row(&RunId::from(over["run"].as_str().unwrap())).await.unwrap().owner,
        Owner::from("local")
    );
}
