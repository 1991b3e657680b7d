//! The first user.

use consign_accounts::Role;
use consign_testkit::accounts::{PASSWORD, client};
use tokio::task::JoinSet;

use crate::{ADA, code_of, world};

#[tokio::test]
async fn the_newest_token_makes_the_first_user_and_signs_in() {
    let world = world();
    let accounts = &world.accounts;
    let old = accounts.setup_token().await.unwrap().unwrap();
    let token = accounts.setup_token().await.unwrap().unwrap();
    assert!(token.reveal().starts_with("cu_"));
    let set_up = async |token: &str| accounts.set_up(token, ADA, PASSWORD, &client(1)).await;
    assert_eq!(code_of(set_up("cu_made-up").await), "FORBIDDEN");
    assert_eq!(code_of(set_up(old.reveal()).await), "FORBIDDEN");
    assert!(!accounts.has_users().await.unwrap());
    let signed_in = set_up(token.reveal()).await.unwrap();
    assert_eq!((signed_in.user.role, signed_in.user.is_verified), (Role::Admin, true));
    assert!(accounts.session(signed_in.session.reveal()).await.unwrap().is_some());
    assert_eq!(code_of(set_up(token.reveal()).await), "FORBIDDEN", "once only");
    assert!(accounts.setup_token().await.unwrap().is_none());
    assert!(accounts.has_users().await.unwrap());
}

#[tokio::test]
async fn of_two_set_ups_at_once_one_succeeds() {
    let world = world();
    let token = world.accounts.setup_token().await.unwrap().unwrap();
    let mut all = JoinSet::new();
    for number in 0..10 {
        let (accounts, token) = (world.accounts.clone(), token.clone());
        let email = format!("user{number}@example.org");
        all.spawn(async move {
            accounts.set_up(token.reveal(), &email, PASSWORD, &client(number)).await
        });
    }
    let answers: Vec<_> = all.join_all().await.into_iter().map(code_of).collect();
    assert_eq!(answers.iter().filter(|answer| **answer == "OK").count(), 1);
    assert_eq!(answers.iter().filter(|answer| **answer == "FORBIDDEN").count(), 9);
    assert_eq!(world.accounts.users().await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_terminal_adds_verified_users_and_the_first_is_an_administrator() {
    let world = world();
    let accounts = &world.accounts;
    let add = async |email: &str, role| accounts.add_user(email, PASSWORD, role).await;
    let first = add(ADA, Role::Member).await.unwrap();
    assert_eq!((first.role, first.is_verified), (Role::Admin, true));
    assert_eq!(add("bob@example.org", Role::Member).await.unwrap().role, Role::Member);
    assert_eq!(add("cy@example.org", Role::Admin).await.unwrap().role, Role::Admin);
    assert_eq!(code_of(add("BOB@example.org", Role::Member).await), "EMAIL_IN_USE");
    assert_eq!(accounts.find_user("Bob@Example.org").await.unwrap().email, "bob@example.org");
    assert_eq!(code_of(accounts.find_user("eve@example.org").await), "USER_NOT_FOUND");
    world.logged_in("bob@example.org").await;
    assert!(world.mail.all().is_empty());
}
