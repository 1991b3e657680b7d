//! Ctrl-C and SIGTERM on `consign process`: nothing begins any more, and what was done is not lost.

use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::yard::{Yard, history, keeps};
use crate::{home::until, support::Outcome};

/// A stage that is done at once, one that waits for a file, and one that must not begin.
const THREE: &str = r#"
name = "three"
[[stage]]
name = "first"
agent.effect = "pure"
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; echo 1"]
default_next = "second"
[[stage]]
name = "second"
agent.effect = "pure"
agent.subprocess.command = ["sh", "wait.sh"]
input = "{{raw_input}}"
default_next = "third"
[[stage]]
name = "third"
agent.effect = "pure"
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; echo 3 | tee -a third"]
"#;

fn yard() -> Yard {
    let yard = Yard::new();
    yard.waiting_program("2");
    yard
}

/// Starts `consign process` on a file, and sends it a signal once a program has begun.
fn interrupt(yard: &Yard, args: &[&str], begun: &[&str], signal: Signal) -> Outcome {
    let args = [&["process"], args].concat();
    let process = yard.home.let_go_on(yard.consign(&args));
    for name in begun {
        until("it begins", || yard.path(&format!("begun-{name}")).exists().then_some(()));
    }
    process.signal(signal);
    process.wait()
}

#[test]
fn an_envelope_that_was_stopped_is_written_as_far_as_it_got_and_goes_on_there() {
    for (signal, exit) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let yard = yard();
        let three = yard.file("three.toml", THREE);
        let asked = yard.file("asked.json", yard.envelope("slow", &[]).to_string());
        let out = interrupt(&yard, &[&asked, "--pipeline", &three], &["slow"], signal).exits(exit);
        let left = out.json();
        keeps("envelope/envelope", &left);
        assert_eq!(left["outputs"], json!({"first": {"value": 1}}), "{left}");
        assert_eq!(
            (&left["current_stage"], &left["terminated"]),
            (&json!("second"), &json!(false))
        );
        assert_eq!((&left["agent_hop_count"], &left["errors"]), (&json!(1), &json!([])));
        assert!(out.stderr.contains("stopped at second"), "{out:#?}");
        assert!(!yard.path("third").exists(), "a stage began after the signal");
        yard.nobody_is_left();
        yard.file("go-slow", "");
        let done = yard.processed(&left, &["--pipeline", &three]);
        assert_eq!(done["terminal_reason"], "completed_successfully");
        assert_eq!(done["agent_hop_count"], 3);
        let ran: Vec<_> = history(&done).into_iter().map(|(stage, _)| stage).collect();
        assert_eq!(ran, ["first", "second", "third"]);
    }
}

#[test]
fn what_must_not_be_done_twice_does_not_simply_go_on() {
    let yard = yard();
    let second = "name = \"second\"\nagent.effect = \"pure\"";
    let risky = THREE.replace(second, &second.replace("pure", "unsafe"));
    let three = yard.file("three.toml", risky);
    let asked = yard.file("asked.json", yard.envelope("slow", &[]).to_string());
    let args = [asked.as_str(), "--pipeline", &three];
    let out = interrupt(&yard, &args, &["slow"], Signal::INT).exits(130);
    let out = out.telling("note: the outcome of stage second is unknown: its agent may have done");
    let left = out.json();
    keeps("envelope/envelope", &left);
    assert_eq!(left["outputs"], json!({"first": {"value": 1}}), "{left}");
    assert_eq!(left["terminal_reason"], "tool_failed_fatally");
    let error = &left["errors"][0];
    assert_eq!((&error["agent"], &error["error_type"]), (&json!("second"), &json!("CANCELLED")));
    assert_eq!(
        (&error["recoverable"], &error["details"]["outcome"]),
        (&json!(false), &json!("unknown"))
    );
    // It comes back as it is until somebody has looked.
    let again = yard.process(&left, &["--pipeline", &three]).exits(0);
    let again = again.telling(
        "note: the envelope is terminated (tool_failed_fatally), and comes back as it was",
    );
    assert_eq!(again.telling("its outcome is unknown").json(), left);
    let lines = format!("{left}\n{left}\n");
    yard.process(lines, &["--stream", "--pipeline", &three])
        .exits(0)
        .telling("note: line 2: the envelope is terminated (tool_failed_fatally)");
}

#[test]
fn what_nobody_has_is_not_to_be_sent_through_again() {
    let yard = yard();
    let three = yard.file("three.toml", THREE);
    let asked = yard.file("asked.json", yard.envelope("slow", &[]).to_string());
    let told = "the output is no longer read: the answer could not be written";
    for args in [&[][..], &["--stream"]] {
        let all = [&["process", &asked, "--pipeline", &three], args].concat();
        let mut command = yard.consign(&all).into_command();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        until("it begins", || yard.path("begun-slow").exists().then_some(()));
        drop(child.stdout.take());
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, Signal::INT).expect("it is ours");
        let out = Outcome::of(child.wait_with_output().expect("it ends")).exits(1).telling(told);
        assert!(!out.stderr.contains("through again"), "{out:#?}");
        std::fs::remove_file(yard.path("begun-slow")).expect("it is there");
    }
}

