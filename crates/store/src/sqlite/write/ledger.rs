//! The owner's account, when a step changes it.

use consign_engine::{
    Owner,
    store::{Account, Ledger, Refusal},
};
use rusqlite::{Connection, params};

use crate::sqlite::{read::account, sql::int};

/// What the account will be; `None` if the step does not touch it. What is spent and released
/// counts before what is newly reserved, and only the last can be refused.
pub(super) fn settle(
    db: &Connection,
    owner: &Owner,
    ledger: Ledger,
) -> rusqlite::Result<Result<Option<Account>, Refusal>> {
    if ledger == Ledger::default() {
        return Ok(Ok(None));
    }
    let mut account = account(db, owner)?;
    account.spent = account.spent + ledger.spend;
    let before = account.reserved;
    account.reserved = before.minus(ledger.release);
    if let Some(headroom) = account.headroom().filter(|headroom| ledger.reserve > *headroom) {
        return Ok(Err(Refusal::OverCap { headroom }));
    }
    // A step may release what it has itself reserved.
    account.reserved = (before + ledger.reserve).minus(ledger.release);
    Ok(Ok(Some(account)))
}

/// Keeps it. The owner has an account since the first run was made.
pub(super) fn keep(db: &Connection, owner: &Owner, account: &Account) -> rusqlite::Result<()> {
    let sql = "UPDATE owners SET spent = ?1, reserved = ?2 WHERE name = ?3";
    let (spent, reserved) = (int(account.spent.get()), int(account.reserved.get()));
    db.prepare_cached(sql)?.execute(params![spent, reserved, owner.as_str()])?;
    Ok(())
}
