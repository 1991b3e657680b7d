//! Listing, answering, raising, declining and cancelling.

use consign_engine::{Actor, Data, Limits, Owner, Placement, Settings, Status, Submission};
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn lists_are_filtered_and_come_in_pages() {
    let world = World::new().await;
    for number in 0..5 {
        let wanted = json!({"workflow": "sample/approval", "id": format!("run-{number}"), "owner": if number < 3 { "ann" } else { "bob" }});
        assert_eq!(world.post("/api/runs", &wanted).await.status, 201);
        world.until_waiting(&format!("run-{number}")).await;
    }
    let ids = async |target: &str| {
        let page = world.get(target).await.json();
        let ids: Vec<_> = page["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| run["id"].as_str().unwrap().to_owned())
            .collect();
        (ids.join(" "), page["cursor"].as_str().map(str::to_owned))
    };
    let all = "run-4 run-3 run-2 run-1 run-0".to_owned();
    assert_eq!(ids("/api/runs").await, (all.clone(), None));
    assert_eq!(
        ids("/api/runs?limit=2").await,
        ("run-4 run-3".to_owned(), Some("run-3".to_owned()))
    );
    let next = ids("/api/runs?limit=2&cursor=run-3").await;
    assert_eq!(next, ("run-2 run-1".to_owned(), Some("run-1".to_owned())));
    assert_eq!(ids("/api/runs?limit=2&cursor=run-1").await, ("run-0".to_owned(), None));
    assert_eq!(ids("/api/runs?limit=5").await, (all.clone(), None));
    assert_eq!(ids("/api/runs?owner=bob").await, ("run-4 run-3".to_owned(), None));
    assert_eq!(ids("/api/runs?status=waiting&workflow=sample%2Fapproval").await, (all, None));
    assert_eq!(ids("/api/runs?status=failed").await, (String::new(), None));
    for wrong in [
        "limit=0",
        "limit=1001",
        "limit=x",
        "status=odd",
        "cursor=a%2Fb",
        "all=true",
        "limit=1&limit=2",
    ] {
        world.get(&format!("/api/runs?{wrong}")).await.is(400, "VALIDATION_ERROR");
    }
    world.get("/api/runs?cursor=nobody").await.is(404, "RUN_NOT_FOUND");
}

#[tokio::test]
async fn an_answer_lets_a_run_go_on() {
    let world = World::new().await;
    let run = world.start("sample/approval", json!({"asks": 2})).await;
    world.until_waiting(&run).await;
    let wrong =
        world.post(&format!("/api/runs/{run}/answers/ask-1"), &json!({"value": "yes"})).await;
    wrong.is(400, "VALIDATION_ERROR");
    assert_eq!(wrong.json()["error"]["details"]["breaches"][0]["keyword"], "type");
    for (key, value) in [("ask-1", true), ("ask%2d2", false)] {
        let answer =
            world.post(&format!("/api/runs/{run}/answers/{key}"), &json!({"value": value})).await;
        assert_eq!((answer.status, &answer.json()["id"]), (200, &json!(run)), "{}", answer.text);
    }
    world.until_closed(&run).await;
    let output = world.get(&format!("/api/runs/{run}")).await.json()["output"].clone();
    assert_eq!(output, json!({"asks": 2, "approved": 1, "denied": 1, "expired": 0}));
    let late = world.post(&format!("/api/runs/{run}/answers/ask-1"), &json!({"value": true})).await;
    late.is(409, "ALREADY_ANSWERED");
}

#[tokio::test]
async fn of_two_who_answer_at_once_one_is_told_so() {
    let world = World::new().await;
    let run = world.start("sample/approval", json!({"asks": 8})).await;
    world.until_waiting(&run).await;
    for number in 1..=8 {
        let target = format!("/api/runs/{run}/answers/ask-{number}");
        let (yes, no) = (json!({"value": true}), json!({"value": false}));
        let (one, other) = tokio::join!(world.post(&target, &yes), world.post(&target, &no));
        let (first, second) = if one.status == 200 { (one, other) } else { (other, one) };
        assert_eq!(first.status, 200, "{}", first.text);
        second.is(409, "ALREADY_ANSWERED");
    }
    world.until_closed(&run).await;
}

#[tokio::test]
async fn what_nobody_asked_cannot_be_answered() {
    let world = World::new().await;
    let run = world.start("sample/approval", json!({})).await;
    world.until_waiting(&run).await;
    let value = json!({"value": true});
    for key in ["ask-9", "%00", "..", "%2e%2e", "a%2Fb", "%40limit%401", &"x".repeat(300)] {
        let answer = world.post(&format!("/api/runs/{run}/answers/{key}"), &value).await;
        answer.is(404, "INTERACTION_NOT_FOUND");
    }
    world.post("/api/runs/nobody/answers/ask-1", &value).await.is(404, "RUN_NOT_FOUND");
    for form in [
        json!({}),
        json!({"value": 1, "decline": "no"}),
        json!({"decline": ""}),
        json!({"answer": 1}),
    ] {
        let answer = world.post(&format!("/api/runs/{run}/answers/ask-1"), &form).await;
        answer.is(400, "VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn a_call_of_somebody_outside_can_be_declined_once() {
    let world = World::new().await;
    let input = json!({"agent": "outside", "input": {}});
    let run = world.start("agent/call", input.clone()).await;
    world.until_waiting(&run).await;
    let why = json!({"decline": "it cannot be read"});
    let target = format!("/api/runs/{run}/answers/call");
    assert_eq!(world.post(&target, &why).await.status, 200);
    assert_eq!(world.until_closed(&run).await.status, Status::Failed);
    let fault = world.get(&format!("/api/runs/{run}")).await.json()["fault"].clone();
    assert_eq!(
        (&fault["code"], &fault["message"]),
        (&json!("DECLINED"), &json!("it cannot be read"))
    );
    world.post(&target, &why).await.is(409, "ALREADY_ANSWERED");

    let run = world.start("agent/call", input).await;
    world.until_waiting(&run).await;
    let answer =
        world.post(&format!("/api/runs/{run}/answers/call"), &json!({"value": "a cat"})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    world.until_closed(&run).await;
    assert_eq!(world.get(&format!("/api/runs/{run}")).await.json()["output"], "a cat");

    let run = world.start("sample/approval", json!({})).await;
    world.until_waiting(&run).await;
    world.post(&format!("/api/runs/{run}/answers/ask-1"), &why).await.is(409, "NOT_DECLINABLE");
}

#[tokio::test]
async fn a_raise_lets_a_run_go_on_that_reached_its_limit() {
    let world = World::new().await;
    let wanted = json!({"workflow": "sample/budget", "input": {"calls": 3, "cost_usd": 0.01}, "limits": {"cost_usd": 0.01}});
    let run = world.post("/api/runs", &wanted).await.json()["id"].as_str().unwrap().to_owned();
    world.until_waiting(&run).await;
    let wait = world.get(&format!("/api/runs/{run}")).await.json()["waits"][0].clone();
    assert_eq!((&wait["kind"], &wait["interaction"]), (&json!("limit"), &json!("@limit@1")));
    let target = format!("/api/runs/{run}/raise");
    world.post(&target, &json!({})).await.is(400, "VALIDATION_ERROR");
    world.post(&target, &json!({"cost_usd": 0.001})).await.is(422, "INVALID_LIMIT");
    let raised = world.post(&target, &json!({"cost_usd": 0.02, "calls": 200_000})).await;
    assert_eq!(raised.status, 200, "{}", raised.text);
    assert_eq!(raised.json()["limits"]["calls"], 200_000);
    // The second time it is raised by an answer, whose key is written as it is or encoded.
    world
        .until(&run, |row| row.status == Status::Waiting && row.figures.spent.get() > 10_000_000)
        .await;
    let answer = world
        .post(&format!("/api/runs/{run}/answers/@limit%402"), &json!({"value": {"cost_usd": 1}}))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(world.until_closed(&run).await.status, Status::Succeeded);
    world.post(&target, &json!({"cost_usd": 5})).await.is(409, "INVALID_STATE");
    world.post("/api/runs/nobody/raise", &json!({"calls": 1})).await.is(404, "RUN_NOT_FOUND");
}

#[tokio::test]
async fn a_cancelled_run_says_by_whom_and_why() {
    let world = World::new().await;
    let run = world.start("sample/approval", json!({})).await;
    world.until_waiting(&run).await;
    let target = format!("/api/runs/{run}/cancel");
    let answer = world.post(&target, &json!({"reason": "wrong branch"})).await;
    assert!([200, 202].contains(&answer.status), "{}", answer.text);
    assert_eq!(world.until_closed(&run).await.status, Status::Cancelled);
    let shown = world.get(&format!("/api/runs/{run}")).await.json();
    assert_eq!(shown["cancelled"], json!({"by": "http:token", "reason": "wrong branch"}));
    world.post(&target, &json!({})).await.is(409, "INVALID_STATE");
    let value = json!({"value": true});
    world.post(&format!("/api/runs/{run}/answers/ask-1"), &value).await.is(409, "WITHDRAWN");
}

#[tokio::test]
async fn a_cancel_needs_no_body() {
    let world = World::new().await;
    let run = world.start("sample/approval", json!({})).await;
    world.until_waiting(&run).await;
    let answer = world.ask(world.request("POST", &format!("/api/runs/{run}/cancel")), "").await;
    assert!([200, 202].contains(&answer.status), "{}", answer.text);
    world.until_closed(&run).await;
    let nobody = world.ask(world.request("POST", "/api/runs/nobody/cancel"), "").await;
    nobody.is(404, "RUN_NOT_FOUND");
}

/// No worker takes it: whoever cancels it closes it.
#[tokio::test]
async fn a_run_of_the_command_line_is_closed_here() {
    let world = World::new().await;
    let submission = Submission {
        id: None,
        workflow: "sample/approval".to_owned(),
        input: Data::parse("{}").unwrap(),
        owner: Owner::from("local"),
        limits: Limits::standard(),
        placement: Placement::HereOnly,
        priority: 0,
        settings: Settings::default(),
        certified: false,
        actor: Actor::from("cli:test@host"),
    };
    let run = world.engine.submit(submission).await.unwrap().run;
    // It is queued, and no worker takes it.
    assert_eq!(world.get(&format!("/api/runs/{run}")).await.json()["needs_resume"], json!(true));
    let raised = world.post(&format!("/api/runs/{run}/raise"), &json!({"cost_usd": 20})).await;
    assert_eq!((raised.status, &raised.json()["needs_resume"]), (200, &json!(true)));
    let told = world.incidents.lock().unwrap().pop().unwrap();
    assert_eq!((told.status, told.code.as_str()), (200, "NEEDS_RESUME"));
    assert!(told.cause.contains(&format!("consign runs resume {run}")), "{told:?}");
    let answer = world.post(&format!("/api/runs/{run}/cancel"), &json!({})).await;
    assert_eq!((answer.status, &answer.json()["status"]), (200, &json!("cancelled")));
}
