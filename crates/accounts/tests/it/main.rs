//! The rules of accounts, on the store in memory.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod codes;
mod discreet;
mod limits;
mod log_in;
mod oauth;
mod sessions;
mod set_up;
mod tokens;

use consign_accounts::Error;
use consign_testkit::{accounts::AccountsWorld, memory::MemoryStore};

fn world() -> AccountsWorld {
    AccountsWorld::new(std::sync::Arc::new(MemoryStore::new()))
}

fn discreet() -> AccountsWorld {
    AccountsWorld::discreet(std::sync::Arc::new(MemoryStore::new()))
}

/// The code of a refusal, or `OK`.
fn code_of<T>(answer: Result<T, Error>) -> &'static str {
    answer.map_or_else(|error| error.code(), |_| "OK")
}

const ADA: &str = "ada@example.org";
