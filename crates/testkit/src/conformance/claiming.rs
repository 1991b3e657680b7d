//! Cases about workers that claim runs.

use std::collections::BTreeSet;

use consign_engine::{
    At, Placement, RunId, Status, WorkerId,
    store::{Loaded, NewRun, Refusal, Row, Wanted},
};
use tokio::task::JoinSet;

use super::{
    Scene, StorePlace,
    scene::{anything, refused},
};
use crate::draft::{DAWN, Draft, WORKFLOW, advice, claim_of, new_run};

/// Worker `w1` takes what it can, and the runs are named in the order in which it got them.
async fn taken(scene: &Scene, wanted: &Wanted, most: usize, now: At) -> Vec<String> {
    let claimed = scene.claim(&"w1".into(), wanted, most, now).await.expect("a claim").runs;
    claimed.into_iter().map(|loaded| loaded.row.id.to_string()).collect()
}

pub async fn the_highest_priority_goes_first_and_then_the_oldest(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for (name, priority) in [("e", 0), ("a", 5), ("z", 0), ("f", -5), ("b", 5), ("c", i32::MAX)] {
        scene.make(NewRun { priority, ..new_run(name) }).await;
    }
    assert_eq!(taken(&scene, &anything(), 9, DAWN).await, ["c", "a", "b", "e", "z", "f"]);
}

pub async fn no_more_are_taken_than_wanted(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for name in ["a", "b", "c"] {
        scene.queued(name).await;
    }
    assert_eq!(taken(&scene, &anything(), 0, DAWN).await, [""; 0]);
    assert_eq!(taken(&scene, &anything(), 2, DAWN).await, ["a", "b"]);
    assert_eq!(taken(&scene, &anything(), 2, DAWN).await, ["c"]);
    assert_eq!(taken(&scene, &anything(), 2, DAWN).await, [""; 0]);
}

pub async fn a_claimed_run_comes_with_all_that_its_holder_needs(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "starter").await;
    let row = scene.step(&row, Draft::after(&row).completes("a", "1").snapshot("[1]")).await;
    let row = scene.step(&row, Draft::after(&row).completes("b", "2").parked_until(At(5))).await;
    let before = scene.brings(advice(&row, "be brief")).await;

    let claimed = scene.claim(&"w1".into(), &anything(), 1, DAWN).await.expect("a claim").runs;
    let Ok([Loaded { row, snapshot, tail }]) = <[Loaded; 1]>::try_from(claimed) else {
        panic!("one run was free");
    };
    assert_eq!((row.status, row.wake_at), (Status::Running, None));
    assert_eq!(row.worker, Some(WorkerId::from("w1")));
    assert!(row.epoch > before.epoch, "a claim begins a new epoch");
    assert_eq!((row.seq, row.head, row.at), (before.seq, before.head, before.at));
    assert_eq!(snapshot.state.as_str(), "[1]");
    let journal = scene.events(&row.id, snapshot.seq.next(), 9).await.expect("events");
    assert_eq!((tail.len(), tail), (2, journal));
    assert_eq!(row, scene.see(&row.id).await);
    scene.step(&row, Draft::after(&row).completes("c", "3")).await;
}

pub async fn each_claim_begins_a_new_epoch(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let mut newest = scene.queued("one").await;
    for _ in 0..3 {
        let claimed = scene.claim(&"w1".into(), &anything(), 1, DAWN).await.expect("a claim").runs;
        let row = claimed.first().expect("the run is free").row.clone();
        assert!(row.epoch > newest.epoch);
        newest = scene.step(&row, Draft::after(&row).queued()).await;
    }
}

pub async fn only_wanted_workflows_are_taken(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for workflow in ["letters", "Letters", "poems", "études"] {
        scene.make(NewRun { workflow: workflow.to_owned(), ..new_run(workflow) }).await;
    }
    let wanted = |workflows: &[&str]| Wanted {
        workflows: workflows.iter().map(|name| ((*name).to_owned(), 1)).collect(),
        host: None,
    };
    assert_eq!(taken(&scene, &wanted(&[]), 9, DAWN).await, [""; 0]);
    assert_eq!(taken(&scene, &wanted(&["prose", "études"]), 9, DAWN).await, ["études"]);
    assert_eq!(taken(&scene, &wanted(&["poems", "letters"]), 9, DAWN).await, ["letters", "poems"]);
}

