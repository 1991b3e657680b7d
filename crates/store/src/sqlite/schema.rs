//! The tables, and how those of an older Consign become today's.
//!
//! Migrations only go forward. `PRAGMA user_version` counts those that were applied.

use rusqlite::Connection;

/// In order. Never change one that was released: add another.
const MIGRATIONS: [&str; 4] = [
    include_str!("../../migrations/0001_keep_runs_and_journal.sql"),
    include_str!("../../migrations/0002_open_accounts.sql"),
    include_str!("../../migrations/0003_open_inbox.sql"),
    include_str!("../../migrations/0004_keep_large_values_in_files.sql"),
];

/// The version that this program reads and writes.
pub(crate) const CURRENT: usize = MIGRATIONS.len();

/// Tells our files from all other SQLite files: `Cnsg`.
pub(crate) const APPLICATION: i64 = 0x436e_7367;

/// Brings the tables from one version to another, all or nothing. The caller has the write lock.
pub(crate) fn migrate(db: &Connection, from: usize, to: usize) -> rusqlite::Result<()> {
    let mut script = String::from("BEGIN IMMEDIATE;\n");
    for migration in &MIGRATIONS[from..to] {
        script += migration;
    }
    script += &format!("PRAGMA application_id = {APPLICATION};\n");
    script += &format!("PRAGMA user_version = {to};\nCOMMIT;");
    db.execute_batch(&script).inspect_err(|_| {
        // What failed is what the caller is told; an open transaction would end with `db` anyway.
        let _ = db.execute_batch("ROLLBACK");
    })
}
