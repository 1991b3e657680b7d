//! Nobody is told anything that a power cut could take back.
//!
//! A kill loses nothing that the kernel has, so this is shown by what the process asks of the
//! kernel: between the last write to the log and each word to the outside there is a sync.

use std::path::{Path, PathBuf};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    order::Order,
    support::{Call, Effects, Home, Look, Trace, args_to_start, eventually, need, words},
};

const CALLS: &str = "write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync_file_range,\
                     rename,renameat,renameat2,link,linkat,unlink,unlinkat,ftruncate,mkdir,mkdirat,\
                     openat";

/// Runs a command under trace to its end, and gives what it asked of the kernel.
#[track_caller]
fn traced(home: &Home, args: &[String], codes: &[i32]) -> Trace {
    need("strace");
    let file = home.file("trace");
    let process = home.start(home.under(Trace::of(CALLS, &file), args));
    let pid = process.pid();
    process.wait().exits_with(codes);
    Trace::read(&file, pid)
}

/// Words to the outside: effects, and what the command prints.
fn speaks(home: &Home) -> impl Fn(&Call) -> bool {
    let outside = home.folder().to_owned();
    let inside = home.path();
    move |call| {
        let file = call.file().map(Path::new);
        call.writes()
            && file.is_some_and(|file| file.starts_with(&outside) && !file.starts_with(&inside))
    }
}

#[track_caller]
fn demand(order: &Order<'_>, acknowledgements: usize) {
    let wrong = order.wrong();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let told = order.told().len();
    assert!(told >= acknowledgements, "{told} words to the outside are too few to mean anything");
}

/// A trace of three unsafe effects in a home that this very run makes.
fn three_effects() -> (Home, Trace) {
    let home = Home::new();
    let input = Effects::of(&home).input("unsafe", 3, 0);
    let trace = traced(&home, &args_to_start("sample/effects", &input, &[]), &[0]);
    (home, trace)
}

#[test]
fn an_intent_is_synced_before_its_effect_and_the_end_before_it_is_told() {
    let (home, trace) = three_effects();
    let speaks = speaks(&home);
    let order = Order::new(&trace, &home, &speaks);
    // Three effects, and the run as it ended.
    demand(&order, 4);
    assert!(order.syncs() >= 5, "the run was made, three intents and the end: five commits");
    assert_eq!(order.unsynced_names(), Vec::<String>::new());
}

#[test]
fn a_worker_performs_only_what_is_synced() {
    let home = Home::new();
    let effects = Effects::of(&home);
    let run = home.detach("sample/effects", &effects.input("keyed", 3, 0), &[]);
    need("strace");
    let file = home.file("trace");
    let worker = home.start(home.under(Trace::of(CALLS, &file), ["worker"]));
    let pid = worker.pid();
    eventually(std::time::Duration::from_secs(30), "the worker is done", || {
        Look::at(&home.path()).runs[&run].is_closed()
    });
    worker.signal(Signal::TERM);
    worker.wait();
    let trace = Trace::read(&file, pid);
    demand(&Order::new(&trace, &home, &speaks(&home)), 3);
}

#[test]
fn a_command_says_done_only_when_it_is_synced() {
    let home = Home::new();
    let check = |args: &[String], codes: &[i32]| {
        let trace = traced(&home, args, codes);
        let speaks = speaks(&home);
        let order = Order::new(&trace, &home, &speaks);
        demand(&order, 1);
        assert!(order.syncs() >= 1, "{args:?} wrote nothing");
    };
    check(&words(&["budget", "set", "red", "--cost", "5"]), &[0]);
    check(&args_to_start("sample/approval", &json!({"asks": 2}), &["--detach"]), &[0]);
    check(&args_to_start("sample/approval", &json!({"asks": 2}), &[]), &[43]);
    let look = Look::at(&home.path());
    let waiting = look.runs.iter().find(|(_, run)| run.status == "waiting").expect("one waits").0;
    let answer = ["runs", "answer", waiting, "ask-2", "--value", "true", "--no-resume"];
    check(&words(&answer), &[0]);
    check(&words(&["runs", "raise", waiting, "--cost", "20", "--no-resume"]), &[0]);
    check(&words(&["runs", "resume", waiting]), &[43]);
    check(&words(&["runs", "cancel", waiting]), &[0]);
}

#[test]
fn a_large_value_is_on_the_disk_before_the_row_that_names_it() {
    let home = Home::new();
    let input: Value = json!({"steps": 2, "payload": 70_000});
    let trace = traced(&home, &args_to_start("sample/steps", &input, &[]), &[0]);
    let speaks = speaks(&home);
    let order = Order::new(&trace, &home, &speaks);
    demand(&order, 1);
    assert!(!order.large_values().is_empty(), "nothing was large enough for a file");
    assert_eq!(order.wrong_values(), Vec::<String>::new());
    // The eyes see: each of the three steps is left out, and told.
    let blobs = home.path().join("blobs");
    let without = |gone: &dyn Fn(&Call) -> bool| {
        let mut doctored = trace.clone();
        doctored.calls.retain(|call| !gone(call));
        Order::new(&doctored, &home, &speaks).wrong_values().len()
    };
    let of = |call: &Call| call.file().map(PathBuf::from).filter(|file| file.starts_with(&blobs));
    assert!(without(&|call| call.syncs() && of(call).is_some_and(|file| is_draft(&file))) > 0);
    assert!(without(&|call| call.syncs() && of(call).is_some_and(|file| !is_draft(&file))) > 0);
    assert!(without(&|call| call.syncs() && of(call).is_some()) > 0);
}

fn is_draft(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

#[test]
fn a_missing_late_or_failed_sync_would_be_noticed() {
    let (home, trace) = three_effects();
    let speaks = speaks(&home);
    let check = |doctor: &dyn Fn(&mut Trace)| {
        let mut doctored = trace.clone();
        doctor(&mut doctored);
        let wrong = Order::new(&doctored, &home, &speaks).wrong();
        assert!(!wrong.is_empty(), "the doctored trace was taken for a good one");
    };
    let wal = home.path().join("consign.db-wal");
    let syncs = |call: &Call| call.syncs() && call.file().map(Path::new) == Some(&*wal);
    check(&|trace| trace.calls.retain(|call| !syncs(call)));
    // One is enough: that of the first intent.
    let effect = Order::new(&trace, &home, &speaks).told()[0].begun;
    let intent = |trace: &Trace| {
        let before = |call: &Call| call.begun < effect && syncs(call);
        trace.calls.iter().rposition(before).expect("it was synced")
    };
    check(&|trace| drop(trace.calls.remove(intent(trace))));
    let failed = Some("-1 EIO (Input/output error)".to_owned());
    check(&|trace| {
        let intent = intent(trace);
        trace.calls[intent].result.clone_from(&failed);
    });
    check(&|trace| {
        let intent = intent(trace);
        trace.calls[intent].ended = usize::MAX;
    });
}