/// Old and new programs work side by side while a new one is brought in.
pub async fn a_run_of_a_newer_program_is_left_to_others(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for version in 1..=3 {
        scene.make(NewRun { version, ..new_run(format!("v{version}")) }).await;
    }
    let knows = |newest| Wanted { workflows: [(WORKFLOW.to_owned(), newest)].into(), host: None };
    assert_eq!(taken(&scene, &knows(0), 9, DAWN).await, [""; 0]);
    assert_eq!(taken(&scene, &knows(2), 9, DAWN).await, ["v1", "v2"]);
    let row = scene.see(&"v1".into()).await;
    let row = scene.step(&row, Draft::after(&row).upgrades(3).parked_until(At(100))).await;
    assert_eq!(row.version, 3);
    for newest in [2, 3] {
        let next = scene.next_wake(&knows(newest)).await.expect("an instant");
        assert_eq!(next, (newest == 3).then_some(At(100)));
    }
    assert_eq!(taken(&scene, &knows(2), 9, At(100)).await, [""; 0]);
    assert_eq!(taken(&scene, &knows(3), 9, At(100)).await, ["v1", "v3"]);
}

/// A run for each placement, under the placement's own name.
async fn placed(scene: &Scene, wake_at: impl Fn(&str) -> Option<At>) {
    for name in ["foreground", "here_only", "anywhere", "host:here", "host:there"] {
        let placement = Placement::from_word(name).expect("a placement");
        let row = scene.make_held(NewRun { placement, ..new_run(name) }, "starter").await;
        let draft = Draft::after(&row);
        let draft = wake_at(name).map_or(draft.clone().queued(), |at| draft.parked_until(at));
        scene.step(&row, draft).await;
    }
}

pub async fn a_worker_takes_what_is_placed_anywhere_or_at_its_host(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    placed(&scene, |_| None).await;
    assert_eq!(taken(&scene, &anything(), 9, DAWN).await, ["foreground", "anywhere"]);
    let here = Wanted { host: Some("here".into()), ..anything() };
    assert_eq!(taken(&scene, &here, 9, DAWN).await, ["host:here"]);
    let here_only = scene.see(&"here_only".into()).await;
    assert_eq!(here_only.status, Status::Queued, "that is for a command that knows its name");
}

/// A run in the foreground, in the care of the command whose worker is `w1`.
async fn in_the_foreground(scene: &Scene, run: &str) -> Row {
    let (placement, keeper) = (Placement::Foreground, Some("w1".into()));
    scene.make_held(NewRun { placement, keeper, ..new_run(run) }, "w1").await
}

pub async fn a_foreground_run_is_its_commands_while_that_lives(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let alive = scene.enlist(&"w1".into()).await.expect("a place among the living");
    for run in ["answered", "due"] {
        let row = in_the_foreground(&scene, run).await;
        scene.step(&row, Draft::after(&row).parked_until(At(100))).await;
    }
    let row = scene.see(&"answered".into()).await;
    scene.brings(advice(&row, "be brief")).await;
    assert_eq!(taken(&scene, &anything(), 9, At(100)).await, [""; 0]);
    drop(alive);
    assert_eq!(taken(&scene, &anything(), 9, At(99)).await, ["answered"]);
    assert_eq!(taken(&scene, &anything(), 9, At(100)).await, ["due"]);
}

pub async fn a_foreground_run_that_was_interrupted_waits_for_a_command(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = in_the_foreground(&scene, "stopped").await;
    scene.step(&row, Draft::after(&row).queued()).await;
    let row = scene.see(&row.id).await;
    assert!(row.interrupted);
    assert_eq!(taken(&scene, &anything(), 9, DAWN).await, [""; 0]);
    // Something new is a reason to go on.
    scene.brings(advice(&row, "go on")).await;
    assert!(!scene.see(&row.id).await.interrupted);
    assert_eq!(taken(&scene, &anything(), 9, DAWN).await, ["stopped"]);
}