#[test]
fn of_several_at_once_what_was_done_is_kept() {
    let yard = yard();
    let pair = r#"
name = "pair"
[[stage]]
name = "both"
parallel = ["quick", "late"]
[[stage]]
name = "quick"
agent.effect = "pure"
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; touch begun-quick; echo 1"]
[[stage]]
name = "late"
agent.effect = "pure"
agent.subprocess.command = ["sh", "wait.sh"]
input = "{{raw_input}}"
"#;
    let pair = yard.file("pair.toml", pair);
    let asked = yard.file("asked.json", yard.envelope("slow", &[]).to_string());
    let args = ["process", &asked, "--pipeline", &pair];
    let process = yard.home.let_go_on(yard.consign(&args));
    until("both begin", || {
        (yard.path("begun-quick").exists() && yard.path("begun-slow").exists()).then_some(())
    });
    until("the quick one is done", || {
        let strays = yard.strays();
        (!strays.iter().any(|line| line.contains("touch begun-quick"))).then_some(())
    });
    process.signal(Signal::TERM);
    let left = process.wait().exits(143).json();
    keeps("envelope/envelope", &left);
    assert_eq!((&left["current_stage"], &left["terminated"]), (&json!("both"), &json!(false)));
    yard.file("go-slow", "");
    let done = yard.processed(&left, &["--pipeline", &pair]);
    assert_eq!(done["outputs"], json!({"quick": {"value": 1}, "late": {"value": 2}}));
}

#[test]
fn a_stream_that_was_stopped_has_its_answers_in_order_and_says_how_far_it_came() {
    let yard = yard();
    let three = yard.file("three.toml", THREE);
    let envelope = yard.envelope("", &[]);
    let line = |question: &str| {
        let mut envelope = envelope.clone();
        envelope["raw_input"] = json!(question);
        format!("{envelope}\n")
    };
    let asked = ["slow-1", "quick-2", "slow-3", "quick-4"].map(line).concat();
    let asked = yard.file("asked.ndjson", asked);
    let args = [asked.as_str(), "--stream", "--at-once", "3", "--pipeline", &three];
    let began = ["slow-1", "quick-2", "slow-3"];
    let out = interrupt(&yard, &args, &began, Signal::INT).exits(130);
    let left = out.json_lines();
    let told: Vec<_> = left.iter().map(|left| left["raw_input"].as_str().expect("text")).collect();
    assert_eq!(told, began, "{out:#?}");
    for envelope in &left {
        keeps("envelope/envelope", envelope);
        assert_eq!(envelope["outputs"]["first"], json!({"value": 1}), "{envelope}");
    }
    assert_eq!(
        (&left[0]["current_stage"], &left[2]["current_stage"]),
        (&json!("second"), &json!("second"))
    );
    assert!(out.stderr.contains("4 lines read, those up to line 3 are answered"), "{out:#?}");
    assert!(!yard.path("begun-quick-4").exists());
    yard.nobody_is_left();
}

#[test]
fn whoever_has_not_said_anything_yet_is_not_waited_for() {
    let yard = yard();
    let three = yard.file("three.toml", THREE);
    for args in
        [&["process", "--pipeline", &three][..], &["process", "--stream", "--pipeline", &three]]
    {
        let mut command = yard.consign(args).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("the binary starts");
        let pid = rustix::process::Pid::from_child(&child);
        // It reads, or is about to.
        until("the home is there", || yard.home.path().join("consign.db").exists().then_some(()));
        rustix::process::kill_process(pid, Signal::INT).expect("it is ours");
        let out = Outcome::of(child.wait_with_output().expect("it ends"));
        assert_eq!(out.stdout, "", "{out:#?}");
        assert!(matches!(out.code, None | Some(130)), "{out:#?}");
    }
}

/// What is told to programs is told as they read it.
#[test]
fn a_program_that_stops_a_stream_is_spared_words() {
    let yard = yard();
    let three = yard.file("three.toml", THREE);
    let asked = yard.file("asked.ndjson", format!("{}\n", yard.envelope("slow", &[])));
    let args = [asked.as_str(), "--stream", "--json", "--pipeline", &three];
    let out = interrupt(&yard, &args, &["slow"], Signal::TERM).exits(143);
    assert_eq!(out.stderr, "", "{out:#?}");
    let left: Value = out.json();
    assert_eq!(left["current_stage"], "second");
}
