//! What happened to the code.

use std::{fs, os::unix::fs::symlink, path::Path};

use consign_code::{Error, Repository};
use git2::{Signature, Time};

use crate::world::World;

/// Commits everything in the directory, as somebody at some time.
fn commit(world: &World, author: &str, seconds: i64, message: &str) {
    let git = git2::Repository::open(world.path())
        .unwrap_or_else(|_| git2::Repository::init(world.path()).unwrap());
    let mut index = git.index().unwrap();
    index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).unwrap();
    index.update_all(["*"], None).unwrap();
    index.write().unwrap();
    let tree = git.find_tree(index.write_tree().unwrap()).unwrap();
    let who = Signature::new(author, "private@example.com", &Time::new(seconds, 60)).unwrap();
    let parent = git.head().ok().and_then(|head| head.peel_to_commit().ok());
    let parents: Vec<_> = parent.iter().collect();
    git.commit(Some("HEAD"), &who, &who, message, &tree, &parents).unwrap();
}

fn three_commits() -> World {
    let world = World::with(&[("a.txt", "one\ntwo\nthree\n"), ("b.txt", "b\n")]);
    commit(&world, "Ada", 1_700_000_000, "begin\n\nwith a body about Keys");
    world.write("a.txt", b"zero\none\ntwo, changed\nthree\n");
    commit(&world, "Bo", 1_700_000_100, "change a");
    world.write("src/c.rs", b"c\n");
    commit(&world, "Cy", 1_700_000_200, "add c");
    world
}

fn reason(repository: &Repository) -> String {
    let error = repository.git_log(None, 5, None).unwrap_err();
    let Error::NoHistory { reason } = error else { panic!("{error:?}") };
    reason
}

#[test]
fn a_log_has_what_happened_without_addresses() {
    let world = three_commits();
    let repository = world.open();
    let log = |path, limit, grep| -> Vec<String> {
        let found = repository.git_log(path, limit, grep).unwrap();
        assert!(!format!("{found:?}").contains("example.com"));
        let show = |at: consign_code::Commit| {
            format!("{} {} {} {}", at.author, at.date, at.files_changed, at.subject)
        };
        found.items.into_iter().map(show).collect()
    };
    assert_eq!(
        log(None, 10, None),
        [
            "Cy 2023-11-14T23:16:40+01:00 1 add c",
            "Bo 2023-11-14T23:15:00+01:00 1 change a",
            "Ada 2023-11-14T23:13:20+01:00 2 begin",
        ]
    );
    assert_eq!(log(Some("a.txt"), 10, None).len(), 2);
    assert_eq!(log(Some("src"), 10, None).len(), 1);
    assert_eq!(log(None, 10, Some("keys")).len(), 1);
    assert_eq!(log(Some("none"), 10, None).len(), 0);
    assert!(repository.git_log(None, 1, None).unwrap().truncated);
    assert!(matches!(repository.git_log(Some("../x"), 1, None), Err(Error::Outside { .. })));
}

#[test]
fn every_line_has_its_author() {
    let world = three_commits();
    world.write("a.txt", b"zero\r\none\r\ntwo, changed\r\nnew\r\nthree\r\n");
    let blame = |from, to| -> Vec<String> {
        let lines = world.open().git_blame("a.txt", from, to).unwrap();
        let show = |at: consign_code::BlameLine| {
            let origin = at.origin.map_or("nobody".to_owned(), |origin| origin.author);
            format!("{} {origin} {}", at.line, at.text)
        };
        lines.into_iter().map(show).collect()
    };
    assert_eq!(
        blame(1, 99),
        ["1 Bo zero", "2 Ada one", "3 Bo two, changed", "4 nobody new", "5 Ada three"]
    );
    assert_eq!(blame(2, 2), ["2 Ada one"]);
    assert!(blame(9, 10).is_empty());
    world.write("untracked.txt", b"x\n");
    assert!(world.open().git_blame("untracked.txt", 1, 1).unwrap()[0].origin.is_none());
}

#[test]
fn lines_survive_deletions_and_merges() {
    let world = World::with(&[("a.txt", "1\n2\n3\n4\n5\n")]);
    commit(&world, "Ada", 100, "begin");
    world.write("a.txt", b"1\n4\n5\n");
    commit(&world, "Bo", 200, "remove");
    world.write("a.txt", b"1\nx\n4\n5\ny\n");
    commit(&world, "Cy", 300, "add");
    let lines = world.open().git_blame("a.txt", 1, 9).unwrap();
    let authors: Vec<_> = lines.iter().map(|at| at.origin.clone().unwrap().author).collect();
    assert_eq!(authors, ["Ada", "Cy", "Ada", "Ada", "Cy"]);
    assert!(lines.iter().all(|at| !at.origin.as_ref().unwrap().or_older));
}

#[test]
fn limits_make_a_blame_modest() {
    let world = three_commits();
    let limits = consign_code::Limits { commits: 1, ..Default::default() };
    let repository =
        Repository::open_with(world.path(), limits, consign_code::Cancel::new()).unwrap();
    let lines = repository.git_blame("a.txt", 1, 1).unwrap();
    assert!(lines[0].origin.as_ref().unwrap().or_older);
    assert!(repository.git_log(None, 10, None).unwrap().truncated);
}

#[test]
fn a_history_that_leads_out_is_refused() {
    let other = three_commits();
    let elsewhere = other.path().join(".git").display().to_string();
    let world = World::with(&[("a.txt", "a")]);
    assert!(reason(&world.open()).contains("no .git"));

    world.write(".git", format!("gitdir: {elsewhere}\n").as_bytes());
    assert!(reason(&world.open()).contains("file"));
    fs::remove_file(world.path().join(".git")).unwrap();

    symlink(&elsewhere, world.path().join(".git")).unwrap();
    assert!(reason(&world.open()).contains("link"));
    fs::remove_file(world.path().join(".git")).unwrap();

    let broken = |path: &str, text: &str, word: &str| {
        let world = three_commits();
        world.write(path, text.as_bytes());
        assert!(reason(&world.open()).contains(word), "{path}");
    };
    broken(".git/objects/info/alternates", &elsewhere, "alternates");
    broken(".git/commondir", &elsewhere, "commondir");
    broken(".git/config", "[core]\n[ Include] path = /dev/zero\n", "includes");

    let world = three_commits();
    symlink("/etc/passwd", world.path().join(".git/packed-refs")).unwrap();
    assert!(reason(&world.open()).contains("link"));

    // A repository above the root is somebody else's.
    let world = three_commits();
    let inner = Repository::open(&world.path().join("src")).unwrap();
    assert!(reason(&inner).contains("no .git"));
}

#[test]
fn a_repository_without_commits_has_an_empty_log() {
    let world = World::with(&[("a.txt", "a\n")]);
    git2::Repository::init(world.path()).unwrap();
    let repository = world.open();
    assert!(repository.git_log(None, 5, None).unwrap().items.is_empty());
    assert!(repository.git_blame("a.txt", 1, 1).unwrap()[0].origin.is_none());
}

#[test]
fn configuration_runs_nothing() {
    let world = three_commits();
    let trap = world.path().join("ran");
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch {0}\n\tpager = touch {0}\n\
         \tworktree = /\n[diff]\n\texternal = touch {0}\n",
        trap.display()
    );
    world.write(".git/config", config.as_bytes());
    assert_eq!(world.open().git_log(None, 5, None).unwrap().items.len(), 3);
    assert!(world.open().git_blame("a.txt", 1, 9).is_ok());
    assert!(!Path::new(&trap).exists());
}
