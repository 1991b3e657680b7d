//! A run whose command is gone goes on by itself once it is answered or its deadline has passed, if any
//! server or worker lives; and one of them only takes it.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    process::Stdio,
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::{Home, Look, Server, alive, clock, eventually, id};

const LONG: Duration = Duration::from_secs(60);

/// A person is asked, then a program is called that must not be called twice. It writes the run's name to a file.
const RELEASE: &str = r#"
name = "release"
[[stage]]
name = "approve"
person = { ask = "approval", prompt = "Release it?", deadline = "1h", default = true }
default_next = "release"
[[stage]]
name = "release"
agent.effect = "unsafe"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; echo $CONSIGN_RUN >> LINES; echo '{}'"]
default_next = "end"
"#;

/// The name of the question in each run.
const ASK: &str = "approve-1";

#[test]
fn answered_over_http_a_run_goes_on_in_the_server() {
    goes_on_in_the_server(|_, server, run| {
        let place = format!("/api/runs/{run}/answers/{ASK}");
        server.post(&place, &json!({"value": true})).is(200);
    });
}

#[test]
fn answered_over_mcp_a_run_goes_on_in_the_server() {
    goes_on_in_the_server(|home, _, run| {
        let arguments = json!({"run": run, "interaction": ASK, "value": true});
        call_tool(home, "inbox_answer", &arguments);
    });
}

#[test]
fn answered_by_a_command_a_run_goes_on_in_the_server() {
    goes_on_in_the_server(|home, _, run| {
        let answer = ["runs", "answer", run, ASK, "--value", "true", "--no-resume"];
        home.run(answer).succeeds();
    });
}

fn goes_on_in_the_server(answer: fn(&Home, &Server, &str)) {
    let home = Home::new();
    let run = asked(&home);
    let serve = ["serve", "--listen", "127.0.0.1:0", "--json"];
    let server = Server::of(home.start(home.command(serve)));
    assert_eq!(home.status(&run), "waiting");
    answer(&home, &server, &run);
    is_done_once(&home, &[run]);
    server.stop().succeeds();
}

#[test]
fn past_its_deadline_a_run_goes_on_in_the_only_worker() {
    go_on_past_their_deadline(1, 1);
}

#[test]
fn of_two_workers_one_takes_a_run_past_its_deadline() {
    go_on_past_their_deadline(2, 6);
}

/// Nobody answers: the default is taken. The clock is set, so that nothing depends on how fast the machine is.
fn go_on_past_their_deadline(workers: usize, runs: usize) {
    let home = Home::new();
    let runs: Vec<String> = (0..runs).map(|_| asked(&home)).collect();
    let worker = || home.start(clock::at(&home, "+0", &["worker"]));
    let started: Vec<_> = (0..workers).map(|_| worker()).collect();
    eventually(LONG, "they are at work", || alive(&home.path()).len() == workers);
    clock::set(&home, "+1d");
    is_done_once(&home, &runs);
    started.into_iter().for_each(clock::stop);
    for run in &runs {
        let said = &home.show(run)["output"]["outputs"]["approve"];
        assert_eq!((&said["approved"], &said["by"]), (&json!(true), &json!(null)), "{said}");
    }
}

/// A foreground run that waits for its answer. The command that began it is gone.
fn asked(home: &Home) -> String {
    let lines = home.file("lines").display().to_string();
    let pipeline = home.file("release.toml");
    fs::write(&pipeline, RELEASE.replace("LINES", &lines)).expect("a file of ours");
    let pipeline = pipeline.display().to_string();
    id(&home.run(["run", &pipeline, "--input", "{}", "--json"]).exits(43).json())
}

/// The runs come to their end with nobody else's help, and the program was called once for each.
fn is_done_once(home: &Home, runs: &[String]) {
    eventually(LONG, "they end", || Look::books(&home.path()).open_runs().count() == 0);
    let mut called: BTreeMap<String, usize> = BTreeMap::new();
    for line in fs::read_to_string(home.file("lines")).unwrap_or_default().lines() {
        *called.entry(line.to_owned()).or_default() += 1;
    }
    let once: BTreeMap<String, usize> = runs.iter().map(|run| (run.clone(), 1)).collect();
    assert_eq!(called, once);
    let look = Look::at(&home.path());
    for run in runs {
        assert_eq!(look.runs[run].status, "succeeded", "{:#?}", look.events[run]);
        assert_eq!(look.keys(run, "call_started").len(), 1, "{:#?}", look.events[run]);
        assert!(look.keys(run, "attempt_lost").is_empty(), "{:#?}", look.events[run]);
        home.verify(run);
    }
}

/// Has a person's client call a tool of `consign mcp`.
fn call_tool(home: &Home, tool: &str, arguments: &Value) {
    let client = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let call = json!({"name": tool, "arguments": arguments});
    let mut command = home.command(["mcp", "--as-person"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let mut to = child.stdin.take().expect("a pipe");
    let mut from = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut say = |message: Value| writeln!(to, "{message}").expect("it listens");
    let mut hear = || -> Value {
        let line = from.next().expect("it answers").expect("it can be read");
        serde_json::from_str(&line).expect("a line is JSON")
    };
    say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}));
    hear();
    say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    say(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}));
    let answer = hear();
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    drop(to);
    assert!(child.wait().expect("our own child").success());
}
