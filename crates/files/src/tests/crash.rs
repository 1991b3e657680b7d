//! Killed, and failed, at every step: the old file or the new one, never half of either. Also that each
//! step is made durable before the next one relies on it, which a kill cannot show but a power cut would.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use super::{
    Place,
    child::{Ended, Found, OLD, WARM, command, traced},
    names,
};
use crate::{Access, Root};

/// Every way in which something reaches the disk or becomes visible to others.
const CALLS: [&str; 9] = [
    "openat2",
    "openat",
    "fchmod",
    "write",
    "fsync",
    "renameat",
    "renameat2",
    "linkat",
    "unlinkat",
];

fn place(old: bool) -> Place {
    let place = Place::new();
    if old {
        fs::write(place.inside().join("file"), OLD).unwrap();
    }
    place
}

fn content(place: &Place) -> Found {
    Found::at(&place.inside().join("file"))
}

fn run(place: &Place, what: &str, options: &[&str]) -> Ended {
    let mut command = command(&traced(options), what, &place.inside());
    Ended::of(command.status().unwrap())
}

/// Kills a process before its first, second, … such call. Says how many there were.
fn kill_each(call: &str, what: &str, old: bool, check: impl Fn(&Place, usize)) -> usize {
    for number in 1.. {
        let place = place(old);
        let trace = format!("trace={call}");
        let kill = format!("inject={call}:signal=SIGKILL:when={}", WARM + number);
        match run(&place, what, &["-e", &trace, "-e", &kill]) {
            Ended::Killed => check(&place, number),
            ended @ (Ended::Done | Ended::Exists | Ended::Unsynced | Ended::Failed) => {
                assert_eq!(ended, Ended::Done, "{what} without a kill at {call} {number}");
                assert_eq!(content(&place), Found::New);
                return number - 1;
            }
        }
        assert!(number < 50, "there is no end to {call}");
    }
    unreachable!("numbers have no end")
}

/// Kills it everywhere. Says how often.
fn kill_everywhere(what: &str, old: bool, check: impl Fn(&Place, &str, usize)) -> usize {
    CALLS
        .iter()
        .map(|call| kill_each(call, what, old, |place, number| check(place, call, number)))
        .sum()
}

#[test]
fn killed_at_every_step_a_file_is_the_old_one_or_the_new_one() {
    let kills = kill_everywhere("write", true, |place, call, number| {
        // The folder is synced after the rename, and nothing else comes after it.
        let expected = if (call, number) == ("fsync", 2) { Found::New } else { Found::Old };
        assert_eq!(content(place), expected, "{call} {number}");
        let left: Vec<_> = names(&place.inside()).into_iter().filter(|it| it != "file").collect();
        assert!(left.len() <= 1 && left.iter().all(|it| is_unfinished(it)), "{left:?}");
    });
    assert!(kills >= 7, "{kills}");
}

fn is_unfinished(name: &str) -> bool {
    name.starts_with(".file.") && name.ends_with(".new") && name.len() == ".file..new".len() + 16
}

#[test]
fn what_a_kill_left_under_a_known_name_goes_with_the_next_write() {
    let kills = kill_everywhere("write by", true, |place, call, number| {
        let found = content(place);
        assert!([Found::Old, Found::New].contains(&found), "{call} {number}: {found:?}");
        let left: Vec<_> = names(&place.inside()).into_iter().filter(|it| it != "file").collect();
        assert!(left.is_empty() || left == ["file.new"], "{left:?}");
        let root = Root::open(&place.inside()).unwrap();
        root.write_atomic_by("file", "file.new", b"next", Access::Private).unwrap();
        assert_eq!(names(&place.inside()), ["file"]);
        assert_eq!(root.read("file", 10).unwrap(), b"next");
    });
    assert!(kills >= 7, "{kills}");
}

