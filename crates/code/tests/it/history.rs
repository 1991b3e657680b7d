//! What happened to the code.

use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    path::Path,
};

use consign_code::{Error, LogQuery, Repository, check_git_directory};
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

pub(crate) fn three_commits() -> World {
    let world = World::with(&[("a.txt", "one\ntwo\nthree\n"), ("b.txt", "b\n")]);
    commit(&world, "Ada", 1_700_000_000, "begin\n\nwith a body about Keys");
    world.write("a.txt", b"zero\none\ntwo, changed\nthree\n");
    commit(&world, "Bo", 1_700_000_100, "change a");
    world.write("src/c.rs", b"c\n");
    commit(&world, "Cy", 1_700_000_200, "add c");
    world
}

fn query(path: Option<&str>, limit: usize, grep: Option<&str>) -> LogQuery {
    let own = |text: &str| text.to_owned();
    LogQuery { path: path.map(own), grep: grep.map(own), limit, ..LogQuery::default() }
}

fn subjects(repository: &Repository, query: &LogQuery) -> Vec<String> {
    let found = repository.git_log(query).unwrap();
    found.items.into_iter().map(|commit| commit.subject).collect()
}

pub(crate) fn reason(repository: &Repository) -> String {
    let error = repository.git_log(&LogQuery::default()).unwrap_err();
    let Error::NoHistory { reason } = error else { panic!("{error:?}") };
    reason
}

