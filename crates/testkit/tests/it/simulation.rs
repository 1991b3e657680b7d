//! The engine in a thousand worlds where everything goes wrong, and in worlds with a bug planted.
//!
//! A seed that fails is run again by
//! `cargo run -p consign-testkit --release --example simulate -- --seeds N..M`.

use std::{collections::BTreeMap, ops::Range};

use consign_testkit::simulation::{Report, Sabotage, run, run_with};

/// Each part is a test of its own, so that they run side by side.
macro_rules! worlds {
    ($($name:ident: $seeds:expr,)+) => {
        $(#[test]
        fn $name() {
            come_to_a_good_end($seeds);
        })+
    };
}

worlds! {
    worlds_0_to_124_come_to_a_good_end: 0..125,
    worlds_125_to_249_come_to_a_good_end: 125..250,
    worlds_250_to_374_come_to_a_good_end: 250..375,
    worlds_375_to_499_come_to_a_good_end: 375..500,
    worlds_500_to_624_come_to_a_good_end: 500..625,
    worlds_625_to_749_come_to_a_good_end: 625..750,
    worlds_750_to_874_come_to_a_good_end: 750..875,
    worlds_875_to_999_come_to_a_good_end: 875..1000,
}

fn come_to_a_good_end(seeds: Range<u64>) {
    for seed in seeds {
        if let Err(failure) = run(seed) {
            panic!("{failure}");
        }
    }
}

/// Each bug must be found for what it is, within so many worlds.
macro_rules! bugs {
    ($($name:ident: $sabotage:ident, $seeds:expr, $words:expr;)+) => {
        $(#[test]
        fn $name() {
            find(Sabotage::$sabotage, $seeds, $words);
        })+

        #[test]
        fn every_bug_is_looked_for() {
            let looked_for = [$(Sabotage::$sabotage),+];
            assert!(Sabotage::ALL.iter().all(|bug| looked_for.contains(bug)));
        }
    };
}

bugs! {
    a_skipped_fence_is_found: SkippedFence, 200, "and the holder was";
    an_epoch_that_stays_is_found: OldEpoch, 50, "has no new epoch";
    a_lost_release_is_found: LostRelease, 50, "the account of";
    a_lost_spend_is_found: LostSpend, 50, "the account of";
    figures_that_stay_behind_are_found: StaleFigures, 50, "its figures are";
    an_answer_that_is_taken_twice_is_found: AnsweredTwice, 50, "is not open";
    a_step_written_after_its_effect_is_found: EarlyAck, 100, "acts before it is written down";
    a_commit_that_is_lost_is_found: LostCommit, 50, "was acknowledged and is not there";
    a_cap_that_nobody_looks_at_is_found: IgnoredCap, 200, "uses $";
    a_wake_that_never_comes_is_found: LostWake, 300, "nothing has happened for";
    a_holder_that_is_not_told_is_found: LostPoke, 300, "does not hear";
    a_dead_worker_that_keeps_its_runs_is_found: LostReclaim, 100, "no living worker has it";
    a_snapshot_of_another_state_is_found: StaleSnapshot, 500, "cannot be proven";
    an_event_that_is_not_what_was_hashed_is_found: GarbledEvent, 50, "was changed";
    a_fork_that_does_again_what_was_finished_is_found: ForgottenResult, 200, "and is done again";
    a_fork_that_calls_under_its_own_key_is_found: OwnKey, 200, "and the other side knows it as";
    a_run_that_is_taken_from_its_command_is_found: StolenRun, 50, "and its command";
    a_takeover_of_what_was_interrupted_is_found: RashTakeover, 50, "left in the middle";
    a_signal_that_is_heard_twice_is_found: HeardTwice, 50, "is taken twice";
    a_label_that_stays_behind_is_found: StaleLabel, 50, "its label is";
}

fn find(sabotage: Sabotage, most: u64, words: &str) {
    let found = (0..most).find_map(|seed| {
        run_with(seed, sabotage).err().filter(|failure| failure.broken.contains(words))
    });
    assert!(found.is_some(), "{sabotage:?} is not found in {most} worlds");
}

#[test]
fn the_same_seed_gives_the_same_world() {
    for seed in 0..25 {
        assert_eq!(held(seed), held(seed));
    }
    let broken = || run_with(0, Sabotage::GarbledEvent).expect_err("it breaks at the first step");
    assert_eq!(broken(), broken());
}

/// How often each kind of thing must happen in the worlds that are counted.
const FEWEST: u64 = 5;

#[test]
fn the_worlds_have_everything_in_them() {
    let mut tally = BTreeMap::new();
    for seed in 0..120 {
        for (what, count) in held(seed).tally {
            *tally.entry(what).or_insert(0) += count;
        }
    }
    let expected = [
        "a command leaves its run in the middle",
        "a command resumes what was interrupted",
        "a fork takes over a call",
        "a living worker is taken for dead",
        "a process dies",
        "a process drains",
        "a process gives up",
        "a process stops at once",
        "a run is forked at a point",
        "a run is forked at an event",
        "a run is forked that is not over",
        "a run is retried",
        "a worker finds its run taken",
        "a worker takes over from a command",
        "a write is refused: closed",
        "a write is refused: fenced",
        "a write is refused: moved",
        "a write is refused: over cap",
        "advised",
        "answered",
        "ask_expired",
        "ask_withdrawn",
        "asked",
        "attempt_failed",
        "attempt_lost",
        "attempt_started",
        "call_cancelled",
        "call_completed",
        "call_failed",
        "call_started",
        "cancel_requested",
        "cancelled",
        "time_skipped",
        "created",
        "declined",
        "failed",
        "forked",
        "point_reached",
        "raised",
        "signalled",
        "somebody is told ALREADY_ANSWERED",
        "somebody is told CONTRACT_BREACH",
        "somebody is told DEADLINE_PASSED",
        "somebody is told EVENT_NOT_FOUND",
        "somebody is told FORK_IMPOSSIBLE",
        "somebody is told INVALID_STATE",
        "somebody is told PERSON_REQUIRED",
        "somebody is told POINT_NOT_FOUND",
        "somebody is told REPEATED",
        "somebody is told RUN_EXISTS",
        "somebody is told SIGNAL_NOT_FOUND",
        "somebody is told WITHDRAWN",
        "somebody is told to try again",
        "succeeded",
        "timer_dropped",
        "timer_fired",
        "timer_set",
    ];
    let seen = |what: &&str| tally.get(*what).copied().unwrap_or(0) >= FEWEST;
    let rare: Vec<_> = expected.into_iter().filter(|what| !seen(what)).collect();
    assert!(rare.is_empty(), "seen less than {FEWEST} times: {rare:?}");
}

fn held(seed: u64) -> Report {
    run(seed).unwrap_or_else(|failure| panic!("{failure}"))
}
