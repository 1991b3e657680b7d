//! The repository that all tests begin with, and what is looked up in one afterwards.

use std::path::Path;

use git2::{FileMode, Oid, Repository, Signature, Time, build::TreeUpdateBuilder};

pub(crate) const README: &[u8] = b"# Sample\n\nIt does little.\n";

/// Two commits on `main`, with a file of every kind.
pub(crate) fn fill(git: &Repository) -> Oid {
    let files: [(&str, &[u8], FileMode); 5] = [
        ("README.md", b"# Sample\n", FileMode::Blob),
        ("bin/run", b"#!/bin/sh\n", FileMode::BlobExecutable),
        ("docs/gr\u{f6}\u{df}e 1.md", "gr\u{fc}n\n".as_bytes(), FileMode::Blob),
        ("src/deep/er/lib.rs", b"pub fn one() {}\n", FileMode::Blob),
        ("link.md", b"README.md", FileMode::Link),
    ];
    let empty = git.treebuilder(None).unwrap().write().unwrap();
    let mut update = TreeUpdateBuilder::new();
    for (path, content, mode) in files {
        update.upsert(path, git.blob(content).unwrap(), mode);
    }
    let module = Oid::from_str("1234567890123456789012345678901234567890").unwrap();
    update.upsert("vendor/module", module, FileMode::Commit);
    let tree = update.create_updated(git, &git.find_tree(empty).unwrap()).unwrap();
    let first = commit(git, tree, &[], "Begin\n\nWith little.\n", 1_700_000_000);
    let mut update = TreeUpdateBuilder::new();
    update.upsert("README.md", git.blob(README).unwrap(), FileMode::Blob);
    let tree = update.create_updated(git, &git.find_tree(tree).unwrap()).unwrap();
    let second = commit(git, tree, &[first], "Say what it does\n", 1_700_000_100);
    git.reference("refs/heads/main", second, true, "sample").unwrap();
    second
}

pub(crate) fn commit(git: &Repository, tree: Oid, parents: &[Oid], message: &str, at: i64) -> Oid {
    let by = Signature::new("Ada", "ada@example.com", &Time::new(at, 60)).unwrap();
    let parents: Vec<_> = parents.iter().map(|id| git.find_commit(*id).unwrap()).collect();
    let parents: Vec<_> = parents.iter().collect();
    git.commit(None, &by, &by, message, &git.find_tree(tree).unwrap(), &parents).unwrap()
}

/// Changes a file on a branch, as another person would.
pub(crate) fn edit(git: &Repository, branch: &str, path: &str, content: &[u8]) -> Oid {
    let name = format!("refs/heads/{branch}");
    let tip = git.find_reference(&name).unwrap().peel_to_commit().unwrap();
    let mut update = TreeUpdateBuilder::new();
    update.upsert(path, git.blob(content).unwrap(), FileMode::Blob);
    let tree = update.create_updated(git, &tip.tree().unwrap()).unwrap();
    let id = commit(git, tree, &[tip.id()], "By hand\n", 1_800_000_000);
    git.reference(&name, id, true, "by hand").unwrap();
    id
}

/// The subjects of the commits on a branch that are not on `main`, oldest first; `None` without a branch.
pub(crate) fn commits_on(path: &Path, branch: &str) -> Option<Vec<String>> {
    let git = Repository::open(path).unwrap();
    let tip = git.find_reference(&format!("refs/heads/{branch}")).ok()?.target().unwrap();
    let main = git.find_reference("refs/heads/main").unwrap().target().unwrap();
    let mut walk = git.revwalk().unwrap();
    walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::REVERSE).unwrap();
    walk.push(tip).unwrap();
    walk.hide(main).unwrap();
    let subject = |id: Oid| git.find_commit(id).unwrap().summary().unwrap().unwrap().to_owned();
    Some(walk.map(|id| subject(id.unwrap())).collect())
}

pub(crate) fn content_on(path: &Path, branch: &str, file: &str) -> Vec<u8> {
    let git = Repository::open(path).unwrap();
    let tip = git.find_reference(&format!("refs/heads/{branch}")).unwrap();
    let tree = tip.peel_to_tree().unwrap();
    let entry = tree.get_path(Path::new(file)).unwrap();
    git.find_blob(entry.id()).unwrap().content().to_vec()
}

pub(crate) fn branches(path: &Path) -> Vec<String> {
    let git = Repository::open(path).unwrap();
    let branches = git.branches(Some(git2::BranchType::Local)).unwrap();
    let mut names: Vec<_> =
        branches.map(|it| it.unwrap().0.name().unwrap().unwrap().to_owned()).collect();
    names.sort();
    names
}
