//! With `is_discreet` nobody can find out who has an account.

use consign_accounts::Role;
use consign_testkit::accounts::{AccountsWorld, PASSWORD, client};

use crate::{ADA, code_of, discreet};

/// Every answer of every public route that names this address.
async fn answers(world: &AccountsWorld, email: &str) -> Vec<&'static str> {
    let (accounts, client) = (&world.accounts, client(9));
    let mut all = Vec::new();
    all.push(code_of(accounts.verify(email, "000000", &client).await));
    all.push(code_of(accounts.resend(email, &client).await));
    all.push(code_of(accounts.begin_reset(email, &client).await));
    all.push(code_of(accounts.reset(email, "000000", PASSWORD, &client).await));
    all.push(code_of(accounts.log_in(email, "wrong password", &client).await));
    // The third code, and then none.
    all.push(code_of(accounts.sign_up(email, PASSWORD, &client).await));
    all.push(code_of(accounts.sign_up(email, PASSWORD, &client).await));
    all.push(code_of(accounts.resend(email, &client).await));
    all.push(code_of(accounts.begin_reset(email, &client).await));
    all
}

#[tokio::test]
async fn known_and_unknown_addresses_are_answered_alike() {
    let expected = [
        "INVALID_CODE",
        "OK",
        "OK",
        "INVALID_CODE",
        "INVALID_CREDENTIALS",
        "OK",
        "RATE_LIMITED",
        "RATE_LIMITED",
        "RATE_LIMITED",
    ];
    let unknown = discreet();
    assert_eq!(answers(&unknown, ADA).await, expected, "unknown");
    let verified = discreet();
    verified.accounts.add_user(ADA, PASSWORD, Role::Member).await.unwrap();
    assert_eq!(answers(&verified, ADA).await, expected, "verified");
    let disabled = discreet();
    let user = disabled.accounts.add_user(ADA, PASSWORD, Role::Member).await.unwrap();
    disabled.accounts.set_disabled(&user.id, true).await.unwrap();
    assert_eq!(answers(&disabled, ADA).await, expected, "disabled");
    let unverified = discreet();
    unverified.accounts.sign_up(ADA, PASSWORD, &client(9)).await.unwrap();
    unverified.clock.minutes(15);
    assert_eq!(answers(&unverified, ADA).await, expected, "unverified");
}

#[tokio::test]
async fn the_work_is_the_same_too() {
    let (unknown, known) = (discreet(), discreet());
    known.accounts.add_user(ADA, PASSWORD, Role::Member).await.unwrap();
    let before = known.passwords.computed();
    answers(&unknown, ADA).await;
    answers(&known, ADA).await;
    assert_eq!(unknown.passwords.computed(), known.passwords.computed() - before);
}

#[tokio::test]
async fn a_sign_up_of_a_known_address_looks_new_and_changes_nothing() {
    let world = discreet();
    let accounts = &world.accounts;
    accounts.add_user("root@example.org", PASSWORD, Role::Admin).await.unwrap();
    let ada = world.verified(ADA).await;
    let mails = world.mail.all().len();
    let shown = accounts.sign_up(ADA, "another password", &client(1)).await.unwrap();
    let new = accounts.sign_up("eve@example.org", PASSWORD, &client(1)).await.unwrap();
    assert_ne!(shown.id, ada.id);
    let looks = |user: &consign_accounts::User| (user.role, user.is_verified, user.created_at);
    assert_eq!(looks(&shown), looks(&new));
    assert_eq!(world.mail.all().len(), mails + 1, "only the new one gets mail");
    assert_eq!(accounts.users().await.unwrap().len(), 3);
    assert_eq!(
        code_of(accounts.log_in(ADA, "another password", &client(1)).await),
        "INVALID_CREDENTIALS"
    );
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "OK");
}

#[tokio::test]
async fn a_log_in_does_not_tell_that_an_account_is_unverified_or_disabled() {
    let world = discreet();
    let accounts = &world.accounts;
    accounts.sign_up(ADA, PASSWORD, &client(1)).await.unwrap();
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "INVALID_CREDENTIALS");
    let code = world.mail.last_code(ADA);
    accounts.verify(ADA, &code, &client(1)).await.unwrap();
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "OK");
    let user = accounts.find_user(ADA).await.unwrap();
    accounts.set_disabled(&user.id, true).await.unwrap();
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "INVALID_CREDENTIALS");
}
