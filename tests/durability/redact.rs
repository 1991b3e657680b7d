//! A redaction, killed at every write: the run is whole or redacted, and done once more nothing of it is left.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::{
    boundaries::{BOUNDARIES, killed_at},
    support::{Home, args_to_start, id, need},
};

/// It is in the input, the prompt, the answer, the output and the state of the run, and in no other place.
const CANARY: &str = "canary-that-nobody-else-would-write";

/// A run that is over, in a home that was made by it.
fn talked() -> (Home, String) {
    let home = Home::new();
    home.run(["runs", "list"]).succeeds();
    let agents = home.path().join("agents");
    fs::create_dir_all(&agents).expect("a folder in the home");
    fs::write(agents.join("mailbox.toml"), "name = \"mailbox\"\n[bridge]\n").expect("a file");
    let large = "x".repeat(70_000);
    let input = json!({"agent": "mailbox", "input": {"question": CANARY, "large": format!("{large}{CANARY}")}});
    let started = home.run(args_to_start("agent/call", &input, &[])).exits_with(&[42]);
    let run = id(&started.json());
    let asked = home.inbox();
    let key = asked[0]["interaction"].as_str().expect("a name").to_owned();
    let value = json!({"answer": CANARY, "large": format!("{CANARY}{large}")}).to_string();
    home.run(["runs", "answer", &run, &key, "--value", &value]).succeeds();
    assert_eq!(home.status(&run), "succeeded");
    assert!(!found(&home.path()).is_empty(), "the canary is nowhere");
    let blobs = fs::read_dir(home.path().join("blobs")).expect("a folder").count();
    assert!(blobs > 0, "no value is large");
    (home, run)
}

/// The files that have the canary, compressed ones read as `consign` writes them.
fn found(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(self::found(&path));
            continue;
        }
        let bytes = fs::read(&path).expect("a file");
        if String::from_utf8_lossy(&bytes).contains(CANARY) {
            found.push(path.display().to_string());
        }
    }
    found
}

/// Nothing of the run is left: no canary, and no large value, which are compressed.
fn nothing_is_left(home: &Home) {
    assert_eq!(found(&home.path()), Vec::<String>::new());
    let folders = fs::read_dir(home.path().join("blobs")).expect("a folder");
    let blobs: usize = folders
        .map(|folder| fs::read_dir(folder.expect("an entry").path()).expect("a folder").count())
        .sum();
    assert_eq!(blobs, 0, "large values are left");
}

fn redact(run: &str) -> [String; 5] {
    ["runs", "redact", run, "--yes", "--json"].map(str::to_owned)
}

#[test]
fn nothing_of_a_redacted_run_is_left_in_its_home() {
    let (home, run) = talked();
    let before = home.show(&run);
    let shown = home.run(redact(&run)).succeeds().json();
    nothing_is_left(&home);
    assert_eq!((&shown["redacted"], &shown["status"]), (&json!(true), &json!("succeeded")));
    assert_eq!((&shown["input"], &shown["output"]), (&Value::Null, &Value::Null));
    assert_eq!(shown["usage"]["spent_usd"], before["usage"]["spent_usd"]);
    home.verify(&run);
    // No command brings anything back, and each says why.
    for words in [&["output"][..], &["retry"], &["fork", "--at", "0"], &["points"]] {
        let args = ["runs", words[0], &run].into_iter().chain(words[1..].iter().copied());
        home.run(args).fails_with(&["RUN_REDACTED"]);
    }
    for words in [&["show"][..], &["show", "--events"], &["watch"]] {
        let args = ["runs", words[0], &run].into_iter().chain(words[1..].iter().copied());
        assert!(home.run(args).succeeds().stdout.contains("redacted"), "{words:?}");
    }
    home.run(redact(&run)).succeeds();
    nothing_is_left(&home);
}

#[test]
fn killed_at_every_write_a_run_is_whole_or_redacted() {
    need("strace");
    let (first, run) = talked();
    let output = first.run(["runs", "output", &run]).succeeds().stdout;
    let mut kills = Vec::new();
    let (mut whole, mut redacted) = (0, 0);
    for call in BOUNDARIES {
        for number in 1.. {
            let home = Home::new();
            copy(&first, &home);
            let outcome = home.start(killed_at(&home, call, number, &redact(&run))).wait();
            if outcome.signal.is_none() {
                outcome.succeeds();
                kills.push((call, number - 1));
                break;
            }
            home.verify(&run);
            if home.show(&run)["redacted"] == json!(true) {
                redacted += 1;
                let journal = home.journal(&run);
                assert!(!journal.contains(CANARY), "{call} {number}: {journal}");
            } else {
                whole += 1;
                assert_eq!(home.run(["runs", "output", &run]).succeeds().stdout, output);
            }
            home.run(redact(&run)).succeeds();
            nothing_is_left(&home);
            home.verify(&run);
            assert!(number < 500, "there is no end to {call}");
        }
    }
    eprintln!("{whole} times whole, {redacted} times redacted: {kills:?}");
    assert!(whole >= 5 && redacted >= 5, "the kills came at the wrong moments");
}

fn copy(from: &Home, to: &Home) {
    let status = Command::new("cp").arg("-a").arg(from.path()).arg(to.path()).status();
    assert!(status.expect("cp is there").success());
}
