//! What the cases about accounts share: drafts of users, codes and sessions.

use std::{sync::Arc, time::Duration};

use consign_accounts::{
    AccountStore, Added, At, CodeTry, Digest, Email, Limit, NewCode, NewSession, NewToken, NewUser,
    PasswordHash, Purpose, Role, Scopes, Subject, User, UserId,
};

use crate::draft::DAWN;

pub(super) const WINDOW: Duration = Duration::from_secs(900);

pub(super) fn id(number: u8) -> UserId {
    let word = format!("00000000-0000-4000-8000-0000000000{number:02x}");
    UserId::from_word(&word).expect("it has the form of a UUID")
}

pub(super) fn email(text: &str) -> Email {
    Email::parse(text).expect("an address")
}

pub(super) fn hash(text: &str) -> PasswordHash {
    PasswordHash::new(text)
}

pub(super) fn subject(name: &str) -> Subject {
    Subject::new(name)
}

pub(super) fn limit(name: &str, most: u32) -> Limit {
    Limit { subject: subject(name), most, window: WINDOW }
}

pub(super) fn later(seconds: u64) -> At {
    DAWN + Duration::from_secs(seconds)
}

/// A verified user with the password `old`.
pub(super) fn new_user(number: u8, address: &str) -> NewUser {
    NewUser {
        id: id(number),
        email: email(address),
        role: Role::Member,
        is_verified: true,
        password: Some(hash("old")),
        created_at: later(number.into()),
    }
}

pub(super) async fn added(store: &Arc<dyn AccountStore>, new: NewUser) -> User {
    let answer = store.add_user(new, None).await.expect("an answer");
    let Added::Done(user) = answer else { panic!("the user was not added: {answer:?}") };
    user
}

pub(super) fn code(digits: &str, purpose: Purpose) -> NewCode {
    let digest = Digest::of(digits);
    NewCode { digest, purpose, made_at: DAWN, limit: limit("codes", 3) }
}

pub(super) fn code_try(user: UserId, digits: &str, purpose: Purpose) -> CodeTry {
    let made_after = At(DAWN.0 - 1);
    CodeTry { user, purpose, digest: Digest::of(digits), made_after, most: 5, password: None }
}

pub(super) fn session(user: UserId, secret: &str) -> NewSession {
    let digest = Digest::of(secret);
    NewSession { digest, user, made_at: DAWN, ends_at: later(1_000) }
}

pub(super) async fn opened(store: &Arc<dyn AccountStore>, user: UserId, secret: &str) {
    let opened = store.open_session(session(user, secret), &hash("old"), &subject("none")).await;
    assert!(opened.expect("an answer"), "the session is opened");
}

/// Which of these sessions are there, as one word each.
pub(super) async fn sessions(store: &Arc<dyn AccountStore>, secrets: &[&str]) -> Vec<String> {
    let mut there = Vec::new();
    for secret in secrets {
        if store.session(&Digest::of(secret)).await.expect("an answer").is_some() {
            there.push((*secret).to_owned());
        }
    }
    there
}

pub(super) fn token(user: UserId, secret: &str, scopes: Option<&str>) -> NewToken {
    NewToken {
        digest: Digest::of(secret),
        id: format!("id-of-{secret}"),
        user,
        name: None,
        scopes: scopes.and_then(Scopes::from_words),
        made_at: DAWN,
    }
}
