//! Which files are opened, and what is said of the others.

use std::{fs, os::unix::fs::PermissionsExt, time::Duration};

use consign_engine::{
    Seq,
    store::{self, RunQuery, Store},
};
use consign_store::{OpenError, Options, SqliteStore};

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

/// Another program bumps the version under our feet.
fn migrate(home: &Home, to: i64) -> i64 {
    let db = home.database();
    let from = db.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    db.pragma_update(None, "user_version", to).unwrap();
    from
}

#[tokio::test]
async fn nothing_is_written_to_tables_that_a_newer_consign_has_changed() {
    let home = Home::new();
    let (steps, sweeps) = (home.open(), home.open());
    let row = held(&steps, "one").await;
    fs::create_dir(home.path().join("blobs/ab")).unwrap();
    let unnamed = home.path().join("blobs/ab").join("ab".repeat(32));
    fs::write(&unnamed, "named where this one does not look").unwrap();
    let ours = migrate(&home, 99);

    let told = |error: store::Error| {
        let text = error.to_string();
        assert!(matches!(error, store::Error::Lost(_)), "{text}");
        assert!(text.contains("a newer version of Consign has changed the database"), "{text}");
        assert!(text.ends_with("start again"), "{text}");
    };
    told(steps.commit(step(&row)).await.unwrap_err());
    told(sweeps.sweep(Duration::ZERO).await.unwrap_err());
    assert!(unnamed.exists());
    // It does not change its mind: what it knows of the tables may be out of date.
    migrate(&home, ours);
    told(steps.row(&row.id).await.unwrap_err());
    told(steps.commit(step(&row)).await.unwrap_err());
    let again = home.open();
    assert_eq!(again.row(&row.id).await.unwrap(), row);
    again.commit(step(&row)).await.unwrap();
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
    // What the tables are stands on these pages, too.
    let error = match SqliteStore::open(home.path(), &Options::default()) {
        Ok(store) => store.row(&"one".into()).await.unwrap_err(),
        Err(error) => error.into(),
    };
    assert!(matches!(error, store::Error::Damaged(_)), "{error}");
}

#[test]
fn many_may_open_a_new_home_at_once() {
    for _ in 0..5 {
        let home = Home::new();
        std::thread::scope(|scope| {
            let peers: Vec<_> = (0..8).map(|_| scope.spawn(|| home.open())).collect();
            for peer in peers {
                peer.join().unwrap();
            }
        });
    }
}

/// A home that held something and was closed.
async fn used() -> Home {
    let home = Home::new();
    let store = home.open();
    held(&store, "one").await;
    store.close().await;
    home
}

fn is_told_as_gone(home: &Home) {
    let look = SqliteStore::open_to_look(home.path(), &Options::default());
    for error in [refusal(home), look.err().expect("there is nothing to look at")] {
        let error = store::Error::from(error);
        let text = error.to_string();
        assert!(matches!(error, store::Error::Damaged(_)), "{text}");
        assert!(text.contains("there was a store here"), "{text}");
    }
}

#[tokio::test]
async fn a_database_that_is_gone_is_not_made_anew() {
    let home = used().await;
    let file = home.path().join("consign.db");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, "").unwrap();
    is_told_as_gone(&home);
    fs::remove_file(&file).unwrap();
    is_told_as_gone(&home);
    fs::write(&file, whole).unwrap();
    assert_eq!(home.open().row(&"one".into()).await.unwrap().seq, Seq(0));
}

#[tokio::test]
async fn what_was_left_behind_tells_of_a_store_also_without_its_mark() {
    let home = Home::new();
    let store = home.open();
    held(&store, "one").await;
    let (wal, log) = (home.path().join("consign.db-wal"), home.path().join("log"));
    fs::copy(&wal, &log).unwrap();
    store.close().await;
    for name in ["consign.db", "write.lock"] {
        fs::remove_file(home.path().join(name)).unwrap();
    }
    fs::rename(log, &wal).unwrap();
    is_told_as_gone(&home);
    assert!(fs::metadata(&wal).unwrap().len() > 0, "it may be all that is left");

    fs::remove_file(&wal).unwrap();
    fs::remove_file(home.path().join("write.lock")).unwrap();
    fs::create_dir(home.path().join("blobs/ab")).unwrap();
    fs::write(home.path().join("blobs/ab/abcd"), "large").unwrap();
    is_told_as_gone(&home);
}

#[tokio::test]
async fn a_database_without_the_log_that_had_its_tables_is_told_as_gone() {
    let home = Home::new();
    let store = home.open();
    held(&store, "one").await;
    let first_page = fs::read(home.path().join("consign.db")).unwrap();
    assert_eq!(first_page.len(), 4096, "nothing was copied from the log yet");
    store.close().await;
    fs::write(home.path().join("consign.db"), first_page).unwrap();
    is_told_as_gone(&home);
}

#[tokio::test]
async fn a_home_that_was_left_half_made_is_made() {
    let home = Home::new();
    fs::write(home.path().join("consign.db"), "").unwrap();
    held(&home.open(), "one").await;

    let home = Home::new();
    for folder in ["workers", "blobs"] {
        fs::create_dir(home.path().join(folder)).unwrap();
    }
    fs::write(home.path().join("write.lock"), "").unwrap();
    home.database().query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
    held(&home.open(), "one").await;
}

#[tokio::test]
async fn a_home_of_an_older_consign_is_marked_when_it_is_opened() {
    let home = used().await;
    fs::write(home.path().join("write.lock"), "").unwrap();
    home.open().close().await;
    fs::write(home.path().join("consign.db"), "").unwrap();
    is_told_as_gone(&home);
}

#[tokio::test]
async fn nothing_is_written_to_files_that_lost_their_names() {
    for name in ["consign.db", "consign.db-wal"] {
        let home = Home::new();
        let store = home.open();
        let row = held(&store, "one").await;
        let path = home.path().join(name);
        let aside = home.path().join("aside");
        fs::rename(&path, &aside).unwrap();
        let error = store.commit(step(&row)).await.unwrap_err();
        assert!(matches!(error, store::Error::Lost(_)), "{error}");
        // Nor when something else has the name.
        fs::copy(&aside, &path).unwrap();
        let error = store.commit(step(&row)).await.unwrap_err();
        assert!(matches!(error, store::Error::Lost(_)), "{error}");
    }
}

#[tokio::test]
async fn an_empty_home_has_nothing_in_it() {
    let home = Home::new();
    let store = home.open();
    let query = RunQuery { most: 10, ..RunQuery::default() };
    assert_eq!(store.runs(&query).await.unwrap(), []);
    assert_eq!(store.newest().await.unwrap(), None);
}
