//! Gives an adapter and the model the same random moves, and compares them after each.

use std::{collections::BTreeMap, sync::Arc};

use consign_engine::{
    WorkerId,
    store::{Enlisted, Store},
};
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use super::{
    Contents, StorePlace,
    moves::{Move, games},
    request::Request,
};
use crate::memory::MemoryStore;

/// Plays that many games, each at a new place.
pub fn any_game_goes_as_on_the_model<P: StorePlace>(count: u32, place: impl Fn() -> P) {
    let config = Config { cases: count, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&games(), |game| {
        let mut outcome = Ok(());
        super::run(async { outcome = play(&place(), &game).await });
        outcome.map_err(TestCaseError::fail)
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

async fn play(place: &dyn StorePlace, game: &[Move]) -> Result<(), String> {
    let mut table = Table::laid(place).await;
    for (number, a_move) in game.iter().enumerate() {
        table.play(place, a_move).await.map_err(|why| format!("move {number}: {why}"))?;
    }
    Ok(())
}

/// Both stores, and who lives on them.
struct Table {
    model: MemoryStore,
    adapter: Arc<dyn Store>,
    alive: BTreeMap<WorkerId, [Box<dyn Enlisted>; 2]>,
}

impl Table {
    async fn laid(place: &dyn StorePlace) -> Self {
        let (model, adapter) = (MemoryStore::new(), place.open().await);
        Self { model, adapter, alive: BTreeMap::new() }
    }

    async fn play(&mut self, place: &dyn StorePlace, a_move: &Move) -> Result<(), String> {
        match a_move {
            Move::Enlist(worker) => self.enlist(&WorkerId::from(*worker)).await,
            Move::Die(worker) => drop(self.alive.remove(&WorkerId::from(*worker))),
            Move::Reopen => self.adapter = place.open().await,
            Move::Ask(question) => {
                if let Some(request) = Request::new(&self.model, question) {
                    let expected = request.put(&self.model).await;
                    same(&expected, &request.put(&*self.adapter).await)?;
                }
            }
        }
        let expected = Contents::of(&self.model).await;
        same(&expected, &Contents::of(&*self.adapter).await)
    }

    async fn enlist(&mut self, worker: &WorkerId) {
        if !self.alive.contains_key(worker) {
            let model = self.model.enlist(worker).await.expect("a place among the living");
            let adapter = self.adapter.enlist(worker).await.expect("a place among the living");
            self.alive.insert(worker.clone(), [model, adapter]);
        }
    }
}

fn same<T: PartialEq + std::fmt::Debug>(model: &T, adapter: &T) -> Result<(), String> {
    if model == adapter {
        return Ok(());
    }
    Err(format!("the model says\n{model:#?}\nand the adapter\n{adapter:#?}"))
}
