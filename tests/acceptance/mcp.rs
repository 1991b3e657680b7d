//! `consign mcp`: runs and the inbox as tools for a coding agent.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use rmcp::{
    ServiceExt,
    model::{CallToolRequestParams, ClientConfig},
    transport::TokioChildProcess,
};
use serde_json::{Value, json};

use crate::{
    home::{Home, until},
    support::{Outcome, text},
};

/// A conversation in lines that a test writes itself.
pub(crate) struct Conversation {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    last: u64,
}

impl Conversation {
    /// Started, and nothing said yet.
    fn start_with(home: &Home, options: &[&str]) -> Self {
        let mut command = home.consign(&[&["mcp"], options].concat()).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().expect("it is a pipe"));
        Self { child, to, from, last: 0 }
    }

    /// As an agent.
    pub(crate) fn begin(home: &Home) -> Self {
        Self::begin_with(home, &[])
    }

    /// As the client of a person.
    pub(crate) fn begin_as_person(home: &Home) -> Self {
        Self::begin_with(home, &["--as-person"])
    }

    /// With options of `consign mcp`.
    pub(crate) fn begin_with(home: &Home, options: &[&str]) -> Self {
        let mut this = Self::start_with(home, options);
        let hello = this.ask(
            "initialize",
            &json!({"protocolVersion": "2025-06-18",
            "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        assert_eq!(text(&hello["result"]["serverInfo"], "name"), "consign");
        assert!(text(&hello["result"], "instructions").contains("inbox_list"));
        this.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        this
    }

    pub(crate) fn say(&mut self, line: &str) {
        let to = self.to.as_mut().expect("it was not ended");
        writeln!(to, "{line}").expect("it listens");
    }

    /// The answer to a request. Every line on standard output is of the protocol.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.say(&request.to_string());
        self.hear(id)
    }

    fn hear(&mut self, id: u64) -> Value {
        loop {
            let mut line = String::new();
            let read = self.from.read_line(&mut line).expect("it can be read");
            assert!(read > 0, "it ended before it answered {id}");
            let message: Value = serde_json::from_str(&line).expect("a line is JSON");
            assert_eq!(message["jsonrpc"], "2.0");
            if message["id"] == id {
                return message;
            }
        }
    }

    /// What a tool gives, or its error.
    pub(crate) fn called(&mut self, tool: &str, arguments: &Value) -> Value {
        let reply = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let result = reply["result"].clone();
        let said: Value = serde_json::from_str(text(&result["content"][0], "text"))
            .expect("what is said in words is the same JSON");
        assert_eq!(said, result["structuredContent"], "{reply}");
        result
    }

    /// What a tool gives.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.called(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    /// The error that a tool gives.
    #[track_caller]
    pub(crate) fn refused(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.called(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["structuredContent"]["error"].clone()
    }

    /// Says nothing more, and waits for its end.
    pub(crate) fn end(mut self) -> Outcome {
        drop(self.to.take());
        let mut rest = String::new();
        while self.from.read_line(&mut rest).expect("it can be read") > 0 {}
        let output = self.child.wait_with_output().expect("it ends");
        Outcome { stdout: rest, ..Outcome::of(output) }
    }
}

/// A home in which a person is asked something, and the run that asks.
fn asking() -> (Home, String) {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    (home, run)
}

#[test]
fn the_tools_say_what_they_take_and_give() {
    let home = Home::new();
    let mut mcp = Conversation::begin(&home);
    let tools = mcp.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let tools = tools.as_array().expect("a list");
    let names: Vec<_> = tools.iter().map(|tool| text(tool, "name")).collect();
    let inbox = ["inbox_list", "inbox_show", "inbox_answer", "inbox_decline"];
    let runs = ["run_start", "run_show", "run_list", "run_cancel", "run_signal", "run_points"];
    let chances = ["run_fork", "run_retry", "process_envelope"];
    let jobs = ["job_new", "job_list", "job_show", "job_history", "job_activate", "job_advise"];
    let steward = ["job_approve", "job_reject", "job_raise", "job_cancel"];
    let documents = ["search", "show", "ask"];
    assert_eq!(names, [&inbox[..], &runs, &chances, &jobs, &steward, &documents].concat());
    for tool in tools {
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        let looks = ["inbox_list", "inbox_show", "run_show", "run_list", "run_points"];
        let more = ["job_list", "job_show", "job_history", "search", "show"];
        let looks = [&looks[..], &more].concat();
        let looks = looks.contains(&text(tool, "name"));
        assert_eq!(tool["annotations"]["readOnlyHint"], looks, "{tool}");
    }
    assert_eq!(mcp.call("inbox_list", &json!({})), json!({"items": [], "cursor": null}));
    let end = mcp.end().exits(0);
    assert_eq!((end.stdout.as_str(), end.stderr.as_str()), ("", ""));
}

#[test]
fn what_is_asked_is_listed_shown_and_answered_once() {
    let (home, run) = asking();
    let mut mcp = Conversation::begin_as_person(&home);
    let listed = mcp.call("inbox_list", &json!({"run": run, "kind": "approval", "limit": 5}));
    let entry = &listed["items"][0];
    assert_eq!((text(entry, "run"), text(entry, "kind")), (run.as_str(), "approval"));
    assert_eq!(mcp.call("inbox_list", &json!({"kind": "limit"}))["items"], json!([]));
    let mut which = json!({"run": run, "interaction": entry["interaction"]});
    let shown = mcp.call("inbox_show", &which);
    let by_cli = home.json(&["inbox", "--run", &run], 0);
    for field in ["run", "interaction", "kind", "prompt", "schema", "deadline", "opened_at"] {
        assert_eq!(shown[field], by_cli[field], "{field}");
    }
    assert_eq!(text(&shown, "state"), "open");
    let declined = mcp.refused("inbox_decline", &{
        let mut which = which.clone();
        which["why"] = json!("no");
        which
    });
    assert_eq!(text(&declined, "code"), "NOT_DECLINABLE");
    which["value"] = json!(true);
    let taken = mcp.call("inbox_answer", &which);
    assert_eq!(taken["taken"], true);
    assert_eq!(text(&taken, "next"), "a worker continues it");
    let again = mcp.refused("inbox_answer", &which);
    assert_eq!(text(&again, "code"), "ALREADY_ANSWERED");
    mcp.end().exits(0);
    home.run(&["runs", "resume", &run]).exits(0);
}

#[test]
fn pages_follow_each_other() {
    let home = Home::new();
    let mut runs: Vec<_> = (0..3).map(|_| home.start("sample/approval", "{}", 43)).collect();
    let mut mcp = Conversation::begin_as_person(&home);
    let (mut seen, mut page) = (Vec::new(), json!({"limit": 1}));
    loop {
        let listed = mcp.call("inbox_list", &page);
        let items = listed["items"].as_array().expect("a list");
        seen.extend(items.iter().map(|entry| text(entry, "run").to_owned()));
        if listed["cursor"].is_null() {
            break;
        }
        assert_eq!(items.len(), 1);
        page["cursor"] = listed["cursor"].clone();
    }
    seen.sort();
    runs.sort();
    assert_eq!(seen, runs);
}

#[test]
fn nothing_that_is_said_breaks_the_conversation() {
    let (home, run) = asking();
    let mut mcp = Conversation::begin(&home);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for line in ["{broken", "", "\u{0}\u{1}", "[]", "7", "\"text\"", &deep, r#"{"jsonrpc": "2.0"}"#]
    {
        mcp.say(line);
    }
    // Longer than any message may be.
    mcp.say(&format!(r#"{{"jsonrpc": "2.0", "id": 900, "method": "{}"}}"#, "x".repeat(40 << 20)));
    for (tool, arguments, code) in [
        ("inbox_list", json!({"limit": 0}), "INVALID_ARGUMENTS"),
        ("inbox_list", json!({"limit": "many"}), "INVALID_ARGUMENTS"),
        ("inbox_list", json!({"kind": "gossip"}), "INVALID_ARGUMENTS"),
        ("inbox_list", json!({"nonsense": 1}), "INVALID_ARGUMENTS"),
        ("inbox_list", json!({"cursor": "nowhere"}), "VALIDATION_ERROR"),
        ("inbox_list", json!({"run": "../../etc"}), "RUN_NOT_FOUND"),
        ("inbox_show", json!({}), "INVALID_ARGUMENTS"),
        ("inbox_show", json!({"run": run, "interaction": "never"}), "INTERACTION_NOT_FOUND"),
        ("inbox_show", json!({"run": "nobody", "interaction": "x"}), "RUN_NOT_FOUND"),
        ("inbox_answer", json!({"run": run, "interaction": "x"}), "INVALID_ARGUMENTS"),
        (
            "inbox_answer",
            json!({"run": run, "interaction": "x", "value": 1}),
            "INTERACTION_NOT_FOUND",
        ),
        ("inbox_decline", json!({"run": run, "interaction": "x", "why": ""}), "INVALID_ARGUMENTS"),
        ("run_start", json!({}), "INVALID_ARGUMENTS"),
        ("run_start", json!({"workflow": "sample/stesp"}), "WORKFLOW_NOT_FOUND"),
        ("run_start", json!({"workflow": "sample/steps", "id": "../x"}), "INVALID_ARGUMENTS"),
        ("run_start", json!({"workflow": "sample/steps", "input": 7}), "INVALID_INPUT"),
        (
            "run_start",
            json!({"workflow": "sample/steps", "limits": {"cost_usd": 1e300}}),
            "INVALID_ARGUMENTS",
        ),
        (
            "run_start",
            json!({"workflow": "agent/call", "input": {"agent": "intent", "input": {}}}),
            "INVALID_INPUT",
        ),
        ("run_show", json!({"run": "nobody"}), "RUN_NOT_FOUND"),
        ("run_list", json!({"status": "asleep"}), "INVALID_ARGUMENTS"),
        ("run_list", json!({"cursor": "../x"}), "INVALID_ARGUMENTS"),
        ("run_cancel", json!({"run": "nobody"}), "RUN_NOT_FOUND"),
        ("process_envelope", json!({"envelope": []}), "INVALID_ARGUMENTS"),
        ("process_envelope", json!({"envelope": {}}), "CONTRACT_BREACH"),
    ] {
        let refused = mcp.refused(tool, &arguments);
        assert_eq!(text(&refused, "code"), code, "{tool} {arguments}");
        assert!(!text(&refused, "message").is_empty());
    }
    let unknown = mcp.ask("tools/call", &json!({"name": "rm", "arguments": {}}));
    assert!(text(&unknown["error"], "message").contains("inbox_list"), "{unknown}");
    let wrong = mcp.ask("tools/call", &json!({"name": 7}));
    assert!(wrong["error"].is_object(), "{wrong}");
    let unknown = mcp.ask("nonsense/method", &json!({}));
    assert!(unknown["error"].is_object(), "{unknown}");
    assert_eq!(mcp.call("inbox_list", &json!({}))["cursor"], Value::Null);
    mcp.end().exits(0);
}

#[test]
fn a_run_is_started_shown_listed_and_cancelled() {
    let home = Home::new();
    let mut mcp = Conversation::begin(&home);
    let start = json!({"workflow": "sample/steps", "input": {"steps": 2}, "id": "mine",
        "limits": {"cost_usd": 0.25, "calls": 9}, "certified": true});
    let started = mcp.call("run_start", &start);
    assert_eq!(
        (&started["run"], &started["repeated"], &started["status"]),
        (&json!("mine"), &json!(false), &json!("queued"))
    );
    assert_eq!(mcp.call("run_start", &start)["repeated"], true);
    let shown = mcp.call("run_show", &json!({"run": "mine"}));
    assert_eq!(shown, home.show("mine"));
    let limits = &shown["limits"];
    assert_eq!((&limits["cost_usd"], &limits["calls"]), (&json!(0.25), &json!(9)));
    home.start("sample/approval", "{}", 43);
    let page = mcp.call("run_list", &json!({"limit": 1}));
    assert_eq!(text(&page["items"][0], "workflow"), "sample/approval");
    let rest = mcp.call("run_list", &json!({"limit": 1, "cursor": page["cursor"]}));
    assert_eq!((text(&rest["items"][0], "id"), &rest["cursor"]), ("mine", &Value::Null));
    for filter in [json!({"status": "queued"}), json!({"workflow": "sample/steps"})] {
        let listed = mcp.call("run_list", &filter);
        assert_eq!(listed["items"].as_array().map(Vec::len), Some(1), "{filter}");
    }
    let cancelled = mcp.call("run_cancel", &json!({"run": "mine", "reason": "no more"}));
    assert_eq!(text(&cancelled, "run"), "mine");
    // It belongs to the workers, so the next one closes it.
    let _worker = home.worker();
    until("the run is cancelled", || (home.status("mine") == "cancelled").then_some(()));
    assert_eq!(home.show("mine")["cancelled"]["reason"], "no more");
    let again = mcp.refused("run_cancel", &json!({"run": "mine"}));
    assert_eq!(text(&again, "code"), "INVALID_STATE");
    mcp.end().exits(0);
}

#[test]
fn a_refusal_says_what_there_is_instead() {
    let home = Home::new();
    let mut mcp = Conversation::begin(&home);
    let refused = mcp.refused("run_start", &json!({"workflow": "sample/stesp"}));
    assert!(text(&refused, "hint").contains("did you mean `sample/steps`?"), "{refused}");
    let refused = mcp.refused("run_show", &json!({"run": "nobody"}));
    assert!(text(&refused, "hint").contains("run_list"), "{refused}");
}

#[test]
fn an_envelope_that_no_worker_takes_is_a_run_all_the_same() {
    let home = Home::new();
    let envelope = home.run(&["envelope", "new", "who calls main?"]).exits(0).json();
    let mut mcp = Conversation::begin(&home);
    let wait = json!({"envelope": envelope, "wait_seconds": 0});
    let told = mcp.call("process_envelope", &wait);
    assert_eq!((&told["complete"], &told["status"]), (&json!(false), &json!("queued")));
    assert_eq!(told["envelope"]["envelope_id"], envelope["envelope_id"]);
    assert_eq!(mcp.call("process_envelope", &wait)["run"], told["run"]);
    let nowhere = json!({"envelope": envelope, "until": "nowhere"});
    assert_eq!(text(&mcp.refused("process_envelope", &nowhere), "code"), "INVALID_INPUT");
    let _worker = home.worker();
    let wait = json!({"envelope": envelope, "wait_seconds": 55});
    let done = mcp.call("process_envelope", &wait);
    assert_eq!((&done["complete"], &done["run"]), (&json!(true), &told["run"]));
    assert_eq!(done["envelope"]["terminated"], true, "{done}");
    mcp.end().exits(0);
    // A pipeline that cannot be used is told at once.
    home.run(&["mcp", "--pipeline", "missing.toml"]).fails(1, "FILE_UNREADABLE");
}

#[test]
fn it_ends_with_its_input() {
    let home = Home::new();
    let silent = home.run(&["mcp"]).exits(0);
    assert_eq!((silent.stdout.as_str(), silent.stderr.as_str()), ("", ""));
    // What was asked before the end is answered.
    let mut mcp = Conversation::begin(&home);
    mcp.say(
        r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "inbox_list"}}"#,
    );
    let end = mcp.end().exits(0);
    assert!(end.stdout.contains(r#""id":7"#), "{end:#?}");
}

#[test]
fn the_protocols_own_client_gets_along_with_it() {
    let (home, run) = asking();
    let mut command =
        tokio::process::Command::from(home.consign(&["mcp", "--as-person"]).into_command());
    command.kill_on_drop(true);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be made").block_on(async {
        let transport = TokioChildProcess::new(command).expect("the binary starts");
        let client = ClientConfig::default().serve(transport).await.expect("it speaks MCP");
        let tools = client.list_all_tools().await.expect("it has tools");
        assert_eq!(tools.len(), 26);
        let listed = client.call_tool(CallToolRequestParams::new("inbox_list")).await;
        let listed = listed.expect("it can be called").structured_content.expect("it is JSON");
        assert_eq!(text(&listed["items"][0], "run"), run);
        let arguments = json!({"run": run, "interaction": listed["items"][0]["interaction"],
            "value": true});
        let Value::Object(arguments) = arguments else { unreachable!("it was written so") };
        let answer = CallToolRequestParams::new("inbox_answer").with_arguments(arguments);
        let taken = client.call_tool(answer).await.expect("it can be called");
        assert_eq!(taken.is_error, Some(false), "{taken:?}");
        client.cancel().await.expect("it ends");
    });
    home.run(&["runs", "resume", &run]).exits(0);
}
