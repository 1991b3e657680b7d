//! `consign runs output RUN`: the output of a run, and nothing else.

use consign_app::view::{End, end};
use consign_engine::store;
use consign_pipeline::ENVELOPE;

use super::{find, journey, report};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, Output},
};

const HELP: &str = "\
Prints what a run came to and nothing else: what the last stage of a pipeline gave, or what the workflow returned. \
With --json it is JSON, also where a person reads text otherwise. `consign runs show RUN --json` has the whole \
envelope of a pipeline.

Exits with 1 and prints nothing if the run failed, was cancelled, or is not over.

Examples:
  consign runs output 7h2k
  consign runs output 7h2k --json | jq .files";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let row = find(&session.engine, &args.run).await?;
        if row.redacted {
            return Err(store::Error::Redacted(row.id).into());
        }
        if let Some(error) = report::unhappy(session, &row).await? {
            return Err(error);
        }
        let Some(End::Succeeded(came_to)) = end(&session.engine, &row).await? else {
            let told = format!("run {} is {} and has no result yet", row.id, row.status);
            let hint = format!("`consign runs watch {}` follows it to its end", row.id);
            return Err(Error::new("NO_RESULT", told).hint(hint));
        };
        match (output.reader, journey::result(&row, &came_to)) {
            (Audience::Program, Some(result)) => output.line(result)?,
            (Audience::Person | Audience::Pipe, _) if row.workflow == ENVELOPE => {
                report::came_to(&came_to, output)?;
            }
            (_, _) => report::print_data(&came_to, output)?,
        }
        Ok(Exit::Done)
    })
}
