//! Makes the shelf of an owner, and counts what changes on it.

use consign_engine::{Owner, store::Error};
use rusqlite::{Connection, OptionalExtension, params};

use crate::sqlite::{
    fail::Halt,
    writer::{Write, WriteContext},
};

pub(crate) struct MakeShelf {
    pub(crate) owner: Owner,
}

impl Write for MakeShelf {
    type Answer = ();

    fn write(&self, context: &mut WriteContext<'_>) -> Result<(), Halt> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|cause| {
            Error::Unavailable(format!("the system gave no random numbers: {cause}"))
        })?;
        let sql = "INSERT INTO shelves (owner, secret, changes, removals) VALUES (?1, ?2, 0, 0) \
                   ON CONFLICT DO NOTHING";
        context.db.prepare_cached(sql)?.execute(params![self.owner.as_str(), &secret[..]])?;
        Ok(())
    }
}

pub(super) fn shelf(db: &Connection, owner: &Owner) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT key FROM shelves WHERE owner = ?1";
    db.prepare_cached(sql)?.query_row([owner.as_str()], |row| row.get(0)).optional()
}

/// Counts a change. Returns its number, which no other change of the shelf has.
pub(super) fn change(db: &Connection, shelf: i64, removals: i64) -> rusqlite::Result<i64> {
    let sql = "UPDATE shelves SET changes = changes + 1, removals = removals + ?2 WHERE key = ?1 \
               RETURNING changes";
    db.prepare_cached(sql)?.query_row(params![shelf, removals], |row| row.get(0))
}
