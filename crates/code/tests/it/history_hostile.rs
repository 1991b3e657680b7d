//! Histories made by somebody who means harm: none of them holds us, fills memory or leads out.

use std::{fs, path::Path, process::Command};

use consign_code::LogQuery;
use git2::{Oid, Signature, Time};

use crate::{
    history::{reason, three_commits},
    world::World,
};

fn pipe(at: &Path) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(at).status().unwrap().success());
}

#[test]
fn a_head_names_a_reference_or_a_commit() {
    for head in ["ref: logs/pipe\n", "ref: ../a.txt\n", "ref: refs/heads/../../logs/pipe\n", "x"] {
        let world = three_commits();
        pipe(&world.path().join(".git/logs/pipe"));
        world.write(".git/HEAD", head.as_bytes());
        assert!(reason(&world.open()).contains("HEAD"), "{head}");
    }
    let world = three_commits();
    let git = git2::Repository::open(world.path()).unwrap();
    let branch = git.head().unwrap().name().unwrap().to_owned();
    world.write(&format!(".git/{branch}"), b"ref: logs/pipe\n");
    assert!(reason(&world.open()).contains("HEAD"));
    world.write(&format!(".git/{branch}"), format!("ref: {branch}\n").as_bytes());
    assert!(reason(&world.open()).contains("point at each other"));
    world.write(&format!(".git/{branch}"), &vec![b'a'; 8 << 10]);
    assert!(reason(&world.open()).contains("too large"));
}

#[test]
fn a_reference_may_stand_in_the_list_of_references() {
    let world = three_commits();
    let git = git2::Repository::open(world.path()).unwrap();
    let head = git.head().unwrap();
    let (name, id) = (head.name().unwrap().to_owned(), head.target().unwrap());
    let list = format!("# pack-refs with: peeled\n{id} refs/heads/other{name}\n{id} {name}\n");
    world.write(".git/packed-refs", list.as_bytes());
    fs::remove_file(world.path().join(".git").join(name)).unwrap();
    assert_eq!(world.open().git_log(&LogQuery::default()).unwrap().items.len(), 3);
    world.write(".git/HEAD", id.to_string().as_bytes());
    assert_eq!(world.open().git_log(&LogQuery::default()).unwrap().items.len(), 3);
}

#[test]
fn what_is_deep_in_git_is_not_overlooked() {
    let world = three_commits();
    let deep = format!(".git/refs/heads/{}pipe", "d/".repeat(36));
    pipe(&world.path().join(deep));
    assert!(reason(&world.open()).contains("deep"));
    let world = three_commits();
    pipe(&world.path().join(".git/objects/ab/pipe"));
    assert!(reason(&world.open()).contains("neither file nor directory"));
}

/// Makes a commit of a tree the checked out one.
fn check_out(git: &git2::Repository, tree: Oid, message: &str) {
    let tree = git.find_tree(tree).unwrap();
    let who = Signature::new("Ada", "ada@example.com", &Time::new(1_700_000_000, 0)).unwrap();
    git.commit(Some("HEAD"), &who, &who, message, &tree, &[]).unwrap();
}

#[test]
fn trees_that_name_each_other_come_to_an_end() {
    let world = World::with(&[("a.txt", "a\n")]);
    let git = git2::Repository::init(world.path()).unwrap();
    let blob = git.blob(b"a\n").unwrap();
    let mut below = (blob, 0o100_644);
    // Ten to the power of twelve files.
    for _ in 0..12 {
        let mut tree = git.treebuilder(None).unwrap();
        for name in 0..10 {
            tree.insert(name.to_string(), below.0, below.1).unwrap();
        }
        below = (tree.write().unwrap(), 0o040_000);
    }
    check_out(&git, below.0, "begin");
    let found = world.open().git_log(&LogQuery::default()).unwrap();
    assert_eq!(found.items[0].subject, "begin");
    assert!(found.note.unwrap().contains("more files than were counted"));
}

#[test]
fn a_commit_of_many_megabytes_is_not_unpacked() {
    let world = World::with(&[("a.txt", "a\n")]);
    let git = git2::Repository::init(world.path()).unwrap();
    let tree = git.treebuilder(None).unwrap().write().unwrap();
    check_out(&git, tree, &"a".repeat(2 << 20));
    let error = world.open().git_log(&LogQuery::default()).unwrap_err();
    assert!(matches!(error, consign_code::Error::History { .. }), "{error:?}");
}

#[test]
fn files_are_counted_as_git_counts_them() {
    let world = three_commits();
    // A file becomes a folder, one goes, one stays.
    fs::remove_file(world.path().join("a.txt")).unwrap();
    world.write("a.txt/x", b"x\n");
    world.write("a.txt/y", b"y\n");
    fs::remove_file(world.path().join("b.txt")).unwrap();
    let git = git2::Repository::open(world.path()).unwrap();
    let mut index = git.index().unwrap();
    index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).unwrap();
    index.update_all(["*"], None).unwrap();
    let after = git.find_tree(index.write_tree().unwrap()).unwrap();
    let parent = git.head().unwrap().peel_to_commit().unwrap();
    let who = Signature::new("Ada", "ada@example.com", &Time::new(1_700_000_900, 0)).unwrap();
    git.commit(Some("HEAD"), &who, &who, "turn", &after, &[&parent]).unwrap();
    let diff = git.diff_tree_to_tree(Some(&parent.tree().unwrap()), Some(&after), None).unwrap();
    let log = world.open().git_log(&LogQuery::default()).unwrap();
    assert_eq!(log.items[0].files_changed, diff.deltas().len());
    assert_eq!(log.items[0].files_changed, 4);
}
