//! `consign process --stream`: a line in, a line out, in order.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    thread,
};

use serde_json::{Value, json};

use super::yard::{Yard, keeps};
use crate::{
    home::until,
    support::{Outcome, text},
};

/// One program that waits for a file called like the question, if the question says so.
const GATED: &str = r#"
name = "gated"
[[stage]]
name = "wait"
agent.effect = "pure"
agent.subprocess.command = ["sh", "wait.sh"]
input = "{{raw_input}}"
"#;

struct Stream {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Stream {
    fn of(yard: &Yard, args: &[&str]) -> Self {
        let args = [&["process", "--stream", "--pipeline", "gated.toml"], args].concat();
        let mut command = yard.consign(&args).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        Self { child, stdin, stdout: stdout.map(BufReader::new) }
    }

    fn ask(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().expect("a pipe"), "{line}").expect("it is reading");
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.as_mut().expect("a pipe").read_line(&mut line).expect("it is writing");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no answer: {line:?}"))
    }

    fn end(mut self) -> Outcome {
        drop(self.stdin.take());
        let mut rest = String::new();
        if let Some(mut stdout) = self.stdout.take() {
            stdout.read_to_string(&mut rest).expect("it is writing");
        }
        let mut out = Outcome::of(self.child.wait_with_output().expect("it ends"));
        out.stdout = rest;
        out
    }
}

fn gated() -> Yard {
    let yard = Yard::new();
    yard.file("gated.toml", GATED);
    yard.waiting_program("$asked");
    yard
}

/// An envelope on a line, made of one that was made.
fn line(envelope: &Value, question: &str) -> String {
    let mut envelope = envelope.clone();
    envelope["raw_input"] = json!(question);
    envelope.to_string()
}

fn said(answer: &Value) -> &str {
    answer["outputs"]["wait"]["text"].as_str().unwrap_or_else(|| panic!("nothing said: {answer}"))
}

#[test]
fn answers_keep_the_order_of_the_questions_whoever_is_done_first() {
    let yard = gated();
    let envelope = yard.envelope("", &[]);
    let mut stream = Stream::of(&yard, &["--at-once", "4"]);
    for question in ["slow-1", "quick-2", "slow-3", "quick-4", "quick-5"] {
        stream.ask(&line(&envelope, question));
    }
    // The quick ones are done, the fifth has not begun: four are under way at once, and no more.
    for question in ["slow-1", "quick-2", "slow-3", "quick-4"] {
        until("they begin", || yard.path(&format!("begun-{question}")).exists().then_some(()));
    }
    yard.file("go-slow-3", "");
    until("the third is done", || {
        let strays = yard.strays();
        (strays.iter().filter(|line| line.contains("wait.sh")).count() <= 2).then_some(())
    });
    assert!(!yard.path("begun-quick-5").exists(), "more were under way than were allowed");
    yard.file("go-slow-1", "");
    let answers: Vec<_> = (0..5).map(|_| stream.hear()).collect();
    let order: Vec<_> = answers.iter().map(said).collect();
    assert_eq!(order, ["slow-1", "quick-2", "slow-3", "quick-4", "quick-5"]);
    answers.iter().for_each(|answer| keeps("envelope/envelope", answer));
    let out = stream.end().exits(0);
    assert_eq!((out.stdout.as_str(), out.stderr.as_str()), ("", ""));
    yard.nobody_is_left();
}

#[test]
fn one_at_once_is_one_at_once() {
    let yard = gated();
    let envelope = yard.envelope("", &[]);
    let mut stream = Stream::of(&yard, &["--at-once", "1"]);
    stream.ask(&line(&envelope, "slow-1"));
    stream.ask(&line(&envelope, "quick-2"));
    until("it begins", || yard.path("begun-slow-1").exists().then_some(()));
    assert!(!yard.path("begun-quick-2").exists());
    yard.file("go-slow-1", "");
    assert_eq!((said(&stream.hear()), said(&stream.hear())), ("slow-1", "quick-2"));
    stream.end().exits(0);
}

