//! `consign runs list`, and how a run is named

use serde_json::Value;

use crate::{
    home::{Home, keeps},
    support::text,
};

fn ids(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|run| text(run, "id")).collect()
}

#[test]
fn runs_come_newest_first_for_every_reader() {
    let home = Home::new();
    let first = home.start("sample/steps", "{}", 0);
    let second = home.start("sample/approval", "{}", 43);
    let listed = home.run(&["runs", "list", "--json"]).exits(0);
    keeps("engine/run", &listed.stdout);
    assert_eq!(ids(&listed.json_lines()), [second.as_str(), first.as_str()]);

    let piped = home.run(&["runs", "list"]).exits(0);
    assert_eq!(piped.stderr, "");
    let fields: Vec<Vec<_>> = piped.stdout.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(fields[0][..6], [second.as_str(), "sample/approval", "waiting", "local", "0", "10"]);
    assert_eq!(fields[1][2], "succeeded");

    let table = home.terminal().consign(&["runs", "list", "--color", "never"]).exits(0).stdout;
    let head: Vec<_> = table.lines().next().unwrap_or_default().split_whitespace().collect();
    assert_eq!(head, ["run", "workflow", "status", "owner", "spent", "created"]);
    assert!(table.contains(&second) && table.contains("$0 of $10"), "{table}");
}

#[test]
fn on_a_terminal_ids_stay_whole_and_the_status_has_colour() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    for columns in [40, 60, 120] {
        for args in [&["runs", "list"][..], &["inbox"]] {
            let table = home.terminal().wide(columns).consign(args).exits(0).stdout;
            assert!(table.contains(&run), "{columns}: {table}");
        }
    }
    let list = |args: &[&str]| home.terminal().consign(args).exits(0).stdout;
    assert!(list(&["runs", "list"]).contains("\u{1b}[38;5;11m"), "{}", list(&["runs", "list"]));
    assert!(!list(&["runs", "list", "--color", "never"]).contains('\u{1b}'));
}

#[test]
fn an_empty_list_is_empty_and_teaches_people() {
    let home = Home::new();
    for args in [&["runs", "list"][..], &["runs", "list", "--json"]] {
        let run = home.run(args).exits(0);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    }
    let told = home.terminal().consign(&["runs", "list"]).exits(0).stdout;
    assert!(told.contains("consign runs start"), "{told}");
}

#[test]
fn lists_can_be_narrowed() {
    let home = Home::new();
    let steps = home.start("sample/steps", "{}", 0);
    let asks = home.start("sample/approval", "{}", 43);
    let args = ["runs", "start", "sample/steps", "--owner", "alice", "--detach"];
    let alices = text(&home.json(&args, 0), "id").to_owned();
    let check = |narrow: &[&str], expected: &[&str]| {
        let args = [&["runs", "list", "--json"], narrow].concat();
        assert_eq!(ids(&home.run(&args).exits(0).json_lines()), expected, "{narrow:?}");
    };
    check(&["--status", "waiting"], &[&asks]);
    check(&["--workflow", "sample/steps"], &[&alices, &steps]);
    check(&["--owner", "alice"], &[&alices]);
    check(&["--owner", "local", "--status", "succeeded"], &[&steps]);
    check(&["--owner", "bob"], &[]);
    home.run(&["runs", "list", "--status", "done"]).fails(2, "USAGE").telling("succeeded, failed");
}

#[test]
fn a_list_goes_on_where_it_stopped_and_says_that_it_stopped() {
    let home = Home::new();
    let mut expected: Vec<_> = (0..5).map(|_| home.detach("sample/steps", "{}")).collect();
    expected.reverse();
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let mut args = vec!["runs", "list", "--json", "--limit", "2"];
        args.extend(cursor.iter().flat_map(|cursor| ["--cursor", cursor.as_str()]));
        let page = home.run(&args).exits(0);
        let lines = page.json_lines();
        seen.extend(ids(&lines).into_iter().map(str::to_owned));
        if page.stderr.is_empty() {
            break;
        }
        // Programs are told as they read, people in words.
        let more: Value = serde_json::from_str(&page.stderr).expect("it is JSON");
        let last = seen.last().cloned();
        assert_eq!(more["cursor"].as_str(), last.as_deref(), "{page:#?}");
        args.retain(|arg| *arg != "--json");
        let told = format!("--cursor {}", seen[seen.len() - 1]);
        home.run(&args).exits(0).telling(&told);
        cursor = last;
    }
    assert_eq!(seen, expected);
    let all = home.run(&["runs", "list", "--all"]).exits(0);
    assert_eq!((all.stdout.lines().count(), all.stderr.as_str()), (5, ""));
    home.run(&["runs", "list", "--limit", "0"]).fails(2, "USAGE");
    home.run(&["runs", "list", "--all", "--limit", "3"]).fails(2, "USAGE");
    home.run(&["runs", "list", "--cursor", "nobody"]).fails(1, "RUN_NOT_FOUND");
}

#[test]
fn a_run_is_named_by_the_first_letters_of_its_id() {
    let home = Home::new();
    let id = home.start("sample/steps", "{}", 0);
    for name in [&id[..4], &id[..9], &id, &id.to_uppercase(), &format!(" {id} ")] {
        assert_eq!(text(&home.show(name), "id"), id, "{name:?}");
    }
    home.run(&["runs", "show", &id[..3]]).fails(2, "USAGE").telling("at least 4 letters");
    for name in ["", "nobody", "iiii", "%%%%", "____", "a\u{1b}[2Jb", "../../etc"] {
        home.run(&["runs", "show", name]).fails(1, "RUN_NOT_FOUND").telling("consign runs list");
    }
}

#[test]
fn letters_that_name_several_runs_are_answered_with_all_of_them() {
    let home = Home::new();
    // Sooner or later two ids begin alike: the letters are looked for, not made.
    home.detach("sample/steps", "{}");
    let database = rusqlite::Connection::open(home.path().join("consign.db")).expect("it is there");
    home.detach("sample/steps", "{}");
    for (key, id) in [(1, "samesame00000001"), (2, "samesame00000002")] {
        database
            .execute("UPDATE runs SET id = ?2 WHERE key = ?1", (key, id))
            .expect("ours to change");
    }
    home.run(&["runs", "show", "same"])
        .fails(1, "RUN_AMBIGUOUS")
        .telling("samesame00000001  sample/steps  queued")
        .telling("samesame00000002  sample/steps  queued")
        .telling("more letters");
    home.run(&["runs", "show", "samesame00000002"]).exits(0);
}
