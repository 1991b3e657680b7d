//! Accounts on this store: many threads and processes at once, and after a restart.

use std::{path::Path, sync::Arc};

use consign_accounts::{Accounts, Error, Options as AccountOptions};
use consign_store::{Options, SqliteStore};
use consign_testkit::accounts::{AccountsWorld, PASSWORD, client};
use tokio::task::JoinSet;

use crate::ground::Home;

const ADA: &str = "ada@example.org";

/// As another process would open it.
fn opened(home: &Path, seed: u64) -> AccountsWorld {
    let store = SqliteStore::open(home, &Options::default()).unwrap();
    AccountsWorld::with(Arc::new(store), AccountOptions::default(), seed)
}

fn code_of<T>(answer: &Result<T, Error>) -> &'static str {
    answer.as_ref().map_or_else(|error| error.code(), |_| "OK")
}

fn number_of<T>(answers: &[Result<T, Error>], code: &str) -> usize {
    answers.iter().filter(|answer| code_of(answer) == code).count()
}

/// One of two processes.
fn one_of(worlds: &[AccountsWorld; 2], number: u8) -> Accounts {
    worlds[usize::from(number % 2)].accounts.clone()
}

#[tokio::test]
async fn of_forty_log_ins_at_once_in_two_processes_ten_are_looked_at() {
    let home = Home::new();
    let worlds = [opened(home.path(), 1), opened(home.path(), 2)];
    worlds[0].verified(ADA).await;
    let computed = || worlds.iter().map(|world| world.passwords.computed()).sum::<u64>();
    let before = computed();
    let mut all = JoinSet::new();
    for number in 0..40 {
        let accounts = one_of(&worlds, number);
        all.spawn(async move { accounts.log_in(ADA, "wrong password", &client(number)).await });
    }
    let answers = all.join_all().await;
    assert_eq!(number_of(&answers, "INVALID_CREDENTIALS"), 10);
    assert_eq!(number_of(&answers, "RATE_LIMITED"), 30);
    assert_eq!(computed() - before, 10);
}

#[tokio::test]
async fn of_fifty_guesses_at_once_in_two_processes_five_are_looked_at() {
    let home = Home::new();
    let worlds = [opened(home.path(), 1), opened(home.path(), 2)];
    worlds[0].accounts.sign_up(ADA, PASSWORD, &client(200)).await.unwrap();
    let code = worlds[0].mail.last_code(ADA);
    let right: u32 = code.parse().unwrap();
    let mut all = JoinSet::new();
    for number in 0..50_u8 {
        let accounts = one_of(&worlds, number);
        let guess = format!("{:06}", (right + 1 + u32::from(number)) % 1_000_000);
        all.spawn(async move { accounts.verify(ADA, &guess, &client(number)).await });
    }
    assert_eq!(number_of(&all.join_all().await, "INVALID_CODE"), 50);
    let dead = worlds[0].accounts.verify(ADA, &code, &client(201)).await;
    assert_eq!(code_of(&dead), "INVALID_CODE");
}

#[tokio::test]
async fn of_twenty_sign_ups_at_once_one_makes_the_account_and_one_code_is_sent() {
    let home = Home::new();
    let worlds = [opened(home.path(), 1), opened(home.path(), 2)];
    let mut all = JoinSet::new();
    for number in 0..20 {
        let accounts = one_of(&worlds, number);
        all.spawn(async move { accounts.sign_up(ADA, PASSWORD, &client(number)).await });
    }
    let answers = all.join_all().await;
    assert_eq!((number_of(&answers, "OK"), number_of(&answers, "EMAIL_IN_USE")), (1, 19));
    assert_eq!(worlds[0].mail.all().len() + worlds[1].mail.all().len(), 1);
}

#[tokio::test]
async fn a_restart_forgets_no_attempt_no_try_and_no_session() {
    let home = Home::new();
    let world = opened(home.path(), 1);
    world.verified(ADA).await;
    let session = world.logged_in(ADA).await.session;
    for number in 0..10 {
        world.accounts.log_in(ADA, "wrong password", &client(number)).await.unwrap_err();
    }
    world.accounts.begin_reset(ADA, &client(1)).await.unwrap();
    let code = world.mail.last_code(ADA);
    for number in 0..5 {
        let guess = if code == "000000" { "000001" } else { "000000" };
        let tried = world.accounts.reset(ADA, guess, PASSWORD, &client(number)).await;
        assert_eq!(code_of(&tried), "INVALID_CODE");
    }
    drop(world);
    let world = opened(home.path(), 2);
    let accounts = &world.accounts;
    assert!(accounts.session(session.reveal()).await.unwrap().is_some());
    assert_eq!(code_of(&accounts.log_in(ADA, PASSWORD, &client(20)).await), "RATE_LIMITED");
    assert_eq!(code_of(&accounts.reset(ADA, &code, PASSWORD, &client(20)).await), "INVALID_CODE");
    assert_eq!(code_of(&accounts.begin_reset(ADA, &client(20)).await), "OK", "the third code");
    assert_eq!(code_of(&accounts.begin_reset(ADA, &client(20)).await), "RATE_LIMITED");
    world.clock.minutes(15);
    assert_eq!(code_of(&accounts.log_in(ADA, PASSWORD, &client(20)).await), "OK");
}

/// The bytes of a home hold what a thief could use only as digests.
#[tokio::test]
async fn no_secret_is_in_the_files() {
    let home = Home::new();
    let world = opened(home.path(), 1);
    let setup = world.accounts.setup_token().await.unwrap().unwrap();
    let user = world.verified(ADA).await;
    let signed_in = world.logged_in(ADA).await;
    let (_, token) = world.accounts.create_token(&user.id, None, None).await.unwrap();
    drop(world);
    let mut bytes = Vec::new();
    for name in ["consign.db", "consign.db-wal"] {
        bytes.extend(std::fs::read(home.path().join(name)).unwrap_or_default());
    }
    let has = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has(ADA), "this looks at the right bytes");
    for secret in [setup.reveal(), signed_in.session.reveal(), token.reveal(), PASSWORD] {
        assert!(!has(secret) && !has(&secret[3..]));
    }
    assert!(!has(&signed_in.csrf));
}

/// Each request asks for its session: this must stay one search in an index.
#[tokio::test]
async fn sessions_and_tokens_are_found_by_their_index() {
    let home = Home::new();
    drop(opened(home.path(), 1));
    let db = home.database();
    for (table, index) in [("sessions", "PRIMARY KEY"), ("tokens", "tokens_by_digest")] {
        let sql = format!(
            "EXPLAIN QUERY PLAN SELECT users.id FROM {table} \
             JOIN users ON users.key = {table}.user WHERE digest = x'00'"
        );
        let mut find = db.prepare(&sql).unwrap();
        let plan = find.query_map([], |row| row.get::<_, String>(3)).unwrap();
        let plan: Vec<_> = plan.map(Result::unwrap).collect();
        assert!(plan.iter().all(|line| line.starts_with("SEARCH")), "{plan:?}");
        assert!(plan[0].contains(index), "{plan:?}");
    }
}
