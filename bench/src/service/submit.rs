//! Submitting jobs from many clients at once, beside bare inserts of the same rows.
//!
//! The one run that the server may drive sleeps, so what is measured is the submission alone; then once more with
//! workers that do the jobs.

use std::{
    error::Error,
    path::Path,
    sync::Arc,
    thread::sleep,
    time::{Duration, Instant},
};

use rusqlite::{Connection, params_from_iter, types::Value as Cell};
use serde_json::{Value, json};

use super::{
    Args,
    client::{Request, many},
    process::{Prepared, Service},
};
use crate::{
    clock::{here, median, rounded},
    raw,
};

pub(super) fn measure(args: &Args, prepared: &Prepared) -> Result<Value, Box<dyn Error>> {
    let service = prepared.serve(&["--at-once", "1"])?;
    occupy(&service, &prepared.anna)?;
    let mut figures: [Vec<f64>; 4] = Default::default();
    // The first round warms up and does not count.
    for round in 0..=args.rounds {
        let (before, begun) = (service.cpu()?, Instant::now());
        let request = service.submission(&prepared.anna);
        let next = Arc::new(move |_| request.clone());
        let count = many(&service.address, args.clients, 201, args.submits, next)?;
        if count.refused > 0 {
            return Err(format!("{} submissions were refused", count.refused).into());
        }
        let wall = begun.elapsed().as_secs_f64();
        let cpu = service.cpu()? - before;
        let rows = Rows::newest(&prepared.home, args.submits)?;
        let bare = prepared.home.with_file_name(format!("bare-{round}"));
        let raw = rows.insert(&bare, args.clients)?;
        if round > 0 {
            let each = f64::from(args.submits);
            let figure = [cpu * 1e3 / each, each / wall, each / raw, raw / wall];
            for (list, value) in figures.iter_mut().zip(figure) {
                list.push(value);
            }
        }
    }
    drop(service);
    let [cpu, rate, raw, ratio] = figures.map(median);
    Ok(json!({
        "cpu_ms": rounded(cpu),
        "per_second": rounded(rate),
        "raw_batched_per_second": rounded(raw),
        "ratio": rounded(ratio),
        "whole_job_cpu_ms": rounded(whole_jobs(args, prepared)?),
    }))
}

/// Takes the one place for runs, for as long as the bench may last.
fn occupy(service: &Service, token: &str) -> Result<(), Box<dyn Error>> {
    let mut client = service.client()?;
    let body = json!({"workflow": "sample/steps", "input": {"steps": 1000, "sleep_ms": 300_000}});
    let run = client.send(&Request::post(&service.address, token, "/api/runs", &body), 201)?;
    let show = format!("/api/runs/{}", run["id"].as_str().ok_or("no run")?);
    let show = Request::get(&service.address, token, &show);
    while client.send(&show, 200)?["status"] != "running" {
        sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// The CPU of a job from its submission to its end, the submission included.
fn whole_jobs(args: &Args, prepared: &Prepared) -> Result<f64, Box<dyn Error>> {
    let folder = prepared.home.with_file_name("working");
    std::fs::create_dir(&folder)?;
    let prepared = prepared.beside(&folder)?;
    let service = prepared.serve(&[])?;
    let jobs = args.submits.min(1_000);
    let before = service.cpu()?;
    let request = service.submission(&prepared.anna);
    let next = Arc::new(move |_| request.clone());
    many(&service.address, args.clients, 201, jobs, next)?;
    service.wait_for_jobs(&prepared.anna)?;
    Ok((service.cpu()? - before) * 1e3 / f64::from(jobs))
}

/// The rows that submissions left, table by table.
struct Rows {
    runs: Vec<Vec<Cell>>,
    journal: Vec<Vec<Cell>>,
    snapshots: Vec<Vec<Cell>>,
    owners: Vec<Vec<Cell>>,
}

impl Rows {
    /// The newest runs, as many as were submitted, with their events.
    fn newest(home: &Path, count: u32) -> Result<Self, Box<dyn Error>> {
        let db = Connection::open(home.join("consign.db"))?;
        let newest = format!("SELECT key FROM runs ORDER BY key DESC LIMIT {count}");
        Ok(Self {
            runs: cells(&db, &format!("SELECT * FROM runs WHERE key IN ({newest}) ORDER BY key"))?,
            journal: cells(
                &db,
                &format!("SELECT * FROM journal WHERE run IN ({newest}) ORDER BY run, seq"),
            )?,
            snapshots: cells(
                &db,
                &format!("SELECT * FROM snapshots WHERE run IN ({newest}) ORDER BY run"),
            )?,
            owners: cells(&db, "SELECT * FROM owners")?,
        })
    }

    /// Inserts them into an empty store, so many runs to a transaction. Gives the seconds.
    fn insert(&self, home: &Path, batch: u32) -> Result<f64, Box<dyn Error>> {
        let db = raw::bare(home)?;
        for owner in &self.owners {
            put(&db, "owners", owner)?;
        }
        let mut result = Ok(());
        let cost = here(|| result = self.insert_all(&db, batch as usize));
        result?;
        Ok(cost.wall.as_secs_f64())
    }

    fn insert_all(&self, db: &Connection, batch: usize) -> rusqlite::Result<()> {
        // Each submission leaves as many rows of each kind as any other.
        let each = |rows: usize| batch * rows.div_ceil(self.runs.len().max(1)).max(1);
        let mut events = self.journal.chunks(each(self.journal.len()));
        let mut snapshots = self.snapshots.chunks(each(self.snapshots.len()));
        for runs in self.runs.chunks(batch) {
            db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            let events = events.next().unwrap_or_default();
            let snapshots = snapshots.next().unwrap_or_default();
            for (table, rows) in [("runs", runs), ("journal", events), ("snapshots", snapshots)] {
                rows.iter().try_for_each(|row| put(db, table, row).map(drop))?;
            }
            db.prepare_cached("COMMIT")?.execute([])?;
        }
        Ok(())
    }
}

fn cells(db: &Connection, sql: &str) -> rusqlite::Result<Vec<Vec<Cell>>> {
    let mut query = db.prepare(sql)?;
    let width = query.column_count();
    let rows = query.query_map([], |row| (0..width).map(|at| row.get(at)).collect())?;
    rows.collect()
}

fn put(db: &Connection, table: &str, row: &[Cell]) -> rusqlite::Result<usize> {
    let marks = vec!["?"; row.len()].join(", ");
    let sql = format!("INSERT INTO {table} VALUES ({marks})");
    db.prepare_cached(&sql)?.execute(params_from_iter(row))
}
