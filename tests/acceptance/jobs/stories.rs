//! What a person does with a job, step by step.

use serde_json::{Value, json};

use super::trial::{Trial, written};

#[test]
fn a_job_is_made_looked_at_stepped_and_listed() {
    let mut trial = Trial::drafted(&[]);
    assert_eq!(trial.status(), "DRAFT");
    assert!(trial.job("run", &[]).stderr.contains("INVALID_STATE"));
    let notes = trial.home.file("notes.md", "Remember the milk.");
    trial.job("add", &[&notes]);
    assert!(trial.job("add", &[&notes]).stderr.contains("FILE_EXISTS"));
    assert_eq!(trial.job("add", &[&notes, "--replace"]).code, Some(0));
    let preview = trial.home.json(&["job", "preview", "work"], 0);
    assert_eq!(preview["request"]["context_files"], json!(["notes.md"]));
    let members: Vec<_> = preview["request"].as_object().expect("it is there").keys().collect();
    let document =
        ["job_id", "phase", "context_files", "system_prompt", "task_description", "metadata"];
    assert_eq!(members, document);
    assert_eq!(
        preview["request"]["metadata"],
        json!({"cost_threshold": 1000, "time_threshold_minutes": 60, "accepted_formats": ["COMPLETED", "STUCK", "RETRY"]})
    );
    assert!(preview["prompt"].as_str().expect("it is there").contains("Remember the milk."));
    assert_eq!(trial.job("activate", &[]).code, Some(0));
    assert!(trial.job("activate", &[]).stderr.contains("INVALID_STATE"));
    let script = trial.home.file("script.json", written("wC sC wC sS sC .").to_string());
    let told = trial.home.file("told.jsonl", "");
    let with = ["--agent-script", &script, "--invocations", &told];
    assert_eq!(trial.job("step", &with).code, Some(0));
    assert_eq!((trial.status().as_str(), trial.told().as_str()), ("REVIEWING", "W1C>R"));
    assert_eq!(trial.job("step", &[]).code, Some(0));
    assert_eq!((trial.status().as_str(), trial.points().as_str()), ("PENDING", "phase-1-complete"));
    assert_eq!(trial.job("step", &with).code, Some(0));
    assert_eq!(trial.job("step", &[]).code, Some(43));
    assert_eq!(trial.status(), "INTERVENTION_REQUIRED");
    assert_eq!(trial.job("advise", &["Go on."]).code, Some(0));
    assert_eq!(trial.job("step", &[]).code, Some(0));
    assert_eq!(trial.job("run", &[]).code, Some(0));
    assert!(trial.job("step", &[]).stderr.contains("INVALID_STATE"));
    // The history has exactly what was sent.
    let sent: Vec<Value> = std::fs::read_to_string(&told)
        .expect("it is there")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("it is there")["prompt"].clone())
        .collect();
    let history = trial.history();
    let kept: Vec<Value> = history["interactions"]
        .as_array()
        .expect("it is there")
        .iter()
        .map(|own| own["request"]["prompt"].clone())
        .collect();
    assert_eq!(sent, kept);
    assert!(kept[4].as_str().expect("it is there").contains("Go on."));
    let page =
        trial.home.run(&["job", "history", "work", "--from", "1", "--to", "2", "--json"]).exits(0);
    assert_eq!(page.stdout.lines().count(), 2);
}

#[test]
fn the_reason_and_the_advice_go_into_the_next_prompt_and_no_further() {
    let mut trial = Trial::new(&[]);
    trial.play("wC sR wS wC sC .");
    trial.job("advise", &["Mind the gap.", "--run"]);
    assert_eq!(trial.status(), "SUCCESS");
    let history = trial.history();
    let prompt = |at: usize| {
        history["interactions"][at]["request"]["prompt"].as_str().expect("it is there").to_owned()
    };
    assert!(prompt(1).contains("+0"), "the supervisor sees the diff: {}", prompt(1));
    assert!(prompt(2).contains("It is RETRY."));
    assert!(prompt(3).contains("Mind the gap.") && !prompt(3).contains("It is RETRY."));
    assert!(!prompt(4).contains("Mind the gap."));
}

