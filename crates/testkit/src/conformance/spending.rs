//! Cases about what owners spend over all their runs.

use consign_engine::{
    AskKind, Nanos, Owner, Status,
    store::{Account, NewRun, Refusal, Row},
};
use tokio::task::JoinSet;

use super::{
    Scene, StorePlace,
    scene::{all_asks, refused},
};
use crate::draft::{Draft, answer, claim_of, new_run};

async fn account(scene: &Scene, owner: &str) -> (u64, u64) {
    let account = scene.account(&Owner::from(owner)).await.expect("an account");
    (account.spent.get(), account.reserved.get())
}

fn over(headroom: u64) -> Refusal {
    Refusal::OverCap { headroom: Nanos::new(headroom) }
}

pub async fn an_owner_nobody_heard_of_has_spent_nothing(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let account = scene.account(&"nobody".into()).await.expect("an account");
    assert_eq!(account, Account::default());
}

pub async fn what_all_runs_of_an_owner_do_adds_up(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let one = scene.held("one", "w1").await;
    let two = scene.held("two", "w1").await;
    let one = scene.step(&one, Draft::after(&one).reserves(10)).await;
    scene.step(&two, Draft::after(&two).reserves(20)).await;
    assert_eq!(account(&scene, "ada").await, (0, 30));
    scene.step(&one, Draft::after(&one).releases(10).spends(7)).await;
    assert_eq!(account(&scene, "ada").await, (7, 20));
}

pub async fn owners_do_not_share(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.caps("bob", 5).await;
    let one = scene.held("one", "w1").await;
    let run = NewRun { owner: "bob".into(), ..new_run("two") };
    let two = scene.make_held(run, "w1").await;
    scene.step(&one, Draft::after(&one).reserves(10)).await;
    scene.step(&two, Draft::after(&two).reserves(5)).await;
    assert_eq!(account(&scene, "ada").await, (0, 10));
    assert_eq!(account(&scene, "bob").await, (0, 5));
}

pub async fn all_owners_who_spent_or_are_capped_are_listed(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.caps("bob", 5).await;
    let row = scene.held("one", "w1").await;
    scene.step(&row, Draft::after(&row).reserves(10).spends(3)).await;
    let mut accounts = scene.accounts().await.expect("the accounts");
    accounts.sort_by(|one, other| one.0.cmp(&other.0));
    let ada = Account { spent: Nanos::new(3), reserved: Nanos::new(10), cap: None };
    let bob = Account { cap: Some(Nanos::new(5)), ..Account::default() };
    assert_eq!(accounts, [("ada".into(), ada), ("bob".into(), bob)]);
}

pub async fn an_owner_may_reserve_up_to_the_cap_and_no_more(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.caps("ada", 10).await;
    let row = scene.held("one", "w1").await;
    let row = scene.step(&row, Draft::after(&row).reserves(4).spends(3)).await;
    scene.refuses(Draft::after(&row).reserves(4).by(&claim_of(&row)), over(3)).await;
    let row = scene.step(&row, Draft::after(&row).reserves(3)).await;
    scene.refuses(Draft::after(&row).reserves(1).by(&claim_of(&row)), over(0)).await;
}

pub async fn what_nobody_can_price_needs_something_left(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    let row = scene.step(&row, Draft::after(&row).unmetered()).await;
    scene.caps("ada", 10).await;
    let row = scene.step(&row, Draft::after(&row).reserves(9).unmetered()).await;
    scene.refuses(Draft::after(&row).reserves(1).unmetered().by(&claim_of(&row)), over(1)).await;
    let row = scene.step(&row, Draft::after(&row).reserves(1)).await;
    scene.refuses(Draft::after(&row).unmetered().by(&claim_of(&row)), over(0)).await;
    scene.step(&row, Draft::after(&row).releases(1).unmetered()).await;
}

/// The headroom that is told is what this very step could have reserved.
pub async fn a_step_can_reserve_what_it_releases(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.caps("ada", 10).await;
    let row = scene.held("one", "w1").await;
    let row = scene.step(&row, Draft::after(&row).reserves(10)).await;
    let settles = || Draft::after(&row).releases(6).spends(2);
    scene.refuses(settles().reserves(5).by(&claim_of(&row)), over(4)).await;
    scene.step(&row, settles().reserves(4)).await;
    assert_eq!(account(&scene, "ada").await, (2, 8));
}

