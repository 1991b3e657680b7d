//! Any argument, any bytes on standard input, any end of the output: never a panic

use std::{
    ffi::OsString,
    fs::File,
    io::{Read, Write},
    os::unix::ffi::OsStringExt,
    process::Stdio,
    thread,
};

use proptest::{
    collection::vec, prelude::*, sample::select, string::string_regex, test_runner::Config,
};
use serde_json::{Value, json};

use crate::support::{Consign, Folder, Outcome, consign};

const RESPONSE: &str = "job/agent-response";

/// Every case is a process, so there are few.
fn cases(cases: u32) -> Config {
    Config { cases, failure_persistence: None, max_shrink_iters: 60, ..Config::default() }
}

/// A documented exit code, and no panic.
fn survives(run: &Outcome) -> Result<(), TestCaseError> {
    prop_assert!(matches!(run.code, Some(0..=2)), "{:#?}", run);
    prop_assert!(!run.stderr.contains("panicked"), "{:#?}", run);
    // Whoever fails says why.
    if run.code == Some(2) {
        let told = ["error[", "Usage:", "{\"error\":"].iter().any(|word| run.stderr.contains(word));
        prop_assert!(told, "{:#?}", run);
    }
    Ok(())
}

/// Words that lead deep into the command line, and bytes that lead nowhere.
fn argument() -> impl Strategy<Value = OsString> {
    let words = vec![
        "contracts",
        "list",
        "show",
        "check",
        "compat",
        "doctor",
        "demo",
        "completions",
        "help",
        "bash",
        "bridge",
        "crew",
        "bridge/agent-request",
        "job/agent-response",
        "envelope/envelope",
        "--json",
        "--schema",
        "--stream",
        "--max-bytes",
        "--max-bytes=0",
        "--max-bytes=7",
        "0",
        "18446744073709551615",
        "--color",
        "always",
        "--color=never",
        "--version",
        "-V",
        "-h",
        "--help",
        "--",
        "-",
        "@",
        "",
        ".",
        "/",
        "/dev/null",
        "schema.json",
        "-Vh",
        "--json=",
        "--schema=schema.json",
        "--schema=-",
        "\u{1b}[31m",
        "🚀",
        "\n",
    ];
    let bytes = vec(1_u8..=255, 0..20).prop_map(OsString::from_vec);
    let long = (1_usize..100_000, 1_u8..=255)
        .prop_map(|(size, byte)| OsString::from_vec(vec![byte; size]));
    prop_oneof![
        12 => select(words).prop_map(OsString::from),
        2 => bytes,
        1 => long,
    ]
}

/// Bytes that look like JSON for a while.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let pieces = vec![
        &b"{"[..],
        b"}",
        b"[",
        b"]",
        b":",
        b",",
        b"\"a\"",
        b"\"",
        b"\\",
        b"\\u",
        b"\\ud83d",
        b"0041",
        b"1",
        b"-",
        b"1e999",
        b"-0",
        b".5",
        b"true",
        b"null",
        b"\n",
        b"\r\n",
        b" ",
        b"\0",
        b"\xFF",
        b"\xF0\x9F\x9A\x80",
        b"\xED\xA0\x80",
        b"\xEF\xBB\xBF",
        b"\"action\":\"RETRY\"",
        b"\x1b[31m",
        b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        b"{\"$ref\":\"#\"}",
        b"{\"type\":\"object\"}",
    ];
    prop_oneof![
        3 => vec(select(pieces), 0..60).prop_map(|pieces| pieces.concat()),
        1 => vec(any::<u8>(), 0..2000),
    ]
}

