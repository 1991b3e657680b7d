//! Approving or rejecting what a job made.
//!
//! What is approved is what was shown: the plan, the files and the commit that they rest on, bound by a digest. Before an
//! approval counts, the repository is looked at again. If it has moved, the job takes that in and asks anew, and the
//! approval is refused.

use std::time::Duration;

use consign_authoring::job::{Approval, JobState};
use consign_contracts::json::Json;
use consign_engine::{Data, Error as EngineError, Owner, Speaker, store::Tick};
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::{cancel::settle, find::find_ends, view::Seen};
use crate::{
    Home,
    error::{Error, Refused},
    view,
};

/// How long a look at the repository is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

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
    let (seen, seen_first) = awaiting(home, owner, id).await?;
    if digest.is_some_and(|digest| digest != seen_first.digest) {
        return Err(changed(&seen_first).into());
    }
    let mut asked = seen_first.clone();
    if asked.base.is_some() {
        let look = json!({"approved": false, "refresh": true, "digest": asked.digest});
        answer(home, &seen, &asked, &Data::of(&look), speaker).await?;
        asked = asked_again(home, owner, id, &asked).await?;
        if asked.digest != seen_first.digest {
            return Err(changed(&asked).into());
        }
    }
    let verdict = json!({"approved": true, "digest": asked.digest});
    answer(home, &seen, &asked, &Data::of(&verdict), speaker).await?;
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
    let (seen, asked) = awaiting(home, owner, id).await?;
    let verdict = match why {
        Some(why) => json!({"approved": false, "why": why}),
        None => json!({"approved": false}),
    };
    answer(home, &seen, &asked, &Data::of(&verdict), speaker).await?;
    settle(home, &seen.row.id).await;
    Ok(Decided { id: seen.row.id.to_string(), state: JobState::Failed })
}

/// What a job asks to be approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub digest: String,
    /// The commit that the files rest on.
    pub base: Option<String>,
}

/// What a job asks now; nothing if it does not wait for approval.
pub async fn asked(home: &Home, owner: &Owner, id: &str) -> Result<Option<Asked>, Error> {
    let seen = Seen::read(home, find_ends(home, owner, id).await?, false).await?;
    Ok(seen.approval().map(|Approval { digest, base, .. }| Asked { digest, base }))
}

/// Says yes or no where the job is driven, to what this digest binds. The job itself looks at the repository again after
/// a yes, and asks anew if it has moved.
pub async fn decide_here(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    id: &str,
    digest: &str,
    approved: bool,
) -> Result<(), Error> {
    let (seen, now) = awaiting(home, owner, id).await?;
    if digest != now.digest {
        return Err(changed(&now).into());
    }
    let verdict = json!({"approved": approved, "digest": digest});
    answer(home, &seen, &now, &Data::of(&verdict), speaker).await
}

/// The job and what it asks, if it waits for approval.
async fn awaiting(home: &Home, owner: &Owner, id: &str) -> Result<(Seen, Approval), Error> {
    let ends = find_ends(home, owner, id).await?;
    let seen = Seen::read(home, ends, false).await?;
    match seen.approval() {
        Some(asked) => Ok((seen, asked)),
        None => Err(not_awaiting(seen.state).into()),
    }
}

/// What the job asks after it has looked at the repository again.
async fn asked_again(
    home: &Home,
    owner: &Owner,
    id: &str,
    before: &Approval,
) -> Result<Approval, Error> {
    let until = Instant::now() + PATIENCE;
    let mut tick = Tick::default();
    loop {
        let seen = Seen::read(home, find_ends(home, owner, id).await?, false).await?;
        match (seen.approval(), seen.state) {
            (Some(asked), _) if asked.key != before.key => return Ok(asked),
            (_, state @ (JobState::Completed | JobState::Failed)) => {
                return Err(not_awaiting(state).into());
            }
            _ if Instant::now() >= until => {
                let told =
                    "the job looks at the repository again: approve it once it has asked anew";
                return Err(Refused::new("INVALID_STATE", told).into());
            }
            _ => {}
        }
        tokio::select! {
            now = home.store().changed(tick) => tick = now,
            () = sleep_until(until) => {}
        }
    }
}

async fn answer(
    home: &Home,
    seen: &Seen,
    asked: &Approval,
    verdict: &Data,
    speaker: &Speaker,
) -> Result<(), Error> {
    let said = home.engine.answer(&seen.row.id, &asked.key, verdict, speaker).await;
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

fn changed(asked: &Approval) -> Refused {
    let told = "what the job made is not what was approved: look at it again";
    let base = asked.base.as_ref().map_or(Json::Null, view::text);
    let refused = Refused::new("INVALID_STATE", told).detail("digest", view::text(&asked.digest));
    refused.detail("base", base)
}

fn not_awaiting(state: JobState) -> Refused {
    let told = format!("the job does not wait for approval: its state is {state}");
    Refused::new("INVALID_STATE", told)
}
