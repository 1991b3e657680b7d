//! `consign runs answer`

use serde_json::json;

use crate::{
    home::{Home, until},
    support::text,
};

#[test]
fn an_answer_lets_the_run_go_on_here() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    let done = home.run(&["runs", "answer", &run[..6], "--value", "true"]).exits(0);
    assert_eq!(done.stdout, "{\"asks\":1,\"approved\":1,\"denied\":0,\"expired\":0}\n");
    done.telling("answered ask-1").telling("succeeded");
}

#[test]
fn with_several_asks_each_is_answered_by_its_name() {
    let home = Home::new();
    let run = home.start("sample/approval", r#"{"asks": 3}"#, 43);
    home.run(&["runs", "answer", &run, "--value", "true"])
        .fails(2, "INTERACTION_AMBIGUOUS")
        .telling("asks 3 things")
        .telling("ask-2  Approve 2 of 3?");
    let half = home.json(&["runs", "answer", &run, "ask-2", "--value", "false"], 0);
    assert_eq!(
        (text(&half, "status"), half["waits"].as_array().map(Vec::len)),
        ("waiting", Some(2))
    );
    home.run(&["runs", "answer", &run, "ask-1", "--value", "true"]).exits(0).telling("waits");
    // Now only one is left.
    let done = home.json(&["runs", "answer", &run, "--value", "true"], 0);
    assert_eq!(done["output"], json!({"asks": 3, "approved": 2, "denied": 1, "expired": 0}));
}

#[test]
fn the_first_answer_counts() {
    let home = Home::new();
    let run = home.start("sample/approval", r#"{"asks": 2}"#, 43);
    let answer = |value: &str| home.run(&["runs", "answer", &run, "ask-1", "--value", value]);
    answer("true").exits(0);
    for late in ["true", "false"] {
        answer(late).fails(1, "ALREADY_ANSWERED").telling("the first answer counts");
    }
}

#[test]
fn what_cannot_be_taken_is_refused_by_its_reason() {
    let home = Home::new();
    let run = home.start("sample/approval", r#"{"asks": 2}"#, 43);
    let answer = |rest: &[&str]| home.run(&[&["runs", "answer", &run], rest].concat());
    answer(&["ask-1", "--value", "yes"]).fails(2, "VALUE_MALFORMED").telling("single quotes");
    answer(&["ask-1", "--value", "\"yes\""])
        .fails(1, "CONTRACT_BREACH")
        .telling("expected boolean, found string")
        .telling("consign inbox");
    answer(&["ask-9", "--value", "true"])
        .fails(1, "INTERACTION_NOT_FOUND")
        .telling("consign inbox");
    answer(&["--value"]).fails(2, "USAGE");
    answer(&["ask-1"]).fails(2, "USAGE");
    home.run(&["runs", "answer", "nobody", "--value", "1"]).fails(1, "RUN_NOT_FOUND");
    home.run(&["runs", "cancel", &run]).exits(0);
    answer(&["ask-1", "--value", "true"]).fails(1, "WITHDRAWN");
    answer(&["--value", "true"]).fails(1, "INVALID_STATE");
    let idle = home.detach("sample/steps", "{}");
    home.run(&["runs", "answer", &idle, "--value", "1"])
        .fails(1, "INTERACTION_NOT_FOUND")
        .telling("asks nothing now");
}

#[test]
fn a_deadline_that_passed_takes_no_answer() {
    let home = Home::new();
    let run = home.start("sample/approval", r#"{"deadline_seconds": 1, "default": true}"#, 43);
    // No answer that would be taken: before the deadline it breaks the contract.
    let answer = || home.run(&["runs", "answer", &run, "--value", "5"]);
    let late = until("the deadline passes", || {
        Some(answer()).filter(|answer| !answer.stderr.contains("CONTRACT_BREACH"))
    });
    late.fails(1, "DEADLINE_PASSED");
    let done = home.json(&["runs", "resume", &run], 0);
    assert_eq!(done["output"]["approved"], json!(1), "the default was taken");
}

#[test]
fn the_value_can_come_from_standard_input_and_be_a_negative_number() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    let answer = ["runs", "answer", &run, "--value", "-5"];
    home.run(&answer).fails(1, "CONTRACT_BREACH").telling("found integer");
    let answer = ["runs", "answer", &run, "--value", "-"];
    home.consign(&answer).stdin("oops").run().fails(1, "VALUE_MALFORMED");
    home.consign(&answer).stdin(" true\n").run().exits(0).telling("succeeded");
}

#[test]
fn a_run_can_be_left_as_it_is_after_the_answer() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    let args = ["runs", "answer", &run, "--value", "true", "--no-resume"];
    let left = home.run(&args).exits(0).telling(&format!("consign runs resume {run}"));
    assert_eq!(left.stdout, "");
    assert_eq!(home.status(&run), "queued");
    home.run(&["runs", "resume", &run]).exits(0);
}

#[test]
fn a_detached_run_is_left_to_the_workers_after_the_answer() {
    let home = Home::new();
    let run = home.detach("sample/approval", "{}");
    let _worker = home.worker();
    until("it asks", || (home.status(&run) == "waiting").then_some(()));
    home.run(&["runs", "answer", &run, "--value", "true"]).exits(0).telling("answered ask-1");
    until("the worker ends it", || (home.status(&run) == "succeeded").then_some(()));
}

#[test]
fn of_many_answers_at_once_one_is_taken() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    let answers: Vec<_> = (0..6)
        .map(|number| {
            let value = if number % 2 == 0 { "true" } else { "false" };
            home.spawn(&["runs", "answer", &run, "ask-1", "--value", value])
        })
        .collect();
    let outcomes: Vec<_> = answers.into_iter().map(crate::harness::Process::wait).collect();
    let taken = outcomes.iter().filter(|outcome| outcome.code == Some(0)).count();
    assert_eq!(taken, 1, "{outcomes:#?}");
    let refused =
        |outcome: &&crate::support::Outcome| outcome.stderr.contains("error[ALREADY_ANSWERED]");
    assert_eq!(outcomes.iter().filter(refused).count(), 5, "{outcomes:#?}");
    until("it ends", || (home.status(&run) == "succeeded").then_some(()));
}