pub async fn settling_is_never_refused(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    let row = scene.step(&row, Draft::after(&row).reserves(10)).await;
    scene.caps("ada", 1).await;
    let row = scene.step(&row, Draft::after(&row).releases(5).spends(9)).await;
    let row = scene.step(&row, Draft::after(&row).completes("call", "1")).await;
    assert_eq!(account(&scene, "ada").await, (9, 5));
    scene.refuses(Draft::after(&row).reserves(1).by(&claim_of(&row)), over(0)).await;
}

pub async fn an_amount_too_large_to_add_is_over_the_cap(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.caps("ada", 10).await;
    let row = scene.held("one", "w1").await;
    let row = scene.step(&row, Draft::after(&row).reserves(4)).await;
    scene.refuses(Draft::after(&row).reserves(u64::MAX).by(&claim_of(&row)), over(6)).await;
}

pub async fn a_cap_can_be_taken_away(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.caps("ada", 1).await;
    let row = scene.held("one", "w1").await;
    scene.refuses(Draft::after(&row).reserves(2).by(&claim_of(&row)), over(1)).await;
    scene.set_cap(&row.owner, None).await.expect("no cap");
    scene.step(&row, Draft::after(&row).reserves(2)).await;
    let account = scene.account(&row.owner).await.expect("an account");
    assert_eq!((account.cap, account.headroom()), (None, None));
}

pub async fn many_reservations_at_once_never_pass_the_cap(place: &dyn StorePlace) {
    let (here, there) = (Scene::open(place).await, Scene::open(place).await);
    here.caps("ada", 100).await;
    let mut steps = JoinSet::new();
    for number in 0..40 {
        let row = here.held(&format!("run-{number}"), "w1").await;
        let peer = if number % 2 == 0 { &here } else { &there };
        let commit = Draft::after(&row).reserves(7).by(&claim_of(&row));
        let store = peer.store.clone();
        steps.spawn(async move { store.commit(commit).await });
    }
    let results = steps.join_all().await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 14, "{results:?}");
    for result in results.into_iter().filter(Result::is_err) {
        refused(result, &over(2));
    }
    assert_eq!(account(&here, "ada").await, (0, 98));
}

/// A run of this owner that waits with this ask open.
async fn waits(scene: &Scene, run: &str, owner: &str, kind: AskKind) -> Row {
    let run = NewRun { owner: owner.into(), ..new_run(run) };
    let row = scene.make_held(run, "w1").await;
    scene.step(&row, Draft::after(&row).asks("@limit", kind).parked()).await
}

pub async fn a_new_cap_queues_the_runs_that_waited_for_it(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let waiting = waits(&scene, "one", "ada", AskKind::Limit).await;
    scene.caps("ada", 10).await;
    let row = scene.see(&waiting.id).await;
    assert_eq!((row.status, row.wake_at), (Status::Queued, None));
    assert_eq!((row.seq, row.epoch), (waiting.seq, waiting.epoch));
    let open = scene.inbox(&all_asks()).await.expect("the inbox");
    assert_eq!(open.len(), 1, "it is the run's to withdraw what it asked");
}

pub async fn a_new_cap_leaves_other_runs_alone(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    waits(&scene, "other-ask", "ada", AskKind::Approval).await;
    waits(&scene, "other-owner", "bob", AskKind::Limit).await;
    let row = waits(&scene, "answered", "ada", AskKind::Limit).await;
    let row = scene.brings(answer(&row, "@limit", "true")).await;
    let row = scene.claim_run(&"w1".into(), &row.id).await.expect("it is free").row;
    scene.step(&row, Draft::after(&row).parked()).await;
    let row = scene.held("held", "w1").await;
    scene.step(&row, Draft::after(&row).asks("@limit", AskKind::Limit)).await;
    let row = scene.held("closed", "w1").await;
    let asks = Draft::after(&row).asks("@limit", AskKind::Limit);
    scene.step(&row, asks.closed(Status::Failed)).await;

    let before = scene.rows().await;
    scene.caps("ada", 10).await;
    assert_eq!(scene.rows().await, before);
}
