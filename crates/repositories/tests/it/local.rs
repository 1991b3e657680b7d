//! A local folder: the port's promises, and everything of the user that stays as it is.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    sync::Arc,
};

use consign_repositories::{Base, CommitId, Error, Expected, FileCommit, Local, Repository};
use git2::{Oid, RepositoryInitOptions, build::CheckoutBuilder};
use tempfile::TempDir;

use crate::{
    conformance::{self, Stage, branch, change},
    sample::{self, README, commits_on, content_on},
};

/// A work tree with the sample checked out, changes that are not committed, and hooks that leave a mark.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut options = RepositoryInitOptions::new();
    options.initial_head("main").external_template(false);
    let git = git2::Repository::init_opts(folder.path(), &options).unwrap();
    sample::fill(&git);
    git.checkout_head(Some(CheckoutBuilder::new().force())).unwrap();
    let path = folder.path();
    fs::write(path.join("README.md"), "half done").unwrap();
    fs::write(path.join("staged.md"), "staged").unwrap();
    let mut index = git.index().unwrap();
    index.add_path(Path::new("staged.md")).unwrap();
    index.write().unwrap();
    fs::write(path.join(".gitattributes"), "*.md filter=evil\n").unwrap();
    let mark = path.join(".git/mark");
    let hooks = path.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in ["pre-commit", "post-commit", "commit-msg", "reference-transaction", "fsmonitor"] {
        let file = hooks.join(hook);
        fs::write(&file, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let hook = hooks.join("fsmonitor").display().to_string();
    let mut config = git.config().unwrap();
    for name in ["core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "gpg.program"] {
        config.set_str(name, &hook).unwrap();
    }
    config.set_bool("commit.gpgsign", true).unwrap();
    folder
}

fn stage(folder: &TempDir) -> Stage {
    let repository = Arc::new(Local::new(folder.path()));
    Stage { repository, git: folder.path().to_owned(), has_pulls: false }
}

/// All files of the folder with their contents, but for objects, references and their logs.
fn untouchable(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut all, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            let ours = [".git/objects", ".git/refs", ".git/logs/refs"];
            if ours.contains(&name.as_str()) {
                continue;
            }
            let about = fs::symlink_metadata(&path).unwrap();
            if about.is_dir() {
                folders.push(path);
                continue;
            }
            let content = match about.is_symlink() {
                true => fs::read_link(&path).unwrap().as_os_str().as_encoded_bytes().to_vec(),
                false => fs::read(&path).unwrap(),
            };
            let mut known = format!("{:?} ", about.modified().unwrap()).into_bytes();
            known.extend(content);
            all.insert(name, known);
        }
    }
    assert!(all.contains_key(".git/index") && all.contains_key(".git/HEAD"));
    assert!(all.contains_key("README.md"));
    all
}

#[tokio::test]
async fn a_folder_is_read_as_it_was_committed() {
    conformance::reading(&stage(&folder())).await;
}

#[tokio::test]
async fn a_folder_is_published_to_once_and_nothing_of_the_user_is_touched() {
    let folder = folder();
    let before = untouchable(folder.path());
    conformance::publishing(&stage(&folder)).await;
    assert_eq!(untouchable(folder.path()), before);
    assert!(!folder.path().join(".git/mark").exists(), "something of the repository was run");
}

