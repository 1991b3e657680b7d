//! Money: reserved before an attempt, settled with its result, never past the cap.

use consign_engine::{BoundedBy, Effect, Limits, Nanos, Status, journal::Body};
use consign_testkit::{
    programs::{Order, all, ask, call, fan_out, sequence},
    scripted::{Act, Scripted, usd},
    world::{World, refusal},
};

use crate::{no_limits, secs};

/// It may cost five dollars, and costs two.
fn dear() -> Scripted {
    Scripted::echo().at_worst(usd(5)).each(|act| act.costs(usd(2)))
}

fn cost(cap: Nanos) -> Limits {
    Limits { cost: Some(cap), ..no_limits() }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_could_not_make_its_first_call_is_refused() {
    let world = World::with_agent("dear", dear()).await;
    let order = |cap| Order::from(call("a", "dear")).may_cost(cap);
    let fault = refusal(world.try_submit(order(usd(4))).await);
    assert_eq!(fault.code, "BUDGET_TOO_SMALL");
    assert!(world.rows().await.is_empty(), "nothing was written");
    world.submit(order(usd(5))).await;
}

#[tokio::test(start_paused = true)]
async fn a_certificate_says_what_bounds_the_run() {
    let world = World::with_agent("dear", dear()).await;
    let order = |cap| Order::from(call("a", "dear")).may_cost(cap).bounded(usd(10), 2);
    let within = world.try_submit(order(usd(10))).await.unwrap().certificate;
    assert_eq!((within.bounded_by, within.cost), (BoundedBy::Structure, Some(usd(10))));
    assert_eq!(within.calls, Some(2));
    let over = world.try_submit(order(usd(9))).await.unwrap().certificate;
    assert_eq!((over.bounded_by, over.cost), (BoundedBy::Cap, Some(usd(9))));
    let unknown = Order::from(call("a", "dear")).may_cost(usd(9));
    let unknown = world.try_submit(unknown).await.unwrap().certificate;
    assert_eq!((unknown.bounded_by, unknown.calls), (BoundedBy::Cap, None));
}

#[tokio::test(start_paused = true)]
async fn a_certified_run_is_refused_unless_it_is_sure_to_end_within_its_limits() {
    let world = World::with_agent("dear", dear()).await;
    let order = Order::from(call("a", "dear")).may_cost(usd(9)).certified();
    let fault = refusal(world.try_submit(order.clone().bounded(usd(10), 2)).await);
    assert_eq!(fault.code, "NOT_CERTIFIED");
    assert!(fault.message.ends_with("the run costs $10, and it may cost $9"), "{fault}");
    let fault = refusal(world.try_submit(order.clone()).await);
    assert_eq!(fault.code, "NOT_CERTIFIED");
    assert!(fault.message.starts_with("what its calls cost at most is not known"), "{fault}");
    let too_many = order.clone().may_call(1).bounded(usd(9), 2);
    let fault = refusal(world.try_submit(too_many).await);
    assert_eq!(fault.code, "NOT_CERTIFIED");
    assert!(fault.message.ends_with("the run makes 2 calls, and it may make 1 call"), "{fault}");
    let run = world.submit(order.bounded(usd(9), 2)).await;
    let journal = world.journal(&run).await;
    let Ok(Some(Body::Created(created))) = journal[0].body() else { panic!("{journal:?}") };
    assert_eq!(created.certificate.bounded_by, BoundedBy::Structure);
}

#[tokio::test(start_paused = true)]
async fn the_worst_case_is_held_back_while_a_call_is_under_way() {
    let slow = dear().each(|act| act.after(secs(60)));
    let world = World::with_agent("slow", slow).await;
    let run = world.submit(fan_out(3, "slow")).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started part3").await;
    assert_eq!(world.row(&run).await.figures.reserved, usd(15));
    assert_eq!(world.account("ada").await.reserved, usd(15));
    let row = world.until_closed(&run).await;
    assert_eq!((row.figures.reserved, row.figures.spent), (Nanos::ZERO, usd(6)));
    let account = world.account("ada").await;
    assert_eq!((account.reserved, account.spent), (Nanos::ZERO, usd(6)));
}

#[tokio::test(start_paused = true)]
async fn what_a_call_did_not_use_lets_held_calls_of_the_fan_out_begin() {
    let world = World::with_agent("dear", dear()).await;
    let run = world.submit(Order::from(fan_out(3, "dear")).may_cost(usd(9))).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!((row.status, row.figures.spent), (Status::Succeeded, usd(6)));
    assert_eq!(
        world.history(&run).await,
        "created → call_started part1 → call_completed part1 ($2) → call_started part2 \
         → call_completed part2 ($2) → call_started part3 → call_completed part3 ($2) → succeeded"
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_that_reaches_its_cap_waits_and_goes_on_when_it_is_raised() {
    let world = World::with_agent("dear", dear()).await;
    let plan = sequence([call("a", "dear"), call("b", "dear")]);
    let run = world.submit(Order::from(plan).may_cost(usd(6))).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert_eq!(
        world.history(&run).await,
        "created → call_started a → call_completed a ($2) → asked @limit@1 LIMIT_COST"
    );
    assert_eq!(world.inbox().await[0].kind.as_str(), "limit");
    world.raise(&run, cost(usd(7))).await;
    let row = world.until_closed(&run).await;
    assert_eq!((row.figures.spent, row.figures.cap), (usd(4), Some(usd(7))));
    assert!(world.history(&run).await.contains("LIMIT_COST → raised → call_started b"));
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_raise_that_is_not_enough_is_asked_for_again() {
    let world = World::with_agent("dear", dear()).await;
    let plan = sequence([call("a", "dear"), call("b", "dear")]);
    let run = world.submit(Order::from(plan).may_cost(usd(5))).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.raise(&run, cost(usd(6))).await;
    world.until(&run, "asks again", |row| row.seq.0 == 5).await;
    world.until_waiting(&run).await;
    assert!(world.history(&run).await.ends_with("raised → asked @limit@2 LIMIT_COST"));
    assert_eq!(world.inbox().await.len(), 1);
    world.raise(&run, cost(usd(9))).await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn a_raise_cannot_lower_a_limit() {
    let world = World::with_agent("dear", dear()).await;
    let order = Order::from(ask("q")).may_cost(usd(6)).may_call(5);
    let run = world.submit(order).await;
    let calls = |most| Limits { calls: Some(most), ..no_limits() };
    let minutes = Limits { active: Some(secs(60)), ..no_limits() };
    for wrong in [cost(usd(5)), cost(usd(6)), calls(4), minutes, no_limits()] {
        assert_eq!(refusal(world.try_raise(&run, wrong).await).code, "INVALID_LIMIT");
    }
    let mixed = Limits { cost: Some(usd(9)), calls: Some(4), active: None };
    assert_eq!(refusal(world.try_raise(&run, mixed).await).code, "INVALID_LIMIT");
    assert_eq!(world.history(&run).await, "created");
}

#[tokio::test(start_paused = true)]
async fn an_owner_cannot_spend_past_the_cap_over_all_runs() {
    let slow = dear().each(|act| act.after(secs(5)));
    let world = World::with_agent("slow", slow).await;
    world.cap("ada", usd(9)).await;
    let mut runs = Vec::new();
    for _ in 0..4 {
        runs.push(world.submit(call("a", "slow")).await);
    }
    let _worker = world.worker().await;
    // The audit sees to it that the account is never over its cap.
    for run in &runs[..3] {
        world.until_closed(run).await;
    }
    let last = world.until_waiting(&runs[3]).await;
    assert_eq!(world.account("ada").await.spent, usd(6));
    assert!(world.history(&last.id).await.ends_with("asked @limit@1 LIMIT_OWNER"));
    world.cap("ada", usd(11)).await;
    world.until_closed(&runs[3]).await;
    assert_eq!(
        world.history(&runs[3]).await,
        "created → asked @limit@1 LIMIT_OWNER → call_started a → ask_withdrawn @limit@1 \
         → call_completed a ($2) → succeeded"
    );
}

#[tokio::test(start_paused = true)]
async fn one_owners_cap_does_not_bind_another() {
    let world = World::with_agent("dear", dear()).await;
    world.cap("ada", usd(1)).await;
    let run = world.submit(Order::from(call("a", "dear")).owned_by("bob")).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(world.account("bob").await.spent, usd(2));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_a_crash_took_counts_as_spent_in_full() {
    for kind in [Effect::Pure, Effect::Idempotent, Effect::Keyed, Effect::Unsafe] {
        let acts = [Act::hangs(), Act::echoes().costs(usd(2))];
        let world =
            World::with_agent("dear", Scripted::new(acts).kind(kind).at_worst(usd(5))).await;
        let run = world.submit(call("a", "dear")).await;
        let worker = world.worker().await;
        world.until_event(&run, "call_started a").await;
        worker.kill().await;
        assert_eq!(world.row(&run).await.figures.reserved, usd(5), "until somebody looks");
        let _worker = world.worker().await;
        world.until_event(&run, "attempt_lost a ($5 assumed)").await;
        world.settle().await;
        let spent = if kind == Effect::Unsafe { usd(5) } else { usd(7) };
        assert_eq!(world.row(&run).await.figures.spent, spent, "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_crash_cannot_make_a_run_spend_past_its_cap() {
    let acts = [Act::hangs(), Act::hangs(), Act::echoes().costs(usd(2))];
    let world = World::with_agent("dear", Scripted::new(acts).at_worst(usd(5))).await;
    let run = world.submit(Order::from(call("a", "dear")).may_cost(usd(10))).await;
    for attempt in ["call_started a", "attempt_started a #2"] {
        let worker = world.worker().await;
        world.until_event(&run, attempt).await;
        worker.kill().await;
    }
    let _worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    assert_eq!((row.figures.spent, row.figures.reserved), (usd(10), Nanos::ZERO));
    world.raise(&run, cost(usd(15))).await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn an_owner_who_has_nothing_left_begins_nothing_that_nobody_can_price() {
    let unmetered = Scripted::new([Act::echoes().costs(usd(3))]).unmetered();
    let world = World::with_agent("unmetered", unmetered).await;
    world.cap("ada", usd(5)).await;
    let run = world.submit(sequence(["a", "b", "c"].map(|key| call(key, "unmetered")))).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    assert_eq!(world.calls("unmetered"), ["a", "b"]);
    assert!(world.history(&run).await.ends_with("asked @limit@1 LIMIT_OWNER"));
    world.cap("ada", usd(7)).await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn what_takes_all_that_is_left_waits_for_what_nobody_can_price() {
    for here in [false, true] {
        let world = World::with_agent("unmetered", Scripted::echo().unmetered())
            .agent("dear", dear())
            .await;
        world.cap("ada", usd(5)).await;
        let plan = all([call("a", "unmetered"), call("b", "dear")]);
        let process = world.foreground().await;
        let _worker = world.worker().await;
        let run = if here {
            let (begun, drive) = process.begin(plan).await;
            process.attend(drive).await.unwrap();
            begun.run
        } else {
            world.submit(plan).await
        };
        world.until_closed(&run).await;
        assert_eq!(
            world.history(&run).await,
            "created → call_started a → call_completed a → call_started b → call_completed b ($2) \
             → succeeded"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_cannot_say_what_it_costs_begins_only_while_something_is_left() {
    let unmetered = Scripted::new([Act::echoes().costs(usd(3))]).unmetered();
    let world = World::with_agent("unmetered", unmetered).await;
    let plan = sequence(["a", "b", "c"].map(|key| call(key, "unmetered")));
    let run = world.submit(Order::from(plan).may_cost(usd(6))).await;
    let _worker = world.worker().await;
    let row = world.until_waiting(&run).await;
    assert_eq!(row.figures.spent, usd(6));
    assert!(world.history(&run).await.ends_with("asked @limit@1 LIMIT_COST"));
    world.raise(&run, cost(usd(9))).await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn free_work_runs_under_a_limit_of_nothing() {
    for owner_has in [None, Some(Nanos::ZERO)] {
        let world = World::with_agent("free", Scripted::echo()).await;
        if let Some(cap) = owner_has {
            world.cap("ada", cap).await;
        }
        let plan = sequence(["a", "b"].map(|key| call(key, "free")));
        let run = world.submit(Order::from(plan).may_cost(Nanos::ZERO)).await;
        let _worker = world.worker().await;
        world.until_closed(&run).await;
        assert_eq!(world.calls("free"), ["a", "b"]);
        assert!(world.history(&run).await.ends_with("succeeded"));
    }
}

#[tokio::test(start_paused = true)]
async fn free_work_runs_when_all_is_spent() {
    let world = World::with_agent("program", Scripted::echo())
        .agent("dear", Scripted::new([Act::echoes().costs(usd(2))]).at_worst(usd(2)))
        .await;
    let plan = sequence([call("a", "dear"), call("b", "program")]);
    let run = world.submit(Order::from(plan).may_cost(usd(2))).await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.figures.spent, usd(2));
    assert_eq!(world.calls("program"), ["b"]);
}

#[tokio::test(start_paused = true)]
async fn what_has_no_known_cost_waits_under_a_limit_of_nothing_and_says_why() {
    let world = World::with_agent("service", Scripted::echo().unmetered()).await;
    let run = world.submit(Order::from(call("a", "service")).may_cost(Nanos::ZERO)).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    let asks = world.inbox().await;
    assert_eq!(
        asks[0].prompt,
        "The run may cost $0; $0 is spent, $0 is held back, and the cost of the next call (service) is \
         not known: its model has no price. Raise it to go on."
    );
    world.raise(&run, cost(usd(1))).await;
    world.until_closed(&run).await;
}

#[tokio::test(start_paused = true)]
async fn paid_work_is_refused_under_a_limit_of_nothing_and_the_refusal_names_both_amounts() {
    let world = World::with_agent("dear", dear()).await;
    let order = Order::from(call("a", "dear")).may_cost(Nanos::ZERO);
    let refused = refusal(world.try_submit(order).await);
    assert_eq!(refused.code, "BUDGET_TOO_SMALL");
    assert_eq!(refused.message, "the first call (dear) may cost $5, and the run may cost $0");
}
