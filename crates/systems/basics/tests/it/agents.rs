//! `agent/call` and `agent/map`: what one agent makes of one input, and of many.

use std::time::Duration;

use consign_basics::agent::{CALL, MAP, workflows};
use consign_engine::{
    Actor, Agents, Data, Error, Fault, Limits, Nanos, Owner, Placement, RunId, Settings, Status,
    Submission, Submitted, Workflows, journal::Body,
};
use consign_testkit::{
    scripted::{Act, Outside, Scripted, usd},
    world::{World, refusal},
};
use serde_json::{Value, json};

/// A world with this agent as `agent`, and the workflows that call it.
async fn world(agent: Scripted) -> World {
    let known = Agents::default().with("agent", agent.agent("agent", &Outside::default()));
    let mut world = World::with_agent("agent", agent).await;
    world.deploy(workflows(&known, Workflows::default())).await;
    world
}

fn submission(workflow: &str, input: &Value, limits: Limits) -> Submission {
    Submission {
        id: None,
        workflow: workflow.to_owned(),
        input: Data::of(input),
        owner: Owner::from("ada"),
        limits,
        placement: Placement::Anywhere,
        priority: 0,
        settings: Settings::default(),
        certified: false,
        actor: Actor::from("ada"),
    }
}

async fn submit(world: &World, workflow: &str, input: &Value) -> Result<Submitted, Error> {
    world.desk().submit(submission(workflow, input, Limits::default())).await
}

/// The same under a promise that it ends within its limits.
async fn certified(
    world: &World,
    workflow: &str,
    input: &Value,
    limits: Limits,
) -> Result<Submitted, Error> {
    let submission = submission(workflow, input, limits);
    world.desk().submit(Submission { certified: true, ..submission }).await
}

