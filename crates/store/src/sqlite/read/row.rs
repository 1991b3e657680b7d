//! Reads the row of a run, which is what lists show of it.

use consign_engine::{
    At, Epoch, RunId, Seq,
    journal::Hash,
    store::{Error, Figures, Placement, Row},
};
use rusqlite::{Connection, OptionalExtension};

use crate::sqlite::{
    fail::Halt,
    sql::{count, nanos, nanos_or_none, status, word},
};

/// The columns that [`row_of`] reads, in its order.
pub(super) const COLUMNS: &str = "key, id, workflow, version, owner, placement, priority, status, \
    seq, head, created_at, at, epoch, worker, wake_at, spent, reserved, cap, label, interrupted, \
    redacted";

/// The row of a run, and its key in the tables.
pub(crate) fn row(db: &Connection, run: &RunId) -> Result<(i64, Row), Halt> {
    let sql = format!("SELECT {COLUMNS} FROM runs WHERE id = ?1");
    let mut find = db.prepare_cached(&sql)?;
    let found = find.query_row([run.as_str()], |row| Ok((row.get(0)?, row_of(row)?)));
    Ok(found.optional()?.ok_or_else(|| Error::NotFound(run.clone()))?)
}

pub(crate) fn row_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        id: row.get::<_, String>(1)?.into(),
        workflow: row.get(2)?,
        version: row.get(3)?,
        owner: row.get::<_, String>(4)?.into(),
        placement: word(row, 5, Placement::from_word)?,
        priority: row.get(6)?,
        status: status(row, 7)?,
        seq: Seq(count(row, 8)?),
        head: Hash(row.get(9)?),
        created_at: At(row.get(10)?),
        at: At(row.get(11)?),
        epoch: Epoch(count(row, 12)?),
        worker: row.get::<_, Option<String>>(13)?.map(Into::into),
        wake_at: row.get::<_, Option<i64>>(14)?.map(At),
        figures: Figures {
            spent: nanos(row, 15)?,
            reserved: nanos(row, 16)?,
            cap: nanos_or_none(row, 17)?,
        },
        label: row.get(18)?,
        interrupted: row.get(19)?,
        redacted: row.get(20)?,
    })
}
