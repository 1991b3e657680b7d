//! Approving or rejecting what a job made.

use consign_authoring::job::{APPROVAL, JobState};
use consign_contracts::json::Json;
use consign_engine::{Data, Error as EngineError, Key, Owner, Speaker};
use serde_json::json;

use super::{cancel::settle, find::find_ends, view::Seen};
use crate::{
    Home,
    error::{Error, Refused},
    view,
};

/// A job that was approved or rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    pub id: String,
    pub state: JobState,
}

/// Approves what a job made, so that it goes on. With a digest, only what that digest binds.
pub async fn approve(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    id: &str,
    digest: Option<&str>,
) -> Result<Decided, Error> {
    let seen = awaiting(home, owner, id).await?;
    let current = seen.digest().unwrap_or_default();
    if digest.is_some_and(|digest| digest != current) {
        let told = "what the job made is not what was approved: look at it again";
        let refused = Refused::new("INVALID_STATE", told).detail("digest", view::text(current));
        return Err(refused.detail("base", Json::Null).into());
    }
    answer(home, &seen, &Data::of(&json!({"approved": true})), speaker).await?;
    Ok(Decided { id: seen.row.id.to_string(), state: JobState::Running })
}

/// Rejects what a job made: it fails with `JOB_REJECTED`.
pub async fn reject(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    id: &str,
    why: Option<&str>,
) -> Result<Decided, Error> {
    let seen = awaiting(home, owner, id).await?;
    let verdict = match why {
        Some(why) => json!({"approved": false, "why": why}),
        None => json!({"approved": false}),
    };
    answer(home, &seen, &Data::of(&verdict), speaker).await?;
    settle(home, &seen.row.id).await;
    Ok(Decided { id: seen.row.id.to_string(), state: JobState::Failed })
}

/// The job, if it waits for approval.
async fn awaiting(home: &Home, owner: &Owner, id: &str) -> Result<Seen, Error> {
    let ends = find_ends(home, owner, id).await?;
    let seen = Seen::read(home, ends, false).await?;
    match seen.state {
        JobState::AwaitingApproval => Ok(seen),
        JobState::Pending | JobState::Running | JobState::Completed | JobState::Failed => {
            Err(not_awaiting(seen.state).into())
        }
    }
}

async fn answer(home: &Home, seen: &Seen, verdict: &Data, speaker: &Speaker) -> Result<(), Error> {
    let said = home.engine.answer(&seen.row.id, &Key::from(APPROVAL), verdict, speaker).await;
    match said {
        // Another answer came first.
        Err(EngineError::Fault(fault))
            if matches!(
                fault.code.as_ref(),
                "ALREADY_ANSWERED" | "WITHDRAWN" | "INVALID_STATE"
            ) =>
        {
            Err(not_awaiting(JobState::Running).into())
        }
        said => Ok(said?),
    }
}

fn not_awaiting(state: JobState) -> Refused {
    let told = format!("the job does not wait for approval: its state is {state}");
    Refused::new("INVALID_STATE", told)
}