fn many(inputs: usize, at_once: usize) -> Value {
    let inputs: Vec<_> = (0..inputs).collect();
    json!({"agent": "agent", "inputs": inputs, "at_once": at_once})
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The most calls that were under way at the same time.
async fn widest(world: &World, run: &RunId) -> usize {
    let (mut open, mut widest) = (0_usize, 0);
    for record in world.journal(run).await {
        let body = record.body().unwrap().unwrap();
        open += usize::from(matches!(body, Body::CallStarted(_)));
        open -= usize::from(matches!(body, Body::CallCompleted(_)));
        widest = widest.max(open);
    }
    widest
}

#[tokio::test(start_paused = true)]
async fn a_call_gives_what_the_agent_gives() {
    let world = world(Scripted::echo()).await;
    let input = json!({"agent": "agent", "input": {"price": 2.5}});
    let run = submit(&world, CALL, &input).await.unwrap().run;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.output(&run).await, r#"{"price":2.5}"#);
    assert_eq!(
        world.history(&run).await,
        "created → call_started call → call_completed call → succeeded"
    );
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_is_tried_three_times_and_fails_with_its_agent() {
    let busy = Act::fails(Fault::transient("BUSY", "later"));
    let world = world(Scripted::new([busy])).await;
    let run = submit(&world, CALL, &json!({"agent": "agent", "input": 1})).await.unwrap().run;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.output(&run).await, "failed: BUSY: later");
    assert_eq!(world.calls("agent").len(), 3);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn outputs_are_in_the_order_of_their_inputs_whichever_comes_first() {
    let after = |number: u64, seconds| [Act::answers(&number.to_string()).after(secs(seconds))];
    let agent = Scripted::new([])
        .for_key("item-0", after(10, 9))
        .for_key("item-1", after(11, 1))
        .for_key("item-2", after(12, 5))
        .for_key("item-3", after(13, 3));
    let world = world(agent).await;
    let run = submit(&world, MAP, &many(4, 4)).await.unwrap().run;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started item-0 → call_started item-1 → call_started item-2 \
         → call_started item-3 → call_completed item-1 → call_completed item-3 \
         → call_completed item-2 → call_completed item-0 → succeeded"
    );
    assert_eq!(world.output(&run).await, "[10,11,12,13]");
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn no_more_are_called_at_once_than_was_said() {
    let world = world(Scripted::echo().each(|act| act.after(secs(1)))).await;
    let _worker = world.worker().await;
    let check = async |input: Value, most: usize| {
        let run = submit(&world, MAP, &input).await.unwrap().run;
        world.until_closed(&run).await;
        assert_eq!(widest(&world, &run).await, most, "{input}");
        assert_eq!(world.output(&run).await, input["inputs"].to_string());
        world.proves(&run).await;
    };
    check(many(7, 1), 1).await;
    check(many(7, 3), 3).await;
    check(many(7, 100), 7).await;
    check(many(0, 3), 0).await;
    check(json!({"agent": "agent", "inputs": (0..20).collect::<Vec<_>>()}), 8).await;
}

#[tokio::test(start_paused = true)]
async fn the_first_that_fails_ends_it_and_the_others_are_cancelled() {
    let broken = Fault::permanent("BROKEN", "it broke");
    let agent = Scripted::new([Act::hangs()])
        .for_key("item-0", [Act::answers("0").after(secs(1))])
        .for_key("item-2", [Act::fails(broken).after(secs(2))]);
    let world = world(agent).await;
    let run = submit(&world, MAP, &many(9, 3)).await.unwrap().run;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(world.output(&run).await, "failed: BROKEN: it broke");
    // Long before those that hang would have been given up, and five were never begun.
    assert_eq!((row.status, row.at.since(row.created_at)), (Status::Failed, secs(2)));
    assert_eq!(world.calls("agent").len(), 4);
    let history = world.history(&run).await;
    for cancelled in ["call_cancelled item-1", "call_cancelled item-3"] {
        assert!(history.contains(cancelled), "{history}");
    }
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn an_input_that_makes_no_sense_is_refused_and_leaves_nothing() {
    let world = world(Scripted::echo()).await;
    let check = async |workflow: &str, input: Value, code: &str, words: &str| {
        let fault = refusal(submit(&world, workflow, &input).await);
        assert_eq!(fault.code, code, "{workflow} {fault}");
        assert!(fault.message.contains(words), "{workflow} {fault}");
    };
    check(MAP, many(1001, 8), "INVALID_INPUT", "at most 1000 `inputs`").await;
    check(MAP, many(1, 0), "INVALID_INPUT", "an `at_once` of at least 1").await;
    let inputs = [
        json!(null),
        json!([]),
        json!({}),
        json!({"agent": "agent"}),
        json!({"agent": 1, "input": 1, "inputs": []}),
        json!({"agent": "agent", "input": 1, "inputs": [], "more": 1}),
    ];
    for input in inputs {
        check(CALL, input.clone(), "INVALID_INPUT", "the input is not {\"agent\": NAME").await;
        check(MAP, input, "INVALID_INPUT", "the input is not {\"agent\": NAME").await;
    }
    check(MAP, json!({"agent": "agent", "inputs": 1}), "INVALID_INPUT", "invalid type").await;
    let nobody = json!({"agent": "nobody", "input": 1});
    check(CALL, nobody, "AGENT_NOT_FOUND", "no agent nobody").await;
    let nobody = json!({"agent": "nobody", "inputs": []});
    check(MAP, nobody, "AGENT_NOT_FOUND", "no agent nobody").await;
    assert!(world.rows().await.is_empty());
    // As many as there may be.
    assert!(submit(&world, MAP, &many(1000, 8)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn what_all_calls_and_their_tries_come_to_is_known_before_the_first() {
    let world = world(Scripted::echo().at_worst(usd(2))).await;
    let cost = |cost| Limits { cost: Some(cost), ..Limits::default() };
    let calls = |calls| Limits { cost: Some(usd(99)), calls: Some(calls), ..Limits::default() };
    let check = async |workflow: &str, input: Value, times: u64| {
        let whole = usd(2).times(times);
        let less = whole.minus(Nanos::new(1));
        for limits in [cost(less), calls(times - 1)] {
            let refused = refusal(certified(&world, workflow, &input, limits.clone()).await);
            assert_eq!(refused.code, "NOT_CERTIFIED", "{workflow} {limits:?}");
        }
        for limits in [cost(whole), calls(times), Limits::default()] {
            let taken = certified(&world, workflow, &input, limits).await.unwrap();
            let certificate = taken.certificate;
            assert_eq!((certificate.cost, certificate.calls), (Some(whole), Some(times)));
        }
    };
    check(CALL, json!({"agent": "agent", "input": 1}), 3).await;
    check(MAP, many(1, 8), 3).await;
    check(MAP, many(5, 2), 15).await;
}

#[tokio::test(start_paused = true)]
async fn what_has_no_price_cannot_be_certified() {
    let world = world(Scripted::echo().unmetered()).await;
    let limits = || Limits { cost: Some(usd(99)), ..Limits::default() };
    for (workflow, input) in [(CALL, json!({"agent": "agent", "input": 1})), (MAP, many(2, 1))] {
        let refused = refusal(certified(&world, workflow, &input, limits()).await);
        assert_eq!(refused.code, "NOT_CERTIFIED", "{workflow}");
    }
}
