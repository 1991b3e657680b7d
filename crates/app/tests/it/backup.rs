//! Back-ups of a home, and homes that are made of them.

use std::{
    fs::{self, File},
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use consign_app::{
    Error, Home,
    backup::{BackUp, BackedUp, MANIFEST, Restore, Restored, SealingKey, Verify, back_up, restore},
    runs::{Admission, Start, start},
};
use consign_engine::{Data, Limits, Placement, RunId, Settings, Status, store::RunQuery};
use tempfile::TempDir;

struct Bench(TempDir);

impl Bench {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    async fn open(&self, name: &str) -> Home {
        Home::open(self.path(name)).await.unwrap()
    }

    /// A home with two runs, one of them with a large value, and a file of every kind.
    async fn fill(&self) -> Home {
        let home = self.open("home").await;
        submit(&home, "one", "sample/steps", r#"{"steps": 1}"#).await;
        let large = format!(r#"{{"agent": "sample/echo", "input": "{}"}}"#, "x".repeat(100_000));
        submit(&home, "two", "agent/call", &large).await;
        let put = |name: &str, text: &str| {
            let path = self.path("home").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("models.toml", "");
        put("roles/Worker.toml", "x");
        put("pipelines/0a", "pinned");
        put("jobs/paint/.lock", "");
        put("jobs/paint/workspace/run.sh", "#!/bin/sh\n");
        put("jobs/paint/.snapshots/aa", "content");
        put("agents/none", "");
        symlink("/nowhere/agent.toml", self.path("home/agents/far.toml")).unwrap();
        let program = self.path("home/jobs/paint/workspace/run.sh");
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
        put("sealing.key", "5e0f\n");
        home
    }

    async fn back_up(&self, with_sealing_key: bool) -> Result<BackedUp, Error> {
        let (home, to) = (self.path("home"), self.path("backup"));
        back_up(BackUp { home, to, with_sealing_key }).await
    }

    async fn restore(&self, to: &str) -> Result<Restored, Error> {
        let (from, home) = (self.path("backup"), self.path(to));
        restore(Restore { from, home, verify: Verify::All }).await
    }

    /// Everything in a folder: its paths below it.
    fn names(&self, folder: &str) -> Vec<String> {
        fn walk(root: &Path, folder: &Path, names: &mut Vec<String>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    walk(root, &path, names);
                } else {
                    names.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        let (root, mut names) = (self.path(folder), Vec::new());
        walk(&root, &root, &mut names);
        names.sort();
        names
    }
}

async fn submit(home: &Home, id: &str, workflow: &str, input: &str) {
    let wanted = Start {
        id: Some(RunId::from(id)),
        workflow: workflow.to_owned(),
        input: Data::parse(input).unwrap(),
        owner: "local".into(),
        limits: Limits::default(),
        placement: Placement::Anywhere,
        priority: 0,
        settings: Settings::default(),
        certified: false,
        actor: home.user.actor.clone(),
    };
    start(&home.engine, wanted, Admission::Trusted).await.unwrap();
}

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, Error>) -> (String, Vec<String>) {
    match outcome {
        Err(Error::Refused(refused)) => {
            let mut told = vec![refused.message.clone()];
            told.extend(refused.lines.clone());
            (refused.code.to_string(), told)
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_home_comes_back_as_it_was_without_what_only_processes_use() {
    let bench = Bench::new();
    let home = bench.fill().await;
    let made = bench.back_up(false).await.unwrap();
    assert_eq!((made.copied.runs, made.copied.large, made.links_out), (2, 2, 1));
    assert_eq!(made.sealing_key, SealingKey::LeftOut);
    drop(home);
    let names = bench.names("backup");
    let wanted = |name: &&String| !name.starts_with("blobs/");
    assert_eq!(
        names.iter().filter(wanted).collect::<Vec<_>>(),
        [
            "agents/far.toml",
            "agents/none",
            "backup.json",
            "consign.db",
            "jobs/paint/.snapshots/aa",
            "jobs/paint/workspace/run.sh",
            "models.toml",
            "pipelines/0a",
            "roles/Worker.toml",
        ]
    );
    assert_eq!(made.files, names.len() as u64 - 1);
    let restored = bench.restore("other").await.unwrap();
    assert_eq!((restored.verified.runs, &restored.verified.broken[..]), (2, &[][..]));
    assert_eq!((restored.manifest.runs, restored.jobs), (2, 0));
    let program = bench.path("other/jobs/paint/workspace/run.sh");
    assert_eq!(fs::metadata(program).unwrap().permissions().mode() & 0o777, 0o755);
    let link = fs::read_link(bench.path("other/agents/far.toml")).unwrap();
    assert_eq!(link, Path::new("/nowhere/agent.toml"));
    assert_eq!(fs::metadata(bench.path("other")).unwrap().permissions().mode() & 0o777, 0o700);
    let again = bench.open("other").await;
    let rows = again.store().runs(&RunQuery { most: 9, ..RunQuery::default() }).await.unwrap();
    assert!(rows.iter().all(|row| row.status == Status::Queued) && rows.len() == 2);
    submit(&again, "three", "sample/steps", "{}").await;
}

#[tokio::test]
async fn the_sealing_key_is_copied_only_when_it_is_asked_for() {
    let bench = Bench::new();
    let _home = bench.fill().await;
    assert_eq!(bench.back_up(true).await.unwrap().sealing_key, SealingKey::Included);
    assert_eq!(fs::read_to_string(bench.path("backup/sealing.key")).unwrap(), "5e0f\n");
    let key = bench.path("backup/sealing.key");
    fs::set_permissions(key, fs::Permissions::from_mode(0o644)).unwrap();
    // The hash is of the content: rights get lost on the way through other disks.
    bench.restore("other").await.unwrap();
    let mode = fs::metadata(bench.path("other/sealing.key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn a_back_up_goes_only_where_nothing_is() {
    let bench = Bench::new();
    let _home = bench.fill().await;
    fs::create_dir(bench.path("backup")).unwrap();
    fs::write(bench.path("backup/mine"), "x").unwrap();
    assert_eq!(refused(bench.back_up(false).await).0, "BACKUP_EXISTS");
    assert_eq!(bench.names("backup"), ["mine"]);
    fs::remove_file(bench.path("backup/mine")).unwrap();
    bench.back_up(false).await.unwrap();
    let inside =
        BackUp { home: bench.path("home"), to: bench.path("home/backup"), with_sealing_key: false };
    assert_eq!(refused(back_up(inside).await).0, "BACKUP_EXISTS");
    let empty = BackUp {
        home: bench.path("backup/roles"),
        to: bench.path("third"),
        with_sealing_key: false,
    };
    assert_eq!(refused(back_up(empty).await).0, "STORE_UNAVAILABLE");
    assert!(!bench.path("third").exists());
}

#[tokio::test]
async fn what_an_interrupted_back_up_left_is_removed_and_one_that_goes_on_is_not() {
    let bench = Bench::new();
    let _home = bench.fill().await;
    fs::create_dir(bench.path("backup.partial")).unwrap();
    fs::write(bench.path("backup.partial/consign.db"), "half").unwrap();
    let other = File::open(bench.path("backup.partial")).unwrap();
    rustix::fs::flock(&other, rustix::fs::FlockOperation::LockExclusive).unwrap();
    assert_eq!(refused(bench.back_up(false).await).0, "BACKUP_EXISTS");
    assert!(bench.path("backup.partial/consign.db").exists() && !bench.path("backup").exists());
    drop(other);
    bench.back_up(false).await.unwrap();
    assert!(!bench.path("backup.partial").exists());
    bench.restore("other").await.unwrap();
}

#[tokio::test]
async fn a_back_up_that_fails_leaves_nothing() {
    let bench = Bench::new();
    // The fault is found when the files of jobs are copied already.
    fs::create_dir_all(bench.path("home/jobs/paint/workspace")).unwrap();
    fs::write(bench.path("home/jobs/paint/workspace/a.txt"), "a").unwrap();
    fs::write(bench.path("home/consign.db"), "not a database, though long enough".repeat(99))
        .unwrap();
    assert!(bench.back_up(false).await.is_err());
    assert!(!bench.path("backup").exists() && !bench.path("backup.partial").exists());
}

#[tokio::test]
async fn a_back_up_with_a_changed_missing_or_foreign_file_is_refused_and_leaves_no_home() {
    let bench = Bench::new();
    let _home = bench.fill().await;
    bench.back_up(false).await.unwrap();
    let pinned = bench.path("backup/pipelines/0a");
    let check = |told: (String, Vec<String>), line: &str| {
        assert_eq!(told.0, "BACKUP_INVALID");
        assert!(told.1.iter().any(|text| text.contains(line)), "{line}: {:?}", told.1);
        assert!(!bench.path("other").exists());
    };
    fs::write(&pinned, "Pinned").unwrap();
    check(refused(bench.restore("other").await), "pipelines/0a: was changed");
    fs::remove_file(&pinned).unwrap();
    check(refused(bench.restore("other").await), "pipelines/0a: is missing");
    fs::write(&pinned, "pinned").unwrap();
    fs::write(bench.path("backup/extra"), "").unwrap();
    check(refused(bench.restore("other").await), "extra: is not in the manifest");
    fs::remove_file(bench.path("backup/extra")).unwrap();
    // Every file, at its first, middle and last byte.
    for name in bench.names("backup").into_iter().filter(|name| name != MANIFEST) {
        let path = bench.path("backup").join(&name);
        if path.is_symlink() {
            continue;
        }
        let sound = fs::read(&path).unwrap();
        for at in [0, sound.len() / 2, sound.len().saturating_sub(1)] {
            let Some(byte) = sound.get(at) else { continue };
            let mut bytes = sound.clone();
            bytes[at] = byte ^ 1;
            fs::write(&path, bytes).unwrap();
            check(refused(bench.restore("other").await), &format!("{name}: was changed"));
        }
        fs::write(&path, sound).unwrap();
    }
    bench.restore("other").await.unwrap();
}

#[tokio::test]
async fn what_is_no_back_up_or_a_newer_one_is_refused() {
    let bench = Bench::new();
    fs::create_dir(bench.path("backup")).unwrap();
    assert_eq!(refused(bench.restore("other").await).0, "BACKUP_INVALID");
    let check = |manifest: &str, code: &str, told: (String, Vec<String>)| {
        assert_eq!(told.0, code, "{manifest}: {:?}", told.1);
        assert!(!bench.path("other").exists());
    };
    for (manifest, code) in [
        ("", "BACKUP_INVALID"),
        ("{}", "BACKUP_INVALID"),
        (r#"{"form": 1}"#, "BACKUP_INVALID"),
        (r#"{"form": 2, "files": []}"#, "BACKUP_TOO_NEW"),
    ] {
        fs::write(bench.path("backup").join(MANIFEST), manifest).unwrap();
        check(manifest, code, refused(bench.restore("other").await));
    }
}

#[tokio::test]
async fn a_home_that_is_used_or_not_empty_is_never_restored_over() {
    let bench = Bench::new();
    let home = bench.fill().await;
    bench.back_up(false).await.unwrap();
    let before = bench.names("home");
    assert_eq!(refused(bench.restore("home").await).0, "HOME_NOT_EMPTY");
    let seat = home.engine.enlist().await.unwrap();
    assert_eq!(refused(bench.restore("home").await).0, "HOME_IN_USE");
    drop(seat);
    let after = bench.names("home");
    assert_eq!(before, after);
    // A folder that is empty, such as a volume, will do.
    fs::create_dir(bench.path("other")).unwrap();
    bench.restore("other").await.unwrap();
    assert_eq!(refused(bench.restore("other").await).0, "HOME_NOT_EMPTY");
}

#[tokio::test]
async fn a_home_whose_restore_was_interrupted_begins_no_new_store() {
    let bench = Bench::new();
    let _home = bench.fill().await;
    bench.back_up(false).await.unwrap();
    // As a crash leaves it before the database has its place.
    fs::create_dir_all(bench.path("other/.restoring")).unwrap();
    fs::write(bench.path("other/write.lock"), [0]).unwrap();
    assert!(Home::open(bench.path("other")).await.is_err());
    let (code, told) = refused(bench.restore("other").await);
    assert!(code == "HOME_NOT_EMPTY" && told[0].contains("interrupted"), "{told:?}");
}

#[tokio::test]
async fn runs_that_do_not_hold_are_named() {
    let bench = Bench::new();
    let home = bench.fill().await;
    drop(home);
    let large = bench.names("home").into_iter().find(|name| name.starts_with("blobs/")).unwrap();
    fs::write(bench.path("home").join(large), "rubbish").unwrap();
    bench.back_up(false).await.unwrap();
    let restored = bench.restore("other").await.unwrap();
    let broken: Vec<_> = restored.verified.broken.iter().map(|one| one.what.as_str()).collect();
    assert_eq!((restored.verified.runs, broken), (2, vec!["two"]));
    let (from, to) = (bench.path("backup"), bench.path("third"));
    let looked = restore(Restore { from, home: to, verify: Verify::None }).await.unwrap();
    assert_eq!((looked.verified.runs, looked.verified.broken.len()), (0, 0));
}
