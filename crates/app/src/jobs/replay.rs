//! Replaying a job: its files are held against the journal, and every transition and judgement is worked out again.
//! Nothing is repaired.

use consign_supervised::{directory::Finding, replay as files};

use super::open::{OpenJob, files_error};
use crate::{error::Error, home::Home};

/// What a replay found.
#[derive(Clone, Debug)]
pub struct Replayed {
    pub interactions: u64,
    pub findings: Vec<Finding>,
}

/// Replays a job.
pub async fn replay(home: &Home, job: &OpenJob) -> Result<Replayed, Error> {
    let findings = files::replay(&home.engine, &job.run).await.map_err(files_error)?;
    Ok(Replayed { interactions: job.state.job.interactions, findings })
}
