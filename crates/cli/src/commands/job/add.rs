//! `consign job add DIR FILE…`: copies files into the workspace.

use std::path::PathBuf;

use consign_app::jobs::{self, AddFiles, Purpose};
use serde_json::json;

use super::{place::PlaceArgs, write};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, GOOD, Output, printable, styled},
};

const HELP: &str = "\
Files that are added go with every request. They can be added before the job is activated, and while it waits.

Examples:
  consign job add site brief.md logo.svg
  consign job add site brief.md --replace";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,

    /// The files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Replace files of the same name
    #[arg(long)]
    replace: bool,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let job = args.place.open(session, Purpose::Change, output).await?;
        let wanted = AddFiles { files: args.files.clone(), replace: args.replace };
        let added = jobs::add(session, &job, &wanted, &session.user).await?;
        match output.reader {
            Audience::Program => write(output, &json!({ "added": added }))?,
            Audience::Person | Audience::Pipe => {
                for name in added {
                    output.line(format!("{} {}", styled(GOOD, "added"), printable(&name)))?;
                }
            }
        }
        Ok(Exit::Done)
    })
}
