//! `consign runs watch`

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use rustix::process::Signal;

use crate::home::{Home, keeps, until};

#[test]
fn a_run_that_is_over_is_told_to_the_end() {
    let home = Home::new();
    let run = home.start("sample/steps", "{}", 0);
    let all = home.run(&["runs", "watch", &run, "--json"]).exits(0);
    keeps("engine/event", &all.stdout);
    assert_eq!(all.json_lines().len(), 8);
    let rest = home.run(&["runs", "watch", &run, "--json", "--from", "5"]).exits(0);
    assert!(all.stdout.ends_with(&rest.stdout));
    assert_eq!(rest.json_lines().len(), 3);
    let none = home.run(&["runs", "watch", &run, "--json", "--from", "8"]).exits(0);
    assert_eq!(none.stdout, "");
}

#[test]
fn the_exit_code_is_that_of_the_run() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    home.run(&["runs", "cancel", &run]).exits(0);
    home.run(&["runs", "watch", &run]).exits(1).telling("error[CANCELLED]: ");
}

#[test]
fn events_are_told_as_they_happen_and_waits_once() {
    let home = Home::new();
    let run = home.detach("sample/approval", "{}");
    let people = home.spawn(&["runs", "watch", &run]);
    let programs = home.spawn(&["runs", "watch", &run, "--json"]);
    let worker = home.worker();
    until("both see what is asked", || {
        let both = [&people, &programs].iter().all(|watch| watch.stdout().contains("asked"));
        both.then_some(())
    });
    until("people are told how to answer", || {
        people.stderr().contains(&format!("consign runs approve {run} ask-1")).then_some(())
    });
    home.run(&["runs", "answer", &run, "--value", "true"]).exits(0);
    let people = people.wait().exits(0);
    assert_eq!(people.stderr.matches("waits for approval").count(), 1, "{people:#?}");
    let programs = programs.wait().exits(0);
    assert_eq!(programs.stderr, "");
    keeps("engine/event", &programs.stdout);
    assert_eq!(programs.stdout.lines().count(), people.stdout.lines().count());
    worker.signal(Signal::TERM);
    worker.wait().exits(0);
}

#[test]
fn a_run_that_nobody_goes_on_with_is_called_so() {
    let home = Home::new();
    let run = home.detach("sample/steps", "{}");
    let watch = home.spawn(&["runs", "watch", &run]);
    until("it is told", || watch.stderr().contains("queued for a worker").then_some(()));
    home.run(&["runs", "resume", &run]).exits(0);
    watch.wait().exits(0);
}

#[test]
fn on_a_terminal_it_is_a_view_of_where_the_run_stands() {
    let home = Home::new();
    let run = home.start("sample/budget", "{}", 0);
    for columns in [40, 120] {
        let view = home.terminal().wide(columns).consign(&["runs", "watch", &run]).exits(0).stdout;
        assert!(view.starts_with(&format!("{run}  sample/budget")), "{view:?}");
        assert!(view.lines().all(|line| line.chars().count() < columns.into()), "{view:?}");
    }
    let plain = home.terminal().consign(&["runs", "watch", &run, "--color", "never"]).exits(0);
    assert_eq!(plain.stdout.lines().count(), 8);
    assert!(!plain.stdout.contains('\u{1b}'), "{plain:?}");
}

#[test]
fn a_small_terminal_shows_the_newest_events_and_no_more_than_fit() {
    let home = Home::new();
    let run = home.start("sample/steps", r#"{"steps": 20}"#, 0);
    for rows in [3, 6, 10, 12, 40] {
        let view = home.terminal().tall(rows).consign(&["runs", "watch", &run]).exits(0).stdout;
        let lines: Vec<_> = view.lines().collect();
        assert!(lines.len() < usize::from(rows), "{rows}: {view:?}");
        if rows > 3 {
            assert!(lines[lines.len() - 1].contains("succeeded  "), "{rows}: {view:?}");
            let events = lines.iter().filter(|line| line.contains("  +")).count();
            assert!(view.contains(&format!("… {} earlier", 42 - events)), "{rows}: {view:?}");
        }
    }
}

#[test]
fn what_is_asked_is_shown_in_its_order_with_how_to_answer_it() {
    let home = Home::new();
    let run = home.start("sample/approval", r#"{"asks": 12, "deadline_seconds": 600}"#, 43);
    let terminal = home.terminal().tall(60);
    let cancel = std::thread::scope(|scope| {
        let watch = scope.spawn(|| terminal.consign(&["runs", "watch", &run]));
        std::thread::sleep(std::time::Duration::from_millis(1500));
        home.run(&["runs", "cancel", &run]).exits(0);
        watch.join().expect("it ends")
    });
    let view = cancel.exits(1).stdout;
    let place = |words: &str| view.find(words).unwrap_or_else(|| panic!("{words:?}: {view:?}"));
    assert!(place("ask-1: waits") < place("ask-2: waits"));
    assert!(!view.contains("ask-10: waits"), "{view:?}");
    place(&format!("consign runs approve {run} ask-2"));
    place("can be answered for another 9m");
    // A screen that is wiped from its first row on is kept by some terminals.
    assert!(!view.contains("A\u{1b}[J"), "{view:?}");
}

#[test]
fn a_reader_that_leaves_ends_the_watch_of_an_idle_run() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    let mut command = home.consign(&["runs", "watch", &run]).into_command();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut watch = command.spawn().expect("it starts");
    // Everything so far is read: nothing more is going to be written.
    let mut stdout = BufReader::new(watch.stdout.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("\tasked\t") {
        line.clear();
        assert_ne!(stdout.read_line(&mut line).expect("it is text"), 0);
    }
    drop(stdout);
    let status = until("it ends", || watch.try_wait().expect("it is ours"));
    assert_eq!(status.code(), Some(0));
}
