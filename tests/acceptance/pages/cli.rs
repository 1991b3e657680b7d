//! `docs/cli.md`: the help of every command as the program prints it, and exit codes as it knows them.

use std::{collections::BTreeSet, fmt::Write, fs};

use super::{page, rows, section};
use crate::support::{Consign, root};

const PAGE: &str = "docs/cli.md";
const BEGIN: &str = "<!-- help: begin -->\n";
const END: &str = "<!-- help: end -->\n";
/// Set to rewrite what is generated.
const UPDATE: &str = "CONSIGN_UPDATE_PAGES";
const COMMAND: &str =
    "CONSIGN_UPDATE_PAGES=1 cargo nextest run -p consign-cli --test acceptance pages::cli";

/// The help of a command, always of the same width, whatever terminal there is.
fn help(path: &[String]) -> String {
    let args = path.iter().map(String::as_str).chain(["--help"]);
    let help = Consign::new(args).env("COLUMNS", "100").run().exits(0);
    let lines = help.stdout.trim_end().lines().map(str::trim_end);
    lines.collect::<Vec<_>>().join("\n")
}

/// The subcommands that a help text names, in its order.
fn subcommands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| line.starts_with("  "));
    // A name is in column two; further right the line above goes on.
    let names = listed.filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// A command and everything below it, in the order of the help.
fn tree(path: Vec<String>) -> Vec<(Vec<String>, String)> {
    let help = help(&path);
    let below = subcommands(&help);
    let mut all = vec![(path.clone(), help)];
    all.extend(below.into_iter().flat_map(|name| tree([&path[..], &[name]].concat())));
    all
}

/// The generated part of the page: a list of all commands, then each with its help.
fn generated() -> String {
    let commands = tree(Vec::new());
    assert!(commands.len() > 40, "the help names only {} commands", commands.len());
    let name = |path: &[String]| [&["consign".to_owned()], path].concat().join(" ");
    let mut text = "\n| command | what it does |\n|---|---|\n".to_owned();
    for (path, help) in commands.iter().filter(|(path, _)| !path.is_empty()) {
        let name = name(path);
        let about = help.lines().next().expect("help begins with what the command is for");
        let about = about.replace('|', "\\|");
        writeln!(text, "| [`{name}`](#{}) | {about} |", name.replace(' ', "-"))
            .expect("a text takes everything");
    }
    for (path, help) in &commands {
        write!(text, "\n## {}\n\n```text\n{help}\n```\n", name(path))
            .expect("a text takes everything");
    }
    text
}

#[test]
fn the_page_of_commands_is_what_their_help_says() {
    let page = page(PAGE);
    let (before, rest) = page.split_once(BEGIN).expect("the page says where the help begins");
    let (told, after) = rest.split_once(END).expect("the page says where the help ends");
    let ours = generated();
    if told == ours {
        return;
    }
    if std::env::var_os(UPDATE).is_some() {
        fs::write(root().join(PAGE), format!("{before}{BEGIN}{ours}{END}{after}"))
            .expect("the page can be written");
        return;
    }
    let differs = told.lines().zip(ours.lines()).find(|(told, ours)| told != ours);
    panic!(
        "{PAGE} is out of date: {}\nto update it: {COMMAND}",
        differs.map_or("it has another length".to_owned(), |(told, ours)| format!(
            "the page says\n  {told}\nand the program\n  {ours}"
        ))
    );
}

#[test]
fn the_exit_codes_of_the_page_are_those_of_the_help() {
    let help = help(&[]);
    let listed = help.lines().skip_while(|line| *line != "Exit codes:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    // ` 130  stopped by Ctrl-C (143: by SIGTERM)`
    let numbers = |text: &str| -> BTreeSet<u8> {
        text.split(|letter: char| !letter.is_ascii_digit())
            .filter_map(|it| it.parse().ok())
            .collect()
    };
    let ours: BTreeSet<u8> = listed.flat_map(numbers).collect();
    let page = page(PAGE);
    let told: BTreeSet<u8> =
        rows(section(&page, "## Exit codes")).iter().flat_map(|row| numbers(row[0])).collect();
    assert!(ours.len() >= 8, "{help}");
    assert_eq!(told, ours, "{PAGE}, Exit codes");
}