#[test]
fn killed_at_every_step_a_file_is_created_whole_or_not_at_all() {
    let kills = kill_everywhere("once", false, |place, call, number| {
        let is_there = (call, number) == ("fsync", 2);
        let expected = if is_there { Found::New } else { Found::Nothing };
        assert_eq!(content(place), expected, "{call} {number}");
        let left = names(&place.inside()).into_iter().filter(|it| it != "file").count();
        assert_eq!(left, 0, "a file without a name leaves nothing");
        // Another, who comes after the crash, is the second only if the first is there.
        let root = Root::open(&place.inside()).unwrap();
        let again = root.create_once("file", b"another", Access::Private).is_ok();
        assert_eq!(again, !is_there);
    });
    assert!(kills >= 6, "{kills}");
}

/// Has calls fail, and says how it ended and what is there then.
fn failing(what: &str, old: bool, failures: &[(&str, &str)]) -> (Ended, Found, Vec<String>) {
    let place = place(old);
    let mut options = Vec::new();
    for (call, how) in failures {
        options.extend(["-e".to_owned(), format!("inject={call}:{how}")]);
    }
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let ended = run(&place, what, &options);
    if ended == Ended::Done {
        assert_eq!(fs::metadata(place.inside().join("file")).unwrap().nlink(), 1);
    }
    (ended, content(&place), names(&place.inside()))
}

fn nth(error: &str, number: usize) -> String {
    format!("error={error}:when={}", WARM + number)
}

#[test]
fn a_write_that_fails_at_any_step_keeps_the_old_file_and_leaves_nothing() {
    let check = |call: &str, error: &str, ended: Ended| {
        for what in ["write", "write by"] {
            let found = failing(what, true, &[(call, &nth(error, 1))]);
            assert_eq!(found, (ended, Found::Old, vec!["file".to_owned()]), "{call} {error}");
        }
    };
    check("openat", "EMFILE", Ended::Failed);
    check("openat", "EROFS", Ended::Failed);
    check("fchmod", "EPERM", Ended::Failed);
    check("write", "ENOSPC", Ended::Failed);
    check("write", "EDQUOT", Ended::Failed);
    check("fsync", "EIO", Ended::Unsynced);
    check("fsync", "ENOSPC", Ended::Unsynced);
    check("renameat", "EIO", Ended::Failed);
    check("renameat", "EISDIR", Ended::Failed);
    // What came after the rename cannot be taken back, and is told by itself.
    let found = failing("write", true, &[("fsync", &nth("EIO", 2))]);
    assert_eq!(found, (Ended::Unsynced, Found::New, vec!["file".to_owned()]));
    // A file system that cannot sync a folder has not lost anything by it.
    let found = failing("write", true, &[("fsync", &nth("EINVAL", 2))]);
    assert_eq!(found, (Ended::Failed, Found::New, vec!["file".to_owned()]));
}

#[test]
fn a_creation_that_fails_leaves_nothing() {
    let check = |failures: &[(&str, &str)], ended: Ended| {
        let found = failing("once", false, failures);
        assert_eq!(found, (ended, Found::Nothing, vec![]), "{failures:?}");
    };
    check(&[("write", &nth("ENOSPC", 1))], Ended::Failed);
    check(&[("fsync", &nth("EIO", 1))], Ended::Unsynced);
    // Neither a nameless file nor another name first.
    let always = |error: &str| format!("error={error}:when={}+", WARM + 1);
    check(&[("openat", &always("EROFS"))], Ended::Failed);
    // No second names, and no rename that keeps what is there.
    check(&[("linkat", &always("EPERM")), ("renameat2", &always("EINVAL"))], Ended::Failed);
    // It may have come at the last moment.
    check(&[("linkat", &nth("EEXIST", 1))], Ended::Exists);
    check(&[("linkat", &nth("EPERM", 1)), ("renameat2", &nth("EEXIST", 1))], Ended::Exists);
}

