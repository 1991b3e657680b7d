//! Agents that crash, hang, babble and will not go, in each of the three ways: the error can be read, the
//! envelope can be used, and nobody is left behind.

use std::{io::Read, net::TcpListener, thread};

use serde_json::{Value, json};

use super::yard::{Yard, history, keeps};
use crate::support::text;

struct Case {
    name: &'static str,
    source: &'static str,
    code: &'static str,
    recoverable: bool,
}

const CASES: [Case; 8] = [
    Case {
        name: "crashes",
        source: "import os, signal, sys\nprint('last words', file=sys.stderr, flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)",
        code: "SUBPROCESS_KILLED",
        recoverable: true,
    },
    Case {
        name: "gives-up",
        source: "raise SystemExit(3)",
        code: "EXIT_STATUS",
        recoverable: false,
    },
    Case {
        name: "hangs",
        source: "import time\ntime.sleep(600)",
        code: "SUBPROCESS_TIMEOUT",
        recoverable: true,
    },
    Case {
        name: "garbles",
        source: "import sys\nsys.stdout.buffer.write(b'{\"a\": 1} \\x1b[31m\\xff and more')",
        code: "SUBPROCESS_INVALID",
        recoverable: false,
    },
    Case { name: "says-nothing", source: "pass", code: "SUBPROCESS_INVALID", recoverable: false },
    Case {
        name: "floods",
        source: "import sys\nwhile True: sys.stdout.write('x' * 65536)",
        code: "SUBPROCESS_OUTPUT",
        recoverable: false,
    },
    Case {
        name: "forks",
        source: "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n        os.fork()\n        time.sleep(600)\nraise SystemExit(4)",
        code: "EXIT_STATUS",
        recoverable: false,
    },
    Case {
        name: "is-deaf",
        source: "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntime.sleep(600)",
        code: "SUBPROCESS_TIMEOUT",
        recoverable: true,
    },
];

/// A good stage, and then the one that misbehaves.
fn pipeline(yard: &Yard, case: &Case) -> String {
    let Case { name, source, .. } = case;
    yard.file(&format!("{name}.py"), source);
    let toml = format!(
        "name = \"{name}\"\n[[stage]]\nname = \"good\"\nagent = \"pass\"\ndefault_next = \"bad\"\n\
         [[stage]]\nname = \"bad\"\ntries = 1\n[stage.agent]\neffect = \"pure\"\ntimeout_seconds = 0.5\n\
         limits = {{ output_mb = 1, memory_mb = 256 }}\nsubprocess.command = [\"python3\", \"{name}.py\"]\n"
    );
    // Those that are to end by themselves may take their time: the machine may be slow.
    let toml = if case.code == "SUBPROCESS_TIMEOUT" { toml } else { toml.replace("= 0.5", "= 60") };
    yard.file(&format!("{name}.toml"), toml)
}