#[test]
fn a_log_has_what_happened_without_addresses() {
    let world = three_commits();
    let repository = world.open();
    let log = |path, limit, grep| -> Vec<String> {
        let found = repository.git_log(&query(path, limit, grep)).unwrap();
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
    assert!(repository.git_log(&query(None, 1, None)).unwrap().truncated);
    assert!(matches!(
        repository.git_log(&query(Some("../x"), 1, None)),
        Err(Error::Outside { .. })
    ));
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
    assert!(repository.git_log(&query(None, 10, None)).unwrap().truncated);
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
}

#[test]
fn a_directory_for_others_to_open_has_no_way_out() {
    let check = |prepare: &dyn Fn(&Path), word: &str| {
        let world = three_commits();
        let git = world.path().join(".git");
        check_git_directory(&git).unwrap();
        prepare(&git);
        let refused = check_git_directory(&git).unwrap_err().to_string();
        assert!(refused.contains(word), "{word}: {refused}");
    };
    let config =
        |text: &'static str| move |git: &Path| fs::write(git.join("config"), text).unwrap();
    check(&config("[include]\npath = /x\n"), "includes other files");
    check(&config("[core]\nworktree = /x\n"), "core.worktree");
    check(&|git| fs::write(git.join("objects/info/alternates"), "").unwrap(), "alternates");
    check(&|git| fs::write(git.join("objects/info/http-alternates"), "").unwrap(), "alternates");
    check(&|git| fs::write(git.join("gitdir"), "../x").unwrap(), "gitdir");
    // Also where neither log nor blame would read it, and where it leads to its own file.
    check(&|git| symlink("../config", git.join("logs/x")).unwrap(), "a link");
    check(&|git| symlink("../../config", git.join("worktrees")).unwrap(), "a link");
    check(&|git| drop(UnixListener::bind(git.join("hooks/x")).unwrap()), "neither file nor");
}

#[test]
fn a_folder_has_the_history_of_what_it_lies_in() {
    let world = three_commits();
    world.write("src/c.rs", b"c\nd\n");
    world.write("a.txt", b"other\n");
    commit(&world, "Di", 1_700_000_300, "change both");
    let inner = Repository::open(&world.path().join("src")).unwrap();
    let log = inner.git_log(&LogQuery::default()).unwrap();
    let shown: Vec<_> =
        log.items.iter().map(|at| (at.subject.as_str(), at.files_changed)).collect();
    assert_eq!(shown, [("change both", 1), ("add c", 1)], "without what is elsewhere");
    assert!(!log.truncated);
    assert_eq!(subjects(&inner, &query(Some("c.rs"), 9, None)).len(), 2);
    assert!(subjects(&inner, &query(Some("a.txt"), 9, None)).is_empty());
    assert!(matches!(inner.git_log(&query(Some("../a.txt"), 9, None)), Err(Error::Outside { .. })));
    let lines = inner.git_blame("c.rs", 1, 9).unwrap();
    let authors: Vec<_> = lines.iter().map(|at| at.origin.clone().unwrap().author).collect();
    assert_eq!(authors, ["Cy", "Di"]);
    assert!(inner.git_blame("a.txt", 1, 9).is_err());
}

#[test]
fn a_history_above_is_trusted_only_if_it_is_ones_own() {
    let refuse = |prepare: &dyn Fn(&World), word: &str| {
        let world = three_commits();
        fs::create_dir_all(world.path().join("src/deep")).unwrap();
        world.write("src/deep/d.rs", b"d\n");
        commit(&world, "Di", 1_700_000_300, "add d");
        prepare(&world);
        let inner = Repository::open(&world.path().join("src/deep")).unwrap();
        assert!(reason(&inner).contains(word), "{}", reason(&inner));
    };
    let moved = |world: &World| {
        let git = world.path().join(".git");
        fs::rename(&git, world.path().join("elsewhere")).unwrap();
        git
    };
    refuse(&|world| fs::write(moved(world), "gitdir: elsewhere\n").unwrap(), "is a file");
    refuse(&|world| symlink("elsewhere", moved(world)).unwrap(), "is a link");
    // A link that stays in the repository leads out of what may be read from below.
    refuse(
        &|world| {
            let packed = world.path().join(".git/packed-refs");
            symlink("../a.txt", packed).unwrap();
        },
        "link that leads out",
    );
    refuse(&|world| world.write(".git/commondir", b"../x"), "commondir");
    refuse(&|world| world.write(".git/objects/info/alternates", b"/x\n"), "alternates");
    refuse(&|world| world.write(".git/config", b"[include]\npath = /x\n"), "includes");
    // The nearest decides, whatever it is worth.
    refuse(&|world| world.write("src/.git", b"gitdir: ../.git\n"), "is a file");

    let world = three_commits();
    world.write("new/a.rs", b"");
    let inner = Repository::open(&world.path().join("new")).unwrap();
    assert!(reason(&inner).contains("does not have it"));

    // Only the administrator can give files away.
    if rustix::process::geteuid().is_root() {
        let give = |path: std::path::PathBuf| {
            std::os::unix::fs::chown(path, Some(12_345), None).unwrap();
        };
        refuse(&|world| give(world.path().join(".git")), "another user");
        refuse(&|world| give(world.path().join("src")), "another user");
        refuse(&|world| give(world.path().join("src/deep")), "another user");
        refuse(&|world| give(world.path().to_owned()), "another user");
    }
}

#[test]
fn the_oldest_commit_of_a_path_added_it() {
    let world = three_commits();
    let repository = world.open();
    let oldest =
        |path: Option<&str>, limit| LogQuery { oldest_first: true, ..query(path, limit, None) };
    let found = repository.git_log(&oldest(Some("a.txt"), 1)).unwrap();
    assert_eq!(found.items[0].author, "Ada");
    assert_eq!((found.total, found.truncated, found.note), (2, true, None));
    assert_eq!(subjects(&repository, &oldest(None, 2)), ["begin", "change a"]);
    assert_eq!(subjects(&repository, &oldest(None, 9)), ["begin", "change a", "add c"]);
    // What was not looked at may be older.
    let limits = consign_code::Limits { commits: 2, ..Default::default() };
    let few = Repository::open_with(world.path(), limits, consign_code::Cancel::new()).unwrap();
    let found = few.git_log(&oldest(Some("a.txt"), 1)).unwrap();
    assert_eq!(found.items[0].author, "Bo");
    assert!(found.truncated && found.note.unwrap().contains("newest 2 commits"));
}

#[test]
fn a_history_that_was_cloned_in_part_says_so() {
    let world = three_commits();
    let git = git2::Repository::open(world.path()).unwrap();
    let last = git.head().unwrap().peel_to_commit().unwrap().parent(0).unwrap();
    world.write(".git/shallow", format!("{}\n", last.id()).as_bytes());
    let found = world
        .open()
        .git_log(&LogQuery { oldest_first: true, ..query(Some("a.txt"), 5, None) })
        .unwrap();
    assert!(found.truncated && found.note.unwrap().contains("shallow"), "{:?}", found.items);
}

#[test]
fn a_log_can_be_asked_for_one_author() {
    let world = three_commits();
    let repository = world.open();
    let by = |author: &str| {
        let author = Some(author.to_owned());
        subjects(&repository, &LogQuery { author, ..LogQuery::default() })
    };
    assert_eq!(by("ada"), ["begin"]);
    assert_eq!(by("CY"), ["add c"]);
    assert_eq!(by("@example.com").len(), 3, "the address counts, and is not shown");
    assert!(by("nobody").is_empty());
    let query = LogQuery { author: Some("bo".to_owned()), ..query(Some("b.txt"), 9, None) };
    assert!(subjects(&repository, &query).is_empty());
}

#[test]
fn a_repository_without_commits_has_an_empty_log() {
    let world = World::with(&[("a.txt", "a\n")]);
    git2::Repository::init(world.path()).unwrap();
    let repository = world.open();
    assert!(repository.git_log(&query(None, 5, None)).unwrap().items.is_empty());
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
    assert_eq!(world.open().git_log(&query(None, 5, None)).unwrap().items.len(), 3);
    assert!(world.open().git_blame("a.txt", 1, 9).is_ok());
    assert!(!Path::new(&trap).exists());
}
