//! `consign job adopt DIR`: takes over what was changed in the manifest.

use consign_app::jobs::{self, Purpose};
use serde_json::json;

use super::{place::PlaceArgs, write};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, GOOD, Output, styled},
};

const HELP: &str = "\
You may change the description, the thresholds (upwards), require_approval, and phases that were not begun. Anything \
else is refused by name: put it back, or remove the manifest, and it is written anew from the journal.

Examples:
  consign job adopt site";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let place = args.place.place(session)?;
        let job = jobs::open(session, &place, Purpose::Compare).await?;
        let adopted = jobs::adopt(session, &job, &session.user).await?;
        match output.reader {
            Audience::Program => write(output, &json!({ "adopted": adopted }))?,
            Audience::Person | Audience::Pipe if adopted.is_empty() => {
                output.line(styled(FAINT, "nothing was changed by hand"))?;
            }
            Audience::Person | Audience::Pipe => {
                output.line(format!("{} {}", styled(GOOD, "adopted"), adopted.join(", ")))?;
            }
        }
        Ok(Exit::Done)
    })
}
