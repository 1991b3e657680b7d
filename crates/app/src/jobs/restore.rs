//! Putting a job back to a recovery point: an open one by an event, a closed one by a run that goes on with it.

use consign_engine::{Data, ForkAt, Limits, Placement, RunId, Speaker, Stop};
use consign_invokers::settings::RunSettings;
use consign_supervised::{
    added, git,
    input::{Generation, JobInput},
    name::{job_of_run, run_of_generation},
    state::{JobState, Point, START},
    workspace::{self, Snapshots},
};
use serde_json::json;

use super::{
    drive::not_there,
    open::{OpenJob, write_files},
    steward::drive_to_end,
};
use crate::{
    error::{Error, Refused},
    foreground::{Foreground, Unobserved},
    home::Home,
    machine::host,
    runs::{ForkRequest, begin_fork_of_any},
};

/// How a job was restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    pub point: String,
    /// The run that goes on with the job.
    pub run: RunId,
    /// It is the end of the job: nothing is left to do.
    pub is_over: bool,
}

/// Restores a job to the beginning of a phase.
pub async fn rerun(
    home: &Home,
    job: &OpenJob,
    phase: &str,
    discard: bool,
    by: &Speaker,
) -> Result<Restored, Error> {
    let phases = &job.state.job.phases;
    let Some(at) = phases.iter().position(|own| own.name == phase) else {
        let known = phases.iter().map(|own| own.name.clone());
        return Err(Refused::usage("PHASE_NOT_FOUND", format!("the job has no phase {phase:?}"))
            .listing(known)
            .into());
    };
    let Some(point) = job.state.point_before(at) else {
        let told = format!("phase {phase:?} was never begun");
        return Err(Refused::new("POINT_NOT_FOUND", told).into());
    };
    let id = point.id.clone();
    restore(home, job, &id, discard, by).await
}

/// Restores a job to a recovery point. With `discard`, what a person changed in the workspace by hand is lost.
pub async fn restore(
    home: &Home,
    job: &OpenJob,
    point: &str,
    discard: bool,
    by: &Speaker,
) -> Result<Restored, Error> {
    by.as_person("restoring a job")?;
    let Some(found) = job.state.point(point).cloned() else {
        let known: Vec<_> = job.state.points.iter().map(|own| own.id.clone()).collect();
        let told = format!("job {} has no recovery point {point:?}", job.place.job_id);
        return Err(Refused::new("POINT_NOT_FOUND", told).listing(known).into());
    };
    let snapshots = Snapshots::open(&job.place.directory).and_then(|own| own.has(&found.tree));
    if !snapshots.map_err(|why| Refused::new("JOB_FILES_UNAVAILABLE", why.to_string()))? {
        let told = format!("the snapshot of {} is no longer in .snapshots", found.id);
        return Err(Refused::new("JOB_FILES_UNAVAILABLE", told).into());
    }
    if !discard {
        keep_own_work(job)?;
    }
    let is_over = found.at >= job.state.job.phases.len();
    let run = if job.look.row.status.is_closed() {
        restore_closed(home, job, &found, by).await?
    } else {
        restore_open(home, job, &found, by).await?
    };
    write_files(&home.job_files, &home.engine, &run).await?;
    Ok(Restored { point: found.id, run, is_over })
}

/// Refuses to throw away what a person changed in the workspace since the job's last step.
fn keep_own_work(job: &OpenJob) -> Result<(), Error> {
    let failed = |why: workspace::Error| Refused::new("JOB_FILES_UNAVAILABLE", why.to_string());
    let Some(base) = job.state.base else { return Ok(()) };
    let snapshots = Snapshots::open(&job.place.directory).map_err(failed)?;
    let now = snapshots.take(&job.place.directory.join("workspace")).map_err(failed)?.id;
    let changes = snapshots.changes(&base, &now).map_err(failed)?;
    let changed: Vec<_> = changes
        .into_iter()
        .map(|change| change.path)
        .filter(|path| !job.state.added.contains(path))
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    let told = "the workspace has changes that are not the job's: they would be lost";
    Err(Refused::new("WORKSPACE_CHANGED", told)
        .listing(changed.into_iter().take(20))
        .hint("copy them elsewhere, or give --discard")
        .into())
}

async fn restore_open(
    home: &Home,
    job: &OpenJob,
    point: &Point,
    by: &Speaker,
) -> Result<RunId, Error> {
    if point.at > job.state.job.phases.len() {
        return Err(not_there(job, "restored to a phase that it no longer has").into());
    }
    home.engine.signal(&job.run, "restore", &Data::of(&json!({ "point": point.id })), by).await?;
    // It pauses there, or is over: nothing is begun.
    drive_to_end(home, job).await?;
    lay(home, &job.state, point)?;
    Ok(job.run.clone())
}

