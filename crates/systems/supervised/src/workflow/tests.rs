use consign_engine::{Actor, At, Signal, Work};
use serde_json::{Value, json};

use super::*;
use crate::{amount::cents, input::Thresholds, phase::Phase};

fn begun() -> JobState {
    let input = JobInput {
        job_id: "work".to_owned(),
        description: "Do it.".to_owned(),
        directory: "/jobs/work".into(),
        phases: vec![Phase::only("Do it.")],
        thresholds: Thresholds::default(),
        require_approval: false,
        sensitive: false,
        roles: None,
        repository: None,
        created_at: At(0),
        generation: None,
    };
    let mut state = Supervised.start(&Data::of(&input)).unwrap();
    signal(&mut state, "activate", &json!({"detach": true}));
    state
}

fn signal(state: &mut JobState, name: &str, value: &Value) {
    let (value, by) = (Data::of(value), Actor::from("ada"));
    let signal = Signal::Named { name, value: &value, at: At(0), by: &by };
    Supervised.evolve(state, &Happened::Signalled(signal));
}

/// What a step or a role comes to.
fn output(key: &str, action: &str) -> Value {
    let tree = "0".repeat(64);
    match key.split('.').next() {
        Some("claim") => json!({ "tree": tree }),
        Some("accept") => json!({ "tree": tree, "changed": [] }),
        _ => json!({
            "request": {},
            "response": {"action": action, "evidence_files": ["a"], "summary_for_supervisor": "So it is."},
            "tree": tree,
        }),
    }
}

/// Makes the next thing happen. Says whether it was an interaction.
fn go_on(state: &mut JobState, cost: Nanos) -> bool {
    let Next::Open(open) = Supervised.decide(state) else { panic!("it is over") };
    match open.first().expect("it goes on") {
        Activity::Call(call) => {
            let key = call.key.clone();
            let action = if call.agent.plain() == "Worker" { "COMPLETED" } else { "RETRY" };
            let acts = key.as_str().starts_with("act.");
            let work = Work { cost: if acts { cost } else { Nanos::ZERO }, ..Work::default() };
            let output = Data::of(&output(key.as_str(), action));
            Supervised.evolve(state, &Happened::Completed { key: &key, output: &output, work });
            acts
        }
        Activity::Ask(ask) => {
            let (key, value) = (ask.key.clone(), Data::of(&json!({ "advice": "Go on." })));
            let answered = Happened::Answered { key: &key, value: &value, at: At(0), by: None };
            Supervised.evolve(state, &answered);
            false
        }
        Activity::Timer(_) => panic!("it waits for nothing"),
    }
}

#[test]
fn ten_thousand_interactions_cost_exactly_what_they_cost_and_the_state_does_not_grow() {
    let mut state = begun();
    let cost = Nanos::from_usd("0.0034").unwrap();
    let (mut made, mut small) = (0_u64, 0);
    while made < 10_000 {
        made += u64::from(go_on(&mut state, cost));
        if made == 1000 {
            small = Data::of(&state).as_str().len();
        }
    }
    assert_eq!((state.job.interactions, cents(state.recorded).as_str()), (10_000, "3400"));
    assert_eq!((state.recorded.to_string().as_str(), state.job.spent), ("34", state.recorded));
    let large = Data::of(&state).as_str().len();
    assert!(large < small + 200, "{small} and then {large} bytes");
}

#[test]
fn no_key_is_ever_used_twice_also_after_a_restore() {
    let mut state = begun();
    let mut keys = std::collections::BTreeSet::new();
    for turn in 0..200 {
        let Next::Open(open) = Supervised.decide(&state) else { panic!("it is over") };
        for activity in &open {
            assert!(keys.insert(activity.key().clone()), "{}", activity.key());
        }
        if turn % 7 == 6 {
            // What was open is dropped.
            signal(&mut state, "restore", &json!({ "point": "start" }));
            signal(&mut state, "pace", &json!({ "interactions": null }));
        } else {
            go_on(&mut state, Nanos::ZERO);
        }
    }
}

#[test]
fn a_step_that_failed_is_made_again_and_nothing_paid_is_done_twice() {
    let mut state = begun();
    state.job.phases[0].supervisor = None;
    while !matches!(state.job.stand, Stand::Accepting) {
        go_on(&mut state, Nanos::new(1));
    }
    let Next::Open(open) = Supervised.decide(&state) else { panic!("it is over") };
    let (key, fault) = (open[0].key().clone(), Fault::permanent("GIT_FAILED", "no branch"));
    let work = Work::default();
    Supervised.evolve(&mut state, &Happened::Failed { key: &key, fault: &fault, work });
    assert_eq!(Supervised.label(&state, &[]).as_deref(), Some("INTERVENTION_REQUIRED"));
    go_on(&mut state, Nanos::new(1));
    assert_eq!((state.job.stand, state.job.interactions), (Stand::Accepting, 1));
}

#[test]
fn a_limit_is_a_halt_and_everything_else_needs_a_person() {
    let state = begun();
    let label = |asks: &[&str]| Supervised.label(&state, asks).unwrap();
    assert_eq!(label(&[]), "PENDING");
    assert_eq!(label(&["LIMIT_COST"]), "HALTED_COST");
    assert_eq!(label(&["LIMIT_OWNER"]), "HALTED_COST");
    assert_eq!(label(&["LIMIT_TIME"]), "HALTED_TIME");
    assert_eq!(label(&["OUTCOME_UNKNOWN"]), "INTERVENTION_REQUIRED");
}
