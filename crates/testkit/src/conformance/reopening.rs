//! Cases about durability: what was answered with `Ok` is still there when the store is opened
//! again.

use consign_engine::{
    AskKind, At, Nanos, Placement, Status,
    store::{Figures, NewRun, Refusal},
};

use super::{Scene, StorePlace};
use crate::draft::{Draft, advice, answer, claim_of, new_run, raise};

/// Some of everything.
async fn fill(scene: &Scene) {
    scene.caps("ada", 1_000).await;
    scene.caps("bob", 0).await;
    scene.make(NewRun { priority: 3, version: 7, ..new_run("queued") }).await;
    scene.make(NewRun { placement: Placement::Foreground, ..new_run("foreground") }).await;
    scene.make(NewRun { placement: Placement::Host("here".into()), ..new_run("host") }).await;
    scene.waiting_until("waiting", At(12)).await;
    scene.closed("closed").await;

    let row = scene.held("held", "w1").await;
    let figures = Figures { spent: Nanos::new(1), reserved: Nanos::new(2), cap: None };
    let draft = Draft::after(&row).completes("large", format!("\"{}\"", "x".repeat(150_000)));
    let draft = draft.asks("open", AskKind::Approval).asks("answered", AskKind::Limit);
    let draft = draft.asks("expired", AskKind::Approval).asks("gone", AskKind::Approval);
    let row = scene.step(&row, draft.reserves(9).figures(figures).snapshot("{\"a\": 1}")).await;
    let row = scene.step(&row, Draft::after(&row).expires("expired").withdraws("gone")).await;
    let row = scene.brings(answer(&row, "answered", "1e400")).await;
    scene.brings(raise(&row, 77)).await;
}

pub async fn everything_is_there_when_the_store_is_opened_again(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    fill(&scene).await;
    let before = scene.contents().await;
    drop(scene);
    assert_eq!(Scene::open(place).await.contents().await, before);
}

pub async fn a_claim_outlives_the_store_that_gave_it(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    drop(scene);
    let scene = Scene::open(place).await;
    let row = scene.step(&row, Draft::after(&row).completes("call", "1")).await;
    assert_eq!(row.status, Status::Running);
}

pub async fn whoever_was_fenced_stays_fenced(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let before = scene.held("one", "w1").await;
    scene.reclaim().await.expect("a count");
    drop(scene);
    let scene = Scene::open(place).await;
    scene.refuses(Draft::after(&before).by(&claim_of(&before)), Refusal::Fenced).await;
    let row = scene.claim_run(&"w1".into(), &before.id).await.expect("it is free").row;
    assert!(row.epoch > before.epoch);
    scene.refuses(Draft::after(&row).by(&claim_of(&before)), Refusal::Fenced).await;
}

pub async fn lists_go_on_in_their_order(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for name in ["c", "a"] {
        scene.waiting(name).await;
    }
    drop(scene);
    let scene = Scene::open(place).await;
    let row = scene.see(&"c".into()).await;
    scene.brings(advice(&row, "be brief")).await;
    let run = new_run("b");
    let first = Draft::first(&run, At(row.at.0 + 60_000_000)).unclaimed();
    scene.create(run, first).await.expect("a new run");
    let names: Vec<_> = scene.rows().await.iter().map(|row| row.id.to_string()).collect();
    assert_eq!(names, ["b", "a", "c"]);
}
