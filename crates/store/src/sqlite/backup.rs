//! Copies a store to another folder while any process goes on with it.
//!
//! The copy is what was committed at one moment: every row, and every large value that a row names.
//! Files are written before the row that names them, and a sweep removes those that no row names any
//! more, so the order is:
//!
//! 1. without any lock, the files that rows name now, again and again until few are new;
//! 2. under the write lock, which a sweep respects: the view of the database begins, and the few files
//!    that it names and that are not copied yet are;
//! 3. without the lock, page by page, the database as that view sees it. SQLite keeps the view
//!    as long as it is read from, and nobody waits for it.
//!
//! So processes that write wait only for step 2, however large the store is. Nothing here syncs: the
//! caller has other files to copy and syncs them all at once.

use std::{
    collections::HashSet,
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt,
    path::Path,
};

use consign_engine::store::Error;
use rusqlite::{
    Connection,
    backup::{Backup, StepResult},
};

use super::{
    fail::{Halt, of_disk},
    lock::WriteLock,
    open, schema,
    store::SqliteStore,
    store_folder::{StoreFolder, make_folder},
};
use crate::blobs::{Blobs, Name};

/// What a copy of a store holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// The version of the tables.
    pub format: usize,
    pub runs: u64,
    /// How many large values are in files.
    pub large: u64,
    /// Secrets that can be opened only with the sealing key.
    pub sealed: u64,
    /// Large values that rows name and that are not there: their runs are damaged, here and in the copy.
    pub missing: Vec<String>,
}

/// How many new files are few enough to be copied while nobody writes, and how often to try to get there.
const FEW: usize = 32;
const PASSES: usize = 8;

/// Pages that are copied at a time.
const PAGES: i32 = 4096;

impl SqliteStore {
    /// Copies everything to `folder`, which must not have a store yet: a home could be opened there then.
    pub async fn copy_to(&self, folder: &Path) -> Result<Copied, Error> {
        self.writer()?;
        let target = StoreFolder::at(folder);
        make_folder(&target.blobs()).map_err(uncopied)?;
        let to = Blobs::new(target.blobs());
        for _ in 0..PASSES {
            let (from, to) = (self.blobs.clone(), to.clone());
            let copy_new = self.pool.read(move |db| {
                let new = named(db)?.into_iter().filter(|name| !to.has(name)).collect::<Vec<_>>();
                // One that is gone now is named no more, or is missed in the last pass.
                new.iter().try_for_each(|name| from.copy(name, &to).map(drop)).map_err(uncopied)?;
                Ok(new.len())
            });
            if copy_new.await? <= FEW {
                break;
            }
        }
        let (from, lock) = (self.blobs.clone(), self.home.write_lock());
        self.pool
            .read(move |db| {
                let lock = WriteLock::open(&lock).map_err(uncopied)?;
                let held = lock.hold().map_err(uncopied)?;
                // The view of the transaction begins with this first look.
                schema::check(db)?;
                let names: HashSet<Name> = named(db)?.into_iter().collect();
                let mut missing = Vec::new();
                for name in &names {
                    if !from.copy(name, &to).map_err(uncopied)? {
                        missing.push(name.to_string());
                    }
                }
                drop(held);
                to.keep_only(|name| names.contains(name)).map_err(uncopied)?;
                copy_pages(db, &target)?;
                let count = |sql| {
                    let found = db.query_row(sql, [], |row| row.get::<_, i64>(0));
                    found.map(|found| u64::try_from(found).unwrap_or_default())
                };
                missing.sort_unstable();
                Ok(Copied {
                    format: schema::CURRENT,
                    runs: count("SELECT count(*) FROM runs")?,
                    large: (names.len() - missing.len()) as u64,
                    sealed: count("SELECT count(*) FROM sealed")?,
                    missing,
                })
            })
            .await
    }
}

fn uncopied(error: io::Error) -> Error {
    of_disk("copy the store", &error)
}

/// The files that rows name. The tables are those of the [sweep](super::sweep).
fn named(db: &Connection) -> rusqlite::Result<Vec<Name>> {
    let sql = "SELECT blob FROM journal WHERE blob IS NOT NULL \
               UNION SELECT blob FROM snapshots WHERE blob IS NOT NULL";
    let mut names = db.prepare_cached(sql)?;
    let names = names.query_map([], |row| row.get(0).map(Name::from_bytes))?;
    names.collect()
}

/// Copies the database as the open transaction of `db` sees it, and checks the copy.
fn copy_pages(db: &Connection, to: &StoreFolder) -> Result<(), Halt> {
    let path = to.database();
    let mut copy = Connection::open(&path)?;
    fs::set_permissions(&path, Permissions::from_mode(0o600)).map_err(uncopied)?;
    // Until everything is synced the copy counts for nothing.
    copy.pragma_update(None, "journal_mode", "OFF")?;
    copy.pragma_update(None, "synchronous", "OFF")?;
    let backup = Backup::new(db, &mut copy)?;
    loop {
        let step = backup.step(PAGES)?;
        if step == StepResult::Done {
            break;
        }
        // Nobody else knows of the copy, and a view is never in the way of those who write.
        if step != StepResult::More {
            let told = format!("the copy of the database is kept from us ({step:?})");
            return Err(Error::Unavailable(told).into());
        }
    }
    drop(backup);
    copy.close().map_err(|(_, error)| error)?;
    let copy = open::for_looking(to)?;
    let found: String = copy.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found == "ok" {
        return Ok(());
    }
    Err(Error::Damaged(format!("the copy of the database is not sound: {found}")).into())
}
