//! Cases about owners who share the workers.

use std::collections::BTreeSet;

use consign_engine::{
    At, Owner, Placement, Status,
    store::{Loaded, NewRun, Row},
};
use tokio::task::JoinSet;

use super::{Scene, StorePlace, scene::anything};
use crate::draft::{DAWN, Draft, new_run};

/// The owner of each run is what its name begins with, up to the dash.
fn run_of_owner(name: &str) -> NewRun {
    let owner = name.split('-').next().unwrap_or(name);
    NewRun { owner: Owner::new(owner), ..new_run(name) }
}

/// So many queued runs of an owner: `ada-0`, `ada-1` and so on.
async fn queue(scene: &Scene, owner: &str, count: usize) {
    for number in 0..count {
        scene.make(run_of_owner(&format!("{owner}-{number}"))).await;
    }
}

/// Worker `w1` takes up to that many.
async fn claim(scene: &Scene, most: usize) -> Vec<Row> {
    claim_at(scene, most, DAWN).await
}

async fn claim_at(scene: &Scene, most: usize, now: At) -> Vec<Row> {
    let claimed = scene.claim(&"w1".into(), &anything(), most, now).await.expect("a claim").runs;
    claimed.into_iter().map(|Loaded { row, .. }| row).collect()
}

fn names(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|row| row.id.as_str()).collect()
}

async fn close(scene: &Scene, row: &Row) {
    scene.step(row, Draft::after(row).closed(Status::Succeeded)).await;
}

pub async fn one_run_does_not_wait_for_a_thousand_of_another_owner(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let mut making = JoinSet::new();
    for number in 0..1_000 {
        let (store, run) = (scene.store.clone(), run_of_owner(&format!("ada-{number}")));
        let first = Draft::first(&run, scene.dawn()).unclaimed();
        making.spawn(async move { store.create(run, first).await.expect("a new run") });
    }
    making.join_all().await;
    queue(&scene, "bob", 1).await;
    let rows = claim(&scene, 2).await;
    assert!(names(&rows).contains(&"bob-0"), "{:?}", names(&rows));
    assert_eq!(claim(&scene, 999).await.len(), 999, "all others follow");
}

/// Nobody has a run under way whenever such a worker claims one.
pub async fn nor_does_it_where_a_worker_has_one_place(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    queue(&scene, "ada", 5).await;
    close(&scene, &claim(&scene, 1).await[0]).await;
    queue(&scene, "bob", 1).await;
    let mut order = Vec::new();
    while let Some(row) = claim(&scene, 1).await.first() {
        close(&scene, row).await;
        order.push(row.id.to_string());
    }
    assert_eq!(order, ["bob-0", "ada-1", "ada-2", "ada-3", "ada-4"]);
}

pub async fn owners_get_equal_shares_of_a_small_worker(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for owner in ["ada", "bob", "cy"] {
        queue(&scene, owner, 6).await;
    }
    // A worker with three places, one of which is free at a time.
    let mut held = claim(&scene, 3).await;
    assert_eq!(names(&held), ["ada-0", "bob-0", "cy-0"]);
    for round in 0..9 {
        let done = held.remove(0);
        close(&scene, &done).await;
        held.extend(claim(&scene, 1).await);
        let owners: BTreeSet<_> = held.iter().map(|row| row.owner.clone()).collect();
        assert_eq!(owners.len(), 3, "round {round}");
    }
    // And one that takes many at once.
    let rows = claim(&scene, 6).await;
    for owner in ["ada", "bob", "cy"] {
        let share = rows.iter().filter(|row| row.owner == Owner::new(owner)).count();
        assert_eq!(share, 2, "{:?}", names(&rows));
    }
}

/// Also if they are in other hands, and were taken by name.
pub async fn whoever_has_the_fewest_runs_under_way_goes_first(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for (run, holder) in [("bob-x", "w2"), ("bob-y", "w3"), ("ada-x", "w1")] {
        scene.make_held(run_of_owner(run), holder).await;
    }
    for owner in ["bob", "ada", "cy"] {
        queue(&scene, owner, 3).await;
    }
    assert_eq!(
        names(&claim(&scene, 7).await),
        ["cy-0", "ada-0", "cy-1", "ada-1", "bob-0", "cy-2", "ada-2"]
    );
}

