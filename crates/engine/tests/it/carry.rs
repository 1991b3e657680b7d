//! Calls without a run: how long they may take, and how long they wait.

use std::{sync::Arc, time::Duration};

use consign_engine::{
    Agents, At, Call, Carrier, Data, Effect, Fault, FaultClass, Limits, Owner, Retry, RunId,
};
use consign_testkit::{
    draft::json,
    scripted::{Act, Outside, Scripted, usd},
};
use tokio::time::Instant;

use crate::{broken, busy, secs};

/// Somebody who carries what agents give him.
struct Hand {
    carrier: Arc<Carrier>,
    outside: Outside,
    begun: Instant,
}

impl Hand {
    fn of(
        agents: impl IntoIterator<Item = (&'static str, Scripted)>,
        most: Option<Duration>,
    ) -> Self {
        let outside = Outside::default();
        let agents = agents.into_iter().fold(Agents::default(), |agents, (name, agent)| {
            agents.with(name, agent.agent(name, &outside))
        });
        let mut carrier = Carrier::new(RunId::new("carried"), agents, Owner::new("ada"), || At(0));
        carrier.limits = Limits { active: most, ..Limits::default() };
        Self { carrier: Arc::new(carrier), outside, begun: Instant::now() }
    }

    async fn calls(&self, agent: &str) -> Result<Data, Fault> {
        let retry = Retry { tries: 3, first: secs(1), longest: secs(60) };
        let call = Call { key: agent.into(), agent: agent.into(), input: json("1"), retry };
        self.carrier.call(&call).await.result
    }

    fn took(&self) -> Duration {
        self.begun.elapsed()
    }
}

#[tokio::test(start_paused = true)]
async fn once_the_time_is_over_nobody_is_called_any_more() {
    let unsafe_one = Scripted::answers(["1"]).kind(Effect::Unsafe);
    let pure = Scripted::answers(["1"]);
    let hand = Hand::of(
        [("slow", Scripted::new([Act::hangs()])), ("unsafe", unsafe_one), ("pure", pure)],
        Some(secs(5)),
    );
    let late = hand.calls("slow").await.unwrap_err();
    assert_eq!((late.code.as_ref(), hand.took()), ("LIMIT_TIME", secs(5)));
    for agent in ["unsafe", "pure", "slow"] {
        assert_eq!(hand.calls(agent).await.unwrap_err().code, "LIMIT_TIME");
    }
    assert_eq!(hand.took(), secs(5));
    assert!(hand.outside.calls("unsafe").is_empty() && hand.outside.calls("pure").is_empty());
    assert_eq!(hand.outside.calls("slow").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_is_at_work_when_the_time_is_over_may_still_say_what_it_came_to() {
    // It does not listen, and is done a second later.
    let late = Scripted::new([Act::answers("7").after(secs(6)).deaf()]);
    let hand = Hand::of([("late", late)], Some(secs(5)));
    assert_eq!(hand.calls("late").await.unwrap().as_str(), "7");
    assert_eq!(hand.took(), secs(6));
    assert_eq!(hand.calls("late").await.unwrap_err().code, "LIMIT_TIME");
}

#[tokio::test(start_paused = true)]
async fn who_does_not_stop_is_left_after_a_while() {
    let deaf = Scripted::new([Act::hangs().deaf()]).at_worst(usd(2));
    let hand = Hand::of([("deaf", deaf)], Some(secs(5)));
    assert_eq!(hand.calls("deaf").await.unwrap_err().code, "LIMIT_TIME");
    assert_eq!(hand.took(), secs(15));
    // Nobody can tell what it cost.
    assert_eq!(hand.carrier.spent(), usd(2));
}

#[tokio::test(start_paused = true)]
async fn of_an_unsafe_one_that_was_cut_off_nobody_knows_what_it_did() {
    for (effect, class) in [
        (Effect::Unsafe, FaultClass::OutcomeUnknown),
        (Effect::Keyed, FaultClass::Permanent),
        (Effect::Idempotent, FaultClass::Permanent),
        (Effect::Pure, FaultClass::Permanent),
    ] {
        let slow = Scripted::new([Act::hangs()]).kind(effect);
        let hand = Hand::of([("slow", slow)], Some(secs(5)));
        let fault = hand.calls("slow").await.unwrap_err();
        assert_eq!((fault.code.as_ref(), fault.class), ("LIMIT_TIME", class), "{effect:?}");
        let told = fault.message.contains("its outcome is unknown");
        assert_eq!(told, effect == Effect::Unsafe, "{}", fault.message);
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_outlasts_the_time_ends_with_it() {
    let hand = Hand::of(
        [("busy", Scripted::new([Act::fails(busy().with_retry_after(secs(30)))]))],
        Some(secs(5)),
    );
    assert_eq!(hand.calls("busy").await.unwrap_err().code, "LIMIT_TIME");
    assert_eq!((hand.took(), hand.outside.calls("busy").len()), (secs(5), 1));
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_no_clock_reaches_is_none() {
    let hand = Hand::of([("pure", Scripted::answers(["1"]))], Some(Duration::MAX));
    assert_eq!(hand.calls("pure").await.unwrap().as_str(), "1");
}

#[tokio::test(start_paused = true)]
async fn whoever_was_told_to_stop_begins_nothing() {
    let hand = Hand::of(
        [("pure", Scripted::answers(["1"])), ("slow", Scripted::new([Act::hangs()]))],
        None,
    );
    let (slow, ()) = tokio::join!(hand.calls("slow"), async {
        tokio::time::sleep(secs(1)).await;
        hand.carrier.stop();
    });
    assert_eq!(slow.unwrap_err().code, "CANCELLED");
    assert_eq!(hand.calls("pure").await.unwrap_err().code, "CANCELLED");
    assert!(hand.outside.calls("pure").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_short_wait_is_sat_out_and_a_long_one_is_left_to_whoever_carries_the_state() {
    let later =
        |wait| Scripted::new([Act::fails(busy().with_retry_after(secs(wait))), Act::answers("1")]);
    let hand = Hand::of([("minute", later(60)), ("day", later(86_400))], None);
    assert_eq!(hand.calls("minute").await.unwrap().as_str(), "1");
    assert_eq!(hand.took(), secs(60));
    let fault = hand.calls("day").await.unwrap_err();
    assert_eq!(
        (fault.code.as_ref(), fault.recoverable, fault.retry_after),
        ("BUSY", true, Some(86_400.0))
    );
    assert!(fault.message.contains("86400 s") && fault.message.contains("60 s at most"), "{fault}");
    assert_eq!((hand.took(), hand.outside.calls("day").len()), (secs(60), 1));
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_no_reason_where_there_is_no_other_try() {
    let fails = Scripted::new([Act::fails(broken().with_retry_after(secs(86_400)))]);
    let hand = Hand::of([("broken", fails)], None);
    assert_eq!(hand.calls("broken").await.unwrap_err(), broken().with_retry_after(secs(86_400)));
}
