//! Few file handles: whatever could not be done is said, and nothing that was done is denied.

use rustix::process::Signal;
use serde_json::json;

use crate::{
    home::{Home, until},
    support::{Consign, Outcome, text},
};

/// With fewer, the loader of the system does not even find the libraries.
const FEWEST: u64 = 4;
const ENOUGH: u64 = 24;

fn under(home: &Home, handles: u64, args: &[&str]) -> Consign {
    let program = env!("CARGO_BIN_EXE_consign");
    let limit = format!("--nofile={handles}");
    Consign::of("prlimit", [&[&limit, program], args].concat()).env("CONSIGN_HOME", home.path())
}

/// Done, or one error with a hint that helps.
#[track_caller]
fn is_clear(run: &Outcome, handles: u64) {
    assert!(!run.stderr.contains("panicked"), "{handles}: {run:#?}");
    if run.code != Some(0) {
        assert!(matches!(run.code, Some(1 | 3)), "{handles}: {run:#?}");
        let codes = ["NO_FILE_HANDLES", "STORE_UNAVAILABLE"];
        let named = |code: &&str| run.stderr.contains(&format!("error[{code}]: "));
        assert_eq!(codes.iter().filter(|code| named(code)).count(), 1, "{handles}: {run:#?}");
        assert!(run.stderr.contains("`ulimit -n "), "{handles}: {run:#?}");
    }
}

#[test]
fn a_command_that_lacks_file_handles_says_so_with_what_helps() {
    let home = Home::new();
    home.start("sample/steps", "{}", 0);
    let mut codes = Vec::new();
    for handles in FEWEST..=ENOUGH {
        for args in [&["runs", "list"][..], &["runs", "start", "sample/steps"]] {
            let run = under(&home, handles, args).run();
            is_clear(&run, handles);
            codes.push(run.code);
        }
    }
    // Both are met, or this says nothing.
    assert!(codes.contains(&Some(0)) && codes.contains(&Some(1)), "{codes:?}");
}

#[test]
fn a_worker_that_lacks_file_handles_ends_at_once_and_says_so() {
    let home = Home::new();
    home.start("sample/steps", "{}", 0);
    let mut codes = Vec::new();
    for handles in FEWEST..=ENOUGH {
        let mut worker = home.let_go_on(under(&home, handles, &["worker"]));
        until("it works or says why not", || {
            (worker.stderr().contains('\n') || worker.has_ended()).then_some(())
        });
        // One that has said why not is about to end by itself.
        if !worker.has_ended() && !worker.stderr().contains("error[") {
            worker.signal(Signal::TERM);
        }
        let worker = worker.wait();
        is_clear(&worker, handles);
        codes.push(worker.code);
    }
    assert!(codes.contains(&Some(0)) && codes.contains(&Some(1)), "{codes:?}");
}

#[test]
fn an_answer_that_was_taken_is_never_said_not_to_be() {
    let home = Home::new();
    let run = home.start("sample/approval", r#"{"asks": 40}"#, 43);
    let (mut refused, mut only_taken) = (0, 0);
    for handles in FEWEST..=ENOUGH {
        let key = format!("ask-{handles}");
        let args = ["runs", "answer", &run, &key, "--value", "true"];
        let answered = under(&home, handles, &args).run();
        is_clear(&answered, handles);
        let waits = home.show(&run)["waits"].clone();
        let mut asks = waits.as_array().expect("waits are a list").iter();
        let open = asks.any(|ask| text(ask, "interaction") == key);
        assert_eq!(open, answered.code == Some(1), "{handles}: {answered:#?}");
        match answered.code {
            Some(1) => refused += 1,
            Some(3) => {
                only_taken += 1;
                let resume = format!("`consign runs resume {run}` goes on");
                answered.telling(&format!("the answer to {key} was taken")).telling(&resume);
            }
            _ => {}
        }
    }
    assert!(refused > 0 && only_taken > 0, "{refused} refused, {only_taken} only taken");
}

#[test]
fn what_was_taken_is_said_to_programs_too() {
    let home = Home::new();
    // Somewhere between too few for anything and enough for all there is enough for the answer.
    let check = |command: &[&str], start: &dyn Fn() -> String| {
        let taken = (12..=ENOUGH).find_map(|handles| {
            let run = start();
            let args = [&["runs", command[0], &run], &command[1..], &["--json"]].concat();
            let outcome = under(&home, handles, &args).run();
            (outcome.code == Some(3)).then_some((run, outcome))
        });
        let (run, outcome) = taken.unwrap_or_else(|| panic!("{command:?} was never only taken"));
        assert_eq!(outcome.stdout, "", "{outcome:#?}");
        let error = outcome.error();
        assert_eq!(error["details"], json!({"taken": true, "run": run}), "{error}");
        let told = text(&error, "message");
        assert!(told.contains(" taken, and") || told.contains(" set, and"), "{error}");
        assert!(text(&error, "hint").contains(&format!("consign runs resume {run}")), "{error}");
        until("what is left can go on", || {
            (home.run(&["runs", "resume", &run]).code != Some(1)).then_some(())
        });
    };
    check(&["answer", "--value", "true"], &|| home.start("sample/approval", "{}", 43));
    let input = r#"{"calls": 3, "cost_usd": 0.01}"#;
    check(&["raise", "--cost", "1"], &|| {
        let args = ["runs", "start", "sample/budget", "--input", input, "--cost", "0.02"];
        text(&home.json(&args, 43), "id").to_owned()
    });
}

#[test]
fn an_answer_whose_report_cannot_be_written_was_taken_all_the_same() {
    let home = Home::new();
    let run = home.start("sample/approval", "{}", 43);
    let mut command = home.consign(&["runs", "answer", &run, "--value", "true"]).into_command();
    let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
    let output = command.stdout(full).output().expect("the binary starts");
    let answered = Outcome::of(output).exits(3);
    answered.telling("error[OUTPUT_FAILED]: the answer to ask-1 was taken, and ");
    assert_eq!(home.status(&run), "succeeded");
}
