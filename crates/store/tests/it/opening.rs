//! Which files are opened, and what is said of the others.

use std::{fs, os::unix::fs::PermissionsExt};

use consign_engine::{
    Nanos, Owner, Seq,
    store::{self, RunQuery, Store},
};
use consign_store::{OpenError, Options, SqliteStore};
use consign_testkit::draft::{DAWN, Draft, new_run};
use rusqlite::{Connection, params};

use crate::ground::{Home, held, step};

fn refusal(home: &Home) -> OpenError {
    match SqliteStore::open(home.path(), &Options::default()) {
        Err(error) => error,
        Ok(_) => panic!("it opened"),
    }
}

#[tokio::test]
async fn a_home_is_made_for_the_eyes_of_its_user_only() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("deep").join("down");
    let store = crate::ground::open(&home);
    held(&store, "one").await;
    for part in ["", "workers", "blobs"] {
        let mode = fs::metadata(home.join(part)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{part}");
    }
    for part in ["consign.db", "consign.db-wal", "consign.db-shm", "write.lock"] {
        let mode = fs::metadata(home.join(part)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{part}");
    }
}

#[tokio::test]
async fn a_store_of_today_is_opened_and_read_while_somebody_writes() {
    let home = Home::new();
    held(&home.open(), "one").await;
    let _stopped = home.stop_writers();
    assert_eq!(home.open().row(&"one".into()).await.unwrap().seq, Seq(0));
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let home = Home::new();
    home.database()
        .execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
        .unwrap();
    assert!(matches!(refusal(&home), OpenError::Foreign { .. }));
    let theirs: i64 =
        home.database().query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0)).unwrap();
    assert_eq!(theirs, 1, "nothing was added to it");
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let home = Home::new();
    let text = "Dear Ada, ".repeat(1_000);
    fs::write(home.path().join("consign.db"), &text).unwrap();
    let error = refusal(&home);
    assert!(matches!(error, OpenError::NotADatabase { .. }), "{error}");
    assert!(matches!(store::Error::from(error), store::Error::Damaged(_)));
    assert_eq!(fs::read_to_string(home.path().join("consign.db")).unwrap(), text);
}

#[tokio::test]
async fn a_newer_database_is_refused_and_says_what_to_do() {
    let home = Home::new();
    held(&home.open(), "one").await;
    home.database().pragma_update(None, "user_version", 99).unwrap();
    let error = refusal(&home);
    assert!(matches!(error, OpenError::Newer { found: 99, .. }), "{error}");
    assert!(error.to_string().contains("newer Consign"), "{error}");
}

#[tokio::test]
async fn a_page_that_was_overwritten_is_told_as_damage() {
    let home = Home::new();
    let store = home.open();
    held(&store, "one").await;
    store.close().await;
    let path = home.path().join("consign.db");
    let mut bytes = fs::read(&path).unwrap();
    // All pages but the first, which says what the file is.
    bytes[4096..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let error = home.open().row(&"one".into()).await.unwrap_err();
    assert!(matches!(error, store::Error::Damaged(_)), "{error}");
}

/// A database as the first version left it, with a run in it.
fn first_version(home: &Home) {
    let db: Connection = home.database();
    db.execute_batch(include_str!("../../migrations/0001_keep_runs_and_journal.sql")).unwrap();
    db.execute_batch("PRAGMA application_id = 0x436e7367; PRAGMA user_version = 1").unwrap();
    let first = Draft::first(&new_run("old"), DAWN).held_by("w1");
    let (record, snapshot) = (&first.step.records[0], first.step.snapshot.as_ref().unwrap());
    let consign_engine::journal::Content::Kept(body, salt) = &record.content else { panic!() };
    db.execute(
        "INSERT INTO runs (id, workflow, version, owner, placement, priority, status, seq, head, \
         at, created_at, epoch, worker, spent, reserved) VALUES \
         ('old', 'letters', 1, 'ada', 'anywhere', 0, 'running', 0, ?1, ?2, ?2, 1, 'w1', 7, 2)",
        params![&record.hash.0[..], record.at.0],
    )
    .unwrap();
    db.execute(
        "INSERT INTO journal (run, seq, at, actor, kind, hash, salt, body) \
         VALUES (1, 0, ?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            record.at.0,
            record.actor.as_str(),
            &*record.kind,
            &record.hash.0[..],
            &salt.0[..],
            body.as_str()
        ],
    )
    .unwrap();
    db.execute(
        "INSERT INTO snapshots (run, seq, head, digest, state) VALUES (1, 0, ?1, ?2, ?3)",
        params![&snapshot.head.0[..], &snapshot.digest.0[..], snapshot.state.as_str()],
    )
    .unwrap();
}

#[tokio::test]
async fn a_run_of_the_first_version_goes_on() {
    let home = Home::new();
    first_version(&home);
    let store = home.open();
    let loaded = store.load(&"old".into()).await.unwrap();
    assert_eq!(loaded.snapshot.state.as_str(), r#"{"new":true}"#);
    let account = store.account(&Owner::from("ada")).await.unwrap();
    assert_eq!((account.spent, account.reserved), (Nanos::new(7), Nanos::new(2)));
    store.commit(step(&loaded.row)).await.unwrap();
    let large = format!("\"{}\"", "x".repeat(100_000));
    let row = store.row(&"old".into()).await.unwrap();
    let claim = consign_testkit::draft::claim_of(&row);
    store.commit(Draft::after(&row).completes("large", large).by(&claim)).await.unwrap();
    assert_eq!(store.events(&"old".into(), Seq(0), 9).await.unwrap().len(), 3);
    assert_eq!(home.blobs().len(), 1);
}

#[test]
fn many_may_open_a_new_home_at_once() {
    let home = Home::new();
    std::thread::scope(|scope| {
        let peers: Vec<_> = (0..8).map(|_| scope.spawn(|| home.open())).collect();
        for peer in peers {
            peer.join().unwrap();
        }
    });
}

#[tokio::test]
async fn an_empty_home_has_nothing_in_it() {
    let home = Home::new();
    let store = home.open();
    let query = RunQuery { most: 10, ..RunQuery::default() };
    assert_eq!(store.runs(&query).await.unwrap(), []);
    assert_eq!(store.newest().await.unwrap(), None);
}
