//! The tables, and the migrations that bring a database of an older Consign up to date.
//!
//! Migrations only go forward. `PRAGMA user_version` counts those that were applied.

use consign_engine::store::Error;
use rusqlite::Connection;

use super::fail::Halt;

/// In order. Never change one that was released: add another.
const MIGRATIONS: [&str; 16] = [
    include_str!("../../migrations/0001_keep_runs_and_journal.sql"),
    include_str!("../../migrations/0002_open_accounts.sql"),
    include_str!("../../migrations/0003_open_inbox.sql"),
    include_str!("../../migrations/0004_keep_large_values_in_files.sql"),
    include_str!("../../migrations/0005_say_why_a_run_asks.sql"),
    include_str!("../../migrations/0006_keep_sealed_secrets.sql"),
    include_str!("../../migrations/0007_say_in_whose_place_to_answer.sql"),
    include_str!("../../migrations/0008_keep_notes.sql"),
    include_str!("../../migrations/0009_say_where_runs_stand.sql"),
    include_str!("../../migrations/0010_keep_users.sql"),
    include_str!("../../migrations/0011_keep_settings_of_owners.sql"),
    include_str!("../../migrations/0012_claim_fairly.sql"),
    include_str!("../../migrations/0013_keep_documents.sql"),
    include_str!("../../migrations/0014_keep_comments_and_revisions.sql"),
    include_str!("../../migrations/0015_keep_conversations.sql"),
    include_str!("../../migrations/0016_mark_redacted_runs.sql"),
];

/// The version that this program reads and writes.
pub(crate) const CURRENT: usize = MIGRATIONS.len();

/// Tells our files from all other SQLite files: `Cnsg`.
pub(crate) const APPLICATION: i64 = 0x436e_7367;

/// Checks that the tables are still the ones that this program knows. A newer program may have
/// migrated them while this one runs, and then a write in the old format could break the new
/// tables.
pub(crate) fn check(db: &Connection) -> Result<(), Halt> {
    let version = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
    let found = db.prepare_cached("PRAGMA user_version")?.query_row([], version)?;
    let who = match usize::try_from(found) {
        Ok(CURRENT) => return Ok(()),
        Ok(newer) if newer > CURRENT => "a newer",
        Ok(_) | Err(_) => "another",
    };
    Err(Halt::Answer(Error::Lost(format!(
        "{who} version of Consign has changed the database (format {found}; this version has \
         {CURRENT}): start again"
    ))))
}

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
