//! Scenarios for every store: short, and with short waits, so that they also run on a real clock.

use std::time::Duration;

use consign_engine::{Effect, Fault, ForkAt, Placement, Retry};

use super::{Scenario, Wish};
use crate::{
    programs::{Order, Plan, all, ask, call, fan_out, race, sequence, timer},
    scripted::{Act, Scripted, usd},
};

/// All of them.
#[must_use]
pub fn scenarios() -> Vec<Scenario> {
    vec![
        steps(),
        fan_out_and_join(),
        a_race_with_a_timer(),
        asks_while_calling(),
        retries(),
        every_kind_of_effect(),
        tight_money(),
        an_owner_with_little(),
        a_cancelled_run(),
        several_runs(),
        a_failing_run(),
        advice_in_time(),
        an_answer_from_outside(),
        hand_overs(),
        signals(),
        a_fork_at_a_point(),
        a_retry_inside_a_parallel_part(),
        a_retry_of_a_cancelled_run(),
        a_command_that_is_gone(),
    ]
}

fn moment() -> Duration {
    Duration::from_millis(20)
}

fn steps() -> Scenario {
    let plan = sequence([call("a", "echo"), call("b", "echo"), call("c", "echo")]);
    Scenario::new("three steps").agent("echo", Scripted::echo()).order(plan)
}

fn fan_out_and_join() -> Scenario {
    let slow = Scripted::echo().for_key("part2", [Act::echoes().after(moment())]);
    Scenario::new("fan-out and join").agent("slow", slow).order(fan_out(4, "slow"))
}

fn a_race_with_a_timer() -> Scenario {
    let hangs = Scripted::new([Act::hangs().costs(usd(1))]).at_worst(usd(1));
    let lost = race([call("a", "hangs"), timer("late", moment())]);
    let won = race([call("b", "echo"), timer("never", Duration::from_secs(3000))]);
    Scenario::new("races with timers")
        .agent("hangs", hangs)
        .agent("echo", Scripted::echo())
        .order(sequence([lost, won]))
}

