//! A copy of a store that others go on with.

use std::{fs, path::PathBuf, time::Duration};

use consign_engine::{
    Seq, Status,
    journal::Chain,
    store::{Error, RunQuery, Store},
};
use consign_store::SqliteStore;
use consign_testkit::draft::{DAWN, Draft, claim_of, new_run};
use tempfile::TempDir;

use crate::ground::{self, Home, held, open, queued, step};

fn large(letter: &str) -> String {
    format!("\"{}\"", letter.repeat(100_000))
}

/// A folder for the copy, and the path in it that does not exist yet.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy");
    (folder, path)
}

/// Demands that every journal is whole, with its large values. Gives the ids of the runs.
async fn whole(store: &SqliteStore) -> Vec<String> {
    let rows = store.runs(&RunQuery { most: 100_000, ..RunQuery::default() }).await.unwrap();
    for row in &rows {
        let mut chain = Chain::default();
        for event in store.events(&row.id, Seq(0), usize::MAX).await.unwrap() {
            chain.take(&event).unwrap();
        }
        assert_eq!(chain.head(), Some((row.seq, row.head)), "{}", row.id);
        store.load(&row.id).await.unwrap();
    }
    rows.into_iter().map(|row| row.id.to_string()).collect()
}

#[tokio::test]
async fn a_copy_is_a_home_with_all_that_rows_name_and_nothing_else() {
    let home = Home::new();
    let store = home.open();
    let row = held(&store, "one").await;
    let state = Draft::after(&row).completes("call", large("x")).snapshot(large("old"));
    store.commit(state.by(&claim_of(&row))).await.unwrap();
    let row = store.row(&row.id).await.unwrap();
    let state = Draft::after(&row).completes("call", "1").snapshot(large("new"));
    store.commit(state.by(&claim_of(&row))).await.unwrap();
    assert_eq!(home.blobs().len(), 3, "one of them is named no more");
    let (_folder, path) = place();
    let copied = store.copy_to(&path).await.unwrap();
    assert_eq!((copied.runs, copied.large, copied.sealed, copied.missing.len()), (1, 2, 0, 0));
    let mut names: Vec<_> =
        fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["blobs", "consign.db"]);
    let copy = open(&path);
    assert_eq!(whole(&copy).await, ["one"]);
    let state = copy.load(&"one".into()).await.unwrap().snapshot.state;
    assert_eq!(state.as_str(), large("new"));
    // Whoever held it lives elsewhere, if at all.
    assert_eq!(copy.reclaim().await.unwrap(), 1);
    assert_eq!(copy.row(&"one".into()).await.unwrap().status, Status::Queued);
    queued(&copy, "two").await;
}

#[tokio::test]
#[ignore = "a part that another test has played"]
async fn writes_and_sweeps_until_it_is_killed() {
    let Some((home, name)) = ground::part() else { return };
    let store = open(&home);
    for number in 0.. {
        let id = format!("{name}-{number}");
        // Another's sweep without grace may take a file that is half written; nothing is written then.
        loop {
            let run = new_run(id.as_str());
            let first = Draft::first(&run, DAWN).snapshot(large(&id)).held_by("w1");
            match store.create(run, first).await {
                Err(Error::Unavailable(_)) => {}
                done => break done.unwrap(),
            }
        }
        let row = store.row(&id.as_str().into()).await.unwrap();
        loop {
            let next = Draft::after(&row).completes("call", large(&format!("y{id}")));
            let next = next.snapshot(large(&format!("z{id}")));
            match store.commit(next.by(&claim_of(&row))).await {
                Err(Error::Unavailable(_)) => {}
                done => break done.unwrap(),
            }
        }
        println!("written {id}");
        // Without grace: the state before is gone at once.
        store.sweep(Duration::ZERO).await.unwrap();
    }
}

#[tokio::test]
async fn a_copy_that_is_taken_while_others_write_and_sweep_is_whole_and_misses_nothing() {
    use std::io::{BufRead, BufReader};

    let home = Home::new();
    let store = home.open();
    let part = "backup::writes_and_sweeps_until_it_is_killed";
    let mut children = ["one", "two"].map(|name| ground::play(&[], part, &home, name));
    let lines = |child: &mut std::process::Child| {
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        lines
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("written ").map(str::to_owned))
    };
    let mut told = children.each_mut().map(lines);
    for round in 0..4 {
        // Everything that was answered before the copy begins.
        let before: Vec<String> =
            told.iter_mut().flat_map(|lines| lines.take(5).collect::<Vec<_>>()).collect();
        assert_eq!(before.len(), 10, "they go on writing");
        let (_folder, path) = place();
        let copied = store.copy_to(&path).await.unwrap();
        assert!(copied.missing.is_empty(), "round {round}: {:?}", copied.missing);
        let copy = open(&path);
        let runs = whole(&copy).await;
        assert_eq!(runs.len() as u64, copied.runs);
        let lost: Vec<_> = before.iter().filter(|id| !runs.contains(id)).collect();
        assert!(lost.is_empty(), "round {round}: {lost:?}");
        copy.close().await;
    }
    for child in &mut children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[tokio::test]
async fn a_large_value_that_is_missing_is_told_and_the_rest_is_copied() {
    let home = Home::new();
    let store = home.open();
    let row = held(&store, "one").await;
    let next = Draft::after(&row).completes("call", large("x"));
    store.commit(next.by(&claim_of(&row))).await.unwrap();
    held(&store, "two").await;
    let gone = home.blobs().remove(0);
    fs::remove_file(&gone).unwrap();
    let (_folder, path) = place();
    let copied = store.copy_to(&path).await.unwrap();
    assert_eq!(copied.missing, [gone.file_name().unwrap().to_str().unwrap()]);
    assert_eq!((copied.runs, copied.large), (2, 0));
    let copy = open(&path);
    assert_eq!(copy.events(&"two".into(), Seq(0), 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_copy_and_a_step_at_the_same_time_both_succeed() {
    let home = Home::new();
    let store = home.open();
    let row = held(&store, "one").await;
    let (_folder, path) = place();
    let (copied, stepped) = tokio::join!(store.copy_to(&path), store.commit(step(&row)));
    stepped.unwrap();
    assert_eq!(copied.unwrap().runs, 1);
    whole(&open(&path)).await;
}
