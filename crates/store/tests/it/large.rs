//! Values that are too large for a row.

use std::{fs, path::PathBuf, time::Duration};

use consign_engine::{
    Owner, Seq, Status,
    journal::Content,
    store::{Error, NewRun, Row, Store, Wanted},
};
use consign_store::{SqliteStore, Swept};
use consign_testkit::draft::{DAWN, Draft, WORKFLOW, claim_of, new_run};

use crate::ground::{Home, held, queued};

const NO_GRACE: Duration = Duration::ZERO;

fn large(letter: &str) -> String {
    format!("\"{}\"", letter.repeat(100_000))
}

async fn with_large_event(store: &SqliteStore, name: &str, owner: &str, output: &str) -> Row {
    let run = NewRun { owner: Owner::from(owner), ..new_run(name) };
    let first = Draft::first(&run, DAWN).completes("call", output).held_by("w1");
    store.create(run, first).await.expect("a new run");
    store.row(&name.into()).await.expect("the run is there")
}

async fn with_state(store: &SqliteStore, row: &Row, state: &str) -> Row {
    let step = Draft::after(row).completes("call", "1").snapshot(state);
    store.commit(step.by(&claim_of(row))).await.expect("a step by the holder");
    store.row(&row.id).await.expect("the run is there")
}

#[tokio::test]
async fn a_large_value_is_in_a_file_and_comes_back_the_same() {
    let home = Home::new();
    let store = home.open();
    let row = with_large_event(&store, "one", "ada", &large("x")).await;
    let row = with_state(&store, &row, &large("s")).await;
    assert_eq!(home.blobs().len(), 2);
    for file in home.blobs() {
        assert!(fs::metadata(file).unwrap().len() < 1_000, "it is compressed");
    }
    let loaded = store.load(&row.id).await.unwrap();
    assert_eq!(loaded.snapshot.state.as_str(), large("s"));
    let events = store.events(&row.id, Seq(0), 9).await.unwrap();
    let Content::Kept(body, _) = &events[1].content else { panic!("it is kept") };
    assert!(body.as_str().contains(&large("x")));
    let mut chain = consign_engine::journal::Chain::default();
    events.iter().for_each(|event| chain.take(event).unwrap());
    assert_eq!(chain.head(), Some((row.seq, row.head)));
}

#[tokio::test]
async fn equal_values_share_a_file_with_one_owner_and_nothing_between_two() {
    let home = Home::new();
    let store = home.open();
    let row = held(&store, "one").await;
    with_state(&store, &row, &large("x")).await;
    let row = held(&store, "two").await;
    with_state(&store, &row, &large("x")).await;
    assert_eq!(home.blobs().len(), 1, "both are ada's");
    let run = NewRun { owner: Owner::from("bob"), ..new_run("three") };
    let first = Draft::first(&run, DAWN).snapshot(large("x")).held_by("w1");
    store.create(run, first).await.unwrap();
    assert_eq!(home.blobs().len(), 2);
}