fn asks_while_calling() -> Scenario {
    let plan = all([call("a", "echo"), ask("p"), sequence([ask("q"), call("b", "echo")])]);
    Scenario::new("asks while calling")
        .agent("echo", Scripted::echo())
        .order(plan)
        .answer("p", r#"{"yes": true}"#)
        .answer("q", "17")
}

fn retries() -> Scenario {
    let busy = Act::fails(Fault::transient("BUSY", "later"));
    let flaky = Scripted::echo().for_key("a", [busy.clone(), busy, Act::echoes()]);
    let first = Duration::from_millis(300);
    let retry = Retry::new(5, first, Duration::from_secs(1));
    Scenario::new("retries").agent("flaky", flaky).order(call("a", "flaky").retried(retry))
}

fn every_kind_of_effect() -> Scenario {
    let kinds = [
        ("pure", Effect::Pure),
        ("idempotent", Effect::Idempotent),
        ("keyed", Effect::Keyed),
        ("unsafe", Effect::Unsafe),
    ];
    let scenario = Scenario::new("every kind of effect")
        .agent("probed", Scripted::echo().kind(Effect::Keyed).probed_honestly())
        .order(sequence(
            ["pure", "idempotent", "keyed", "probed", "unsafe"].map(|kind| call(kind, kind)),
        ));
    kinds
        .into_iter()
        .fold(scenario, |scenario, (name, kind)| scenario.agent(name, Scripted::echo().kind(kind)))
}

fn dear() -> Scripted {
    Scripted::echo().at_worst(usd(5)).each(|act| act.costs(usd(2)))
}

fn tight_money() -> Scenario {
    let plan = sequence([fan_out(3, "dear"), call("last", "dear")]);
    Scenario::new("tight money").agent("dear", dear()).order(Order::from(plan).may_cost(usd(6)))
}

fn an_owner_with_little() -> Scenario {
    Scenario::new("an owner with little")
        .agent("dear", dear())
        .cap(usd(8))
        .order(fan_out(2, "dear"))
        .order(call("other", "dear"))
}

fn a_cancelled_run() -> Scenario {
    let hangs = Scripted::new([Act::hangs().costs(usd(1))]).at_worst(usd(2));
    Scenario::new("a cancelled run")
        .agent("hangs", hangs)
        .agent("echo", Scripted::echo())
        .order(sequence([call("a", "echo"), all([call("b", "hangs"), ask_nobody()])]))
        .when(0, "call_started b", Wish::Cancel)
}

/// Something open that is not answered before the run is cancelled.
fn ask_nobody() -> Plan {
    timer("never", Duration::from_secs(3000))
}

fn several_runs() -> Scenario {
    let slow = Scripted::new([Act::echoes().after(moment())]);
    let plan = sequence([call("a", "slow"), call("b", "echo")]);
    Scenario::new("several runs")
        .agent("slow", slow)
        .agent("echo", Scripted::echo())
        .order(plan.clone())
        .order(Order::from(plan).priority(5))
        .order(ask("q"))
}

fn a_failing_run() -> Scenario {
    let broken = Scripted::new([Act::fails(Fault::permanent("BROKEN", "for good"))]);
    Scenario::new("a failing run")
        .agent("broken", broken)
        .agent("echo", Scripted::echo())
        .order(sequence([call("a", "echo"), call("b", "broken"), call("c", "echo")]))
        .order(call("a", "broken").or_else(call("b", "echo")))
}

fn an_answer_from_outside() -> Scenario {
    let outsider = Scripted::bridged(r#"{"type": "integer"}"#, None).at_worst(usd(1));
    let plan = sequence([call("a", "echo"), all([call("b", "outsider"), call("c", "outsider")])]);
    Scenario::new("an answer from outside")
        .agent("outsider", outsider)
        .agent("echo", Scripted::echo())
        .order(sequence([plan, call("d", "echo")]))
        .answer("b", "17")
        .answer("c", "18")
}

fn hand_overs() -> Scenario {
    let garbled = || Fault::transient("GARBLED", "that was no answer");
    let stubborn = Scripted::echo().at_worst(usd(2)).for_key(
        "a",
        [
            Act::hands_over(garbled(), r#"{"rung": 2}"#).costs(usd(1)),
            Act::hands_over(garbled(), r#"{"rung": 3}"#).costs(usd(1)),
            Act::answers("7").costs(usd(1)),
        ],
    );
    let helpless = Scripted::new([Act::refers(garbled()), Act::answers("8")]);
    Scenario::new("hand-overs and a referral")
        .agent("stubborn", stubborn)
        .agent("helpless", helpless)
        .order(sequence([call("a", "stubborn"), call("b", "helpless")]))
}

fn advice_in_time() -> Scenario {
    Scenario::new("advice")
        .agent("echo", Scripted::echo())
        .order(sequence([
            call("a", "echo"),
            race([Plan::Advice, timer("never", Duration::from_secs(3000))]),
            call("b", "echo"),
        ]))
        .when(0, "timer_set never", Wish::Advise("go on".to_owned()))
}

fn signals() -> Scenario {
    Scenario::new("signals")
        .agent("echo", Scripted::echo())
        .order(sequence([call("a", "echo"), Plan::Signals(1), call("b", "echo"), Plan::Signals(2)]))
        .when(0, "call_completed a", Wish::Signal("go on".to_owned()))
        .when(0, "call_completed b", Wish::Signal("stop".to_owned()))
        .gives(r#"["a",["go on"],"b",["go on","stop"]]"#)
}

/// The fork keeps the result of a call that was under way at the point.
fn a_fork_at_a_point() -> Scenario {
    let slow = Scripted::new([Act::echoes().after(moment())]).kind(Effect::Unsafe);
    let both = all([call("b", "keyed"), call("c", "slow")]);
    Scenario::new("a fork at a point")
        .agent("keyed", Scripted::echo().kind(Effect::Keyed))
        .agent("slow", slow)
        .order(sequence([call("a", "keyed"), both, call("d", "keyed")]))
        .fork(0, "succeeded", ForkAt::Point("b".to_owned()), &[])
}

/// The first run fails of an answer while a call is under way beside it, which has its effect all the same.
fn a_retry_inside_a_parallel_part() -> Scenario {
    let slow = Scripted::new([Act::echoes().after(moment()).deaf()]).kind(Effect::Unsafe);
    let parts = [call("a", "keyed"), call("b", "slow"), ask("q").vetoed_by("false")];
    Scenario::new("a retry inside a parallel part")
        .agent("keyed", Scripted::echo().kind(Effect::Keyed))
        .agent("slow", slow)
        .order(sequence([call("first", "keyed"), all(parts), call("last", "keyed")]))
        .answer("q", "false")
        .fork(0, "failed VETOED", ForkAt::Failure, &[("q", "7")])
}

fn a_retry_of_a_cancelled_run() -> Scenario {
    let slow = Scripted::new([Act::echoes().after(moment()).deaf()]).kind(Effect::Unsafe);
    Scenario::new("a retry of a cancelled run")
        .agent("slow", slow)
        .order(sequence([call("a", "slow"), call("b", "slow"), ask("q"), call("c", "slow")]))
        .leave("q")
        .when(0, "call_started b", Wish::Cancel)
        .fork(0, "cancelled by", ForkAt::Failure, &[("q", "7")])
}

fn a_command_that_is_gone() -> Scenario {
    let plan = sequence([call("a", "keyed"), ask("q"), call("b", "unsafe")]);
    Scenario::new("a command that is gone")
        .agent("keyed", Scripted::echo().kind(Effect::Keyed))
        .agent("unsafe", Scripted::echo().kind(Effect::Unsafe))
        .order(Order::from(plan).placed(Placement::Foreground))
        .answer("q", "17")
}
