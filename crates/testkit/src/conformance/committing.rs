//! Cases about the holder of a run that commits steps.

use consign_engine::{
    AskKind, At, Epoch, Nanos, RunId, Seq, Status, WorkerId,
    store::{Claim, Error, Figures, Refusal, Row, Standing},
};
use tokio::task::JoinSet;

use super::{
    Scene, StorePlace,
    scene::{all_asks, refused},
};
use crate::draft::{Draft, advice, claim_of};

/// A step that touches everything there is.
fn full(row: &Row) -> Draft {
    Draft::after(row)
        .completes("call", "[1, 2]")
        .asks("more", AskKind::Approval)
        .withdraws("first")
        .reserves(5)
        .spends(2)
        .figures(Figures { spent: Nanos::new(2), reserved: Nanos::new(5), cap: None })
        .snapshot(r#"{"calls":1}"#)
        .parked_until(At(7))
}

/// A held run with an open ask, and a step for it that touches everything.
async fn ready(scene: &Scene) -> (Row, Draft) {
    let row = scene.held("one", "w1").await;
    let row = scene.step(&row, Draft::after(&row).asks("first", AskKind::Limit)).await;
    let draft = full(&row);
    (row, draft)
}

pub async fn a_step_is_written_whole(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let (before, draft) = ready(&scene).await;
    let commit = draft.clone().by(&claim_of(&before));
    let row = scene.step(&before, draft).await;

    let records = commit.step.records;
    let last = records.last().expect("it has events");
    assert_eq!((row.seq, row.head, row.at), (last.seq, last.hash, last.at));
    assert_eq!((row.status, row.worker, row.wake_at), (Status::Waiting, None, Some(At(7))));
    assert_eq!((row.figures, row.epoch), (commit.step.figures, before.epoch));
    assert_eq!(scene.events(&row.id, before.seq.next(), 9).await.expect("events"), records);
    let loaded = scene.load(&row.id).await.expect("the run is there");
    assert_eq!((Some(loaded.snapshot), loaded.tail), (commit.step.snapshot, Vec::new()));
    let account = scene.account(&row.owner).await.expect("an account");
    assert_eq!((account.spent, account.reserved), (Nanos::new(2), Nanos::new(5)));
    let open = scene.inbox(&all_asks()).await.expect("the inbox");
    assert_eq!(open.iter().map(|ask| ask.key.as_str()).collect::<Vec<_>>(), ["more"]);
}

pub async fn a_step_without_events_changes_only_the_standing(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let before = scene.held("one", "w1").await;
    let mut row = scene.step(&before, Draft::after(&before).parked_until(At(7))).await;
    assert_eq!((row.status, row.wake_at), (Status::Waiting, Some(At(7))));
    (row.status, row.wake_at, row.worker) = (Status::Running, None, before.worker.clone());
    assert_eq!(row, before);
}

pub async fn a_step_leaves_its_run_where_it_says(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let check = async |standing: Standing, status: Status, wake_at: Option<At>| {
        let name = format!("{standing:?}");
        let row = scene.held(&name, "w1").await;
        let row = scene.step(&row, Draft::after(&row).stands(standing)).await;
        let holder = (status == Status::Running).then(|| WorkerId::from("w1"));
        assert_eq!((row.status, row.wake_at, row.worker), (status, wake_at, holder), "{name}");
    };
    check(Standing::Held, Status::Running, None).await;
    check(Standing::Queued, Status::Queued, None).await;
    check(Standing::Parked { wake_at: None }, Status::Waiting, None).await;
    check(Standing::Parked { wake_at: Some(At(9)) }, Status::Waiting, Some(At(9))).await;
    for status in [Status::Succeeded, Status::Failed, Status::Cancelled] {
        check(Standing::Closed(status), status, None).await;
    }
}

pub async fn a_step_that_missed_an_event_is_refused(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let (row, draft) = ready(&scene).await;
    let newest = scene.brings(advice(&row, "wait")).await.seq;
    scene.refuses(draft.by(&claim_of(&row)), Refusal::Moved { newest }).await;
}

pub async fn a_step_that_was_written_already_is_refused(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    let draft = Draft::after(&row).completes("call", "1");
    let newest = scene.step(&row, draft.clone()).await.seq;
    scene.refuses(draft.by(&claim_of(&row)), Refusal::Moved { newest }).await;
}

pub async fn a_step_that_has_seen_what_is_not_there_is_refused(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let (row, draft) = ready(&scene).await;
    let mut commit = draft.by(&claim_of(&row));
    commit.seen = Seq(99);
    scene.refuses(commit, Refusal::Moved { newest: row.seq }).await;
}

pub async fn a_holder_of_an_older_epoch_is_fenced(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let (row, _) = ready(&scene).await;
    let old = claim_of(&row);
    let row = scene.step(&row, Draft::after(&row).queued()).await;
    let again = scene.claim_run(&old.worker, &row.id).await.expect("it is free").row;
    scene.refuses(full(&again).by(&old), Refusal::Fenced).await;
    scene.step(&again, full(&again)).await;
}

pub async fn a_holder_of_an_epoch_to_come_is_fenced(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let (row, draft) = ready(&scene).await;
    let claim = Claim { epoch: Epoch(row.epoch.0 + 1), ..claim_of(&row) };
    scene.refuses(draft.by(&claim), Refusal::Fenced).await;
}

pub async fn another_worker_is_fenced(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let (row, draft) = ready(&scene).await;
    let claim = Claim { worker: WorkerId::from("w2"), ..claim_of(&row) };
    scene.refuses(draft.by(&claim), Refusal::Fenced).await;
}

pub async fn whoever_let_a_run_go_is_fenced(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for standing in [Standing::Queued, Standing::Parked { wake_at: None }] {
        let row = scene.held(&format!("{standing:?}"), "w1").await;
        let free = scene.step(&row, Draft::after(&row).stands(standing)).await;
        scene.refuses(full(&free).by(&claim_of(&row)), Refusal::Fenced).await;
    }
}

pub async fn a_closed_run_takes_no_step(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for status in [Status::Succeeded, Status::Failed, Status::Cancelled] {
        let row = scene.held(status.as_str(), "w1").await;
        let closed = scene.step(&row, Draft::after(&row).closed(status)).await;
        scene.refuses(full(&closed).by(&claim_of(&row)), Refusal::Closed).await;
    }
}

pub async fn a_step_over_the_owners_cap_leaves_nothing(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let (row, draft) = ready(&scene).await;
    scene.caps("ada", 4).await;
    let headroom = Nanos::new(2);
    scene.refuses(draft.by(&claim_of(&row)), Refusal::OverCap { headroom }).await;
}

/// A holder that lost its run must let go of it, and not look again: so the graver reason is told.
pub async fn the_gravest_reason_is_told(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.caps("ada", 4).await;
    let (row, draft) = ready(&scene).await;
    let stranger = Claim { worker: WorkerId::from("w2"), ..claim_of(&row) };
    let moved = scene.brings(advice(&row, "wait")).await;

    let newest = moved.seq;
    scene.refuses(draft.clone().by(&claim_of(&row)), Refusal::Moved { newest }).await;
    scene.refuses(draft.clone().by(&stranger), Refusal::Fenced).await;
    scene.step(&moved, Draft::after(&moved).closed(Status::Failed)).await;
    scene.refuses(draft.by(&stranger), Refusal::Closed).await;
}

/// They may share a transaction with those that are refused.
pub async fn a_refused_step_spares_the_others(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let mut steps = JoinSet::new();
    for number in 0..40 {
        let row = scene.held(&format!("run-{number}"), "w1").await;
        let mut claim = claim_of(&row);
        if number % 3 == 0 {
            claim.epoch = Epoch(99);
        }
        let (store, commit) = (scene.store.clone(), full(&row).by(&claim));
        steps.spawn(async move { (number, store.commit(commit).await) });
    }
    while let Some(step) = steps.join_next().await {
        let (number, result) = step.expect("no step panics");
        let row = scene.see(&RunId::new(format!("run-{number}"))).await;
        if number % 3 == 0 {
            assert!(matches!(result, Err(Error::Refused(Refusal::Fenced))), "{number}: {result:?}");
            assert_eq!((row.seq, row.status), (Seq(0), Status::Running), "{number}");
        } else {
            assert!(result.is_ok(), "{number}: {result:?}");
            assert_eq!((row.seq, row.status), (Seq(3), Status::Waiting), "{number}");
        }
    }
    let account = scene.account(&"ada".into()).await.expect("an account");
    assert_eq!((account.spent, account.reserved), (Nanos::new(26 * 2), Nanos::new(26 * 5)));
}

/// A holder that sends the same step twice, because it heard nothing, writes it once.
pub async fn of_many_steps_at_once_one_is_written(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    let mut steps = JoinSet::new();
    for number in 0..20 {
        let draft = Draft::after(&row).completes("call", number.to_string()).spends(1);
        let (store, commit) = (scene.store.clone(), draft.by(&claim_of(&row)));
        steps.spawn(async move { store.commit(commit).await });
    }
    let results = steps.join_all().await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    for result in results.into_iter().filter(Result::is_err) {
        refused(result, &Refusal::Moved { newest: Seq(1) });
    }
    assert_eq!(scene.see(&row.id).await.seq, Seq(1));
    assert_eq!(scene.account(&row.owner).await.expect("an account").spent, Nanos::new(1));
}
