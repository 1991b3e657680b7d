//! Programs that have to be stopped: whatever they do about it, they are, and the run says why.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use consign_engine::{Effect, FaultClass, Left, Status};
use consign_models::process::{Definition, Subprocess};

use crate::{
    bench::{Bench, helper, marked, marker, until},
    programs::{call, python, sh},
};

/// Ignores every signal it can, and has children that leave its group, its session, its environment
/// and their parents. With the keeper there are six processes that have the marker.
const STUBBORN: &str = "
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
for child in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            os.fork()
            if child == 1:
                os.execve(sys.executable, ['python3', '-c', 'import time; time.sleep(999)', sys.argv[1]], {})
            time.sleep(999)
        os._exit(0)
time.sleep(999)
";

const ALL: usize = 6;

fn stubborn(marker: &str) -> Definition {
    python(STUBBORN, marker)
}

#[tokio::test]
async fn a_stubborn_family_is_gone_when_its_run_is_cancelled() {
    let marker = marker();
    let program = Subprocess::new(stubborn(&marker), Effect::Pure, helper());
    let bench = Bench::new(Effect::Pure, program).await;
    let (run, drive) = bench.begin("null").await;
    let cancel = async {
        until("all of it runs", || marked(&marker).len() == ALL).await;
        bench.cancel(&run).await;
    };
    let (left, ()) = tokio::join!(bench.attend(drive), cancel);
    assert_eq!(left, Left::Closed(Status::Cancelled));
    assert_eq!(marked(&marker), Vec::<String>::new());
    assert_eq!(bench.came(&run).await.code(), "SUBPROCESS_CANCELLED");
}

#[tokio::test]
async fn a_stubborn_family_is_gone_when_its_time_is_up() {
    let marker = marker();
    let definition = Definition { timeout: Duration::from_millis(700), ..stubborn(&marker) };
    let came = call(definition.clone(), Effect::Pure, "null").await;
    assert_eq!(came.code(), "SUBPROCESS_TIMEOUT");
    assert!(came.journal.contains("it took longer than 700ms"), "{}", came.journal);
    assert_eq!(marked(&marker), Vec::<String>::new());
    let came = call(definition, Effect::Keyed, "null").await;
    assert_eq!(came.failure().fault.class, FaultClass::OutcomeUnknown);
}

#[tokio::test]
async fn a_stubborn_family_is_gone_when_nobody_waits_for_it_any_more() {
    let marker = marker();
    let program = Subprocess::new(stubborn(&marker), Effect::Pure, helper());
    let bench = Bench::new(Effect::Pure, program).await;
    let (_, drive) = bench.begin("null").await;
    let running = until("all of it runs", || marked(&marker).len() == ALL);
    tokio::select! {
        _ = bench.attend(drive) => panic!("it does not end"),
        () = running => {}
    }
    until("all of it is gone", || marked(&marker).is_empty()).await;
}

#[tokio::test]
async fn a_stubborn_family_is_gone_when_whoever_started_it_is_killed() {
    let marker = marker();
    let script = "\"$0\" supervise $$ 1000000000 \"$@\" & wait";
    let mut started = Command::new("sh")
        .args(["-c", script])
        .arg(helper())
        .args(stubborn(&marker).command)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The shell has it in its command line too.
    until("all of it runs", || marked(&marker).len() == ALL + 1).await;
    started.kill().unwrap();
    started.wait().unwrap();
    until("all of it is gone", || marked(&marker).is_empty()).await;
}

#[tokio::test]
async fn a_program_that_listens_may_clean_up_after_itself() {
    let marker = marker();
    let script =
        "trap 'echo cleaned up >&2; exit 0' TERM; echo ready >&2; while :; do sleep 0.01; done";
    let mut definition = sh(script);
    definition.command.push(marker.clone());
    let bench = Bench::new(Effect::Pure, Subprocess::new(definition, Effect::Pure, helper())).await;
    let (run, drive) = bench.begin("null").await;
    let cancel = async {
        // Its first sleep comes after the trap is set.
        let sleeps =
            || marked(&run.to_string()).iter().any(|process| process.contains("sleep 0.01"));
        until("it is ready", sleeps).await;
        bench.cancel(&run).await;
    };
    tokio::join!(bench.attend(drive), cancel);
    let note = bench.came(&run).await.note();
    assert!(note["stderr"].as_str().unwrap().ends_with("cleaned up\n"), "{note}");
    assert_eq!(marked(&marker), Vec::<String>::new());
}

