//! `consign backup` and `consign restore`: a home that is in use, copied and made again.

use std::{fs, path::PathBuf};

use rustix::process::Signal;

use crate::{
    home::{Home, until},
    support::{Consign, Outcome, root, text},
};

impl Home {
    fn beside(&self, name: &str) -> PathBuf {
        self.path().parent().expect("it is in a folder").join(name)
    }

    fn back_up(&self, name: &str) -> Outcome {
        self.run(&["backup", self.beside(name).to_str().expect("a plain name"), "--json"])
    }

    fn restore(&self, from: &str, to: &str, more: &[&str]) -> Outcome {
        let (from, to) = (self.beside(from), self.beside(to));
        let plain = |path: &PathBuf| path.to_str().expect("a plain name").to_owned();
        let (from, to) = (plain(&from), plain(&to));
        self.run(&[&["restore", &from, "--home", &to, "--json"], more].concat())
    }

    /// A command on another home.
    fn on(&self, name: &str, args: &[&str]) -> Outcome {
        self.consign(args).env("CONSIGN_HOME", self.beside(name)).run()
    }
}

#[test]
fn a_back_up_under_load_restores_to_a_home_where_every_run_holds_and_none_is_missing() {
    let home = Home::new();
    let workers = [home.worker(), home.worker()];
    let mut accepted: Vec<String> = Vec::new();
    let large = r#"{"steps": 3, "sleep_ms": 20, "payload": 80000}"#;
    // Some run, some wait, some are long over when the copy is taken.
    for number in 0..12 {
        let input = if number % 3 == 0 { large } else { r#"{"steps": 3, "sleep_ms": 20}"# };
        accepted.push(home.detach("sample/steps", input));
    }
    // A process that starts runs in a loop, for as long as back-ups are taken.
    let script = "while :; do \"$0\" runs start sample/steps --input '{\"steps\": 2}' --detach >/dev/null; done";
    let consign = env!("CARGO_BIN_EXE_consign");
    let writer = Consign::of("sh", ["-c", script, consign]);
    let writer = home.let_go_on(writer.env("CONSIGN_HOME", home.path()));
    let mut before = accepted.len() as u64;
    for round in 0..3 {
        let name = format!("backup-{round}");
        until("more is written", || {
            let listed = home.run(&["runs", "list", "--limit", "1000", "--json"]).exits(0);
            (listed.stdout.lines().count() as u64 > before).then_some(())
        });
        let made = home.back_up(&name).exits(0).json();
        assert_eq!(made["missing"].as_array().map(Vec::len), Some(0), "{made}");
        let runs = made["runs"].as_u64().expect("a number");
        assert!(runs > before, "nobody else writes: {made}");
        before = runs;
        accepted.push(home.detach("sample/steps", r#"{"steps": 1}"#));
        let restored = home.restore(&name, &format!("home-{round}"), &[]).exits(0).json();
        assert_eq!(restored["verified"], made["runs"], "{restored}");
        assert_eq!(restored["broken"].as_array().map(Vec::len), Some(0), "{restored}");
        for run in &accepted[..12 + round] {
            home.on(&format!("home-{round}"), &["runs", "show", run]).exits(0);
        }
    }
    writer.signal(Signal::KILL);
    workers.iter().for_each(|worker| worker.signal(Signal::KILL));
    // The restored home goes on by itself: nobody holds its runs any more.
    home.on("home-2", &["runs", "verify", "--all"]).exits(0);
    let other = home.consign(&["worker", "--json"]).env("CONSIGN_HOME", home.beside("home-2"));
    let other = home.let_go_on(other);
    until("all runs of before are over", || {
        let open = home.on("home-2", &["runs", "list", "--status", "running", "--json"]);
        let queued = home.on("home-2", &["runs", "list", "--status", "queued", "--json"]);
        (open.stdout.is_empty() && queued.stdout.is_empty()).then_some(())
    });
    other.signal(Signal::TERM);
    home.on("home-2", &["runs", "verify", "--all"]).exits(0);
}

#[test]
fn a_back_up_that_is_killed_leaves_no_folder_and_the_next_succeeds() {
    let home = Home::new();
    let large = r#"{"steps": 1, "payload": 80000}"#;
    for _ in 0..4 {
        home.start("sample/steps", large, 0);
    }
    let (backup, partial) = (home.beside("backup"), home.beside("backup.partial"));
    for _ in 0..5 {
        let going = home.spawn(&["backup", backup.to_str().expect("a plain name")]);
        let begun = until("it begins or is done", || {
            (partial.exists() || backup.exists()).then(|| !backup.exists())
        });
        going.signal(Signal::KILL);
        going.wait();
        if begun && !backup.exists() {
            // What is there is not taken for a back-up.
            home.restore("backup.partial", "other", &[]).exits(1).telling("BACKUP_INVALID");
            assert!(!home.beside("other").exists());
        }
        if backup.exists() {
            // It was faster, and is whole then.
            home.restore("backup", "other", &[]).exits(0);
            fs::remove_dir_all(home.beside("other")).expect("it can be removed");
            fs::remove_dir_all(&backup).expect("it can be removed");
        }
    }
    home.back_up("backup").exits(0);
    assert!(!partial.exists());
    home.restore("backup", "other", &[]).exits(0);
}

#[test]
fn a_file_that_was_changed_is_refused_and_named() {
    let home = Home::new();
    home.start("sample/steps", "{}", 0);
    home.back_up("backup").exits(0);
    let database = home.beside("backup/consign.db");
    let mut bytes = fs::read(&database).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&database, bytes).expect("it can be written");
    let refused = home.restore("backup", "other", &[]).exits(1);
    refused.telling("BACKUP_INVALID").telling("consign.db: was changed");
    assert!(!home.beside("other").exists());
}

#[test]
fn a_home_is_never_restored_over_another() {
    let home = Home::new();
    let run = home.start("sample/steps", "{}", 0);
    home.back_up("backup").exits(0);
    home.restore("backup", "home", &[]).exits(1).telling("HOME_NOT_EMPTY");
    let worker = home.worker();
    home.restore("backup", "home", &[]).exits(1).telling("HOME_IN_USE");
    worker.signal(Signal::TERM);
    worker.wait().exits(0);
    assert_eq!(home.status(&run), "succeeded");
    home.back_up("backup").exits(2).telling("BACKUP_EXISTS");
}

#[test]
fn sealed_keys_open_again_with_the_sealing_key_and_only_then() {
    let home = Home::new();
    home.run(&["keys", "init"]).exits(0);
    let set = home.consign(&["keys", "set", "openai"]).stdin("sk-test-0123456789abcdefghij\n");
    set.run().exits(0);
    let folder = home.beside("plain");
    let told = home.run(&["backup", folder.to_str().expect("a plain name")]).exits(0);
    told.telling("sealing.key is not in it");
    let restored = home.restore("plain", "without", &[]).exits(0).json();
    assert_eq!((&restored["sealing_key"], &restored["sealed_keys"]), (&false.into(), &1.into()));
    assert!(!home.beside("without/sealing.key").exists());
    let folder = home.beside("whole");
    let args = ["backup", folder.to_str().expect("a plain name"), "--with-sealing-key", "--json"];
    let made = home.run(&args).exits(0).json();
    assert_eq!((text(&made, "sealing_key"), &made["sealed_keys"]), ("included", &1.into()));
    home.restore("whole", "with", &[]).exits(0);
    let list = |name: &str| home.on(name, &["keys", "list", "--json"]).stdout;
    assert_eq!(list("with"), list("home"));
    assert_ne!(list("without"), list("home"));
}

#[test]
fn a_job_goes_on_in_a_home_that_was_lost_and_restored() {
    let home = Home::new();
    let example = |name: &str| root().join("examples/jobs/stuck").join(name).display().to_string();
    let (phases, script) = (example("phases.toml"), example("script.json"));
    let new = ["job", "new", "stuck", "--objective", "Announce the opening", "--phases", &phases];
    home.run(&new).exits(0);
    home.run(&["job", "activate", "stuck"]).exits(0);
    home.run(&["job", "run", "stuck", "--agent-script", &script]).exits(43);
    home.back_up("backup").exits(0);
    fs::remove_dir_all(home.path()).expect("it can be lost");
    let restored = home.restore("backup", "home", &[]).exits(0).json();
    assert_eq!((&restored["jobs"], &restored["jobs_elsewhere"]), (&1.into(), &0.into()));
    // What it had been when it was asked for advice.
    home.run(&["job", "advise", "stuck", "The shop opens on 1 May, at 9.", "--run"]).exits(0);
    let shown = home.run(&["job", "status", "stuck", "--json"]).exits(0).json();
    assert_eq!(text(&shown, "status"), "SUCCESS");
    home.run(&["job", "replay", "stuck"]).exits(0);
    // At another path it can be looked at, and its directory is nobody's there.
    let moved = home.restore("backup", "moved", &[]).exits(0).json();
    assert_eq!((&moved["jobs"], &moved["jobs_elsewhere"]), (&0.into(), &1.into()));
    home.run(&["job", "replay", "stuck"]).exits(0);
}
