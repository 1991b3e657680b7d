//! Forking a run, and retrying one that failed or was cancelled.

use std::sync::Arc;

use consign_engine::{
    Data, Drive, Engine, Fork, ForkAt, Limits, Placement, RecoveryPoint, RunId, Seq, Settings,
    Speaker, Status, Submitted,
    store::{self, Row},
};
use consign_pipeline::{ENVELOPE, adopt};

use super::signal::refuse_for_job;
use crate::{
    error::{Error, Refused},
    foreground::Foreground,
    machine::host,
};

/// What takes the place of a fork of a job.
const RESTORED: &str = "goes on by `consign job restore` or `rerun`, in its own directory";
/// A run's own name is not longer than this.
const LONGEST_ID: usize = 64;

/// A fork that is wanted.
#[derive(Clone, Debug)]
pub struct ForkRequest {
    pub run: RunId,
    pub at: ForkAt,
    /// The caller's own name for the new run.
    pub id: Option<RunId>,
    /// Limits that were set; those of the parent hold for the rest.
    pub limits: Limits,
    pub placement: Placement,
    /// How its agents are reached, where that is not as in the parent.
    pub settings: Option<Settings>,
    /// The input of the new run, where that is not the parent's.
    pub input: Option<Data>,
    /// Whether unsafe calls that came after that place may be made again.
    pub repeat_unsafe: bool,
    pub by: Speaker,
}

impl From<ForkRequest> for Fork {
    fn from(request: ForkRequest) -> Self {
        let ForkRequest { run, at, id, limits, placement, settings, input, repeat_unsafe, by } =
            request.named();
        Self { parent: run, at, id, limits, placement, settings, input, repeat_unsafe, by }
    }
}

impl ForkRequest {
    /// Gives a plain retry a name of its own: retried once more, a run gives the same run and does nothing twice. A
    /// retry with other agents, limits or input is another one each time, and so is one that has a name.
    fn named(mut self) -> Self {
        let plain = self.at == ForkAt::Failure
            && self.limits == Limits::default()
            && self.settings.is_none()
            && self.input.is_none();
        let name = format!("{}-retry", self.run);
        if self.id.is_none() && plain && name.len() <= LONGEST_ID {
            self.id = Some(RunId::new(name));
        }
        self
    }
}

/// Forks a run and leaves the new one to the workers.
pub async fn fork(engine: &Arc<Engine>, request: ForkRequest) -> Result<Submitted, Error> {
    refuse_for_job(engine, &request.run, RESTORED).await?;
    Ok(engine.fork(request.into()).await?)
}

/// Forks a run into one that this process holds from the beginning. One that was forked before has no drive.
pub async fn begin_fork(
    engine: &Arc<Engine>,
    foreground: &mut Foreground,
    request: ForkRequest,
) -> Result<(Submitted, Option<Drive>), Error> {
    refuse_for_job(engine, &request.run, RESTORED).await?;
    begin_fork_of_any(engine, foreground, request).await
}

/// Forks a run, also one of a job: for what has seen to the job's own rules.
pub(crate) async fn begin_fork_of_any(
    engine: &Arc<Engine>,
    foreground: &mut Foreground,
    request: ForkRequest,
) -> Result<(Submitted, Option<Drive>), Error> {
    match foreground.fork(request.clone().into()).await {
        Ok((submitted, drive)) => Ok((submitted, Some(drive))),
        Err(Error::Engine(consign_engine::Error::Store(store::Error::Exists(_)))) => {
            Ok((engine.fork(request.into()).await?, None))
        }
        Err(error) => Err(error),
    }
}

/// The placement of a fork that is left to the workers: what a run needs of a machine is on this one.
#[must_use]
pub fn detached(parent: &Row) -> Placement {
    match parent.placement {
        Placement::Anywhere => Placement::Anywhere,
        Placement::Foreground | Placement::HereOnly | Placement::Host(_) => Placement::Host(host()),
    }
}

/// The recovery points of a run, oldest first.
pub async fn points(engine: &Arc<Engine>, run: &RunId) -> Result<Vec<RecoveryPoint>, Error> {
    let mut points = engine.points(run).await?;
    let row = engine.store().row(run).await?;
    // Behind the last point of a run that succeeded nothing is left to do.
    if row.status == Status::Succeeded {
        points.retain(|point| point.run != row.id || point.seq.0 + 1 < row.seq.0);
    }
    Ok(points)
}

/// Where a fork begins that is asked for by an event's number or a point's name.
#[must_use]
pub fn place(typed: &str) -> ForkAt {
    match typed.parse() {
        Ok(seq) => ForkAt::Event(Seq(seq)),
        Err(_) => ForkAt::Point(typed.to_owned()),
    }
}

/// Where a retry begins: just before what failed, or where `from` had its turn last.
pub async fn retry_at(
    engine: &Arc<Engine>,
    run: &RunId,
    from: Option<&str>,
) -> Result<ForkAt, Error> {
    let Some(from) = from else { return Ok(ForkAt::Failure) };
    let points = engine.points(run).await?;
    // A point says what was done; the one before it is where that began.
    let done = points.iter().rposition(|point| is_of(&point.name, from)).filter(|at| *at > 0);
    if let Some(before) = done.and_then(|at| points.get(at - 1)) {
        return Ok(ForkAt::Point(before.name.clone()));
    }
    match points.last() {
        Some(last) if stands_at(engine, run, from).await? => Ok(ForkAt::Point(last.name.clone())),
        Some(_) | None => {
            let known: Vec<_> = points.iter().skip(1).map(|point| point.name.clone()).collect();
            let told = format!("run {run} never came to {from:?}");
            Err(Refused::new("POINT_NOT_FOUND", told)
                .listing(known)
                .hint("`consign runs points RUN` lists what it came to")
                .into())
        }
    }
}

/// Whether a point is that of a stage: `plan`, or `plan.2` when it had its turn a second time.
fn is_of(point: &str, stage: &str) -> bool {
    let rest = point.strip_prefix(stage);
    rest.is_some_and(|rest| {
        let number = rest.strip_prefix('.');
        rest.is_empty() || number.is_some_and(|number| number.parse::<u32>().is_ok())
    })
}

/// Whether a pipeline's run stands at a stage that it has not finished.
async fn stands_at(engine: &Arc<Engine>, run: &RunId, stage: &str) -> Result<bool, Error> {
    if engine.store().row(run).await?.workflow != ENVELOPE {
        return Ok(false);
    }
    let envelope = adopt::envelope_of(engine, run).await;
    Ok(envelope.is_ok_and(|envelope| envelope.current_stage == stage))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_of_the_stage_that_it_is_named_after() {
        let check = |point: &str, stage: &str, is: bool| {
            assert_eq!(is_of(point, stage), is, "{point} {stage}");
        };
        check("plan", "plan", true);
        check("plan.2", "plan", true);
        check("plan.two", "plan", false);
        check("planning", "plan", false);
        check("start", "plan", false);
    }

    #[test]
    fn a_place_is_an_event_or_a_point() {
        assert_eq!(place("12"), ForkAt::Event(Seq(12)));
        assert_eq!(place("plan"), ForkAt::Point("plan".to_owned()));
    }
}
