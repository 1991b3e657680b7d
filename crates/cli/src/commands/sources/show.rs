//! `consign sources show ID`: one document.

use consign_app::documents;
use consign_engine::Owner;

use super::super::runs::owner_arg;
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, Output, printable},
};

const HELP: &str = "\
With --text it prints the text that is kept of the document. A passage of a search is exactly the bytes of its `span` \
in that text.

Examples:
  consign sources show handbook.pdf
  consign sources show src_5f2a --text";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The source: its id or the beginning of it, its path, or the name of its file
    #[arg(value_name = "SOURCE")]
    id: String,

    /// Print what it says
    #[arg(long)]
    text: bool,

    /// Whose document
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let source = super::meant(session, &args.owner, &args.id).await?;
        if args.text {
            let text = documents::text(session, &args.owner, &source, None).await?;
            match output.reader {
                Audience::Person => {
                    for line in text.lines() {
                        output.line(printable(line))?;
                    }
                }
                Audience::Pipe | Audience::Program => output.text(&text)?,
            }
            return Ok(Exit::Done);
        }
        let row = documents::row(&source);
        match output.reader {
            Audience::Program => output.line(row.to_string())?,
            Audience::Person | Audience::Pipe => {
                let members = row.as_object().into_iter().flatten();
                let shown = |value: &serde_json::Value| {
                    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
                };
                let rows = members.map(|(name, value)| vec![name.clone(), shown(value)]).collect();
                output.rows(&["what", "value"], rows)?;
            }
        }
        Ok(Exit::Done)
    })
}
