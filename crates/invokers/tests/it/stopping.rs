//! Programs that have to be stopped: whatever they do about it, they are, and the run says why.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use consign_engine::{Effect, FaultClass, Left, Status};
use consign_invokers::process::{Definition, Subprocess};

use crate::{
    bench::{Bench, helper, marked, marker, until},
    programs::{call, python, sh},
};

/// Ignores every signal it can, and has children that leave its group, its session, its environment
/// and their parents. With the keeper there are six processes that have the marker. It says so when
/// they are all there.
const STUBBORN: &str = "
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
hears, says = os.pipe()
for child in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            os.fork()
            os.write(says, b'.')
            if child == 1:
                os.execve(sys.executable, ['python3', '-c', 'import time; time.sleep(999)', sys.argv[1]], {})
            time.sleep(999)
        os._exit(0)
for _ in range(4):
    os.read(hears, 1)
print('all are there', file=sys.stderr, flush=True)
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
    // On a busy machine it takes its time to grow up.
    for timeout in [1, 4, 16, 64].map(Duration::from_secs) {
        let definition = Definition { timeout, ..stubborn(&marker) };
        let came = call(definition, Effect::Pure, "null").await;
        assert_eq!(came.code(), "SUBPROCESS_TIMEOUT");
        let told = format!("it took longer than {timeout:?}");
        assert!(came.journal.contains(&told), "{}", came.journal);
        assert_eq!(marked(&marker), Vec::<String>::new());
        if came.note()["stderr"] == "all are there\n" {
            return;
        }
    }
    panic!("it never had a family");
}

#[tokio::test]
async fn nobody_knows_what_a_program_did_whose_time_was_up() {
    for (effect, class) in [
        (Effect::Pure, FaultClass::Transient),
        (Effect::Keyed, FaultClass::OutcomeUnknown),
        (Effect::Unsafe, FaultClass::OutcomeUnknown),
    ] {
        let definition = Definition { timeout: Duration::from_millis(100), ..sh("sleep 999") };
        let came = call(definition, effect, "null").await;
        let fault = &came.failure().fault;
        assert_eq!((fault.code.as_ref(), fault.class), ("SUBPROCESS_TIMEOUT", class), "{effect:?}");
    }
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
    let (marker, folder) = (marker(), tempfile::tempdir().unwrap());
    let ready = folder.path().join("ready");
    // It can be told to stop from the moment that the file is there.
    let script =
        "trap 'echo cleaned up >&2; exit 0' TERM; : > \"$0\"; while :; do sleep 0.01; done";
    let mut definition = sh(script);
    definition.command.extend([ready.display().to_string(), marker.clone()]);
    let bench = Bench::new(Effect::Pure, Subprocess::new(definition, Effect::Pure, helper())).await;
    let (run, drive) = bench.begin("null").await;
    let cancel = async {
        until("it is ready", || ready.exists()).await;
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
    let peak = async |script: &str| {
        let marker = marker();
        let definition = Definition { memory: 128 << 20, ..python(script, &marker) };
        let came = call(definition, Effect::Pure, "null").await;
        assert_eq!(came.code(), "SUBPROCESS_MEMORY", "{:?}", came.failure());
        assert!(came.journal.contains("the limit is 128 MiB"), "{}", came.journal);
        assert_eq!(marked(&marker), Vec::<String>::new());
        came.note()["peak_memory"].as_u64().unwrap()
    };
    let grows = "import time\nx = []\nwhile True:\n\x20\x20x.append(b'x' * (1 << 20))\n\
                 \x20\x20time.sleep(0.005)";
    let alone = peak(grows).await;
    // Whoever is not looked at for a while meets another limit, of its own: twice as much and a bit.
    assert!((128 << 20..(2 * 128 + 256 + 32) << 20).contains(&alone), "{alone} bytes");
    // No single one of them uses too much.
    let together = peak(
        "import os, time\n\
         for _ in range(3):\n\x20\x20if os.fork() == 0: break\n\
         x = b'x' * (60 << 20)\ntime.sleep(999)",
    );
    assert!(together.await > 128 << 20);
}

#[tokio::test]
async fn what_is_taken_in_one_go_is_refused_to_the_program() {
    let definition = Definition { memory: 64 << 20, ..python("x = bytearray(8 << 30)", "") };
    let came = call(definition, Effect::Pure, "null").await;
    assert_eq!(came.code(), "EXIT_STATUS");
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
