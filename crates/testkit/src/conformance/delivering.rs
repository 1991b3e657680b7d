//! Cases about deliveries from outside, such as answers.

use std::slice::from_ref;

use consign_engine::{
    AskKind, At, Key, Nanos, Seq, Status,
    store::{AskState, Error, Figures, Refusal, Row},
};
use tokio::task::JoinSet;

use super::{
    Scene, StorePlace,
    scene::{all_asks, refused},
};
use crate::draft::{Draft, advice, answer, cancellation, claim_of, raise};

/// A run that waits for an answer under this key.
async fn asking(scene: &Scene, key: &str) -> Row {
    let row = scene.held("one", "w1").await;
    scene.step(&row, Draft::after(&row).asks(key, AskKind::Approval).parked()).await
}

async fn state(scene: &Scene, row: &Row, key: &str) -> Option<AskState> {
    let ask = scene.interaction(&row.id, &Key::from(key)).await.expect("an answer");
    ask.map(|ask| ask.state)
}

pub async fn a_delivery_is_written_and_queues_a_run_that_waits(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let before = scene.waiting_until("one", At(i64::MAX)).await;
    let delivery = advice(&before, "be brief");
    let record = delivery.record.clone();
    let row = scene.brings(delivery).await;
    assert_eq!((row.status, row.wake_at, row.worker), (Status::Queued, None, None));
    assert_eq!((row.seq, row.head, row.at), (record.seq, record.hash, record.at));
    assert_eq!((row.epoch, row.figures), (before.epoch, before.figures));
    assert_eq!(scene.events(&row.id, record.seq, 9).await.expect("events"), [record]);
}

pub async fn a_run_that_is_queued_stays_so(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.queued("one").await;
    assert_eq!(scene.brings(advice(&row, "be brief")).await.status, Status::Queued);
}

pub async fn a_holder_is_told_and_keeps_its_run(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let before = scene.held("one", "w1").await;
    scene.held("two", "w1").await;
    assert_eq!(scene.poked(&"w1".into()).await.expect("runs"), []);
    let row = scene.brings(cancellation(&before)).await;
    assert_eq!((row.status, row.worker, row.epoch), (Status::Running, before.worker, before.epoch));
    assert_eq!(scene.poked(&"w1".into()).await.expect("runs"), [row.id]);
    assert_eq!(scene.poked(&"w2".into()).await.expect("runs"), []);
}

pub async fn a_holder_that_has_seen_it_is_told_no_more(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let before = scene.held("one", "w1").await;
    let row = scene.brings(advice(&before, "be brief")).await;
    let late = Draft::after(&before).by(&claim_of(&before));
    scene.refuses(late, Refusal::Moved { newest: row.seq }).await;
    assert_eq!(scene.poked(&"w1".into()).await.expect("runs").as_slice(), from_ref(&row.id));
    scene.step(&row, Draft::after(&row)).await;
    assert_eq!(scene.poked(&"w1".into()).await.expect("runs"), []);
}

pub async fn the_next_holder_is_not_told_what_it_loads(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.waiting("one").await;
    let row = scene.brings(advice(&row, "be brief")).await;
    let loaded = scene.claim_run(&"w2".into(), &row.id).await.expect("it is free");
    assert_eq!(loaded.tail.last().map(|record| record.seq), Some(row.seq));
    assert_eq!(scene.poked(&"w2".into()).await.expect("runs"), []);
}

pub async fn a_delivery_that_missed_an_event_is_refused(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let before = asking(&scene, "ok").await;
    let newest = scene.brings(advice(&before, "be brief")).await.seq;
    scene.sends_back(advice(&before, "be long"), Refusal::Moved { newest }).await;
    scene.sends_back(answer(&before, "ok", "true"), Refusal::Moved { newest }).await;
}

pub async fn a_closed_run_takes_nothing(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.closed("one").await;
    scene.sends_back(advice(&row, "be brief"), Refusal::Closed).await;
    scene.sends_back(raise(&row, 5), Refusal::Closed).await;
}

pub async fn an_answer_ends_its_ask(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = asking(&scene, "ok").await;
    let row = scene.brings(answer(&row, "ok", "true")).await;
    assert_eq!(row.status, Status::Queued);
    assert_eq!(state(&scene, &row, "ok").await, Some(AskState::Answered));
    assert_eq!(scene.inbox(&all_asks()).await.expect("the inbox"), []);
}