#[test]
fn a_file_is_created_once_on_file_systems_that_lack_this_or_that() {
    let check = |failures: &[(&str, &str)]| {
        let found = failing("once", false, failures);
        let made = (Ended::Done, Found::New, vec!["file".to_owned()]);
        assert_eq!(found, made, "{failures:?}");
        let found = failing("once", true, failures);
        let kept = (Ended::Exists, Found::Old, vec!["file".to_owned()]);
        assert_eq!(found, kept, "{failures:?}");
    };
    let always = |error: &str| format!("error={error}:when={}+", WARM + 1);
    // No nameless files.
    check(&[("openat", &nth("EOPNOTSUPP", 1))]);
    // No second names: what a hard link is.
    check(&[("linkat", &always("EPERM"))]);
    // No /proc.
    check(&[("linkat", &nth("ENOENT", 1))]);
    // Neither nameless files nor a rename that keeps what is there.
    check(&[("openat", &nth("EOPNOTSUPP", 1)), ("renameat2", &always("EINVAL"))]);
}

#[test]
fn without_openat2_everything_works_by_steps() {
    for error in ["ENOSYS", "EPERM", "EAGAIN"] {
        let place = Place::new();
        place.link("out", "../outside");
        let fail = format!("inject=openat2:error={error}");
        assert_eq!(run(&place, "everything", &["-e", &fail]), Ended::Done, "{error}");
        assert_eq!(fs::read(place.inside().join("a/b/file")).unwrap(), b"inside");
        place.assert_outside_is_untouched();
    }
}

/// The calls of a process that concern a folder, one line each.
fn trace(place: &Place, what: &str) -> Vec<String> {
    let logs = tempfile::tempdir().unwrap();
    let log = logs.path().join("log");
    let calls = "trace=write,fsync,fdatasync,renameat,renameat2,linkat";
    // A file for each thread.
    let options = ["-ff", "-y", "-s", "20", "-e", calls, "-o", log.to_str().unwrap()];
    assert_eq!(run(place, what, &options), Ended::Done);
    let folder = place.inside().canonicalize().unwrap();
    let folder = folder.to_str().unwrap();
    let logs = names(logs.path()).into_iter().map(|name| logs.path().join(name));
    let lines = logs.flat_map(|log| lines(&log));
    lines.filter(|line| line.contains(folder)).collect()
}

fn lines(log: &Path) -> Vec<String> {
    fs::read_to_string(log).unwrap().lines().map(str::to_owned).collect()
}

/// Where a call stands that begins and goes on like this. The last one, or the first.
fn position(lines: &[String], call: &str, with: &str) -> usize {
    let is = |line: &String| line.starts_with(call) && line.contains(with);
    let found = lines.iter().position(is);
    found.unwrap_or_else(|| panic!("there is no {call} with {with} in {lines:#?}"))
}

#[test]
fn a_file_is_durable_before_it_gets_its_name_and_the_name_before_it_is_told() {
    for (what, unfinished) in [("write", ".new>"), ("write by", "file.new>")] {
        let place = place(true);
        let lines = trace(&place, what);
        let written =
            lines.iter().rposition(|line| line.starts_with("write(") && line.contains(unfinished));
        let synced = position(&lines, "fsync(", unfinished);
        let renamed = position(&lines, "renameat(", "\"file\")");
        let told = position(&lines, "fsync(", "/root>");
        assert!(written.unwrap() < synced && synced < renamed && renamed < told, "{lines:#?}");
        assert_eq!(told, lines.len() - 1, "nothing follows: {lines:#?}");
    }
}

#[test]
fn a_file_is_durable_before_it_is_created_and_its_name_before_it_is_told() {
    let place = place(false);
    let lines = trace(&place, "once");
    let written = lines.iter().rposition(|line| line.starts_with("write("));
    let synced = position(&lines, "fsync(", "/root/#");
    let linked = position(&lines, "linkat(", "\"file\", AT_SYMLINK_FOLLOW) = 0");
    let told = position(&lines, "fsync(", "/root>");
    assert!(written.unwrap() < synced && synced < linked && linked < told, "{lines:#?}");
}