/// A run that goes on with a closed one, in the same directory.
async fn restore_closed(
    home: &Home,
    job: &OpenJob,
    point: &Point,
    by: &Speaker,
) -> Result<RunId, Error> {
    let mut state = job.state.clone();
    if point.at >= state.job.phases.len() {
        // The end of the job is a place to look at: nothing goes on from there.
        lay(home, &job.state, point)?;
        return Ok(job.run.clone());
    }
    let (generation, _) = generations(job);
    let usage = &job.look.usage;
    state.before.spent = state.before.spent + usage.spent;
    state.before.seconds += usage.active.unwrap_or_default().as_secs_f64();
    state.before.runs = generation;
    state.job.spent = consign_engine::Nanos::ZERO;
    // Attempts count from the beginning of the run.
    if let Some(mut agents) = state.agents.as_ref().and_then(|own| own.to::<RunSettings>().ok()) {
        agents.script_from = 0;
        state.agents = Some(Data::of(&agents));
    }
    // A job that is over takes no events.
    state.job.stand = consign_supervised::Stand::Pending { reset: true };
    if !consign_supervised::restore(&mut state, &point.id) {
        return Err(not_there(job, "restored").into());
    }
    state.job.allowance = Some(0);
    let limits = state.thresholds.limits(state.before.spent, state.before.seconds / 60.0);
    let input = JobInput {
        job_id: state.job_id.clone(),
        description: state.description.clone(),
        directory: state.directory.clone(),
        phases: state.job.phases.clone(),
        thresholds: state.thresholds,
        require_approval: state.job.require_approval,
        sensitive: state.sensitive,
        roles: state.roles.clone(),
        repository: state.repository.clone(),
        created_at: state.created_at,
        generation: Some(Generation { state: Box::new(state.clone()) }),
    };
    let id = run_of_generation(&state.job_id, &state.directory, generation + 1);
    let request = ForkRequest {
        run: job.run.clone(),
        at: place_of(home, job, point).await?,
        id: Some(RunId::new(id.clone())),
        limits: Limits { calls: None, ..limits },
        placement: Placement::Host(host()),
        settings: None,
        input: Some(Data::of(&input)),
        repeat_unsafe: true,
        by: by.clone(),
    };
    let mut foreground = Foreground::new(&home.engine).await?;
    let (submitted, drive) = begin_fork_of_any(&home.engine, &mut foreground, request).await?;
    let (_go_on, stop) = tokio::sync::watch::channel(Stop::GoOn);
    foreground.go_on(&submitted.run, drive, &stop, &mut Unobserved).await?;
    lay(home, &state, point)?;
    Ok(submitted.run)
}

/// The number of the newest run of a job, and its id.
fn generations(job: &OpenJob) -> (u32, &RunId) {
    (job_of_run(job.run.as_str()).map_or(1, |(_, generation)| generation), &job.run)
}

/// Where the fork begins: at the point, or at the run's own beginning if the point is of an earlier one.
async fn place_of(home: &Home, job: &OpenJob, point: &Point) -> Result<ForkAt, Error> {
    if point.id != START {
        let points = home.engine.points(&job.run).await?;
        if points.iter().any(|own| own.name == point.id) {
            return Ok(ForkAt::Point(point.id.clone()));
        }
    }
    let first = home.engine.points(&job.run).await?.into_iter().next();
    Ok(first.map_or(ForkAt::Event(consign_engine::Seq(0)), |own| ForkAt::Point(own.name)))
}

/// Lays the files of a point now, so that they can be looked at, and moves the job's branch.
fn lay(home: &Home, state: &JobState, point: &Point) -> Result<(), Error> {
    let failed = |why: String| Refused::new("JOB_FILES_UNAVAILABLE", why);
    let workspace = state.directory.join("workspace");
    let snapshots = Snapshots::open(&state.directory).map_err(|why| failed(why.to_string()))?;
    added::lay(&snapshots, &point.tree, &state.directory).map_err(|why| failed(why.to_string()))?;
    if let (Some(repository), Some(commit)) = (&state.repository, &point.commit) {
        let kept = home.engine.now().0.to_string();
        git::reset(repository, &workspace, commit, &kept)
            .map_err(|why| Refused::new("GIT_FAILED", why.to_string()))?;
    }
    Ok(())
}
