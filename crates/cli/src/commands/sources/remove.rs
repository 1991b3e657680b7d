//! `consign sources remove ID…`: documents are forgotten.

use consign_app::documents;
use consign_contracts::json::Json;
use consign_engine::Owner;

use super::super::runs::owner_arg;
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, Output, object},
};

const HELP: &str = "\
Everything that came from a source goes: its text, its passages, their words in the index and their vectors. The file \
itself is not touched.

Examples:
  consign sources remove 5f2a…
  consign sources list --collection old --json | jq -r .source_id | xargs consign sources remove";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Sources, by their ids
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,

    /// Whose documents
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        // All are looked for before the first one goes.
        for id in &args.ids {
            documents::show(session, &args.owner, id).await?;
        }
        for id in &args.ids {
            let removed = documents::remove(session, &args.owner, id).await?;
            match output.reader {
                Audience::Program => output.object(object([
                    ("source_id", Json::String(id.as_str().into())),
                    ("removed", Json::Bool(removed)),
                ]))?,
                Audience::Person | Audience::Pipe => output.tell(format!("removed {id}")),
            }
        }
        Ok(Exit::Done)
    })
}
