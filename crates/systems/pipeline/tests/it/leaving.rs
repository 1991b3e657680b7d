//! Journeys that are left in the middle: what is done is kept, and what is not has another turn.

use std::sync::Arc;

use consign_contracts::{
    envelope::{Envelope, TerminalReason},
    wire::{Integer, Nullable},
};
use consign_engine::{Data, Fault, Work};
use consign_pipeline::{
    AgentScope, Bounds, Journey, Pipeline,
    envelope::{Names, Session, fresh},
    file,
};

use crate::{drive::MORNING, row::folder};

const WORK: Work = Work {
    began: MORNING,
    ended: MORNING,
    model_calls: 0,
    cost: consign_engine::Nanos::ZERO,
    assumed: consign_engine::Nanos::ZERO,
};

fn both() -> Arc<Pipeline> {
    Arc::new(file::load(&folder().join("pipelines/both.toml")).unwrap())
}

/// A journey whose two stages at once have begun.
fn begun() -> Journey {
    let bounds = Bounds { iterations: 3, llm_calls: 10, agent_hops: 21, stages: 5 };
    let names = Names { envelope: [1; 8], request: [2; 8], session: Session::New([3; 8]) };
    let envelope = fresh("Where is it?", "ada", &names, &bounds, MORNING);
    let mut journey =
        Journey::begin(&both(), AgentScope::default(), envelope, None, MORNING).unwrap();
    let first = journey.calls().remove(0);
    journey.ended(&first.key, Ok(&Data::parse("{}").unwrap()), WORK);
    assert_eq!((journey.calls().len(), hops(journey.envelope())), (2, Some(3)));
    journey
}

fn hops(envelope: &Envelope) -> Option<i64> {
    envelope.agent_hop_count.as_ref().and_then(Integer::as_i64)
}

#[test]
fn a_stage_that_is_left_was_not_begun() {
    let mut journey = begun();
    journey.leave(MORNING);
    assert!(journey.has_ended());
    let left = journey.into_envelope();
    assert_eq!(
        (left.current_stage.as_str(), left.terminated, hops(&left)),
        ("pair", false, Some(1))
    );
    let again = Journey::begin(&both(), AgentScope::default(), left, None, MORNING).unwrap();
    assert_eq!((again.working(), hops(again.envelope())), (vec!["left", "right"], Some(3)));
}

#[test]
fn of_several_at_once_the_one_that_is_done_keeps_its_output() {
    let mut journey = begun();
    let right = journey.calls().remove(1);
    journey.ended(&right.key, Ok(&Data::parse(r#"{"ok": 1}"#).unwrap()), WORK);
    journey.leave(MORNING);
    let left = journey.into_envelope();
    assert_eq!(
        (left.current_stage.as_str(), left.terminated, hops(&left)),
        ("pair", false, Some(2))
    );
    assert!(left.outputs.get("right").is_some() && left.outputs.get("left").is_none());
}

#[test]
fn whoever_goes_on_calls_only_those_who_are_not_done_and_comes_to_the_same() {
    let ok = Data::parse(r#"{"ok": 1}"#).unwrap();
    let end = |mut journey: Journey| {
        while let Some(call) = journey.calls().first() {
            journey.ended(&call.key, Ok(&ok), WORK);
        }
        journey.into_envelope()
    };
    let mut journey = begun();
    let right = journey.calls().remove(1);
    journey.ended(&right.key, Ok(&ok), WORK);
    let whole = end(journey.clone());
    for times in 1..3 {
        journey.leave(MORNING);
        let left = journey.into_envelope();
        journey = Journey::begin(&both(), AgentScope::default(), left, None, MORNING).unwrap();
        assert_eq!(journey.working(), vec!["left"], "left {times} times");
        assert_eq!(hops(journey.envelope()), Some(3));
    }
    assert_eq!(end(journey), whole);
}

/// The second time that it comes to a stage all have their turns, whatever is left of the first.
#[test]
fn in_a_circle_only_those_who_are_done_this_time_are() {
    let ok = Data::parse(r#"{"ok": 1}"#).unwrap();
    let again = Data::parse(r#"{"ok": 1, "side": {"again": 1}}"#).unwrap();
    let mut journey = begun();
    let [left, right] = journey.calls().try_into().unwrap();
    journey.ended(&left.key, Ok(&ok), WORK);
    journey.ended(&right.key, Ok(&again), WORK);
    assert_eq!(journey.working(), vec!["before"]);
    let before = journey.calls().remove(0);
    journey.ended(&before.key, Ok(&ok), WORK);
    let taken_up = |mut journey: Journey| {
        journey.leave(MORNING);
        let left = journey.into_envelope();
        Journey::begin(&both(), AgentScope::default(), left, None, MORNING).unwrap()
    };
    let mut journey = taken_up(journey);
    assert_eq!(journey.working(), vec!["left", "right"]);
    let left = journey.calls().remove(0);
    journey.ended(&left.key, Ok(&ok), WORK);
    assert_eq!(taken_up(journey).working(), vec!["right"]);
}

#[test]
fn what_failed_before_it_was_left_has_failed() {
    let mut journey = begun();
    let call = journey.calls().remove(0);
    let fault = Fault { recoverable: false, ..Fault::outcome_unknown("CANCELLED", "who knows") };
    journey.ended(&call.key, Err(&fault), WORK);
    journey.leave(MORNING);
    let left = journey.into_envelope();
    let fatal = Some(Nullable(Some(TerminalReason::ToolFailedFatally)));
    assert_eq!((left.current_stage.as_str(), left.terminated), ("pair", true));
    assert_eq!(left.terminal_reason, fatal);
    assert_eq!(left.errors.map(|errors| errors.len()), Some(1));
}

#[test]
fn who_has_ended_or_waits_is_left_as_it_is() {
    let mut journey = begun();
    for call in journey.calls() {
        journey.ended(&call.key, Ok(&Data::parse(r#"{"ok": 1, "over": true}"#).unwrap()), WORK);
    }
    let before = Data::of(&journey);
    journey.leave(MORNING);
    assert_eq!(Data::of(&journey).as_str(), before.as_str());
}
