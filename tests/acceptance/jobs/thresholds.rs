//! What a job may use, in cents and minutes.

use serde_json::json;

use super::trial::Trial;

#[test]
fn used_equal_to_the_threshold_halts_also_a_free_call() {
    let mut trial = Trial::new(&["--cost-threshold", "0.34"]);
    assert_eq!(trial.play("wC .").code, Some(43));
    assert_eq!((trial.status().as_str(), trial.told().as_str()), ("HALTED_COST", "W1C>R"));
    assert_eq!(trial.manifest()["metrics"]["cumulative_cost"], 0.34);
    let listed = trial.home.run(&["job", "list", "--status", "HALTED_COST"]).exits(0);
    assert!(listed.stdout.starts_with("work\tHALTED_COST\t0.34\t"), "{}", listed.stdout);
    // The whole new threshold, and only upwards.
    assert_eq!(trial.job("raise", &["--cost", "0.3"]).code, Some(1));
    assert_eq!(trial.job("raise", &["--cost", "0.7", "--run"]).code, Some(0));
    assert_eq!(trial.status(), "SUCCESS");
    assert_eq!(trial.manifest()["cost_threshold"], 0.7);
}

#[test]
fn a_call_whose_worst_case_would_pass_the_threshold_does_not_begin() {
    let mut trial = Trial::new(&["--cost-threshold", "0.67"]);
    assert_eq!(trial.play("wC sC .").code, Some(43));
    assert_eq!((trial.status().as_str(), trial.told().as_str()), ("HALTED_COST", "W1C>R"));
    // One that just fits begins, and then nothing is left.
    assert_eq!(trial.job("raise", &["--cost", "0.68", "--run"]).code, Some(43));
    assert_eq!((trial.status().as_str(), trial.told().as_str()), ("HALTED_COST", "W1C>R S1C>P"));
    assert_eq!(trial.job("raise", &["--cost", "0", "--run"]).code, Some(0));
    assert_eq!(
        (trial.status().as_str(), trial.manifest()["cost_threshold"].as_u64()),
        ("SUCCESS", Some(0))
    );
}

#[test]
fn the_first_call_halts_a_job_rather_than_being_refused() {
    let mut trial = Trial::new(&["--cost-threshold", "0.1"]);
    assert_eq!(trial.play("wC sC .").code, Some(43));
    assert_eq!((trial.status().as_str(), trial.told().as_str()), ("HALTED_COST", ""));
    assert_eq!(trial.manifest()["metrics"]["cumulative_cost"], 0);
}

#[test]
fn no_threshold_is_no_threshold() {
    let mut trial = Trial::new(&["--cost-threshold", "0", "--time-threshold", "0"]);
    assert_eq!(trial.play("wC sC .").code, Some(0));
    assert_eq!(trial.manifest()["time_threshold_minutes"], 0);
    let mut trial = Trial::new(&["--cost-threshold", "0"]);
    let outcome = trial.job("raise", &["--cost", "5"]);
    assert!(outcome.stderr.contains("LIMIT_NOT_RAISED"), "{}", outcome.stderr);
}

#[test]
fn time_halts_a_job_before_a_call_and_cuts_one_off() {
    let mut trial = Trial::new(&["--time-threshold", "0.0000001"]);
    assert_eq!(trial.play("wC sC .").code, Some(43));
    assert_eq!((trial.status().as_str(), trial.told().as_str()), ("HALTED_TIME", ""));
    assert_eq!(trial.job("raise", &["--minutes", "60", "--run"]).code, Some(0));
    assert_eq!(trial.status(), "SUCCESS");

    let mut trial = Trial::new(&["--time-threshold", "0.02"]);
    let good =
        json!({"action": "COMPLETED", "evidence_files": [], "summary_for_supervisor": "Done."});
    let script = json!([
        {"agent": "Worker", "response": good, "delay_ms": 60_000, "cost_usd": 0.25},
        {"agent": "Worker", "response": good, "times": 0},
        {"agent": "Supervisor", "response": good, "times": 0},
    ]);
    let script = trial.home.file("script.json", script.to_string());
    assert_eq!(trial.job("run", &["--agent-script", &script]).code, Some(43));
    assert_eq!((trial.status().as_str(), trial.told().as_str()), ("HALTED_TIME", ""));
    assert_eq!(trial.job("raise", &["--minutes", "60", "--run"]).code, Some(0));
    assert_eq!(trial.status(), "SUCCESS");
    // What was cut off is settled at its full price, as assumed, and never recorded as an interaction.
    let metrics = trial.manifest()["metrics"].clone();
    assert_eq!((&metrics["cumulative_cost"], &metrics["assumed_cost"]), (&json!(25), &json!(25)));
    trial.home.run(&["job", "replay", "work"]).exits(0);
}

#[test]
fn a_later_run_of_a_job_has_what_is_left() {
    let mut trial = Trial::new(&["--cost-threshold", "2.1"]);
    assert_eq!(trial.play("wC sC wC sC wC sC").code, Some(0));
    assert_eq!(trial.manifest()["metrics"]["cumulative_cost"], 2.04);
    assert_eq!(trial.job("rerun", &["--phase", "three"]).code, Some(0));
    assert_eq!(trial.play("wC .").code, Some(43));
    assert_eq!(trial.status(), "HALTED_COST");
    assert_eq!(trial.job("raise", &["--cost", "3", "--run"]).code, Some(0));
    let manifest = trial.manifest();
    assert_eq!(
        (manifest["status"].as_str(), manifest["cost_threshold"].as_u64()),
        (Some("SUCCESS"), Some(3))
    );
    assert_eq!(manifest["metrics"]["cumulative_cost"], 2.38);
    assert_eq!(trial.told(), "W1C>R S1C>P W2C>R S2C>P W3C>R S3C>S W3C>R S3C>S");
    assert_eq!(
        trial.points(),
        "phase-1-complete phase-2-complete phase-3-complete phase-3-complete.2"
    );
    trial.home.run(&["job", "replay", "work"]).exits(0);
}
