//! Reads sealed secrets. The store cannot open them.

use consign_engine::{At, Owner, vault::Sealed};
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(crate) fn sealed(
    db: &Connection,
    owner: &Owner,
    name: &str,
) -> rusqlite::Result<Option<Sealed>> {
    let sql = "SELECT owner, name, bytes, at FROM sealed WHERE owner = ?1 AND name = ?2";
    db.prepare_cached(sql)?.query_row(params![owner.as_str(), name], read).optional()
}

/// All sealed secrets, by owner and name.
pub(crate) fn all_sealed(db: &Connection) -> rusqlite::Result<Vec<Sealed>> {
    let sql = "SELECT owner, name, bytes, at FROM sealed ORDER BY owner, name";
    db.prepare_cached(sql)?.query_map([], read)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<Sealed> {
    let owner = row.get::<_, String>(0)?.into();
    Ok(Sealed { owner, name: row.get(1)?, bytes: row.get(2)?, at: At(row.get(3)?) })
}
