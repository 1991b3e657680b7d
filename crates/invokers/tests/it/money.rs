//! Caps with real token counts.

use consign_engine::{Nanos, Retry, Settings, Status};
use consign_testkit::{
    programs::{Order, call, fan_out, sequence},
    world::refusal,
};

use crate::stage::{PLAIN, PROVIDERS, SCHEMA, agent, double, models, told, world};

#[tokio::test(start_paused = true)]
async fn a_run_whose_first_call_could_not_be_paid_is_refused() {
    let world = world(&double("[]"), "openai/gpt-5-mini", PLAIN).await;
    let plan = call("a", "agent").given(r#""Hi""#);
    // Five hundred tokens of output alone are a thousandth of a dollar.
    let refused =
        refusal(world.try_submit(Order::from(plan).may_cost(Nanos::new(1_000_000))).await);
    assert_eq!(refused.code, "BUDGET_TOO_SMALL");
}

#[tokio::test(start_paused = true)]
async fn a_cap_that_is_just_what_is_held_back_will_do_and_a_nano_dollar_less_will_not() {
    for model in PROVIDERS.into_iter().filter(|model| !model.starts_with("ollama/")) {
        let double = double("[]");
        let world = world(&double, model, PLAIN).await;
        let plan = || Order::from(call("a", "agent").given(r#""Hi""#));
        let run = world.submit(plan()).await;
        let _worker = world.worker().await;
        world.until_closed(&run).await;
        let reserved = told(&world, &run).await.started.unwrap().reserved;
        let less = reserved.minus(Nanos::new(1));
        let refused = refusal(world.try_submit(plan().may_cost(less)).await);
        assert_eq!(refused.code, "BUDGET_TOO_SMALL", "{model}");
        world.settle().await;
        assert_eq!(double.seen().len(), 1, "{model}: nothing was sent");
        let run = world.submit(plan().may_cost(reserved)).await;
        let row = world.until_closed(&run).await;
        assert_eq!((row.status, double.seen().len()), (Status::Succeeded, 2), "{model}");
        assert_eq!(told(&world, &run).await.started.unwrap().reserved, reserved, "{model}");
    }
}

#[tokio::test(start_paused = true)]
async fn at_its_cap_a_run_waits_keeps_its_work_and_goes_on_when_it_is_raised() {
    let double = double("[]");
    let world = world(&double, "openai/gpt-5-mini", PLAIN).await;
    let steps = sequence((1..=6).map(|n| call(&format!("s{n}"), "agent").given(r#""Count.""#)));
    let cap = Nanos::new(1_050_000);
    let run = world.submit(Order::from(steps).may_cost(cap)).await;
    let _worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    assert!(row.figures.spent <= cap && row.figures.reserved.is_zero());
    let done = double.seen().len();
    assert!((1..6).contains(&done), "{done}");
    let more = consign_engine::Limits { cost: Some(cap.times(10)), ..Default::default() };
    world.raise(&run, more).await;
    let row = world.until_closed(&run).await;
    assert_eq!((row.status, double.seen().len()), (Status::Succeeded, 6), "nothing twice");
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn sixty_four_at_once_do_not_pass_the_cap() {
    // All the words that an answer may have: what is held back is nearly what is spent.
    let usage = r#""usage": {"input_tokens": 10, "output_tokens": 500}"#;
    let each = Nanos::new(10 * 250 + 500 * 2_000);
    let double = double(&format!(r#"[{{"text": "Hi", {usage}, "times": 0}}]"#));
    let world = world(&double, "openai/gpt-5-mini", PLAIN).await;
    let cap = Nanos::new(20_000_000);
    let run = world.submit(Order::from(fan_out(64, "agent")).may_cost(cap)).await;
    let _worker = world.worker().await;
    let mut raised = 0;
    let row = loop {
        let row = world.until(&run, "waits or closes", |row| {
            row.status == Status::Waiting || row.status.is_closed()
        });
        let row = row.await;
        if row.status.is_closed() {
            break row;
        }
        let (spent, had) = (row.figures.spent, row.figures.cap.unwrap());
        assert!(spent + row.figures.reserved <= had, "{spent} of {had}");
        assert_eq!(spent, each.times(double.seen().len() as u64));
        let more = consign_engine::Limits { cost: Some(had + cap), ..Default::default() };
        world.raise(&run, more).await;
        raised += 1;
        world.settle().await;
    };
    assert!(raised >= 1, "it never came to its cap");
    assert_eq!((row.status, double.seen().len()), (Status::Succeeded, 64));
    assert_eq!((row.figures.spent, row.figures.reserved), (each.times(64), Nanos::ZERO));
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn what_a_call_comes_to_is_never_more_than_its_bound() {
    let bad = r#"[{"text": "{\"verdict\": 1}", "usage": {"input_tokens": 60, "output_tokens": 500}},
                  {"text": "{\"verdict\": 2}"},
                  {"provider": "anthropic", "fault": {"kind": "cut_off"}, "text": "a b", "times": 2},
                  {"text": "{\"verdict\": \"accept\", \"score\": 1}"}]"#;
    let double = double(bad);
    let rest = format!("{SCHEMA}fallback = [\"anthropic/claude-haiku-4-5\"]\n");
    let made = agent(&models(&double, ""), "openai/gpt-5-mini", &rest);
    let input = consign_engine::Data::of("Judge.");
    let bound = made.invoker.bound(&input, &Settings::default(), 3);
    let world = world(&double, "openai/gpt-5-mini", &rest).await;
    let plan = call("a", "agent").given(r#""Judge.""#).retried(Retry::default());
    let run = world.submit(plan).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Succeeded);
    assert!(row.figures.spent <= bound.cost.unwrap(), "{} {bound:?}", row.figures.spent);
    assert_eq!((bound.calls, double.seen().len()), (Some(9), 5));
    assert!(
        told(&world, &run).await.failed[2].0.paid.assumed,
        "a stream that is cut off may be charged"
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_without_a_price_is_unmetered_and_says_so() {
    let double = double("[]");
    let world = world(&double, "openai/gpt-99", PLAIN).await;
    let run = world.submit(call("a", "agent").given(r#""Hi""#)).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert!(row.figures.spent.is_zero());
    let told = told(&world, &run).await;
    assert!(told.started.unwrap().unmetered);
    let used: serde_json::Value = told.completed.unwrap().used.unwrap().to().unwrap();
    assert_eq!(used["unmetered"], true);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_counts_more_than_there_can_be_is_not_believed() {
    let double =
        double(r#"[{"text": "Hi", "usage": {"input_tokens": 500000000, "output_tokens": 9}}]"#);
    let world = world(&double, "openai/gpt-5-mini", PLAIN).await;
    let cap = Nanos::new(2_000_000);
    let run = world.submit(Order::from(call("a", "agent").given(r#""Hi""#)).may_cost(cap)).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    let told = told(&world, &run).await;
    assert_eq!(row.figures.spent, told.started.unwrap().reserved);
    let used: serde_json::Value = told.completed.unwrap().used.unwrap().to().unwrap();
    assert_eq!(
        (&used["over_reservation"], &used["counted_usd"]),
        (&true.into(), &"125.000018".into())
    );
}
