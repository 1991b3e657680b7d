//! What runs, agents and users say never speaks to the terminal, nor in our name

use serde_json::json;

use crate::{
    escapes::{SPELLS, tame},
    home::Home,
    support::text,
};

const COLOR: [&str; 2] = ["--color", "always"];

#[test]
fn escape_sequences_in_names_never_reach_the_terminal() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    let mut told = Vec::new();
    for spell in SPELLS {
        for args in [
            &["runs", "start", spell][..],
            &["runs", "start", "sample/steps", "--input", spell],
            &["runs", "start", "sample/steps", "--owner", spell],
            &["runs", "show", spell],
            &["runs", "watch", spell],
            &["runs", "list", "--status", spell],
            &["runs", "list", "--cursor", spell],
            &["runs", "answer", &run, spell, "--value", "true"],
            &["runs", "answer", &run, "--value", spell],
            &["runs", "verify", &run, "--head", spell],
            &["inbox", "--cursor", spell],
            &["inbox", "--cursor", &format!("{run}/{spell}")],
            &["budget", "set", spell, "--cost", "1"],
        ] {
            told.push(home.run(&[&COLOR, args].concat()));
        }
    }
    tame(told);
}

#[test]
fn escape_sequences_in_runs_never_reach_the_terminal() {
    let mut told = Vec::new();
    for spell in SPELLS {
        let home = Home::new();
        // An agent's fault that repeats it, an input that holds it, and a reason that is it.
        let input = json!({"class": "pure", "file": format!("/proc/{spell}/x")}).to_string();
        let args = ["runs", "start", "sample/effects", "--input", &input];
        let failed = text(&home.json(&args, 1), "id").to_owned();
        told.push(home.run(&[&COLOR, &args[..]].concat()).exits(1));
        let cancelled = home.start("sample/approval", "{}", 43);
        let cancel = ["runs", "cancel", &cancelled, "--reason", spell];
        told.push(home.run(&[&COLOR, &cancel[..]].concat()).exits(0));
        for run in [&failed, &cancelled] {
            for args in [["runs", "show", run].as_slice(), &["runs", "show", run, "--events"]] {
                told.push(home.run(&[&COLOR, args].concat()).exits(0));
            }
            told.push(home.run(&[&COLOR, &["runs", "watch", run][..]].concat()).exits(1));
        }
        let view = home.terminal().consign(&["runs", "watch", &failed, "--color", "never"]);
        told.push(view.exits(1));
    }
    tame(told);
}
