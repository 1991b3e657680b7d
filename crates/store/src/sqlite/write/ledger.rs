//! Settles a step's money on its owner's account.

use consign_engine::{
    Owner,
    store::{Account, Ledger, Refusal},
};
use rusqlite::{Connection, params};

use crate::sqlite::{read::account, sql::int};

/// The account after the step; `None` if the step does not change it.
pub(super) fn settle(
    db: &Connection,
    owner: &Owner,
    ledger: Ledger,
) -> rusqlite::Result<Result<Option<Account>, Refusal>> {
    if ledger == Ledger::default() {
        return Ok(Ok(None));
    }
    Ok(account(db, owner)?.settled(ledger).map(Some))
}

/// Writes the account. It exists since the owner's first run; if it is gone, the whole step fails,
/// because its spending would be forgotten.
pub(super) fn keep(db: &Connection, owner: &Owner, account: &Account) -> rusqlite::Result<()> {
    let sql = "UPDATE owners SET spent = ?1, reserved = ?2 WHERE name = ?3";
    let (spent, reserved) = (int(account.spent.get()), int(account.reserved.get()));
    match db.prepare_cached(sql)?.execute(params![spent, reserved, owner.as_str()])? {
        1 => Ok(()),
        kept => Err(rusqlite::Error::StatementChangedRows(kept)),
    }
}
