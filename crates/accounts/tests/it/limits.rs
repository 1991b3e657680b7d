//! How often anybody may try.

use std::time::Duration;

use consign_accounts::{Error, Provider};
use consign_testkit::accounts::{PASSWORD, client};
use tokio::task::JoinSet;

use crate::{ADA, code_of, world};

#[tokio::test]
async fn an_account_takes_ten_log_ins_from_anywhere_and_then_not_the_right_password_either() {
    let world = world();
    let accounts = &world.accounts;
    world.verified(ADA).await;
    for number in 0..10 {
        let tried = accounts.log_in(ADA, "wrong password", &client(number)).await;
        assert_eq!(code_of(tried), "INVALID_CREDENTIALS");
    }
    world.clock.minutes(5);
    let computed = world.passwords.computed();
    let Err(Error::RateLimited { retry_after }) =
        accounts.log_in("ADA@example.org", PASSWORD, &client(20)).await
    else {
        panic!("it is over the limit");
    };
    assert_eq!(retry_after, Duration::from_secs(600));
    assert_eq!(world.passwords.computed(), computed, "the password is not looked at");
    world.clock.minutes(10);
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(20)).await), "OK");
}

#[tokio::test]
async fn an_address_takes_thirty_log_ins_whoever_is_meant() {
    let world = world();
    let accounts = &world.accounts;
    world.verified(ADA).await;
    for number in 0..30 {
        let email = format!("user{number}@example.org");
        let tried = accounts.log_in(&email, PASSWORD, &client(1)).await;
        assert_eq!(code_of(tried), "USER_NOT_FOUND");
    }
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "RATE_LIMITED");
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(2)).await), "OK");
}

#[tokio::test]
async fn success_clears_the_count_of_the_account_and_not_that_of_the_address() {
    let world = world();
    let accounts = &world.accounts;
    world.verified(ADA).await;
    for _ in 0..3 {
        for _ in 0..9 {
            accounts.log_in(ADA, "wrong password", &client(1)).await.unwrap_err();
        }
        assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "OK");
    }
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "RATE_LIMITED");
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(2)).await), "OK");
}

#[tokio::test]
async fn the_other_routes_take_thirty_from_an_address_together() {
    let world = world();
    let accounts = &world.accounts;
    world.verified(ADA).await;
    for _ in 0..5 {
        accounts.verify("eve@example.org", "123456", &client(1)).await.unwrap_err();
        accounts.resend("eve@example.org", &client(1)).await.unwrap_err();
        accounts.begin_reset("eve@example.org", &client(1)).await.unwrap_err();
        accounts.reset("eve@example.org", "123456", PASSWORD, &client(1)).await.unwrap_err();
        accounts.set_up("token", "eve@example.org", PASSWORD, &client(1)).await.unwrap_err();
        accounts.begin_oauth(Provider::GitHub, &client(1)).await.unwrap();
    }
    let computed = world.passwords.computed();
    let refused = [
        code_of(accounts.sign_up("eve@example.org", PASSWORD, &client(1)).await),
        code_of(accounts.verify(ADA, "123456", &client(1)).await),
        code_of(accounts.resend(ADA, &client(1)).await),
        code_of(accounts.begin_reset(ADA, &client(1)).await),
        code_of(accounts.reset(ADA, "123456", PASSWORD, &client(1)).await),
        code_of(accounts.set_up("token", ADA, PASSWORD, &client(1)).await),
        code_of(accounts.begin_oauth(Provider::Google, &client(1)).await),
    ];
    assert_eq!(refused, ["RATE_LIMITED"; 7]);
    assert_eq!(world.passwords.computed(), computed);
    assert_eq!(code_of(accounts.begin_reset(ADA, &client(2)).await), "OK");
    assert_eq!(code_of(accounts.log_in(ADA, PASSWORD, &client(1)).await), "OK");
}

#[tokio::test]
async fn of_forty_log_ins_at_once_ten_are_looked_at() {
    let world = world();
    world.verified(ADA).await;
    let computed = world.passwords.computed();
    let mut all = JoinSet::new();
    for number in 0..40 {
        let accounts = world.accounts.clone();
        all.spawn(async move { accounts.log_in(ADA, "wrong password", &client(number)).await });
    }
    let answers: Vec<_> = all.join_all().await.into_iter().map(code_of).collect();
    let of = |code: &str| answers.iter().filter(|answer| **answer == code).count();
    assert_eq!((of("INVALID_CREDENTIALS"), of("RATE_LIMITED")), (10, 30));
    assert_eq!(world.passwords.computed() - computed, 10);
}
