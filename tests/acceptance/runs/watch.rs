//! `consign runs watch`

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
        people
            .stderr()
            .contains(&format!("consign runs answer {run} ask-1 --value true"))
            .then_some(())
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