#[tokio::test]
async fn a_flood_on_stdout_is_stopped_at_its_limit() {
    let marker = marker();
    let definition = Definition { output: 1 << 20, ..Definition::new(["yes", &marker]) };
    let came = call(definition, Effect::Pure, "null").await;
    assert_eq!(came.code(), "SUBPROCESS_OUTPUT");
    assert!(came.journal.contains("more than 1 MiB"), "{}", came.journal);
    assert_eq!(marked(&marker), Vec::<String>::new());
    // Who is over before anybody could stop it has said too much all the same.
    let definition = Definition { output: 100, ..sh("head -c 101 /dev/zero") };
    assert_eq!(call(definition, Effect::Pure, "null").await.code(), "SUBPROCESS_OUTPUT");
}

#[tokio::test]
async fn a_flood_on_stderr_is_read_to_its_end_and_not_kept() {
    let came = call(sh("head -c 100000000 /dev/zero >&2; echo 1"), Effect::Pure, "null").await;
    assert_eq!(came.output(), "1");
    let kept = came.note()["stderr"].as_str().unwrap().len();
    assert!(kept <= 16 << 10, "{kept}");
}

#[tokio::test]
async fn a_program_that_allocates_without_end_is_stopped() {
    let check = async |script: &str| {
        let marker = marker();
        let definition = Definition { memory: 128 << 20, ..python(script, &marker) };
        let came = call(definition, Effect::Pure, "null").await;
        assert_eq!(came.code(), "SUBPROCESS_MEMORY", "{:?}", came.failure());
        assert!(came.journal.contains("may use 128 MiB"), "{}", came.journal);
        assert!(came.note()["peak_memory"].as_u64() > Some(128 << 20));
        assert_eq!(marked(&marker), Vec::<String>::new());
    };
    check("x = []\nwhile True: x.append(b'x' * (4 << 20))").await;
    // No single one of them uses too much.
    check(
        "import os, time\n\
         for _ in range(3):\n\x20\x20if os.fork() == 0: break\n\
         x = b'x' * (60 << 20)\ntime.sleep(999)",
    )
    .await;
}

#[tokio::test]
async fn what_is_taken_in_one_go_is_refused_to_the_program() {
    let definition = Definition { memory: 64 << 20, ..python("x = bytearray(8 << 30)", "") };
    let came = call(definition, Effect::Pure, "null").await;
    assert_eq!(came.code(), "SUBPROCESS_FAILED");
    assert!(came.note()["stderr"].as_str().unwrap().contains("MemoryError"));
}

#[tokio::test]
async fn memory_that_processes_share_counts_once() {
    let script = "import os, time\n\
        x = b'x' * (100 << 20)\n\
        children = []\n\
        for _ in range(4):\n\x20\x20pid = os.fork()\n\
        \x20\x20if pid == 0:\n\x20\x20\x20\x20time.sleep(0.3)\n\x20\x20\x20\x20os._exit(0)\n\
        \x20\x20children.append(pid)\n\
        for pid in children: os.waitpid(pid, 0)\n\
        print(len(children))";
    let definition = Definition { memory: 256 << 20, ..python(script, "") };
    assert_eq!(call(definition, Effect::Pure, "null").await.output(), "4");
}

#[tokio::test]
async fn a_program_that_forks_and_forks_is_stopped() {
    let marker = marker();
    // Bounded, in case it is not.
    let script = "import os, time\n\
        for _ in range(6): os.fork()\n\
        time.sleep(999)";
    let definition = Definition { processes: 16, ..python(script, &marker) };
    let came = call(definition, Effect::Pure, "null").await;
    assert_eq!(came.code(), "SUBPROCESS_PROCESSES");
    assert_eq!(marked(&marker), Vec::<String>::new());
}
