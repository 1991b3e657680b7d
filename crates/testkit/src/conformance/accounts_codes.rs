//! Cases about codes: five tries each, one at a time, and what they set is set together.

use consign_accounts::{AccountStore, CodePut, CodeTry, NewCode, NewUser, Purpose, Tried, UserId};
use std::sync::Arc;
use tokio::task::JoinSet;

use super::{
    AccountPlace,
    accounts::{added, code, code_try, hash, id, later, new_user, opened, sessions},
};

/// A user who is not verified and has the code `right`.
async fn with_code(place: &dyn AccountPlace, purpose: Purpose) -> (Arc<dyn AccountStore>, UserId) {
    let store = place.open_accounts().await;
    let new = NewUser { is_verified: false, ..new_user(1, "ada@example.org") };
    store.add_user(new, Some(code("right", purpose))).await.expect("an answer");
    (store, id(1))
}

async fn tries(store: &Arc<dyn AccountStore>, attempt: CodeTry) -> Tried {
    store.try_code(attempt).await.expect("an answer")
}

pub async fn a_right_code_verifies_once(place: &dyn AccountPlace) {
    let (store, user) = with_code(place, Purpose::Verify).await;
    let right = || code_try(user, "right", Purpose::Verify);
    assert_eq!(tries(&store, code_try(user, "wrong", Purpose::Verify)).await, Tried::Wrong);
    let is_verified = async || {
        let kept = store.user(&user).await.expect("an answer").expect("the user");
        assert_eq!(kept.password, Some(hash("old")), "the password stays");
        kept.user.is_verified
    };
    assert!(!is_verified().await);
    assert_eq!(tries(&store, right()).await, Tried::Done);
    assert!(is_verified().await);
    assert_eq!(tries(&store, right()).await, Tried::Wrong, "it is used up");
    assert_eq!(tries(&store, code_try(id(9), "right", Purpose::Verify)).await, Tried::Wrong);
}

pub async fn after_its_tries_a_code_is_dead(place: &dyn AccountPlace) {
    let (store, user) = with_code(place, Purpose::Verify).await;
    for _ in 0..5 {
        assert_eq!(tries(&store, code_try(user, "wrong", Purpose::Verify)).await, Tried::Wrong);
    }
    assert_eq!(tries(&store, code_try(user, "right", Purpose::Verify)).await, Tried::Wrong);
    store.put_code(&user, code("second", Purpose::Verify)).await.expect("an answer");
    let second = code_try(user, "second", Purpose::Verify);
    assert_eq!(tries(&store, second).await, Tried::Done, "the next has tries of its own");
}

pub async fn a_code_is_too_old_from_its_last_instant_on(place: &dyn AccountPlace) {
    let (store, user) = with_code(place, Purpose::Verify).await;
    let at = |made_after| CodeTry { made_after, ..code_try(user, "right", Purpose::Verify) };
    assert_eq!(tries(&store, at(crate::draft::DAWN)).await, Tried::Wrong);
    let just = consign_accounts::At(crate::draft::DAWN.0 - 1);
    assert_eq!(tries(&store, at(just)).await, Tried::Done);
}

pub async fn a_code_is_for_one_purpose(place: &dyn AccountPlace) {
    let (store, user) = with_code(place, Purpose::Verify).await;
    assert_eq!(tries(&store, code_try(user, "right", Purpose::Reset)).await, Tried::Wrong);
    assert_eq!(tries(&store, code_try(user, "right", Purpose::Verify)).await, Tried::Done);
}

pub async fn a_new_code_voids_the_one_before(place: &dyn AccountPlace) {
    let (store, user) = with_code(place, Purpose::Verify).await;
    let put = store.put_code(&user, code("second", Purpose::Reset)).await;
    assert_eq!(put.expect("an answer"), CodePut::Done);
    assert_eq!(tries(&store, code_try(user, "right", Purpose::Verify)).await, Tried::Wrong);
    assert_eq!(tries(&store, code_try(user, "second", Purpose::Reset)).await, Tried::Done);
}

