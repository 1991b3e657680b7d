//! A home to test on, and short sentences about runs.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use consign_engine::store::{Commit, Row, Store};
use consign_store::{Options, SqliteStore};
use consign_testkit::draft::{DAWN, Draft, claim_of, new_run};
use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn open(&self) -> SqliteStore {
        open(self.path())
    }

    /// Looks into the database past the store.
    pub(crate) fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path().join("consign.db")).expect("a database")
    }

    /// Keeps everybody from writing for as long as it is there.
    pub(crate) fn stop_writers(&self) -> File {
        let file = File::open(self.path().join("write.lock")).expect("the write lock");
        flock(&file, FlockOperation::LockExclusive).expect("nobody else wants it for long");
        file
    }

    /// The files that hold large values, drafts included.
    pub(crate) fn blobs(&self) -> Vec<PathBuf> {
        let list = |folder: PathBuf| {
            let entries = fs::read_dir(folder).expect("a folder");
            entries.map(|entry| entry.expect("an entry").path())
        };
        list(self.path().join("blobs")).flat_map(list).collect()
    }
}

pub(crate) fn open(home: &Path) -> SqliteStore {
    SqliteStore::open(home, &Options::default()).expect("a store")
}

/// Starts this test program as another process that plays `part`, a test that is ignored otherwise.
/// The words before it may put it under a tool.
pub(crate) fn play(before: &[&str], part: &str, home: &Home, name: &str) -> Child {
    let this = std::env::current_exe().expect("a program that is running");
    let this = this.to_str().expect("a plain path");
    let words = [before, &[this, "--exact", part, "--ignored", "--nocapture"]].concat();
    Command::new(words[0])
        .args(&words[1..])
        .env("CONSIGN_TEST_HOME", home.path())
        .env("CONSIGN_TEST_NAME", name)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process")
}

/// The home and the name for which a part is played.
pub(crate) fn part() -> Option<(PathBuf, String)> {
    let home = std::env::var_os("CONSIGN_TEST_HOME")?;
    Some((home.into(), std::env::var("CONSIGN_TEST_NAME").ok()?))
}

/// A run that `w1` holds.
pub(crate) async fn held(store: &SqliteStore, name: &str) -> Row {
    let run = new_run(name);
    let first = Draft::first(&run, DAWN).held_by("w1");
    store.create(run, first).await.expect("a new run");
    store.row(&name.into()).await.expect("the run is there")
}

/// A run that anybody may take.
pub(crate) async fn queued(store: &SqliteStore, name: &str) -> Row {
    let run = new_run(name);
    let first = Draft::first(&run, DAWN).unclaimed();
    store.create(run, first).await.expect("a new run");
    store.row(&name.into()).await.expect("the run is there")
}

/// The next step of its holder.
pub(crate) fn step(row: &Row) -> Commit {
    Draft::after(row).completes("call", "1").by(&claim_of(row))
}
