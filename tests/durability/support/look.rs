//! The database as an outside reader sees it at one moment.
//!
//! Each look opens the file anew and closes it again: a reader that stayed would keep the WAL index
//! alive, and no process under test would ever have to recover it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::MetadataExt,
    path::Path,
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, ffi};

#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    pub(crate) runs: BTreeMap<String, Run>,
    pub(crate) owners: BTreeMap<String, Owner>,
    /// By run, in order.
    pub(crate) events: BTreeMap<String, Vec<Event>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Run {
    pub(crate) workflow: String,
    pub(crate) placement: String,
    pub(crate) status: String,
    pub(crate) owner: String,
    pub(crate) worker: Option<String>,
    pub(crate) seq: i64,
    pub(crate) head: String,
    pub(crate) spent: i64,
    pub(crate) reserved: i64,
    pub(crate) cap: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Owner {
    pub(crate) spent: i64,
    pub(crate) reserved: i64,
    pub(crate) cap: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Event {
    pub(crate) seq: i64,
    pub(crate) kind: String,
    pub(crate) hash: String,
    /// Of the activity that it is about.
    pub(crate) key: Option<String>,
    pub(crate) attempt: Option<i64>,
    pub(crate) paid: i64,
    pub(crate) assumed: bool,
}

impl Run {
    pub(crate) fn is_closed(&self) -> bool {
        ["succeeded", "failed", "cancelled"].contains(&self.status.as_str())
    }

    /// Whether nobody will go on with it unless a command does.
    pub(crate) fn is_for_a_command(&self) -> bool {
        self.placement == "foreground" && self.status == "queued"
    }
}

impl Look {
    /// Everything, or nothing where there is no database yet.
    pub(crate) fn at(home: &Path) -> Self {
        Self::with(home, read)
    }

    /// Runs and owners without their events, which is quick however long the journal is.
    pub(crate) fn books(home: &Path) -> Self {
        Self::with(home, books)
    }

    fn with(home: &Path, read: fn(&Connection) -> rusqlite::Result<Self>) -> Self {
        let file = home.join("consign.db");
        if !file.exists() {
            return Self::default();
        }
        let db = open(&file);
        match read(&db) {
            Ok(look) => look,
            // The first command has made the file, and not yet its tables.
            Err(error) if error.to_string().contains("no such table") => Self::default(),
            // It was killed while it made them; the next command rolls that back.
            Err(error) if is_half_made(&error) => Self::default(),
            Err(error) => panic!("the database cannot be read from outside: {error}"),
        }
    }

    pub(crate) fn open_runs(&self) -> impl Iterator<Item = (&String, &Run)> {
        self.runs.iter().filter(|(_, run)| !run.is_closed())
    }

    /// The keys of a run's events of a kind.
    pub(crate) fn keys(&self, run: &str, kind: &str) -> Vec<&str> {
        let events = self.events.get(run).into_iter().flatten();
        events.filter(|event| event.kind == kind).filter_map(|event| event.key.as_deref()).collect()
    }
}

fn is_half_made(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code == Some(ffi::SQLITE_READONLY_ROLLBACK)
}

/// Opens a database for reading.
pub(crate) fn open(file: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(file, flags).expect("the database can be opened");
    db.busy_timeout(Duration::from_secs(20)).expect("a timeout can be set");
    db
}

fn books(db: &Connection) -> rusqlite::Result<Look> {
    let mut look = Look::default();
    db.execute_batch("BEGIN")?;
    let sql = "SELECT id, workflow, placement, status, owner, worker, seq, lower(hex(head)), \
               spent, reserved, cap FROM runs";
    let mut rows = db.prepare(sql)?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let run = Run {
            workflow: row.get(1)?,
            placement: row.get(2)?,
            status: row.get(3)?,
            owner: row.get(4)?,
            worker: row.get(5)?,
            seq: row.get(6)?,
            head: row.get(7)?,
            spent: row.get(8)?,
            reserved: row.get(9)?,
            cap: row.get(10)?,
        };
        look.runs.insert(row.get(0)?, run);
    }
    let mut rows = db.prepare("SELECT name, spent, reserved, cap FROM owners")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let owner = Owner { spent: row.get(1)?, reserved: row.get(2)?, cap: row.get(3)? };
        look.owners.insert(row.get(0)?, owner);
    }
    Ok(look)
}

fn read(db: &Connection) -> rusqlite::Result<Look> {
    let mut look = books(db)?;
    let sql = "SELECT id, journal.seq, kind, lower(hex(hash)), body ->> '$.key', \
               body ->> '$.attempt', body ->> '$.paid.nanos', body ->> '$.paid.assumed' \
               FROM journal JOIN runs ON runs.key = journal.run ORDER BY journal.run, journal.seq";
    let mut rows = db.prepare(sql)?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let event = Event {
            seq: row.get(1)?,
            kind: row.get(2)?,
            hash: row.get(3)?,
            key: row.get(4)?,
            attempt: row.get(5)?,
            paid: row.get::<_, Option<i64>>(6)?.unwrap_or(0),
            assumed: row.get::<_, Option<bool>>(7)?.unwrap_or(false),
        };
        look.events.entry(row.get(0)?).or_default().push(event);
    }
    Ok(look)
}

/// The workers whose lock somebody has, by what the kernel says: trying a lock would hold it for a
/// moment, and make a dead worker look alive to the process under test.
pub(crate) fn alive(home: &Path) -> BTreeSet<String> {
    let locks = fs::read_to_string("/proc/locks").expect("Linux tells who has locks");
    let held: BTreeSet<u64> = locks
        .lines()
        .filter(|line| line.contains("FLOCK"))
        .filter_map(|line| line.split_whitespace().find(|word| word.matches(':').count() == 2))
        .filter_map(|place| place.rsplit(':').next()?.parse().ok())
        .collect();
    let Ok(files) = fs::read_dir(home.join("workers")) else { return BTreeSet::new() };
    let files = files.filter_map(Result::ok);
    // A file may be removed while we look.
    let held = files.filter(|file| file.metadata().is_ok_and(|file| held.contains(&file.ino())));
    held.filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".lock")?.to_owned()))
        .collect()
}
