//! `consign sources remove ID…`: documents are forgotten.

use consign_app::documents;
use consign_contracts::json::Json;
use consign_engine::Owner;

use super::super::runs::owner_arg;
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, Output, object, printable},
    text::place,
};

const HELP: &str = "\
Everything that came from a source goes: its text, its passages, their words in the index and their vectors. The file \
itself is not touched.

Examples:
  consign sources remove handbook.pdf
  consign sources list --collection old --json | jq -r .source_id | xargs consign sources remove";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Sources: their ids or the beginnings of these, their paths, or the names of their files
    #[arg(value_name = "SOURCE", required = true)]
    ids: Vec<String>,

    /// Whose documents
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        // All are looked for before the first one goes.
        let mut sources = Vec::new();
        for id in &args.ids {
            sources.push(super::meant(session, &args.owner, id).await?);
        }
        for source in sources {
            let id = source.id.as_str();
            let removed = documents::remove(session, &args.owner, id).await?;
            match output.reader {
                Audience::Program => output.object(object([
                    ("source_id", Json::String(id.to_owned().into())),
                    ("removed", Json::Bool(removed)),
                ]))?,
                Audience::Person | Audience::Pipe => {
                    let place = place(&source.about.identifier);
                    output.tell(format!("removed {} ({id})", printable(&place)));
                }
            }
        }
        Ok(Exit::Done)
    })
}
