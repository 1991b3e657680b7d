//! `consign agents`: definitions, and calls to what they define.

use std::{collections::BTreeMap, fs};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    home::{Background, Home, until},
    models::{Double, with_keys},
    support::{Consign, Folder, Outcome, text},
};

const REVIEWER: &str = r#"
name = "reviewer"
description = "Reviews a diff"
effect = "pure"
[contract]
output = "review.schema.json"
[model]
name = "openai/gpt-5-mini"
fallback = ["anthropic/claude-haiku-4-5"]
prompt = "Review this diff: {{input.diff}}"
max_tokens = 200
"#;

const REVIEW: &str = r#"{"type": "object", "required": ["verdict"], "additionalProperties": false,
    "properties": {"verdict": {"enum": ["accept", "reject"]}}}"#;

const DIFF: &str = r#"{"diff": "- a\n+ b"}"#;

/// A home with an agent, and files for its runs.
struct Office {
    home: Home,
    folder: Folder,
}

impl Office {
    fn new() -> Self {
        let this = Self { home: Home::new(), folder: Folder::new() };
        this.folder.file("review.schema.json", REVIEW);
        let file = this.folder.file("reviewer.toml", REVIEWER);
        this.run(&["agents", "add", &file]).exits(0);
        this
    }

    /// Whose models are all this double.
    fn before(double: &Double) -> Self {
        let this = Self::new();
        let file = this.home.path().join("models.toml");
        fs::write(file, double.settings()).expect("the home is there");
        this
    }

    fn consign(&self, args: &[&str]) -> Consign {
        with_keys(self.home.consign(args), "sk-office-key-0123456789")
    }

    fn run(&self, args: &[&str]) -> Outcome {
        self.consign(args).run()
    }

    /// `agents try NAME`, as an object.
    fn tried(&self, more: &[&str]) -> Outcome {
        let args = ["agents", "try", "reviewer", "--input", DIFF, "--json"];
        self.run(&[&args[..], more].concat())
    }

    fn events(&self, run: &str) -> Vec<Value> {
        self.run(&["runs", "show", run, "--events", "--json"]).exits(0).json_lines()
    }

    /// How a run stands.
    fn shown(&self, run: &str) -> Value {
        self.run(&["runs", "show", run, "--json"]).exits(0).json()
    }

    /// How it stands when it is over.
    fn until_over(&self, run: &str) -> Value {
        until("the run is over", || {
            let shown = self.shown(run);
            ["succeeded", "failed", "cancelled"].contains(&text(&shown, "status")).then_some(shown)
        })
    }

    /// What the calls of a run came to, by their keys.
    fn outputs(&self, run: &str) -> BTreeMap<String, Value> {
        let events = self.events(run);
        let completed = events.iter().filter(|event| event["kind"] == "call_completed");
        let body = completed.map(|event| &event["body"]);
        body.map(|body| (text(body, "key").to_owned(), body["output"].clone())).collect()
    }

    /// A run of `agent/map` over diffs `0`, `1` and so on.
    fn map(&self, inputs: usize, at_once: usize, more: &[&str]) -> Outcome {
        let inputs: Vec<_> = (0..inputs).map(|n| json!({"diff": n.to_string()})).collect();
        let input = json!({"agent": "reviewer", "inputs": inputs, "at_once": at_once}).to_string();
        let args = ["runs", "start", "agent/map", "--input", &input, "--json"];
        self.run(&[&args[..], more].concat())
    }

    /// A worker that dies with the test.
    fn worker(&self) -> Background {
        self.home.let_go_on(self.consign(&["worker", "--json"]))
    }
}