#[tokio::test]
async fn a_folder_refuses_what_somebody_else_changed() {
    conformance::conflicts(&stage(&folder())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_may_publish_to_a_folder_at_once() {
    conformance::at_once(&stage(&folder())).await;
}

async fn base(it: &Local) -> Base {
    let commit = it.commit_of("main").await.unwrap().unwrap();
    Base { branch: "main".to_owned(), commit }
}

#[tokio::test]
async fn a_branch_that_is_checked_out_is_refused() {
    let folder = folder();
    let it = Local::new(folder.path());
    let git = git2::Repository::open(folder.path()).unwrap();
    let readme = change("README.md", "x", Expected::Anything);
    let refused = it.commit_file(&branch("main"), &readme).await.unwrap_err();
    assert!(matches!(&refused, Error::Refused { why } if why.contains("checked out")), "{refused}");

    // Also by another work tree of the repository, and seen from there.
    it.create_branch(&branch("linked"), &base(&it).await).await.unwrap();
    let linked = TempDir::new().unwrap();
    let reference = git.find_reference("refs/heads/linked").unwrap();
    let mut options = git2::WorktreeAddOptions::new();
    options.reference(Some(&reference));
    git.worktree("linked", &linked.path().join("tree"), Some(&options)).unwrap();
    let beside = Local::new(linked.path().join("tree"));
    for (from, name) in [(&it, "linked"), (&beside, "linked"), (&beside, "main")] {
        let refused = from.commit_file(&branch(name), &readme).await;
        assert!(matches!(refused, Err(Error::Refused { .. })), "{name}: {refused:?}");
    }
    assert_eq!(beside.describe().await.unwrap().default_branch, "linked");
    beside.create_branch(&branch("free"), &base(&it).await).await.unwrap();
    assert!(matches!(beside.commit_file(&branch("free"), &readme).await, Ok(FileCommit::New(_))));
    assert_eq!(content_on(folder.path(), "free", "README.md"), b"x");

    // A branch without a commit may be checked out too.
    git.set_head("refs/heads/unborn").unwrap();
    let refused = it.create_branch(&branch("unborn"), &base(&it).await).await;
    assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
    // And one that is being rebased.
    fs::create_dir(folder.path().join(".git/rebase-merge")).unwrap();
    fs::write(folder.path().join(".git/rebase-merge/head-name"), "refs/heads/free\n").unwrap();
    let other = change("README.md", "y", Expected::Anything);
    let other = consign_repositories::FileChange { key: "other".to_owned(), ..other };
    let refused = it.commit_file(&branch("free"), &other).await;
    assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_commit_is_by_the_user_and_keeps_modes() {
    let folder = folder();
    let it = Local::new(folder.path());
    let git = git2::Repository::open(folder.path()).unwrap();
    let mut config = git.config().unwrap();
    config.set_str("user.name", "Grace").unwrap();
    config.set_str("user.email", "grace@example.com").unwrap();
    it.create_branch(&branch("work"), &base(&it).await).await.unwrap();
    let run = change("bin/run", "#!/bin/sh\ntrue\n", Expected::Anything);
    it.commit_file(&branch("work"), &run).await.unwrap();
    let tip = git.find_reference("refs/heads/work").unwrap().peel_to_commit().unwrap();
    assert_eq!(tip.author().email().unwrap(), "grace@example.com");
    assert_eq!(
        tip.message().unwrap(),
        "docs: update bin/run via Scribe agent\n\nConsign-Key: job-1/bin/run\n"
    );
    let tree = tip.tree().unwrap();
    assert_eq!(tree.get_path(Path::new("bin/run")).unwrap().filemode(), 0o100_755);
    assert_eq!(tree.get_path(Path::new("link.md")).unwrap().filemode(), 0o120_000);
    // What is not a plain file is not replaced, and nothing is put below one.
    for path in ["link.md", "docs", "vendor/module", "README.md/x", "link.md/x"] {
        let error = it.commit_file(&branch("work"), &change(path, "x", Expected::Anything)).await;
        assert!(matches!(error, Err(Error::Conflict { .. })), "{path}: {error:?}");
    }
    // A link is not followed.
    let at = it.commit_of("work").await.unwrap().unwrap();
    assert_eq!(it.read(&at, "link.md", 100).await.unwrap(), None);
}

#[tokio::test]
async fn a_lock_that_a_killed_process_has_left_is_removed() {
    let folder = folder();
    let it = Local::new(folder.path());
    let base = base(&it).await;
    let lock = folder.path().join(".git/refs/heads/docs/x.lock");
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    let left = || {
        let file = fs::File::create(&lock).unwrap();
        let made = std::time::SystemTime::now() - std::time::Duration::from_secs(10);
        file.set_modified(made).unwrap();
    };
    left();
    it.create_branch(&branch("docs/x"), &base).await.unwrap();
    assert!(!lock.exists());
    left();
    let made = it
        .commit_file(&branch("docs/x"), &change("docs/new.md", "k", Expected::Anything))
        .await
        .unwrap();
    assert!(matches!(made, FileCommit::New(_)));
    assert!(!lock.exists());
}

#[tokio::test]
async fn a_bare_repository_is_a_repository_too() {
    let folder = TempDir::new().unwrap();
    let mut options = RepositoryInitOptions::new();
    options.bare(true).initial_head("main").external_template(false);
    let git = git2::Repository::init_opts(folder.path(), &options).unwrap();
    let it = Local::new(folder.path());
    assert_eq!(it.commit_of("main").await.unwrap(), None);
    sample::fill(&git);
    // Nothing is checked out there.
    let readme = change("README.md", "x", Expected::Anything);
    assert!(matches!(it.commit_file(&branch("main"), &readme).await, Ok(FileCommit::New(_))));
}

#[tokio::test]
async fn only_the_folder_itself_is_a_repository() {
    let folder = folder();
    for path in [folder.path().join("src"), folder.path().join("nothing")] {
        let error = Local::new(path).describe().await.unwrap_err();
        assert!(matches!(error, Error::NotFound { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn objects_of_another_repository_are_read() {
    let folder = folder();
    let shared = TempDir::new().unwrap();
    let git = git2::Repository::init_bare(shared.path()).unwrap();
    let objects = folder.path().join(".git/objects");
    fs::create_dir_all(shared.path().join("objects/info")).unwrap();
    let alternates = shared.path().join("objects/info/alternates");
    fs::write(alternates, format!("{}\n", objects.display())).unwrap();
    let tip = Local::new(folder.path()).commit_of("main").await.unwrap().unwrap();
    let id = Oid::from_str(tip.as_str()).unwrap();
    drop(git);
    let git = git2::Repository::open(shared.path()).unwrap();
    git.reference("refs/heads/main", id, true, "").unwrap();
    let it = Local::new(shared.path());
    assert_eq!(it.read(&tip, "README.md", 100).await.unwrap().unwrap(), README);
}

#[tokio::test]
async fn a_branch_that_leads_elsewhere_is_refused() {
    let folder = folder();
    let it = Local::new(folder.path());
    let git = git2::Repository::open(folder.path()).unwrap();
    git.reference_symbolic("refs/heads/alias", "refs/heads/main", true, "").unwrap();
    let readme = change("README.md", "x", Expected::Anything);
    let refused = it.commit_file(&branch("alias"), &readme).await;
    assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
    // A link among the references would have us write outside.
    let outside = TempDir::new().unwrap();
    symlink(outside.path(), folder.path().join(".git/refs/heads/docs")).unwrap();
    let refused = it.create_branch(&branch("docs/x"), &base(&it).await).await;
    assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    // A branch cannot be below another.
    let refused = it.create_branch(&branch("main/x"), &base(&it).await).await;
    assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
    assert_eq!(commits_on(folder.path(), "main"), Some(Vec::new()));
}

#[tokio::test]
async fn a_tree_without_end_is_cut_off() {
    let folder = folder();
    let git = git2::Repository::open(folder.path()).unwrap();
    let mut tree = git.treebuilder(None).unwrap().write().unwrap();
    for level in 0..12 {
        let mut builder = git.treebuilder(None).unwrap();
        for name in 0..10 {
            let (id, mode) = match level {
                0 => (git.blob(b"x").unwrap(), 0o100_644),
                _ => (tree, 0o040_000),
            };
            builder.insert(format!("n{name}"), id, mode).unwrap();
        }
        tree = builder.write().unwrap();
    }
    let commit = sample::commit(&git, tree, &[], "bomb", 1);
    let at = CommitId::parse(&commit.to_string()).unwrap();
    let tree = Local::new(folder.path()).tree(&at).await.unwrap();
    assert!(tree.truncated && tree.entries.len() <= 100_000);
}

#[tokio::test]
async fn a_history_that_ends_early_is_read_as_far_as_it_goes() {
    let folder = folder();
    let it = Local::new(folder.path());
    let at = it.commit_of("main").await.unwrap().unwrap();
    let log = it.log(&at, 10).await.unwrap();
    let first = log[1].id.as_str();
    fs::remove_file(folder.path().join(".git/objects").join(&first[..2]).join(&first[2..]))
        .unwrap();
    assert_eq!(it.log(&at, 10).await.unwrap(), log[..1]);
}