/// Any JSON, with schema keywords for keys.
fn schema() -> impl Strategy<Value = Value> {
    let keywords = vec![
        "type",
        "enum",
        "const",
        "properties",
        "patternProperties",
        "required",
        "items",
        "minimum",
        "additionalProperties",
        "maxLength",
        "pattern",
        "format",
        "$ref",
        "$schema",
        "$id",
        "not",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
        "then",
        "else",
        "definitions",
        "multipleOf",
        "minItems",
        "uniqueItems",
        "contains",
        "propertyNames",
        "dependencies",
        "prefixItems",
        "$defs",
        "a",
    ];
    let texts = vec![
        "string",
        "object",
        "array",
        "integer",
        "number",
        "null",
        "uuid",
        "date-time",
        "uri",
        "#",
        "#/definitions/a",
        "#a",
        "other.json",
        "http://example.com/",
        "^a+$",
        "(",
        "a{1,999999}",
        "(?=a)(a+)+$",
        "",
        "a",
        "https://json-schema.org/draft/2020-12/schema",
    ];
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!(null)),
        select(vec![
            json!(0),
            json!(1),
            json!(-1),
            json!(0.1),
            json!(1e308),
            json!(u64::MAX),
            json!(i64::MIN)
        ]),
        select(texts).prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        let object = vec((select(keywords.clone()), inner.clone()), 0..5)
            .prop_map(|members| members.into_iter().collect::<Value>());
        prop_oneof![4 => object, 1 => vec(inner, 0..4).prop_map(Value::Array)]
    })
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_arguments_and_any_input_end_in_a_documented_way(
        args in vec(argument(), 0..6),
        input in input(),
    ) {
        let folder = Folder::new();
        folder.file("schema.json", r#"{"type": "integer"}"#);
        let run = Consign::new(&args).folder(folder.path()).env("CONSIGN_HOME", folder.path());
        survives(&run.stdin(input).run())?;
        prop_assert_eq!(folder.names(), ["schema.json"], "something was left behind");
    }
}

proptest! {
    #![proptest_config(cases(60))]

    /// Many documents in one process: each gets one verdict, whatever it is.
    #[test]
    fn any_bytes_get_a_verdict(lines in vec(input(), 1..40)) {
        let lines: Vec<Vec<u8>> = lines
            .into_iter()
            .map(|line| line.into_iter().filter(|byte| *byte != b'\n').collect())
            .collect();
        let documents = lines.iter().filter(|line| !line.trim_ascii().is_empty()).count();
        for json in [&[][..], &["--json"]] {
            let args = [&["contracts", "check", RESPONSE, "--stream"], json].concat();
            let run = Consign::new(args).stdin(lines.join(&b'\n')).run();
            survives(&run)?;
            prop_assert_eq!(run.code, Some(i32::from(documents > 0)));
            prop_assert_eq!(run.stdout.lines().count(), documents, "{:#?}", run);
            if !json.is_empty() {
                prop_assert_eq!(run.json_lines().len(), documents);
            }
        }
    }

    #[test]
    fn any_schema_is_used_or_refused(schema in schema(), document in schema()) {
        let folder = Folder::new();
        let file = folder.file("schema.json", schema.to_string());
        let args = ["contracts", "check", "--schema", &file, "--json"];
        let run = Consign::new(args).stdin(document.to_string()).run();
        survives(&run)?;
        prop_assert_eq!(run.json_lines().is_empty(), run.stderr.contains("{\"error\":{\"code\":\"SCHEMA_UNUSABLE\""));
    }

    #[test]
    fn any_two_schemas_are_compared_or_refused(old in schema(), new in schema()) {
        let folder = Folder::new();
        let (old, new) = (folder.file("old.json", old.to_string()), folder.file("new.json", new.to_string()));
        let run = consign(["contracts", "compat", "any", &old, &new, "--json"]);
        survives(&run)?;
        prop_assert_eq!(run.json_lines().is_empty(), run.stderr.contains("{\"error\":{\"code\":\"SCHEMA_UNUSABLE\""));
    }

    #[test]
    fn any_name_is_found_or_unknown(name in string_regex("[a-z./\u{1b}\u{9b}🚀-]{0,30}").expect("a pattern")) {
        let run = consign(["contracts", "show", "--color", "always", "--", &name]);
        survives(&run)?;
        prop_assert!(run.code == Some(0) || run.stderr.contains("error[CONTRACT_UNKNOWN]"), "{:#?}", run);
    }
}

