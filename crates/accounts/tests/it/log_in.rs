//! Logging in and changing a password.

use consign_accounts::Role;
use consign_testkit::accounts::{PASSWORD, client};

use crate::{ADA, code_of, world};

#[tokio::test]
async fn every_log_in_opens_a_new_session() {
    let world = world();
    let accounts = &world.accounts;
    let user = world.verified(ADA).await;
    let first = world.logged_in(ADA).await;
    let second = world.logged_in("ADA@example.org").await;
    assert!(first.session.reveal().starts_with("cs_"));
    assert_ne!(first.session.reveal(), second.session.reveal());
    assert_ne!(first.csrf, second.csrf);
    assert_eq!(first.user, user);
    for signed_in in [&first, &second] {
        let who = accounts.session(signed_in.session.reveal()).await.unwrap().unwrap();
        assert_eq!(who.user, user);
        let consign_accounts::Way::Session { csrf, .. } = who.way else { panic!("a session") };
        assert_eq!(csrf, signed_in.csrf);
    }
    let who = accounts.session(first.session.reveal()).await.unwrap().unwrap();
    accounts.log_out(&who).await.unwrap();
    assert!(accounts.session(first.session.reveal()).await.unwrap().is_none());
    assert!(accounts.session(second.session.reveal()).await.unwrap().is_some());
}

#[tokio::test]
async fn what_is_wrong_with_an_account_is_told_after_the_right_password_only() {
    let world = world();
    let accounts = &world.accounts;
    let log_in = async |email: &str, password: &str| {
        code_of(accounts.log_in(email, password, &client(1)).await)
    };
    world.verified(ADA).await;
    accounts.sign_up("new@example.org", PASSWORD, &client(1)).await.unwrap();
    let bob = accounts.add_user("bob@example.org", PASSWORD, Role::Member).await.unwrap();
    accounts.set_disabled(&bob.id, true).await.unwrap();
    assert_eq!(log_in(ADA, "wrong password").await, "INVALID_CREDENTIALS");
    assert_eq!(log_in("new@example.org", "wrong password").await, "INVALID_CREDENTIALS");
    assert_eq!(log_in("new@example.org", PASSWORD).await, "EMAIL_NOT_VERIFIED");
    assert_eq!(log_in("bob@example.org", "wrong password").await, "INVALID_CREDENTIALS");
    assert_eq!(log_in("bob@example.org", PASSWORD).await, "USER_DISABLED");
    assert_eq!(log_in("eve@example.org", PASSWORD).await, "USER_NOT_FOUND");
    assert_eq!(log_in("eve", PASSWORD).await, "VALIDATION_ERROR");
}

/// Time would tell whether there is an account, so the work is counted here.
#[tokio::test]
async fn an_unknown_account_costs_the_same_work() {
    let world = world();
    let accounts = &world.accounts;
    world.verified(ADA).await;
    let mut before = world.passwords.computed();
    let mut work = || {
        let now = world.passwords.computed();
        std::mem::replace(&mut before, now).abs_diff(now)
    };
    accounts.log_in(ADA, "wrong password", &client(1)).await.unwrap_err();
    assert_eq!(work(), 1);
    accounts.log_in("eve@example.org", "wrong password", &client(1)).await.unwrap_err();
    assert_eq!(work(), 1, "log-in");
    accounts.sign_up(ADA, PASSWORD, &client(1)).await.unwrap_err();
    assert_eq!(work(), 1, "sign-up");
    accounts.reset("eve@example.org", "123456", PASSWORD, &client(1)).await.unwrap_err();
    assert_eq!(work(), 1, "reset");
    accounts.reset(ADA, "123456", PASSWORD, &client(1)).await.unwrap_err();
    assert_eq!(work(), 1, "reset");
}

#[tokio::test]
async fn a_password_change_wants_the_old_one_and_keeps_only_its_own_session() {
    let world = world();
    let accounts = &world.accounts;
    world.verified(ADA).await;
    let (here, there) = (world.logged_in(ADA).await, world.logged_in(ADA).await);
    let who = accounts.session(here.session.reveal()).await.unwrap().unwrap();
    let change = async |current: &str, new: &str| {
        code_of(accounts.change_password(&who, current, new, &client(1)).await)
    };
    assert_eq!(change("wrong password", "new password").await, "INVALID_CREDENTIALS");
    assert_eq!(change(PASSWORD, "short").await, "VALIDATION_ERROR");
    assert!(accounts.session(there.session.reveal()).await.unwrap().is_some());
    assert_eq!(change(PASSWORD, "new password").await, "OK");
    assert!(accounts.session(here.session.reveal()).await.unwrap().is_some());
    assert!(accounts.session(there.session.reveal()).await.unwrap().is_none());
    assert_eq!(code_of(accounts.log_in(ADA, "new password", &client(1)).await), "OK");
    for _ in 0..10 {
        assert_eq!(change("wrong password", "new password").await, "INVALID_CREDENTIALS");
    }
    assert_eq!(change("new password", "newer password").await, "RATE_LIMITED");
}

#[tokio::test]
async fn the_terminal_sets_a_password_and_ends_all_sessions() {
    let world = world();
    let accounts = &world.accounts;
    let user = world.verified(ADA).await;
    let signed_in = world.logged_in(ADA).await;
    accounts.set_password(&user.id, "new password").await.unwrap();
    assert!(accounts.session(signed_in.session.reveal()).await.unwrap().is_none());
    assert_eq!(code_of(accounts.log_in(ADA, "new password", &client(1)).await), "OK");
    assert_eq!(code_of(accounts.set_password(&user.id, "short").await), "VALIDATION_ERROR");
}
