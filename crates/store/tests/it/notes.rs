//! What is remembered from one run to the next.

use consign_engine::{
    At, Data, Owner,
    session_memory::{MOST_NOTES, Note, SessionMemory},
};
use consign_store::{Options, SqliteStore};

fn note(name: &str, text: &str, at: i64) -> Note {
    Note { name: name.to_owned(), text: Data::of(text), at: At(at) }
}

#[tokio::test]
async fn notes_are_their_owners_and_their_topics_and_outlive_the_process() {
    let home = tempfile::tempdir().unwrap();
    let (ann, bob) = (Owner::new("ann"), Owner::new("bob"));
    {
        let store = SqliteStore::open(home.path(), &Options::default()).unwrap();
        store.note(&ann, "s1", note("a", "first", 1)).await.unwrap();
        store.note(&ann, "s1", note("b", "second", 2)).await.unwrap();
        store.note(&ann, "s2", note("a", "elsewhere", 3)).await.unwrap();
        store.note(&bob, "s1", note("a", "bob's", 4)).await.unwrap();
        store.note(&ann, "s1", note("a", "first, mended", 5)).await.unwrap();
    }
    let store = SqliteStore::open(home.path(), &Options::default()).unwrap();
    let read = store.notes(&ann, "s1", 10).await.unwrap();
    assert_eq!(read, [note("b", "second", 2), note("a", "first, mended", 5)]);
    assert_eq!(store.notes(&bob, "s1", 10).await.unwrap(), [note("a", "bob's", 4)]);
    assert_eq!(store.notes(&bob, "s2", 10).await.unwrap(), []);
}

#[tokio::test]
async fn a_topic_keeps_only_the_newest() {
    let home = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(home.path(), &Options::default()).unwrap();
    let ann = Owner::new("ann");
    for at in 0..MOST_NOTES + 5 {
        store.note(&ann, "s", note(&format!("n{at:04}"), "", at as i64)).await.unwrap();
    }
    let all = store.notes(&ann, "s", usize::MAX).await.unwrap();
    assert_eq!((all.len(), all[0].name.as_str()), (MOST_NOTES, "n0005"));
    let two = store.notes(&ann, "s", 2).await.unwrap();
    assert_eq!(two.iter().map(|note| note.at.0).collect::<Vec<_>>(), [103, 104]);
}