#[test]
fn arguments_that_are_not_utf8_are_mistakes_or_files() {
    let folder = Folder::new();
    let name = OsString::from_vec(b"answer-\xFF.json".to_vec());
    let golden = r#"{"action":"STUCK","evidence_files":[],"summary_for_supervisor":""}"#;
    std::fs::write(folder.path().join(&name), golden).expect("the name is as good as any");
    let check = ["contracts", "check", RESPONSE].map(OsString::from).to_vec();
    Consign::new(check.into_iter().chain([name.clone()])).folder(folder.path()).run().exits(0);
    for head in
        [&[][..], &["contracts"], &["contracts", "show"], &["contracts", "list"], &["--color"]]
    {
        let args = head.iter().map(OsString::from).chain([name.clone()]);
        Consign::new(args).run().fails(2, "USAGE");
    }
    Consign::new(["contracts", "check"].map(OsString::from).into_iter().chain([name]))
        .run()
        .fails(2, "CONTRACT_UNKNOWN");
}

/// Runs with standard output going into a pipe that nobody reads.
fn unread(args: &[&str], stdin: &str) -> Outcome {
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    let folder = Folder::new();
    let mut command = Consign::new(args).env("CONSIGN_HOME", folder.path()).into_command();
    command.stdin(Stdio::piped()).stdout(writer).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut keyboard = child.stdin.take().expect("a pipe");
    // It may have ended already.
    drop(keyboard.write_all(stdin.as_bytes()));
    drop(keyboard);
    Outcome::of(child.wait_with_output().expect("the binary ends"))
}

#[test]
fn whoever_stops_reading_hears_no_complaint() {
    for args in [
        &["--help"][..],
        &["--version"],
        &["demo"],
        &["doctor", "--json"],
        &["completions", "bash"],
        &["contracts", "list"],
        &["contracts", "list", "--json"],
        &["contracts", "show", RESPONSE],
    ] {
        let run = unread(args, "{}\n{}\n").exits(0);
        assert_eq!(run.stderr, "", "{args:?}");
    }
}

/// Somebody may stand at the other end of the pipe who only looks at the exit code.
#[test]
fn a_gate_that_nobody_watched_to_the_end_is_shut() {
    for args in [
        &["contracts", "check", RESPONSE, "--stream"][..],
        &["contracts", "compat", RESPONSE, "@", "@"],
    ] {
        let run = unread(args, "{}\n{}\n").exits(1);
        assert_eq!(run.stderr, "", "{args:?}");
    }
}

#[test]
fn a_reader_who_leaves_in_the_middle_of_a_stream_ends_it_quietly() {
    for json in [&[][..], &["--json"]] {
        let args = [&["contracts", "check", RESPONSE, "--stream"], json].concat();
        let mut command = Consign::new(args).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut stdout = child.stdout.take().expect("a pipe");
        // More verdicts than a pipe holds; the rest cannot be written once nobody reads.
        let writer = thread::spawn(move || drop(stdin.write_all("{}\n".repeat(50_000).as_bytes())));
        stdout.read_exact(&mut [0]).expect("there is a first byte");
        drop(stdout);
        let run = Outcome::of(child.wait_with_output().expect("the binary ends")).exits(1);
        assert_eq!(run.stderr, "");
        writer.join().expect("writing does not panic");
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    for args in [&["contracts", "list"][..], &["--version"], &["demo", "--json"]] {
        let full = File::options().write(true).open("/dev/full").expect("Linux has one");
        let mut command = Consign::new(args).into_command();
        command.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped());
        let output = command.output().expect("the binary starts");
        Outcome::of(output).fails(1, "OUTPUT_FAILED").telling("No space left");
    }
}

#[test]
fn closed_streams_are_survived() {
    for line in
        ["\"$0\" contracts list <&- >&- 2>&-", "\"$0\" contracts check job/agent-response <&-"]
    {
        let args = ["-c", line, env!("CARGO_BIN_EXE_consign")];
        let output = std::process::Command::new("sh").args(args).output().expect("a shell");
        let run = Outcome::of(output);
        assert!(matches!(run.code, Some(0 | 1)), "{line}: {run:#?}");
        assert!(!run.stderr.contains("panicked"), "{run:#?}");
    }
}
