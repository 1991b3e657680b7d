//! `consign keys`: sealed at rest, and nowhere to be seen

use std::{
    fs::{self, Permissions},
    io::{Read, Write},
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Stdio,
};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    home::Home,
    support::{Consign, Outcome, keys, text},
};

const KEY: &str = "sk-proj-9QvT7m-never-to-be-seen-again-0x51";
const OTHER: &str = "sk-ant-44-another-one-that-stays-hidden-77";

const NEW: &str = "AI_KEY_ENCRYPTION_KEY";
const OLD: &str = "AI_KEY_ENCRYPTION_KEY_OLD";

/// Variables of whoever runs the tests, which must not take part.
const VARIABLES: [&str; 9] = [
    NEW,
    OLD,
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "XAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OLLAMA_API_KEY",
    "CONSIGN_COMPATIBLE_API_KEY",
];

struct Strongbox {
    home: Home,
}

impl Strongbox {
    /// Without a sealing key.
    fn bare() -> Self {
        Self { home: Home::new() }
    }

    fn new() -> Self {
        let this = Self::bare();
        this.run(&["init"]).exits(0);
        this
    }

    fn command(&self, args: &[&str]) -> Consign {
        let consign = self.home.consign(&[&["keys"], args].concat());
        VARIABLES.iter().fold(consign, |consign, name| consign.env(name, ""))
    }

    fn run(&self, args: &[&str]) -> Outcome {
        self.command(args).run()
    }

    fn set(&self, args: &[&str], key: &str) -> Outcome {
        self.command(&[&["set"], args].concat()).stdin(key).run()
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        self.run(&[args, &["--json"]].concat()).exits(0).json()
    }

    /// `provider owner state` of each key.
    #[track_caller]
    fn list(&self) -> Vec<String> {
        let all = self.run(&["list", "--json"]).exits(0).json_lines();
        let line = |key: &Value| {
            let owner = key["owner"].as_str().unwrap_or("-");
            format!("{} {owner} {}", text(key, "provider"), text(key, "state"))
        };
        all.iter().map(line).collect()
    }

    fn file(&self) -> PathBuf {
        self.home.path().join("sealing.key")
    }

    /// Puts these sealing keys into the file.
    fn write(&self, sealing_keys: &[&str]) {
        fs::write(self.file(), sealing_keys.join("\n")).expect("it is ours");
        fs::set_permissions(self.file(), Permissions::from_mode(0o600)).expect("it is ours");
    }

