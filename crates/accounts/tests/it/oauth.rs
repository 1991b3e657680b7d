//! Signing in through another site.

use consign_accounts::{OutsideUser, Provider};
use consign_testkit::accounts::{PASSWORD, client};

use crate::{ADA, code_of, world};

fn outside(id: &str, email: &str, is_email_verified: bool) -> OutsideUser {
    OutsideUser { id: id.to_owned(), email: Some(email.to_owned()), is_email_verified }
}

#[tokio::test]
async fn an_attempt_is_for_one_browser_one_provider_ten_minutes_and_one_time() {
    let world = world();
    let accounts = &world.accounts;
    let begin = async || accounts.begin_oauth(Provider::GitHub, &client(1)).await.unwrap();
    let attempt = begin().await;
    let (state, browser) = (attempt.state.reveal(), attempt.browser.reveal());
    let take = async |provider, state: &str, browser: &str| {
        accounts.take_oauth(provider, state, browser).await
    };
    let verifier = take(Provider::GitHub, state, browser).await.unwrap();
    assert_eq!(verifier.reveal(), attempt.pkce_verifier.reveal());
    assert_eq!(code_of(take(Provider::GitHub, state, browser).await), "FORBIDDEN", "used");
    assert_eq!(code_of(take(Provider::GitHub, "made up", browser).await), "FORBIDDEN");
    let other = begin().await;
    let taken = take(Provider::GitHub, other.state.reveal(), browser).await;
    assert_eq!(code_of(taken), "FORBIDDEN", "another browser");
    let other = begin().await;
    let taken = take(Provider::Google, other.state.reveal(), other.browser.reveal()).await;
    assert_eq!(code_of(taken), "FORBIDDEN", "another provider");
    let late = begin().await;
    world.clock.minutes(10);
    let taken = take(Provider::GitHub, late.state.reveal(), late.browser.reveal()).await;
    assert_eq!(code_of(taken), "FORBIDDEN", "too late");
}

#[tokio::test]
async fn nobody_gets_an_account_through_an_address_that_is_not_verified_on_both_sides() {
    let world = world();
    let accounts = &world.accounts;
    let ada = world.verified(ADA).await;
    accounts.sign_up("new@example.org", PASSWORD, &client(1)).await.unwrap();
    let sign_in = async |who| accounts.sign_in_with(Provider::GitHub, who, &client(2)).await;
    let unverified = sign_in(outside("1", ADA, false)).await;
    assert_eq!(code_of(unverified), "EMAIL_NOT_VERIFIED");
    let none = OutsideUser { email: None, ..outside("1", ADA, true) };
    assert_eq!(code_of(sign_in(none).await), "EMAIL_NOT_VERIFIED");
    assert_eq!(code_of(sign_in(outside("1", "new@example.org", true)).await), "EMAIL_IN_USE");
    let linked = sign_in(outside("1", "Ada@Example.org", true)).await.unwrap();
    assert_eq!(linked.user, ada);
    let moved = sign_in(outside("1", "new@example.org", true)).await.unwrap();
    assert_eq!(moved.user, ada, "the link is to the id there");
    assert_ne!(linked.session.reveal(), moved.session.reveal());
    assert!(accounts.session(moved.session.reveal()).await.unwrap().is_some());
    accounts.set_disabled(&ada.id, true).await.unwrap();
    assert_eq!(code_of(sign_in(outside("1", ADA, true)).await), "USER_DISABLED");
}

#[tokio::test]
async fn a_user_without_a_password_can_set_one_by_a_reset_only() {
    let world = world();
    let accounts = &world.accounts;
    let who = outside("1", ADA, true);
    let signed_in = accounts.sign_in_with(Provider::Google, who, &client(1)).await.unwrap();
    assert!(signed_in.user.is_verified);
    assert_eq!(code_of(accounts.log_in(ADA, "", &client(1)).await), "INVALID_CREDENTIALS");
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "INVALID_CREDENTIALS");
    let who = accounts.session(signed_in.session.reveal()).await.unwrap().unwrap();
    let changed = accounts.change_password(&who, "", PASSWORD, &client(1)).await;
    assert_eq!(code_of(changed), "INVALID_CREDENTIALS");
    accounts.begin_reset(ADA, &client(1)).await.unwrap();
    let code = world.mail.last_code(ADA);
    accounts.reset(ADA, &code, PASSWORD, &client(1)).await.unwrap();
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "OK");
}
