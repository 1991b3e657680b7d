//! The jobs of a home: one query, whatever they number.

use consign_contracts::job::JobStatus;
use consign_engine::{
    At, Nanos, Owner, RunId,
    store::{self, Row, RunQuery},
};
use consign_supervised::{SUPERVISED, name::job_of_run};

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
    let mut lines = Vec::new();
    for row in &rows {
        lines.extend(newest_line(home, row).await?);
    }
    Ok(lines)
}

/// The line of a job's run; nothing if a later run goes on with the job: then this one is history.
pub(super) async fn newest_line(home: &Home, row: &Row) -> Result<Option<JobLine>, Error> {
    if row.status.is_closed() && is_continued(home, row).await? {
        return Ok(None);
    }
    let spent = spent_before(home, row).await? + row.figures.spent;
    Ok(Some(JobLine { spent, ..line(row) }))
}

async fn is_continued(home: &Home, row: &Row) -> Result<bool, Error> {
    let Some((_, generation)) = job_of_run(row.id.as_str()) else { return Ok(false) };
    let next = RunId::new(format!("{}g{}", first_of(&row.id), generation + 1));
    match home.store().row(&next).await {
        Ok(_) => Ok(true),
        Err(store::Error::NotFound(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// What the earlier runs of the same job spent.
async fn spent_before(home: &Home, row: &Row) -> Result<Nanos, Error> {
    let Some((_, generation)) = job_of_run(row.id.as_str()) else { return Ok(Nanos::ZERO) };
    let first = first_of(&row.id);
    let mut spent = Nanos::ZERO;
    for earlier in 1..generation {
        let id = if earlier == 1 { first.clone() } else { format!("{first}g{earlier}") };
        spent = spent + home.store().row(&RunId::new(id)).await?.figures.spent;
    }
    Ok(spent)
}

/// The id of the first run of a job.
fn first_of(run: &RunId) -> String {
    let id = run.as_str();
    let hash_end = id.rfind('.').map_or(id.len(), |dot| (dot + 9).min(id.len()));
    id[..hash_end].to_owned()
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
