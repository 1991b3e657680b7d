//! Cases about tokens.

use consign_accounts::{Digest, NewToken, Scopes, TokenInfo};

use super::{
    AccountPlace,
    accounts::{added, id, new_user, token},
};
use crate::draft::DAWN;

pub async fn a_token_is_found_by_its_digest_with_its_user(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let ada = added(&store, new_user(1, "ada@example.org")).await;
    let named =
        NewToken { name: Some("build's".to_owned()), ..token(ada.id, "t1", Some("runs jobs")) };
    assert!(store.add_token(named).await.expect("an answer"));
    assert!(!store.add_token(token(id(9), "t2", None)).await.expect("an answer"), "nobody");
    let info = TokenInfo {
        id: "id-of-t1".to_owned(),
        user: ada.id,
        name: Some("build's".to_owned()),
        scopes: Scopes::from_words("runs jobs"),
        created_at: DAWN,
    };
    let found = store.token(&Digest::of("t1")).await.expect("an answer");
    assert_eq!(found, Some((info, ada)));
    assert_eq!(store.token(&Digest::of("t2")).await.expect("an answer"), None);
}

pub async fn a_token_without_scopes_is_not_one_with_none(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let ada = added(&store, new_user(1, "ada@example.org")).await;
    store.add_token(token(ada.id, "t1", None)).await.expect("an answer");
    store.add_token(token(ada.id, "t2", Some(""))).await.expect("an answer");
    let all = store.tokens(&ada.id).await.expect("an answer");
    let scopes: Vec<_> = all.iter().map(|token| token.scopes).collect();
    assert_eq!(scopes, [None, Some(Scopes::default())]);
}

pub async fn tokens_are_listed_by_age_and_revoked_by_their_user(place: &dyn AccountPlace) {
    let store = place.open_accounts().await;
    let ada = added(&store, new_user(1, "ada@example.org")).await;
    let bob = added(&store, new_user(2, "bob@example.org")).await;
    for (user, secret) in [(ada.id, "t9"), (bob.id, "t5"), (ada.id, "t1")] {
        store.add_token(token(user, secret, None)).await.expect("an answer");
    }
    let of_ada = async || {
        let all = store.tokens(&ada.id).await.expect("an answer");
        all.into_iter().map(|token| token.id).collect::<Vec<_>>()
    };
    assert_eq!(of_ada().await, ["id-of-t9", "id-of-t1"]);
    let revoke = async |user, id: &str| store.revoke_token(user, id).await.expect("an answer");
    assert!(!revoke(Some(&bob.id), "id-of-t9").await, "another's");
    let nobody = id(9);
    assert!(!revoke(Some(&nobody), "id-of-t9").await, "nobody's");
    assert_eq!(of_ada().await.len(), 2);
    assert!(revoke(Some(&ada.id), "id-of-t9").await);
    assert!(!revoke(Some(&ada.id), "id-of-t9").await);
    assert_eq!(store.token(&Digest::of("t9")).await.expect("an answer"), None);
    assert!(revoke(None, "id-of-t5").await, "anybody's");
    assert_eq!(of_ada().await, ["id-of-t1"]);
}
