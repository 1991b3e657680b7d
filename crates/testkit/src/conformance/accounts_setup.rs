//! Cases about the set-up: one token, one first user.

use consign_accounts::{Digest, NewUser, Role};
use tokio::task::JoinSet;

use super::{
    AccountPlace,
    accounts::{added, id, new_user, session, sessions},
};
use crate::draft::DAWN;

pub async fn the_set_up_makes_an_administrator_with_a_session(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    assert!(store.put_setup(Digest::of("token"), DAWN).await.expect("an answer"));
    let new = NewUser { role: Role::Member, ..new_user(1, "ada@example.org") };
    let made = store.set_up(Digest::of("token"), new, session(id(1), "s")).await;
    assert_eq!(made.expect("an answer").map(|user| user.role), Some(Role::Admin));
    assert_eq!(sessions(&store, &["s"]).await, ["s"]);
    let again = new_user(2, "eve@example.org");
    let again = store.set_up(Digest::of("token"), again, session(id(2), "s2")).await;
    assert_eq!(again.expect("an answer"), None, "the token is spent");
    assert!(!store.put_setup(Digest::of("other"), DAWN).await.expect("an answer"));
}

pub async fn only_the_newest_token_sets_up(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let set_up = async |token: &str| {
        let new = new_user(1, "ada@example.org");
        store.set_up(Digest::of(token), new, session(id(1), "s")).await.expect("an answer")
    };
    assert_eq!(set_up("old").await, None, "there is none");
    store.put_setup(Digest::of("old"), DAWN).await.expect("an answer");
    store.put_setup(Digest::of("new"), DAWN).await.expect("an answer");
    assert_eq!(set_up("old").await, None);
    assert!(!store.has_users().await.expect("an answer"), "a wrong token leaves nothing");
    assert!(set_up("new").await.is_some());
}

pub async fn a_user_made_otherwise_ends_the_set_up(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    store.put_setup(Digest::of("token"), DAWN).await.expect("an answer");
    added(&store, new_user(1, "ada@example.org")).await;
    let eve = new_user(2, "eve@example.org");
    let made = store.set_up(Digest::of("token"), eve, session(id(2), "s")).await;
    assert_eq!(made.expect("an answer"), None);
}

pub async fn of_many_set_ups_at_once_one_wins(place: &dyn AccountPlace) {
    let (here, there) = (place.open_accounts().await, place.open_accounts().await);
    here.put_setup(Digest::of("token"), DAWN).await.expect("an answer");
    let mut all = JoinSet::new();
    for number in 0..20 {
        let store = if number % 2 == 0 { here.clone() } else { there.clone() };
        let new = new_user(number, &format!("user{number}@example.org"));
        let session = session(id(number), &format!("s{number}"));
        all.spawn(async move { store.set_up(Digest::of("token"), new, session).await });
    }
    let answers = all.join_all().await;
    let done = answers.iter().filter(|answer| matches!(answer, Ok(Some(_)))).count();
    assert_eq!((done, here.users().await.expect("an answer").len()), (1, 1));
}
