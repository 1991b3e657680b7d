//! The machine's own limit: the same rows by bare SQL on one connection, with the store's settings.

use std::{error::Error, path::Path, time::Instant};

use rusqlite::{Connection, params};

use crate::clock::{Cost, here};

/// A row of the journal as it lies there.
pub(crate) struct Row {
    pub(crate) run: i64,
    pub(crate) seq: i64,
    at: i64,
    actor: String,
    kind: String,
    hash: Vec<u8>,
    salt: Option<Vec<u8>>,
    body: Option<String>,
}

/// All rows of a journal, in the order in which they were written.
pub(crate) fn rows(home: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
    let db = Connection::open(home.join("consign.db"))?;
    let mut query = db.prepare(
        "SELECT run, seq, at, actor, kind, hash, salt, body FROM journal ORDER BY place",
    )?;
    let rows = query.query_map([], |row| {
        Ok(Row {
            run: row.get(0)?,
            seq: row.get(1)?,
            at: row.get(2)?,
            actor: row.get(3)?,
            kind: row.get(4)?,
            hash: row.get(5)?,
            salt: row.get(6)?,
            body: row.get(7)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// An empty store with the same tables and settings, opened bare.
pub(crate) fn bare(home: &Path) -> Result<Connection, Box<dyn Error>> {
    drop(crate::ground::open(home)?);
    let db = Connection::open(home.join("consign.db"))?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "cache_size", -32_000)?;
    db.pragma_update(None, "wal_autocheckpoint", 4_000)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(db)
}

/// Inserts the rows, so many to a transaction.
pub(crate) fn insert(db: &Connection, rows: &[Row], batch: usize) -> Result<Cost, Box<dyn Error>> {
    let mut result = Ok(());
    let cost = here(|| {
        result = rows.chunks(batch.max(1)).try_for_each(|batch| {
            db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            for row in batch {
                put(db, row)?;
            }
            db.prepare_cached("COMMIT")?.execute([]).map(|_| ())
        });
    });
    result?;
    Ok(cost)
}

fn put(db: &Connection, row: &Row) -> rusqlite::Result<usize> {
    let sql = "INSERT INTO journal (run, seq, at, actor, kind, hash, salt, body) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let Row { run, seq, at, actor, kind, hash, salt, body } = row;
    db.prepare_cached(sql)?.execute(params![run, seq, at, actor, kind, hash, salt, body])
}

/// What a step of one run writes, by the store's own statements: the run's row, the events and the
/// snapshot.
/// Gives the seconds of each transaction.
pub(crate) fn replay(
    db: &Connection,
    rows: &[Row],
    state: &str,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let (run, first) = rows.first().map_or((0, 0), |row| (row.run, row.seq));
    db.execute(
        "INSERT OR IGNORE INTO runs (key, id, workflow, version, owner, placement, priority, status, seq, head, at, created_at, epoch, worker, spent, reserved) \
         VALUES (?1, ?1, 'w', 1, 'bench', 'foreground', 0, 'running', ?2, x'00', 0, 0, 1, 'w', 0, 0)",
        params![run, first - 1],
    )?;
    let mut seconds = Vec::new();
    let mut kept = None;
    for pair in rows.chunks(2) {
        let began = Instant::now();
        db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        if let Some(row) = pair.last() {
            db.prepare_cached(
                "UPDATE runs SET seq = ?1, head = coalesce(?2, head), at = coalesce(?3, at), \
                 spent = ?4, reserved = ?5, cap = ?6, poked = 0 \
                 WHERE key = ?7 AND worker = ?8 AND epoch = ?9 AND seq = ?10",
            )?
            .execute(params![
                row.seq,
                row.hash,
                row.at,
                0,
                0,
                None::<i64>,
                run,
                "w",
                1,
                pair[0].seq - 1
            ])?;
            for row in pair {
                put(db, row)?;
            }
            // As seldom as the engine does.
            if kept.is_none_or(|kept| row.seq - kept >= 16) {
                kept = Some(row.seq);
                let sql = "INSERT OR REPLACE INTO snapshots (run, seq, head, digest, state, blob) \
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
                let Row { seq, hash, .. } = row;
                db.prepare_cached(sql)?.execute(params![
                    run,
                    seq,
                    hash,
                    hash,
                    state,
                    None::<Vec<u8>>
                ])?;
            }
        }
        db.prepare_cached("COMMIT")?.execute([])?;
        seconds.push(began.elapsed().as_secs_f64());
    }
    Ok(seconds)
}

/// The newest snapshot of any run.
pub(crate) fn a_state(home: &Path) -> Result<String, Box<dyn Error>> {
    let db = Connection::open(home.join("consign.db"))?;
    Ok(db.query_row("SELECT state FROM snapshots LIMIT 1", [], |row| row.get(0))?)
}
