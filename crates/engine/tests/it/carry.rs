//! Calls without a run: how long they may take, and how long they wait.

use std::{sync::Arc, time::Duration};

use consign_engine::{
    Agents, At, Call, Data, Effect, Fault, FaultClass, InMemoryDriver, Limits, Owner, Probe, Retry,
    RunId, SharedBudget,
};
use consign_testkit::{
    draft::json,
    scripted::{Act, Outside, Scripted, usd},
};
use tokio::time::Instant;

use crate::{broken, busy, secs};

/// Somebody who carries what agents give him.
struct Hand {
    carrier: Arc<InMemoryDriver>,
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
        let mut carrier =
            InMemoryDriver::new(RunId::new("carried"), agents, Owner::new("ada"), || At(0));
        carrier.limits = Limits { active: most, ..Limits::default() };
        Self { carrier: Arc::new(carrier), outside, begun: Instant::now() }
    }

    async fn calls(&self, agent: &str) -> Result<Data, Fault> {
        let retry = Retry::new(3, secs(1), secs(60));
        let call = Call { key: agent.into(), agent: agent.into(), input: json("1"), retry };
        self.carrier.call(&call).await.result
    }

    /// From this budget, up to so many dollars.
    fn paying(mut self, most: u64, budget: &SharedBudget) -> Self {
        let carrier = Arc::get_mut(&mut self.carrier).expect("it is ours");
        (carrier.limits.cost, carrier.budget) = (Some(usd(most)), budget.clone());
        self
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
        (Effect::Keyed, FaultClass::OutcomeUnknown),
        (Effect::Idempotent, FaultClass::Permanent),
        (Effect::Pure, FaultClass::Permanent),
    ] {
        let slow = Scripted::new([Act::hangs()]).kind(effect);
        let hand = Hand::of([("slow", slow)], Some(secs(5)));
        let fault = hand.calls("slow").await.unwrap_err();
        assert_eq!((fault.code.as_ref(), fault.class), ("LIMIT_TIME", class), "{effect:?}");
        let told = fault.message.contains("its outcome is unknown");
        assert_eq!(told, class == FaultClass::OutcomeUnknown, "{}", fault.message);
        assert!(!fault.recoverable);
    }
}

