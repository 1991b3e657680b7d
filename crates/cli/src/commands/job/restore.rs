//! `consign job restore` and `consign job rerun`: put a job back.

use consign_app::jobs::{self, Purpose, Restored};
use serde_json::json;

use super::{place::PlaceArgs, write};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, GOOD, Output, styled},
};

const RESTORE_HELP: &str = "\
The state of the job and the files of its workspace are as they were at the point. Nothing is deleted: the history \
goes on, and what was spent stays spent. A job that is over goes on in a new run of the same directory. `start` is \
before the first phase. Files that you changed in the workspace yourself since the job's last step are not thrown away \
unless you say --discard.

Examples:
  consign job restore site --point phase-1-complete
  consign job restore site --point start";

const RERUN_HELP: &str = "\
The job is as it was before the phase began.

Examples:
  consign job rerun site --phase build";

#[derive(clap::Args)]
#[command(after_help = RESTORE_HELP)]
pub(crate) struct RestoreArgs {
    #[command(flatten)]
    place: PlaceArgs,

    /// The recovery point
    #[arg(long, value_name = "ID")]
    point: String,

    /// Throw away what was changed in the workspace by hand
    #[arg(long)]
    discard: bool,
}

#[derive(clap::Args)]
#[command(after_help = RERUN_HELP)]
pub(crate) struct RerunArgs {
    #[command(flatten)]
    place: PlaceArgs,

    /// The phase
    #[arg(long, value_name = "P")]
    phase: String,

    /// Throw away what was changed in the workspace by hand
    #[arg(long)]
    discard: bool,
}

pub(crate) fn restore(args: &RestoreArgs, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let job = args.place.open(session, Purpose::Change, output).await?;
        let restored =
            jobs::restore(session, &job, &args.point, args.discard, &session.user).await?;
        print(&args.place.job, &restored, output)
    })
}

pub(crate) fn rerun(args: &RerunArgs, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let job = args.place.open(session, Purpose::Change, output).await?;
        let restored = jobs::rerun(session, &job, &args.phase, args.discard, &session.user).await?;
        print(&args.place.job, &restored, output)
    })
}

fn print(job: &str, restored: &Restored, output: &mut Output) -> Result<Exit, Error> {
    match output.reader {
        Audience::Program => {
            write(output, &json!({ "point": restored.point, "run": restored.run.to_string() }))?;
        }
        Audience::Person | Audience::Pipe => {
            output.line(format!("{} to {}", styled(GOOD, "restored"), restored.point))?;
            if !restored.is_over {
                output.tell(styled(FAINT, format!("go on with: consign job run {job}")));
            }
        }
    }
    Ok(Exit::Done)
}
