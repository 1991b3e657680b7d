//! `consign contracts check --stream`

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::{
    documents::one_golden,
    support::{Consign, Folder, Outcome, consign, keys, text},
};

const RESPONSE: &str = "job/agent-response";

fn stream(args: &[&str], lines: impl Into<Vec<u8>>) -> Outcome {
    let head = ["contracts", "check", RESPONSE, "--stream"];
    Consign::new([&head, args].concat()).stdin(lines).run()
}

fn good() -> String {
    r#"{"action":"COMPLETED","evidence_files":[],"summary_for_supervisor":""}"#.to_owned()
}

/// Line number and verdict of every answer.
fn verdicts(run: &Outcome) -> Vec<(u64, &'static str)> {
    let verdict = |answer: &Value| {
        let line = answer["line"].as_u64().expect("a verdict has its line");
        let word = match (answer.get("malformed"), &answer["valid"]) {
            (Some(_), Value::Bool(false)) => "malformed",
            (None, Value::Bool(true)) => "valid",
            (None, Value::Bool(false)) => "invalid",
            _ => panic!("no verdict: {answer}"),
        };
        (line, word)
    };
    run.json_lines().iter().map(verdict).collect()
}

#[test]
fn verdicts_come_in_the_order_of_the_documents() {
    let lines: String = (0..500)
        .map(|number| match number % 3 {
            0 => good() + "\n",
            1 => "{}\n".to_owned(),
            _ => "{\n".to_owned(),
        })
        .collect();
    let run = stream(&["--json"], lines).exits(1);
    let expected: Vec<_> =
        (0..500).map(|n| (n + 1, ["valid", "invalid", "malformed"][n as usize % 3])).collect();
    assert_eq!(verdicts(&run), expected);
}

#[test]
fn a_verdict_is_that_of_a_single_document_with_its_line() {
    let run = stream(&["--json"], "{}\n{\"a\":1,\"a\":1}\n").exits(1);
    let answers = run.json_lines();
    assert_eq!(keys(&answers[0]), ["breaches", "contract", "line", "valid"]);
    assert_eq!(keys(&answers[1]), ["contract", "line", "malformed", "valid"]);
    for (answer, document) in answers.into_iter().zip(["{}", "{\"a\":1,\"a\":1}"]) {
        let alone = Consign::new(["contracts", "check", RESPONSE, "--json"]).stdin(document).run();
        let Value::Object(mut answer) = answer else { panic!("not an object") };
        answer.remove("line");
        assert_eq!(Value::Object(answer), alone.json());
    }
}

#[test]
fn blank_lines_are_counted_and_passed_over() {
    let lines = format!("\n  \t\n{}\n\r\n\n{}\n\n", good(), good());
    let run = stream(&["--json"], lines).exits(0);
    assert_eq!(verdicts(&run), [(3, "valid"), (6, "valid")]);
}

#[test]
fn nothing_to_check_is_nothing_wrong() {
    for lines in ["", "\n", "\n\r\n  \n"] {
        let run = stream(&["--json"], lines).exits(0);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    }
}

#[test]
fn a_broken_line_spoils_only_itself() {
    let mut lines = Vec::new();
    for broken in [&b"{"[..], b"\xFF", b"\"", b"{} {}", b"\xEF\xBB\xBF{}", b"\0", b"]"] {
        lines.extend_from_slice(broken);
        lines.extend_from_slice(format!("\n{}\n", good()).as_bytes());
    }
    let run = stream(&["--json"], lines).exits(1);
    let expected: Vec<_> =
        (1..=14).map(|line| (line, ["valid", "malformed"][line as usize % 2])).collect();
    assert_eq!(verdicts(&run), expected);
}

#[test]
fn a_line_beyond_the_limit_spoils_only_itself() {
    let limit = good().len();
    let long = format!("{}{}", good(), " ".repeat(200_000));
    let lines = format!("{}\n{} \n{long}\n{}\n{long}", good(), good(), good());
    let run = stream(&["--json", "--max-bytes", &limit.to_string()], lines).exits(1);
    assert_eq!(
        verdicts(&run),
        [(1, "valid"), (2, "malformed"), (3, "malformed"), (4, "valid"), (5, "malformed")]
    );
    for answer in run.json_lines().iter().filter(|answer| answer["valid"] == false) {
        let said = text(answer, "malformed");
        assert!(said.contains(&format!("larger than the limit of {limit} bytes")), "{said}");
    }
}

