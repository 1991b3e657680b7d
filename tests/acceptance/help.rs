//! Help, the version, completions, and mistakes on the command line

use std::{collections::BTreeSet, process::Command};

use serde_json::json;

use crate::{
    documents::one_golden,
    support::{Consign, Folder, Outcome, consign, keys, text},
};

/// The subcommands that a help text names.
fn named(help: &str) -> Vec<String> {
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| line.starts_with("  "));
    let first_word = |line: &str| line.split_whitespace().next().map(str::to_owned);
    // A word in column two; further right the line above goes on.
    let starts = |line: &&str| !line.starts_with("   ");
    commands.filter(starts).filter_map(first_word).filter(|word| word != "help").collect()
}

/// Every command there is, with its help.
fn all_commands() -> Vec<(Vec<String>, Outcome)> {
    let mut all = Vec::new();
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(path) = open.pop() {
        let help = consign(path.iter().map(String::as_str).chain(["--help"])).exits(0);
        open.extend(named(&help.stdout).into_iter().map(|word| [&path[..], &[word]].concat()));
        all.push((path, help));
    }
    all
}

#[test]
fn the_help_teaches_with_examples_and_exit_codes() {
    let help = consign(["--help"]).exits(0);
    assert_eq!(help.stderr, "");
    for taught in [
        "consign demo",
        "consign contracts check",
        "consign run ",
        "Exit codes:",
        "   0  ",
        "   1  ",
        "   2  ",
        "   3  ",
        "  42  ",
        "  43  ",
        " 130  ",
    ] {
        assert!(help.stdout.contains(taught), "{taught:?} is missing: {}", help.stdout);
    }
    for form in ["error[CODE]: message", r#"{"error": {"code", "message", "hint"?, "details"?}}"#] {
        assert!(help.stdout.contains(form), "{form:?} is missing: {}", help.stdout);
    }
}

#[test]
fn a_certified_run_is_promised_no_more_than_holds() {
    let help = consign(["runs", "start", "--help"]).exits(0).stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let promise =
        "sure to end within its limits, if nothing crashes and no call is made again on request";
    assert!(help.contains(promise), "{help}");
}

#[test]
fn every_command_is_found_from_the_help() {
    let found: BTreeSet<_> = all_commands().into_iter().map(|(path, _)| path.join(" ")).collect();
    for command in [
        "contracts",
        "contracts list",
        "contracts show",
        "contracts check",
        "contracts compat",
        "runs",
        "runs start",
        "runs resume",
        "runs list",
        "runs show",
        "runs watch",
        "runs answer",
        "runs raise",
        "runs cancel",
        "runs verify",
        "inbox",
        "worker",
        "budget",
        "budget show",
        "budget set",
        "demo",
        "doctor",
        "completions",
    ] {
        assert!(found.contains(command), "{command} is not in {found:?}");
    }
}

#[test]
fn the_help_of_every_command_has_examples() {
    let without: Vec<_> = all_commands()
        .into_iter()
        .filter(|(path, help)| {
            let example = format!("  consign {}", path.join(" "));
            !help
                .stdout
                .lines()
                .any(|line| line.contains(example.trim_end()) && !line.starts_with("Usage"))
        })
        .map(|(path, _)| path.join(" "))
        .collect();
    assert_eq!(without, [""; 0], "have no examples");
}

#[test]
fn short_and_long_help_and_the_help_command_all_help() {
    for args in [&["-h"][..], &["help"], &["help", "contracts"], &["contracts", "check", "-h"]] {
        let help = consign(args).exits(0);
        assert!(help.stdout.contains("Usage: consign"), "{help:#?}");
        assert_eq!(help.stderr, "");
    }
}

#[test]
fn the_version_is_the_packages() {
    let version = env!("CARGO_PKG_VERSION");
    for flag in ["--version", "-V"] {
        assert_eq!(consign([flag]).exits(0).stdout, format!("consign {version}\n"));
    }
    for args in [["--version", "--json"], ["--json", "-V"]] {
        let answer = consign(args).exits(0).json();
        assert_eq!(answer, json!({"name": "consign", "version": version}));
    }
}

#[test]
fn completions_come_for_the_usual_shells() {
    for shell in ["bash", "zsh", "fish"] {
        let run = consign(["completions", shell]).exits(0);
        for word in ["consign", "contracts", "doctor", "max-bytes"] {
            assert!(run.stdout.contains(word), "{shell}: {word} is missing");
        }
        assert_eq!(run.stderr, "");
        let answer = consign(["completions", shell, "--json"]).exits(0).json();
        assert_eq!(keys(&answer), ["script", "shell"]);
        assert_eq!((text(&answer, "shell"), text(&answer, "script")), (shell, &*run.stdout));
    }
}

#[test]
fn bash_can_read_its_completions() {
    let folder = Folder::new();
    let script = folder.file("consign.bash", consign(["completions", "bash"]).exits(0).stdout);
    let read = Command::new("bash").args(["-n", &script]).output().expect("bash is installed");
    assert!(read.status.success() && read.stderr.is_empty(), "{read:?}");
}

#[test]
fn an_unknown_shell_is_a_mistake_that_names_the_known_ones() {
    consign(["completions", "tcsh"]).fails(2, "USAGE").telling("bash, elvish, fish");
    consign(["completions"]).fails(2, "USAGE");
}

#[test]
fn without_a_command_help_goes_to_standard_error() {
    for args in [&[][..], &["contracts"]] {
        let run = consign(args).exits(2).telling("Usage: consign").telling("Commands:");
        assert_eq!(run.stdout, "");
    }
    // Programs have no use for it.
    for args in [&["--json"][..], &["contracts", "--json"], &["--json", "runs"]] {
        let error = consign(args).fails(2, "USAGE").error();
        assert!(text(&error, "hint").contains("--help"), "{error}");
    }
}

