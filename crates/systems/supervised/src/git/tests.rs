use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
    process::Command,
};

use git2::{IndexAddOption, Oid, Repository, Signature, Time};
use tempfile::TempDir;

use super::*;

/// A user's repository, and a folder for jobs beside it.
struct World {
    folder: TempDir,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let world = Self { folder: TempDir::new().unwrap() };
        fs::create_dir(world.path("job")).unwrap();
        let git = Repository::init(world.repo()).unwrap();
        let mut config = git.config().unwrap();
        config.set_str("user.name", "Ada").unwrap();
        config.set_str("user.email", "ada@example.com").unwrap();
        for (path, text) in files {
            write(&world.repo().join(path), text);
        }
        save(&git, "first");
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    fn repo(&self) -> PathBuf {
        self.path("repo")
    }

    fn workspace(&self) -> PathBuf {
        self.path("job/workspace")
    }

    fn git(&self) -> Repository {
        Repository::open(self.repo()).unwrap()
    }

    fn attach(&self) -> Attached {
        attach(&self.repo(), &self.workspace(), "fix-7").unwrap()
    }

    fn commit(&self, attached: &Attached, point: &str) -> Committed {
        let say = Commit { point, message: "The work\n\nis done.", at_seconds: 1_700_000_000 };
        commit(attached, &self.workspace(), say).unwrap()
    }

    /// The files of a commit: mode, and text.
    fn files(&self, id: &str) -> BTreeMap<String, (i32, String)> {
        let git = self.git();
        let tree = git.find_commit(Oid::from_str(id).unwrap()).unwrap().tree().unwrap();
        let mut files = BTreeMap::new();
        tree.walk(git2::TreeWalkMode::PreOrder, |folder, entry| {
            if entry.kind() != Some(git2::ObjectType::Tree) {
                let name = format!("{folder}{}", String::from_utf8_lossy(entry.name_bytes()));
                let text = git.find_blob(entry.id()).map(|it| it.content().to_vec());
                let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
                files.insert(name, (entry.filemode(), text));
            }
            git2::TreeWalkResult::Ok
        })
        .unwrap();
        files
    }

    fn names(&self, id: &str) -> Vec<String> {
        self.files(id).into_keys().collect()
    }

    fn tip(&self) -> String {
        let git = self.git();
        let tip = git.find_reference("refs/heads/consign/job/fix-7").unwrap();
        tip.peel_to_commit().unwrap().id().to_string()
    }

    /// All that is the user's own: every file but those that a job may write.
    fn users(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.repo()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let below = path.strip_prefix(self.repo()).unwrap().to_owned();
                let ours = [".git/objects", ".git/worktrees", ".git/refs/consign"];
                let branches = [".git/refs/heads/consign", ".git/logs/refs/heads/consign"];
                if ours.iter().chain(&branches).any(|it| below.starts_with(it)) {
                    continue;
                }
                if path.is_symlink() || path.is_file() {
                    found.insert(below, fs::read(&path).unwrap());
                } else {
                    folders.push(path);
                }
            }
        }
        found
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Commits all files of a repository with a checkout.
fn save(git: &Repository, message: &str) -> Oid {
    let mut index = git.index().unwrap();
    index.add_all(["*"], IndexAddOption::FORCE, None).unwrap();
    index.write().unwrap();
    let tree = git.find_tree(index.write_tree().unwrap()).unwrap();
    let by = Signature::new("Ada", "ada@example.com", &Time::new(1_600_000_000, 0)).unwrap();
    let parent = git.head().ok().map(|it| it.peel_to_commit().unwrap());
    let parents: Vec<_> = parent.iter().collect();
    git.commit(Some("HEAD"), &by, &by, message, &tree, &parents).unwrap()
}

