//! Lock files of workers.

use std::{fs, fs::File, sync::Arc, time::Duration};

use consign_engine::{
    Status, WorkerId,
    store::{Error, Store, Wanted},
};
use consign_store::{Options, SqliteStore};
use consign_testkit::draft::{DAWN, Draft, WORKFLOW, new_run};
use rusqlite::TransactionBehavior;
use rustix::fs::{FileType, FlockOperation, Mode, flock};
use tokio::{task::JoinSet, time::sleep};

use crate::ground::{Home, held, queued};

fn files(home: &Home) -> Vec<String> {
    let files = fs::read_dir(home.path().join("workers")).unwrap();
    let mut names: Vec<_> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_worker_has_a_file_for_as_long_as_it_lives() {
    let home = Home::new();
    let store = home.open();
    let alive = store.enlist(&"w1".into()).await.unwrap();
    assert_eq!(files(&home), ["w1.lock"]);
    drop(alive);
    assert!(files(&home).is_empty());
}

#[tokio::test]
async fn two_workers_cannot_have_one_name() {
    let home = Home::new();
    let (here, there) = (home.open(), home.open());
    let _alive = here.enlist(&"w1".into()).await.unwrap();
    assert!(there.enlist(&"w1".into()).await.is_err());
    assert_eq!(files(&home), ["w1.lock"], "the first is still there");
    held(&here, "one").await;
    assert_eq!(there.reclaim().await.unwrap(), 0, "and alive");
}

#[tokio::test]
async fn what_dead_workers_left_is_swept_up() {
    let home = Home::new();
    let store = home.open();
    let _alive = store.enlist(&"w1".into()).await.unwrap();
    // As after a kill: the files are there and nobody has them locked.
    for name in ["w2.lock", "w3.lock", ".0123456789abcdef"] {
        fs::write(home.path().join("workers").join(name), "").unwrap();
    }
    let run = held(&store, "one").await.id;
    home.database().execute("UPDATE runs SET worker = 'w3'", []).unwrap();
    assert_eq!(store.reclaim().await.unwrap(), 1);
    assert_eq!(files(&home), ["w1.lock"]);
    assert_eq!(store.row(&run).await.unwrap().status, Status::Queued);
}

#[tokio::test]
async fn nobody_writes_when_nobody_is_dead() {
    let home = Home::new();
    let store = home.open();
    let _alive = store.enlist(&"w1".into()).await.unwrap();
    held(&store, "one").await;
    let before = store.transactions();
    assert_eq!(store.reclaim().await.unwrap(), 0);
    assert_eq!(store.transactions(), before);
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_is_no_name() {
    let home = Home::new();
    let store = home.open();
    for name in ["", "../w1", "a/b", ".hidden", "a\0b"] {
        assert!(store.enlist(&WorkerId::from(name)).await.is_err(), "{name:?}");
    }
    held(&store, "one").await;
    home.database().execute("UPDATE runs SET worker = '../w1'", []).unwrap();
    assert_eq!(store.reclaim().await.unwrap(), 1, "nobody lives there");
}

#[tokio::test]
async fn a_run_can_be_taken_while_others_bury_its_holder() {
    for _ in 0..5 {
        let home = Home::new();
        let (here, there) = (Arc::new(home.open()), home.open());
        held(&here, "one").await;
        // As after a kill.
        fs::write(home.path().join("workers/w1.lock"), "").unwrap();
        let stopped = home.stop_writers();
        let taking = tokio::spawn(async move { here.claim_run(&"w2".into(), &"one".into()).await });
        // It is the first in the queue for the lock; the other has looked after the dead meanwhile.
        sleep(Duration::from_millis(30)).await;
        let burying = tokio::spawn(async move { there.reclaim().await });
        sleep(Duration::from_millis(30)).await;
        drop(stopped);
        assert_eq!(taking.await.unwrap().unwrap().row.worker, Some(WorkerId::from("w2")));
        burying.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_worker_whose_file_was_removed_is_alive_again_when_it_looks() {
    let home = Home::new();
    let (here, there) = (home.open(), home.open());
    let alive = here.enlist(&"w1".into()).await.unwrap();
    held(&here, "one").await;
    fs::remove_dir_all(home.path().join("workers")).unwrap();
    assert_eq!(here.reclaim().await.unwrap(), 0, "it does not bury itself");
    assert_eq!(there.reclaim().await.unwrap(), 0, "nor do others");
    assert_eq!(files(&home), ["w1.lock"]);
    drop(alive);
    assert!(files(&home).is_empty());
    assert_eq!(there.reclaim().await.unwrap(), 1);
}

#[tokio::test]
async fn others_look_after_the_dead_also_without_the_folder() {
    let home = Home::new();
    let store = home.open();
    held(&store, "one").await;
    fs::remove_dir_all(home.path().join("workers")).unwrap();
    assert_eq!(store.reclaim().await.unwrap(), 1);
}

#[tokio::test]
async fn a_worker_whose_name_was_taken_gives_up_and_leaves_the_other_alone() {
    let home = Home::new();
    let (here, there) = (home.open(), home.open());
    let first = here.enlist(&"w1".into()).await.unwrap();
    fs::remove_file(home.path().join("workers/w1.lock")).unwrap();
    let _second = there.enlist(&"w1".into()).await.unwrap();
    let error = here.reclaim().await.unwrap_err();
    assert!(matches!(error, Error::Lost(_)), "{error}");
    drop(first);
    assert_eq!(files(&home), ["w1.lock"], "the second is still there");
    assert_eq!(there.reclaim().await.unwrap(), 0);
}

#[tokio::test]
async fn a_name_is_not_taken_because_somebody_looks_at_its_file() {
    let home = Home::new();
    let store = home.open();
    let path = home.path().join("workers/w1.lock");
    fs::write(&path, "").unwrap();
    let looker = File::open(&path).unwrap();
    flock(&looker, FlockOperation::LockShared).unwrap();
    let looking = tokio::spawn(async move {
        sleep(Duration::from_millis(5)).await;
        drop(looker);
    });
    store.enlist(&"w1".into()).await.unwrap();
    looking.await.unwrap();
}

#[tokio::test]
async fn a_run_that_could_not_be_put_back_is_put_back_later() {
    let home = Home::new();
    let store = Arc::new(home.open());
    let _alive = store.enlist(&"w1".into()).await.unwrap();
    let run = new_run("broken");
    let state = format!("\"{}\"", "x".repeat(100_000));
    let first = Draft::first(&run, DAWN).snapshot(state).unclaimed();
    store.create(run, first).await.unwrap();
    // Whoever reads the state has to wait until we let him.
    let file = home.blobs().remove(0);
    fs::remove_file(&file).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &file, FileType::Fifo, Mode::RWXU, 0).unwrap();
    let claiming = {
        let store = store.clone();
        let wanted = Wanted { workflows: [(WORKFLOW.to_owned(), 1)].into(), host: None };
        tokio::spawn(async move { store.claim(&"w1".into(), &wanted, 9, DAWN).await })
    };
    while store.row(&"broken".into()).await.unwrap().worker.is_none() {
        sleep(Duration::from_millis(1)).await;
    }
    let mut stranger = home.database();
    let locked = stranger.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    tokio::task::spawn_blocking(|| fs::write(file, "rubbish")).await.unwrap().unwrap();
    let claimed = claiming.await.unwrap().unwrap();
    assert_eq!(claimed.damaged.len(), 1);
    assert!(store.row(&"broken".into()).await.unwrap().worker.is_some(), "nobody could write");
    drop(locked);
    assert_eq!(store.reclaim().await.unwrap(), 0, "its holder lives");
    let row = store.row(&"broken".into()).await.unwrap();
    assert_eq!((row.status, row.worker), (Status::Waiting, None));
}

/// Whoever is taken for dead in the middle of a claim must not be given what another then holds: the
/// claim is all that tells two holders apart.
#[tokio::test]
async fn who_claims_a_run_is_given_nobody_elses_claim() {
    let home = Home::new();
    let options = Options { readers: 1, ..Options::default() };
    let mine = Arc::new(SqliteStore::open(home.path(), &options).unwrap());
    let theirs = Arc::new(home.open());
    queued(&mine, "one").await;
    let wanted = Wanted { workflows: [(WORKFLOW.to_owned(), 1)].into(), host: None };
    let (me, rival) = (WorkerId::from("w1"), WorkerId::from("w2"));
    let _me = mine.enlist(&me).await.unwrap();
    let _rival = theirs.enlist(&rival).await.unwrap();
    fs::remove_file(home.path().join("workers/w1.lock")).unwrap();
    // Reads of this process stand in line behind others.
    let mut others = JoinSet::new();
    for _ in 0..16 {
        let store = mine.clone();
        others.spawn(async move {
            loop {
                store.row(&"one".into()).await.unwrap();
            }
        });
    }
    for _ in 0..100 {
        home.database().execute("UPDATE runs SET status = 'queued', worker = NULL", []).unwrap();
        let (theirs, rival, wanted_too) = (theirs.clone(), rival.clone(), wanted.clone());
        let raid = tokio::spawn(async move {
            for _ in 0..200 {
                if theirs.reclaim().await.unwrap() > 0 {
                    theirs.claim(&rival, &wanted_too, 1, DAWN).await.unwrap();
                    return;
                }
            }
        });
        let claimed = mine.claim(&me, &wanted, 1, DAWN).await.unwrap();
        raid.await.unwrap();
        for run in claimed.runs {
            assert_eq!(run.claim().unwrap().worker, me);
        }
    }
}
