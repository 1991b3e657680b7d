//! Opening a job: its newest run and state, with its directory brought up to date first.

use consign_engine::{Engine, Look, RunId, store};
use consign_supervised::{
    directory::{Caught, JobFiles, read_manifest, runs_of},
    manifest::Found,
    state::JobState,
};

use super::place::JobPlace;
use crate::{
    error::{Error, Refused},
    home::Home,
};

/// What a job is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Look,
    /// Its files are held against the journal, and left as they are.
    Compare,
    /// It will be changed: its manifest must be ours, and no other process may be at it.
    Change,
}

/// A job as it stands.
pub struct OpenJob {
    pub place: JobPlace,
    pub run: RunId,
    pub look: Look,
    pub state: JobState,
    /// What was wrong with its files.
    pub files: Caught,
}

/// Opens a job.
pub async fn open(home: &Home, place: &JobPlace, purpose: Purpose) -> Result<OpenJob, Error> {
    let engine = &home.engine;
    let runs = runs_of(engine, &place.job_id, &place.directory).await.map_err(files_error)?;
    let Some(run) = runs.into_iter().next_back() else { return Err(missing(place)) };
    let files = if home.is_read_only || purpose == Purpose::Compare {
        Caught::Current
    } else {
        home.job_files.catch_up(engine, &run).await.map_err(files_error)?
    };
    if purpose == Purpose::Change
        && let Caught::Diverged(why) = &files
    {
        return Err(diverged(place, why).into());
    }
    let (look, state) = look_at(engine, &run).await?;
    if purpose == Purpose::Change {
        free(&look, place)?;
    }
    Ok(OpenJob { place: place.clone(), run, look, state, files })
}

/// A run with the state of its job.
pub(super) async fn look_at(engine: &Engine, run: &RunId) -> Result<(Look, JobState), Error> {
    let look = engine.look(run).await?;
    let state = look.state.to().map_err(|cause| {
        store::Error::Damaged(format!("the state of run {run} cannot be read: {cause}"))
    })?;
    Ok((look, state))
}

/// Refuses a job that another process drives.
pub(super) fn free(look: &Look, place: &JobPlace) -> Result<(), Error> {
    let Some(worker) = &look.row.worker else { return Ok(()) };
    let told = format!("another process ({worker}) drives job {}", place.job_id);
    Err(Refused::new("RUN_HELD", told).hint("wait until it stops, or stop it").into())
}

fn missing(place: &JobPlace) -> Error {
    let told = format!("there is no job in {}", place.directory.display());
    let refused = Refused::new("JOB_NOT_FOUND", told);
    match read_manifest(&place.directory) {
        Ok(Found::Ours(..) | Found::Edited(..)) => refused
            .hint("its manifest is there, and its run is not in this home: choose the home that it was made in"),
        Ok(Found::Missing | Found::TooNew(_)) | Err(_) => {
            refused.hint("`consign job list` shows the jobs of this home")
        }
    }
    .into()
}

fn diverged(place: &JobPlace, why: &str) -> Refused {
    let told = format!("the manifest of job {} was edited by hand: {why}", place.job_id);
    Refused::new("MANIFEST_DIVERGED", told).hint(format!(
        "`consign job adopt {}` takes the change over, or refuses it by name",
        place.typed
    ))
}

/// An error of a job's files, in the words of a use case.
pub(super) fn files_error(error: consign_supervised::directory::Error) -> Error {
    use consign_supervised::directory::Error as Files;
    match error {
        Files::Engine(error) => error.into(),
        Files::TooNew(_) => Refused::new("VERSION_TOO_NEW", error.to_string()).into(),
        Files::History(_) | Files::Io { .. } | Files::Files(_) | Files::Journal(_) => {
            Refused::new("JOB_FILES_UNAVAILABLE", error.to_string())
                .hint("check that the job's directory is there and can be written")
                .into()
        }
    }
}

/// Brings the files of a job up to date after a change. They are repaired later if that fails.
pub(super) async fn write_files(
    files: &JobFiles,
    engine: &Engine,
    run: &RunId,
) -> Result<Caught, Error> {
    files.catch_up(engine, run).await.map_err(files_error)
}
