//! Cases about workers that live and die, and whose runs are taken over.

use consign_engine::{
    At, Placement, Status,
    store::{NewRun, Refusal},
};

use super::{Scene, StorePlace, scene::anything};
use crate::draft::{DAWN, Draft, advice, claim_of, new_run};

pub async fn the_runs_of_a_dead_worker_are_queued_again(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let alive = scene.enlist(&"w1".into()).await.expect("a place among the living");
    let (one, two) = (scene.held("one", "w1").await, scene.queued("two").await);
    scene.claim_run(&"w1".into(), &two.id).await.expect("it is free");
    drop(alive);
    assert_eq!(scene.reclaim().await.expect("a count"), 2);
    for before in [one, two] {
        let row = scene.see(&before.id).await;
        assert_eq!((row.status, row.worker), (Status::Queued, None));
        assert!(row.epoch > before.epoch, "its old holder is fenced");
        assert_eq!((row.seq, row.head, row.at), (before.seq, before.head, before.at));
    }
    assert_eq!(scene.reclaim().await.expect("a count"), 0);
}

pub async fn a_live_worker_keeps_its_runs(place: &dyn StorePlace) {
    let (here, there) = (Scene::open(place).await, Scene::open(place).await);
    let _alive = here.enlist(&"w1".into()).await.expect("a place among the living");
    let dead = here.enlist(&"w2".into()).await.expect("a place among the living");
    let kept = here.held("kept", "w1").await;
    let lost = here.held("lost", "w2").await;
    assert_eq!(there.reclaim().await.expect("a count"), 0);
    drop(dead);
    assert_eq!(there.reclaim().await.expect("a count"), 1);
    assert_eq!(here.see(&kept.id).await, kept);
    assert_eq!(here.see(&lost.id).await.status, Status::Queued);
    here.step(&kept, Draft::after(&kept).completes("call", "1")).await;
}

pub async fn a_worker_thought_dead_can_write_no_more(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let before = scene.held("one", "w1").await;
    scene.reclaim().await.expect("a count");
    scene.refuses(Draft::after(&before).by(&claim_of(&before)), Refusal::Fenced).await;

    let next = scene.claim(&"w2".into(), &anything(), 1, DAWN).await.expect("a claim").runs;
    let row = next.first().expect("the run is free").row.clone();
    scene.refuses(Draft::after(&row).by(&claim_of(&before)), Refusal::Fenced).await;
    scene.step(&row, Draft::after(&row).completes("call", "1")).await;
}

pub async fn a_run_in_the_foreground_outlives_its_command(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let (placement, keeper) = (Placement::Foreground, Some("w1".into()));
    let run = NewRun { placement, keeper, ..new_run("one") };
    let row = scene.make_held(run, "w1").await;
    assert_eq!(scene.reclaim().await.expect("a count"), 1);
    let row = scene.see(&row.id).await;
    assert_eq!((row.status, row.interrupted), (Status::Queued, true));
    let others = scene.claim(&"w2".into(), &anything(), 9, DAWN).await.expect("a claim").runs;
    assert!(others.is_empty(), "only a command that knows its name goes on with it");
    scene.claim_run(&"w2".into(), &row.id).await.expect("it is free");
}

pub async fn what_a_dead_worker_let_go_stays_as_it_is(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.waiting_until("waiting", At(5)).await;
    scene.queued("queued").await;
    scene.closed("closed").await;
    let before = scene.contents().await;
    assert_eq!(scene.reclaim().await.expect("a count"), 0);
    assert_eq!(scene.contents().await, before);
}

pub async fn a_dead_worker_is_told_nothing(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    scene.brings(advice(&row, "be brief")).await;
    scene.reclaim().await.expect("a count");
    assert_eq!(scene.poked(&"w1".into()).await.expect("runs"), []);
    scene.claim_run(&"w1".into(), &row.id).await.expect("it is free");
    assert_eq!(scene.poked(&"w1".into()).await.expect("runs"), []);
}

pub async fn a_worker_can_come_back_under_its_name(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let first_life = scene.enlist(&"w1".into()).await.expect("a place among the living");
    drop(first_life);
    let _second_life = scene.enlist(&"w1".into()).await.expect("a place among the living");
    scene.held("one", "w1").await;
    assert_eq!(scene.reclaim().await.expect("a count"), 0);
}
