//! Tokens for programs.

use consign_accounts::{Role, Scope, Scopes, Way};
use consign_testkit::accounts::PASSWORD;

use crate::{ADA, code_of, world};

#[tokio::test]
async fn a_token_is_shown_once_and_says_who_and_for_what() {
    let world = world();
    let accounts = &world.accounts;
    let user = world.verified(ADA).await;
    let scopes = Scopes::from_words("jobs");
    let (info, secret) = accounts.create_token(&user.id, Some("ci"), scopes).await.unwrap();
    assert!(secret.reveal().starts_with("ct_"));
    let who = accounts.token(secret.reveal()).await.unwrap().unwrap();
    assert_eq!(
        (who.user.clone(), &who.way),
        (user.clone(), &Way::Token { id: info.id.clone(), scopes })
    );
    assert!(who.may(Scope::Jobs) && !who.may(Scope::Runs) && !who.is_whole());
    assert_eq!(accounts.tokens(&user.id).await.unwrap(), std::slice::from_ref(&info));
    assert!(!format!("{info:?} {secret:?}").contains(secret.reveal()));
    let long = "n".repeat(101);
    for name in [long.as_str(), "a\nb"] {
        let refused = accounts.create_token(&user.id, Some(name), None).await;
        assert_eq!(code_of(refused), "VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn a_token_is_revoked_by_its_user_or_from_the_terminal() {
    let world = world();
    let accounts = &world.accounts;
    let ada = world.verified(ADA).await;
    let bob = accounts.add_user("bob@example.org", PASSWORD, Role::Member).await.unwrap();
    let (first, secret) = accounts.create_token(&ada.id, None, None).await.unwrap();
    let (second, _) = accounts.create_token(&ada.id, None, None).await.unwrap();
    assert!(!accounts.revoke_token(Some(&bob.id), &first.id).await.unwrap());
    assert!(accounts.token(secret.reveal()).await.unwrap().is_some());
    assert!(accounts.revoke_token(Some(&ada.id), &first.id).await.unwrap());
    assert!(accounts.token(secret.reveal()).await.unwrap().is_none());
    assert!(accounts.revoke_token(None, &second.id).await.unwrap());
    assert!(!accounts.revoke_token(None, "made up").await.unwrap());
}

#[tokio::test]
async fn only_an_administrator_gets_the_scope_admin() {
    let world = world();
    let accounts = &world.accounts;
    let ada = world.verified(ADA).await;
    let bob = accounts.add_user("bob@example.org", PASSWORD, Role::Member).await.unwrap();
    let admin = Scopes::from_words("admin");
    assert_eq!(code_of(accounts.create_token(&bob.id, None, admin).await), "FORBIDDEN");
    let (_, secret) = accounts.create_token(&ada.id, None, admin).await.unwrap();
    assert!(accounts.token(secret.reveal()).await.unwrap().unwrap().may(Scope::Admin));
    accounts.set_disabled(&bob.id, true).await.unwrap();
    assert_eq!(code_of(accounts.create_token(&bob.id, None, None).await), "USER_DISABLED");
}
