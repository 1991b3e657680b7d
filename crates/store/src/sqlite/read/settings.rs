//! Reads what owners have set.

use consign_accounts::Setting;
use consign_engine::{At, Data, Owner};
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(crate) fn setting(
    db: &Connection,
    owner: &Owner,
    name: &str,
) -> rusqlite::Result<Option<Setting>> {
    let sql = "SELECT name, value, at FROM settings WHERE owner = ?1 AND name = ?2";
    db.prepare_cached(sql)?.query_row(params![owner.as_str(), name], read).optional()
}

/// All settings of an owner, by name.
pub(crate) fn settings(db: &Connection, owner: &Owner) -> rusqlite::Result<Vec<Setting>> {
    let sql = "SELECT name, value, at FROM settings WHERE owner = ?1 ORDER BY name";
    db.prepare_cached(sql)?.query_map(params![owner.as_str()], read)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<Setting> {
    let value = Data::restore(row.get(1)?).unwrap_or_else(Data::null);
    Ok(Setting { name: row.get(0)?, value, at: At(row.get(2)?) })
}
