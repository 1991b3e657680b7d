//! Programs as agents: what they are given, and how they are stopped.

use std::{collections::BTreeMap, fs};

use rustix::process::Signal;

use crate::{
    home::until,
    office::Office,
    support::{Outcome, text},
};

/// A program agent in Python, with what its file says besides.
fn program(office: &Office, name: &str, source: &str, more: &str) -> Outcome {
    let path = office.folder.file(&format!("{name}.py"), source);
    let definition = format!(
        "name = \"{name}\"\neffect = \"pure\"\n{more}\n[subprocess]\ncommand = [\"python3\", {path:?}]\n"
    );
    let file = office.folder.file(&format!("{name}.toml"), definition);
    office.run(&["agents", "try", &file, "--input", r#"{"n": 3}"#, "--json"])
}

/// Processes that are still there and have this word in their command line.
fn survivors(word: &str) -> Vec<String> {
    let all = fs::read_dir("/proc").expect("this is Linux").filter_map(Result::ok);
    let lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(word)).collect()
}

#[test]
fn a_program_is_given_json_and_gives_json() {
    let office = Office::new();
    let source = "import json, sys, os\nn = json.load(sys.stdin)['n']\n\
                  print('thinking', file=sys.stderr)\n\
                  json.dump({'twice': 2 * n, 'key': os.environ['CONSIGN_IDEMPOTENCY_KEY']}, sys.stdout)";
    let run = program(&office, "doubler", source, "").exits(0).json();
    assert_eq!(run["output"]["twice"], 6);
    let key = format!("{}:call", text(&run, "id"));
    assert_eq!(run["output"]["key"], key.as_str());
    let events = office.events(text(&run, "id")).into_iter();
    let completed = events.into_iter().find(|event| event["kind"] == "call_completed").unwrap();
    assert!(completed["body"]["used"]["stderr"].as_str().unwrap().contains("thinking"));
}

#[test]
fn programs_that_misbehave_are_stopped_within_their_limits_and_the_run_says_why() {
    let office = Office::new();
    let check = |name: &str, source: &str, more: &str, code: &str| {
        program(&office, name, source, more).exits(1).naming(code);
        let path = office.folder.path().join(format!("{name}.py")).display().to_string();
        assert_eq!(survivors(&path), [""; 0], "{name} left somebody behind");
    };
    let limits = "timeout_seconds = 1\n[limits]\nmemory_mb = 64\noutput_mb = 1";
    check("hangs", "import time\ntime.sleep(600)", limits, "SUBPROCESS_TIMEOUT");
    let deaf =
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)";
    check("deaf", deaf, limits, "SUBPROCESS_TIMEOUT");
    let forks = "import os, time\nfor _ in range(5):\n    if os.fork() == 0:\n        os.setsid()\n\
                 \x20       os.fork()\n        time.sleep(600)\ntime.sleep(600)";
    check("forks", forks, limits, "SUBPROCESS_TIMEOUT");
    let slow = "timeout_seconds = 60\n[limits]\nmemory_mb = 64\noutput_mb = 1";
    let floods = "import sys\nwhile True: sys.stdout.write('x' * 65536)";
    check("floods", floods, slow, "SUBPROCESS_OUTPUT");
    let grows = "import time\nkept = []\nwhile True:\n    kept.append(bytearray(b'x') * (8 << 20))\n    time.sleep(0.02)";
    check("grows", grows, slow, "SUBPROCESS_MEMORY");
    check(
        "fails",
        "import sys\nprint('it broke', file=sys.stderr)\nsys.exit(3)",
        slow,
        "EXIT_STATUS",
    );
    check("garbles", "print('{\"a\": 1} and more')", slow, "SUBPROCESS_INVALID");
}

#[test]
fn a_cancelled_run_stops_its_program() {
    let office = Office::new();
    let path = office.folder.file("sleeper.py", "import time\ntime.sleep(600)");
    let definition = format!(
        "name = \"sleeper\"\neffect = \"pure\"\n[subprocess]\ncommand = [\"python3\", {path:?}]\n"
    );
    let file = office.folder.file("sleeper.toml", definition);
    office.run(&["agents", "add", &file]).exits(0);
    let input = r#"{"agent": "sleeper", "input": {}}"#;
    let run = office.run(&["runs", "start", "agent/call", "--input", input, "--detach", "--json"]);
    let run = run.exits(0).json();
    let run = text(&run, "id");
    let worker = office.worker();
    until("it runs", || (!survivors(&path).is_empty()).then_some(()));
    office.run(&["runs", "cancel", run]).exits(0);
    until("it is gone", || survivors(&path).is_empty().then_some(()));
    assert_eq!(text(&office.until_over(run), "status"), "cancelled");
    worker.signal(Signal::TERM);
    worker.wait().exits(0);
    office.run(&["runs", "verify", run]).exits(0);
}

#[test]
fn a_program_does_not_outlive_the_worker_that_is_killed() {
    let office = Office::new();
    let begun = office.folder.path().join("begun");
    // It answers whoever calls it a second time.
    let source = format!(
        "import os, time\nif os.path.exists({begun:?}):\n    print('\"there\"')\nelse:\n    \
         open({begun:?}, 'w').close()\n    time.sleep(600)"
    );
    let path = office.folder.file("orphan.py", source);
    let definition = format!(
        "name = \"orphan\"\neffect = \"pure\"\n[subprocess]\ncommand = [\"python3\", {path:?}]\n"
    );
    office.run(&["agents", "add", &office.folder.file("orphan.toml", definition)]).exits(0);
    let input = r#"{"agent": "orphan", "input": {}}"#;
    let run = office.run(&["runs", "start", "agent/call", "--input", input, "--detach", "--json"]);
    let run = run.exits(0).json();
    let run = text(&run, "id");
    let worker = office.worker();
    until("it runs", || begun.exists().then_some(()));
    assert!(!survivors(&path).is_empty(), "it sleeps");
    worker.signal(Signal::KILL);
    assert_eq!(worker.wait().code, None);
    until("it is gone", || survivors(&path).is_empty().then_some(()));
    assert_eq!(office.outputs(run), BTreeMap::new(), "it never answered");
    let _another = office.worker();
    let shown = office.until_over(run);
    assert_eq!((text(&shown, "status"), &shown["output"]), ("succeeded", &"there".into()));
    office.run(&["runs", "verify", run]).exits(0);
}
