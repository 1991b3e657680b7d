//! `consign runs verify`

use serde_json::json;

use crate::{
    home::Home,
    support::{keys, text},
};

fn change(home: &Home, sql: &str) {
    let database = rusqlite::Connection::open(home.path().join("consign.db")).expect("it is there");
    assert_eq!(database.execute(sql, []).expect("ours to change"), 1, "{sql}");
}

#[test]
fn a_whole_run_holds() {
    let home = Home::new();
    let run = home.start("sample/steps", "{}", 0);
    let head = text(&home.show(&run), "head").to_owned();
    let plain = home.run(&["runs", "verify", &run]).exits(0);
    let expected = format!("{run}: holds: 8 events, its state follows from them; head {head}\n");
    assert_eq!((plain.stdout.as_str(), plain.stderr.as_str()), (expected.as_str(), ""));
    let proof = home.json(&["runs", "verify", &run], 0);
    assert_eq!(keys(&proof), ["events", "head", "not_refolded", "refolded", "run", "valid"]);
    let expected = json!({"run": run, "valid": true, "events": 8, "head": head,
                          "refolded": true, "not_refolded": null});
    assert_eq!(proof, expected);
}

#[test]
fn a_head_that_was_kept_elsewhere_is_found_again() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    let head = text(&home.show(&run), "head").to_owned();
    home.run(&["runs", "answer", &run, "--value", "true"]).exits(0);
    home.run(&["runs", "verify", &run, "--head", &head]).exits(0);
    let other = "0".repeat(64);
    home.run(&["runs", "verify", &run, "--head", &other])
        .fails(1, "JOURNAL_BROKEN")
        .telling("written anew");
    home.run(&["runs", "verify", &run, "--head", "short"]).fails(2, "USAGE").telling("64");
}

#[test]
fn a_change_is_found_and_its_event_named() {
    let home = Home::new();
    let run = home.start("sample/steps", "{}", 0);
    change(&home, "UPDATE journal SET actor = 'somebody else' WHERE seq = 4");
    home.run(&["runs", "verify", &run])
        .fails(1, "JOURNAL_BROKEN")
        .telling("event 4 was changed")
        .telling("keep a copy");
    let broken = home.run(&["runs", "verify", &run, "--json"]).exits(1);
    assert_eq!(text(&broken.error(), "code"), "JOURNAL_BROKEN");
    let broken = broken.json();
    assert_eq!((&broken["valid"], text(&broken, "code")), (&json!(false), "JOURNAL_BROKEN"));
}

#[test]
fn a_journal_that_was_cut_is_found() {
    let home = Home::new();
    let run = home.start("sample/steps", "{}", 0);
    change(&home, "DELETE FROM journal WHERE seq = 7");
    home.run(&["runs", "verify", &run]).exits(1);
}

#[test]
fn all_are_verified_and_the_broken_one_is_named() {
    let home = Home::new();
    let first = home.start("sample/steps", "{}", 0);
    let second = home.start("sample/budget", "{}", 0);
    home.run(&["runs", "verify", "--all"]).exits(0).telling("2 runs, 0 broken");
    let sql = "UPDATE journal SET actor = 'somebody else' WHERE seq = 4 \
               AND run = (SELECT min(run) FROM journal)";
    change(&home, sql);
    let told = home.run(&["runs", "verify", "--all"]).exits(1).telling("1 of 2 runs do not hold");
    assert!(told.stdout.contains(&format!("{second}: holds")), "{told:#?}");
    assert!(told.stdout.contains(&format!("{first}: JOURNAL_BROKEN: event 4")), "{told:#?}");
    let lines = home.run(&["runs", "verify", "--all", "--json"]).exits(1).json_lines();
    assert_eq!(lines.iter().filter(|line| line["valid"] == json!(true)).count(), 1);
    home.run(&["runs", "verify"]).fails(2, "USAGE");
    home.run(&["runs", "verify", &first, "--all"]).fails(2, "USAGE");
}

#[test]
fn what_is_kept_beside_the_journal_is_compared_with_it() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    change(&home, "UPDATE interactions SET prompt = 'Pay Mallory?'");
    home.run(&["runs", "verify", &run])
        .fails(1, "PROJECTION_BROKEN")
        .telling("the prompt of ask ask-1 is kept as `Pay Mallory?`")
        .telling("the journal says `Approve 1 of 1?`");
    home.run(&["runs", "verify", "--all"]).exits(1).telling("error[PROJECTION_BROKEN]");
}

#[test]
fn an_account_is_compared_with_the_runs_of_its_owner() {
    let home = Home::new();
    home.start("sample/budget", "{}", 0);
    home.run(&["runs", "verify", "--all"]).exits(0);
    change(&home, "UPDATE owners SET spent = spent + 1000000000");
    let told = home.run(&["runs", "verify", "--all"]).exits(1);
    let told = told.telling("error[PROJECTION_BROKEN]: 1 account does not add up");
    assert!(told.stdout.contains("PROJECTION_BROKEN: what "), "{told:#?}");
    let lines = home.run(&["runs", "verify", "--all", "--json"]).exits(1).json_lines();
    let account = lines.last().expect("the account is told");
    assert_eq!(keys(account), ["code", "owner", "reason", "valid"]);
    assert_eq!((&account["valid"], text(account, "code")), (&json!(false), "PROJECTION_BROKEN"));
    assert_eq!(lines[0]["valid"], json!(true), "the run itself holds");
}
