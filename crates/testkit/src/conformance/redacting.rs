//! Cases about redactions: what a closed run said and heard is erased, and that it ran stays.

use consign_engine::{
    AskKind, Nanos, Seq, Status,
    journal::{Body, Chain, Content},
    store::{Error, Figures, InboxQuery, Refusal, Row},
};
use tokio::task::JoinSet;

use super::{Scene, StorePlace, scene::all_asks};
use crate::draft::{Draft, advice, answer, claim_of, erasure};

/// A run that asked twice, was answered once, spent something and is over.
async fn talked(scene: &Scene, run: &str) -> Row {
    let row = scene.held(run, "w1").await;
    let asked = Draft::after(&row).asks("first", AskKind::Approval);
    let row = scene.step(&row, asked.asks("second", AskKind::Approval)).await;
    let row = scene.brings(answer(&row, "first", "true")).await;
    let figures = Figures { spent: Nanos::new(7), ..Figures::default() };
    let end =
        Draft::after(&row).completes("call", r#""a secret""#).snapshot(r#"{"kept":"secret"}"#);
    let end = end.labelled(Some("done")).spends(7).figures(figures);
    scene.step(&row, end.closed(Status::Succeeded)).await
}

async fn redacts(scene: &Scene, row: &Row) -> Row {
    assert!(scene.redact(erasure(row)).await.expect("a redaction"), "it was redacted before");
    scene.see(&row.id).await
}

pub async fn what_a_closed_run_said_is_erased_and_the_rest_stays(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let before = talked(&scene, "one").await;
    let told = scene.events(&before.id, Seq(0), 99).await.expect("events");
    let after = redacts(&scene, &before).await;
    let record = erasure(&before).record;
    let (seq, head, at) = (record.seq, record.hash, record.at);
    assert_eq!(after, Row { seq, head, at, redacted: true, ..before.clone() });
    let mut kept = scene.events(&before.id, Seq(0), 99).await.expect("events");
    assert_eq!(kept.pop(), Some(record));
    assert_eq!(kept.len(), told.len());
    for (kept, mut told) in kept.into_iter().zip(told) {
        told.content = Content::Redacted(told.content.commitment());
        assert_eq!(kept, told);
    }
    assert_eq!(scene.account(&before.owner).await.expect("an account").spent, Nanos::new(7));
    assert_eq!(scene.rows().await, [after]);
}

pub async fn the_chain_of_a_redacted_run_holds(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = talked(&scene, "one").await;
    let row = redacts(&scene, &row).await;
    let mut chain = Chain::default();
    let records = scene.events(&row.id, Seq(0), 99).await.expect("events");
    for record in &records {
        chain.take(record).expect("it follows from the one before");
    }
    assert_eq!(chain.head(), Some((row.seq, row.head)));
    let last = records.last().expect("events").body().expect("an event that can be read");
    assert!(matches!(last, Some(Body::Redacted(_))), "{last:?}");
    let page = scene.events_within(&row.id, Seq(1), 99, 1).await.expect("events");
    assert_eq!(page, records[1..], "what is erased has no size");
}

pub async fn a_redacted_run_has_no_state_and_no_asks(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = talked(&scene, "one").await;
    redacts(&scene, &row).await;
    let loaded = scene.load(&row.id).await;
    assert!(matches!(&loaded, Err(Error::Redacted(run)) if *run == row.id), "{loaded:?}");
    for key in ["first", "second"] {
        assert_eq!(scene.interaction(&row.id, &key.into()).await.expect("an answer"), None);
    }
    assert_eq!(scene.inbox(&all_asks()).await.expect("asks"), []);
    let answered = InboxQuery { answered: true, ..all_asks() };
    assert_eq!(scene.inbox(&answered).await.expect("asks"), []);
}

pub async fn a_redaction_is_refused_while_the_run_is_not_over(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let rows =
        [scene.queued("one").await, scene.held("two", "w1").await, scene.waiting("three").await];
    let before = scene.contents().await;
    for row in &rows {
        super::scene::refused(scene.redact(erasure(row)).await, &Refusal::Open);
    }
    assert_eq!(scene.contents().await, before);
}

pub async fn a_redaction_that_missed_an_event_is_refused(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = talked(&scene, "one").await;
    let before = scene.contents().await;
    let mut erasure = erasure(&row);
    erasure.seen = Seq(row.seq.0 - 1);
    let newest = row.seq;
    super::scene::refused(scene.redact(erasure).await, &Refusal::Moved { newest });
    assert_eq!(scene.contents().await, before);
}

pub async fn a_redaction_of_no_run_is_refused(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let mut row = talked(&scene, "one").await;
    row.id = "missing".into();
    let missing = scene.redact(erasure(&row)).await;
    assert!(matches!(&missing, Err(Error::NotFound(run)) if *run == row.id), "{missing:?}");
}

pub async fn a_second_redaction_changes_nothing(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let first = talked(&scene, "one").await;
    let row = redacts(&scene, &first).await;
    let before = scene.contents().await;
    for seen in [&first, &row] {
        assert!(!scene.redact(erasure(seen)).await.expect("nothing is wrong"));
        assert_eq!(scene.contents().await, before);
    }
}

pub async fn of_many_redactions_at_once_one_is_written(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = talked(&scene, "one").await;
    let mut tries = JoinSet::new();
    for _ in 0..20 {
        let (store, erasure) = (scene.store.clone(), erasure(&row));
        tries.spawn(async move { store.redact(erasure).await });
    }
    let mut done = 0;
    while let Some(result) = tries.join_next().await {
        match result.expect("no panic") {
            Ok(wrote) => done += u32::from(wrote),
            // Another one came between its look and its write.
            Err(Error::Refused(Refusal::Moved { .. })) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(done, 1);
    let events = scene.events(&row.id, Seq(0), 99).await.expect("events");
    assert_eq!(events.iter().filter(|record| record.kind == "redacted").count(), 1);
}

pub async fn other_runs_keep_what_they_said(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    talked(&scene, "one").await;
    let row = talked(&scene, "two").await;
    talked(&scene, "three").await;
    let open = scene.held("four", "w1").await;
    scene.step(&open, Draft::after(&open).asks("open", AskKind::Approval)).await;
    let mut before = Vec::new();
    for id in ["one", "three", "four"] {
        let events = scene.events(&id.into(), Seq(0), 99).await.expect("events");
        before.push((scene.load(&id.into()).await.expect("it is whole").snapshot, events));
    }
    redacts(&scene, &row).await;
    for (id, (snapshot, events)) in ["one", "three", "four"].into_iter().zip(before) {
        assert_eq!(scene.events(&id.into(), Seq(0), 99).await.expect("events"), events);
        assert_eq!(scene.load(&id.into()).await.expect("it is whole").snapshot, snapshot);
    }
    assert_eq!(scene.inbox(&all_asks()).await.expect("asks").len(), 1);
    let answered = InboxQuery { answered: true, ..all_asks() };
    assert_eq!(scene.inbox(&answered).await.expect("asks").len(), 2);
}

pub async fn a_redacted_run_takes_nothing_and_is_given_to_nobody(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let held = scene.held("one", "w1").await;
    let claim = claim_of(&held);
    let row = scene.step(&held, Draft::after(&held).closed(Status::Failed)).await;
    let row = redacts(&scene, &row).await;
    scene.sends_back(advice(&row, "psst"), Refusal::Closed).await;
    scene.refuses(Draft::after(&row).by(&claim), Refusal::Closed).await;
    super::scene::refused(scene.claim_run(&"w2".into(), &row.id).await, &Refusal::Closed);
}

pub async fn a_redacted_run_stays_so_when_the_store_is_opened_again(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = talked(&scene, "one").await;
    redacts(&scene, &row).await;
    let before = scene.contents().await;
    drop(scene);
    let scene = Scene::open(place).await;
    assert_eq!(scene.contents().await, before);
    assert!(!scene.redact(erasure(&row)).await.expect("nothing is wrong"));
}
