//! What people see: tables and colour on a terminal
//!
//! `script` (bsdutils, which every Debian has) gives the binary a terminal of its own.

use std::process::{Command, Stdio};

use crate::{
    documents::one_golden,
    escapes::{SPELLS, tame},
    support::{Folder, Outcome, plain},
};

const RESPONSE: &str = "job/agent-response";

/// A terminal of some size, and settings in the environment.
pub(crate) struct Terminal {
    columns: u16,
    rows: u16,
    settings: Vec<(&'static str, String)>,
    typed: &'static str,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        let settings = vec![("TERM", "xterm-256color".to_owned())];
        Self { columns: 120, rows: 40, settings, typed: "" }
    }

    pub(crate) fn wide(self, columns: u16) -> Self {
        Self { columns, ..self }
    }

    pub(crate) fn tall(self, rows: u16) -> Self {
        Self { rows, ..self }
    }

    pub(crate) fn set(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.settings.push((name, value.into()));
        self
    }

    fn typing(self, typed: &'static str) -> Self {
        Self { typed, ..self }
    }

    /// Both streams end in the terminal, so all of it is in `stdout`.
    pub(crate) fn consign(self, args: &[&str]) -> Outcome {
        let quote = |word: &&str| format!("'{}'", word.replace('\'', r"'\''"));
        let words: Vec<_> = [env!("CARGO_BIN_EXE_consign")].iter().chain(args).map(quote).collect();
        self.shell(&format!("exec {}", words.join(" ")))
    }

    /// A line of a shell.
    pub(crate) fn shell(self, line: &str) -> Outcome {
        let Self { columns, rows, .. } = self;
        let line = format!("stty -echo cols {columns} rows {rows}; {line}");
        let mut command = Command::new("script");
        plain(&mut command);
        command.args(["-qec", &line, "/dev/null"]).envs(self.settings).env("SHELL", "/bin/sh");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("`script` is installed (package bsdutils)");
        // Held until the end: a terminal whose other side is gone hangs up.
        let mut keyboard = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut keyboard, self.typed.as_bytes()).expect("it is open");
        let output = child.wait_with_output().expect("it ends");
        drop(keyboard);
        let mut outcome = Outcome::of(output);
        outcome.stdout = outcome.stdout.replace("\r\n", "\n");
        outcome
    }
}

const ESC: char = '\u{1b}';

