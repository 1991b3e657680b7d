//! `consign runs signal RUN NAME --value JSON`: sends a run a signal that its workflow declares.

use consign_app::runs;
use consign_engine::Data;

use super::{document, find, onward::onward};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{GOOD, Output, styled},
};

const HELP: &str = "\
A signal is something that a workflow takes without having asked for it. Each workflow declares its signals, with a \
contract for the value; another name is refused (SIGNAL_NOT_FOUND).

A run that belongs to the command line continues here if no process holds it. Exits with 0 when the signal was taken, \
whatever the run does next; with 3 when it was taken and continuing here failed; with 1 when it was not taken.

Examples:
  consign runs signal 7h2k note --value '\"half done\"'
  consign runs signal 7h2k enough";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,

    /// The signal
    name: String,

    /// Its value as JSON, `-` for standard input; null if left out
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    value: Option<String>,

    /// Leave the run as it is afterwards
    #[arg(long)]
    no_resume: bool,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let value = args.value.as_deref().map(document::value).transpose()?;
    let value = value.unwrap_or_else(Data::null);
    session(async |session| {
        let run = find(&session.engine, &args.run).await?.id;
        let sent = runs::signal(&session.engine, &run, &args.name, &value, &session.user).await;
        sent.map_err(|error| Error::from(error).about(run.as_str()))?;
        output.tell(format!("{} {} to {run}", styled(GOOD, "sent"), args.name));
        onward(session, &run, "the signal was taken", !args.no_resume, output).await
    })
}
