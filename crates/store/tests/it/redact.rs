//! What a redacted run said leaves no bytes behind: not in the database, its log or the large values.

use std::{fs, path::Path};

use consign_engine::{
    AskKind, At, Seq, Status,
    discussion::{Comment, Discussion},
    journal::Chain,
    store::{Row, Store},
};
use consign_store::SqliteStore;
use consign_testkit::draft::{Draft, answer, claim_of, erasure};

use crate::ground::{Home, held};

/// Every file below a folder in which these bytes are.
fn found(folder: &Path, bytes: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(self::found(&path, bytes));
        } else if String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(bytes) {
            found.push(path.display().to_string());
        }
    }
    found
}

async fn step(store: &SqliteStore, row: &Row, draft: Draft) -> Row {
    store.commit(draft.by(&claim_of(row))).await.unwrap();
    store.row(&row.id).await.unwrap()
}

/// Text of this length that begins and ends with a word.
fn said(word: &str, length: usize) -> String {
    let filler = length.saturating_sub(2 * word.len());
    format!("\"{word}{}{word}\"", "x".repeat(filler))
}

async fn over(store: &SqliteStore, row: &Row) -> Row {
    step(store, row, Draft::after(row).closed(Status::Succeeded)).await
}

#[tokio::test]
async fn no_byte_of_a_redacted_run_is_left() {
    let home = Home::new();
    // Another peer holds the database open, as a server does.
    let (store, _peer) = (home.open(), home.open());
    let word = "canary-that-nobody-else-would-write";
    for round in 0..3 {
        let row = held(&store, &format!("run{round}")).await;
        let mut row = step(&store, &row, Draft::after(&row).asks(word, AskKind::Approval)).await;
        for size in [10, 3_000, 5_000, 20_000, 100_000, 70_000, 300] {
            let draft = Draft::after(&row).completes("call", said(word, size));
            row = step(&store, &row, draft.snapshot(said(word, size / 2))).await;
        }
        store.deliver(answer(&row, word, &said(word, 500))).await.unwrap();
        let row = over(&store, &store.row(&row.id).await.unwrap()).await;
        let (run, owner) = (row.id.clone(), row.owner.clone());
        let (id, author, at, text) = ("c".to_owned(), "ada".into(), At(1), word.to_owned());
        store.add_comment(Comment { run, id, owner, author, at, text }).await.unwrap();
        assert!(!found(home.path(), word).is_empty());
        assert!(!home.blobs().is_empty());

        assert!(store.redact(erasure(&row)).await.unwrap());
        assert_eq!(found(home.path(), word), Vec::<String>::new(), "round {round}");
        assert_eq!(home.blobs().len(), 0, "large values go at once");
    }
}

/// Rows of many runs share pages, and are moved when these fill up.
#[tokio::test]
async fn runs_that_share_pages_are_erased_one_by_one() {
    let home = Home::new();
    let store = home.open();
    let sizes = [20, 400, 90, 1_900, 5, 4_200, 700, 60, 12_000, 250];
    let word = |run: usize| format!("canary-{run:03}-of-this-run");
    let mut rows = Vec::new();
    for run in 0..40 {
        rows.push(held(&store, &format!("run{run}")).await);
    }
    for round in 0..12 {
        for (run, row) in rows.iter_mut().enumerate() {
            let size = sizes[(run * 7 + round * 3) % sizes.len()];
            let mut draft = Draft::after(row).completes("c", said(&word(run), size));
            if (run + round) % 3 == 0 {
                draft = draft.snapshot(said(&word(run), size * (round % 4)));
            }
            if (run + round) % 5 == 0 {
                draft = draft.asks(&format!("{}{round}", word(run)), AskKind::Approval);
            }
            *row = step(&store, row, draft).await;
        }
    }
    for (run, row) in
        rows.iter().enumerate().rev().step_by(2).chain(rows.iter().enumerate().step_by(2))
    {
        let row = over(&store, row).await;
        assert!(store.redact(erasure(&row)).await.unwrap());
        assert_eq!(found(home.path(), &word(run)), Vec::<String>::new(), "run {run}");
    }
    let check: String =
        home.database().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

#[tokio::test]
async fn a_large_value_that_another_run_has_too_stays() {
    let home = Home::new();
    let store = home.open();
    let large = said("large", 100_000);
    let mut rows = Vec::new();
    for name in ["one", "two"] {
        let row = held(&store, name).await;
        let row = step(&store, &row, Draft::after(&row).completes("call", large.clone())).await;
        rows.push(over(&store, &row).await);
    }
    let shared = home.blobs().len();
    assert!(store.redact(erasure(&rows[0])).await.unwrap());
    let left = store.events(&rows[1].id, Seq(0), 99).await.unwrap();
    assert!(left.iter().any(|record| record.size() > 100_000), "of {shared}");
    assert!(store.redact(erasure(&rows[1])).await.unwrap());
    assert_eq!(home.blobs().len(), 0);
}

#[tokio::test]
async fn a_long_run_is_redacted_in_one_transaction() {
    let home = Home::new();
    let store = home.open();
    let mut row = held(&store, "long").await;
    for _ in 0..10 {
        let draft = (0..1_000)
            .fold(Draft::after(&row), |draft, _| draft.completes("call", said("word", 50)));
        row = step(&store, &row, draft).await;
    }
    let row = over(&store, &row).await;
    let before = store.transactions();
    assert!(store.redact(erasure(&row)).await.unwrap());
    assert_eq!(store.transactions(), before + 1);
    let records = store.events(&row.id, Seq(0), 20_000).await.unwrap();
    assert_eq!(records.len(), 10_002);
    let mut chain = Chain::default();
    records.iter().for_each(|record| chain.take(record).unwrap());
}

#[tokio::test]
async fn a_home_that_cannot_be_written_redacts_nothing() {
    let home = Home::new();
    let store = home.open();
    let row = held(&store, "one").await;
    let row = over(&store, &row).await;
    let look = SqliteStore::open_to_look(home.path(), &consign_store::Options::default()).unwrap();
    look.redact(erasure(&row)).await.unwrap_err();
    assert!(!store.row(&row.id).await.unwrap().redacted);
}
