//! What was said is written down without secrets, and said again to whoever asks the same.

use std::{fs, os::unix::fs::PermissionsExt};

use consign_engine::Status;
use consign_invokers::settings::RunSettings;
use consign_models::record::Exchange;
use consign_testkit::{
    programs::{Order, call},
    world::Setting,
};

use crate::stage::{PLAIN, PROVIDERS, SCHEMA, agent, double, models, told, world};

#[tokio::test(start_paused = true)]
async fn a_recording_is_replayed_without_a_network_or_a_cost_and_gives_the_same() {
    for model in PROVIDERS {
        for stream in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let tape = folder.path().join("tape.jsonl");
            let double = double(
                r#"[{"text": "nonsense", "chunks": 2},
                    {"text": "{\"verdict\": \"reject\", \"score\": 7}", "chunks": 5}]"#,
            );
            let rest = format!("{SCHEMA}stream = {stream}\n");
            let world = world(&double, model, &rest).await;
            let record =
                RunSettings { record: Some(tape.clone()), ..RunSettings::default() }.settings();
            let order = Order::from(call("a", "agent").given(r#""Judge.""#));
            let run = world.submit(order.clone().with_settings(record)).await;
            let _worker = world.worker().await;
            world.until_closed(&run).await;
            let text = fs::read_to_string(&tape).unwrap();
            assert_eq!(text.lines().count(), 2, "{model}");
            assert!(!text.contains("sk-test"), "{model}: a key was recorded");
            assert_eq!(fs::metadata(&tape).unwrap().permissions().mode() & 0o777, 0o600);

            let replay = RunSettings {
                model: Some(format!("replay:{}", tape.display())),
                ..RunSettings::default()
            };
            let again = world.submit(order.with_settings(replay.settings())).await;
            let row = world.until_closed(&again).await;
            assert_eq!(world.output(&again).await, world.output(&run).await, "{model}");
            assert!(row.figures.spent.is_zero());
            let used = told(&world, &again).await.completed.unwrap().used.unwrap();
            assert!(!used.as_str().contains("over_reservation"), "{used:?}");
            assert_eq!(double.seen().len(), 2, "nobody was asked again");
            assert_eq!(world.history(&again).await.matches("AI_INVALID_RESPONSE").count(), 1);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn another_question_is_refused_with_the_first_difference() {
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape.jsonl");
    let world = world(&double("[]"), "openai/gpt-5-mini", SCHEMA).await;
    let record = RunSettings { record: Some(tape.clone()), ..RunSettings::default() }.settings();
    let run = world
        .submit(Order::from(call("a", "agent").given(r#""Judge A.""#)).with_settings(record))
        .await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let model = Some(format!("replay:{}", tape.display()));
    let replay = RunSettings { model, ..RunSettings::default() }.settings();
    let other = Order::from(call("a", "agent").given(r#""Judge B.""#)).with_settings(replay);
    let run = world.submit(other).await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Failed);
    let gone = told(&world, &run).await.gone.unwrap();
    assert_eq!(gone.fault.code, "RECORDING_MISMATCH");
    let text = &gone.fault.message;
    assert!(
        text.contains("/messages/0/content: it was \"Judge A.\", and is \"Judge B.\""),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_fallback_is_replayed_as_it_went() {
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape.jsonl");
    let double =
        double(r#"[{"provider": "openai", "fault": {"kind": "server_error"}, "times": 0}]"#);
    let rest = format!("{SCHEMA}fallback = [\"anthropic/claude-haiku-4-5\"]\n");
    let world = world(&double, "openai/gpt-5-mini", &rest).await;
    let order = Order::from(call("a", "agent").given(r#""Judge.""#));
    let record = RunSettings { record: Some(tape.clone()), ..RunSettings::default() };
    let run = world.submit(order.clone().with_settings(record.settings())).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let asked = double.seen().len();
    let model = Some(format!("replay:{}", tape.display()));
    let replay = RunSettings { model, ..RunSettings::default() };
    let again = world.submit(order.with_settings(replay.settings())).await;
    world.until_closed(&again).await;
    assert_eq!(world.output(&again).await, world.output(&run).await);
    let kinds = async |run| {
        world.journal(run).await.iter().map(|record| record.kind.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&again).await, kinds(&run).await);
    assert_eq!(double.seen().len(), asked, "nobody was asked again");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_recorded_counts_all_the_same_and_says_so() {
    for stream in [false, true] {
        let double = double("[]");
        let world =
            world(&double, "openai/gpt-5-mini", &format!("{SCHEMA}stream = {stream}\n")).await;
        let record = RunSettings { record: Some("/dev/full".into()), ..RunSettings::default() };
        let order = Order::from(call("a", "agent").given(r#""Judge.""#));
        let run = world.submit(order.with_settings(record.settings())).await;
        let _worker = world.worker().await;
        let row = world.until_closed(&run).await;
        assert_eq!((row.status, double.seen().len()), (Status::Succeeded, 1));
        let used = told(&world, &run).await.completed.unwrap().used.unwrap();
        assert!(used.as_str().contains("could not record to /dev/full"), "{used:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_without_an_address_of_its_own_is_replayed_too() {
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape.jsonl");
    let double = double(r#"[{"text": "It was replayed."}]"#);
    let config = "[providers.compatible]\nbase_url = \"http://10.0.0.5:8000/v1\"\n";
    let models = models(&double, config);
    let setting = Setting::new().real("agent", agent(&models, "compatible/qwen3", PLAIN));
    let world = setting.await;
    let order = Order::from(call("a", "agent").given(r#""Hi""#));
    let record = RunSettings { record: Some(tape.clone()), ..RunSettings::default() };
    let run = world.submit(order.clone().with_settings(record.settings())).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let model = Some(format!("replay:{}", tape.display()));
    let replay = RunSettings { model, ..RunSettings::default() };
    let again = world.submit(order.with_settings(replay.settings())).await;
    world.until_closed(&again).await;
    assert_eq!(world.output(&again).await, r#""It was replayed.""#);
}

#[test]
fn an_exchange_is_a_line_that_anybody_can_read() {
    let line = r#"{"model":"openai/gpt-5-mini","path":"/chat/completions","request":"{}","status":200,"headers":[["content-type","application/json"]],"response":"{}"}"#;
    let exchange: Exchange = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_string(&exchange).unwrap(), line);
}
