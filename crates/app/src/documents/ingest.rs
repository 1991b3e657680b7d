//! Taking sources in, as a durable run.

use consign_conversation::ingest::{IngestInput, WORKFLOW};
use consign_engine::{
    Data, Drive, Limits, Owner, Placement, RunId, Seq, Settings, Speaker, Status, Submission,
    Submitted,
    journal::Body,
    store::{self, RunQuery},
};

use crate::{Home, error::Error, foreground::Foreground};

/// Interrupted runs that are looked at.
const MOST_LOOKED_AT: usize = 100;

/// An ingest and what goes with it.
#[derive(Clone, Debug)]
pub struct Ingest {
    pub input: IngestInput,
    /// The caller's own name for it: the same ingest under the same name is one run.
    pub id: Option<RunId>,
    /// Limits that were set; the standard ones hold for the rest.
    pub limits: Limits,
    pub settings: Settings,
}

/// Begins an ingest that this process drives.
pub async fn begin(
    home: &Home,
    foreground: &mut Foreground,
    owner: &Owner,
    speaker: &Speaker,
    wanted: Ingest,
) -> Result<(Submitted, Option<Drive>), Error> {
    wanted.input.check()?;
    super::leftovers::sweep(home).await?;
    foreground.begin(submission(owner, speaker, wanted, Placement::Foreground)).await
}

/// An ingest with the same input that was interrupted: the same command again goes on with it.
pub async fn interrupted(
    home: &Home,
    owner: &Owner,
    input: &IngestInput,
) -> Result<Option<RunId>, Error> {
    let wanted = Data::of(input);
    for status in [Status::Queued, Status::Running] {
        let query = RunQuery {
            status: Some(status),
            workflow: Some(WORKFLOW.to_owned()),
            owner: Some(owner.clone()),
            most: MOST_LOOKED_AT,
            ..RunQuery::default()
        };
        for row in home.store().runs(&query).await? {
            if !row.interrupted {
                continue;
            }
            let first = home.store().events(&row.id, Seq(0), 1).await?;
            let body = first.first().map(|record| record.body().map_err(store::Error::Unavailable));
            if let Some(Some(Body::Created(created))) = body.transpose()?
                && created.input.as_str() == wanted.as_str()
            {
                return Ok(Some(row.id));
            }
        }
    }
    Ok(None)
}

pub(super) fn submission(
    owner: &Owner,
    speaker: &Speaker,
    wanted: Ingest,
    placement: Placement,
) -> Submission {
    Submission {
        id: wanted.id,
        workflow: WORKFLOW.to_owned(),
        input: Data::of(&wanted.input),
        owner: owner.clone(),
        // Three calls a file, and none costs money.
        limits: Limits { calls: Some(10_000_000), ..Limits::standard() }.raised(&wanted.limits),
        placement,
        priority: 0,
        settings: wanted.settings,
        certified: false,
        actor: speaker.actor.clone(),
    }
}