#[test]
fn definitions_are_added_listed_shown_and_forgotten() {
    let office = Office::new();
    let list = office.run(&["agents", "list", "--json"]).exits(0).json_lines();
    let own = list.iter().find(|agent| agent["name"] == "reviewer").expect("it is listed");
    assert_eq!((text(own, "reached"), text(own, "effect")), ("model", "pure"));
    let shown = office.run(&["agents", "show", "reviewer", "--json"]).exits(0).json();
    assert_eq!(shown["output"]["required"], json!(["verdict"]));
    assert_eq!(text(&shown, "model"), "openai/gpt-5-mini, then anthropic/claude-haiku-4-5");
    let other = office.folder.file("other.toml", REVIEWER);
    office.run(&["agents", "add", &other]).fails(1, "AGENT_EXISTS").telling("--replace");
    office.run(&["agents", "add", &other, "--replace"]).exits(0);
    office.run(&["agents", "remove", "reviewer"]).exits(0);
    office.run(&["agents", "show", "reviewer"]).fails(1, "AGENT_NOT_FOUND");
    assert!(fs::exists(&other).unwrap(), "its file stays");
    for name in ["../x", "a/b", ""] {
        office.run(&["agents", "remove", name]).fails(1, "AGENT_NOT_FOUND");
    }
}

#[test]
fn a_definition_that_makes_no_sense_is_refused_with_its_place() {
    let office = Office::new();
    let check = |content: &str, words: &str| {
        let file = office.folder.file("bad.toml", content);
        office.run(&["agents", "add", &file]).fails(1, "AGENT_INVALID").telling(words);
        office.run(&["agents", "try", &file]).fails(1, "AGENT_INVALID").telling(words);
    };
    check("name = \"bad\"\n", "one of [model]");
    check("name = \"bad\"\nefect = \"pure\"\n[bridge]\n", "efect");
    check("name = \"bad\"\n[model]\nname = \"nobody/x\"\n", "nobody");
    check("name = \"bad\"\n[contract]\noutput = \"missing.json\"\n[bridge]\n", "missing.json");
}

#[test]
fn a_model_agent_is_a_durable_run_with_its_estimate_and_usage_in_the_journal() {
    let double = Double::start(None);
    let office = Office::before(&double);
    let run = office.tried(&[]).exits(0).json();
    assert_eq!((text(&run, "status"), &run["output"]["verdict"]), ("succeeded", &"accept".into()));
    let events = office.events(text(&run, "id"));
    let body = |kind: &str| {
        events
            .iter()
            .find(|event| event["kind"] == kind)
            .map(|event| event["body"].clone())
            .unwrap()
    };
    let (started, completed) = (body("call_started"), body("call_completed"));
    let (worst, used) =
        (&started["estimate"]["input_tokens"], &completed["used"]["usage"]["input_tokens"]);
    assert!(worst.as_u64() >= used.as_u64() && used.as_u64() > Some(0), "{started} {completed}");
    assert_eq!(completed["used"]["model"], "openai/gpt-5-mini");
    office.run(&["runs", "verify", text(&run, "id")]).exits(0);
}

#[test]
fn a_first_call_that_could_not_be_paid_is_refused_and_so_is_a_whole_that_is_not_certain() {
    let double = Double::start(None);
    let office = Office::before(&double);
    office.tried(&["--cost", "0.0001"]).exits(1).naming("BUDGET_TOO_SMALL");
    // The first call fits; all that could follow from it does not.
    office.tried(&["--cost", "0.001", "--certified"]).exits(1).naming("NOT_CERTIFIED");
    office.tried(&["--cost", "0.001"]).exits(0);
    office.tried(&["--cost", "1", "--certified"]).exits(0);
    let seen = office.run(&["runs", "list", "--json"]).exits(0).json_lines();
    assert_eq!(seen.len(), 2, "what is refused leaves nothing");
}

#[test]
fn a_run_that_reaches_its_cap_waits_and_goes_on_where_it_was() {
    let double = Double::start(None);
    let office = Office::before(&double);
    let inputs: Vec<_> = (0..20).map(|n| json!({"diff": format!("change {n}")})).collect();
    let input = json!({"agent": "reviewer", "inputs": inputs, "at_once": 4}).to_string();
    let args = ["runs", "start", "agent/map", "--input", &input, "--cost", "0.0007", "--json"];
    let run = office.run(&args).exits(43).json();
    let id = text(&run, "id");
    let spent = |run: &Value| run["usage"]["spent_usd"].as_f64().unwrap();
    assert!(spent(&run) <= 0.0007, "{run}");
    let done =
        |events: &[Value]| events.iter().filter(|event| event["kind"] == "call_completed").count();
    let before = done(&office.events(id));
    assert!((1..20).contains(&before), "{before}");
    office.run(&["runs", "raise", id, "--cost", "1"]).exits(0);
    let shown = office.shown(id);
    assert_eq!((text(&shown, "status"), done(&office.events(id))), ("succeeded", 20));
    office.run(&["runs", "verify", id]).exits(0);
}