#[test]
fn an_answer_comes_before_the_next_question_is_sent() {
    let yard = gated();
    let envelope = yard.envelope("", &[]);
    let mut stream = Stream::of(&yard, &[]);
    for number in 0..5 {
        let question = format!("quick-{number}");
        stream.ask(&line(&envelope, &question));
        assert_eq!(said(&stream.hear()), question);
        // A refusal is an answer too.
        stream.ask("{");
        keeps("envelope/error", &stream.hear()["errors"][0]);
        // Whoever sends nothing gets nothing.
        stream.ask("");
        stream.ask("  \t\r");
    }
    let out = stream.end().exits(1);
    assert_eq!(out.stdout, "");
}

#[test]
fn a_broken_line_has_its_errors_in_its_place_and_the_rest_goes_on() {
    let yard = gated();
    let envelope = yard.envelope("", &[]);
    let mut lines = Vec::new();
    for (number, broken) in
        [&b"{"[..], b"[]", b"\xff\xfe", b"{} {}", b"null", b"\0"].iter().enumerate()
    {
        lines.extend_from_slice(line(&envelope, &format!("quick-{number}")).as_bytes());
        lines.extend_from_slice(if number % 2 == 0 { b"\n" } else { b"\r\n\n" });
        lines.extend_from_slice(broken);
        lines.push(b'\n');
    }
    // The last line needs no end.
    lines.extend_from_slice(line(&envelope, "quick-last").as_bytes());
    let args = ["process", "--stream", "--pipeline", "gated.toml"];
    let out = yard.consign(&args).stdin(lines).run().exits(1);
    let answers = out.json_lines();
    assert_eq!(answers.len(), 13);
    for (number, answer) in answers.iter().enumerate() {
        match (number % 2, number) {
            (0, 12) => assert_eq!(said(answer), "quick-last"),
            (0, _) => assert_eq!(said(answer), format!("quick-{}", number / 2)),
            _ => {
                keeps("envelope/error", &answer["errors"][0]);
                assert_eq!(crate::support::keys(answer), ["errors"]);
                // After every second question there is a blank line.
                let line = number + 1 + (number + 1) / 4;
                assert_eq!(answer["errors"][0]["details"]["line"], line, "{answer}");
                assert!(out.stderr.contains(&format!("]: line {line}: ")), "{}", out.stderr);
            }
        }
    }
    assert_eq!(
        out.stderr.lines().filter(|line| line.contains("error[")).count(),
        6,
        "{}",
        out.stderr
    );
}

#[test]
fn a_stage_that_fails_is_an_envelope_and_no_broken_line() {
    let yard = gated();
    yard.file("wait.sh", "exit 3");
    let envelope = yard.envelope("", &[]);
    let lines = format!("{}\n", line(&envelope, "quick"));
    let args = ["process", "--stream", "--pipeline", "gated.toml"];
    let out = yard.consign(&args).stdin(lines).run().exits(0).json();
    assert_eq!(out["terminated"], true);
    assert!(text(&out, "terminal_reason").starts_with("tool_failed"), "{out}");
}

#[test]
fn nothing_in_is_nothing_out() {
    let yard = gated();
    for lines in ["", "\n", "\n\r\n  \n"] {
        let args = ["process", "--stream", "--pipeline", "gated.toml"];
        let out = yard.consign(&args).stdin(lines).run().exits(0);
        assert_eq!((out.stdout.as_str(), out.stderr.as_str()), ("", ""));
    }
    // What stands in the way of all of them is told once.
    let out = yard.process("{}\n{}\n", &["--stream", "--pipeline", "/no/such.toml"]).exits(1);
    assert_eq!(out.json()["errors"][0]["error_type"], "FILE_UNREADABLE");
}