    fn database(&self) -> Connection {
        Connection::open(self.home.path().join("consign.db")).expect("it is there")
    }
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of ours") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// A part of a key is as bad as the whole of it.
#[track_caller]
fn unseen(bytes: &[u8], place: &str) {
    for part in [&KEY[8..20], &OTHER[8..20], &KEY[24..], &OTHER[24..]] {
        let found = bytes.windows(part.len()).any(|window| window == part.as_bytes());
        assert!(!found, "{part} is in {place}");
    }
}

#[test]
fn a_key_is_set_listed_and_removed() {
    let keys_of = Strongbox::new();
    let made = keys_of.set(&["openai", "--json"], &format!("{KEY}\n")).exits(0).json();
    let members = ["created_at", "owner", "provider", "sealing_key", "source", "state", "variable"];
    assert_eq!(keys(&made), members);
    assert_eq!((text(&made, "owner"), text(&made, "source")), ("local", "user"));
    keys_of.set(&["anthropic", "--owner", "alice"], OTHER).exits(0);
    assert_eq!(keys_of.list(), ["anthropic alice ready", "openai local ready"]);
    let listed = keys_of.run(&["list"]).exits(0).stdout;
    let fields: Vec<Vec<&str>> = listed.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(fields[1][..4], ["openai", "local", "user", "ready"]);
    assert_eq!(fields[1][5], text(&made, "sealing_key"));

    let removed = keys_of.json(&["remove", "openai"]);
    assert_eq!(removed, json!({"provider": "openai", "owner": "local", "removed": true}));
    keys_of.run(&["remove", "openai"]).fails(1, "KEY_NOT_FOUND");
    keys_of.run(&["remove", "anthropic"]).fails(1, "KEY_NOT_FOUND");
    assert_eq!(keys_of.list(), ["anthropic alice ready"]);
}

#[test]
fn keys_of_the_environment_are_listed_by_their_variable() {
    let keys_of = Strongbox::bare();
    let list =
        keys_of.command(&["list", "--json"]).env("GOOGLE_API_KEY", KEY).env("XAI_API_KEY", "");
    let listed = list.run().exits(0);
    unseen(listed.stdout.as_bytes(), "the list");
    let expected = json!({
        "provider": "google", "owner": null, "source": "environment", "state": "ready",
        "created_at": null, "sealing_key": null, "variable": "GOOGLE_API_KEY",
    });
    assert_eq!(listed.json(), expected);
    assert_eq!(keys_of.run(&["list"]).exits(0).stdout, "");
}

#[test]
fn a_second_key_is_refused_unless_it_replaces_the_first() {
    let keys_of = Strongbox::new();
    keys_of.set(&["openai"], KEY).exits(0);
    keys_of.set(&["openai"], OTHER).fails(1, "DUPLICATE_KEY").telling("--replace");
    keys_of.set(&["openai", "--owner", "bob"], OTHER).exits(0);
    keys_of.set(&["openai", "--replace"], OTHER).exits(0);
    assert_eq!(keys_of.list(), ["openai bob ready", "openai local ready"]);
}

#[test]
fn no_key_is_ever_seen_again() {
    let keys_of = Strongbox::new();
    let mut told = vec![
        keys_of.set(&["openai"], KEY).exits(0),
        keys_of.set(&["openai"], OTHER).fails(1, "DUPLICATE_KEY"),
        keys_of.set(&["xai", "--owner", "alice", "--json"], OTHER).exits(0),
        keys_of.set(&["openai", "--replace"], OTHER).exits(0),
        keys_of.run(&["list"]).exits(0),
        keys_of.run(&["rotate"]).exits(0),
        keys_of.run(&["remove", "xai", "--owner", "alice"]).exits(0),
        keys_of.set(&["google"], &format!("{KEY} {OTHER}")).fails(1, "INVALID_KEY"),
        // Whoever types it where it does not belong sees it once, and not twice.
        keys_of.run(&["set", "openai", KEY]).fails(2, "USAGE"),
        keys_of.run(&["set", "openai", "--replace", KEY, OTHER]).fails(2, "USAGE"),
        keys_of.run(&["set", "openai", "--key", KEY]).fails(2, "USAGE"),
        keys_of.run(&["set", "openai", &format!("--api-key={KEY}")]).fails(2, "USAGE"),
        keys_of.run(&["set", "openai", &format!("--unknown={KEY}")]).fails(2, "USAGE"),
        keys_of.run(&["set", KEY]).fails(2, "INVALID_PROVIDER"),
        keys_of.run(&["remove", KEY]).fails(2, "INVALID_PROVIDER"),
    ];
    let wrong = keys_of.command(&["set", "ollama"]).env(NEW, KEY).stdin(OTHER).run();
    told.push(wrong.fails(1, "SEALING_KEY_REFUSED").telling(NEW));
    for outcome in told {
        unseen(outcome.stdout.as_bytes(), "standard output");
        unseen(outcome.stderr.as_bytes(), "standard error");
    }
    let all = files(&keys_of.home.path());
    assert!(all.iter().any(|file| file.ends_with("consign.db")), "{all:?}");
    for file in all {
        unseen(&fs::read(&file).expect("it is ours"), &file.display().to_string());
    }
}

#[test]
fn a_key_as_an_argument_is_refused_with_the_reason() {
    let keys_of = Strongbox::new();
    let refused = keys_of.run(&["set", "openai", KEY]).fails(2, "USAGE");
    refused.telling("never an argument").telling("revoke it");
    let asked = keys_of.run(&["set", "openai", "--api-key", KEY]).fails(2, "USAGE");
    asked.telling("'--api-key'").telling("never an argument");
    assert!(keys_of.list().is_empty());
    let help = keys_of.run(&["set", "--help"]).exits(0).stdout;
    assert!(!help.contains("SPILT"), "{help}");
}

/// Types at the prompt on a terminal that shows what is typed, and looks at the terminal afterwards.
#[track_caller]
fn typing(keys_of: &Strongbox, typed: &str) -> Outcome {
    let binary = env!("CARGO_BIN_EXE_consign");
    let line = format!("{binary} keys set openai --color never; code=$?; stty -a; exit $code");
    let script = Consign::of("script", ["-qec", &line, "/dev/null"]);
    let script = script.env("CONSIGN_HOME", keys_of.home.path()).env("SHELL", "/bin/sh");
    let script = VARIABLES.iter().fold(script, |script, name| script.env(name, ""));
    let mut command = script.into_command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("`script` is installed (package bsdutils)");
    let mut keyboard = child.stdin.take().expect("a pipe");
    let mut screen = child.stdout.take().expect("a pipe");
    let (mut seen, mut letter) = (Vec::new(), [0]);
    while !seen.ends_with(b"(not shown): ") {
        let read = screen.read(&mut letter).expect("it can be read");
        assert_eq!(read, 1, "it never asked: {}", String::from_utf8_lossy(&seen));
        seen.push(letter[0]);
    }
    keyboard.write_all(typed.as_bytes()).expect("it is open");
    screen.read_to_end(&mut seen).expect("it can be read");
    let mut output = child.wait_with_output().expect("it ends");
    drop(keyboard);
    output.stdout = seen;
    Outcome::of(output)
}

#[test]
fn a_key_is_asked_for_on_a_terminal_and_not_shown() {
    let keys_of = Strongbox::new();
    let check = |typed: &str, exit: i32| {
        let run = typing(&keys_of, typed).exits(exit);
        unseen(run.stdout.as_bytes(), "the terminal");
        // The terminal is again what it was.
        let modes: Vec<_> = run.stdout.split_whitespace().collect();
        assert!(["isig", "icanon", "echo"].iter().all(|mode| modes.contains(mode)), "{run:#?}");
    };
    check(&format!("{KEY}\u{3}"), 130);
    check("two words\r", 1);
    check("\u{4}", 1);
    assert!(keys_of.list().is_empty());
    check(&format!("wrong\u{15}{KEY}x\u{7f}\r"), 0);
    assert_eq!(keys_of.list(), ["openai local ready"]);
    let table = keys_of.home.terminal().consign(&["keys", "list", "--color", "never"]).exits(0);
    assert!(table.stdout.contains("sealed with"), "{table:#?}");
}

#[test]
fn what_is_no_key_is_refused() {
    let keys_of = Strongbox::new();
    let long = "k".repeat(5_000);
    for wrong in ["", "\n", "two words", "two\nlines\n", "tab\tbed", "esc\u{1b}[2J", "clé", &long]
    {
        keys_of.set(&["openai"], wrong).fails(1, "INVALID_KEY");
    }
    keys_of.set(&["openai"], &long[..4096]).exits(0);
    keys_of.set(&["nobody"], KEY).fails(2, "INVALID_PROVIDER").telling("openai, anthropic, xai");
    keys_of.set(&["opnai"], KEY).fails(2, "INVALID_PROVIDER").telling("did you mean openai?");
    keys_of.set(&["openai", "--owner", "two words"], KEY).fails(2, "USAGE");
}

#[test]
fn without_a_sealing_key_nothing_is_kept() {
    let keys_of = Strongbox::bare();
    let refused = keys_of.set(&["openai"], KEY).fails(1, "ENCRYPTION_NOT_CONFIGURED");
    refused.telling("consign keys init");
    keys_of.run(&["rotate"]).fails(1, "ENCRYPTION_NOT_CONFIGURED");
    let made = keys_of.json(&["init"]);
    assert_eq!(text(&made, "file"), keys_of.file().display().to_string());
    assert_eq!(fs::metadata(keys_of.file()).expect("it was made").mode() & 0o777, 0o600);
    keys_of.run(&["init"]).fails(1, "SEALING_KEY_EXISTS").telling("keys rotate");
    let init = Strongbox::bare().command(&["init"]).env(NEW, "ab".repeat(32)).run();
    init.fails(1, "SEALING_KEY_EXISTS").telling(NEW);
    keys_of.set(&["openai"], KEY).exits(0);
}

#[test]
fn a_sealing_key_that_others_can_reach_is_refused() {
    let keys_of = Strongbox::new();
    keys_of.set(&["openai"], KEY).exits(0);
    let refuses = |why: &str| {
        keys_of.set(&["xai"], KEY).fails(1, "SEALING_KEY_REFUSED").telling(why);
        keys_of.run(&["rotate"]).fails(1, "SEALING_KEY_REFUSED").telling(why);
        keys_of.run(&["list"]).exits(0).telling(why);
        assert_eq!(keys_of.list(), ["openai local locked"]);
    };
    fs::set_permissions(keys_of.file(), Permissions::from_mode(0o644)).expect("it is ours");
    refuses("chmod 600");
    fs::set_permissions(keys_of.file(), Permissions::from_mode(0o600)).expect("it is ours");
    let elsewhere = keys_of.home.path().join("elsewhere");
    fs::rename(keys_of.file(), &elsewhere).expect("it is ours");
    symlink(&elsewhere, keys_of.file()).expect("a link");
    refuses("symbolic link");
    keys_of.run(&["init"]).fails(1, "SEALING_KEY_EXISTS");
    fs::rename(&elsewhere, keys_of.file()).expect("it is ours");
    assert_eq!(keys_of.list(), ["openai local ready"]);
}

#[test]
fn under_another_sealing_key_a_key_is_locked() {
    let keys_of = Strongbox::new();
    keys_of.set(&["openai"], KEY).exits(0);
    let kept = fs::read_to_string(keys_of.file()).expect("it is ours");
    keys_of.write(&[&"ab".repeat(32)]);
    assert_eq!(keys_of.list(), ["openai local locked"]);
    let refused = keys_of.run(&["rotate"]).fails(1, "SEALING_KEY_WRONG");
    refused.telling("`consign keys set openai --owner local --replace`");
    // Others can be set meanwhile, and it comes back with its sealing key.
    keys_of.set(&["xai"], OTHER).exits(0);
    keys_of.write(&[&"ab".repeat(32), kept.trim()]);
    assert_eq!(keys_of.list(), ["openai local ready", "xai local ready"]);
    fs::remove_file(keys_of.file()).expect("it is ours");
    assert_eq!(keys_of.list(), ["openai local locked", "xai local locked"]);
    keys_of.run(&["init"]).exits(0).telling("2 keys sealed before");
    keys_of.run(&["remove", "openai"]).exits(0);
}

#[test]
fn a_damaged_key_is_told_and_can_be_replaced() {
    let keys_of = Strongbox::new();
    keys_of.set(&["openai"], KEY).exits(0);
    keys_of.set(&["xai"], OTHER).exits(0);
    // Somebody puts one key in the place of another.
    let sql = "UPDATE sealed SET bytes = (SELECT bytes FROM sealed WHERE name = 'xai')";
    keys_of.database().execute(sql, []).expect("it can be written");
    assert_eq!(keys_of.list(), ["openai local damaged", "xai local ready"]);
    keys_of.run(&["rotate"]).fails(1, "KEY_DAMAGED").telling("keys set openai --owner local");
    keys_of.set(&["openai", "--replace"], KEY).exits(0);
    assert_eq!(keys_of.list(), ["openai local ready", "xai local ready"]);
    let sql = "UPDATE sealed SET bytes = x'00' WHERE name = 'openai'";
    keys_of.database().execute(sql, []).expect("it can be written");
    assert_eq!(keys_of.list(), ["openai local damaged", "xai local ready"]);
    keys_of.run(&["remove", "openai"]).exits(0);
    keys_of.run(&["rotate"]).exits(0);
}

#[test]
fn the_sealing_key_is_rotated() {
    let keys_of = Strongbox::new();
    keys_of.set(&["openai"], KEY).exits(0);
    keys_of.set(&["xai", "--owner", "bob"], OTHER).exits(0);
    let before = fs::read_to_string(keys_of.file()).expect("it is ours");
    let created = keys_of.run(&["list", "--json"]).exits(0).json_lines()[0]["created_at"].clone();
    let rotated = keys_of.json(&["rotate"]);
    assert_eq!((&rotated["resealed"], text(&rotated, "how")), (&json!(2), "new"));
    let after = fs::read_to_string(keys_of.file()).expect("it is ours");
    assert!(!after.contains(before.trim()) && after.len() == before.len());
    assert_eq!(fs::metadata(keys_of.file()).expect("it is there").mode() & 0o777, 0o600);
    assert_eq!(keys_of.list(), ["xai bob ready", "openai local ready"]);
    let listed = keys_of.run(&["list", "--json"]).exits(0).json_lines();
    assert_eq!(listed[0]["sealing_key"], rotated["sealing_key"]);
    assert_eq!(listed[0]["created_at"], created);
    keys_of.write(&[before.trim()]);
    assert_eq!(keys_of.list(), ["xai bob locked", "openai local locked"]);
}

#[test]
fn what_was_removed_or_sealed_anew_is_nowhere_in_the_home() {
    let keys_of = Strongbox::new();
    let sealed = || -> Vec<u8> {
        let sql = "SELECT bytes FROM sealed";
        keys_of.database().query_row(sql, [], |row| row.get(0)).expect("there is one")
    };
    let is_there = |bytes: &[u8]| {
        let has = |file: &PathBuf| fs::read(file).expect("it is ours");
        let mut all = files(&keys_of.home.path()).into_iter();
        all.any(|file| has(&file).windows(bytes.len()).any(|window| window == bytes))
    };
    keys_of.set(&["openai"], KEY).exits(0);
    let first = sealed();
    assert!(is_there(&first));
    keys_of.run(&["rotate"]).exits(0);
    let second = sealed();
    assert!(!is_there(&first) && is_there(&second));
    keys_of.set(&["openai", "--replace"], OTHER).exits(0);
    let third = sealed();
    assert!(!is_there(&second) && is_there(&third));
    keys_of.run(&["remove", "openai"]).exits(0);
    assert!(!is_there(&third));
}

/// Each state that the files can be in when the process dies: all is there, and the next rotation
/// finishes it.
#[test]
fn a_rotation_that_was_killed_at_any_point_is_finished_by_the_next() {
    let keys_of = Strongbox::new();
    keys_of.set(&["openai"], KEY).exits(0);
    keys_of.set(&["xai", "--owner", "bob"], OTHER).exits(0);
    let unfinished = keys_of.home.path().join("sealing.key.new");
    let ready = ["xai bob ready", "openai local ready"];
    let read = || fs::read_to_string(keys_of.file()).expect("it is ours").trim().to_owned();
    let finished = |how: &str, resealed: u64| {
        assert_eq!(keys_of.list(), ready);
        let rotated = keys_of.json(&["rotate"]);
        assert_eq!((text(&rotated, "how"), &rotated["resealed"]), (how, &json!(resealed)));
        assert_eq!(keys_of.list(), ready);
        assert!(!unfinished.exists());
        assert_eq!(read().lines().count(), 1);
    };
    // While the new file was written.
    fs::write(&unfinished, "abab").expect("it can be written");
    finished("new", 2);
    // The file has both; everything is sealed with the old one.
    let (old, new) = (read(), "cd".repeat(32));
    keys_of.write(&[&new, &old]);
    finished("finished", 2);
    assert_eq!(read(), new);
    // The file has both; everything is sealed with the new one, and the last file was half written.
    keys_of.write(&[&new, &old]);
    fs::write(&unfinished, "cdcd").expect("it can be written");
    finished("finished", 0);
    assert_eq!(read(), new);
    // Between the two, a key was set: it is sealed with the new one.
    keys_of.write(&[&"ef".repeat(32), &new]);
    keys_of.set(&["openai", "--replace"], KEY).exits(0);
    finished("finished", 1);
    // It was done; nobody was told.
    finished("new", 2);
}

#[test]
fn with_the_environment_the_old_sealing_key_is_named_to_rotate() {
    let keys_of = Strongbox::bare();
    let (old, new) = ("ab".repeat(32), "q".repeat(42) + "s=");
    let with = |args: &[&str], new: &str, old: &str| {
        keys_of.command(args).env(NEW, new).env(OLD, old).stdin(KEY).run()
    };
    with(&["set", "openai"], &old, "").exits(0);
    with(&["rotate"], &old, "").fails(1, "INVALID_STATE").telling(OLD);
    with(&["rotate"], &new, &new).fails(1, "SEALING_KEY_WRONG");
    let rotated = with(&["rotate", "--json"], &new, &old).exits(0).json();
    assert_eq!((text(&rotated, "how"), &rotated["resealed"]), ("environment", &json!(1)));
    let state =
        |key: &str| text(&with(&["list", "--json"], key, "").exits(0).json(), "state").to_owned();
    assert_eq!((state(&new), state(&old)), ("ready".to_owned(), "locked".to_owned()));
    assert!(!keys_of.file().exists());
}
