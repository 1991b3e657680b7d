//! Cases about attempts: they are counted before anything else, all or none, for as long as they
//! count.

use std::time::Duration;

use consign_accounts::{Counted, NewUser, Purpose};
use tokio::task::JoinSet;

use super::{
    AccountPlace,
    accounts::{added, code, hash, later, limit, new_user, session, subject},
};
use crate::draft::DAWN;

fn limited(seconds: u64) -> Counted {
    Counted::Limited { retry_after: Duration::from_secs(seconds) }
}

pub async fn attempts_count_for_their_window_and_no_longer(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let count =
        async |seconds| store.count(&[limit("ada", 2)], later(seconds)).await.expect("an answer");
    assert_eq!(count(0).await, Counted::Done);
    assert_eq!(count(100).await, Counted::Done);
    assert_eq!(count(100).await, limited(800), "until the first counts no more");
    assert_eq!(count(899).await, limited(1), "a refused one did not count");
    assert_eq!(count(900).await, Counted::Done);
    assert_eq!(count(999).await, limited(1));
    assert_eq!(count(1_000).await, Counted::Done);
}

pub async fn an_attempt_counts_for_all_of_its_limits_or_for_none(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let both = [limit("ada", 1), limit("address", 2)];
    assert_eq!(store.count(&both, DAWN).await.expect("an answer"), Counted::Done);
    assert_eq!(store.count(&both, later(1)).await.expect("an answer"), limited(899));
    let address = [limit("address", 2)];
    assert_eq!(store.count(&address, later(2)).await.expect("an answer"), Counted::Done);
    assert_eq!(store.count(&address, later(3)).await.expect("an answer"), limited(897));
    let longest = [limit("bob", 9), limit("address", 1), limit("ada", 1)];
    assert_eq!(
        store.count(&longest, later(4)).await.expect("an answer"),
        limited(898),
        "the later"
    );
}

pub async fn many_attempts_at_once_never_pass_the_limit(place: &dyn AccountPlace) {
    let (here, there) = (place.open_accounts().await, place.open_accounts().await);
    let mut all = JoinSet::new();
    for number in 0..50 {
        let store = if number % 2 == 0 { here.clone() } else { there.clone() };
        all.spawn(async move { store.count(&[limit("ada", 10)], DAWN).await });
    }
    let answers = all.join_all().await;
    let done = answers.iter().filter(|answer| matches!(answer, Ok(Counted::Done))).count();
    assert_eq!((done, answers.iter().filter(|answer| answer.is_err()).count()), (10, 0));
}

pub async fn counts_outlive_the_store_that_counted(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    store.count(&[limit("ada", 1)], DAWN).await.expect("an answer");
    drop(store);
    let store = place.open_accounts().await;
    let again = store.count(&[limit("ada", 1)], later(10)).await;
    assert_eq!(again.expect("an answer"), limited(890));
}

pub async fn a_log_in_clears_only_what_it_names(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let user = added(&store, new_user(1, "ada@example.org")).await;
    let both = [limit("ada", 1), limit("address", 1)];
    store.count(&both, DAWN).await.expect("an answer");
    let opened = store.open_session(session(user.id, "s"), &hash("old"), &subject("ada")).await;
    assert!(opened.expect("an answer"));
    assert_eq!(store.count(&both[..1], DAWN).await.expect("an answer"), Counted::Done);
    assert_eq!(store.count(&both[1..], DAWN).await.expect("an answer"), limited(900));
}

/// The code of a sign-up is the first of those that are allowed.
pub async fn codes_are_counted_with_what_they_are_for(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let one = limit("codes", 1);
    let first = consign_accounts::NewCode { limit: one.clone(), ..code("1", Purpose::Verify) };
    let new = NewUser { is_verified: false, ..new_user(1, "ada@example.org") };
    store.add_user(new, Some(first)).await.expect("an answer");
    assert_eq!(store.count(&[one], later(1)).await.expect("an answer"), limited(899));
}
