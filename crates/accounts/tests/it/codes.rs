//! Signing up, verifying, and setting a password that was forgotten.

use consign_accounts::{Purpose, Role};
use consign_testkit::accounts::{PASSWORD, client};

use crate::{ADA, code_of, world};

/// A code that is not this one.
fn wrong(code: &str) -> String {
    let number: u32 = code.parse().unwrap();
    format!("{:06}", (number + 1) % 1_000_000)
}

#[tokio::test]
async fn a_sign_up_sends_a_code_and_the_code_verifies() {
    let world = world();
    let accounts = &world.accounts;
    let user = accounts.sign_up("Ada@Example.org", PASSWORD, &client(1)).await.unwrap();
    assert_eq!((user.email.as_str(), user.role), ("Ada@Example.org", Role::Admin));
    assert!(!user.is_verified);
    let [(to, code, purpose)] = &world.mail.all()[..] else { panic!("one mail") };
    assert_eq!((to.as_str(), *purpose), ("Ada@Example.org", Purpose::Verify));
    assert!(code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "EMAIL_NOT_VERIFIED");
    assert_eq!(code_of(accounts.verify(ADA, &wrong(code), &client(1)).await), "INVALID_CODE");
    assert_eq!(code_of(accounts.verify(ADA, code, &client(1)).await), "OK");
    assert_eq!(code_of(accounts.verify(ADA, code, &client(1)).await), "ALREADY_VERIFIED");
    assert_eq!(code_of(accounts.resend(ADA, &client(1)).await), "ALREADY_VERIFIED");
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "OK");
}

#[tokio::test]
async fn what_cannot_be_is_refused_before_anything_is_counted_or_written() {
    let world = world();
    let accounts = &world.accounts;
    let long = "p".repeat(257);
    for (email, password, field) in [
        ("ada", PASSWORD, "email"),
        (ADA, "1234567", "password"),
        (ADA, long.as_str(), "password"),
        (ADA, "ééééééé", "password"),
    ] {
        let refused = accounts.sign_up(email, password, &client(1)).await.unwrap_err();
        assert_eq!(refused.code(), "VALIDATION_ERROR");
        assert!(refused.to_string().starts_with(field), "{refused}");
    }
    assert!(!accounts.has_users().await.unwrap());
    assert_eq!(world.passwords.computed(), 0);
    let longest = "é".repeat(256);
    accounts.sign_up(ADA, &longest, &client(1)).await.unwrap();
}

#[tokio::test]
async fn an_address_is_signed_up_once_and_strangers_are_told() {
    let world = world();
    let accounts = &world.accounts;
    world.verified(ADA).await;
    let again = accounts.sign_up("ADA@EXAMPLE.ORG", PASSWORD, &client(1)).await;
    assert_eq!(code_of(again), "EMAIL_IN_USE");
    for answer in [
        accounts.verify("eve@example.org", "123456", &client(1)).await,
        accounts.resend("eve@example.org", &client(1)).await,
        accounts.begin_reset("eve@example.org", &client(1)).await,
        accounts.reset("eve@example.org", "123456", PASSWORD, &client(1)).await,
    ] {
        assert_eq!(code_of(answer), "USER_NOT_FOUND");
    }
    assert_eq!(world.mail.all().len(), 1);
}

#[tokio::test]
async fn a_new_code_voids_the_one_before_and_there_are_three_in_a_quarter() {
    let world = world();
    let accounts = &world.accounts;
    accounts.sign_up(ADA, PASSWORD, &client(1)).await.unwrap();
    let first = world.mail.last_code(ADA);
    world.clock.minutes(5);
    accounts.resend(ADA, &client(1)).await.unwrap();
    let second = world.mail.last_code(ADA);
    assert_eq!(code_of(accounts.verify(ADA, &first, &client(1)).await), "INVALID_CODE");
    accounts.begin_reset(ADA, &client(1)).await.unwrap();
    assert_eq!(code_of(accounts.verify(ADA, &second, &client(1)).await), "INVALID_CODE");
    let fourth = accounts.resend("Ada@example.org", &client(2)).await.unwrap_err();
    assert_eq!(fourth.code(), "RATE_LIMITED");
    assert!(fourth.to_string().contains("600 seconds"), "{fourth}");
    assert_eq!(world.mail.all().len(), 3);
    world.clock.minutes(10);
    assert_eq!(code_of(accounts.resend(ADA, &client(1)).await), "OK");
    assert_eq!(code_of(accounts.verify(ADA, &world.mail.last_code(ADA), &client(1)).await), "OK");
}

#[tokio::test]
async fn a_code_lasts_fifteen_minutes() {
    let world = world();
    let accounts = &world.accounts;
    accounts.sign_up(ADA, PASSWORD, &client(1)).await.unwrap();
    world.clock.minutes(15);
    let late = accounts.verify(ADA, &world.mail.last_code(ADA), &client(1)).await;
    assert_eq!(code_of(late), "INVALID_CODE");
    accounts.resend(ADA, &client(1)).await.unwrap();
    world.clock.minutes(14);
    assert_eq!(code_of(accounts.verify(ADA, &world.mail.last_code(ADA), &client(1)).await), "OK");
}

#[tokio::test]
async fn after_five_wrong_tries_from_anywhere_the_right_code_is_dead() {
    let world = world();
    let accounts = &world.accounts;
    accounts.sign_up(ADA, PASSWORD, &client(1)).await.unwrap();
    let code = world.mail.last_code(ADA);
    for number in 2..7 {
        let tried = accounts.verify(ADA, &wrong(&code), &client(number)).await;
        assert_eq!(code_of(tried), "INVALID_CODE");
    }
    assert_eq!(code_of(accounts.verify(ADA, &code, &client(1)).await), "INVALID_CODE");
}

#[tokio::test]
async fn a_reset_sets_the_password_ends_sessions_and_verifies() {
    let world = world();
    let accounts = &world.accounts;
    world.verified(ADA).await;
    let signed_in = world.logged_in(ADA).await;
    accounts.begin_reset("ADA@example.org", &client(1)).await.unwrap();
    let (to, code, purpose) = world.mail.all().pop().unwrap();
    assert_eq!((to.as_str(), purpose), (ADA, Purpose::Reset));
    let new = "another password";
    let tried = accounts.reset(ADA, &wrong(&code), new, &client(1)).await;
    assert_eq!(code_of(tried), "INVALID_CODE");
    assert!(accounts.session(signed_in.session.reveal()).await.unwrap().is_some());
    accounts.reset(ADA, &code, new, &client(1)).await.unwrap();
    assert!(accounts.session(signed_in.session.reveal()).await.unwrap().is_none());
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "INVALID_CREDENTIALS");
    assert_eq!(code_of(accounts.log_in(ADA, new, &client(1)).await), "OK");
    assert_eq!(code_of(accounts.reset(ADA, &code, PASSWORD, &client(1)).await), "INVALID_CODE");

    accounts.sign_up("bob@example.org", PASSWORD, &client(1)).await.unwrap();
    accounts.begin_reset("bob@example.org", &client(1)).await.unwrap();
    let code = world.mail.last_code("bob@example.org");
    accounts.reset("bob@example.org", &code, new, &client(1)).await.unwrap();
    assert_eq!(code_of(accounts.log_in("bob@example.org", new, &client(1)).await), "OK");
}
