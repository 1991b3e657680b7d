//! A disk that is full, and a directory that cannot be written.

use std::path::Path;

use serde_json::json;

use super::{Kept, Sealed};
use crate::support::{Effects, Home, Outcome, args_to_start, id, need, words};

/// A command for which some calls fail.
fn failing(home: &Home, calls: &str, how: &str, path: Option<&Path>, args: &[String]) -> Outcome {
    need("strace");
    let log = home.file("strace");
    let (trace, inject) = (format!("trace={calls}"), format!("inject={calls}:{how}"));
    let mut words = vec!["strace", "-D", "-f", "-qq", "-o", log.to_str().expect("a plain path")];
    let path = path.map(|path| path.to_str().expect("a plain path"));
    words.extend(path.into_iter().flat_map(|path| ["-P", path]));
    words.extend(["-e", &trace, "-e", &inject]);
    home.start(home.under(words, args)).wait()
}

#[test]
fn a_disk_that_fills_up_at_any_write_is_told_and_leaves_nothing_behind() {
    let kept = Kept::new();
    let detach = args_to_start("sample/steps", &json!({"steps": 1}), &["--detach"]);
    let mut refused = 0;
    for number in 1.. {
        let before = kept.runs();
        let outcome =
            failing(&kept.home, "pwrite64", &format!("error=ENOSPC:when={number}+"), None, &detach);
        if outcome.code == Some(0) {
            break;
        }
        outcome.fails_with(&["STORE_UNAVAILABLE"]).telling("the disk is full");
        assert_eq!(kept.runs(), before, "it said that nothing was written");
        refused += 1;
    }
    eprintln!("refused at {refused} writes");
    assert!(refused >= 5, "{refused} writes are too few to mean anything");
    kept.goes_on();
}

#[test]
fn a_run_waits_for_room_on_the_disk_and_goes_on() {
    let home = Home::new();
    home.run(["runs", "list"]).succeeds();
    let effects = Effects::of(&home);
    let args = args_to_start("sample/effects", &effects.input("unsafe", 3, 0), &[]);
    let mut waited = 0;
    // In each of these places three writes in a row fail.
    for number in [14, 20, 26, 32] {
        let how = format!("error=ENOSPC:when={number}..{}", number + 2);
        let outcome = failing(&home, "pwrite64", &how, None, &args);
        match outcome.code {
            Some(0) => waited += 1,
            // The run was not there yet, and nobody waits for one that is not.
            _ => drop(outcome.fails_with(&["STORE_UNAVAILABLE"]).telling("the disk is full")),
        }
    }
    assert!(waited > 0, "no run was under way when the disk was full");
    let lines = effects.lines();
    assert_eq!(lines["unsafe"].len(), 3 * waited);
    assert!(lines["unsafe"].values().all(|times| *times == 1), "{lines:?}");
    home.run(["runs", "verify", "--all"]).succeeds();
}

#[test]
fn a_real_disk_that_is_full_is_told_and_works_again_with_room() {
    let mut home = Home::new();
    let mount = "mkdir \"$1\" && mount -t tmpfs -o size=3m tmpfs \"$1\" && mkdir \"$1/in\"";
    let Some(sealed) = Sealed::new(&home, mount) else { return };
    home.enter(sealed.words(), home.path().join("in"));
    let filler = home.path().with_file_name("filler");
    let kept = Kept::of(home);
    // To the last byte.
    assert!(!sealed.run("cp", &[Path::new("/dev/zero"), &filler]), "there was no end to the disk");
    // There may be some room left in files that are there already: what was taken must be kept.
    let start = args_to_start("sample/steps", &json!({"steps": 1}), &["--detach"]);
    let mut taken = Vec::new();
    let refused = loop {
        let outcome = kept.home.run(&start);
        if outcome.code != Some(0) {
            break outcome;
        }
        taken.push(id(&outcome.json()));
        assert!(taken.len() < 500, "there was no end to the disk");
    };
    refused.fails_with(&["STORE_UNAVAILABLE"]).telling("the disk is full");
    // To look needs no room, as long as the files for it are there.
    let listed = kept.home.run(["runs", "list"]);
    if listed.code != Some(0) {
        listed.fails_with(&["STORE_UNAVAILABLE"]).telling("the disk is full");
    }
    assert!(sealed.run("rm", &[&filler]));
    let runs = kept.runs();
    assert!(taken.iter().all(|run| runs.contains(run)), "{runs:?} lacks one of {taken:?}");
    kept.goes_on();
}

#[test]
fn a_directory_that_cannot_be_written_is_told() {
    let mut kept = Kept::new();
    let start = args_to_start("sample/steps", &json!({"steps": 1}), &["--detach"]);
    let database = kept.home.database();
    for error in ["error=EACCES", "error=EROFS:when=1"] {
        for args in [start.clone(), words(&["worker"])] {
            let told = failing(&kept.home, "openat", error, Some(&database), &args);
            told.fails_with(&["STORE_UNAVAILABLE"]);
        }
    }
    kept.is_unchanged();
    let mount = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\"";
    if let Some(sealed) = Sealed::new(&kept.home, mount) {
        let path = kept.home.path();
        kept.home.enter(sealed.words(), path.clone());
        for args in [start, words(&["worker"])] {
            kept.home.run(args).fails_with(&["STORE_UNAVAILABLE"]).telling("ead-only");
        }
        for looks in [&["runs", "list"][..], &["runs", "verify", "--all"], &["inbox"]] {
            kept.home.run(words(looks)).succeeds().telling("read-only");
        }
        kept.home.enter(Vec::new(), path);
    }
    kept.is_unchanged();
    kept.goes_on();
}
