//! Cases about creating runs.

use consign_engine::{
    AskKind, At, Data, Epoch, Nanos, RunId, Seq, Status, WorkerId,
    store::{Error, Figures, Refusal},
};

use super::{
    Scene, StorePlace,
    scene::{all_asks, refused},
};
use crate::draft::{DAWN, Draft, advice, claim_of, new_run};

pub async fn a_run_that_nobody_claims_is_queued(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.queued("one").await;
    assert_eq!((row.status, row.worker, row.wake_at), (Status::Queued, None, None));
}

/// The first epoch is 1, so that a creator knows its claim without asking for it.
pub async fn a_run_can_be_held_from_the_start(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    assert_eq!((row.status, &row.worker), (Status::Running, &Some(WorkerId::from("w1"))));
    assert_eq!(row.epoch, Epoch(1));
    scene.step(&row, Draft::after(&row).completes("call", "1")).await;
}

/// Nobody need hold a run to see that it has nothing to do yet.
pub async fn a_run_can_begin_by_waiting(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let run = new_run("one");
    let draft = Draft::first(&run, DAWN).asks("start", AskKind::Approval);
    scene.create(run.clone(), draft.parked_until(At(7)).unclaimed()).await.expect("a new run");
    let row = scene.see(&run.id).await;
    assert_eq!((row.status, row.worker, row.wake_at), (Status::Waiting, None, Some(At(7))));
    scene.claim_run(&"w1".into(), &run.id).await.expect("it is free");
}

pub async fn a_run_can_be_over_as_it_begins(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let run = new_run("one");
    let draft = Draft::first(&run, DAWN).asks("start", AskKind::Approval);
    let first = draft.closed(Status::Failed).unclaimed();
    scene.create(run.clone(), first).await.expect("a new run");
    assert_eq!(scene.see(&run.id).await.status, Status::Failed);
    assert_eq!(scene.inbox(&all_asks()).await.expect("the inbox"), []);
    refused(scene.claim_run(&"w1".into(), &run.id).await, &Refusal::Closed);
}

pub async fn a_run_begins_with_all_of_its_first_step(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let run = new_run("one");
    let figures =
        Figures { reserved: Nanos::new(7), cap: Some(Nanos::new(9)), ..Figures::default() };
    let draft = Draft::first(&run, DAWN).reserves(7).figures(figures);
    let first = draft.asks("start", AskKind::Approval).unclaimed();
    let records = first.step.records.clone();
    scene.create(run.clone(), first).await.expect("a new run");

    let loaded = scene.load(&run.id).await.expect("the run is there");
    let row = loaded.row;
    assert_eq!(
        (row.workflow, row.version, row.owner),
        (run.workflow, run.version, run.owner.clone())
    );
    assert_eq!((row.placement, row.priority), (run.placement, run.priority));
    assert_eq!((row.seq, row.head), (Seq(1), records[1].hash));
    assert_eq!((row.created_at, row.at), (records[0].at, records[1].at));
    assert_eq!(row.figures, figures);
    assert_eq!(loaded.snapshot.state.as_str(), r#"{"new":true}"#);
    assert_eq!(loaded.tail, records[1..]);
    assert_eq!(scene.account(&run.owner).await.expect("an account").reserved, Nanos::new(7));
    let ask = scene.interaction(&run.id, &"start".into()).await.expect("an answer");
    assert!(ask.is_some(), "what a first step asks is in the inbox");
}

pub async fn a_second_run_of_the_same_name_is_refused(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.held("one", "w1").await;
    let before = scene.contents().await;

    let run = new_run("one");
    let first = Draft::first(&run, DAWN).completes("call", "2").reserves(5).held_by("w2");
    let result = scene.create(run, first).await;
    assert!(matches!(&result, Err(Error::Exists(run)) if run.as_str() == "one"), "{result:?}");
    assert_eq!(scene.contents().await, before);
}

pub async fn a_creation_over_the_owners_cap_leaves_no_run(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.caps("ada", 10).await;
    let before = scene.contents().await;

    let run = new_run("one");
    let first = Draft::first(&run, DAWN).reserves(11).asks("start", AskKind::Approval).unclaimed();
    let headroom = Nanos::new(10);
    refused(scene.create(run.clone(), first).await, &Refusal::OverCap { headroom });
    assert!(matches!(scene.row(&run.id).await, Err(Error::NotFound(_))));
    assert_eq!(scene.interaction(&run.id, &"start".into()).await.expect("an answer"), None);
    assert_eq!(scene.contents().await, before);
}

pub async fn a_run_that_was_never_made_is_not_found(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let mut row = scene.held("one", "w1").await;
    row.id = RunId::from("another");
    let (run, worker) = (&row.id, WorkerId::from("w1"));
    let check = |found: Result<Data, Error>| match found {
        Err(Error::NotFound(missing)) => assert_eq!(missing, *run),
        other => panic!("expected that it is not found, found {other:?}"),
    };
    let null = |()| Data::null();
    check(scene.row(run).await.map(|_| Data::null()));
    check(scene.load(run).await.map(|_| Data::null()));
    check(scene.events(run, Seq(0), 1).await.map(|_| Data::null()));
    check(scene.claim_run(&worker, run).await.map(|_| Data::null()));
    check(scene.deliver(advice(&row, "hello")).await.map(null));
    check(scene.commit(Draft::after(&row).by(&claim_of(&row))).await.map(null));
}