#[test]
fn the_same_run_by_script_and_through_the_bridge_comes_to_the_same_state() {
    let office = Office::new();
    let answer = r#"{"verdict": "reject"}"#;
    let script = office
        .folder
        .file("script.json", format!(r#"[{{"agent": "reviewer", "response": {answer}}}]"#));
    let scripted = office.tried(&["--agent-script", &script]).exits(0).json();
    let waiting = office.tried(&["--model", "bridge"]).exits(42).json();
    let id = text(&waiting, "id");
    let asked = office.run(&["inbox", "--json"]).exits(0).json();
    assert_eq!((text(&asked, "kind"), text(&asked, "run")), ("agent_response", id));
    assert_eq!(text(&asked, "prompt"), "Review this diff: - a\n+ b");
    assert_eq!(asked["schema"]["required"], json!(["verdict"]));
    let key = text(&asked, "interaction");
    let wrong = ["runs", "answer", id, key, "--value", r#"{"verdict": "maybe"}"#];
    office.run(&wrong).exits(1).naming("CONTRACT_BREACH");
    // Another process answers, and a second one is too late.
    office.run(&["runs", "answer", id, key, "--value", answer]).exits(0);
    office.run(&["runs", "answer", id, key, "--value", answer]).exits(1).naming("ALREADY_ANSWERED");
    let bridged = office.shown(id);
    for field in ["status", "output", "workflow", "version", "owner"] {
        assert_eq!(bridged[field], scripted[field], "{field}");
    }
    // The state of the workflow itself, as the last snapshot before the end would have it.
    let ends = |id: &str| {
        let events = office.events(id);
        let completed =
            events.iter().find(|event| event["kind"] == "call_completed").cloned().unwrap();
        let last = events.last().cloned().unwrap();
        (completed["body"]["output"].clone(), last["kind"].clone(), last["body"].clone())
    };
    assert_eq!(ends(id), ends(text(&scripted, "id")));
    for run in [id, text(&scripted, "id")] {
        office.run(&["runs", "verify", run]).exits(0);
    }
}

#[test]
fn many_calls_by_script_and_through_the_bridge_come_to_the_same_state() {
    let office = Office::new();
    let verdicts = ["accept", "reject", "accept"].map(|verdict| json!({"verdict": verdict}));
    let verdict = |number: usize| verdicts[number].clone();
    let entry = |number| json!({"agent": "reviewer", "response": verdict(number)});
    let script = Value::from((0..3).map(entry).collect::<Vec<_>>()).to_string();
    let script = format!("scripted:{}", office.folder.file("script.json", script));
    let scripted = office.map(3, 3, &["--model", &script]).exits(0).json();
    let waiting = office.map(3, 3, &["--model", "bridge"]).exits(42).json();
    let (id, scripted) = (text(&waiting, "id"), text(&scripted, "id"));
    let asked = office.run(&["inbox", "--run", id, "--json"]).exits(0).json_lines();
    assert_eq!(asked.len(), 3);
    // Other processes answer, and the last question first.
    for number in [2, 0, 1] {
        let diff = format!("Review this diff: {number}");
        let ask = asked.iter().find(|ask| ask["prompt"] == diff.as_str()).expect("it is asked");
        let (key, value) = (text(ask, "interaction"), verdict(number).to_string());
        office.run(&["runs", "answer", id, key, "--value", &value]).exits(0);
    }
    let (bridged, by_script) = (office.shown(id), office.shown(scripted));
    for field in ["status", "output", "workflow", "version", "owner"] {
        assert_eq!(bridged[field], by_script[field], "{field}");
    }
    assert_eq!(bridged["output"], json!(verdicts));
    let outputs = office.outputs(id);
    assert_eq!(outputs, office.outputs(scripted));
    let keyed = (0..3).map(|number| (format!("item-{number}"), verdict(number)));
    assert_eq!(outputs, keyed.collect());
    for run in [id, scripted] {
        office.run(&["runs", "verify", run]).exits(0);
    }
}

#[test]
fn another_process_goes_on_in_the_script_where_a_dead_one_was() {
    let office = Office::new();
    // The third call is killed in its sleep. It has had that entry: the next try has the next one.
    let entry = |(number, delay): (usize, u32)| {
        let verdict = ["accept", "reject"][number % 2];
        json!({"agent": "reviewer", "response": {"verdict": verdict}, "delay_ms": delay,
               "metadata": {"model": format!("line-{number}")}})
    };
    let delays = [0, 0, 600_000, 0, 0, 0].into_iter().enumerate();
    let script = Value::from(delays.map(entry).collect::<Vec<_>>()).to_string();
    let script = office.folder.file("script.json", script);
    let run = office.map(5, 1, &["--agent-script", &script, "--detach"]).exits(0).json();
    let run = text(&run, "id");
    let first = office.worker();
    let begun = |key: &str| {
        let events = office.events(run);
        events.iter().any(|event| event["kind"] == "call_started" && event["body"]["key"] == key)
    };
    until("the third is under way", || begun("item-2").then_some(()));
    first.signal(Signal::KILL);
    assert_eq!(first.wait().code, None);
    assert_eq!(office.outputs(run).len(), 2);
    let _second = office.worker();
    let shown = office.until_over(run);
    assert_eq!(text(&shown, "status"), "succeeded", "{shown}");
    let events = office.events(run);
    let completed = events.iter().filter(|event| event["kind"] == "call_completed");
    let lines = completed.map(|event| text(&event["body"]["used"]["metadata"], "model"));
    assert_eq!(lines.collect::<Vec<_>>(), ["line-0", "line-1", "line-3", "line-4", "line-5"]);
    let verdicts = ["accept", "reject", "reject", "accept", "reject"];
    assert_eq!(shown["output"], json!(verdicts.map(|verdict| json!({"verdict": verdict}))));
    office.run(&["runs", "verify", run]).exits(0);
}

#[test]
fn whoever_answers_from_outside_may_decline() {
    const WHY: &str = "the repository cannot be read";
    let office = Office::new();
    let waiting = office.tried(&["--model", "bridge"]).exits(42).json();
    let id = text(&waiting, "id");
    let inbox =
        |agent: &str| office.run(&["inbox", "--agent", agent, "--json"]).exits(0).json_lines();
    assert_eq!(inbox("somebody-else"), Vec::<Value>::new());
    let [ask] = &inbox("reviewer")[..] else { panic!("it is asked once") };
    assert_eq!((text(ask, "run"), text(ask, "agent")), (id, "reviewer"));
    office.run(&["runs", "answer", id, "--decline", WHY]).exits(0);
    assert_eq!(inbox("reviewer"), Vec::<Value>::new());
    let shown = office.shown(id);
    assert_eq!(text(&shown, "status"), "failed");
    assert_eq!(text(&shown["fault"], "code"), "DECLINED");
    assert!(text(&shown["fault"], "message").contains(WHY), "{shown}");
    let events = office.events(id);
    let last = events.last().expect("it has a journal");
    assert_eq!((text(last, "kind"), text(&last["body"]["fault"], "code")), ("failed", "DECLINED"));
    // It was said once and for all.
    let answer =
        ["runs", "answer", id, text(ask, "interaction"), "--value", r#"{"verdict": "accept"}"#];
    office.run(&answer).exits(1);
    office.run(&["runs", "verify", id]).exits(0);
}

#[test]
fn a_recording_is_replayed_offline() {
    let double = Double::start(None);
    let office = Office::before(&double);
    let tape = office.folder.path().join("tape.jsonl").display().to_string();
    let first = office.tried(&["--record", &tape]).exits(0).json();
    drop(double);
    let again = office.tried(&["--model", &format!("replay:{tape}")]).exits(0).json();
    assert_eq!(again["output"], first["output"]);
    assert_eq!(again["usage"]["spent_usd"], 0);
    let other = ["agents", "try", "reviewer", "--input", r#"{"diff": "other"}"#, "--model"];
    let told = office.run(&[&other[..], &[&format!("replay:{tape}")]].concat());
    told.exits(1).telling("/messages/0/content");
}

#[test]
fn what_each_call_was_given_can_be_read_back() {
    let office = Office::new();
    let script =
        office.folder.file("s.json", r#"[{"agent": "*", "response": {"verdict": "accept"}}]"#);
    let calls = office.folder.path().join("calls.jsonl").display().to_string();
    office.tried(&["--agent-script", &script, "--invocations", &calls]).exits(0);
    let line: Value = serde_json::from_str(fs::read_to_string(&calls).unwrap().trim()).unwrap();
    assert_eq!(
        (text(&line, "agent"), text(&line, "prompt")),
        ("reviewer", "Review this diff: - a\n+ b")
    );
    assert_eq!(line["timeout_seconds"], 600.0);
    // A script that has nothing more to say fails the run, and says so.
    office
        .tried(&["--agent-script", &office.folder.file("empty.json", "[]")])
        .exits(1)
        .naming("AGENT_NOT_FOUND");
    office.tried(&["--agent-script", "/no/such.json"]).exits(2).naming("SCRIPT_NOT_FOUND");
}

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
        "SUBPROCESS_FAILED",
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

#[test]
fn a_word_in_a_contract_that_means_nothing_is_pointed_out() {
    let home = Home::new();
    let typo =
        "name = \"weak\"\n[contract.output]\ntype = \"object\"\nrequierd = [\"ok\"]\n[bridge]\n";
    let added = home.run(&["agents", "add", &home.file("weak.toml", typo)]).exits(0);
    let told =
        "weak: contract.output: `requierd` at the top has no meaning; did you mean `required`?";
    assert!(added.stderr.contains(told), "{added:#?}");
}

#[test]
fn a_long_wait_between_tries_is_told() {
    let script = r#"[{"fault": {"kind": "rate_limited", "retry_after": 3600}, "times": 0}]"#;
    let double = Double::start(Some(script));
    let office = Office::before(&double);
    let solo = "name = \"solo\"\n[model]\nname = \"openai/gpt-5-mini\"\n";
    office.run(&["agents", "add", &office.folder.file("solo.toml", solo)]).exits(0);
    let trying = office.home.let_go_on(office.consign(&["agents", "try", "solo"]));
    let told =
        until("it says so", || Some(trying.stderr()).filter(|told| told.contains("waits for")));
    assert!(told.contains("Ctrl-C leaves it, and `consign runs resume"), "{told}");
    trying.signal(Signal::INT);
    trying.wait().exits(130);
    let run = office.run(&["runs", "list", "--json"]).exits(0).json();
    assert_eq!(text(&run, "status"), "waiting");
}

#[test]
fn a_bridge_is_asked_once_and_certified_for_that() {
    let office = Office::new();
    let priced =
        "name = \"priced\"\nlimits.max_cost_usd = 0.5\n[bridge]\ndeadline_seconds = 7200\n";
    office.run(&["agents", "add", &office.folder.file("priced.toml", priced)]).exits(0);
    let shown = office.run(&["agents", "show", "priced"]).exits(0).stdout;
    assert!(shown.contains("2h00m") && !shown.contains("timeout"), "{shown}");
    let args =
        ["agents", "try", "priced", "--certified", "--cost", "0.5", "--calls", "1", "--json"];
    let run = office.run(&args).exits(42).json();
    assert_eq!(
        (&run["certificate"]["cost_usd"], &run["certificate"]["calls"]),
        (&json!(0.5), &json!(1))
    );
    let near = office.run(&["agents", "try", "prices"]).fails(1, "AGENT_NOT_FOUND");
    assert!(near.stderr.contains("did you mean `priced`?"), "{near:#?}");
}
