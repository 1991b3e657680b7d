//! `consign job new DIR --objective …`: makes a job.

use std::path::PathBuf;

use consign_app::jobs::{self, NewJob};
use consign_engine::{Nanos, Owner};
use consign_supervised::{amount::from_cents, input::Thresholds, phase};

use super::{place::PlaceArgs, write};
use crate::{
    commands::runs::owner_arg,
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, GOOD, Output, styled},
};

const HELP: &str = "\
Phases are written in a TOML file:

  [[phase]]
  name = \"build\"
  task = \"Make the program print the totals.\"
  role = \"Worker\"            # who does it; Worker unless you say otherwise
  supervisor = \"Supervisor\"  # who reviews it; false for nobody
  context = [\"spec.md\"]      # files of the workspace that go with the request
  check = [\"cargo\", \"test\"]  # a command whose exit code is evidence for the supervisor

Without --phases there is one phase, `main`. With --repo the workspace is a git worktree on the branch \
consign/job/NAME, with a commit for each accepted phase; your own checkout stays as it is.

A sensitive job keeps prompts, answers and tasks sealed, and needs a sealing key (`consign keys init`).

Examples:
  consign job new totals --objective \"Print the totals of a ledger\"
  consign job new totals --objective \"…\" --phases phases.toml --cost-threshold 250 --time-threshold 20
  consign job new fix --objective \"Fix issue 12\" --repo . --require-approval";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,

    /// What the job is for
    #[arg(long, value_name = "TEXT")]
    objective: String,

    /// A file of phases
    #[arg(long, value_name = "FILE")]
    phases: Option<PathBuf>,

    /// What it may cost, in US cents; 0 is no threshold
    #[arg(long, value_name = "CENTS", value_parser = cents, default_value = "1000")]
    cost_threshold: Nanos,

    /// How many minutes it may work; 0 is no threshold
    #[arg(long, value_name = "MIN", value_parser = minutes, default_value = "60")]
    time_threshold: f64,

    /// Keep what is said sealed
    #[arg(long)]
    sensitive: bool,

    /// A person has to approve the end
    #[arg(long)]
    require_approval: bool,

    /// A git repository of which the workspace becomes a worktree
    #[arg(long, value_name = "GIT")]
    repo: Option<PathBuf>,

    /// A folder in which roles are looked for, after the job's own
    #[arg(long, value_name = "DIR")]
    roles: Option<PathBuf>,

    /// Who pays for it
    #[arg(long, value_name = "O", value_parser = owner_arg, default_value = "local")]
    owner: Owner,
}

/// A hundred years of work: more is no threshold.
const MOST_MINUTES: f64 = 52_560_000.0;

pub(super) fn cents(text: &str) -> Result<Nanos, String> {
    from_cents(text).ok_or_else(|| "not an amount in cents, such as 250 or 0.5".to_owned())
}

pub(super) fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse::<f64>().ok().filter(|own| (0.0..=MOST_MINUTES).contains(own));
    minutes.ok_or_else(|| "not a number of minutes".to_owned())
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let phases = match &args.phases {
            Some(file) => read_phases(file)?,
            None => Vec::new(),
        };
        let thresholds = Thresholds {
            cost: Some(args.cost_threshold).filter(|cost| !cost.is_zero()),
            minutes: Some(args.time_threshold).filter(|minutes| *minutes > 0.0),
        };
        let absolute = |path: &PathBuf| {
            std::path::absolute(path).map_err(|cause| Error::unreadable(path, &cause))
        };
        let wanted = NewJob {
            place: args.place.place(session)?,
            objective: args.objective.clone(),
            phases,
            thresholds,
            require_approval: args.require_approval,
            sensitive: args.sensitive,
            repo: args.repo.clone(),
            roles: args.roles.as_ref().map(absolute).transpose()?,
            owner: args.owner.clone(),
            by: session.user.clone(),
        };
        let job = jobs::new(session, wanted).await?;
        let view = jobs::status(session, &job).await?;
        match output.reader {
            Audience::Program => write(output, &view.json())?,
            Audience::Person | Audience::Pipe => {
                output.line(format!("{} {}", styled(GOOD, "made"), view.directory.display()))?;
                let told = format!("begin with: consign job activate {}", args.place.job);
                output.tell(styled(FAINT, told));
            }
        }
        Ok(Exit::Done)
    })
}

fn read_phases(file: &std::path::Path) -> Result<Vec<phase::Phase>, Error> {
    let text = std::fs::read_to_string(file).map_err(|cause| Error::unreadable(file, &cause))?;
    phase::read(&text).map_err(|wrong| {
        let mut error = Error::new("PHASES_INVALID", format!("{} cannot be used", file.display()));
        error.lines = wrong;
        error.hint("`consign job new --help` shows the form")
    })
}
