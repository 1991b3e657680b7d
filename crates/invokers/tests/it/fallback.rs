//! Models that cannot be had, and those that are asked instead.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use consign_double::Double;
use consign_engine::{Retry, Settings};
use consign_invokers::settings::RunSettings;
use consign_models::transport::{Broken, Incoming, Outgoing, Transport};
use consign_testkit::{
    programs::{Order, call},
    world::Setting,
};
use serde_json::{Value, json};

use crate::stage::{PLAIN, agent, double, models, told, world};

fn chain() -> String {
    format!("{PLAIN}fallback = [\"anthropic/claude-haiku-4-5\", \"ollama/qwen3\"]\n")
}

fn retry() -> Retry {
    Retry::new(2, Duration::from_secs(1), Duration::from_secs(1))
}

async fn answered(script: &str) -> (Vec<String>, Value) {
    let double = double(script);
    let world = world(&double, "openai/gpt-5-mini", &chain()).await;
    let run = world.submit(call("a", "agent").given(r#""Hi""#).retried(retry())).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let asked = double.seen().into_iter().filter_map(|seen| seen.model).collect();
    let used = told(&world, &run).await.completed.unwrap().used.unwrap();
    (asked, used.to().unwrap())
}

#[tokio::test(start_paused = true)]
async fn one_that_is_gone_for_good_is_left_at_once() {
    for (kind, code) in [("unauthorized", "AI_AUTH_ERROR"), ("not_found", "AI_MODEL_NOT_FOUND")] {
        let script =
            format!(r#"[{{"provider": "openai", "fault": {{"kind": "{kind}"}}, "times": 0}}]"#);
        let (asked, used) = answered(&script).await;
        assert_eq!(asked, ["gpt-5-mini", "claude-haiku-4-5"]);
        assert_eq!(used["fell_back_from"], json!([{"model": "openai/gpt-5-mini", "code": code}]));
        assert_eq!(used["model"], "anthropic/claude-haiku-4-5");
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_may_come_back_is_tried_as_often_as_it_may_be_first() {
    let script = r#"[{"provider": "openai", "fault": {"kind": "server_error"}, "times": 0},
                     {"provider": "anthropic", "fault": {"kind": "overloaded"}, "times": 0}]"#;
    let (asked, used) = answered(script).await;
    let names = ["gpt-5-mini", "gpt-5-mini", "claude-haiku-4-5", "claude-haiku-4-5", "qwen3"];
    assert_eq!(asked, names);
    assert_eq!(used["fell_back_from"].as_array().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_last_one_that_cannot_be_had_ends_it() {
    let double = double(r#"[{"fault": {"kind": "not_found"}, "times": 0}]"#);
    let world = world(&double, "openai/gpt-5-mini", &chain()).await;
    let run = world.submit(call("a", "agent").given(r#""Hi""#).retried(retry())).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let told = told(&world, &run).await;
    assert_eq!(
        (told.failed.len(), told.gone.unwrap().fault.code.as_ref()),
        (2, "AI_MODEL_NOT_FOUND")
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_not_allowed_is_not_asked() {
    let double = double("[]");
    let rest = format!("{PLAIN}allow = [\"openai/gpt-5-mini\"]\n");
    let world = world(&double, "openai/gpt-5-mini", &rest).await;
    let settings = |model: &str| -> Settings {
        RunSettings { model: Some(model.to_owned()), ..RunSettings::default() }.settings()
    };
    let order = Order::from(call("a", "agent").given(r#""Hi""#));
    let run = world.submit(order.clone().with_settings(settings("openai/gpt-5"))).await;
    let allowed = world.submit(order.with_settings(settings("gpt-5-mini"))).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    world.until_closed(&allowed).await;
    let gone = told(&world, &run).await.gone.unwrap();
    assert_eq!(gone.fault.code, "MODEL_NOT_ALLOWED");
    assert_eq!(double.seen().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn one_that_hangs_is_left_when_its_time_is_over() {
    let script = r#"[{"provider": "openai", "text": "late", "delay_ms": 30000, "times": 0}]"#;
    let double = double(script);
    let rest = format!("timeout_seconds = 2\n{}", chain());
    let world = world(&double, "openai/gpt-5-mini", &rest).await;
    let run = world.submit(call("a", "agent").given(r#""Hi""#).retried(retry())).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let told = told(&world, &run).await;
    assert_eq!(told.failed[0].0.fault.code, "AI_NETWORK_ERROR");
    assert!(told.failed[0].0.paid.assumed, "nobody knows what a hanging provider did");
    let used: Value = told.completed.unwrap().used.unwrap().to().unwrap();
    assert_eq!(used["model"], "anthropic/claude-haiku-4-5");
}

#[tokio::test(start_paused = true)]
async fn who_had_no_turn_in_time_pays_nothing() {
    let double = double(r#"[{"text": "slow", "delay_ms": 9000, "times": 0}]"#);
    let models = models(&double, "[providers.openai]\nat_once = 1\n");
    let patient = agent(&models, "openai/gpt-5-mini", PLAIN);
    let hasty = agent(&models, "openai/gpt-5-mini", &format!("timeout_seconds = 2\n{PLAIN}"));
    let world = Setting::new().real("patient", patient).real("hasty", hasty).await;
    let first = world.submit(call("a", "patient").given(r#""Hi""#)).await;
    let _worker = world.worker().await;
    world.until_event(&first, "call_started a").await;
    world.settle().await;
    let second = world.submit(call("b", "hasty").given(r#""Hi""#)).await;
    let row = world.until_closed(&second).await;
    let gone = told(&world, &second).await.gone.unwrap();
    let cause = gone.fault.details.unwrap();
    assert!(cause.as_str().contains("nothing was sent"), "{cause:?}");
    assert!(row.figures.spent.is_zero() && !gone.paid.assumed);
    world.until_closed(&first).await;
    assert_eq!(double.seen().len(), 1);
}

/// Knows where it was sent to.
struct Overheard {
    double: Arc<Double>,
    sent: Mutex<Vec<String>>,
}

#[async_trait]
impl Transport for Overheard {
    async fn send(&self, request: Outgoing) -> Result<Incoming, Broken> {
        self.sent.lock().unwrap().push(request.url.clone());
        self.double.send(request).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_definitions_base_url_is_for_its_own_provider_alone() {
    let double = double(r#"[{"provider": "openai", "fault": {"kind": "not_found"}, "times": 0}]"#);
    let heard = Arc::new(Overheard { double, sent: Mutex::default() });
    let models = models(&heard, "");
    let rest = format!(
        "{PLAIN}base_url = \"http://mine.example/openai/v1\"\nfallback = [\"anthropic/claude-haiku-4-5\"]\n"
    );
    let world = Setting::new().real("agent", agent(&models, "openai/gpt-5-mini", &rest)).await;
    let run = world.submit(call("a", "agent").given(r#""Hi""#)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let sent = heard.sent.lock().unwrap().clone();
    assert_eq!(
        sent,
        ["http://mine.example/openai/v1/chat/completions", "https://api.anthropic.com/v1/messages"]
    );
}

#[tokio::test(start_paused = true)]
async fn one_that_wants_to_be_left_alone_for_long_is_left_at_once() {
    let check = async |wait: u64, expected: &[&str]| {
        let script = format!(
            r#"[{{"provider": "openai", "fault": {{"kind": "rate_limited", "retry_after": {wait}}}}}]"#
        );
        assert_eq!(answered(&script).await.0, expected, "{wait}");
    };
    check(3, &["gpt-5-mini", "gpt-5-mini"]).await;
    check(3600, &["gpt-5-mini", "claude-haiku-4-5"]).await;
}

#[tokio::test(start_paused = true)]
async fn another_model_of_the_same_key_is_no_better_and_so_the_first_is_waited_for() {
    let double = double(r#"[{"fault": {"kind": "rate_limited", "retry_after": 20}}]"#);
    let rest = format!("{PLAIN}fallback = [\"openai/gpt-4o-mini\"]\n");
    let world = world(&double, "openai/gpt-5-mini", &rest).await;
    let call = || call("a", "agent").given(r#""Hi""#).retried(retry());
    let first = world.submit(call()).await;
    let _worker = world.worker().await;
    world.until_event(&first, "attempt_failed a AI_RATE_LIMITED").await;
    // One that comes while the provider is left alone waits too.
    let second = world.submit(call()).await;
    world.until_closed(&first).await;
    world.until_closed(&second).await;
    let asked: Vec<_> = double.seen().into_iter().filter_map(|seen| seen.model).collect();
    assert_eq!(asked, ["gpt-5-mini"; 3]);
}

/// Nobody is at home at one address, and everybody at all others.
struct HalfDown(Arc<Double>);

#[async_trait]
impl Transport for HalfDown {
    async fn send(&self, request: Outgoing) -> Result<Incoming, Broken> {
        match request.url.contains("down.example") {
            true => Err(Broken::Unreached("down.example".to_owned())),
            false => self.0.send(request).await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_address_that_is_down_says_nothing_about_another() {
    let models = models(&Arc::new(HalfDown(double("[]"))), "");
    let mine = format!("{PLAIN}base_url = \"http://down.example/v1\"\n");
    let world = Setting::new()
        .real("mine", agent(&models, "openai/gpt-5-mini", &mine))
        .real("usual", agent(&models, "openai/gpt-5-mini", PLAIN))
        .await;
    let _worker = world.worker().await;
    let mut causes = Vec::new();
    for _ in 0..6 {
        let run = world.submit(call("a", "mine").given(r#""Hi""#)).await;
        world.until_closed(&run).await;
        let fault = told(&world, &run).await.gone.unwrap().fault;
        causes.push(fault.details.unwrap().as_str().contains("are paused"));
    }
    assert_eq!(causes, [false, false, false, false, false, true], "the circuit opens there");
    let run = world.submit(call("a", "usual").given(r#""Hi""#)).await;
    world.until_closed(&run).await;
    assert!(told(&world, &run).await.completed.is_some());
}