#[test]
fn a_reader_who_leaves_ends_the_stream_and_all_that_it_started() {
    let yard = gated();
    let envelope = yard.envelope("", &[]);
    let mut stream = Stream::of(&yard, &["--at-once", "4"]);
    stream.ask(&line(&envelope, "quick-1"));
    stream.hear();
    stream.ask(&line(&envelope, "slow-2"));
    stream.ask(&line(&envelope, "slow-3"));
    until("both begin", || {
        (yard.path("begun-slow-2").exists() && yard.path("begun-slow-3").exists()).then_some(())
    });
    drop(stream.stdout.take());
    yard.file("go-slow-2", "");
    // It cannot say what the second came to, and leaves; nobody reads, so the pipe may be broken for us too.
    let mut stdin = stream.stdin.take().expect("a pipe");
    let more = line(&envelope, "quick-4") + "\n";
    let writer = thread::spawn(move || while stdin.write_all(more.as_bytes()).is_ok() {});
    let out = Outcome::of(stream.child.wait_with_output().expect("it ends"));
    writer.join().expect("writing does not panic");
    assert!(!out.stderr.contains("panicked"), "{out:#?}");
    out.exits(1).telling("answers from line 2 on could not be written; lines 2 to ");
    yard.nobody_is_left();
    fs::read_dir(yard.folder.path()).expect("it is still there");
}

/// Gives back what it is given, unless that is a certain word: then it has no end.
const HANGS: &str = r#"
name = "hangs"
[[stage]]
name = "wait"
agent.effect = "pure"
agent.timeout_seconds = 4
agent.subprocess.command = ["python3", "hang.py"]
input = "{{raw_input}}"
tries = 1
"#;

const HANG: &str = r#"
import json, sys, time
asked = json.load(sys.stdin)
if asked == "hang":
    open("begun", "w").close()
    time.sleep(3600)
json.dump(asked, sys.stdout)
"#;

#[test]
fn whoever_does_not_read_keeps_no_program_from_being_ended_in_time() {
    let yard = Yard::new();
    yard.file("gated.toml", HANGS);
    yard.file("hang.py", HANG);
    let envelope = yard.envelope("", &[]);
    let mut stream = Stream::of(&yard, &[]);
    // More than any pipe holds: whoever writes it stands still until somebody reads.
    for _ in 0..3 {
        stream.ask(&line(&envelope, &"x".repeat(200_000)));
    }
    stream.ask(&line(&envelope, "hang"));
    until("it begins", || yard.path("begun").exists().then_some(()));
    // Nothing was read so far, and its time is over all the same.
    yard.nobody_is_left_but_the(&["consign process"]);
    for _ in 0..3 {
        assert_eq!(said(&stream.hear()).len(), 200_000);
    }
    let late = stream.hear();
    assert_eq!(late["errors"][0]["error_type"], "SUBPROCESS_TIMEOUT", "{late}");
    stream.end().exits(0);
    yard.nobody_is_left();
}

#[test]
fn a_reader_who_leaves_is_noticed_before_the_next_question() {
    let yard = gated();
    let envelope = yard.envelope("", &[]);
    let mut stream = Stream::of(&yard, &[]);
    stream.ask(&line(&envelope, "slow-1"));
    until("it begins", || yard.path("begun-slow-1").exists().then_some(()));
    drop(stream.stdout.take());
    yard.file("go-slow-1", "");
    // Nothing more is asked, and the questions are not at their end.
    let stdin = stream.stdin.take();
    let out = Outcome::of(stream.child.wait_with_output().expect("it ends"));
    out.exits(1).telling("the output is no longer read: the answer could not be written");
    drop(stdin);
    yard.nobody_is_left();
}

#[test]
fn what_a_stream_may_cost_is_for_all_envelopes_together() {
    let yard = gated();
    yard.file("gated.toml", format!("{GATED}agent.limits.max_cost_usd = 1.0\ntries = 1\n"));
    let envelope = yard.envelope("", &[]);
    let lines: String = (1..=4).map(|n| line(&envelope, &format!("quick-{n}")) + "\n").collect();
    let args = ["--stream", "--pipeline", "gated.toml", "--cost", "2.50", "--calls", "1"];
    let out = yard.process(&lines, &args).exits(0);
    let left: Vec<_> = out.json_lines();
    let failed = |envelope: &Value| envelope["errors"][0]["error_type"].as_str().map(str::to_owned);
    let failed: Vec<_> = left.iter().filter_map(failed).collect();
    // Calls are counted for each.
    assert_eq!((left.len(), failed), (4, vec!["LIMIT_COST".to_owned(); 2]), "{out:#?}");
    assert!(
        out.stdout.contains(
            "the limit on cost is $2.5 for all together; $2 is spent, and the next call may cost $1"
        ),
        "{out:#?}"
    );
}
