//! `consign demo`

use serde_json::json;

use crate::support::{Consign, Folder, consign, keys, root, text};

#[test]
fn the_tour_shows_a_good_document_a_bad_one_and_what_a_change_would_break() {
    let tour = consign(["demo"]).exits(0);
    assert_eq!(tour.stderr, "");
    for shown in [
        "bridge\t6\tAgent Bridge",
        "examples/good-request.json: valid bridge/agent-request\n",
        "examples/bad-request.json: invalid bridge/agent-request\n",
        "/request_id\tformat\t",
        "/phase\tmaximum\t",
        "(document)\tadditionalProperties\tunknown field `priority`",
        "standard input: malformed: duplicate key \"action\"",
        "bridge/agent-request: incompatible",
    ] {
        assert!(tour.stdout.contains(shown), "{shown:?} is not shown: {}", tour.stdout);
    }
}

#[test]
fn the_tour_names_every_family_with_its_size() {
    let tour = consign(["demo", "--json"]).exits(0).json();
    for family in tour["families"].as_array().expect("families are a list") {
        let listed = consign(["contracts", "list", text(family, "family")]).exits(0);
        assert_eq!(family["contracts"], json!(listed.stdout.lines().count()), "{family}");
    }
    assert_eq!(tour["families"].as_array().map(Vec::len), Some(6));
}

#[test]
fn for_programs_the_tour_is_one_object() {
    let tour = consign(["demo", "--json"]).exits(0).json();
    assert_eq!(keys(&tour), ["bad", "counter_example", "families", "good", "repeated_key"]);
    assert_eq!((&tour["good"]["valid"], &tour["good"]["breaches"]), (&json!(true), &json!([])));
    assert_eq!(tour["bad"]["valid"], json!(false));
    assert!(tour["bad"]["breaches"].as_array().is_some_and(|breaches| breaches.len() > 3));
    assert_eq!(keys(&tour["repeated_key"]), ["contract", "malformed", "valid"]);
}

#[test]
fn the_tours_counter_example_really_is_valid_today() {
    let tour = consign(["demo", "--json"]).exits(0).json();
    let example = &tour["counter_example"];
    assert!(example.get("timeout_seconds").is_none(), "{example}");
    let check = Consign::new(["contracts", "check", "bridge/agent-request"]);
    check.stdin(example.to_string()).run().exits(0);
}

#[test]
fn the_tour_runs_a_pipeline_and_asks_a_code_base() {
    let tour = consign(["demo"]).exits(0).stdout;
    let commands = tour.lines().filter_map(|line| line.strip_prefix("$ consign "));
    for (begins, exit) in [("run examples/words.toml", 0), ("ask-code ", 0)] {
        let mut named = commands.clone().filter(|command| command.starts_with(begins));
        let command = named.next().unwrap_or_else(|| panic!("{begins}: {tour}"));
        let typed = format!("{} {command}", env!("CARGO_BIN_EXE_consign"));
        let home = Folder::new();
        let run = Consign::of("sh", ["-c", &typed]).folder(&root());
        let run = run.env("CONSIGN_HOME", home.path()).run().exits(exit);
        // The tour's copy has no history to ask about.
        let said = run.stdout.split("\nYou could ask").next().unwrap_or_default();
        assert!(!said.is_empty() && tour.contains(said), "{tour}\n{run:#?}");
    }
}

/// What the tour claims a command prints is what the command prints.
#[test]
fn a_command_of_the_tour_says_what_the_tour_says() {
    let tour = consign(["demo"]).exits(0).stdout;
    let (_, after) = tour.split_once("$ echo '").expect("the tour has a command with echo");
    let (document, after) = after.split_once("' | consign ").expect("it goes to consign");
    let (args, shown) = after.split_once('\n').expect("its output follows");
    let run = Consign::new(args.split(' ')).stdin(format!("{document}\n")).run().exits(1);
    assert!(shown.starts_with(&run.stdout), "{run:#?}");
}