pub async fn a_foreground_run_that_a_worker_took_over_is_the_workers(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = in_the_foreground(&scene, "one").await;
    let row = scene.step(&row, Draft::after(&row).parked()).await;
    scene.brings(advice(&row, "go on")).await;
    let claimed = scene.claim(&"w2".into(), &anything(), 9, DAWN).await.expect("a claim");
    let row = claimed.runs[0].row.clone();
    // Its worker stops: any other goes on.
    scene.step(&row, Draft::after(&row).queued()).await;
    assert!(!scene.see(&row.id).await.interrupted);
    assert_eq!(taken(&scene, &anything(), 9, DAWN).await, ["one"]);
}

pub async fn a_run_that_waits_is_taken_when_its_instant_has_come(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.waiting_until("soon", At(100)).await;
    scene.waiting_until("later", At(101)).await;
    scene.waiting("never").await;
    assert_eq!(taken(&scene, &anything(), 9, At(99)).await, [""; 0]);
    assert_eq!(taken(&scene, &anything(), 9, At(100)).await, ["soon"]);
    assert_eq!(taken(&scene, &anything(), 9, At(i64::MAX)).await, ["later"]);
}

/// Else a queue that never runs dry would keep those that wait from their instant.
pub async fn a_run_whose_instant_has_come_takes_its_place_among_the_queued(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.make(NewRun { priority: 1, ..new_run("urgent") }).await;
    scene.waiting_until("elder", At(100)).await;
    scene.queued("younger").await;
    let row = scene.make_held(NewRun { priority: 2, ..new_run("first") }, "starter").await;
    scene.step(&row, Draft::after(&row).parked_until(At(50))).await;
    assert_eq!(taken(&scene, &anything(), 3, At(100)).await, ["first", "urgent", "elder"]);
}

pub async fn what_is_held_or_closed_is_not_taken(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.held("held", "w2").await;
    scene.held("mine", "w1").await;
    scene.closed("closed").await;
    assert_eq!(taken(&scene, &anything(), 9, At(i64::MAX)).await, [""; 0]);
}

pub async fn no_two_workers_get_the_same_run(place: &dyn StorePlace) {
    let (here, there) = (Scene::open(place).await, Scene::open(place).await);
    for number in 0..40 {
        here.queued(&format!("run-{number}")).await;
    }
    let mut workers = JoinSet::new();
    for number in 0..16 {
        let peer = if number % 2 == 0 { &here } else { &there };
        let (store, worker) = (peer.store.clone(), WorkerId::new(format!("w{number}")));
        workers.spawn(async move {
            let mut mine = Vec::new();
            loop {
                let claimed =
                    store.claim(&worker, &anything(), 3, DAWN).await.expect("a claim").runs;
                if claimed.is_empty() {
                    return mine;
                }
                assert!(claimed.iter().all(|one| one.row.worker.as_ref() == Some(&worker)));
                mine.extend(claimed.into_iter().map(|loaded| loaded.row.id));
            }
        });
    }
    let claimed: Vec<RunId> = workers.join_all().await.into_iter().flatten().collect();
    assert_eq!(claimed.len(), 40);
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>().len(), 40);
}

pub async fn a_run_can_be_claimed_by_name(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let _alive = scene.enlist(&"w1".into()).await.expect("a place among the living");
    placed(&scene, |_| None).await;
    let waiting = scene.waiting_until("waiting", At(i64::MAX)).await;
    for name in ["foreground", "anywhere", "host:there", waiting.id.as_str()] {
        let before = scene.see(&name.into()).await;
        let loaded = scene.claim_run(&"w1".into(), &before.id).await.expect("it is free");
        assert_eq!((loaded.row.status, loaded.row.wake_at), (Status::Running, None), "{name}");
        assert_eq!(loaded.row.worker, Some(WorkerId::from("w1")), "{name}");
        assert!(loaded.row.epoch > before.epoch, "{name}");
        assert_eq!(loaded.row, scene.see(&before.id).await, "{name}");
        scene.step(&loaded.row, Draft::after(&loaded.row).completes("a", "1")).await;
    }
}