pub async fn other_asks_stay_open(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = asking(&scene, "ok").await;
    let row = scene.claim_run(&"w1".into(), &row.id).await.expect("it is free").row;
    let row = scene.step(&row, Draft::after(&row).asks("sure", AskKind::Confirmation)).await;
    let row = scene.brings(advice(&row, "be brief")).await;
    let row = scene.brings(answer(&row, "ok", "true")).await;
    assert_eq!(state(&scene, &row, "sure").await, Some(AskState::Open));
}

pub async fn a_second_answer_is_refused(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = asking(&scene, "ok").await;
    let row = scene.brings(answer(&row, "ok", "true")).await;
    scene.sends_back(answer(&row, "ok", "true"), Refusal::NotOpen).await;
}

pub async fn an_ask_that_is_not_open_takes_no_answer(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    let draft = Draft::after(&row);
    let draft = draft.asks("late", AskKind::Approval).asks("gone", AskKind::Approval);
    let row = scene.step(&row, draft).await;
    let row = scene.step(&row, Draft::after(&row).expires("late").withdraws("gone")).await;
    assert_eq!(state(&scene, &row, "late").await, Some(AskState::Expired));
    assert_eq!(state(&scene, &row, "gone").await, Some(AskState::Withdrawn));
    assert_eq!(state(&scene, &row, "never").await, None);
    for key in ["late", "gone", "never"] {
        scene.sends_back(answer(&row, key, "true"), Refusal::NotOpen).await;
    }
}

/// The same key in another run is another ask.
pub async fn an_answer_is_for_its_own_run(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let one = asking(&scene, "ok").await;
    let two = scene.waiting("two").await;
    scene.sends_back(answer(&two, "ok", "true"), Refusal::NotOpen).await;
    assert_eq!(state(&scene, &one, "ok").await, Some(AskState::Open));
}

pub async fn of_twenty_answers_at_once_one_wins(place: &dyn StorePlace) {
    let (here, there) = (Scene::open(place).await, Scene::open(place).await);
    let row = asking(&here, "ok").await;
    let mut answers = JoinSet::new();
    for number in 0..20 {
        let peer = if number % 2 == 0 { &here } else { &there };
        let (store, delivery) = (peer.store.clone(), answer(&row, "ok", &number.to_string()));
        answers.spawn(async move { store.deliver(delivery).await });
    }
    let results = answers.join_all().await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    for result in results.into_iter().filter(Result::is_err) {
        refused(result, &Refusal::Moved { newest: row.seq.next() });
    }
    let journal = here.events(&row.id, Seq(0), 99).await.expect("events");
    assert_eq!(journal.iter().filter(|record| record.kind == "answered").count(), 1);
}

/// Each looks again when it is refused, as callers do, so that all of them come through.
pub async fn advice_from_many_at_once_is_all_written(place: &dyn StorePlace) {
    let (here, there) = (Scene::open(place).await, Scene::open(place).await);
    let run = here.waiting("one").await.id;
    let mut advisers = JoinSet::new();
    for number in 0..12 {
        let peer = if number % 2 == 0 { &here } else { &there };
        let (store, run) = (peer.store.clone(), run.clone());
        advisers.spawn(async move {
            loop {
                let row = store.row(&run).await.expect("the run is there");
                match store.deliver(advice(&row, &number.to_string())).await {
                    Ok(()) => break,
                    Err(Error::Refused(Refusal::Moved { newest })) => assert!(newest > row.seq),
                    Err(other) => panic!("{other}"),
                }
            }
        });
    }
    advisers.join_all().await;
    assert_eq!(here.see(&run).await.seq, Seq(12));
}

pub async fn a_delivery_can_set_the_cap_of_its_run(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    let figures = Figures { spent: Nanos::new(3), reserved: Nanos::new(4), cap: None };
    let row = scene.step(&row, Draft::after(&row).figures(figures).parked()).await;
    let raised = Figures { cap: Some(Nanos::new(50)), ..figures };
    let row = scene.brings(raise(&row, 50)).await;
    assert_eq!(row.figures, raised);
    assert_eq!(scene.brings(advice(&row, "be brief")).await.figures, raised);
    assert_eq!(scene.account(&row.owner).await.expect("an account").cap, None);
}
