//! Agents in whose place somebody outside answers.

use serde_json::{Value, json};

use crate::{office::Office, support::text};

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
