//! `docs/service.md`: the walkthrough is run as it stands there, in one shell, and prints what the page shows; commands
//! that are only shown name options that exist.

use std::{path::Path, process::Command};

use serde_json::{Value, json};

use super::{
    blocks::{blocks, has},
    page,
};
use crate::support::{Consign, Folder};

const PAGE: &str = "docs/service.md";

/// The blocks of the walkthrough, each with what the page shows below it.
fn steps(page: &str) -> Vec<(String, Option<(String, String)>)> {
    let blocks = blocks(page);
    let shown = |at: usize| {
        let next: Option<&(String, String)> = blocks.get(at + 1);
        next.filter(|(language, _)| language == "json" || language == "text").cloned()
    };
    let numbered = blocks.iter().enumerate();
    let ours = numbered.filter(|(_, (language, _))| language == "sh");
    ours.map(|(at, (_, block))| (block.clone(), shown(at))).collect()
}

/// One script: the steps share their variables, and what each prints goes into a file of its own.
fn script(steps: &[(String, Option<(String, String)>)]) -> String {
    let mut script =
        "set -eu\nSERVER=\ntrap 'test -z \"$SERVER\" || kill \"$SERVER\"' EXIT\n".to_owned();
    for (number, (block, _)) in steps.iter().enumerate() {
        script += &format!("echo 'step {number}' >&2\n{{\n{block}\n}} > printed-{number}\n");
    }
    script + "kill \"$SERVER\"; wait \"$SERVER\" || true; SERVER=\n"
}

#[test]
fn every_step_of_the_walkthrough_does_what_the_page_shows() {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no `curl` here, so the walkthrough of {PAGE} was NOT run");
        return;
    }
    let folder = Folder::new();
    let steps = steps(&page(PAGE));
    assert!(steps.len() >= 25, "the page had more: {}", steps.len());
    let binary = Path::new(env!("CARGO_BIN_EXE_consign"));
    let programs = binary.parent().expect("it is in a folder").display();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    // `timeout` ends the server with the shell.
    let shell = Consign::of("timeout", ["180", "sh", "-c", &script(&steps)]);
    let shell = shell.env("CONSIGN_HOME", folder.path().join("home")).env("PATH", path);
    shell.folder(folder.path()).run().exits(0);
    for (number, (block, shown)) in steps.iter().enumerate() {
        let printed = folder.path().join(format!("printed-{number}"));
        let printed = std::fs::read_to_string(printed).expect("every step was run");
        match shown {
            Some((language, sample)) if language == "json" => {
                let sample: Value = serde_json::from_str(sample).expect("the page has JSON");
                let last = printed.trim_end().lines().last().unwrap_or_default();
                let found =
                    serde_json::from_str(last).unwrap_or_else(|_| panic!("{printed}: {block}"));
                has(&found, &sample, block);
                // An empty list is shown to say that nothing is there.
                if sample["items"] == json!([]) {
                    assert_eq!(found["items"], json!([]), "{block}");
                }
            }
            Some((_, sample)) => {
                for line in sample.lines() {
                    let mut parts = line.split('…');
                    let begins = parts.next().unwrap_or_default();
                    let fits = |own: &str| {
                        own.starts_with(begins) && line.split('…').all(|part| own.contains(part))
                    };
                    assert!(printed.lines().any(fits), "{line:?} is not in {printed}: {block}");
                }
            }
            None => {}
        }
    }
}

#[test]
fn what_is_only_shown_names_options_that_exist() {
    let page = page(PAGE);
    let shown = blocks(&page).into_iter().filter(|(language, _)| language == "console");
    let mut checked = 0;
    for (_, block) in shown {
        let joined = block.replace("\\\n", " ");
        let commands = joined.lines().filter_map(|line| line.strip_prefix("$ "));
        for command in commands.filter(|command| command.starts_with("consign ")) {
            let words: Vec<&str> = command.split_whitespace().skip(1).collect();
            let name = words.first().expect("a command has a name");
            let help = Consign::new([*name, "--help"]).run().exits(0).stdout;
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap_or_default();
                assert!(help.contains(option), "{command}: `consign {name}` has no {option}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 5, "the page had more options: {checked}");
}