#[test]
fn a_role_is_answered_from_outside() {
    let mut trial = Trial::new(&[]);
    assert_eq!(trial.job("run", &["--model", "bridge"]).code, Some(42));
    assert_eq!(trial.status(), "RUNNING");
    let asks = trial.home.run(&["inbox", "--json"]).exits(0).stdout;
    let ask: Value =
        serde_json::from_str(asks.lines().next().expect("it is there")).expect("it is there");
    let run = ask["run"].as_str().expect("it is there");
    let answer = json!({
        "action": "COMPLETED", "evidence_files": ["../x"], "summary_for_supervisor": "Done."
    });
    trial.home.run(&["runs", "answer", run, "--value", &answer.to_string()]);
    assert_eq!(trial.job("run", &[]).code, Some(43));
    assert_eq!((trial.told().as_str(), trial.audit().as_str()), ("W1S!e>I", "0:PATH_OUTSIDE"));
    assert_eq!(trial.job("advise", &["Stay inside.", "--run"]).code, Some(42));
    let answer = json!({
        "action": "COMPLETED", "evidence_files": ["a.txt"], "summary_for_supervisor": "Done.", "files": {"a.txt": "a"}
    });
    trial.home.run(&["runs", "answer", run, "--value", &answer.to_string()]);
    assert_eq!(trial.job("run", &[]).code, Some(42));
    assert_eq!((trial.status().as_str(), trial.files().as_str()), ("REVIEWING", "a.txt"));
    trial.home.run(&["job", "replay", "work"]).exits(0);
}

#[test]
fn a_second_process_is_told_that_the_job_is_held() {
    let trial = Trial::new(&[]);
    let good =
        json!({"action": "COMPLETED", "evidence_files": [], "summary_for_supervisor": "Done."});
    let script = json!([{"agent": "*", "response": good, "times": 0, "delay_ms": 60_000}]);
    let script = trial.home.file("script.json", script.to_string());
    let driving = trial.home.spawn(&["job", "run", "work", "--agent-script", &script]);
    crate::home::until("it is at work", || (trial.status() == "RUNNING").then_some(()));
    for command in [
        &["job", "run", "work"][..],
        &["job", "step", "work"],
        &["job", "advise", "work", "x"],
        &["job", "raise", "work", "--cost", "2000"],
        &["job", "restore", "work", "--point", "start"],
        &["job", "adopt", "work"],
    ] {
        let outcome = trial.home.run(command);
        assert!(outcome.stderr.contains("RUN_HELD"), "{command:?} {}", outcome.stderr);
    }
    trial.home.run(&["job", "status", "work"]).exits(0);
    trial.home.run(&["job", "cancel", "work"]).exits(0);
    drop(driving);
}

#[test]
fn an_open_job_is_restored_and_goes_on() {
    let mut trial = Trial::new(&[]);
    trial.play("wC sC wC sC wS wC sC wC sC .");
    assert_eq!(trial.files(), "f0.txt f2.txt");
    assert_eq!(trial.job("restore", &["--point", "phase-1-complete"]).code, Some(0));
    assert_eq!((trial.status().as_str(), trial.files().as_str()), ("PENDING", "f0.txt"));
    assert_eq!(trial.job("run", &[]).code, Some(0));
    assert_eq!(trial.told(), "W1C>R S1C>P W2C>R S2C>P W3S>I W2C>R S2C>P W3C>R S3C>S");
    assert_eq!(
        trial.points(),
        "phase-1-complete phase-2-complete phase-2-complete.2 phase-3-complete"
    );
    assert_eq!(trial.audit(), "RESTORED");
    assert!(trial.job("restore", &["--point", "nowhere"]).stderr.contains("POINT_NOT_FOUND"));
    assert!(trial.job("rerun", &["--phase", "nine"]).stderr.contains("PHASE_NOT_FOUND"));
    trial.home.run(&["job", "replay", "work"]).exits(0);
    // Back to before everything, and once more to the end.
    assert_eq!(trial.job("restore", &["--point", "start"]).code, Some(0));
    assert_eq!(trial.files(), "");
    assert_eq!(trial.play(".").code, Some(0));
    trial.home.run(&["job", "replay", "work"]).exits(0);
}
