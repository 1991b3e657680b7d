//! Programs that end by themselves, and what is made of that.

use std::{ffi::OsString, sync::Arc, time::Duration};

use consign_engine::{
    Effect,
    FaultClass::{self, OutcomeUnknown, Permanent, Transient},
    Nanos,
};
use consign_invokers::{
    outside::Environment,
    process::{Definition, Subprocess},
};

use crate::bench::{Bench, Came, helper, marked, marker};

pub(crate) fn sh(script: &str) -> Definition {
    Definition::new(["sh", "-c", script])
}

pub(crate) fn python(script: &str, argument: &str) -> Definition {
    Definition::new(["python3", "-c", script, argument])
}

pub(crate) async fn call(definition: Definition, effect: Effect, input: &str) -> Came {
    Bench::new(effect, Subprocess::new(definition, effect, helper())).await.call(input).await
}

#[tokio::test]
async fn a_program_is_given_its_input_and_gives_its_output() {
    let came = call(Definition::new(["cat"]), Effect::Pure, r#"{"price": 1.10}"#).await;
    assert_eq!(came.output(), r#"{"price": 1.10}"#);
    assert_eq!(came.note()["exit_code"], 0);
    let large = format!("\"{}\"", "x".repeat(1 << 20));
    assert_eq!(call(Definition::new(["cat"]), Effect::Pure, &large).await.output(), large);
    // Who does not read it does not fail by it.
    assert_eq!(call(sh("echo 1"), Effect::Pure, &large).await.output(), "1");
}

#[tokio::test]
async fn a_program_is_told_what_it_works_for_and_nothing_else() {
    let script = "import json, os; print(json.dumps(dict(os.environ)))";
    let environment: Environment = Arc::new(|name| match name {
        "PATH" => std::env::var_os("PATH"),
        "TOKEN" => Some(OsString::from("s3cret-token")),
        "OTHER" => Some(OsString::from("not for it")),
        _ => None,
    });
    let definition = Definition { env: vec!["TOKEN".to_owned()], ..python(script, "") };
    let program = Subprocess::new(definition, Effect::Pure, helper()).with_environment(environment);
    let bench = Bench::new(Effect::Pure, program).await;
    let (run, drive) = bench.begin("null").await;
    bench.attend(drive).await;
    let came = bench.came(&run).await;
    let given: serde_json::Value = serde_json::from_str(came.output()).unwrap();
    assert_eq!(given["CONSIGN_RUN"], run.as_str());
    assert_eq!(given["CONSIGN_ACTIVITY"], "step");
    assert_eq!(given["CONSIGN_ATTEMPT"], "1");
    assert_eq!(given["CONSIGN_IDEMPOTENCY_KEY"], format!("{run}:step"));
    assert_eq!(given["CONSIGN_AGENT"], "outside");
    assert_eq!(given["TOKEN"], "s3cret-token");
    assert_eq!(given.get("OTHER").or(given.get("HOME")), None);
}

#[tokio::test]
async fn each_way_to_end_has_its_code_and_class() {
    let check = async |definition: Definition,
                       code: &str,
                       pure: FaultClass,
                       unsafe_: FaultClass| {
        for (effect, class) in [(Effect::Pure, pure), (Effect::Unsafe, unsafe_)] {
            let came = call(definition.clone(), effect, "null").await;
            let fault = &came.failure().fault;
            assert_eq!((fault.code.as_ref(), fault.class), (code, class), "{:?}", came.failure());
            assert!(came.journal.contains(code), "{}", came.journal);
        }
    };
    check(sh("exit 3"), "EXIT_STATUS", Transient, OutcomeUnknown).await;
    check(sh("exit 75"), "EXIT_STATUS", Transient, Transient).await;
    check(sh("kill -SEGV $$"), "SUBPROCESS_KILLED", Transient, OutcomeUnknown).await;
    check(sh("echo '{} and more'"), "SUBPROCESS_INVALID", Permanent, OutcomeUnknown).await;
    check(sh("printf '\\377'"), "SUBPROCESS_INVALID", Permanent, OutcomeUnknown).await;
    check(sh("true"), "SUBPROCESS_INVALID", Permanent, OutcomeUnknown).await;
    let missing = Definition::new(["no-such-program-anywhere"]);
    check(missing, "SUBPROCESS_NOT_STARTED", Permanent, Permanent).await;
    let nowhere = Definition { directory: Some("/no/such/place".into()), ..sh("echo 1") };
    check(nowhere, "SUBPROCESS_NOT_STARTED", Permanent, Permanent).await;
    let none = Definition::new(Vec::<String>::new());
    check(none, "SUBPROCESS_NOT_STARTED", Permanent, Permanent).await;
}

#[tokio::test]
async fn an_exit_code_is_told_from_a_signal_and_from_what_the_program_says_it_was() {
    let check = async |script: &str, code: Option<i32>, signal: Option<i32>| {
        let note = call(sh(script), Effect::Pure, "null").await.note();
        assert_eq!(note["exit_code"], serde_json::json!(code), "{script}");
        assert_eq!(note["signal"], serde_json::json!(signal), "{script}");
    };
    check("exit 137", Some(137), None).await;
    check("kill -KILL $$", None, Some(9)).await;
    check("exit 127", Some(127), None).await;
    check("printf '\\n{\"exited\":0}\\n' >&2; exit 4", Some(4), None).await;
    check("printf '{\"signalled\":9}' >&2; echo 1", Some(0), None).await;
}

#[tokio::test]
async fn the_end_of_stderr_is_kept_without_secrets_and_control_characters() {
    let script = "import sys, os\n\
        sys.stderr.write('x' * 1000000 + '\\x1b[31m' + os.environ['TOKEN'] + '\\nthe end\\n')\n\
        print(1)";
    let environment: Environment = Arc::new(|name| match name {
        "TOKEN" => Some(OsString::from("s3cret-token")),
        name => std::env::var_os(name),
    });
    let definition = Definition { env: vec!["TOKEN".to_owned()], ..python(script, "") };
    let program = Subprocess::new(definition, Effect::Pure, helper()).with_environment(environment);
    let came = Bench::new(Effect::Pure, program).await.call("null").await;
    let note = came.note();
    let stderr = note["stderr"].as_str().unwrap();
    assert!(stderr.ends_with("xxx\u{fffd}[31m***\nthe end\n"), "{}", &stderr[stderr.len() - 99..]);
    assert_eq!(stderr.len(), 16 << 10);
    assert!(!came.journal.contains("s3cret"));
}

#[tokio::test]
async fn what_a_program_leaves_behind_is_killed_before_its_result_is_taken() {
    let (marker, folder) = (marker(), tempfile::tempdir().unwrap());
    let here = folder.path().join("here").display().to_string();
    let stays = format!("sh -c 'echo x >> {here}; : {marker}; sleep 999'");
    // It ends when the three that it leaves behind are there.
    let script = format!(
        ": > {here}; setsid {stays} & (nohup {stays} &) ; {stays} & \
         until [ $(wc -l < {here}) -eq 3 ]; do sleep 0.01; done; echo 7"
    );
    let came = call(sh(&script), Effect::Pure, "null").await;
    assert_eq!(came.output(), "7");
    assert_eq!(std::fs::read_to_string(here).unwrap(), "x\nx\nx\n");
    assert_eq!(marked(&marker), Vec::<String>::new());
}

#[tokio::test]
async fn a_program_costs_what_was_declared() {
    let max_cost = Nanos::new(5);
    let priced = Definition { max_cost, ..sh("echo 1") };
    let came = call(priced, Effect::Pure, "null").await;
    assert_eq!(came.result.as_ref().unwrap().cost, Nanos::new(5));
    assert_eq!(came.note()["cost_assumed"], true);
    let priced = Definition { max_cost, ..sh("exit 1") };
    assert_eq!(call(priced, Effect::Pure, "null").await.failure().cost, None);
    let priced = Definition { max_cost, ..Definition::new(["no-such-program-anywhere"]) };
    assert_eq!(call(priced, Effect::Pure, "null").await.failure().cost, Some(Nanos::ZERO));
}

#[tokio::test]
async fn a_program_that_kills_or_stops_its_keeper_does_not_get_away() {
    // It is the child that does it, and so both are there.
    let came = async |signal: &str, timeout: u64| {
        let marker = marker();
        let child = format!("sh -c ': {marker}; echo there >&2; kill -{signal} $0; sleep 999'");
        let script = format!("{child} $PPID & sleep 999");
        let definition = Definition { timeout: Duration::from_secs(timeout), ..sh(&script) };
        let came = call(definition, Effect::Pure, "null").await;
        assert_eq!(marked(&marker), Vec::<String>::new());
        came
    };
    let killed = came("KILL", 60).await;
    assert_eq!((killed.code(), &killed.note()["stderr"]), ("SUBPROCESS_KILLED", &"there\n".into()));
    // Nobody but its time can tell that it stopped.
    for timeout in [1, 4, 16, 64] {
        let stopped = came("STOP", timeout).await;
        assert_eq!(stopped.code(), "SUBPROCESS_TIMEOUT");
        if stopped.note()["stderr"] == "there\n" {
            return;
        }
    }
    panic!("it never had a child");
}

#[tokio::test]
async fn half_a_secret_at_the_beginning_of_what_is_kept_is_not_told() {
    // Secrets make way for fewer letters, until the cut edge comes in sight.
    let script =
        "import os, sys; sys.stderr.write(os.environ['TOKEN'] * 4000 + 'the end'); print(1)";
    let environment: Environment = Arc::new(|name| match name {
        "PATH" => std::env::var_os("PATH"),
        "TOKEN" => Some(OsString::from("s3cret-of-mine")),
        _ => None,
    });
    let definition = Definition { env: vec!["TOKEN".to_owned()], ..python(script, "") };
    let program = Subprocess::new(definition, Effect::Pure, helper()).with_environment(environment);
    let came = Bench::new(Effect::Pure, program).await.call("null").await;
    let note = came.note();
    let stderr = note["stderr"].as_str().unwrap();
    assert!(stderr.ends_with("***the end"), "{stderr}");
    assert_eq!(stderr.trim_end_matches("the end").replace('*', ""), "");
}
