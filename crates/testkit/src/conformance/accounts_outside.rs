//! Cases about those who come from another site.

use std::sync::Arc;

use consign_accounts::{
    AccountStore, Digest, KeptAttempt, NewUser, OutsideSignIn, Provider, Role, Secret,
    SignedInOutside,
};
use tokio::task::JoinSet;

use super::{
    AccountPlace,
    accounts::{added, email, id, later, new_user, sessions},
};
use crate::draft::DAWN;

fn attempt(state: &str, seconds: u64) -> KeptAttempt {
    KeptAttempt {
        state: Digest::of(state),
        provider: Provider::Google,
        browser: Digest::of("browser"),
        verifier: Secret::new("verifier"),
        made_at: later(seconds),
    }
}

pub async fn an_attempt_is_taken_once(place: &dyn AccountPlace) {
    let (here, there) = (place.open_accounts().await, place.open_accounts().await);
    here.put_oauth(attempt("state", 5), DAWN).await.expect("an answer");
    assert!(here.take_oauth(&Digest::of("other")).await.expect("an answer").is_none());
    let mut all = JoinSet::new();
    for number in 0..20 {
        let store = if number % 2 == 0 { here.clone() } else { there.clone() };
        all.spawn(async move { store.take_oauth(&Digest::of("state")).await.expect("an answer") });
    }
    let taken: Vec<_> = all.join_all().await.into_iter().flatten().collect();
    let [taken] = &taken[..] else { panic!("{} took it", taken.len()) };
    assert_eq!(taken.provider, Provider::Google);
    assert_eq!(taken.browser, Digest::of("browser"));
    assert_eq!((taken.verifier.reveal(), taken.made_at), ("verifier", later(5)));
}

pub async fn old_attempts_are_forgotten(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    store.put_oauth(attempt("a", 1), DAWN).await.expect("an answer");
    store.put_oauth(attempt("b", 2), DAWN).await.expect("an answer");
    store.put_oauth(attempt("c", 3), later(1)).await.expect("an answer");
    let mut taken = Vec::new();
    for state in ["a", "b", "c"] {
        taken.push(store.take_oauth(&Digest::of(state)).await.expect("an answer").is_some());
    }
    assert_eq!(taken, [false, true, true]);
}

/// Somebody from GitHub. The session has the name of the outside id.
fn from_outside(outside_id: &str, address: Option<&str>, number: u8) -> OutsideSignIn {
    OutsideSignIn {
        provider: Provider::GitHub,
        outside_id: outside_id.to_owned(),
        email: address.map(email),
        new_id: id(number),
        session: Digest::of(outside_id),
        now: DAWN,
        ends_at: later(1_000),
    }
}

async fn sign_in(store: &Arc<dyn AccountStore>, who: OutsideSignIn) -> SignedInOutside {
    store.sign_in_outside(who).await.expect("an answer")
}

pub async fn a_new_verified_address_makes_a_user_without_a_password(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let SignedInOutside::Done(first) =
        sign_in(&store, from_outside("1", Some("Ada@example.org"), 1)).await
    else {
        panic!("the user is made");
    };
    assert_eq!((first.id, first.email.as_str()), (id(1), "Ada@example.org"));
    assert_eq!((first.role, first.is_verified), (Role::Admin, true));
    let kept = store.user(&id(1)).await.expect("an answer").expect("the user");
    assert_eq!((kept.user, kept.password), (first.clone(), None));
    assert_eq!(sessions(&store, &["1"]).await, ["1"]);
    let SignedInOutside::Done(second) =
        sign_in(&store, from_outside("2", Some("bob@example.org"), 2)).await
    else {
        panic!("the user is made");
    };
    assert_eq!(second.role, Role::Member);
}

/// An address can change there, and be given to another person.
pub async fn a_link_is_by_the_outside_id_and_not_by_the_address(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    sign_in(&store, from_outside("1", Some("ada@example.org"), 1)).await;
    for address in [None, Some("other@example.org")] {
        let again = OutsideSignIn { session: Digest::of("again"), ..from_outside("1", address, 2) };
        store.end_session(&Digest::of("again")).await.expect("an answer");
        let SignedInOutside::Done(user) = sign_in(&store, again).await else {
            panic!("the link is known");
        };
        assert_eq!(user.id, id(1));
    }
    let google = OutsideSignIn {
        provider: Provider::Google,
        session: Digest::of("google"),
        ..from_outside("1", None, 3)
    };
    assert_eq!(sign_in(&store, google).await, SignedInOutside::NotVerified, "another site's id");
    assert_eq!(store.users().await.expect("an answer").len(), 1);
}

pub async fn a_verified_account_of_the_address_is_linked(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let ada = added(&store, new_user(1, "ada@example.org")).await;
    let signed_in = sign_in(&store, from_outside("1", Some("ADA@example.org"), 2)).await;
    assert_eq!(signed_in, SignedInOutside::Done(ada.clone()));
    assert_eq!(sessions(&store, &["1"]).await, ["1"]);
    let again = OutsideSignIn { session: Digest::of("again"), ..from_outside("1", None, 2) };
    assert_eq!(sign_in(&store, again).await, SignedInOutside::Done(ada.clone()));
    let kept = store.user(&ada.id).await.expect("an answer").expect("ada");
    assert!(kept.password.is_some(), "the password stays");
}

/// Whoever made that account knows its password, and would share it from then on.
pub async fn an_unverified_account_is_never_linked(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    added(&store, NewUser { is_verified: false, ..new_user(1, "ada@example.org") }).await;
    let who = || from_outside("1", Some("ada@example.org"), 2);
    assert_eq!(sign_in(&store, who()).await, SignedInOutside::InUse);
    assert_eq!(sign_in(&store, from_outside("1", None, 2)).await, SignedInOutside::NotVerified);
    assert_eq!(sessions(&store, &["1"]).await, Vec::<String>::new());
    assert_eq!(store.users().await.expect("an answer").len(), 1);
}

pub async fn a_disabled_account_is_neither_linked_nor_signed_in(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let ada = added(&store, new_user(1, "ada@example.org")).await;
    sign_in(&store, from_outside("1", Some("ada@example.org"), 2)).await;
    store.set_disabled(&ada.id, true).await.expect("an answer");
    for who in ["1", "2"] {
        let signed_in = sign_in(&store, from_outside(who, Some("ada@example.org"), 3)).await;
        assert_eq!(signed_in, SignedInOutside::Disabled, "{who}");
    }
    assert_eq!(sessions(&store, &["1", "2"]).await, Vec::<String>::new());
    store.set_disabled(&ada.id, false).await.expect("an answer");
    let unlinked = sign_in(&store, from_outside("2", None, 3)).await;
    assert_eq!(unlinked, SignedInOutside::NotVerified);
}

pub async fn of_many_first_sign_ins_one_makes_the_user(place: &dyn AccountPlace) {
    let (here, there) = (place.open_accounts().await, place.open_accounts().await);
    let mut all = JoinSet::new();
    for number in 0..20 {
        let store = if number % 2 == 0 { here.clone() } else { there.clone() };
        let session = Digest::of(&format!("s{number}"));
        let who = OutsideSignIn { session, ..from_outside("1", Some("ada@example.org"), number) };
        all.spawn(async move { store.sign_in_outside(who).await.expect("an answer") });
    }
    let answers = all.join_all().await;
    assert!(answers.iter().all(|answer| matches!(answer, SignedInOutside::Done(_))));
    assert_eq!(here.users().await.expect("an answer").len(), 1);
}
