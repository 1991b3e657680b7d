//! Logs: their forms and levels, what is told at each, and what is never told.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    harness::http,
    home::{Home, until},
    models::Double,
    office::Office,
    pipelines::yard::{Server, Yard, run_of},
    support::{Outcome, root, text},
};

const STEPS: [&str; 3] = ["runs", "start", "sample/steps"];

/// The lines of a log in text, without those that are none.
fn lines(stderr: &str) -> Vec<&str> {
    let is_log = |line: &&str| line.get(4..5) == Some("-") && line.contains(" consign");
    stderr.lines().filter(is_log).collect()
}

/// The entries of a log in JSON, without what is none.
fn entries(stderr: &str) -> Vec<Value> {
    let logs = stderr.lines().filter(|line| line.starts_with("{\"time\":"));
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
    logs.map(parse).collect()
}

/// The entries with this message.
fn saying<'e>(entries: &'e [Value], message: &str) -> Vec<&'e Value> {
    entries.iter().filter(|entry| entry["message"] == message).collect()
}

fn levels(outcome: &Outcome) -> Vec<String> {
    let mut levels: Vec<_> =
        entries(&outcome.stderr).iter().map(|e| text(e, "level").to_owned()).collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// The text of a log with its times and ids made the same.
fn shape(line: &str, run: &str) -> String {
    let (time, rest) = line.split_once(' ').expect("a time and a blank");
    let digits: String =
        time.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    assert_eq!(digits, "0000-00-00T00:00:00.000Z");
    rest.replace(run, "RUN")
}

#[test]
fn a_line_of_text_has_time_level_part_span_message_and_fields() {
    let home = Home::new();
    let args = [&STEPS[..], &["--input", r#"{"steps": 1}"#, "--id", "lines-1", "--log", "debug"]];
    let run = home.run(&args.concat()).exits(0);
    assert_eq!(run.stdout, "{\"steps\":1}\n", "standard output is for the result");
    let told: Vec<_> = lines(&run.stderr).iter().map(|line| shape(line, "lines-1")).collect();
    let span = "run=RUN owner=local workflow=sample/steps";
    assert_eq!(
        told,
        [
            format!(" INFO consign_engine::submit: run created {span} placement=foreground"),
            format!("DEBUG consign_engine::drive {span}: step committed seq=3 events=2"),
            format!(" INFO consign_engine::drive {span}: run closed status=succeeded cost_usd=0"),
        ]
    );
}

#[test]
fn the_page_shows_lines_as_they_are() {
    let page = std::fs::read_to_string(root().join("docs/logs.md")).expect("the page is there");
    let block = |kind: &str| {
        let (_, rest) = page.split_once(&format!("```{kind}\n")).expect("it has an example");
        rest.lines().next().expect("a line").to_owned()
    };
    let home = Home::new();
    let of_page = "2a3gk5m8q7t1x4w6";
    let args = [&STEPS[..], &["--id", of_page, "--log", "info"]].concat();
    let run = home.run(&args).exits(0);
    let told = lines(&run.stderr);
    let closed = told.iter().find(|line| line.contains("run closed")).expect("it closes");
    assert_eq!(shape(&block("text"), of_page), shape(closed, of_page));
    let home = Home::new();
    let run = home.run(&[&args[..], &["--log-format", "json"]].concat()).exits(0);
    let entries = entries(&run.stderr);
    let mut closed = saying(&entries, "run closed")[0].clone();
    let mut shown: Value = serde_json::from_str(&block("json")).expect("it is JSON");
    for entry in [&mut closed, &mut shown] {
        assert_eq!(entry["time"].take().as_str().map(str::len), Some(24));
    }
    assert_eq!(shown, closed);
}

#[test]
fn json_names_the_request_and_the_run_and_the_answer_has_the_request_id() {
    let yard = Yard::new();
    let server = yard.serve(&["--log", "info", "--log-format", "json"]);
    let head = server.head_of_json("/api/runs?colour=red");
    http::send(&server.address, &head, b"{}").is(400);
    let head = server.head_of_json("/api/runs") + "x-request-id: mine-1\r\n";
    let body = json!({"workflow": "sample/steps", "input": {"steps": 1}});
    let made = http::send(&server.address, &head, body.to_string().as_bytes()).is(201);
    assert_eq!(made.header("x-request-id"), Some("mine-1"));
    let run = text(&made.json(), "id").to_owned();
    // An id that could be taken for something else is replaced.
    let head = server.head("GET", "/healthz") + "x-request-id: two words\r\n";
    let other = http::send(&server.address, &head, b"").is(200);
    let other = other.header("x-request-id").expect("every answer has one").to_owned();
    assert_eq!(other.len(), 36, "{other}");
    yard.until_over(&run);
    let out = server.stop().exits(0);
    let entries = entries(&out.stderr);
    assert_eq!(entries.len(), out.stderr.lines().count(), "{}", out.stderr);

    let created = saying(&entries, "run created");
    assert_eq!(created.len(), 1, "{entries:#?}");
    for (name, value) in [
        ("level", "info"),
        ("target", "consign_engine::submit"),
        ("request", "mine-1"),
        ("method", "POST"),
        ("path", "/api/runs"),
        ("owner", "local"),
        ("run", &run),
    ] {
        assert_eq!(created[0][name], value, "{}", created[0]);
    }
    let finished = saying(&entries, "request finished");
    let of = |id: &str| {
        let found = finished.iter().find(|entry| entry["request"] == id);
        *found.unwrap_or_else(|| panic!("{id}: {finished:#?}"))
    };
    assert_eq!((&of("mine-1")["status"], &of(&other)["status"]), (&json!(201), &json!(200)));
    assert!(of("mine-1")["duration_ms"].is_u64());
    assert!(finished.iter().all(|entry| !entry.to_string().contains("colour")), "{finished:#?}");
    // The worker drives the run, and no request does.
    let closed = saying(&entries, "run closed");
    assert_eq!((closed.len(), &closed[0]["run"]), (1, &json!(run)));
    assert_eq!((&closed[0]["status"], closed[0].get("request")), (&json!("succeeded"), None));
    for message in
        ["server listening", "worker started", "run claimed", "worker stopped", "server stopped"]
    {
        assert_eq!(saying(&entries, message).len(), 1, "{message}: {entries:#?}");
    }
}

#[test]
fn a_level_lets_through_what_is_at_least_as_grave() {
    let home = Home::new();
    let logged = |args: &[&str]| {
        let args = [&STEPS[..], &["--log-format", "json"], args].concat();
        levels(&home.run(&args).exits(0))
    };
    for quiet in ["off", "error", "warn"] {
        assert_eq!(logged(&["--log", quiet]), [""; 0], "{quiet}");
    }
    assert_eq!(logged(&["--log", "info"]), ["info"]);
    assert_eq!(logged(&["--log", "TRACE"]), ["debug", "info"]);
    assert_eq!(logged(&["--log", "consign_engine=debug,off"]), ["debug", "info"]);
    assert_eq!(logged(&["--log", "consign_engine=off,debug"]), [""; 0]);
    assert_eq!(logged(&["--log", "consign_engine::submit=info"]), ["info"]);
}

#[test]
fn the_environment_sets_what_the_command_line_does_not() {
    let home = Home::new();
    let run = |args: &[&str], level: &str, format: &str| {
        let consign = home.consign(&[&STEPS[..], args].concat());
        consign.env("CONSIGN_LOG", level).env("CONSIGN_LOG_FORMAT", format).run().exits(0).stderr
    };
    let forms = |stderr: &str| (!lines(stderr).is_empty(), !entries(stderr).is_empty());
    assert_eq!(forms(&run(&[], "info", "")), (true, false));
    assert_eq!(forms(&run(&[], "info", "json")), (false, true));
    assert_eq!(forms(&run(&[], "", "json")), (false, false));
    assert_eq!(forms(&run(&["--log", "off"], "info", "json")), (false, false));
    assert_eq!(forms(&run(&["--log-format", "text"], "info", "json")), (true, false));
    // What reads standard error by lines of JSON can go on doing so.
    assert_eq!(forms(&run(&["--json"], "info", "")), (false, true));
}

#[test]
fn what_is_no_level_part_or_format_is_refused_with_a_hint() {
    let home = Home::new();
    let list = || home.consign(&["runs", "list"]);
    for (level, hint) in [
        ("loud", "levels are off, error, warn, info, debug and trace"),
        ("consign_server=loud", "levels are off, error, warn, info, debug and trace"),
        ("h2=trace", "parts are consign, consign_accounts, "),
        ("info,,debug", "levels are "),
    ] {
        home.run(&["runs", "list", "--log", level]).fails(2, "USAGE").telling(hint);
        let refused = list().env("CONSIGN_LOG", level).run().fails(2, "USAGE").telling(hint);
        assert!(refused.stderr.contains("CONSIGN_LOG: "), "{refused:#?}");
        let refused = home.run(&["runs", "list", "--log", level, "--json"]).exits(2).error();
        assert!(text(&refused, "hint").contains(hint), "{refused}");
    }
    home.run(&["runs", "list", "--log-format", "xml"]).fails(2, "USAGE").telling("text, json");
    let refused = list().env("CONSIGN_LOG_FORMAT", "xml").run().fails(2, "USAGE");
    refused.telling("formats are text and json");
    assert!(!home.path().exists(), "nothing was begun");
}

#[test]
fn nothing_is_logged_at_the_default_level_while_all_is_well() {
    let yard = Yard::new();
    let home = &yard.home;
    // A command that ends, one that waits, and one that fails.
    assert_eq!(lines(&home.run(&STEPS).exits(0).stderr), [""; 0]);
    assert_eq!(lines(&home.run(&["runs", "start", "sample/approval"]).exits(43).stderr), [""; 0]);
    home.run(&["runs", "show", "nowhere"]).fails(1, "RUN_NOT_FOUND");

    let server = yard.serve(&[]);
    let body = json!({"workflow": "sample/steps", "input": {"steps": 3}});
    let run = text(&server.post("/api/runs", &body).is(201).json(), "id").to_owned();
    server.get("/nowhere").is(404);
    server.get("/readyz").is(200);
    yard.until_over(&run);
    assert_eq!(server.stop().exits(0).stderr, "");

    let run = home.detach("sample/steps", r#"{"steps": 3}"#);
    let worker = home.spawn(&["worker"]);
    yard.until_over(&run);
    worker.signal(Signal::TERM);
    let out = worker.wait().exits(0);
    let own = |line: &str| line.starts_with("worker ") || line.starts_with("stopping ");
    assert!(out.stderr.lines().all(own), "{out:#?}");
}

#[test]
fn what_is_logged_is_not_told_a_second_time() {
    let home = Home::new();
    let run = home.detach("sample/steps", "{}");
    let worker = home.spawn(&["worker", "-v", "--log", "info"]);
    until("it ends", || (home.status(&run) == "succeeded").then_some(()));
    worker.signal(Signal::TERM);
    let out = worker.wait().exits(0).telling("run claimed").telling("run closed");
    let beside = out.stderr.lines().filter(|line| lines(line).is_empty());
    assert!(beside.clone().all(|line| !line.contains(&run)), "{:#?}", beside.collect::<Vec<_>>());
}

#[test]
fn an_attempt_that_is_tried_again_is_a_warning_without_what_it_said() {
    let office = Office::new();
    let source = "import os, sys\nprint('SECRET WORDS', file=sys.stderr)\n\
                  sys.exit(75 if os.environ['CONSIGN_ATTEMPT'] == '1' else print('\"SECRET WORDS\"'))";
    let path = office.folder.file("flaky.py", source);
    let definition = format!(
        "name = \"flaky\"\neffect = \"pure\"\n[subprocess]\ncommand = [\"python3\", {path:?}]\n"
    );
    let file = office.folder.file("flaky.toml", definition);
    office.run(&["agents", "add", &file]).exits(0);
    let input = r#"{"agent": "flaky", "input": {"q": "SECRET WORDS"}}"#;
    let run = office.home.detach("agent/call", input);
    let worker = office.worker();
    assert_eq!(office.until_over(&run)["status"], "succeeded");
    worker.signal(Signal::TERM);
    let out = worker.wait().exits(0);
    let entries = entries(&out.stderr);
    assert_eq!(entries.len(), 1, "{out:#?}");
    for (name, value) in [
        ("level", json!("warn")),
        ("message", json!("attempt failed and is tried again")),
        ("run", json!(run)),
        ("owner", json!("local")),
        ("workflow", json!("agent/call")),
        ("activity", json!("call")),
        ("attempt", json!(1)),
        ("agent", json!("flaky")),
    ] {
        assert_eq!(entries[0][name], value, "{}", entries[0]);
    }
    assert_eq!(text(&entries[0], "code"), "EXIT_STATUS", "{}", entries[0]);
    assert!(entries[0]["retry_in_ms"].is_u64(), "{}", entries[0]);
    assert!(!out.stderr.contains("SECRET"), "{out:#?}");
}

#[test]
fn a_broken_contract_and_another_model_are_warnings_and_no_words_are_told() {
    let script = r#"[
        {"provider": "openai", "text": "SECRET WORDS", "times": 0},
        {"provider": "anthropic", "json": {"verdict": "accept"}, "times": 0}
    ]"#;
    let double = Double::start(Some(script));
    let office = Office::before(&double);
    let out = office.tried(&["--log", "trace"]).exits(0);
    assert_eq!(out.json()["output"]["verdict"], "accept");
    let entries = entries(&out.stderr);
    let models = |message: &str| {
        let found = saying(&entries, message).into_iter();
        found.map(|entry| text(entry, "model").to_owned()).collect::<Vec<_>>()
    };
    let openai = "openai/gpt-5-mini";
    assert_eq!(models("the answer breaks its contract"), [openai, openai]);
    assert_eq!(models("the next model is asked"), [openai]);
    assert_eq!(models("model answered"), ["gpt-5-mini", "gpt-5-mini", "claude-haiku-4-5"]);
    let last = saying(&entries, "model answered")[2];
    assert_eq!((&last["provider"], &last["attempt"]), (&json!("anthropic"), &json!(3)));
    assert_eq!((text(last, "agent"), text(last, "activity")), ("reviewer", "call"));
    assert!(last["input_tokens"].as_u64() > Some(0), "{last}");
    for secret in ["SECRET", "Review this diff", "verdict", "sk-office", "Bearer"] {
        assert!(!out.stderr.contains(secret), "{secret}: {}", out.stderr);
    }
}

#[test]
fn runs_of_a_dead_worker_that_are_taken_over_are_a_warning() {
    let home = Home::new();
    let run = home.detach("sample/steps", r#"{"steps": 2, "sleep_ms": 120000}"#);
    let worker = home.spawn(&["worker", "--json"]);
    until("it has begun a call", || (home.show(&run)["usage"]["calls"] == 1).then_some(()));
    worker.kill();
    let next = home.spawn(&["worker", "--json", "--grace", "0"]);
    until("it has the run", || next.stdout().contains("claimed").then_some(()));
    until("it has seen the loss", || next.stderr().contains("attempt was lost").then_some(()));
    next.signal(Signal::TERM);
    let out = next.wait().exits(0);
    let entries = entries(&out.stderr);
    let taken = saying(&entries, "runs of dead workers are taken over");
    assert_eq!((taken.len(), &taken[0]["runs"]), (1, &json!(1)), "{entries:#?}");
    let lost = saying(&entries, "attempt was lost with its process and is tried again");
    assert_eq!((lost.len(), text(lost[0], "run")), (1, run.as_str()), "{entries:#?}");
}

#[test]
fn a_request_that_fails_inside_is_an_error_with_its_cause() {
    let yard = Yard::new();
    let server = yard.serve(&[]);
    // So large that it is kept in a file of its own.
    let mut envelope = yard.envelope("hello", &[]);
    envelope["metadata"]["filler"] = json!("x".repeat(200_000));
    let run = run_of(&server.post("/api/v1/process?durable=true", &envelope));
    std::fs::remove_dir_all(yard.home.path().join("blobs")).expect("large values are there");
    let head = server.head("GET", &format!("/api/runs/{run}")) + "x-request-id: mine-2\r\n";
    http::send(&server.address, &head, b"").refuses(500, "DATABASE_ERROR");
    let Server { process, .. } = server;
    let failed = until("the operator is told", || {
        let entries = entries(&process.stderr());
        saying(&entries, "request failed").first().map(|entry| (*entry).clone())
    });
    for (name, value) in [
        ("level", json!("error")),
        ("request", json!("mine-2")),
        ("path", json!(format!("/api/runs/{run}"))),
        ("status", json!(500)),
        ("code", json!("STORE_DAMAGED")),
    ] {
        assert_eq!(failed[name], value, "{failed}");
    }
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    const ESC: char = '\u{1b}';
    let home = Home::new();
    let args = [&STEPS[..], &["--log", "info"]].concat();
    let closed = |outcome: Outcome| {
        let line = outcome.stdout.lines().find(|line| line.contains("run closed"));
        line.unwrap_or_else(|| panic!("{outcome:#?}")).to_owned()
    };
    assert!(closed(home.terminal().consign(&args).exits(0)).contains(ESC));
    assert!(!closed(home.terminal().set("NO_COLOR", "1").consign(&args).exits(0)).contains(ESC));
    let never = [&args[..], &["--color", "never"]].concat();
    assert!(!closed(home.terminal().consign(&never).exits(0)).contains(ESC));
    let json = [&args[..], &["--log-format", "json"]].concat();
    assert!(!closed(home.terminal().consign(&json).exits(0)).contains(ESC));
    assert!(!home.run(&args).exits(0).stderr.contains(ESC));
}
