//! Reads everything that a store holds through its port, to compare two stores.

use std::collections::BTreeSet;

use consign_engine::{
    At, Key, Owner, RunId, Seq,
    journal::{Body, Record},
    store::{Account, Error, Interaction, Row, RunQuery, Snapshot, Store},
};

use super::scene::all_asks;

/// Two stores with equal contents cannot be told apart.
#[derive(Debug, PartialEq)]
pub struct Contents {
    /// Newest first.
    runs: Vec<Whole>,
    /// Oldest first.
    inbox: Vec<Interaction>,
    /// Owners who have spent nothing and may spend everything need not be known.
    accounts: Vec<(Owner, Account)>,
    newest: Option<At>,
}

/// A run with all that belongs to it.
#[derive(Debug, PartialEq)]
struct Whole {
    row: Row,
    journal: Vec<Record>,
    /// None once it is redacted.
    snapshot: Option<Snapshot>,
    tail: Vec<Record>,
    asks: Vec<Interaction>,
    poked: bool,
}

impl Contents {
    pub async fn of(store: &dyn Store) -> Self {
        let query = RunQuery { most: usize::MAX, ..RunQuery::default() };
        let mut runs = Vec::new();
        for row in store.runs(&query).await.expect("runs") {
            runs.push(Whole::of(store, row).await);
        }
        let mut accounts = store.accounts().await.expect("accounts");
        accounts.retain(|(_, account)| *account != Account::default());
        accounts.sort_by(|one, other| one.0.cmp(&other.0));
        Self {
            runs,
            inbox: store.inbox(&all_asks()).await.expect("the inbox"),
            accounts,
            newest: store.newest().await.expect("the newest instant"),
        }
    }
}

impl Whole {
    async fn of(store: &dyn Store, row: Row) -> Self {
        let run = &row.id;
        let (snapshot, tail) = match store.load(run).await {
            Ok(loaded) => {
                assert_eq!(loaded.row, row, "a run is listed as it is loaded");
                (Some(loaded.snapshot), loaded.tail)
            }
            Err(Error::Redacted(_)) if row.redacted => (None, Vec::new()),
            Err(error) => panic!("a run that is listed cannot be loaded: {error}"),
        };
        let journal = store.events(run, Seq(0), usize::MAX).await.expect("its journal");
        let mut asks = Vec::new();
        for key in keys(&journal) {
            asks.extend(store.interaction(run, &key).await.expect("an ask"));
        }
        let poked = is_poked(store, &row).await;
        Self { row, journal, snapshot, tail, asks, poked }
    }
}

async fn is_poked(store: &dyn Store, row: &Row) -> bool {
    let Some(worker) = &row.worker else { return false };
    let poked: Vec<RunId> = store.poked(worker).await.expect("the poked runs");
    poked.contains(&row.id)
}

/// Whatever was ever asked in a run.
fn keys(journal: &[Record]) -> BTreeSet<Key> {
    let bodies = journal.iter().map(|record| record.body().expect("an event that can be read"));
    let asked =
        bodies.map(|body| if let Some(Body::Asked(asked)) = body { Some(asked) } else { None });
    asked.flatten().map(|asked| asked.key).collect()
}
