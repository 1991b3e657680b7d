//! Reads what owners have spent, and the secrets that name their large values.

use consign_engine::{Owner, RunId, store::Account};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::{
    blobs::Secret,
    sqlite::sql::{nanos, nanos_or_none},
};

/// The account of an owner. An unknown owner has spent nothing.
pub(crate) fn account(db: &Connection, owner: &Owner) -> rusqlite::Result<Account> {
    let sql = "SELECT spent, reserved, cap FROM owners WHERE name = ?1";
    let found = db.prepare_cached(sql)?.query_row([owner.as_str()], |row| read(row, 0));
    Ok(found.optional()?.unwrap_or_default())
}

pub(crate) fn accounts(db: &Connection) -> rusqlite::Result<Vec<(Owner, Account)>> {
    let mut all =
        db.prepare_cached("SELECT name, spent, reserved, cap FROM owners ORDER BY name")?;
    let all = all.query_map([], |row| Ok((row.get::<_, String>(0)?.into(), read(row, 1)?)))?;
    all.collect()
}

fn read(row: &Row<'_>, from: usize) -> rusqlite::Result<Account> {
    Ok(Account {
        spent: nanos(row, from)?,
        reserved: nanos(row, from + 1)?,
        cap: nanos_or_none(row, from + 2)?,
    })
}

pub(crate) fn secret(db: &Connection, owner: &Owner) -> rusqlite::Result<Option<Secret>> {
    let mut find = db.prepare_cached("SELECT secret FROM owners WHERE name = ?1")?;
    find.query_row([owner.as_str()], |row| row.get(0).map(Secret)).optional()
}

pub(crate) fn secret_of_run(db: &Connection, run: &RunId) -> rusqlite::Result<Option<Secret>> {
    let sql = "SELECT secret FROM runs JOIN owners ON name = owner WHERE id = ?1";
    db.prepare_cached(sql)?.query_row([run.as_str()], |row| row.get(0).map(Secret)).optional()
}
