//! The witness sees what it is there to see: each rule is broken once, and told.

use serde_json::json;

use crate::support::{Event, Lines, Look, Owner, Run, Witness};

/// One run of two steps, the first of which is done.
fn sound() -> (Look, Lines) {
    let event = |seq, kind: &str, key: Option<&str>| Event {
        seq,
        kind: kind.to_owned(),
        hash: format!("hash {seq}"),
        key: key.map(str::to_owned),
        ..Event::default()
    };
    let mut events = vec![
        event(0, "created", None),
        event(1, "call_started", Some("step-1")),
        event(2, "call_completed", Some("step-1")),
        event(3, "call_started", Some("step-2")),
    ];
    events[2].paid = 7;
    let run = Run {
        workflow: "sample/effects".to_owned(),
        status: "running".to_owned(),
        owner: "red".to_owned(),
        seq: 3,
        head: "hash 3".to_owned(),
        spent: 7,
        reserved: 3,
        cap: Some(10),
        ..Run::default()
    };
    let owner = Owner { spent: 7, reserved: 3, cap: Some(10) };
    let look = Look {
        runs: [("r".to_owned(), run)].into(),
        owners: [("red".to_owned(), owner)].into(),
        events: [("r".to_owned(), events)].into(),
    };
    let lines = [("unsafe".to_owned(), [("r:step-1".to_owned(), 1)].into())].into();
    (look, lines)
}

/// What a witness who has seen the sound run says of another.
#[track_caller]
fn check(change: impl FnOnce(&mut Look, &mut Lines), told: &str) {
    let mut witness = Witness::default();
    let (mut look, mut lines) = sound();
    witness.hears(&json!({"id": "r", "seq": 3, "head": "hash 3"}));
    assert!(witness.sees(&lines, &look, &lines).is_empty(), "nothing is wrong yet");
    change(&mut look, &mut lines);
    let wrong = witness.sees(&lines, &look, &lines);
    assert!(wrong.iter().any(|wrong| wrong.contains(told)), "{told:?} is not told: {wrong:#?}");
}

fn run(look: &mut Look) -> &mut Run {
    look.runs.get_mut("r").expect("it is there")
}

fn events(look: &mut Look) -> &mut Vec<Event> {
    look.events.get_mut("r").expect("it is there")
}

#[test]
fn an_event_that_is_lost_or_changed_is_told() {
    check(|look, _| drop(events(look).pop()), "event 3 of r is lost");
    check(|look, _| look.events.clear(), "event 0 of r is lost");
    check(|look, _| events(look)[1].hash = "other".to_owned(), "event 1 of r is another");
    check(|look, _| drop(events(look).remove(1)), "has a hole");
    check(|look, _| run(look).seq = 4, "another end than its run");
}

#[test]
fn money_beyond_a_cap_or_out_of_the_books_is_told() {
    check(|look, _| run(look).reserved = 4, "run r: 7 + 4 is over 10");
    check(
        |look, _| look.owners.get_mut("red").unwrap().cap = Some(9),
        "owner red: 7 + 3 is over 9",
    );
    check(|look, _| look.owners.get_mut("red").unwrap().spent = 6, "not the sum of its runs");
    check(|look, _| events(look)[2].paid = 6, "has paid 6 and says 7");
    check(|look, _| run(look).status = "failed".to_owned(), "is over and holds back 3");
}

#[test]
fn what_happens_twice_is_told() {
    let again = |look: &mut Look, kind: &str, key: &str| {
        let (seq, hash) = (4, "hash 4".to_owned());
        let (kind, key) = (kind.to_owned(), Some(key.to_owned()));
        events(look).push(Event { seq, kind, hash, key, ..Event::default() });
        (run(look).seq, run(look).head) = (4, "hash 4".to_owned());
    };
    check(|look, _| again(look, "attempt_started", "step-1"), "step-1 of r is recorded twice");
    check(|look, _| again(look, "call_completed", "step-1"), "step-1 of r is recorded twice");
    let line = |lines: &mut Lines, key: &str, times| {
        lines.get_mut("unsafe").unwrap().insert(key.to_owned(), times);
    };
    check(|_, lines| line(lines, "r:step-1", 2), "unsafe r:step-1 happened 2 times");
    check(|_, lines| line(lines, "r:step-1", 2), "r:step-1 was run again after it was recorded");
    check(|_, lines| line(lines, "r:step-1", 2), "was done 2 times and tried 1 times");
    check(|_, lines| line(lines, "r:step-3", 1), "r:step-3 was done 1 times and tried 0 times");
    check(|_, lines| lines.clear(), "completed and did nothing");
}

#[test]
fn an_answer_that_was_taken_and_is_not_kept_is_told() {
    let (look, lines) = sound();
    let mut witness = Witness::default();
    witness.hears_answer("r", "ask-1");
    let wrong = witness.sees(&lines, &look, &lines);
    assert_eq!(wrong, ["ask-1 of r: 1 were told so, 0 are kept"]);
}
