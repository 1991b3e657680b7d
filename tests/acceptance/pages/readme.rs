//! `README.md`: short, and its first command prints what stands below it.

use std::fs;

use super::{page, rows, section};
use crate::support::{Consign, Folder, root};

const BEGIN: &str = "<!-- output: begin -->\n";
const END: &str = "<!-- output: end -->\n";
/// The id that the page shows in place of a new one at each run.
const RUN: &str = "2a3gq0m4c9xw5r7t";

#[test]
fn the_readme_has_less_than_150_lines_and_names_all_five_systems() {
    let page = page("README.md");
    assert!(page.lines().count() < 150, "{} lines", page.lines().count());
    let systems = rows(section(&page, "## What works"));
    assert_eq!(systems.len(), 1 + 5, "{systems:?}");
    let works = systems.iter().filter(|row| row[1] == "works").count();
    assert_eq!(works, 4, "{systems:?}");
}

/// What the first command of the page prints, in the order in which it does.
fn printed(command: &str) -> String {
    let home = Folder::new();
    let binary = env!("CARGO_BIN_EXE_consign");
    let line = command.replace("./run ", &format!("'{binary}' "));
    let shell = Consign::of("sh", ["-c", &format!("{line} 2>&1")]);
    let shell = shell.env("CONSIGN_HOME", home.path()).env("COLUMNS", "100").folder(&root());
    let out = shell.run().exits(43).stdout;
    let id = out.strip_prefix("run ").and_then(|rest| rest.split_once(':'));
    let (id, _) = id.unwrap_or_else(|| panic!("the run is not named first: {out}"));
    out.replace(id, RUN)
}

#[test]
fn the_first_command_of_the_readme_prints_what_stands_below_it() {
    let page = page("README.md");
    let (before, rest) = page.split_once(BEGIN).expect("the page says where it begins");
    let (told, after) = rest.split_once(END).expect("the page says where it ends");
    let block = told.strip_prefix("```console\n$ ").expect("a block with a command");
    // A command goes on where a line ends with a backslash.
    let lines = block.split_inclusive('\n');
    let mut length = 0;
    for line in lines {
        length += line.len();
        if !line.ends_with("\\\n") {
            break;
        }
    }
    let command = &block[..length];
    let ours = format!("```console\n$ {command}{}```\n", printed(command.trim_end()));
    if told == ours {
        return;
    }
    if std::env::var_os("CONSIGN_UPDATE_PAGES").is_some() {
        fs::write(root().join("README.md"), format!("{before}{BEGIN}{ours}{END}{after}"))
            .expect("the page can be written");
        return;
    }
    panic!(
        "README.md is out of date; to update it:\n\
         CONSIGN_UPDATE_PAGES=1 cargo nextest run -p consign-cli --test acceptance pages::\n\
         It should have:\n{ours}"
    );
}
