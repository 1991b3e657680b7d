//! `consign agents`: definitions, and calls to what they define.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    home::{Home, until},
    models::Double,
    office::{Office, REVIEWER},
    support::text,
};

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
    check("name = \"bad\"\n", "add one of [model]");
    check("name = \"bad\"\nefect = \"pure\"\n[bridge]\n", "efect");
    check("name = \"bad\"\n[model]\nname = \"nobody/x\"\n", "nobody");
    check("name = \"bad\"\n[contract]\noutput = \"missing.json\"\n[bridge]\n", "missing.json");
}

#[test]
fn all_faults_of_a_definition_are_told_at_once() {
    let office = Office::new();
    let bad = "name = \"Bad\"\nefect = \"pur\"\n[limits]\nmemory_mb = 5\n[model]\nname = \"gpt-5\"\ntemperature = 3\n";
    let file = office.folder.file("bad.toml", bad);
    let lines = [
        "bad.toml:1: name is \"Bad\"; begin with a letter",
        "bad.toml:2: unknown field `efect`; did you mean `effect`?",
        "bad.toml:2: efect is \"pur\"; did you mean \"pure\"?",
        "bad.toml:4: limits.memory_mb has no effect on [model]; remove it",
        "bad.toml:7: model.temperature is 3; write a number from 0 to 2",
    ];
    // A file that was put there, or changed after it was added.
    let kept = office.home.path().join("agents/later.toml");
    fs::write(&kept, bad).unwrap();
    let pipeline = "name = \"p\"\n[[stage]]\nname = \"one\"\nagent = \"later\"\n";
    let pipeline = office.folder.file("p.toml", pipeline);
    for (args, code) in [
        (&["agents", "add", &file][..], "AGENT_INVALID"),
        (&["agents", "try", &file], "AGENT_INVALID"),
        (&["agents", "show", &file], "AGENT_INVALID"),
        (&["agents", "try", "later"], "AGENT_INVALID"),
        (&["agents", "show", "later"], "AGENT_INVALID"),
        (&["pipeline", "check", &pipeline], "PIPELINE_INVALID"),
        (&["run", &pipeline], "PIPELINE_INVALID"),
    ] {
        let told = office.run(args).fails(1, code);
        let mut from = 0;
        for line in lines {
            let line = line.replace(
                "bad.toml",
                if args.contains(&&file[..]) { "bad.toml" } else { "later.toml" },
            );
            let at = told.stderr[from..].find(&line);
            from += at.unwrap_or_else(|| panic!("{args:?}: {line}: {}", told.stderr));
        }
    }
    let listed = office.run(&["agents", "list"]).exits(0);
    assert!(listed.stdout.contains("line 4: limits.memory_mb"), "{listed:#?}");
    let keys = |faults: &Value| {
        let faults = faults.as_array().expect("a list").iter();
        faults
            .map(|fault| (fault["line"].as_u64(), text(fault, "key").to_owned()))
            .collect::<Vec<_>>()
    };
    let expected = [
        (1, "name"),
        (2, "efect"),
        (2, "efect"),
        (4, "limits.memory_mb"),
        (7, "model.temperature"),
    ];
    let expected = expected.map(|(line, key)| (Some(line), key.to_owned()));
    let told = office.run(&["agents", "add", &file, "--json"]).exits(1);
    let error: Value = serde_json::from_str(told.stderr.trim()).expect("an object on a line");
    assert_eq!(keys(&error["error"]["details"]["faults"]), expected);
    let listed = office.run(&["agents", "list", "--json"]).exits(0).json_lines();
    let later = listed.iter().find(|agent| agent["name"] == "later").expect("it is listed");
    assert_eq!(keys(&later["faults"]), expected);
    let wrong = office.run(&["pipeline", "check", &pipeline, "--json"]).exits(1).json();
    assert_eq!(wrong["wrong"].as_array().map(Vec::len), Some(5), "{wrong}");
    // A run that is under way asks for a correction, with all of it.
    let call = ["runs", "start", "agent/call", "--input", r#"{"agent": "later", "input": {}}"#];
    office.run(&call).exits(43);
    let asked = office.run(&["inbox", "--json"]).exits(0).json();
    for line in lines {
        let line = line.replace("bad.toml", "later.toml");
        assert!(text(&asked, "prompt").contains(&line), "{line}: {asked}");
    }
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