/// A document that breaks its contract.
fn bad(folder: &Folder) -> String {
    folder.file("bad.json", r#"{"action": "DONE", "evidence_files": []}"#)
}

#[test]
fn a_list_is_a_table_with_a_head_and_a_count() {
    let run = Terminal::new().consign(&["contracts", "list", "--color", "never"]).exits(0);
    let lines: Vec<_> = run.stdout.lines().collect();
    let head: Vec<_> = lines[0].split_whitespace().collect();
    assert_eq!(head, ["contract", "version", "what", "it", "is"], "{run:#?}");
    assert!(lines[1].chars().all(|letter| letter == '─') && !lines[1].is_empty(), "{run:#?}");
    let start = |line: &str| line.find("1.0");
    assert!(lines[2].trim_start().starts_with("bridge/agent-request "), "{run:#?}");
    assert_eq!(start(lines[2]), lines[0].find("version"), "columns do not line up");
    assert!(lines[lines.len() - 1].starts_with("53 contracts; "), "{run:#?}");
    assert!(!run.stdout.contains('\t'), "{run:#?}");
}

#[test]
fn a_table_keeps_to_the_width_of_the_terminal() {
    for columns in [60, 80, 120] {
        for args in [
            &["contracts", "list", "--color", "never"][..],
            &["contracts", "show", "bridge/agent-request", "--color", "never"],
        ] {
            let run = Terminal::new().wide(columns).consign(args).exits(0);
            let rows = run.stdout.lines().filter(|line| line.starts_with([' ', '─']));
            for row in rows {
                assert!(row.chars().count() <= usize::from(columns), "{columns}: {row}");
            }
        }
    }
}

/// As under `docker run -t`, `expect` and many a CI.
#[test]
fn a_terminal_that_does_not_know_its_width_still_gets_a_table() {
    let run = Terminal::new().wide(0).consign(&["contracts", "list", "--color", "never"]).exits(0);
    let head: Vec<_> = run.stdout.lines().next().unwrap_or_default().split_whitespace().collect();
    assert_eq!(head, ["contract", "version", "what", "it", "is"], "the first line of it");
}

#[test]
fn a_contract_is_explained_field_by_field() {
    let name = "bridge/agent-request";
    let run = Terminal::new().consign(&["contracts", "show", name, "--color", "never"]).exits(0);
    assert!(run.stdout.starts_with(name), "{run:#?}");
    for shown in ["field", "rules", "request_id*", "timeout_seconds ", "Closed: ", "--raw"] {
        assert!(run.stdout.contains(shown), "{shown:?} is missing: {}", run.stdout);
    }
    let schema = Terminal::new().consign(&["contracts", "show", name, "--raw"]).exits(0);
    assert!(serde_json::from_str::<serde_json::Value>(&schema.stdout).is_ok(), "{schema:#?}");
}

#[test]
fn verdicts_have_colour() {
    let folder = Folder::new();
    let golden = one_golden(RESPONSE, "completed").path;
    let good = Terminal::new().consign(&["contracts", "check", RESPONSE, &golden]).exits(0);
    assert!(good.stdout.contains("\u{1b}[32mvalid\u{1b}[0m"), "{good:#?}");
    let bad = Terminal::new().consign(&["contracts", "check", RESPONSE, &bad(&folder)]).exits(1);
    assert!(bad.stdout.contains("\u{1b}[31minvalid\u{1b}[0m"), "{bad:#?}");
    assert!(bad.stdout.contains("what is wrong"), "{bad:#?}");
}

#[test]
fn an_error_has_colour_too() {
    let run = Terminal::new().consign(&["contracts", "show", "nobody"]).exits(2);
    assert!(run.stdout.contains("\u{1b}[31merror[CONTRACT_UNKNOWN]:\u{1b}[0m"), "{run:#?}");
}

/// Commands that have colour where it is not turned off.
fn colourful(folder: &Folder) -> Vec<(Vec<String>, i32)> {
    let bad = bad(folder);
    let commands: [(&[&str], i32); 9] = [
        (&["demo"], 0),
        (&["doctor"], 0),
        (&["contracts", "list"], 0),
        (&["contracts", "show", RESPONSE], 0),
        (&["contracts", "check", RESPONSE, &bad], 1),
        (&["contracts", "check", RESPONSE, &bad, "--stream"], 1),
        (&["contracts", "compat", RESPONSE, "@", "@"], 0),
        (&["contracts", "show", "nobody"], 2),
        (&["--unknown"], 2),
    ];
    let owned = |args: &[&str]| args.iter().map(|&word| word.to_owned()).collect();
    commands.into_iter().map(|(args, code)| (owned(args), code)).collect()
}

/// Runs each of them with one more setting or flag and demands that no escape is left.
fn without_colour(settings: &[(&'static str, &'static str)], flags: &[&str]) {
    let folder = Folder::new();
    let mut coloured = Vec::new();
    for (args, code) in colourful(&folder) {
        let args: Vec<&str> =
            args.iter().map(String::as_str).chain(flags.iter().copied()).collect();
        let mut terminal = Terminal::new();
        terminal =
            settings.iter().fold(terminal, |terminal, (name, value)| terminal.set(name, *value));
        let run = terminal.consign(&args).exits(code);
        if run.stdout.contains(ESC) {
            coloured.push(format!("{args:?}: {:?}", run.stdout));
        }
    }
    assert!(coloured.is_empty(), "still in colour:\n{}", coloured.join("\n"));
}

#[test]
fn no_color_turns_colour_off() {
    without_colour(&[("NO_COLOR", "1")], &[]);
}

#[test]
fn the_flag_turns_colour_off() {
    without_colour(&[], &["--color", "never"]);
}

#[test]
fn a_dumb_terminal_gets_no_colour() {
    without_colour(&[("TERM", "dumb")], &[]);
}

#[test]
fn json_has_no_colour_even_on_a_terminal() {
    let folder = Folder::new();
    let commands = colourful(&folder).into_iter().filter(|(_, code)| *code != 2);
    for (args, code) in commands {
        for always in [&["--json"][..], &["--json", "--color", "always"]] {
            let args: Vec<&str> =
                args.iter().map(String::as_str).chain(always.iter().copied()).collect();
            let run = Terminal::new().consign(&args).exits(code);
            assert!(!run.stdout.contains(ESC), "{args:?}: {run:#?}");
            assert_ne!(run.json_lines().len(), 0);
        }
    }
}

#[test]
fn colour_can_be_had_in_a_pipe_and_is_not_there_otherwise() {
    let folder = Folder::new();
    for (args, code) in colourful(&folder) {
        let run = crate::support::consign(&args).exits(code);
        assert!(!run.stdout.contains(ESC) && !run.stderr.contains(ESC), "{args:?}: {run:#?}");
    }
    let args = ["contracts", "check", RESPONSE, &bad(&folder), "--color", "always"];
    let run = crate::support::consign(args).exits(1);
    assert!(run.stdout.contains("\u{1b}[31minvalid\u{1b}[0m"), "{run:#?}");
}

#[test]
fn escape_sequences_in_a_mistake_never_reach_the_terminal() {
    let mistakes = SPELLS.iter().flat_map(|&spell| {
        let flag = format!("--{spell}");
        [
            Terminal::new().consign(&[spell]),
            Terminal::new().consign(&[&flag]),
            Terminal::new().consign(&["--color", spell]),
            Terminal::new().consign(&["contracts", "list", "crew", spell]),
            Terminal::new().consign(&["contracts", "check", RESPONSE, spell]),
        ]
    });
    tame(mistakes);
}

#[test]
fn whoever_must_type_the_document_is_told() {
    let args = ["contracts", "check", RESPONSE, "--color", "never"];
    let run = Terminal::new().typing("{}\n\u{4}").consign(&args).exits(1);
    assert!(run.stdout.contains("end with Ctrl-D"), "{run:#?}");
    assert!(run.stdout.contains("`action` is missing"), "{run:#?}");
}

#[test]
fn a_stream_ends_with_a_count_for_people() {
    let folder = Folder::new();
    let args = ["contracts", "check", RESPONSE, &bad(&folder), "--stream"];
    let run = Terminal::new().consign(&args).exits(1);
    assert!(run.stdout.contains("1 documents, 1 refused"), "{run:#?}");
}
