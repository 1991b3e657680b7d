//! Cases about users: each address has one, the first is an administrator, and disabling ends
//! everything.

use consign_accounts::{Added, Digest, KeptUser, NewUser, Purpose, Role, Tried, User};
use tokio::task::JoinSet;

use super::{
    AccountPlace,
    accounts::{
        added, code, code_try, email, hash, id, later, limit, new_user, opened, session, sessions,
        subject, token,
    },
};
use crate::draft::DAWN;

pub async fn no_users_are_there_at_first(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    assert!(!store.has_users().await.expect("an answer"));
    assert!(store.users().await.expect("an answer").is_empty());
    assert_eq!(store.user(&id(1)).await.expect("an answer"), None);
    assert_eq!(store.user_by_email(&email("ada@example.org")).await.expect("an answer"), None);
}

pub async fn a_user_comes_back_as_it_was_given(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let user = added(&store, new_user(1, "Ada@Example.org")).await;
    let expected = User {
        id: id(1),
        email: "Ada@Example.org".to_owned(),
        role: Role::Admin,
        is_verified: true,
        is_disabled: false,
        created_at: later(1),
    };
    assert_eq!(user, expected, "the first one is an administrator");
    let kept = Some(KeptUser { user, password: Some(hash("old")) });
    assert_eq!(store.user(&id(1)).await.expect("an answer"), kept);
    let found = store.user_by_email(&email("aDA@EXAMPLE.ORG")).await.expect("an answer");
    assert_eq!(found, kept, "in any case");
    assert!(store.has_users().await.expect("an answer"));
}

pub async fn users_are_listed_by_age_and_only_the_first_is_an_administrator(
    place: &dyn AccountPlace,
) {
    let store = place.open_accounts().await;
    for (number, address) in [(3, "eve@example.org"), (1, "ada@example.org"), (2, "bob@b.org")] {
        let is_verified = number > 1;
        added(&store, NewUser { is_verified, ..new_user(number, address) }).await;
    }
    let all = store.users().await.expect("an answer");
    let line = |user: &User| format!("{} {} {}", user.email, user.role.as_str(), user.is_verified);
    let all: Vec<_> = all.iter().map(line).collect();
    let expected =
        ["eve@example.org admin true", "ada@example.org member false", "bob@b.org member true"];
    assert_eq!(all, expected);
}

pub async fn an_address_that_is_in_use_leaves_nothing(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    added(&store, new_user(1, "ada@example.org")).await;
    let other = new_user(2, "ADA@example.org");
    let answer = store.add_user(other, Some(code("1", Purpose::Verify))).await.expect("an answer");
    assert_eq!(answer, Added::EmailInUse);
    assert_eq!(store.users().await.expect("an answer").len(), 1);
    assert_eq!(store.user(&id(2)).await.expect("an answer"), None);
    let kept = store.user(&id(1)).await.expect("an answer").expect("the first one");
    assert_eq!(kept.password, Some(hash("old")));
}

pub async fn without_room_for_a_code_there_is_no_user(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    for _ in 0..3 {
        store.count(&[limit("codes", 3)], DAWN).await.expect("an answer");
    }
    let new = new_user(1, "ada@example.org");
    let answer = store.add_user(new, Some(code("1", Purpose::Verify))).await.expect("an answer");
    assert!(matches!(answer, Added::Limited { .. }), "{answer:?}");
    assert!(!store.has_users().await.expect("an answer"));
}

pub async fn of_many_who_take_one_address_one_wins(place: &dyn AccountPlace) {
    let (here, there) = (place.open_accounts().await, place.open_accounts().await);
    let mut all = JoinSet::new();
    for number in 0..20 {
        let store = if number % 2 == 0 { here.clone() } else { there.clone() };
        let new = new_user(number, "ada@example.org");
        all.spawn(async move { store.add_user(new, None).await });
    }
    let answers = all.join_all().await;
    let done = answers.iter().filter(|answer| matches!(answer, Ok(Added::Done(_)))).count();
    assert_eq!((done, here.users().await.expect("an answer").len()), (1, 1));
    assert!(answers.iter().all(Result::is_ok));
}

pub async fn of_many_first_users_one_is_an_administrator(place: &dyn AccountPlace) {
    let (here, there) = (place.open_accounts().await, place.open_accounts().await);
    let mut all = JoinSet::new();
    for number in 0..20 {
        let store = if number % 2 == 0 { here.clone() } else { there.clone() };
        let new = new_user(number, &format!("user{number}@example.org"));
        all.spawn(async move { store.add_user(new, None).await });
    }
    all.join_all().await;
    let users = here.users().await.expect("an answer");
    let admins = users.iter().filter(|user| user.role == Role::Admin).count();
    assert_eq!((users.len(), admins), (20, 1));
}

pub async fn disabling_ends_sessions_tokens_and_codes_for_good(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    for (number, address) in [(1, "ada@example.org"), (2, "bob@example.org")] {
        let user = added(&store, new_user(number, address)).await;
        opened(&store, user.id, &format!("s{number}")).await;
        let token = token(user.id, &format!("t{number}"), None);
        assert!(store.add_token(token).await.expect("an answer"));
    }
    store.put_code(&id(1), code("1", Purpose::Reset)).await.expect("an answer");
    let user = store.set_disabled(&id(1), true).await.expect("an answer").expect("ada");
    assert!(user.is_disabled);
    assert_eq!(store.user(&id(1)).await.expect("an answer").map(|kept| kept.user), Some(user));
    let denied = store.open_session(session(id(1), "s3"), &hash("old"), &subject("none")).await;
    assert!(!denied.expect("an answer"), "no session is opened");
    assert!(!store.add_token(token(id(1), "t3", None)).await.expect("an answer"), "nor a token");
    let user = store.set_disabled(&id(1), false).await.expect("an answer").expect("ada");
    assert!(!user.is_disabled);
    assert_eq!(sessions(&store, &["s1", "s2", "s3"]).await, ["s2"]);
    assert_eq!(store.token(&Digest::of("t1")).await.expect("an answer"), None);
    assert!(store.tokens(&id(1)).await.expect("an answer").is_empty());
    assert_eq!(store.tokens(&id(2)).await.expect("an answer").len(), 1);
    let tried = store.try_code(code_try(id(1), "1", Purpose::Reset)).await.expect("an answer");
    assert_eq!(tried, Tried::Wrong);
    assert_eq!(store.set_disabled(&id(9), true).await.expect("an answer"), None, "nobody");
}

pub async fn users_are_there_when_the_store_is_opened_again(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let user = added(&store, new_user(1, "ada@example.org")).await;
    opened(&store, user.id, "s").await;
    store.add_token(token(user.id, "t", Some("jobs"))).await.expect("an answer");
    store.put_code(&user.id, code("1", Purpose::Reset)).await.expect("an answer");
    drop(store);
    let store = place.open_accounts().await;
    assert_eq!(store.users().await.expect("an answer"), std::slice::from_ref(&user));
    assert_eq!(sessions(&store, &["s"]).await, ["s"]);
    assert!(store.token(&Digest::of("t")).await.expect("an answer").is_some());
    let tried = store.try_code(code_try(user.id, "1", Purpose::Reset)).await.expect("an answer");
    assert_eq!(tried, Tried::Done);
}
