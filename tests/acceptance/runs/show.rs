//! `consign runs show`

use serde_json::{Value, json};

use crate::{
    home::{Home, keeps, until},
    support::text,
};

#[test]
fn everything_about_a_run_is_shown() {
    let home = Home::new();
    let run = home.start("sample/budget", r#"{"calls": 2, "cost_usd": 0.5}"#, 0);
    let shown = home.run(&["runs", "show", &run]).exits(0).stdout;
    for part in [
        &format!("run          {run}\n"),
        "workflow     sample/budget version 1\n",
        "status       succeeded\n",
        "placement    foreground, priority 0\n",
        "used         $1 spent, $0 held back, of $10; 2 calls, ",
        "limits       $10, 100000 calls, 1d0h of work\n",
        "certificate  at most $1 and 2 calls (retries included, attempts lost to crashes not), bounded \
         by structure\n",
        "input        {\"calls\":2,\"cost_usd\":0.5}\n",
        "output       {\"calls\":2,\"spent_usd\":1}\n",
        "call_completed    step-2, $0.5  {\"cost_usd\":0.5}\n",
    ] {
        assert!(shown.contains(part), "{part:?} is missing: {shown}");
    }
}

#[test]
fn for_programs_the_input_is_there_too() {
    let home = Home::new();
    let run = home.start("sample/steps", r#"{"steps": 1}"#, 0);
    let shown = home.run(&["runs", "show", &run, "--json"]).exits(0);
    keeps("engine/run", &shown.stdout);
    let shown = shown.json();
    assert_eq!((&shown["input"], &shown["output"]), (&json!({"steps": 1}), &json!({"steps": 1})));
    let usage = &shown["usage"];
    assert_eq!((&usage["calls"], &usage["unmetered_calls"]), (&json!(1), &json!(0)), "{usage}");
}

#[test]
fn a_run_that_waits_is_shown_with_how_to_answer_it() {
    let home = Home::new();
    let run = home.start("sample/approval", r#"{"deadline_seconds": 600, "default": false}"#, 43);
    let shown = home.run(&["runs", "show", &run]).exits(0).stdout;
    for part in [
        "waiting for approval ask-1: Approve 1 of 1?\n",
        "; then false is taken\n",
        &format!("  consign runs approve {run} ask-1\n"),
        &format!("  consign runs reject {run} ask-1 --why WHY\n"),
    ] {
        assert!(shown.contains(part), "{part:?} is missing: {shown}");
    }
    let waits = &home.show(&run)["waits"];
    assert_eq!((text(&waits[0], "interaction"), &waits[0]["default"]), ("ask-1", &json!(false)));
}

#[test]
fn after_the_deadline_a_run_is_to_be_resumed_and_not_answered() {
    let home = Home::new();
    let run = home.start("sample/approval", r#"{"deadline_seconds": 2}"#, 43);
    let show = || home.run(&["runs", "show", &run]).exits(0).stdout;
    let early = show();
    assert!(early.contains("; then it counts as not answered\n"), "{early}");
    let late = until("the deadline passes", || {
        Some(show()).filter(|shown| shown.contains("deadline passed"))
    });
    assert!(late.contains(&format!("  consign runs resume {run}\n")), "{late}");
    let goes_on = "goes on      as soon as a worker takes it (`consign worker`)";
    assert!(late.contains(goes_on), "{late}");
    assert!(!late.contains("runs approve") && !late.contains("(in 0ms)"), "{late}");
    let inbox = home.terminal().consign(&["inbox", "--color", "never"]).exits(0).stdout;
    assert_eq!(inbox, "Inbox is empty\n", "what is past its deadline is not open");
    let done = home.json(&["runs", "resume", &run], 0);
    assert_eq!(done["output"]["expired"], json!(1));
}

#[test]
fn a_queued_run_is_shown_with_who_can_go_on_with_it() {
    let home = Home::new();
    let run = home.detach("sample/steps", "{}");
    let shown = home.run(&["runs", "show", &run]).exits(0).stdout;
    let next = shown.lines().find(|line| line.starts_with("next  ")).expect("it is told");
    assert!(next.contains("`consign worker`"), "{next}");
    assert!(next.contains(&format!("consign runs resume {run}")), "{next}");
}

/// Changes what is kept, behind the program's back.
fn change(home: &Home, sql: &str) {
    let database = rusqlite::Connection::open(home.path().join("consign.db")).expect("it is there");
    assert_eq!(database.execute(sql, []).expect("ours to change"), 1, "{sql}");
}

/// The line that says why a run does not go on, here and where it is watched.
fn next(home: &Home, run: &str) -> String {
    let shown = home.run(&["runs", "show", run]).exits(0).stdout;
    let next = shown.lines().find_map(|line| line.strip_prefix("next         "));
    let next = next.unwrap_or_else(|| panic!("it is not told: {shown}"));
    let watch = home.spawn(&["runs", "watch", run]);
    until("it is told", || watch.stderr().contains(next).then_some(()));
    next.to_owned()
}

#[test]
fn a_run_that_this_program_cannot_run_is_shown_with_what_it_needs() {
    let home = Home::new();
    let run = home.detach("sample/steps", "{}");
    change(&home, "UPDATE runs SET workflow = 'sample/gone', version = 3");
    let told = next(&home, &run);
    assert!(told.starts_with("WORKFLOW_NOT_FOUND: needs sample/gone version 3; "), "{told}");
    assert!(!told.contains("consign worker"), "{told}");
    change(&home, "UPDATE runs SET workflow = 'sample/steps'");
    let told = next(&home, &run);
    assert!(told.starts_with("WORKFLOW_VERSION_MISSING: needs sample/steps version 3; "), "{told}");
}

#[test]
fn a_run_that_was_put_aside_is_shown_with_its_damage() {
    let home = Home::new();
    let run = home.detach("sample/steps", "{}");
    change(&home, "UPDATE snapshots SET state = replace(state, 'local', 'nobody')");
    let _worker = home.worker();
    until("it is put aside", || (home.status(&run) == "waiting").then_some(()));
    let told = next(&home, &run);
    assert!(told.contains("damaged") && told.contains("its snapshot was changed"), "{told}");
    assert!(told.contains(&format!("`consign runs verify {run}`")), "{told}");
    assert_eq!(home.run(&["inbox"]).exits(0).stdout, "");
}

#[test]
fn a_run_that_was_cancelled_says_by_whom_and_why() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    home.run(&["runs", "cancel", &run, "--reason", "wrong branch"]).exits(0);
    let shown = home.run(&["runs", "show", &run]).exits(0).stdout;
    let told = shown.lines().find(|line| line.starts_with("cancelled  ")).expect("it is told");
    assert!(told.contains("by cli:") && told.ends_with(": wrong branch"), "{told}");
    assert_eq!(text(&home.show(&run)["cancelled"], "reason"), "wrong branch");
}

#[test]
fn the_journal_is_one_event_to_a_line() {
    let home = Home::new();
    let run = home.start("sample/steps", "{}", 0);
    let journal = home.run(&["runs", "show", &run, "--events", "--json"]).exits(0);
    keeps("engine/event", &journal.stdout);
    let events = journal.json_lines();
    let kinds: Vec<_> = events.iter().map(|event| text(event, "kind")).collect();
    let call = ["call_started", "call_completed"];
    let expected = [&["created"][..], &call, &call, &call, &["succeeded"]].concat();
    assert_eq!(kinds, expected);
    // Each names the hash of the one before, and the run's head is the last.
    let hash = |event: &Value| event["hash"].clone();
    for (before, event) in events.iter().zip(&events[1..]) {
        assert_eq!(event["prev"], hash(before));
    }
    assert_eq!(hash(&events[7]), home.show(&run)["head"]);
    let piped = home.run(&["runs", "show", &run, "--events"]).exits(0).stdout;
    assert_eq!(piped.lines().count(), 8);
    assert!(piped.lines().all(|line| line.split('\t').count() == 5), "{piped}");
}

/// Layout would break the line; digits and order are the user's.
#[test]
fn an_input_of_several_lines_is_still_one_line_of_the_journal() {
    let home = Home::new();
    let file = home.file("input.json", "{\n  \"cost_usd\": 0.50,\r\n\t\"calls\": 1\n}\n");
    let run = home.start("sample/budget", &file, 0);
    let journal = home.run(&["runs", "show", &run, "--events", "--json"]).exits(0);
    assert_eq!(journal.json_lines().len(), 4);
    let first = journal.stdout.lines().next().unwrap_or_default();
    assert!(first.contains(r#""input":{"cost_usd":0.50,"calls":1}"#), "{first}");
}

#[test]
fn a_long_journal_is_shown_from_its_end_and_can_be_read_whole() {
    let home = Home::new();
    let run = home.start("sample/steps", r#"{"steps": 600}"#, 0);
    let shown = home.run(&["runs", "show", &run]).exits(0).stdout;
    assert!(shown.contains("newest events\n") && !shown.contains(" created   "), "{shown}");
    assert!(shown.ends_with("--events` shows all 1202\n"), "{shown}");
    assert!(shown.lines().count() < 40);
    let whole = home.run(&["runs", "show", &run, "--events", "--json"]).exits(0);
    let last = whole.json_lines().pop().expect("there are events");
    assert_eq!(last["seq"], json!(1201));
}
