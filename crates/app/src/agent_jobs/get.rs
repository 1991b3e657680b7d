//! Showing a job.

use consign_contracts::json::Object;
use consign_engine::{Owner, Speaker};

use super::{audit::audit, find::find_ends, include::Include, view::Seen};
use crate::{Home, error::Error};

/// The job as contract `authoring/job` has it, with the parts that `include` names.
pub async fn get(
    home: &Home,
    owner: &Owner,
    _speaker: &Speaker,
    id: &str,
    include: Include,
) -> Result<Object<'static>, Error> {
    let ends = find_ends(home, owner, id).await?;
    let wants_progress = include.plan || include.trace || include.artifacts;
    let seen = Seen::read(home, ends, wants_progress).await?;
    let mut job = seen.job();
    if include.plan {
        job.set("plan", seen.plan());
    }
    if include.audit {
        job.set("audit", audit(home, &seen.row).await?);
    }
    if include.trace {
        job.set("trace", seen.trace());
    }
    if include.artifacts {
        job.set("artifacts", seen.artifacts());
    }
    Ok(job)
}