/// Else whoever gives all runs the highest priority would be the only one.
pub async fn priority_counts_among_the_runs_of_one_owner_only(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let runs = [("bob-low", 0), ("ada-low", 1), ("bob-high", 2), ("ada-high", 9), ("ada-top", 10)];
    for (run, priority) in runs {
        scene.make(NewRun { priority, ..run_of_owner(run) }).await;
    }
    assert_eq!(
        names(&claim(&scene, 9).await),
        ["ada-top", "bob-high", "ada-high", "bob-low", "ada-low"]
    );
}

pub async fn an_owner_alone_fills_all_places(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    queue(&scene, "ada", 6).await;
    scene.make_held(run_of_owner("bob-x"), "w2").await;
    assert_eq!(names(&claim(&scene, 4).await), ["ada-0", "ada-1", "ada-2", "ada-3"]);
    assert_eq!(names(&claim(&scene, 4).await), ["ada-4", "ada-5"]);
}

pub async fn what_others_leave_is_for_whoever_has_more(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    queue(&scene, "ada", 9).await;
    queue(&scene, "bob", 1).await;
    queue(&scene, "cy", 2).await;
    assert_eq!(
        names(&claim(&scene, 8).await),
        ["ada-0", "bob-0", "cy-0", "ada-1", "cy-1", "ada-2", "ada-3", "ada-4"]
    );
}

pub async fn a_run_whose_instant_has_come_has_its_owners_turn(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    queue(&scene, "ada", 3).await;
    for (run, instant) in [("bob-due", At(100)), ("ada-due", At(50)), ("cy-later", At(200))] {
        let row = scene.make_held(run_of_owner(run), "starter").await;
        scene.step(&row, Draft::after(&row).parked_until(instant)).await;
    }
    assert_eq!(
        names(&claim_at(&scene, 9, At(100)).await),
        ["ada-0", "bob-due", "ada-1", "ada-2", "ada-due"]
    );
}

pub async fn owners_without_a_run_for_the_worker_have_no_turn(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for number in 0..40 {
        let placement = Placement::Host("there".into());
        scene.make(NewRun { placement, ..run_of_owner(&format!("ada{number}-far")) }).await;
        let workflow = "unknown".to_owned();
        scene.make(NewRun { workflow, ..run_of_owner(&format!("bob{number}-new")) }).await;
    }
    queue(&scene, "cy", 2).await;
    queue(&scene, "abe", 1).await;
    assert_eq!(names(&claim(&scene, 2).await), ["abe-0", "cy-0"]);
    assert_eq!(names(&claim(&scene, 2).await), ["cy-1"]);
}

pub async fn many_owners_have_a_turn_each_before_any_has_a_second(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    // The same for all, however they are spread over names and ages.
    let owners: Vec<_> = (0..90).map(|number| format!("owner{}", number * 37 % 90)).collect();
    for owner in &owners {
        queue(&scene, owner, 2).await;
    }
    for round in 0..2 {
        let mut served = BTreeSet::new();
        for _ in 0..owners.len() / 3 {
            for row in claim(&scene, 3).await {
                served.insert(row.owner.to_string());
                close(&scene, &row).await;
            }
        }
        assert_eq!(served.len(), owners.len(), "round {round}");
    }
    assert!(claim(&scene, 3).await.is_empty());
}

pub async fn turns_go_on_when_the_store_is_opened_again(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for owner in ["ada", "bob", "cy"] {
        queue(&scene, owner, 2).await;
    }
    for expected in ["ada-0", "bob-0", "cy-0", "ada-1", "bob-1", "cy-1"] {
        let scene = Scene::open(place).await;
        let rows = claim(&scene, 1).await;
        assert_eq!(names(&rows), [expected]);
        close(&scene, &rows[0]).await;
    }
}