#[test]
fn a_mistake_is_an_error_with_its_code() {
    for args in [
        &["--unknown"][..],
        &["-x"],
        &["unknown"],
        &["contracts", "unknown"],
        &["contracts", "list", "--unknown"],
        &["contracts", "list", "crew", "more"],
        &["doctor", "more"],
        &["demo", "more"],
        &["--color", "sometimes", "demo"],
        &["--color"],
        &["--json=yes", "demo"],
        &["contracts", "check", "--stream", "--stream"],
        &[""],
    ] {
        consign(args).fails(2, "USAGE").telling("try '--help'");
    }
}

#[test]
fn a_misspelt_command_or_flag_is_recognised() {
    consign(["contract", "list"]).fails(2, "USAGE").telling("did you mean `consign contracts`?");
    consign(["rn"]).fails(2, "USAGE").telling("did you mean `consign run`?");
    consign(["envelope", "nwe"]).fails(2, "USAGE").telling("did you mean `consign envelope new`?");
    let hidden = consign(["srve"]).fails(2, "USAGE").telling("did you mean `consign serve`?");
    assert!(!hidden.stderr.contains("supervise"), "{hidden:#?}");
    consign(["start"]).fails(2, "USAGE").telling("did you mean `consign runs start`?");
    consign(["show"]).fails(2, "USAGE").telling("`consign runs show` or `consign contracts show`");
    consign(["contracts", "check", "--streem"]).fails(2, "USAGE").telling("'--stream'");
}

#[test]
fn with_json_every_command_prints_json_objects_or_nothing() {
    let folder = Folder::new();
    let schema = folder.file("schema.json", "false");
    let golden = one_golden("job/agent-response", "completed").path;
    let response = "job/agent-response";
    let commands: [(&[&str], i32); 31] = [
        (&["--version"], 0),
        (&["demo"], 0),
        (&["doctor"], 0),
        (&["completions", "fish"], 0),
        (&["pipeline", "check"], 0),
        (&["pipeline", "draw"], 0),
        (&["pipeline", "draw", "--format", "mermaid"], 0),
        (&["contracts", "list"], 0),
        (&["contracts", "list", "crew"], 0),
        (&["contracts", "list", "nobody"], 2),
        (&["contracts", "show", response], 0),
        (&["contracts", "show", response, "--raw"], 0),
        (&["contracts", "show", "nobody"], 2),
        (&["contracts", "check", response, &golden], 0),
        (&["contracts", "check", response, "--stream", &golden], 1),
        (&["contracts", "check", response, "/missing"], 1),
        (&["contracts", "check", "--schema", &schema, &golden], 1),
        (&["contracts", "check", "--schema", &golden, &golden], 1),
        (&["contracts", "compat", response, "@", "@"], 0),
        (&["contracts", "compat", response, "@", &schema], 1),
        (&["contracts", "compat", response, "@", "/missing"], 1),
        (&["runs", "start", "sample/steps"], 0),
        (&["runs", "start", "sample/nobody"], 2),
        (&["runs", "list"], 0),
        (&["runs", "show", "nobody"], 1),
        (&["runs", "verify", "--all"], 0),
        (&["runs", "watch", "nobody"], 1),
        (&["budget"], 0),
        (&["budget", "set", "local"], 2),
        (&["contracts"], 2),
        (&["--unknown"], 2),
    ];
    for (args, code) in commands {
        for at_the_end in [true, false] {
            let json = &["--json"][..];
            let args = if at_the_end { [args, json].concat() } else { [json, args].concat() };
            let run = Consign::new(&args).env("CONSIGN_HOME", folder.path()).run().exits(code);
            let objects = run.json_lines();
            // Either an answer or an error, and never neither.
            assert_eq!(objects.is_empty(), !run.stderr.is_empty(), "{args:?}: {run:#?}");
            // An error is an object too.
            if !run.stderr.is_empty() {
                run.error();
            }
        }
    }
}

#[test]
fn with_json_an_error_has_the_same_code_message_and_hint_as_in_words() {
    let folder = Folder::new();
    let commands: [&[&str]; 7] = [
        &["contracts", "show", "nobody"],
        &["contract", "list"],
        &["start"],
        &["runs", "show", "nobody"],
        &["runs", "start", "sample/stesp"],
        &["runs", "start", "sample/steps", "--input", r#"{"steps": -1, "stesp": 2}"#],
        &["contracts", "check", "job/agent-response", "/missing"],
    ];
    for args in commands {
        let run = |args: &[&str]| Consign::new(args).env("CONSIGN_HOME", folder.path()).run();
        let words = run(args);
        let object = run(&[args, &["--json"]].concat());
        assert_eq!((words.code, object.stdout.as_str()), (object.code, ""), "{object:#?}");
        let error = object.error();
        let first = format!("error[{}]: {}\n", text(&error, "code"), text(&error, "message"));
        assert!(words.stderr.starts_with(&first), "{words:#?} {error}");
        let hint = words.stderr.lines().find_map(|line| line.strip_prefix("hint: "));
        assert_eq!(hint, error["hint"].as_str(), "{error}");
    }
    let args = ["runs", "start", "sample/steps", "--input", r#"{"steps": -1}"#, "--json"];
    let refused = Consign::new(args).env("CONSIGN_HOME", folder.path()).run().exits(1).error();
    assert_eq!(refused["details"]["breaches"][0]["pointer"], json!("/steps"), "{refused}");
}
