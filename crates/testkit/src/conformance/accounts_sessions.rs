//! Cases about sessions and passwords.

use consign_accounts::{Digest, KeptSession, NewSession, PasswordChange, Purpose, Tried};

use super::{
    AccountPlace,
    accounts::{
        added, code, code_try, hash, id, later, limit, new_user, opened, session, sessions, subject,
    },
};
use crate::draft::DAWN;

pub async fn a_session_is_found_by_its_digest_with_its_user(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let ada = added(&store, new_user(1, "ada@example.org")).await;
    let bob = added(&store, new_user(2, "bob@example.org")).await;
    opened(&store, ada.id, "s1").await;
    opened(&store, bob.id, "s2").await;
    let kept = KeptSession { made_at: DAWN, seen_at: DAWN, ends_at: later(1_000) };
    let found = store.session(&Digest::of("s2")).await.expect("an answer");
    assert_eq!(found, Some((kept, bob)));
    assert_eq!(store.session(&Digest::of("s3")).await.expect("an answer"), None);
    assert!(store.end_session(&Digest::of("s2")).await.expect("an answer"));
    assert!(!store.end_session(&Digest::of("s2")).await.expect("an answer"));
    assert_eq!(sessions(&store, &["s1", "s2"]).await, ["s1"]);
}

pub async fn a_session_can_be_used_longer(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let user = added(&store, new_user(1, "ada@example.org")).await;
    opened(&store, user.id, "s").await;
    let touch = |secret: &str| Digest::of(secret);
    store.touch_session(&touch("s"), later(500), later(1_500)).await.expect("an answer");
    store.touch_session(&touch("gone"), later(500), later(1_500)).await.expect("nothing to do");
    let kept = KeptSession { made_at: DAWN, seen_at: later(500), ends_at: later(1_500) };
    let found = store.session(&Digest::of("s")).await.expect("an answer");
    assert_eq!(found.map(|(session, _)| session), Some(kept));
    assert_eq!(sessions(&store, &["gone"]).await, Vec::<String>::new());
}

pub async fn a_new_session_forgets_those_that_ended(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let user = added(&store, new_user(1, "ada@example.org")).await;
    opened(&store, user.id, "s1").await;
    let open = async |secret: &str, seconds| {
        let times = (later(seconds), later(seconds + 1_000));
        let new = NewSession { made_at: times.0, ends_at: times.1, ..session(user.id, secret) };
        let opened = store.open_session(new, &hash("old"), &subject("none")).await;
        assert!(opened.expect("an answer"));
    };
    open("s2", 999).await;
    assert_eq!(sessions(&store, &["s1", "s2"]).await, ["s1", "s2"]);
    open("s3", 1_000).await;
    assert_eq!(sessions(&store, &["s1", "s2", "s3"]).await, ["s2", "s3"]);
}

/// The password is checked outside of the store, which takes a while.
pub async fn a_session_wants_the_password_that_was_checked(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let user = added(&store, new_user(1, "ada@example.org")).await;
    let one = limit("ada", 1);
    store.count(std::slice::from_ref(&one), DAWN).await.expect("an answer");
    let open = store.open_session(session(user.id, "s"), &hash("older"), &one.subject).await;
    assert!(!open.expect("an answer"));
    let nobody = store.open_session(session(id(9), "s"), &hash("old"), &one.subject).await;
    assert!(!nobody.expect("an answer"));
    assert_eq!(sessions(&store, &["s"]).await, Vec::<String>::new());
    let again = store.count(&[one], DAWN).await.expect("an answer");
    assert_ne!(again, consign_accounts::Counted::Done, "nothing was cleared");
}

pub async fn a_new_password_ends_all_other_sessions_and_voids_the_code(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let ada = added(&store, new_user(1, "ada@example.org")).await;
    let bob = added(&store, new_user(2, "bob@example.org")).await;
    for (user, secret) in [(ada.id, "s1"), (ada.id, "s2"), (bob.id, "s3")] {
        opened(&store, user, secret).await;
    }
    store.put_code(&ada.id, code("right", Purpose::Reset)).await.expect("an answer");
    let change = |seen: Option<&str>| PasswordChange {
        user: ada.id,
        to: hash("new"),
        seen: seen.map(hash),
        keep: Some(Digest::of("s2")),
        clear: None,
    };
    assert!(!store.set_password(change(Some("older"))).await.expect("an answer"));
    assert_eq!(sessions(&store, &["s1", "s2", "s3"]).await, ["s1", "s2", "s3"]);
    assert!(store.set_password(change(Some("old"))).await.expect("an answer"));
    assert_eq!(sessions(&store, &["s1", "s2", "s3"]).await, ["s2", "s3"]);
    let kept = store.user(&ada.id).await.expect("an answer").expect("ada");
    assert_eq!(kept.password, Some(hash("new")));
    let tried = store.try_code(code_try(ada.id, "right", Purpose::Reset)).await;
    assert_eq!(tried.expect("an answer"), Tried::Wrong);
    let terminal = PasswordChange { keep: None, seen: None, ..change(None) };
    assert!(store.set_password(terminal).await.expect("an answer"), "none was checked");
    assert_eq!(sessions(&store, &["s1", "s2", "s3"]).await, ["s3"]);
    let nobody = PasswordChange { user: id(9), ..change(None) };
    assert!(!store.set_password(nobody).await.expect("an answer"));
}
