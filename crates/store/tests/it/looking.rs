//! A home that can be looked at and not written.

use std::{
    io::{BufRead, BufReader},
    process::Command,
};

use consign_engine::{
    Seq,
    store::{Error, InboxQuery, RunQuery, Store},
};
use consign_store::{OpenError, Options, SqliteStore};
use consign_testkit::draft::{DAWN, Draft, new_run};

use crate::ground::{Home, held, part, play, step};

fn open_to_look(home: &Home) -> SqliteStore {
    SqliteStore::open_to_look(home.path(), &Options::default()).expect("a store to look at")
}

/// A run with a large state and two events.
async fn worth_a_look(store: &SqliteStore) {
    let run = new_run("one");
    let state = format!("\"{}\"", "x".repeat(100_000));
    let first = Draft::first(&run, DAWN).snapshot(state).held_by("w1");
    store.create(run, first).await.unwrap();
    let row = store.row(&"one".into()).await.unwrap();
    store.commit(step(&row)).await.unwrap();
}

/// Everything can be seen, and nothing done.
async fn is_seen(store: &SqliteStore) {
    let run = "one".into();
    let row = store.row(&run).await.unwrap();
    assert_eq!(row.seq, Seq(1));
    let query = RunQuery { most: 9, ..RunQuery::default() };
    assert_eq!(store.runs(&query).await.unwrap(), std::slice::from_ref(&row));
    assert_eq!(store.events(&run, Seq(0), 9).await.unwrap().len(), 2);
    assert!(store.load(&run).await.unwrap().snapshot.state.as_str().len() > 100_000);
    let inbox = InboxQuery { most: 9, ..InboxQuery::default() };
    assert_eq!(store.inbox(&inbox).await.unwrap(), []);
    assert_eq!(store.interaction(&run, &"ask".into()).await.unwrap(), None);
    assert_eq!(store.accounts().await.unwrap().len(), 1);

    let told = |error: Error| {
        let text = error.to_string();
        assert!(matches!(error, Error::Unavailable(_)) && text.contains("read-only"), "{text}");
    };
    told(store.commit(step(&row)).await.unwrap_err());
    told(store.set_cap(&row.owner, None).await.unwrap_err());
    told(store.claim_run(&"w2".into(), &run).await.unwrap_err());
    told(store.reclaim().await.unwrap_err());
    told(store.tidy().await.unwrap_err());
    told(store.enlist(&"w2".into()).await.err().expect("nobody works here"));
}

#[tokio::test]
async fn a_store_can_be_looked_at_whether_or_not_somebody_has_it_open() {
    let home = Home::new();
    let store = home.open();
    worth_a_look(&store).await;
    let looker = open_to_look(&home);
    is_seen(&looker).await;
    drop(looker);
    store.close().await;
    assert!(!home.path().join("consign.db-wal").exists(), "it was closed well");
    let looker = open_to_look(&home);
    is_seen(&looker).await;
    assert!(!home.path().join("consign.db-wal").exists(), "nothing was made to look at it");
    // Who looks sees what is written meanwhile.
    let store = home.open();
    held(&store, "two").await;
    assert_eq!(looker.row(&"two".into()).await.unwrap().seq, Seq(0));
    store.close().await;
    assert_eq!(looker.row(&"two".into()).await.unwrap().seq, Seq(0));
}

#[test]
fn there_is_nothing_to_look_at_where_nothing_was_made() {
    let home = Home::new();
    let error = SqliteStore::open_to_look(home.path(), &Options::default()).err();
    assert!(matches!(error, Some(OpenError::ReadOnly { .. })), "{error:?}");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[tokio::test]
#[ignore = "a part that another test has played"]
async fn looks_at_what_it_cannot_write() {
    let Some((home, _)) = part() else { return };
    let error = SqliteStore::open(&home, &Options::default()).err();
    assert!(matches!(error, Some(OpenError::ReadOnly { .. })), "{error:?}");
    is_seen(&SqliteStore::open_to_look(&home, &Options::default()).unwrap()).await;
}

#[tokio::test]
#[ignore = "a part that another test has played"]
async fn writes_until_it_is_killed() {
    let Some((home, _)) = part() else { return };
    let store = crate::ground::open(&home);
    worth_a_look(&store).await;
    println!("written");
    std::thread::sleep(std::time::Duration::from_secs(60));
}

#[tokio::test]
async fn a_read_only_home_can_be_looked_at() {
    if !Command::new("unshare").args(["--mount", "true"]).status().is_ok_and(|it| it.success()) {
        eprintln!("SKIPPED: no right to mount here, so this was not tested");
        return;
    }
    let home = Home::new();
    let looks = || {
        let mount = "mount --bind \"$CONSIGN_TEST_HOME\" \"$CONSIGN_TEST_HOME\" \
                     && mount -o remount,bind,ro \"$CONSIGN_TEST_HOME\" && exec \"$0\" \"$@\"";
        let sealed = ["unshare", "--mount", "sh", "-c", mount];
        let looker = play(&sealed, "looking::looks_at_what_it_cannot_write", &home, "");
        let said = looker.wait_with_output().unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
    };
    let mut writer = play(&[], "looking::writes_until_it_is_killed", &home, "");
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("written")));
    // Beside somebody who writes, from what somebody who was killed left in the WAL, and without one.
    looks();
    writer.kill().unwrap();
    writer.wait().unwrap();
    assert!(home.path().join("consign.db-wal").metadata().unwrap().len() > 0);
    looks();
    home.open().close().await;
    assert!(!home.path().join("consign.db-wal").exists());
    looks();
}
