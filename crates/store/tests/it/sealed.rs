//! What was sealed and let go leaves no bytes behind.

use std::fs;

use consign_engine::{
    At,
    vault::{Reseal, Sealed, Vault},
};

use crate::ground::{Home, held, open};

const FIRST: &[u8] = b"first-bytes-that-nobody-else-would-write";
const SECOND: &[u8] = b"other-bytes-of-which-there-is-one-copy!!";

fn secret(bytes: &[u8]) -> Sealed {
    Sealed { owner: "ada".into(), name: "openai".to_owned(), bytes: bytes.to_vec(), at: At(1) }
}

/// Whether any file of the home has these bytes.
fn found(home: &Home, bytes: &[u8]) -> bool {
    let mut files: Vec<_> = fs::read_dir(home.path()).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    let has = |text: &[u8]| text.windows(bytes.len()).any(|window| window == bytes);
    files.iter().any(|file| has(&fs::read(file).unwrap()))
}

#[tokio::test]
async fn what_was_dropped_replaced_or_sealed_anew_is_overwritten() {
    let home = Home::new();
    let store = home.open();
    held(&store, "one").await;
    store.keep(secret(FIRST), false).await.unwrap();
    store.close().await;
    assert!(found(&home, FIRST));

    // Also while the store is open, and another peer with it.
    let (store, _peer) = (home.open(), home.open());
    store.keep(secret(SECOND), true).await.unwrap();
    assert!(!found(&home, FIRST) && found(&home, SECOND));

    let (owner, name) = ("ada".into(), "openai".to_owned());
    let (from, to) = (SECOND.to_vec(), FIRST[1..].to_vec());
    store.reseal(vec![Reseal { owner, name, from, to }]).await.unwrap();
    assert!(!found(&home, SECOND) && found(&home, &FIRST[1..]));

    store.drop_sealed(&"ada".into(), "openai").await.unwrap();
    assert!(!found(&home, &FIRST[1..]));
}

#[tokio::test]
async fn a_vault_that_is_only_looked_at_can_be_read_and_not_written() {
    let home = Home::new();
    let store = home.open();
    store.keep(secret(FIRST), false).await.unwrap();
    let look = consign_store::SqliteStore::open_to_look(home.path(), &Default::default()).unwrap();
    assert_eq!(look.sealed(&"ada".into(), "openai").await.unwrap(), Some(secret(FIRST)));
    look.keep(secret(SECOND), true).await.unwrap_err();
    look.drop_sealed(&"ada".into(), "openai").await.unwrap_err();
    assert_eq!(open(home.path()).all_sealed().await.unwrap(), [secret(FIRST)]);
}
