//! `consign agents remove NAME`: forgets an agent; its file stays.

use std::fs;

use crate::{
    commands::runs::form,
    error::{Error, Exit},
    home,
    output::{Audience, Output, object},
};
use consign_app::definitions;

const HELP: &str = "\
Runs that still call it fail with AGENT_NOT_FOUND.

Examples:
  consign agents remove reviewer";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The agent's name
    name: String,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let home = home::path().map_err(|why| Error::new("STORE_UNAVAILABLE", why))?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let place = definitions::place(&home, &args.name);
    if !args.name.chars().all(plain) || fs::symlink_metadata(&place).is_err() {
        return Err(definitions::unknown(&home, &args.name).into());
    }
    fs::remove_file(&place).map_err(|cause| Error::unreadable(&place, &cause))?;
    match output.reader {
        Audience::Program => output.object(object([("removed", form::text(&args.name))]))?,
        Audience::Person | Audience::Pipe => output.line(format!("{} is forgotten", args.name))?,
    }
    Ok(Exit::Done)
}
