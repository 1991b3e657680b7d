//! `consign budget`

use serde_json::json;

use crate::{
    home::{Home, until},
    support::text,
};

#[test]
fn what_was_spent_is_counted_over_all_runs() {
    let home = Home::new();
    home.start("sample/budget", "{}", 0);
    home.start("sample/budget", "{}", 0);
    let expected = json!({"owner": "local", "spent_usd": 0.06, "reserved_usd": 0, "cap_usd": null});
    assert_eq!(home.json(&["budget"], 0), expected);
    assert_eq!(home.json(&["budget", "show"], 0), expected);
    assert_eq!(home.run(&["budget"]).exits(0).stdout, "local\t0.06\t0\t\n");
    let table = home.terminal().consign(&["budget", "--color", "never"]).exits(0).stdout;
    assert!(table.contains("may spend") && table.contains("no bound"), "{table}");
}

#[test]
fn a_budget_stops_runs_and_a_higher_one_lets_them_go_on() {
    let home = Home::new();
    let set = |cap: &[&str]| home.json(&[&["budget", "set", "local"], cap].concat(), 0);
    assert_eq!(set(&["--cost", "0.02"])["cap_usd"], json!(0.02));
    let waits = home.run(&["runs", "start", "sample/budget"]).exits(43);
    // The command that helps is shown, and can be typed as it stands.
    let command = waits.stdout.lines().find_map(|line| line.strip_prefix("  consign "));
    let words: Vec<_> = command.expect("it is shown").split(' ').collect();
    assert_eq!(words, ["budget", "set", "local", "--cost", "0.04"]);
    let raised = home.run(&words).exits(0);
    assert_eq!(raised.stdout, "local\t0.02\t0\t0.04\n");
    let resume = raised.stderr.trim_end().strip_prefix("go on with: consign ");
    let resume: Vec<_> = resume.expect("it is shown").split(' ').collect();
    home.run(&resume).exits(0).telling("succeeded");
    assert_eq!(set(&["--unlimited"])["cap_usd"], json!(null));
}

#[test]
fn a_worker_goes_on_by_itself_when_the_budget_is_raised() {
    let home = Home::new();
    home.run(&["budget", "set", "alice", "--cost", "0.02"]).exits(0);
    let args = ["runs", "start", "sample/budget", "--owner", "alice", "--detach"];
    let run = text(&home.json(&args, 0), "id").to_owned();
    let _worker = home.worker();
    until("it waits", || (home.status(&run) == "waiting").then_some(()));
    home.run(&["budget", "set", "alice", "--cost", "1"]).exits(0);
    until("it ends", || (home.status(&run) == "succeeded").then_some(()));
}

#[test]
fn a_cap_finer_than_a_nano_dollar_is_rounded_down() {
    let home = Home::new();
    let set = |cost: &str| home.run(&["budget", "set", "local", "--cost", cost]).exits(0).stdout;
    assert_eq!(set("0.0000000019"), "local\t0\t0\t0.000000001\n");
    assert_eq!(set("1e-10"), "local\t0\t0\t0\n");
    assert_eq!(set("0.000000002000"), "local\t0\t0\t0.000000002\n");
    let args = ["runs", "start", "sample/steps", "--cost", "2.0000000009"];
    assert_eq!(home.json(&args, 0)["limits"]["cost_usd"], json!(2));
}

#[test]
fn a_budget_is_an_amount_or_none() {
    let home = Home::new();
    for wrong in [
        &["budget", "set", "local"][..],
        &["budget", "set", "local", "--cost", "-1"],
        &["budget", "set", "local", "--cost", "1", "--unlimited"],
        &["budget", "set", "two words", "--cost", "1"],
        &["budget", "set"],
    ] {
        home.run(wrong).fails(2, "USAGE");
    }
    assert_eq!(home.run(&["budget"]).exits(0).stdout, "");
}