pub async fn a_run_that_a_live_worker_has_is_not_given_away(place: &dyn StorePlace) {
    let (here, there) = (Scene::open(place).await, Scene::open(place).await);
    let _alive = here.enlist(&"w1".into()).await.expect("a place among the living");
    let row = here.held("one", "w1").await;
    let held = Refusal::Held { by: WorkerId::from("w1") };
    for (peer, worker) in [(&here, "w2"), (&there, "w2"), (&here, "w1")] {
        let result = peer.claim_run(&worker.into(), &row.id).await;
        refused(result, &held);
    }
    assert_eq!(here.see(&row.id).await, row);
}

pub async fn a_run_that_a_dead_worker_has_is_given_away(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let alive = scene.enlist(&"w1".into()).await.expect("a place among the living");
    let before = scene.held("one", "w1").await;
    drop(alive);
    let row = scene.claim_run(&"w2".into(), &before.id).await.expect("its holder is dead").row;
    assert!(row.epoch > before.epoch);
    scene.refuses(Draft::after(&row).by(&claim_of(&before)), Refusal::Fenced).await;
}

pub async fn a_closed_run_is_given_to_nobody(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.closed("one").await;
    let before = scene.contents().await;
    refused(scene.claim_run(&"w1".into(), &row.id).await, &Refusal::Closed);
    assert_eq!(scene.contents().await, before);
}

pub async fn of_many_who_want_one_run_one_gets_it(place: &dyn StorePlace) {
    let (here, there) = (Scene::open(place).await, Scene::open(place).await);
    let run = here.waiting("one").await.id;
    let (mut alive, mut commands) = (Vec::new(), JoinSet::new());
    for number in 0..10 {
        let worker = WorkerId::new(format!("w{number}"));
        let peer = if number % 2 == 0 { &here } else { &there };
        alive.push(peer.enlist(&worker).await.expect("a place among the living"));
        let (store, run) = (peer.store.clone(), run.clone());
        commands.spawn(async move { store.claim_run(&worker, &run).await });
    }
    let (won, lost): (Vec<_>, Vec<_>) =
        commands.join_all().await.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    let by = here.see(&run).await.worker.expect("somebody has it");
    for result in lost {
        refused(result, &Refusal::Held { by: by.clone() });
    }
}

pub async fn the_next_instant_is_the_earliest_that_anybody_wanted_waits_for(
    place: &dyn StorePlace,
) {
    let scene = Scene::open(place).await;
    assert_eq!(scene.next_wake(&anything()).await.expect("an instant"), None);
    placed(&scene, |name| match name {
        "here_only" => Some(At(10)),
        "foreground" => Some(At(50)),
        "host:there" => Some(At(20)),
        "host:here" => Some(At(30)),
        _ => Some(At(40)),
    })
    .await;
    scene.waiting("no-instant").await;
    let poems = Wanted { workflows: [("poems".to_owned(), 1)].into(), host: None };
    let here = Wanted { host: Some("here".into()), ..anything() };
    assert_eq!(scene.next_wake(&poems).await.expect("an instant"), None);
    assert_eq!(scene.next_wake(&anything()).await.expect("an instant"), Some(At(40)));
    assert_eq!(scene.next_wake(&here).await.expect("an instant"), Some(At(30)));
}

pub async fn a_run_that_no_longer_waits_has_no_instant(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let claimed = scene.waiting_until("claimed", At(10)).await;
    scene.claim_run(&"w1".into(), &claimed.id).await.expect("it is free");
    let queued = scene.waiting_until("queued", At(20)).await;
    scene.brings(advice(&queued, "be brief")).await;
    assert_eq!(scene.next_wake(&anything()).await.expect("an instant"), None);
}