#[test]
fn lines_may_end_as_on_windows() {
    let lines = format!("{}\r\n{{}}\r\n{}\r\n", good(), good());
    let run = stream(&["--json"], lines).exits(1);
    assert_eq!(verdicts(&run), [(1, "valid"), (2, "invalid"), (3, "valid")]);
}

#[test]
fn the_last_line_needs_no_end() {
    for end in ["", "\n"] {
        let run = stream(&["--json"], format!("{}\n{}{end}", good(), good())).exits(0);
        assert_eq!(verdicts(&run), [(1, "valid"), (2, "valid")]);
    }
}

#[test]
fn one_refusal_anywhere_decides_the_exit_code() {
    for at in 0..3 {
        let mut lines = vec![good(); 3];
        lines[at] = "{}".to_owned();
        stream(&[], lines.join("\n")).exits(1);
    }
    stream(&[], vec![good(); 3].join("\n")).exits(0);
}

#[test]
fn in_a_pipe_a_verdict_is_a_line_with_its_number() {
    let run = stream(&[], format!("{}\n\n{{}}\n{{\n", good())).exits(1);
    let lines: Vec<_> = run.stdout.lines().collect();
    assert_eq!(lines[0], "1: valid");
    assert_eq!(lines[1], "3: invalid: the document: `action` is missing (and 2 more)");
    assert!(lines[2].starts_with("4: malformed: not JSON: "), "{lines:?}");
    assert_eq!((lines.len(), run.stderr.as_str()), (3, ""));
}

#[test]
fn a_file_can_be_streamed_too() {
    let folder = Folder::new();
    let file = folder.file("answers.ndjson", format!("{}\n{{}}\n", good()));
    let run = consign(["contracts", "check", RESPONSE, &file, "--stream", "--json"]).exits(1);
    assert_eq!(verdicts(&run), [(1, "valid"), (2, "invalid")]);
}

#[test]
fn a_schema_of_the_users_own_can_be_streamed_against() {
    let folder = Folder::new();
    let schema = folder.file("schema.json", r#"{"type": "integer"}"#);
    let args = ["contracts", "check", "--schema", &schema, "-", "--stream", "--json"];
    let run = Consign::new(args).stdin("1\n\"a\"\n1.0\n").run().exits(1);
    assert_eq!(verdicts(&run), [(1, "valid"), (2, "invalid"), (3, "valid")]);
    assert!(run.json_lines().iter().all(|answer| answer["contract"] == schema.as_str()));
}

/// Whoever waits for a verdict before the next document must not wait for ever.
#[test]
fn a_verdict_comes_before_the_next_document_is_sent() {
    for json in [&[][..], &["--json"]] {
        let args = [&["contracts", "check", RESPONSE, "--stream"], json].concat();
        let mut command = Consign::new(args).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        for (number, document) in
            [good(), "{}".to_owned(), "]".to_owned(), good()].iter().enumerate()
        {
            writeln!(stdin, "{document}").expect("the binary is reading");
            let mut verdict = String::new();
            stdout.read_line(&mut verdict).expect("the binary is writing");
            let line = number + 1;
            let starts =
                if json.is_empty() { format!("{line}: ") } else { format!("{{\"line\":{line},") };
            assert!(verdict.starts_with(&starts), "{verdict}");
        }
        drop(stdin);
        assert_eq!(child.wait().expect("the binary ends").code(), Some(1));
    }
}

#[test]
fn every_document_of_a_long_stream_gets_its_verdict() {
    let golden = one_golden(RESPONSE, "completed").line() + "\n";
    let run = stream(&["--json"], golden.repeat(20_000)).exits(0);
    assert_eq!(run.stdout.lines().count(), 20_000);
    let last = run.stdout.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok());
    let expected = json!({"line": 20_000, "contract": RESPONSE, "valid": true, "breaches": []});
    assert_eq!(last, Some(expected));
}