#[tokio::test]
async fn a_sweep_takes_what_no_row_names_and_nothing_else() {
    let home = Home::new();
    let store = home.open();
    let row = with_large_event(&store, "one", "ada", &large("x")).await;
    let row = with_state(&store, &row, &large("a")).await;
    let row = with_state(&store, &row, &large("b")).await;
    assert_eq!(home.blobs().len(), 3);
    let long = Duration::from_secs(3_600);
    assert_eq!(store.sweep(long).await.unwrap(), Swept::default(), "all are young");
    assert_eq!(store.sweep(NO_GRACE).await.unwrap(), Swept { removed: 1, kept: 2 });
    assert_eq!(store.load(&row.id).await.unwrap().snapshot.state.as_str(), large("b"));
    assert_eq!(store.events(&row.id, Seq(0), 9).await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_sweep_takes_drafts_of_the_dead_and_leaves_strangers_files() {
    let home = Home::new();
    let store = home.open();
    with_large_event(&store, "one", "ada", &large("x")).await;
    let folder = home.blobs()[0].parent().unwrap().to_owned();
    fs::write(folder.join(".0123456789abcdef"), "half").unwrap();
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    assert_eq!(store.sweep(NO_GRACE).await.unwrap(), Swept { removed: 1, kept: 1 });
    assert!(folder.join("notes.txt").exists());
}

#[tokio::test]
async fn a_file_that_is_swept_before_a_row_names_it_is_put_again() {
    let home = Home::new();
    let store = std::sync::Arc::new(home.open());
    let row = held(&store, "one").await;
    let stopped = home.stop_writers();
    let step = Draft::after(&row).completes("call", large("x")).by(&claim_of(&row));
    let committing = {
        let store = store.clone();
        tokio::spawn(async move { store.commit(step).await })
    };
    let is_draft = |file: &PathBuf| file.file_name().unwrap().to_string_lossy().starts_with('.');
    let finished = || home.blobs().into_iter().find(|file| !is_draft(file));
    let put = loop {
        match finished() {
            Some(file) => break file,
            None => tokio::time::sleep(Duration::from_millis(1)).await,
        }
    };
    fs::remove_file(&put).unwrap();
    drop(stopped);
    committing.await.unwrap().unwrap();
    assert!(put.exists());
    assert_eq!(store.events(&row.id, Seq(1), 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_damaged_or_missing_file_is_told_by_its_name() {
    let home = Home::new();
    let store = home.open();
    let row = with_large_event(&store, "one", "ada", &large("x")).await;
    let file = home.blobs().remove(0);
    let name = file.file_name().unwrap().to_str().unwrap().to_owned();
    let told = |error: Error, what: &str| {
        let text = error.to_string();
        assert!(matches!(error, Error::Damaged(_)) && text.contains(what), "{text}");
        assert!(text.contains(&name), "{text}");
    };
    // Sound as a file, but another text.
    fs::write(&file, zstd::bulk::compress(large("y").as_bytes(), 3).unwrap()).unwrap();
    told(store.events(&row.id, Seq(0), 9).await.unwrap_err(), "damaged");
    fs::write(&file, "rubbish").unwrap();
    told(store.events(&row.id, Seq(0), 9).await.unwrap_err(), "damaged");
    fs::remove_file(&file).unwrap();
    told(store.events(&row.id, Seq(0), 9).await.unwrap_err(), "missing");
}

#[tokio::test]
async fn a_damaged_file_is_made_good_by_the_next_who_puts_the_same() {
    let home = Home::new();
    let store = home.open();
    let row = held(&store, "one").await;
    with_state(&store, &row, &large("x")).await;
    fs::write(&home.blobs()[0], "rubbish").unwrap();
    let other = held(&store, "two").await;
    with_state(&store, &other, &large("x")).await;
    assert_eq!(store.load(&row.id).await.unwrap().snapshot.state.as_str(), large("x"));
}

#[tokio::test]
async fn a_run_that_cannot_be_read_is_put_aside_and_the_others_go_on() {
    let home = Home::new();
    let store = home.open();
    let run = new_run("broken");
    let first = Draft::first(&run, DAWN).snapshot(large("x")).unclaimed();
    store.create(run, first).await.unwrap();
    fs::remove_file(&home.blobs()[0]).unwrap();
    queued(&store, "sound").await;
    let wanted = Wanted { workflows: [(WORKFLOW.to_owned(), 1)].into(), host: None };
    let claimed = store.claim(&"w1".into(), &wanted, 9, DAWN).await.unwrap();
    let names: Vec<_> = claimed.runs.iter().map(|run| run.row.id.as_str()).collect();
    assert_eq!(names, ["sound"]);
    let [(name, reason)] = &claimed.damaged[..] else { panic!("{:?}", claimed.damaged) };
    assert_eq!(name.as_str(), "broken");
    assert!(reason.contains("missing"), "{reason}");
    let row = store.row(&"broken".into()).await.unwrap();
    assert_eq!((row.status, row.worker), (Status::Waiting, None));
    let error = store.claim_run(&"w1".into(), &"broken".into()).await.unwrap_err();
    assert!(matches!(error, Error::Damaged(_)), "{error}");
}
