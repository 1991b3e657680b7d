//! `consign job replay DIR`: works everything out again, and holds the files against the journal.

use consign_app::jobs::{self, JobPlace, Purpose};
use serde_json::json;

use super::{place::PlaceArgs, write};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, BAD, GOOD, Output, styled},
    text::count,
};

const HELP: &str = "\
Every transition is worked out again from the journal, every answer is judged again, and every line of the history, \
the recovery points, the audit log and the manifest is compared. Nothing is repaired. Exits with 1 if something is \
not as it should be.

Examples:
  consign job replay site";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let place: JobPlace = args.place.place(session)?;
        let job = jobs::open(session, &place, Purpose::Compare).await?;
        let replayed = jobs::replay(session, &job).await?;
        let found = &replayed.findings;
        match output.reader {
            Audience::Program => {
                let findings: Vec<_> = found
                    .iter()
                    .map(|own| json!({ "sequence": own.sequence, "what": own.what }))
                    .collect();
                let told = json!({
                    "job_id": place.job_id,
                    "interactions": replayed.interactions,
                    "ok": found.is_empty(),
                    "findings": findings,
                });
                write(output, &told)?;
            }
            Audience::Person | Audience::Pipe => {
                for own in found {
                    let at = own
                        .sequence
                        .map_or_else(|| "job".to_owned(), |at| format!("interaction {at}"));
                    output.line(format!("{} {at}: {}", styled(BAD, "wrong"), own.what))?;
                }
                let told = count(replayed.interactions, "interaction");
                if found.is_empty() {
                    output.line(format!(
                        "{} {told}, files and journal agree",
                        styled(GOOD, "replayed")
                    ))?;
                }
            }
        }
        Ok(if found.is_empty() { Exit::Done } else { Exit::Failed })
    })
}
