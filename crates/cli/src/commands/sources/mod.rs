//! `consign sources`: the documents that are known.

mod list;
mod refresh;
mod remove;
mod show;

use clap::Subcommand;

use crate::{
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
Examples:
  consign sources list
  consign sources show src_5f2a… --text
  consign sources refresh
  consign sources remove src_5f2a…";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What was taken in, with its id
    List(list::Args),
    /// One document: what is known of it, or what it says
    Show(show::Args),
    /// Look at known sources again, and take in what has changed
    Refresh(refresh::Args),
    /// Forget a document and everything that came from it
    Remove(remove::Args),
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::List(args) => list::run(args, output),
        Command::Show(args) => show::run(args, output),
        Command::Refresh(args) => refresh::run(args, output),
        Command::Remove(args) => remove::run(args, output),
    }
}
