//! The jobs of a home: one query, whatever they number.

use consign_contracts::job::JobStatus;
use consign_engine::{
    At, Nanos, Owner, RunId,
    store::{Row, RunQuery},
};
use consign_supervised::{SUPERVISED, name::job_of_run};
use std::collections::BTreeSet;

use crate::{error::Error, home::Home};

/// Which jobs are wanted.
#[derive(Clone, Debug, Default)]
pub struct ListJobs {
    pub status: Option<JobStatus>,
    pub owner: Option<Owner>,
    /// Only jobs older than the one of this run.
    pub before: Option<RunId>,
    pub most: usize,
}

/// A job in a list.
#[derive(Clone, Debug)]
pub struct JobLine {
    pub job_id: String,
    pub run: RunId,
    pub status: String,
    pub spent: Nanos,
    pub created_at: At,
    pub at: At,
}

/// The jobs, newest first. Of a job with several runs only the newest is listed.
pub async fn list(home: &Home, wanted: &ListJobs) -> Result<Vec<JobLine>, Error> {
    let query = RunQuery {
        workflow: Some(SUPERVISED.to_owned()),
        label: wanted.status.map(|status| status.as_str().to_owned()),
        owner: wanted.owner.clone(),
        before: wanted.before.clone(),
        most: wanted.most,
        ..RunQuery::default()
    };
    let rows = home.store().runs(&query).await?;
    // A job was restored after its end: an older run of it is history.
    let later: BTreeSet<String> = rows
        .iter()
        .filter(|row| job_of_run(row.id.as_str()).is_some_and(|(_, generation)| generation > 1))
        .map(|row| first_of(&row.id))
        .collect();
    let is_newest = |row: &Row| {
        !later.contains(&first_of(&row.id))
            || rows.iter().all(|other| !is_later(&other.id, &row.id))
    };
    Ok(rows.iter().filter(|row| is_newest(row)).map(line).collect())
}

fn first_of(run: &RunId) -> String {
    let id = run.as_str();
    let hash_end = id.rfind('.').map_or(id.len(), |dot| (dot + 9).min(id.len()));
    id[..hash_end].to_owned()
}

fn is_later(other: &RunId, run: &RunId) -> bool {
    let generation = |run: &RunId| job_of_run(run.as_str()).map_or(0, |(_, generation)| generation);
    first_of(other) == first_of(run) && generation(other) > generation(run)
}

fn line(row: &Row) -> JobLine {
    let job_id = job_of_run(row.id.as_str()).map_or(row.id.as_str(), |(name, _)| name);
    JobLine {
        job_id: job_id.to_owned(),
        run: row.id.clone(),
        status: row.label.clone().unwrap_or_default(),
        spent: row.figures.spent,
        created_at: row.created_at,
        at: row.at,
    }
}
