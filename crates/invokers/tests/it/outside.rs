//! Models in whose place somebody outside answers, and runs that an older program cannot understand.

use consign_engine::{Data, Settings};
use consign_invokers::settings::RunSettings;
use consign_testkit::programs::{Order, call};
use serde_json::json;

use crate::stage::{PLAIN, double, told, world};

#[tokio::test(start_paused = true)]
async fn whoever_answers_for_a_model_is_shown_all_that_it_would_be() {
    let folder = tempfile::tempdir().unwrap();
    let style = folder.path().join("style.md");
    std::fs::write(&style, "Never shout.").unwrap();
    let double = double("[]");
    let rest = format!("{PLAIN}system = \"Be brief.\"\nfiles = [\"{}\"]\n", style.display());
    let world = world(&double, "openai/gpt-5-mini", &rest).await;
    let bridge = RunSettings { model: Some("bridge".to_owned()), ..RunSettings::default() };
    let order = Order::from(call("a", "agent").given(r#""Hi""#));
    let run = world.submit(order.with_settings(bridge.settings())).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    let ask = world.inbox().await.remove(0);
    for part in ["Be brief.", "Never shout.", "Hi"] {
        assert!(ask.prompt.contains(part), "{part} is not in {}", ask.prompt);
    }
    assert_eq!(ask.agent.as_deref(), Some("agent"));
    world.answer(&run, "a", r#""Hello.""#).await;
    world.until_closed(&run).await;
    assert!(double.seen().is_empty());
}

#[tokio::test(start_paused = true)]
async fn settings_of_a_newer_program_let_nobody_be_asked() {
    let double = double("[]");
    let world = world(&double, "openai/gpt-5-mini", PLAIN).await;
    let newer = Settings(Some(Data::of(&json!({"model": "bridge", "newer": true}))));
    let order = Order::from(call("a", "agent").given(r#""Hi""#));
    let run = world.submit(order.with_settings(newer)).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    let gone = told(&world, &run).await.gone.unwrap();
    assert_eq!(gone.fault.code, "SETTINGS_INVALID");
    assert!(double.seen().is_empty() && row.figures.spent.is_zero());
}
