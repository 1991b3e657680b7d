//! `consign job metrics DIR`: what a job has used.

use consign_app::jobs::{self, Purpose};
use consign_supervised::amount::cents;

use super::{place::PlaceArgs, write};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, Output},
};

const HELP: &str = "\
Cost is in US cents, time in seconds of work. What is assumed is the full price of attempts that a crash took.

Examples:
  consign job metrics site --json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let job = args.place.open(session, Purpose::Look, output).await?;
        let view = jobs::status(session, &job).await?;
        match output.reader {
            Audience::Program => write(output, &view.json()["metrics"])?,
            Audience::Person | Audience::Pipe => {
                let rows = [
                    ("interactions", view.interactions.to_string()),
                    ("cost", format!("{} cents", cents(view.spent))),
                    ("assumed", format!("{} cents", cents(view.assumed))),
                    ("time", format!("{:.3} s", view.seconds)),
                    (
                        "phases done",
                        format!(
                            "{} of {}",
                            view.phase_number - usize::from(view.status != "SUCCESS"),
                            view.phases
                        ),
                    ),
                    ("recovery points", view.points.len().to_string()),
                ];
                let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]);
                output.rows(&["", ""], rows.collect())?;
            }
        }
        Ok(Exit::Done)
    })
}
