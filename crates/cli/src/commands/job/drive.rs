//! `consign job run` and `consign job step`: drive a job here.

use std::path::{Path, PathBuf};

use consign_app::{
    foreground::{Ended, Foreground},
    jobs::{self, AgentSource, OpenJob, Pace, Purpose},
};
use consign_contracts::job::JobStatus;
use consign_engine::AskKind;

use super::{place::PlaceArgs, progress::JobProgress, status};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::Output,
    signals::Signals,
};

/// How long what is under way may go on after the first signal.
const GRACE: std::time::Duration = std::time::Duration::from_secs(10);

const RUN_HELP: &str = "\
Goes on until the job succeeds, waits for a person, or reaches a threshold. A job that another process drives, a \
worker say, is refused with RUN_HELD: `job status` shows how it gets on.

Examples:
  consign job run site
  consign job run site --agent-script script.json";

const STEP_HELP: &str = "\
Makes one interaction: one call of the worker or the supervisor, with everything that follows from it.

Examples:
  consign job step site";

/// Who answers in the place of the roles.
#[derive(clap::Args)]
pub(super) struct AgentArgs {
    /// Let the roles answer from a script; the job remembers it
    #[arg(long, value_name = "FILE", help_heading = "Stand-ins")]
    agent_script: Option<PathBuf>,

    /// Write what each role was given to a file, a line each; the job remembers it
    #[arg(long, value_name = "FILE", help_heading = "Stand-ins")]
    invocations: Option<PathBuf>,

    /// Use this model instead of the roles' own: a name, `replay:FILE` or `bridge`
    #[arg(long, value_name = "MODEL", help_heading = "Stand-ins")]
    model: Option<String>,

    /// Record what is said to models and what they say
    #[arg(long, value_name = "FILE", help_heading = "Stand-ins")]
    record: Option<PathBuf>,
}

impl AgentArgs {
    fn source(&self, session: &Session) -> Result<AgentSource, Error> {
        let absolute = |path: &PathBuf| {
            std::path::absolute(path).map_err(|cause| Error::unreadable(path, &cause))
        };
        let script = self.agent_script.as_ref().map(absolute).transpose()?;
        if let Some(script) = &script {
            check_script(session, script)?;
        }
        Ok(AgentSource {
            script,
            invocations: self.invocations.as_ref().map(absolute).transpose()?,
            model: self.model.clone(),
            record: self.record.as_ref().map(absolute).transpose()?,
        })
    }
}

fn check_script(session: &Session, script: &Path) -> Result<(), Error> {
    if !script.is_file() {
        let told = format!("there is no script {}", script.display());
        return Err(Error::usage("SCRIPT_NOT_FOUND", told));
    }
    session.scripts.script(script).map_err(consign_engine::Error::Fault)?;
    Ok(())
}

#[derive(clap::Args)]
#[command(after_help = RUN_HELP)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    place: PlaceArgs,

    #[command(flatten)]
    agents: AgentArgs,
}

#[derive(clap::Args)]
#[command(after_help = STEP_HELP)]
pub(crate) struct StepArgs {
    #[command(flatten)]
    place: PlaceArgs,

    #[command(flatten)]
    agents: AgentArgs,
}

pub(crate) fn run(args: &RunArgs, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let agents = args.agents.source(session)?;
        let job = args.place.open(session, Purpose::Change, output).await?;
        go_on(session, &args.place, &job, Pace::Free, &agents, output).await
    })
}

pub(crate) fn step(args: &StepArgs, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let agents = args.agents.source(session)?;
        let job = args.place.open(session, Purpose::Change, output).await?;
        go_on(session, &args.place, &job, Pace::Step, &agents, output).await
    })
}

/// Drives a job, then says how it stands.
pub(super) async fn go_on(
    session: &Session,
    place: &PlaceArgs,
    job: &OpenJob,
    pace: Pace,
    agents: &AgentSource,
    output: &mut Output,
) -> Result<Exit, Error> {
    let mut foreground = Foreground::new(&session.engine).await?;
    let drive = jobs::begin_drive(session, job, pace, agents, &foreground, &session.user).await?;
    let before = job.state.job.interactions;
    let signals = Signals::listen(GRACE)?;
    let mut progress = JobProgress::new(output);
    let ended = foreground.go_on(&job.run, drive, &signals.stop, &mut progress).await?;
    let job = place.open(session, Purpose::Look, output).await?;
    status::print(session, &job, output).await?;
    if let Ended::Stopped(_) = ended {
        // Who stops a job does not want a worker to go on with it.
        let _ = jobs::pause(session, &job, &session.user).await;
        return Ok(signals.exit().unwrap_or(Exit::Interrupted));
    }
    let waits_for_agent = match &ended {
        Ended::Waiting(_, asks) => asks.iter().any(|ask| ask.kind == AskKind::AgentResponse),
        Ended::Closed(_) | Ended::Stopped(_) => false,
    };
    Ok(exit(&job, pace, before, waits_for_agent))
}

/// What a command exits with that leaves a job so.
fn exit(job: &OpenJob, pace: Pace, before: u64, waits_for_agent: bool) -> Exit {
    match job.status() {
        JobStatus::Success => Exit::Done,
        JobStatus::Canceled => Exit::Failed,
        JobStatus::InterventionRequired | JobStatus::HaltedCost | JobStatus::HaltedTime => {
            Exit::WaitsForPerson
        }
        JobStatus::Draft | JobStatus::Pending | JobStatus::Running | JobStatus::Reviewing => {
            let stepped = pace == Pace::Step && job.state.job.interactions > before;
            match () {
                () if job.look.row.status.is_closed() => Exit::Failed,
                () if waits_for_agent => Exit::WaitsForAgent,
                () if stepped => Exit::Done,
                () => Exit::WaitsForPerson,
            }
        }
    }
}
