//! How long sessions last.

use std::time::Duration;

use crate::{ADA, world};

const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
async fn a_session_ends_after_fourteen_days_without_use() {
    let world = world();
    world.verified(ADA).await;
    let signed_in = world.logged_in(ADA).await;
    let is_open =
        async || world.accounts.session(signed_in.session.reveal()).await.unwrap().is_some();
    world.clock.forward(13 * DAY);
    assert!(is_open().await);
    world.clock.forward(13 * DAY);
    assert!(is_open().await, "it was used meanwhile");
    world.clock.forward(14 * DAY);
    assert!(!is_open().await);
}

#[tokio::test]
async fn a_session_ends_after_ninety_days_however_much_it_is_used() {
    let world = world();
    world.verified(ADA).await;
    let signed_in = world.logged_in(ADA).await;
    for day in 0..120 {
        let found = world.accounts.session(signed_in.session.reveal()).await.unwrap();
        assert_eq!(found.is_some(), day < 90, "day {day}");
        world.clock.forward(DAY);
    }
}

#[tokio::test]
async fn disabling_ends_sessions_and_tokens_and_enabling_brings_none_back() {
    let world = world();
    let accounts = &world.accounts;
    let user = world.verified(ADA).await;
    let session = world.logged_in(ADA).await.session;
    let (_, token) = accounts.create_token(&user.id, None, None).await.unwrap();
    let are_known = async || {
        let session = accounts.session(session.reveal()).await.unwrap();
        (session.is_some(), accounts.token(token.reveal()).await.unwrap().is_some())
    };
    assert_eq!(are_known().await, (true, true));
    assert!(accounts.set_disabled(&user.id, true).await.unwrap().is_disabled);
    assert_eq!(are_known().await, (false, false));
    accounts.set_disabled(&user.id, false).await.unwrap();
    assert_eq!(are_known().await, (false, false));
    world.logged_in(ADA).await;
}

#[tokio::test]
async fn one_kind_of_secret_is_never_taken_for_another() {
    let world = world();
    let accounts = &world.accounts;
    let user = world.verified(ADA).await;
    let session = world.logged_in(ADA).await.session;
    let (_, token) = accounts.create_token(&user.id, None, None).await.unwrap();
    assert!(accounts.token(session.reveal()).await.unwrap().is_none());
    assert!(accounts.session(token.reveal()).await.unwrap().is_none());
    for nothing in ["", "cs_", "ct_", "cs_AAAA"] {
        assert!(accounts.session(nothing).await.unwrap().is_none());
        assert!(accounts.token(nothing).await.unwrap().is_none());
    }
}
