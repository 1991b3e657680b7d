//! What only a person does: advise or halt a job that is stuck, approve or reject its end, raise its thresholds, cancel it.

use consign_engine::{Data, Key, Limits, Nanos, Speaker};
use consign_supervised::{Stand, sealed::TextKey};
use serde_json::json;

use super::{
    drive::{not_there, settle},
    open::{OpenJob, write_files},
};
use crate::{
    compose::SealedJobKeys,
    error::{Error, Refused},
    home::Home,
    runs, view,
};

/// Advice for a role that is stuck.
#[derive(Clone, Debug)]
pub struct Advice {
    pub text: String,
    /// The phase begins from its starting workspace.
    pub reset: bool,
}

/// Thresholds that are wanted, each the whole of the new one; zero lifts it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Raise {
    pub cost: Option<Nanos>,
    pub minutes: Option<f64>,
}

/// Advises a job that is stuck.
pub async fn advise(
    home: &Home,
    job: &OpenJob,
    advice: &Advice,
    by: &Speaker,
) -> Result<(), Error> {
    if advice.text.trim().is_empty() {
        return Err(Refused::usage("USAGE", "the advice is empty").into());
    }
    let text = seal(home, job, &advice.text).await?;
    let value = json!({ "advice": text, "reset": advice.reset });
    answer(home, job, "steward", "advised", Data::of(&value), by).await
}

/// Halts a job that is stuck: it is canceled.
pub async fn halt(home: &Home, job: &OpenJob, by: &Speaker) -> Result<(), Error> {
    answer(home, job, "steward", "halted", Data::of(&json!({ "halt": true })), by).await?;
    drive_to_end(home, job).await
}

/// Approves the end of a job.
pub async fn approve(home: &Home, job: &OpenJob, by: &Speaker) -> Result<(), Error> {
    answer(home, job, "approval", "approved", Data::of(&json!({ "approved": true })), by).await
}

/// Sends the last phase of a job back, with the reason.
pub async fn reject(home: &Home, job: &OpenJob, why: &str, by: &Speaker) -> Result<(), Error> {
    if why.trim().is_empty() {
        return Err(Refused::usage("USAGE", "the reason is empty").into());
    }
    let why = seal(home, job, why).await?;
    let value = json!({ "approved": false, "why": why });
    answer(home, job, "approval", "rejected", Data::of(&value), by).await
}

/// Answers the one question of a kind that the job asks.
async fn answer(
    home: &Home,
    job: &OpenJob,
    kind: &str,
    wish: &str,
    value: Data,
    by: &Speaker,
) -> Result<(), Error> {
    let stands = match job.state.job.stand {
        Stand::Stuck(_) => "steward",
        Stand::Approving => "approval",
        Stand::Draft
        | Stand::Pending { .. }
        | Stand::Working
        | Stand::Checking
        | Stand::Reviewing
        | Stand::Accepting
        | Stand::Done
        | Stand::Canceled => "",
    };
    if stands != kind {
        return Err(not_there(job, wish).into());
    }
    let asks = view::open_asks(&home.engine, &job.run).await?;
    let is_of = |key: &Key| key.as_str().split('.').next() == Some(kind);
    let Some(ask) = asks.into_iter().find(|ask| is_of(&ask.key)) else {
        return Err(not_there(job, wish).into());
    };
    home.engine.answer(&job.run, &ask.key, &value, by).await?;
    settle(&home.engine, &job.run).await?;
    write_files(&home.job_files, &home.engine, &job.run).await?;
    Ok(())
}

/// A text as the journal may keep it.
pub(super) async fn seal(home: &Home, job: &OpenJob, text: &str) -> Result<String, Error> {
    Ok(key(home, job).await?.map_or_else(|| text.to_owned(), |key| key.seal(text)))
}

/// The key of a sensitive job; nothing for others.
pub(super) async fn key(home: &Home, job: &OpenJob) -> Result<Option<TextKey>, Error> {
    use consign_supervised::JobKeys as _;
    if !job.state.sensitive {
        return Ok(None);
    }
    let keys = SealedJobKeys(home.models.clone());
    Ok(Some(keys.text_key(&job.look.row.owner, &job.place.first_run()).await?))
}

/// Raises the thresholds of a job.
pub async fn raise(home: &Home, job: &OpenJob, raise: Raise, by: &Speaker) -> Result<(), Error> {
    let (state, limits) = (&job.state, &job.look.limits);
    if job.look.row.status.is_closed() {
        return Err(not_there(job, "raised").into());
    }
    if raise.cost.is_none() && raise.minutes.is_none() {
        return Err(Refused::usage("USAGE", "no threshold was named")
            .hint("name one: --cost CENTS, --minutes N")
            .into());
    }
    let none = |what: &str| {
        Refused::new("LIMIT_NOT_RAISED", format!("the job has no threshold on {what}"))
    };
    let mut to = Limits::default();
    if let Some(cost) = raise.cost {
        limits.cost.ok_or_else(|| none("cost"))?;
        to.cost = Some(if cost.is_zero() {
            Nanos::new(u64::MAX)
        } else {
            cost.minus(state.before.spent)
        });
    }
    if let Some(minutes) = raise.minutes {
        limits.active.ok_or_else(|| none("time"))?;
        let lifted = 100.0 * 365.0 * 24.0 * 3600.0;
        let seconds = if minutes == 0.0 { lifted } else { minutes * 60.0 - state.before.seconds };
        to.active = std::time::Duration::try_from_secs_f64(seconds.max(0.0)).ok();
    }
    runs::raise(&home.engine, &job.run, &to, by).await?;
    settle(&home.engine, &job.run).await?;
    write_files(&home.job_files, &home.engine, &job.run).await?;
    Ok(())
}

/// Cancels a job, wherever it stands.
pub async fn cancel(home: &Home, job: &OpenJob, by: &Speaker) -> Result<(), Error> {
    if job.look.row.status.is_closed() {
        return Err(not_there(job, "canceled").into());
    }
    runs::cancel(&home.engine, &job.run, None, by).await?;
    // Another process that drives it closes it itself.
    drive_to_end(home, job).await?;
    write_files(&home.job_files, &home.engine, &job.run).await?;
    Ok(())
}

/// Drives a job that has nothing left to do but to close.
pub(super) async fn drive_to_end(home: &Home, job: &OpenJob) -> Result<(), Error> {
    let mut foreground = crate::foreground::Foreground::new(&home.engine).await?;
    if let Some(drive) = foreground.take_if_free(&job.run).await? {
        let (_go_on, stop) = tokio::sync::watch::channel(consign_engine::Stop::GoOn);
        let mut unobserved = crate::foreground::Unobserved;
        foreground.go_on(&job.run, Some(drive), &stop, &mut unobserved).await?;
    }
    Ok(())
}
