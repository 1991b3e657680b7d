//! What is the embedded index's own: nothing is left of what was removed, and memory is bounded.

use std::{fs, path::Path, sync::Arc};

use async_trait::async_trait;
use consign_knowledge::{Ask, ChunkId, Filters, Index, Vector};
use consign_store::{Options, SqliteStore};
use consign_testkit::{conformance::documents::IndexPlace, documents::document};

use crate::{conformance::Folder, ground::Home};

#[async_trait]
impl IndexPlace for Folder {
    async fn open_index(&self) -> Arc<dyn Index> {
        Arc::new(SqliteStore::open(self.path(), &Options::default()).expect("a store"))
    }
}

consign_testkit::index_conformance!(Folder::new());

/// A store that keeps no documents in memory from one search to the next.
struct Forgetful(tempfile::TempDir);

#[async_trait]
impl IndexPlace for Forgetful {
    async fn open_index(&self) -> Arc<dyn Index> {
        let options = Options { search_memory: 0, ..Options::default() };
        Arc::new(SqliteStore::open(self.0.path(), &options).expect("a store"))
    }
}

#[test]
fn without_memory_the_answers_are_the_same() {
    let place = Forgetful(tempfile::tempdir().unwrap());
    let game = consign_testkit::conformance::finding::an_index_agrees_with_one_in_memory(&place);
    consign_testkit::conformance::run(game);
}

/// The files below a folder that have these bytes.
fn files_with(folder: &Path, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, word));
        } else if let Ok(bytes) = fs::read(&path)
            && bytes.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test]
async fn nothing_is_left_of_what_was_removed_or_replaced() {
    let home = Home::new();
    let store = home.open();
    let ada = "ada".into();
    let secret = |number: usize| format!("Xylophone{number} zanzibarian{number} quagmires.");
    let text: String = (0..300).map(|number| secret(number) + "\n").collect();
    let long = document("xylophonist.txt", &text)
        .metadata("codeword", "vermilionish")
        .chunk(0, |chunk| chunk.content = Some("Periwinklish".repeat(500)))
        .of("ada");
    let other = document("other.txt", "Parsleyan things remain.").of("ada");
    store.put(&ada, vec![long.clone(), other]).await.unwrap();
    let ids = (0..300).map(|index| ChunkId { document: long.document.clone(), index });
    let vector = Vector::of(&[1.0; 384]).unwrap();
    let vectors: Vec<_> = ids.map(|id| (id, vector.clone())).collect();
    assert_eq!(store.add_vectors(&ada, "m", vectors).await.unwrap(), 300);
    assert!(!files_with(home.path(), "zanzibarian").is_empty());

    store
        .put(&ada, vec![document("other.txt", "Basilican things remain.").of("ada")])
        .await
        .unwrap();
    assert_eq!(files_with(home.path(), "parsley"), Vec::<String>::new());
    assert!(store.remove(&ada, &long.source).await.unwrap());
    for word in ["xylophon", "zanzibar", "quagmire", "vermilion", "codeword", "periwinkl"] {
        assert_eq!(files_with(home.path(), word), Vec::<String>::new(), "{word}");
    }
    assert!(!files_with(home.path(), "basilican").is_empty());
    let db = home.database();
    let rows = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    for (table, expected) in
        [("chunks", 1), ("indexed_words", 1), ("vectors", 0), ("pieces", 1), ("sources", 1)]
    {
        assert_eq!(rows(&format!("SELECT count(*) FROM {table}")), expected, "{table}");
    }
    // "Basilican", "things" and "remain".
    assert_eq!(rows("SELECT count(*) FROM word_uses"), 3);
    db.execute_batch("INSERT INTO words (words) VALUES ('integrity-check')").unwrap();
}

#[tokio::test]
async fn no_word_can_be_read_from_the_index_of_words() {
    let home = Home::new();
    let store = home.open();
    for owner in ["ada", "bob"] {
        store.put(&owner.into(), vec![document("a", "zanzibar").of(owner)]).await.unwrap();
    }
    let db = home.database();
    let mut terms = db.prepare("SELECT DISTINCT term FROM word_uses").unwrap();
    let terms: Vec<String> =
        terms.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(terms.len() == 2 && terms.iter().all(|term| !term.contains("zanz")), "{terms:?}");
}

#[tokio::test]
async fn a_search_beside_writes_sees_one_moment() {
    let home = Home::new();
    let store = Arc::new(home.open());
    let ada: consign_engine::Owner = "ada".into();
    let pair = |number: usize| {
        ["a", "b"].map(|name| document(name, &format!("Refund {number}.")).of("ada"))
    };
    store.put(&ada, pair(0).into()).await.unwrap();
    let (writer, owner) = (store.clone(), ada.clone());
    let writes = tokio::spawn(async move {
        for number in 1..60 {
            writer.put(&owner, pair(number).into()).await.unwrap();
        }
    });
    let filters = Filters::default();
    let question = "refund".to_owned();
    let ask = Ask { question, vector: None, filters, top_k: 5, min_relevance: 0.0 };
    while !writes.is_finished() {
        let hits = store.find(&ada, &ask).await.unwrap().hits;
        assert!(hits.len() == 2 && hits[0].chunk.content == hits[1].chunk.content, "{hits:?}");
    }
    writes.await.unwrap();
}
