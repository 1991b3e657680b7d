//! `consign runs cancel`

use serde_json::json;

use crate::{
    home::{Home, until},
    support::text,
};

const LONG: &str = r#"{"steps": 1, "sleep_ms": 120000}"#;

#[test]
fn a_run_that_nobody_holds_is_cancelled_at_once() {
    let home = Home::new();
    for run in [home.start("sample/approval", "{}", 43), home.detach("sample/steps", "{}")] {
        let gone = home.json(&["runs", "cancel", &run, "--reason", "no need"], 0);
        assert_eq!(text(&gone, "status"), "cancelled");
        assert_eq!(gone["cancelled"]["reason"], json!("no need"));
        home.run(&["runs", "cancel", &run])
            .fails(1, "INVALID_STATE")
            .telling("was cancelled")
            .telling("consign runs show");
    }
    assert_eq!(home.run(&["inbox"]).exits(0).stdout, "");
}

#[test]
fn a_run_that_a_worker_holds_is_closed_by_the_worker() {
    let home = Home::new();
    let run = home.detach("sample/steps", LONG);
    let _worker = home.worker();
    until("it runs", || (home.status(&run) == "running").then_some(()));
    home.run(&["runs", "cancel", &run]).exits(0).telling("cancelled, $0 spent");
    let journal = home.run(&["runs", "show", &run, "--events", "--json"]).exits(0).json_lines();
    let last = &journal[journal.len() - 1];
    assert_eq!(text(last, "kind"), "cancelled");
    assert!(text(last, "actor").starts_with("worker:"), "{last}");
}

#[test]
fn a_run_in_the_foreground_ends_its_command() {
    let home = Home::new();
    let start = home.spawn(&["runs", "start", "sample/steps", "--input", LONG]);
    let run = until("it runs", || {
        let runs = home.run(&["runs", "list", "--status", "running", "--json"]).json_lines();
        runs.first().map(|run| text(run, "id").to_owned())
    });
    home.run(&["runs", "cancel", &run]).exits(0);
    start.wait().exits(1).telling("error[CANCELLED]: ");
}
