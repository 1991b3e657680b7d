//! The engine on this store, stopped before and after each of its writes and effects.

use std::sync::Arc;

use consign_testkit::{
    conformance::StorePlace,
    crash::{crash_everywhere_on, scenarios},
};
use tokio::task::JoinSet;

use crate::conformance::Folder;

#[tokio::test]
async fn a_crash_anywhere_loses_nothing_and_does_nothing_twice() {
    let mut plays = JoinSet::new();
    for scenario in scenarios() {
        plays.spawn(async move {
            crash_everywhere_on(&scenario, || -> Arc<dyn StorePlace> { Arc::new(Folder::new()) })
                .await;
        });
    }
    plays.join_all().await;
}