pub async fn a_code_over_the_limit_leaves_the_one_before(place: &dyn AccountPlace) {
    let (store, user) = with_code(place, Purpose::Verify).await;
    for digits in ["second", "third"] {
        let put = store.put_code(&user, code(digits, Purpose::Verify)).await;
        assert_eq!(put.expect("an answer"), CodePut::Done);
    }
    let fourth = NewCode { made_at: later(100), ..code("fourth", Purpose::Verify) };
    let put = store.put_code(&user, fourth).await.expect("an answer");
    let retry_after = std::time::Duration::from_secs(800);
    assert_eq!(put, CodePut::Limited { retry_after });
    assert_eq!(tries(&store, code_try(user, "fourth", Purpose::Verify)).await, Tried::Wrong);
    assert_eq!(tries(&store, code_try(user, "third", Purpose::Verify)).await, Tried::Done);
}

pub async fn of_many_wrong_codes_at_once_five_are_looked_at(place: &dyn AccountPlace) {
    let (here, user) = with_code(place, Purpose::Verify).await;
    let there = place.open_accounts().await;
    let mut all = JoinSet::new();
    for number in 0..50 {
        let store = if number % 2 == 0 { here.clone() } else { there.clone() };
        all.spawn(async move {
            store.try_code(code_try(user, &format!("wrong {number}"), Purpose::Verify)).await
        });
    }
    assert!(all.join_all().await.iter().all(|tried| matches!(tried, Ok(Tried::Wrong))));
    assert_eq!(tries(&here, code_try(user, "right", Purpose::Verify)).await, Tried::Wrong, "dead");
}

pub async fn of_many_right_codes_at_once_one_is_taken(place: &dyn AccountPlace) {
    let (here, user) = with_code(place, Purpose::Reset).await;
    let there = place.open_accounts().await;
    let mut all = JoinSet::new();
    for number in 0..20 {
        let store = if number % 2 == 0 { here.clone() } else { there.clone() };
        let password = Some(hash(&format!("new {number}")));
        let attempt = CodeTry { password, ..code_try(user, "right", Purpose::Reset) };
        all.spawn(async move { store.try_code(attempt).await });
    }
    let answers = all.join_all().await;
    assert_eq!(answers.iter().filter(|tried| matches!(tried, Ok(Tried::Done))).count(), 1);
}

pub async fn a_reset_sets_the_password_and_ends_all_sessions(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let user = added(&store, new_user(1, "ada@example.org")).await;
    let other = added(&store, new_user(2, "bob@example.org")).await;
    opened(&store, user.id, "s1").await;
    opened(&store, user.id, "s2").await;
    opened(&store, other.id, "s3").await;
    store.put_code(&user.id, code("right", Purpose::Reset)).await.expect("an answer");
    let password = Some(hash("new"));
    let wrong =
        CodeTry { password: password.clone(), ..code_try(user.id, "wrong", Purpose::Reset) };
    assert_eq!(tries(&store, wrong).await, Tried::Wrong);
    assert_eq!(sessions(&store, &["s1", "s2", "s3"]).await, ["s1", "s2", "s3"]);
    let right = CodeTry { password, ..code_try(user.id, "right", Purpose::Reset) };
    assert_eq!(tries(&store, right).await, Tried::Done);
    assert_eq!(sessions(&store, &["s1", "s2", "s3"]).await, ["s3"]);
    let kept = store.user(&user.id).await.expect("an answer").expect("the user");
    assert_eq!(kept.password, Some(hash("new")));
}

pub async fn tries_outlive_the_store_that_counted(place: &dyn AccountPlace) {
    let (store, user) = with_code(place, Purpose::Verify).await;
    for _ in 0..5 {
        tries(&store, code_try(user, "wrong", Purpose::Verify)).await;
    }
    drop(store);
    let store = place.open_accounts().await;
    assert_eq!(tries(&store, code_try(user, "right", Purpose::Verify)).await, Tried::Wrong);
}