#[tokio::test(start_paused = true)]
async fn of_one_that_must_not_be_called_twice_the_fault_says_that_nobody_knows_what_it_did() {
    let lost =
        || Fault::outcome_unknown("LOST", "the line went dead").with_details(json(r#"{"a":1}"#));
    for (effect, unknown) in [
        (Effect::Unsafe, true),
        (Effect::Keyed, true),
        (Effect::Idempotent, false),
        (Effect::Pure, false),
    ] {
        let lost = Scripted::new([Act::fails(lost()), Act::fails(lost()), Act::fails(lost())]);
        let hand = Hand::of([("mail#0123abcd", lost.kind(effect))], None);
        let fault = hand.calls("mail#0123abcd").await.unwrap_err();
        assert_eq!((fault.code.as_ref(), fault.recoverable), ("LOST", !unknown), "{effect:?}");
        let details = fault.details.expect("its own");
        let expected = if unknown { r#"{"a":1,"outcome":"unknown"}"# } else { r#"{"a":1}"# };
        assert_eq!(details.as_str(), expected, "{effect:?}");
        let told = "its outcome is unknown: mail may have done its work";
        assert_eq!(fault.message.contains(told), unknown, "{}", fault.message);
    }
    // What the last attempt says counts: a refusal is no outcome that nobody knows.
    let refused = Scripted::new([Act::fails(lost()), Act::fails(broken())]).kind(Effect::Keyed);
    let hand = Hand::of([("mail", refused)], None);
    assert_eq!(hand.calls("mail").await.unwrap_err(), broken());
}

#[tokio::test(start_paused = true)]
async fn what_the_other_side_says_was_not_done_has_only_failed() {
    let lost = Fault::outcome_unknown("LOST", "the line went dead");
    let lost = Scripted::new([Act::fails(lost)]).kind(Effect::Keyed).probed(Probe::NotDone);
    let hand = Hand::of([("mail", lost)], None);
    let fault = hand.calls("mail").await.unwrap_err();
    assert_eq!((fault.class, fault.recoverable), (FaultClass::Transient, true));
    assert_eq!((fault.message.as_str(), fault.details), ("the line went dead", None));
    assert_eq!(hand.outside.calls("mail").len(), 3);
    // Likewise of one that was cut off.
    let slow = Scripted::new([Act::hangs()]).kind(Effect::Keyed).probed(Probe::NotDone);
    let hand = Hand::of([("slow", slow.clone())], Some(secs(5)));
    let fault = hand.calls("slow").await.unwrap_err();
    assert_eq!((fault.code.as_ref(), fault.class), ("LIMIT_TIME", FaultClass::Permanent));
    let hand = Hand::of([("slow", slow)], None);
    let (fault, ()) = tokio::join!(hand.calls("slow"), async {
        tokio::time::sleep(secs(1)).await;
        hand.carrier.stop();
    });
    let fault = fault.unwrap_err();
    assert_eq!((fault.code.as_ref(), fault.class), ("CANCELLED", FaultClass::Permanent));
}

#[tokio::test(start_paused = true)]
async fn who_is_busy_says_nothing_of_what_was_done_before() {
    let lost = Fault::outcome_unknown("LOST", "the line went dead");
    let mail = Scripted::new([Act::fails(lost), Act::fails(busy())]).kind(Effect::Keyed);
    let check = async |mail: Scripted, unknown: bool, probes: usize| {
        let hand = Hand::of([("mail", mail)], None);
        let fault = hand.calls("mail").await.unwrap_err();
        let details = fault.details.as_ref().map(Data::as_str);
        assert_eq!((fault.code.as_ref(), fault.recoverable), ("BUSY", !unknown));
        assert_eq!(details, unknown.then_some(r#"{"outcome":"unknown"}"#));
        assert_eq!(hand.outside.probes().len(), probes);
    };
    check(mail.clone(), true, 3).await;
    check(mail.probed(Probe::NotDone), false, 1).await;
}

#[tokio::test(start_paused = true)]
async fn who_is_left_is_not_waited_for() {
    let deaf = Scripted::new([Act::hangs().deaf()]).kind(Effect::Unsafe);
    let hand = Hand::of([("deaf", deaf)], None);
    let (fault, ()) = tokio::join!(hand.calls("deaf"), async {
        tokio::time::sleep(secs(1)).await;
        hand.carrier.stop();
        tokio::time::sleep(secs(2)).await;
        hand.carrier.leave();
    });
    let fault = fault.unwrap_err();
    assert_eq!((fault.code.as_ref(), fault.class), ("CANCELLED", FaultClass::OutcomeUnknown));
    assert_eq!(hand.took(), secs(3));
    assert!(hand.carrier.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn a_limit_between_two_attempts_does_not_hide_that_nobody_knows() {
    let lost = Fault::outcome_unknown("LOST", "the line went dead");
    let mail = Scripted::new([Act::fails(lost)]).kind(Effect::Keyed);
    let mut hand = Hand::of([("mail", mail)], None);
    Arc::get_mut(&mut hand.carrier).expect("it is ours").limits.calls = Some(1);
    let fault = hand.calls("mail").await.unwrap_err();
    assert_eq!((fault.code.as_ref(), fault.recoverable), ("LIMIT_CALLS", false));
    assert!(fault.message.starts_with("one call may be made, and it was; its outcome"), "{fault}");
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
async fn what_is_done_before_it_could_stop_is_done() {
    let late = Scripted::new([Act::answers("7").after(secs(2)).deaf()]).kind(Effect::Unsafe);
    let slow = Scripted::new([Act::hangs().deaf()]).kind(Effect::Unsafe);
    let hand = Hand::of([("late", late), ("slow", slow)], None);
    let (late, slow, ()) = tokio::join!(hand.calls("late"), hand.calls("slow"), async {
        tokio::time::sleep(secs(1)).await;
        hand.carrier.stop();
    });
    assert!(hand.carrier.is_stopped());
    assert_eq!(late.unwrap().as_str(), "7");
    let slow = slow.unwrap_err();
    assert_eq!((slow.code.as_ref(), slow.class), ("CANCELLED", FaultClass::OutcomeUnknown));
}

#[tokio::test(start_paused = true)]
async fn who_shares_a_purse_shares_its_limit() {
    let budget = SharedBudget::shared();
    let hands = [(); 2].map(|()| spender(2, 2).paying(3, &budget));
    let [one, other] = &hands;
    let (first, second) = tokio::join!(one.calls("costly"), other.calls("costly"));
    assert_eq!(first.unwrap().as_str(), "1");
    let fault = second.unwrap_err();
    assert_eq!(fault.code, "LIMIT_COST");
    let told = "the limit on cost is $3 for all together; $2 is spent, and the next call may cost $2. Allow \
                $4 to go on";
    assert_eq!(fault.message, told);
    assert_eq!(one.carrier.spent(), other.carrier.spent());
}

#[tokio::test(start_paused = true)]
async fn free_work_is_done_under_a_limit_of_nothing_and_other_work_is_not() {
    let paid = Scripted::answers(["1"]).at_worst(usd(2));
    let agents = [
        ("free", Scripted::answers(["1"])),
        ("service", Scripted::answers(["1"]).unmetered()),
        ("paid", paid),
    ];
    let hand = Hand::of(agents, None).paying(0, &SharedBudget::default());
    assert!(hand.calls("free").await.is_ok());
    let told = async |agent| {
        let fault = hand.calls(agent).await.unwrap_err();
        assert_eq!(fault.code, "LIMIT_COST");
        fault.message
    };
    assert_eq!(
        told("paid").await,
        "the limit on cost is $0; $0 is spent, and the next call may cost $2. Allow $2 to go on"
    );
    assert_eq!(
        told("service").await,
        "the limit on cost is $0; $0 is spent, and the cost of the next call (service) is not known: its \
         model has no price. Allow more to go on"
    );
    assert!(hand.outside.calls("paid").is_empty() && hand.outside.calls("service").is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_has_no_known_cost_begins_only_while_something_is_left() {
    let service = Scripted::new([Act::answers("1").costs(usd(3))]).unmetered();
    let hand = Hand::of([("service", service)], None).paying(5, &SharedBudget::default());
    assert!(hand.calls("service").await.is_ok() && hand.calls("service").await.is_ok());
    assert_eq!(hand.calls("service").await.unwrap_err().code, "LIMIT_COST");
    assert_eq!(hand.carrier.spent(), usd(6));
}

/// One whose agent takes a second, and may cost more than it does.
fn spender(at_worst: u64, costs: u64) -> Hand {
    let answer = Act::answers("1").after(secs(1)).costs(usd(costs));
    Hand::of([("costly", Scripted::new([answer]).at_worst(usd(at_worst)))], None)
}

#[tokio::test(start_paused = true)]
async fn who_does_not_fit_for_what_is_held_back_waits_until_it_is_paid() {
    let budget = SharedBudget::shared();
    let [one, two, three, four] = &[(); 4].map(|()| spender(3, 1).paying(5, &budget));
    // One after the other, until what is left is less than the next may cost.
    let results = tokio::join!(
        one.calls("costly"),
        two.calls("costly"),
        three.calls("costly"),
        four.calls("costly")
    );
    let results = <[_; 4]>::from(results).map(|result| result.err().map(|fault| fault.code));
    let failed: Vec<_> = results.iter().flatten().collect();
    assert_eq!(failed, ["LIMIT_COST"]);
    assert_eq!((one.took(), one.carrier.spent()), (secs(3), usd(3)));
}

#[tokio::test(start_paused = true)]
async fn who_does_several_things_at_once_waits_for_itself() {
    let hand = spender(3, 1).paying(5, &SharedBudget::default());
    let (one, other) = tokio::join!(hand.calls("costly"), hand.calls("costly"));
    assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
    assert_eq!((hand.took(), hand.carrier.spent()), (secs(2), usd(2)));
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_money_ends_with_the_time_or_a_word_to_stop() {
    let budget = SharedBudget::shared();
    let slow = Scripted::new([Act::answers("1").after(secs(60))]).at_worst(usd(2));
    let holds = Hand::of([("slow", slow)], None).paying(3, &budget);
    let mut timed = spender(2, 2).paying(3, &budget);
    Arc::get_mut(&mut timed.carrier).expect("it is ours").limits.active = Some(secs(5));
    let stopped = spender(2, 2).paying(3, &budget);
    let took = async |hand: &Hand| (hand.calls("costly").await.unwrap_err().code, hand.took());
    let (held, late, told, ()) =
        tokio::join!(holds.calls("slow"), took(&timed), took(&stopped), async {
            tokio::time::sleep(secs(7)).await;
            stopped.carrier.stop();
        });
    assert!(held.is_ok());
    assert_eq!(late, ("LIMIT_TIME".into(), secs(5)));
    assert_eq!(told, ("CANCELLED".into(), secs(7)));
    assert!(timed.outside.calls("costly").is_empty() && stopped.outside.calls("costly").is_empty());
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_for_the_money_of_one_who_has_gone() {
    let budget = SharedBudget::shared();
    let gone = Hand::of([("slow", Scripted::new([Act::hangs()]).at_worst(usd(1)))], None);
    let (gone, waits) = (gone.paying(3, &budget), spender(3, 1).paying(3, &budget));
    let leaving = tokio::time::timeout(secs(5), gone.calls("slow"));
    let (left, refused) = tokio::join!(leaving, waits.calls("costly"));
    assert!(left.is_err());
    // Nobody can tell what it cost, so it is spent.
    assert_eq!(refused.unwrap_err().code, "LIMIT_COST");
    assert_eq!((waits.took(), waits.carrier.spent()), (secs(5), usd(1)));
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