/// What the git of the machine says, if it has one.
fn cli(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_job_leaves_the_users_checkout_as_it_is() {
    let world = World::new(&[("a.txt", "one"), ("src/b.rs", "fn b() {}")]);
    // Work that is under way: something staged, something changed, something new.
    write(&world.repo().join("staged.txt"), "staged");
    let git = world.git();
    let mut index = git.index().unwrap();
    index.add_path(Path::new("staged.txt")).unwrap();
    index.write().unwrap();
    write(&world.repo().join("a.txt"), "half done");
    write(&world.repo().join("new.txt"), "new");
    let before = world.users();
    let attached = world.attach();
    let work = world.workspace();
    assert_eq!(fs::read_to_string(work.join("a.txt")).unwrap(), "one");
    assert!(work.join("src/b.rs").exists() && !work.join("new.txt").exists());
    write(&work.join("a.txt"), "two");
    let one = world.commit(&attached, "phase-1-complete");
    write(&work.join("a.txt"), "three");
    world.commit(&attached, "phase-2-complete");
    reset(&attached, &work, &one.id, "phase-2").unwrap();
    detach(&attached).unwrap();
    assert_eq!(world.users(), before);
    let head = git.head().unwrap().peel_to_commit().unwrap();
    assert_eq!(head.message(), Ok("first"));
}

#[test]
fn every_accepted_phase_is_one_commit() {
    let world = World::new(&[("a.txt", "one")]);
    let attached = world.attach();
    write(&world.workspace().join("a.txt"), "two");
    let one = world.commit(&attached, "phase-1-complete");
    // Nothing has changed.
    let two = world.commit(&attached, "phase-2-complete");
    assert_ne!(one.id, two.id);
    assert_eq!(world.tip(), two.id);
    let git = world.git();
    let second = git.find_commit(Oid::from_str(&two.id).unwrap()).unwrap();
    let first = second.parent(0).unwrap();
    assert_eq!(first.id().to_string(), one.id);
    assert_eq!(first.parent(0).unwrap().id().to_string(), attached.base);
    assert_eq!(first.tree_id(), second.tree_id());
    assert_eq!(first.message(), Ok("The work\n\nis done.\n\nConsign-Point: phase-1-complete\n"));
    assert_eq!(first.author().name(), Ok("Ada"));
    assert_eq!(first.committer().email(), Ok("ada@example.com"));
    assert_eq!(first.time().seconds(), 1_700_000_000);
    if let Some(status) = cli(&world.workspace(), &["status", "--porcelain"]) {
        assert_eq!(status, "");
        cli(&world.repo(), &["fsck", "--strict"]);
        let branch = cli(&world.workspace(), &["branch", "--show-current"]).unwrap();
        assert_eq!(branch, "consign/job/fix-7\n");
        let trailers = ["log", "-1", "--format=%(trailers:key=Consign-Point,valueonly)"];
        assert_eq!(cli(&world.workspace(), &trailers).unwrap().trim(), "phase-2-complete");
    }
}

#[test]
fn a_repeated_commit_is_the_same_commit() {
    let world = World::new(&[("a.txt", "one")]);
    let attached = world.attach();
    write(&world.workspace().join("a.txt"), "two");
    let one = world.commit(&attached, "phase-1-complete");
    fs::remove_file(attached.administration().join("index")).unwrap();
    assert_eq!(world.commit(&attached, "phase-1-complete"), one);
    assert!(attached.administration().join("index").exists());
    // A message cannot pretend to be of another point.
    let sly = "Done\n\nConsign-Point: phase-3-complete";
    let say = Commit { point: "phase-2-complete", message: sly, at_seconds: 0 };
    let two = commit(&attached, &world.workspace(), say).unwrap();
    assert_ne!(world.commit(&attached, "phase-3-complete").id, two.id);
    let say = Commit { point: "x\nConsign-Point: y", message: " \0 ", at_seconds: 0 };
    let three = commit(&attached, &world.workspace(), say).unwrap();
    assert_eq!(commit(&attached, &world.workspace(), say).unwrap().id, three.id);
}

#[test]
fn a_git_file_that_was_tampered_with_is_put_back() {
    let other = World::new(&[("other.txt", "other")]);
    let world = World::new(&[("a.txt", "one")]);
    let attached = world.attach();
    let link = world.workspace().join(".git");
    let right = fs::read(&link).unwrap();
    let (before, users) = (other.users(), world.users());
    let attacks: [&dyn Fn(); 7] = [
        &|| fs::write(&link, format!("gitdir: {}\n", other.repo().join(".git").display())).unwrap(),
        &|| fs::write(&link, "noise").unwrap(),
        &|| fs::remove_file(&link).unwrap(),
        &|| {
            fs::remove_file(&link).unwrap();
            let own = Repository::init(world.workspace()).unwrap();
            save(&own, "mine");
            symlink("/", link.join("root")).unwrap();
        },
        &|| {
            fs::remove_file(&link).unwrap();
            symlink(other.repo().join(".git"), &link).unwrap();
        },
        &|| {
            fs::remove_file(&link).unwrap();
            symlink("/nowhere", &link).unwrap();
        },
        &|| {
            fs::remove_file(&link).unwrap();
            assert!(Command::new("mkfifo").arg(&link).status().unwrap().success());
        },
    ];
    for (number, attack) in attacks.iter().enumerate() {
        attack();
        write(&world.workspace().join("a.txt"), &format!("{number}"));
        let made = world.commit(&attached, &format!("phase-{number}-complete"));
        assert_eq!(world.tip(), made.id);
        assert_eq!(world.names(&made.id), ["a.txt"], "{number}");
        assert_eq!(world.files(&made.id)["a.txt"].1, format!("{number}"));
        assert_eq!(fs::read(&link).unwrap(), right);
        assert_eq!(made.left_out, Vec::<String>::new());
    }
    assert_eq!((other.users(), world.users()), (before, users));
}

#[test]
fn what_the_repository_keeps_about_the_worktree_is_put_back() {
    let world = World::new(&[("a.txt", "one")]);
    let attached = world.attach();
    let folder = attached.administration();
    let attacks: [&dyn Fn(); 5] = [
        &|| fs::write(folder.join("HEAD"), "ref: refs/heads/main\n").unwrap(),
        &|| fs::write(folder.join("gitdir"), "/nowhere/.git\n").unwrap(),
        &|| fs::write(folder.join("index"), "noise").unwrap(),
        &|| fs::write(folder.join("index.lock"), "").unwrap(),
        &|| fs::remove_dir_all(&folder).unwrap(),
    ];
    let users = world.users();
    for (number, attack) in attacks.iter().enumerate() {
        attack();
        write(&world.workspace().join("a.txt"), &format!("{number}"));
        let made = world.commit(&attached, &format!("phase-{number}-complete"));
        assert_eq!(
            (world.tip(), &world.files(&made.id)["a.txt"].1),
            (made.id, &number.to_string())
        );
    }
    assert_eq!(world.users(), users);
    cli(&world.workspace(), &["status"]);
}

#[test]
fn a_repository_in_the_workspace_is_committed_as_files() {
    let world = World::new(&[("a.txt", "one")]);
    let attached = world.attach();
    let inner = world.workspace().join("vendor/inner");
    fs::create_dir_all(&inner).unwrap();
    let git = Repository::init(&inner).unwrap();
    write(&inner.join("lib.rs"), "mod x;");
    save(&git, "inner");
    write(&inner.join("src/x.rs"), "not committed there");
    let made = world.commit(&attached, "phase-1-complete");
    assert_eq!(world.names(&made.id), ["a.txt", "vendor/inner/lib.rs", "vendor/inner/src/x.rs"]);
    assert_eq!(made.left_out, ["vendor/inner/.git"]);
    assert!(inner.join(".git/HEAD").exists());
}

#[test]
fn ignored_files_are_not_committed() {
    let world = World::new(&[
        ("a.txt", "one"),
        (".gitignore", "*.log\n/target/\n!keep.log\nbuilt/\n# comment\n"),
        ("built/kept.js", "tracked"),
        ("noise.log", "tracked"),
    ]);
    write(&world.repo().join(".git/info/exclude"), "private.txt\n");
    let attached = world.attach();
    let work = world.workspace();
    for path in ["x.log", "keep.log", "sub/y.log", "target/z", "sub/target/z", "private.txt"] {
        write(&work.join(path), "new");
    }
    write(&work.join("sub/.gitignore"), "!y.log\n/deep\n");
    write(&work.join("sub/deep/x"), "new");
    write(&work.join("other/deep/x"), "new");
    write(&work.join("built/kept.js"), "changed");
    write(&work.join("built/new.js"), "new");
    write(&work.join("noise.log"), "changed");
    let made = world.commit(&attached, "phase-1-complete");
    let expected = [
        ".gitignore",
        "a.txt",
        "built/kept.js",
        "keep.log",
        "noise.log",
        "other/deep/x",
        "sub/.gitignore",
        "sub/target/z",
        "sub/y.log",
    ];
    assert_eq!(world.names(&made.id), expected);
    assert_eq!(world.files(&made.id)["built/kept.js"].1, "changed");
    assert_eq!(world.files(&made.id)["noise.log"].1, "changed");
    if let Some(status) = cli(&work, &["status", "--porcelain"]) {
        assert_eq!(status, "", "git sees it as we do");
    }
    // Behind a link that has the place of the folder nothing is taken.
    let outside = world.path("outside");
    write(&outside.join("kept.js"), "outside");
    fs::remove_dir_all(work.join("built")).unwrap();
    symlink(&outside, work.join("built")).unwrap();
    let made = world.commit(&attached, "phase-2-complete");
    assert!(!world.names(&made.id).contains(&"built/kept.js".to_owned()));
}

#[test]
fn deletions_modes_links_and_strange_names_are_committed() {
    let world = World::new(&[("a.txt", "a"), ("run.sh", "run"), ("b/c.txt", "c"), ("d", "d")]);
    let attached = world.attach();
    let work = world.workspace();
    fs::remove_file(work.join("a.txt")).unwrap();
    fs::remove_dir_all(work.join("b")).unwrap();
    fs::remove_file(work.join("d")).unwrap();
    write(&work.join("d/e"), "a folder now");
    write(&work.join("b"), "a file now");
    fs::set_permissions(work.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("/etc/passwd", work.join("outside")).unwrap();
    symlink("nowhere", work.join("dangling")).unwrap();
    symlink("d", work.join("folder")).unwrap();
    fs::write(work.join(OsStr::from_bytes(b"caf\xe9")), "latin").unwrap();
    write(&work.join("two\nlines \u{e9}"), "odd");
    fs::create_dir(work.join("empty")).unwrap();
    let made = world.commit(&attached, "phase-1-complete");
    let file = |text: &str| (0o100_644, text.to_owned());
    let link = |text: &str| (0o120_000, text.to_owned());
    let expected = BTreeMap::from([
        ("b".to_owned(), file("a file now")),
        ("caf\u{fffd}".to_owned(), file("latin")),
        ("d/e".to_owned(), file("a folder now")),
        ("dangling".to_owned(), link("nowhere")),
        ("folder".to_owned(), link("d")),
        ("outside".to_owned(), link("/etc/passwd")),
        ("run.sh".to_owned(), (0o100_755, "run".to_owned())),
        ("two\nlines \u{e9}".to_owned(), file("odd")),
    ]);
    assert_eq!(world.files(&made.id), expected);
    let git = world.git();
    let tree = git.find_commit(Oid::from_str(&made.id).unwrap()).unwrap().tree().unwrap();
    assert!(tree.iter().any(|entry| entry.name_bytes() == b"caf\xe9"));
    if let Some(status) = cli(&work, &["status", "--porcelain"]) {
        assert_eq!(status, "");
    }
}

#[test]
fn pipes_and_devices_hold_nothing_up() {
    let world = World::new(&[("a.txt", "one"), (".gitattributes", "*.txt text\n")]);
    let attached = world.attach();
    let work = world.workspace();
    let pipe = |path: &str| {
        assert!(Command::new("mkfifo").arg(work.join(path)).status().unwrap().success());
    };
    fs::remove_file(work.join(".gitattributes")).unwrap();
    pipe(".gitattributes");
    pipe("pipe");
    symlink("/dev/zero", work.join(".gitignore")).unwrap();
    fs::create_dir(work.join("sub")).unwrap();
    pipe("sub/.gitignore");
    symlink("/dev/zero", work.join("sub/.gitattributes")).unwrap();
    write(&work.join("sub/b.txt"), "b");
    write(&work.join("git~1"), "a name that some systems take for .git");
    let made = world.commit(&attached, "phase-1-complete");
    assert_eq!(world.names(&made.id), [".gitignore", "a.txt", "sub/.gitattributes", "sub/b.txt"]);
    assert_eq!(made.left_out, [".gitattributes", "git~1", "pipe", "sub/.gitignore"]);
}

#[test]
fn a_workspace_that_became_a_link_is_refused() {
    let world = World::new(&[("a.txt", "one")]);
    let attached = world.attach();
    fs::rename(world.workspace(), world.path("job/moved")).unwrap();
    symlink(world.repo(), world.workspace()).unwrap();
    let say = Commit { point: "p", message: "m", at_seconds: 0 };
    let refused = commit(&attached, &world.workspace(), say);
    assert!(matches!(refused, Err(Error::Workspace(_))), "{refused:?}");
}

#[test]
fn line_ends_become_what_the_repository_wants() {
    let world = World::new(&[("a.txt", "one\ntwo\n"), (".gitattributes", "* text eol=crlf\n")]);
    let attached = world.attach();
    let work = world.workspace();
    assert_eq!(fs::read_to_string(work.join("a.txt")).unwrap(), "one\r\ntwo\r\n");
    write(&work.join("b.txt"), "three\r\n");
    let made = world.commit(&attached, "phase-1-complete");
    assert_eq!(world.files(&made.id)["a.txt"].1, "one\ntwo\n");
    assert_eq!(world.files(&made.id)["b.txt"].1, "three\n");
}

#[test]
fn a_submodule_stays_what_it_is() {
    let world = World::new(&[("a.txt", "one")]);
    let git = world.git();
    let commit = git.head().unwrap().peel_to_commit().unwrap().id();
    let mut index = git.index().unwrap();
    let mut entry = index.get(0).unwrap();
    (entry.path, entry.mode, entry.id) = (b"sub".to_vec(), 0o160_000, commit);
    index.add(&entry).unwrap();
    index.write().unwrap();
    let tree = git.find_tree(index.write_tree().unwrap()).unwrap();
    let by = Signature::new("Ada", "ada@example.com", &Time::new(0, 0)).unwrap();
    let parent = git.find_commit(commit).unwrap();
    git.commit(Some("HEAD"), &by, &by, "sub", &tree, &[&parent]).unwrap();
    let attached = world.attach();
    let made = world.commit(&attached, "phase-1-complete");
    assert_eq!(world.files(&made.id)["sub"].0, 0o160_000);
    fs::remove_dir_all(world.workspace().join("sub")).unwrap();
    let made = world.commit(&attached, "phase-2-complete");
    assert_eq!(world.names(&made.id), ["a.txt"]);
}

#[test]
fn without_a_name_of_the_user_the_commits_are_ours() {
    let world = World::new(&[("a.txt", "one")]);
    let mut config = world.git().config().unwrap();
    // Empty, so that what the machine is set to does not matter.
    config.set_str("user.name", "").unwrap();
    config.set_str("user.email", "").unwrap();
    let attached = world.attach();
    let made = world.commit(&attached, "phase-1-complete");
    let git = world.git();
    let made = git.find_commit(Oid::from_str(&made.id).unwrap()).unwrap();
    assert_eq!(made.author().to_string(), "Consign <consign@localhost>");
}

#[test]
fn a_reset_keeps_what_it_leaves() {
    let world = World::new(&[("a.txt", "one")]);
    let attached = world.attach();
    let work = world.workspace();
    write(&work.join("a.txt"), "two");
    let one = world.commit(&attached, "phase-1-complete").id;
    write(&work.join("b.txt"), "three");
    let two = world.commit(&attached, "phase-2-complete").id;
    for _ in 0..2 {
        reset(&attached, &work, &one, "before-restore-1").unwrap();
        assert_eq!(world.tip(), one);
    }
    let kept = world.git().refname_to_id("refs/consign/fix-7/before-restore-1").unwrap();
    assert_eq!(kept.to_string(), two);
    assert_eq!(fs::read_to_string(work.join("b.txt")).unwrap(), "three");
    if let Some(status) = cli(&work, &["status", "--porcelain"]) {
        assert_eq!(status, "?? b.txt\n");
    }
    fs::remove_file(work.join("b.txt")).unwrap();
    let other = world.commit(&attached, "phase-2-complete").id;
    // To what was kept, and to where the job began.
    let twice = reset(&attached, &work, &two, "before-restore-1");
    assert!(matches!(twice, Err(Error::AlreadyKept { .. })), "{twice:?}");
    reset(&attached, &work, &two, "before-restore-2").unwrap();
    assert_eq!(world.tip(), two);
    reset(&attached, &work, &attached.base, "before-restore-3").unwrap();
    reset(&attached, &work, &other, "before-restore-4").unwrap();
    // Not to what the job has not made.
    let git = world.git();
    write(&world.repo().join("a.txt"), "the user's");
    let users = save(&git, "second").to_string();
    let refused = reset(&attached, &work, &users, "x");
    assert!(matches!(refused, Err(Error::NotOfTheJob { .. })), "{refused:?}");
    let refused = reset(&attached, &work, "0123456789012345678901234567890123456789", "x");
    assert!(matches!(refused, Err(Error::NoSuchCommit { .. })), "{refused:?}");
    let refused = reset(&attached, &work, &one, "../x");
    assert!(matches!(refused, Err(Error::BadName { .. })), "{refused:?}");
}

#[test]
fn an_attach_goes_on_where_a_crash_stopped_it() {
    let files = [("a.txt", "one"), ("src/b.rs", "fn b() {}"), ("z.txt", "zed")];
    let done = World::new(&files);
    let whole = done.attach();
    let names = ["locked", "commondir", "gitdir", "HEAD"];
    // Each number of steps that were done.
    for step in 0..10 {
        let world = World::new(&files);
        let work = world.workspace();
        let attached = Attached {
            repo: world.repo().join(".git"),
            worktree: super::attach::worktree_name("fix-7", &work),
            ..whole.clone()
        };
        let folder = attached.administration();
        fs::create_dir_all(&folder).unwrap();
        if step > 0 {
            administration::claim(&attached).unwrap();
        }
        if step > 1 {
            let git = world.git();
            let head = git.head().unwrap().peel_to_commit().unwrap();
            git.branch("consign/job/fix-7", &head, false).unwrap();
            // The user has gone on meanwhile.
            write(&world.repo().join("a.txt"), "later");
            save(&git, "later");
        }
        if step > 2 {
            administration::restore(&attached, &work).unwrap();
            for name in &names[(step - 2).min(4)..] {
                fs::remove_file(folder.join(name)).unwrap();
            }
        }
        if step > 5 {
            // The words that say whose it is are the first.
            administration::restore(&attached, &work).unwrap();
            fs::create_dir(&work).unwrap();
        }
        if step > 6 {
            write(&work.join("a.txt"), "o");
        }
        if step > 7 {
            fs::create_dir(work.join("src")).unwrap();
            write(&folder.join("index.lock"), "half");
        }
        if step > 8 {
            fs::remove_file(folder.join("index.lock")).unwrap();
            administration::restore_link(&attached, &stage::open_workspace(&work).unwrap())
                .unwrap();
        }
        let got = world.attach();
        assert_eq!(got, attached, "step {step}");
        assert_eq!(world.tip(), got.base);
        for (path, text) in files {
            assert_eq!(fs::read_to_string(work.join(path)).unwrap(), text, "step {step}");
        }
        let link = format!("gitdir: {}\n", folder.display());
        assert_eq!(fs::read_to_string(work.join(".git")).unwrap(), link);
        if let Some(status) = cli(&work, &["status", "--porcelain"]) {
            assert_eq!(status, "", "step {step}");
        }
        // Once more, when somebody has worked there.
        write(&work.join("a.txt"), "work");
        assert_eq!(world.attach(), attached);
        world.commit(&got, "phase-1-complete");
        assert_eq!(world.attach(), attached);
        assert_eq!(fs::read_to_string(work.join("a.txt")).unwrap(), "work");
    }
}

#[test]
fn what_cannot_be_attached_says_why() {
    let world = World::new(&[("a.txt", "one")]);
    let try_attach = |repo: &Path, job: &str| attach(repo, &world.workspace(), job).unwrap_err();
    let empty = world.path("empty");
    Repository::init(&empty).unwrap();
    let bare = world.path("bare");
    Repository::init_bare(&bare).unwrap();
    let none = TempDir::new().unwrap();
    assert!(matches!(try_attach(none.path(), "j"), Error::NoRepository { .. }));
    assert!(matches!(try_attach(&world.path("nothing"), "j"), Error::NoRepository { .. }));
    assert!(matches!(try_attach(&empty, "j"), Error::NoCommit { .. }));
    assert!(matches!(try_attach(&bare, "j"), Error::NoCommit { .. }));
    let file = world.repo().join("a.txt");
    assert!(matches!(try_attach(&file, "j"), Error::NotAFolder { .. }));
    for name in ["", "a b", "a/b", "..", "a..b", "a~1", "-\n"] {
        assert!(matches!(try_attach(&world.repo(), name), Error::BadName { .. }), "{name:?}");
    }
    let git = world.git();
    let head = git.head().unwrap().peel_to_commit().unwrap();
    git.branch("consign/job/taken", &head, false).unwrap();
    let error = try_attach(&world.repo(), "taken");
    assert_eq!(
        error.to_string(),
        "the branch consign/job/taken already exists: choose another name for the job, or delete the \
         branch with `git branch -D consign/job/taken`"
    );
    let error = attach(&world.repo(), &world.path("no/such"), "j").unwrap_err();
    assert!(matches!(error, Error::NoParent { .. }));
    write(&world.workspace().join("mine"), "mine");
    assert!(matches!(try_attach(&world.repo(), "j"), Error::WorkspaceExists { .. }));
    assert!(!world.repo().join(".git/worktrees").exists());
    // A branch that is in the way of ours.
    let other = World::new(&[("a.txt", "one")]);
    let head = other.git().head().unwrap().peel_to_commit().unwrap().id();
    other.git().reference("refs/heads/consign", head, false, "").unwrap();
    let error = attach(&other.repo(), &other.workspace(), "j").unwrap_err();
    assert!(error.to_string().contains("make the branch of the job"), "{error}");
}

#[test]
fn bare_repositories_subfolders_and_worktrees_can_be_attached() {
    let world = World::new(&[("a.txt", "one"), ("src/b.rs", "b")]);
    let bare = world.path("bare.git");
    git2::build::RepoBuilder::new()
        .bare(true)
        .clone(world.repo().to_str().unwrap(), &bare)
        .unwrap();
    let attached = attach(&bare, &world.path("job/bare"), "fix-7").unwrap();
    let say = Commit { point: "p", message: "m", at_seconds: 0 };
    commit(&attached, &world.path("job/bare"), say).unwrap();
    assert_eq!(attached.repo, bare);
    let one = world.attach();
    // The job of a job's workspace begins where that is.
    write(&world.workspace().join("a.txt"), "two");
    let made = world.commit(&one, "p");
    let inner = world.workspace().join("src");
    let two = attach(&inner, &world.path("job/second"), "second").unwrap();
    assert_eq!((&two.repo, &two.base), (&one.repo, &made.id));
    assert_eq!(fs::read_to_string(world.path("job/second/a.txt")).unwrap(), "two");
}

#[test]
fn a_detached_job_leaves_its_branch() {
    let world = World::new(&[("a.txt", "one")]);
    let attached = world.attach();
    let made = world.commit(&attached, "phase-1-complete");
    for _ in 0..2 {
        detach(&attached).unwrap();
        assert!(!world.repo().join(".git/worktrees").exists());
    }
    assert_eq!(world.tip(), made.id);
    assert!(world.workspace().join("a.txt").exists());
    assert_eq!(world.git().worktrees().unwrap().len(), 0);
}

#[test]
fn a_missing_branch_is_told() {
    let world = World::new(&[("a.txt", "one")]);
    let attached = world.attach();
    world.git().find_reference("refs/heads/consign/job/fix-7").unwrap().delete().unwrap();
    let say = Commit { point: "p", message: "m", at_seconds: 0 };
    let refused = commit(&attached, &world.workspace(), say);
    assert!(matches!(refused, Err(Error::BranchMissing { .. })), "{refused:?}");
}
