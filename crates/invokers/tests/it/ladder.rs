//! An answer that breaks its contract: mended, asked for again, asked of another, left to a person.

use consign_engine::{Nanos, Retry, Status};
use consign_testkit::programs::call;
use serde_json::{Value, json};

use crate::stage::{PROVIDERS, SCHEMA, double, told, world};

const USAGE: &str = r#""usage": {"input_tokens": 100, "output_tokens": 10}"#;
const GOOD: &str = r#"{"verdict": "reject", "score": 3}"#;

fn script(texts: &[&str]) -> String {
    let entry = |text: &&str| format!(r#"{{"text": {}, {USAGE}}}"#, json!(text));
    format!("[{}]", texts.iter().map(entry).collect::<Vec<_>>().join(","))
}

#[tokio::test(start_paused = true)]
async fn what_can_be_mended_without_inventing_anything_costs_no_second_call() {
    let fenced = format!("Sure, here it is:\n```json\n{GOOD}\n```\n");
    let double = double(&script(&[&fenced]));
    let world = world(&double, "openai/gpt-5-mini", SCHEMA).await;
    let run = world.submit(call("a", "agent").given(r#""Judge.""#)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let output: Value = serde_json::from_str(&world.output(&run).await).unwrap();
    assert_eq!(output, serde_json::from_str::<Value>(GOOD).unwrap());
    let used: Value = told(&world, &run).await.completed.unwrap().used.unwrap().to().unwrap();
    assert!(!used["repairs"].as_array().unwrap().is_empty(), "it says so: {used}");
    assert_eq!(double.seen().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn it_is_asked_again_with_what_was_wrong_and_both_are_paid() {
    for model in PROVIDERS {
        let double = double(&script(&[r#"{"verdict": "REJECT", "score": "3"}"#, GOOD]));
        let world = world(&double, model, SCHEMA).await;
        let run = world.submit(call("a", "agent").given(r#""Judge.""#).retried(Retry::NEVER)).await;
        let _worker = world.worker().await;
        let row = world.until_closed(&run).await;
        assert_eq!(row.status, Status::Succeeded, "{model}");
        let told = told(&world, &run).await;
        let (first, waited) = &told.failed[0];
        assert_eq!((first.fault.code.as_ref(), *waited), ("AI_INVALID_RESPONSE", 0));
        let completed = told.completed.unwrap();
        assert_eq!(row.figures.spent, first.paid.nanos + completed.paid.nanos, "{model}");
        let used: Value = completed.used.unwrap().to().unwrap();
        assert_eq!(used["rung"], "ask_again");
        // The model is shown its answer and the validator's words.
        let again = &double.seen()[1].body;
        assert!(again.contains("REJECT") && again.contains("/verdict"), "{model}: {again}");
        assert!(first.handed.is_some(), "a crash loses no rung");
        world.proves(&run).await;
    }
}

/// A hundred tokens of input and ten of output, by each provider's price list.
const COSTS: [u64; 5] = [
    100 * 250 + 10 * 2_000,
    100 * 3_000 + 10 * 15_000,
    100 * 200 + 10 * 1_500,
    100 * 300 + 10 * 2_500,
    0,
];

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_the_schema_is_paid_by_its_usage_whole_and_streamed() {
    for (model, cost) in PROVIDERS.into_iter().zip(COSTS) {
        for stream in [false, true] {
            let script =
                format!(r#"[{{"fault": {{"kind": "breaks_schema"}}, {USAGE}, "times": 0}}]"#);
            let double = double(&script);
            let world = world(&double, model, &format!("{SCHEMA}stream = {stream}\n")).await;
            let run = world.submit(call("a", "agent").given(r#""Judge.""#)).await;
            let _worker = world.worker().await;
            let row = world.until_waiting(&run).await;
            assert_eq!(row.figures.spent, Nanos::new(2 * cost), "{model} {stream}");
            assert!(row.figures.reserved.is_zero(), "{model} {stream}");
            let told = told(&world, &run).await;
            for (failed, _) in &told.failed {
                assert_eq!(failed.fault.code, "AI_INVALID_RESPONSE", "{model} {stream}");
                let paid = (failed.paid.nanos, failed.paid.assumed);
                assert_eq!(paid, (Nanos::new(cost), false), "{model} {stream}");
            }
            let seen = double.seen();
            assert_eq!((seen.len(), seen[0].stream), (2, stream), "{model}");
            // It is shown what it said, and which member nobody asked for.
            assert!(seen[1].body.contains("unexpected"), "{model}: {}", seen[1].body);
            assert_eq!(world.inbox().await[0].code.as_deref(), Some("AI_INVALID_RESPONSE"));
            world.proves(&run).await;
            world.cancel(&run).await;
            world.until_closed(&run).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn after_that_the_next_model_is_asked_and_the_result_says_so() {
    let bad = r#"{"verdict": "maybe"}"#;
    let double = double(&script(&[bad, bad, GOOD]));
    let rest = format!("{SCHEMA}fallback = [\"anthropic/claude-haiku-4-5\"]\n");
    let world = world(&double, "openai/gpt-5-mini", &rest).await;
    let run = world.submit(call("a", "agent").given(r#""Judge.""#)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let seen: Vec<_> = double.seen().iter().map(|seen| seen.model.clone()).collect();
    let names = ["gpt-5-mini", "gpt-5-mini", "claude-haiku-4-5"].map(|name| Some(name.to_owned()));
    assert_eq!(seen, names);
    let used: Value = told(&world, &run).await.completed.unwrap().used.unwrap().to().unwrap();
    assert_eq!(used["rung"], "fallback");
    assert_eq!(
        used["fell_back_from"],
        json!([{"model": "openai/gpt-5-mini", "code": "AI_INVALID_RESPONSE"}])
    );
}

#[tokio::test(start_paused = true)]
async fn at_last_a_person_is_asked_and_their_answer_is_held_to_the_contract() {
    let bad = r#"{"verdict": "maybe"}"#;
    let double = double(&format!(r#"[{{"text": {}, {USAGE}, "times": 0}}]"#, json!(bad)));
    let world = world(&double, "openai/gpt-5-mini", SCHEMA).await;
    let run = world.submit(call("a", "agent").given(r#""Judge.""#)).await;
    let _worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    assert_eq!(row.figures.spent, Nanos::new(2 * (100 * 250 + 10 * 2_000)), "two calls were paid");
    let ask = world.inbox().await.remove(0);
    assert_eq!(ask.code.as_deref(), Some("AI_INVALID_RESPONSE"));
    let wrong = format!(r#"{{"outcome": "done", "output": {bad}}}"#);
    assert!(world.try_answer(&run, ask.key.as_str(), &wrong).await.is_err());
    let right = format!(r#"{{"outcome": "done", "output": {GOOD}}}"#);
    world.answer(&run, ask.key.as_str(), &right).await;
    world.until_closed(&run).await;
    let output: Value = serde_json::from_str(&world.output(&run).await).unwrap();
    assert_eq!(output["score"], 3);
    assert_eq!(double.seen().len(), 2);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn rungs_can_be_left_out() {
    let bad = r#"{"verdict": "maybe"}"#;
    let check = async |repair: &str, answer: &str, calls: usize, status: Status| {
        let double = double(&format!(r#"[{{"text": {}, {USAGE}, "times": 0}}]"#, json!(answer)));
        let world =
            world(&double, "openai/gpt-5-mini", &format!("{SCHEMA}repair = {repair}\n")).await;
        let run = world.submit(call("a", "agent").given(r#""Judge.""#)).await;
        let _worker = world.worker().await;
        let row = world.until_closed(&run).await;
        assert_eq!((row.status, double.seen().len()), (status, calls), "{repair}");
    };
    check("[]", bad, 1, Status::Failed).await;
    check("[\"ask_again\"]", bad, 2, Status::Failed).await;
    let fenced = format!("```json\n{GOOD}\n```");
    check("[]", &fenced, 1, Status::Failed).await;
    check("[\"local\"]", &fenced, 1, Status::Succeeded).await;
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_is_no_bad_json_and_is_tried_again_as_it_was() {
    let double = double(&format!(
        r#"[{{"fault": {{"kind": "empty"}}}}, {{"text": {}, {USAGE}}}]"#,
        json!(GOOD)
    ));
    let world = world(&double, "openai/gpt-5-mini", SCHEMA).await;
    let run = world.submit(call("a", "agent").given(r#""Judge.""#).retried(Retry::default())).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let told = told(&world, &run).await;
    assert_eq!(told.failed[0].0.fault.code, "AI_NETWORK_ERROR");
    assert!(told.failed[0].0.handed.is_none());
    let seen = double.seen();
    assert_eq!(seen[0].body, seen[1].body);
}

#[tokio::test(start_paused = true)]
async fn a_crash_between_two_rungs_goes_on_at_the_second() {
    let bad = r#"{"verdict": "maybe"}"#;
    let double = double(&format!(
        r#"[{{"text": {}, {USAGE}}}, {{"text": {}, {USAGE}, "delay_ms": 60000, "times": 0}}]"#,
        json!(bad),
        json!(GOOD)
    ));
    let world = world(&double, "openai/gpt-5-mini", SCHEMA).await;
    let run = world.submit(call("a", "agent").given(r#""Judge.""#)).await;
    let worker = world.worker().await;
    world.until_event(&run, "attempt_started a #2").await;
    world.settle().await;
    worker.kill().await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let seen = double.seen();
    assert_eq!(seen.len(), 3, "the first answer is not asked for again");
    assert_eq!(seen[1].body, seen[2].body);
    assert!(seen[1].body.contains("maybe"));
    world.proves(&run).await;
}
