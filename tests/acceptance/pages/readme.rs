//! `README.md`: short, and its commands print what stands below them.
//!
//! Blocks of commands with their output stand between comments. What differs from run to run has a fixed form on the page:
//! ids, times, and scores of a processor that rounds otherwise.

use std::{fs, path::Path};

use super::{page, rows, section};
use crate::{
    harness::embeddings,
    support::{Consign, Folder, root},
    terminal::Terminal,
};

const BEGIN: &str = "<!-- output: begin -->\n";
const END: &str = "<!-- output: end -->\n";
/// The id that the page shows in place of a new one at each run.
const RUN: &str = "2a3gq0m4c9xw5r7t";
/// And the time that a turn took.
const TOOK: &str = "0.1 s";

#[test]
fn the_readme_has_less_than_150_lines_and_names_all_five_systems() {
    let page = page("README.md");
    assert!(page.lines().count() < 150, "{} lines", page.lines().count());
    let systems = rows(section(&page, "## What works"));
    assert_eq!(systems.len(), 1 + 5, "{systems:?}");
    let works = systems.iter().filter(|row| row[1] == "works").count();
    assert_eq!(works, 5, "{systems:?}");
}

/// What a command about a run prints, in the order in which it does.
fn printed(command: &str) -> String {
    let home = Folder::new();
    let shell = Consign::of("sh", ["-c", &format!("{} 2>&1", of_binary(command))]);
    let shell = shell.env("CONSIGN_HOME", home.path()).env("COLUMNS", "100").folder(&root());
    let out = shell.run().exits(43).stdout;
    let id = out.strip_prefix("run ").and_then(|rest| rest.split_once(':'));
    let (id, _) = id.unwrap_or_else(|| panic!("the run is not named first: {out}"));
    out.replace(id, RUN)
}

/// `./run` builds and then is `consign`.
fn of_binary(command: &str) -> String {
    command.replace("./run ", &format!("'{}' ", env!("CARGO_BIN_EXE_consign")))
}

/// What a command about documents leaves on a terminal. Steps of a turn are drawn there, and go when the answer comes.
fn on_a_terminal(home: &Path, models: &Path, command: &str) -> String {
    let terminal = Terminal::new().wide(100).set("NO_COLOR", "1");
    let terminal = terminal.set("CONSIGN_HOME", home.display().to_string());
    let terminal = terminal.set("CONSIGN_MODELS", models.display().to_string());
    let line = format!("cd '{}' && {}", root().display(), of_binary(command));
    let out = terminal.shell(&line).exits(0).stdout;
    let is_step =
        |line: &str| ["✓ ", "– ", "✗ ", "vectors "].iter().any(|mark| line.starts_with(mark));
    let lines = out.lines().filter(|line| !is_step(line)).map(|line| {
        let line = line.trim_end();
        if let Some(id) = line.strip_prefix("run ") {
            return line.replace(id, RUN);
        }
        match line.rsplit_once(", ").filter(|(_, took)| is_seconds(took)) {
            Some((before, _)) => format!("{before}, {TOOK}"),
            None => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// `0.4 s`
fn is_seconds(text: &str) -> bool {
    text.strip_suffix(" s").is_some_and(|number| number.parse::<f64>().is_ok())
}

/// The commands of a block. One goes on where a line ends with a backslash.
fn commands(block: &str) -> Vec<&str> {
    let (mut commands, mut from, mut at) = (Vec::new(), None, 0);
    for line in block.split_inclusive('\n') {
        let begin = match (from, line.strip_prefix("$ ")) {
            (None, Some(_)) => at + 2,
            (Some(begin), _) => begin,
            (None, None) => {
                at += line.len();
                continue;
            }
        };
        at += line.len();
        from = line.ends_with("\\\n").then_some(begin);
        if from.is_none() {
            commands.push(block[begin..at].trim_end());
        }
    }
    commands
}

/// Holds the block that has this command against what `made` makes of all its commands.
fn hold(first: &str, same: impl Fn(&str, &str) -> bool, made: impl Fn(&str) -> String) {
    let page = page("README.md");
    let blocks = page.match_indices(BEGIN).map(|(at, _)| at + BEGIN.len());
    let blocks = blocks.map(|from| {
        let length = page[from..].find(END).expect("a block ends");
        (from, &page[from..from + length])
    });
    let (from, told) = blocks
        .into_iter()
        .find(|(_, block)| block.contains(&format!("$ {first}")))
        .unwrap_or_else(|| panic!("no block has {first}"));
    let each = commands(told).into_iter().map(|command| format!("$ {command}\n{}", made(command)));
    let ours = format!("```console\n{}```\n", each.collect::<Vec<_>>().join("\n"));
    if same(told, &ours) {
        return;
    }
    if std::env::var_os("CONSIGN_UPDATE_PAGES").is_some() {
        let page = format!("{}{ours}{}", &page[..from], &page[from + told.len()..]);
        fs::write(root().join("README.md"), page).expect("the page can be written");
        return;
    }
    panic!(
        "README.md is out of date; to update it:\n\
         CONSIGN_UPDATE_PAGES=1 cargo nextest run -p consign-cli --test acceptance pages::\n\
         It should have:\n{ours}"
    );
}

#[test]
fn the_first_command_of_the_readme_prints_what_stands_below_it() {
    hold("./run run ", |told, ours| told == ours, printed);
}

#[test]
fn the_documents_of_the_readme_are_taken_in_found_and_asked() {
    let Some(models) = embeddings() else { return };
    let home = Folder::new();
    let made = |command: &str| {
        let out = on_a_terminal(home.path(), &models, command);
        if command.contains(" ingest ") {
            // Searches wait for nothing, and this page shows what they say when all is done.
            on_a_terminal(home.path(), &models, "./run ingest --wait-vectors");
        }
        out
    };
    hold("./run ingest ", |told, ours| without_scores(told) == without_scores(ours), made);
    let page = page("README.md");
    assert!(page.contains("This is not in the documents."), "nothing is refused on the page");
}

/// A text whose scores are all the same.
fn without_scores(text: &str) -> String {
    let is_score = |word: &str| {
        let number = word.trim_end_matches(',');
        number.len() == 4 && number.parse::<f64>().is_ok_and(|score| (0.0..=1.0).contains(&score))
    };
    text.split(' ')
        .map(|word| if is_score(word) { "0.99" } else { word })
        .collect::<Vec<_>>()
        .join(" ")
}
