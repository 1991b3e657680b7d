//! `consign job preview DIR`: the exact request that would be sent next.

use consign_app::jobs::{self, Purpose};
use serde_json::Value;

use super::{place::PlaceArgs, write};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, styled},
};

const HELP: &str = "\
Works before a job is activated, too. Nothing is sent, spent or changed.

Examples:
  consign job preview site
  consign job preview site --json | jq .request";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let job = args.place.open(session, Purpose::Look, output).await?;
        let preview = jobs::preview(session, &job).await?;
        let preview: Value = preview.to().unwrap_or_default();
        match output.reader {
            Audience::Program => write(output, &preview)?,
            Audience::Person | Audience::Pipe => {
                let told = format!(
                    "interaction {} to {} in phase {}:",
                    preview["sequence"],
                    preview["role"].as_str().unwrap_or_default(),
                    preview["phase"].as_str().unwrap_or_default()
                );
                output.tell(styled(FAINT, told));
                output.text(preview["prompt"].as_str().unwrap_or_default())?;
                output.line("")?;
            }
        }
        Ok(Exit::Done)
    })
}