/// What every way must give.
#[track_caller]
fn is_told(yard: &Yard, case: &Case, envelope: &Value) {
    let name = case.name;
    keeps("envelope/envelope", envelope);
    assert_eq!(envelope["terminated"], true, "{name}: {envelope}");
    let reason = if case.recoverable { "tool_failed_recoverably" } else { "tool_failed_fatally" };
    assert_eq!(text(envelope, "terminal_reason"), reason, "{name}: {envelope}");
    assert_eq!(text(envelope, "current_stage"), "bad", "{name}");
    let errors = envelope["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 1, "{name}: {errors:?}");
    keeps("envelope/error", &errors[0]);
    assert_eq!(
        (text(&errors[0], "agent"), text(&errors[0], "error_type")),
        ("bad", case.code),
        "{name}"
    );
    assert_eq!(errors[0]["recoverable"], case.recoverable, "{name}");
    assert!(text(&errors[0], "message").len() > 10, "{name}: {errors:?}");
    let expected = [("good", "success"), ("bad", "error")]
        .map(|(stage, how)| (stage.to_owned(), how.to_owned()));
    assert_eq!(history(envelope), expected, "{name}");
    keeps("envelope/processing-record", &envelope["processing_history"][1]);
    assert!(text(&envelope["processing_history"][1], "error").contains(case.code), "{name}");
    yard.nobody_is_left();
}

/// The envelope of a failed stage, made ready to try again.
fn repaired(envelope: &Value) -> Value {
    let mut envelope = envelope.clone();
    envelope["terminated"] = json!(false);
    for name in ["terminal_reason", "termination_reason", "completed_at"] {
        envelope[name] = Value::Null;
    }
    envelope
}

#[test]
fn in_the_pipe_a_stage_that_misbehaves_leaves_an_envelope_that_can_be_used() {
    let yard = Yard::new();
    for case in &CASES {
        let pipeline = pipeline(&yard, case);
        let envelope = yard.processed(yard.envelope("hello", &[]), &["--pipeline", &pipeline]);
        is_told(&yard, case, &envelope);
        // Whoever mends the program goes on where it stood.
        yard.file(
            &format!("{}.py", case.name),
            "import json, sys\njson.load(sys.stdin)\nprint('{\"mended\": true}')",
        );
        let toml = std::fs::read_to_string(&pipeline).expect("it was written");
        std::fs::write(&pipeline, toml.replace("= 0.5", "= 60")).expect("it can be written");
        let done = yard.processed(repaired(&envelope), &["--pipeline", &pipeline]);
        assert_eq!(done["terminal_reason"], "completed_successfully", "{}: {done}", case.name);
        assert_eq!(done["outputs"]["bad"], json!({"mended": true}));
        assert_eq!((done["errors"].as_array().map(Vec::len), history(&done).len()), (Some(1), 3));
    }
}

#[test]
fn over_http_a_stage_that_misbehaves_is_no_fault_of_the_server() {
    let yard = Yard::new();
    for case in &CASES {
        let pipeline = pipeline(&yard, case);
        let server = yard.serve(&["--pipeline", &pipeline]);
        let carried = server.processed("", &yard.envelope("hello", &[]));
        is_told(&yard, case, &carried);
        let sent = yard.envelope("hello", &[]);
        let (run, durable) = server.durable(&sent);
        is_told(&yard, case, &durable);
        let shown = server.get(&format!("/api/runs/{run}")).is(200).json();
        assert_eq!(shown["status"], "failed", "{}", case.name);
        // The envelope of a run that failed, made ready, is work of its own.
        let (other, _) = server.durable(&repaired(&durable));
        assert_ne!(other, run, "{}", case.name);
        assert_eq!(server.durable(&sent).0, run, "{}", case.name);
        server.get("/readyz").is(200);
        let out = server.stop().exits(0);
        assert!(!out.stderr.contains("panicked"), "{out:#?}");
        assert!(!out.stderr.contains('\u{1b}'), "{out:#?}");
    }
}

#[test]
fn a_durable_run_with_a_stage_that_misbehaves_fails_with_its_envelope() {
    let yard = Yard::new();
    for case in &CASES {
        let pipeline = pipeline(&yard, case);
        let out = yard.run(&["run", &pipeline, "--input", "\"hello\"", "--json"]).exits(1);
        let run = out.json();
        assert_eq!(text(&run, "status"), "failed", "{}", case.name);
        let fault = &run["fault"];
        let reason =
            if case.recoverable { "tool_failed_recoverably" } else { "tool_failed_fatally" };
        assert_eq!(text(fault, "code"), case.code, "{}", case.name);
        assert_eq!(fault["details"]["terminal_reason"], reason, "{}", case.name);
        assert_eq!(fault["details"]["stage"], "bad", "{}", case.name);
        is_told(&yard, case, &fault["details"]["envelope"]);
        let id = text(&run, "id");
        yard.run(&["runs", "verify", id]).exits(0);
        let words = yard.run(&["runs", "show", id]).exits(0);
        assert!(!words.stdout.contains('\u{1b}') && !out.stderr.contains('\u{1b}'), "{words:#?}");
    }
}

#[test]
fn what_a_stage_said_before_it_failed_is_told_without_its_escapes() {
    let yard = Yard::new();
    yard.file("bad.sh", "printf '\\033[31mred \\033]0;title\\007 over' >&2; exit 9");
    let pipeline = yard.file(
        "bad.toml",
        "name = \"bad\"\n[[stage]]\nname = \"bad\"\ntries = 1\nagent.subprocess.command = [\"sh\", \"bad.sh\"]\nagent.effect = \"pure\"\n",
    );
    let envelope = yard.envelope("hello", &[]);
    let carried = yard.process(&envelope, &["--pipeline", &pipeline]).exits(0);
    assert!(!carried.stdout.contains('\u{1b}') && carried.stdout.contains("red"), "{carried:#?}");
    assert!(
        carried.json()["errors"][0]["details"]["stderr"]
            .as_str()
            .is_some_and(|said| said.contains("over"))
    );
    let run = yard.run(&["run", &pipeline, "--input", "\"x\""]).exits(1);
    let shown = format!("{}{}", run.stdout, run.stderr);
    assert!(!shown.contains(['\u{1b}', '\u{7}']) && shown.contains("red"), "{shown:?}");
}

#[test]
fn a_program_that_ends_well_may_not_leave_children_either() {
    let yard = Yard::new();
    let source = "import os, sys, time\nsys.stdin.read()\nif os.fork() == 0:\n    os.setsid()\n    os.close(1)\n    os.close(2)\n    time.sleep(600)\nprint('{\"a\": 1}')";
    yard.file("leaves.py", source);
    let pipeline = yard.file(
        "leaves.toml",
        "name = \"leaves\"\n[[stage]]\nname = \"leaves\"\nagent.effect = \"pure\"\nagent.subprocess.command = [\"python3\", \"leaves.py\"]\n",
    );
    let done = yard.processed(yard.envelope("hello", &[]), &["--pipeline", &pipeline]);
    assert_eq!(done["outputs"]["leaves"], json!({"a": 1}));
    yard.nobody_is_left();
    let server = yard.serve(&["--pipeline", &pipeline]);
    server.processed("", &yard.envelope("hello", &[]));
    yard.nobody_is_left();
    server.durable(&yard.envelope("hello", &[]));
    yard.nobody_is_left();
}

#[test]
fn a_server_as_an_agent_that_never_answers_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has one").port();
    // It takes everything, and says nothing.
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || {
                let mut stream = stream;
                while stream.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {}
            });
        }
    });
    let yard = Yard::new();
    let toml = format!(
        "name = \"silent\"\n[[stage]]\nname = \"bad\"\ntries = 1\n[stage.agent]\neffect = \"pure\"\ntimeout_seconds = 0.5\n\
         http = {{ url = \"http://127.0.0.1:{port}/\", allow_private = true }}\n"
    );
    let pipeline = yard.file("silent.toml", toml);
    let is_told = |envelope: &Value| {
        keeps("envelope/envelope", envelope);
        assert_eq!(text(envelope, "terminal_reason"), "tool_failed_recoverably", "{envelope}");
        let error = &envelope["errors"][0];
        keeps("envelope/error", error);
        assert!(text(error, "error_type").contains("TIMEOUT"), "{error}");
    };
    is_told(&yard.processed(yard.envelope("hello", &[]), &["--pipeline", &pipeline]));
    let server = yard.serve(&["--pipeline", &pipeline]);
    is_told(&server.processed("", &yard.envelope("hello", &[])));
    is_told(&server.durable(&yard.envelope("hello", &[])).1);
    let run = yard.durable(&pipeline, &json!("hello"), &[], 1);
    is_told(&run["fault"]["details"]["envelope"]);
}

#[test]
fn another_way_is_taken_where_the_pipeline_has_one() {
    let yard = Yard::new();
    let toml = "name = \"saved\"\n[[stage]]\nname = \"bad\"\ntries = 2\nagent.effect = \"pure\"\n\
                agent.subprocess.command = [\"sh\", \"-c\", \"echo x >> tried; exit 1\"]\nerror_next = \"saved\"\n\
                [[stage]]\nname = \"saved\"\nagent = \"pass\"\n";
    let pipeline = yard.file("saved.toml", toml);
    let done = yard.processed(yard.envelope("hello", &[]), &["--pipeline", &pipeline]);
    assert_eq!(done["terminal_reason"], "completed_successfully");
    assert_eq!(history(&done).len(), 2);
    assert_eq!(done["errors"].as_array().map(Vec::len), Some(1), "{done}");
    let run = yard.durable(&pipeline, &json!("hello"), &[], 0);
    assert_eq!(run["output"]["errors"][0]["error_type"], done["errors"][0]["error_type"]);
}
