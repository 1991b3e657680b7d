//! Lock files of workers.

use std::fs;

use consign_engine::{Status, WorkerId, store::Store};

use crate::ground::{Home, held};

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
