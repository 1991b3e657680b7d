//! `consign credentials …`: with what sources and sealed files are opened, sealed for each owner.

mod add;
mod list;
mod remove;

use clap::Subcommand;

use crate::{
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
Sites and Google Drive want a token, sealed files a password. Credentials have a name: `ingest --credentials NAME` uses \
them, and whoever names them never sees them. They are sealed like keys of models (`consign keys`), each owner has their \
own, and no command prints one or a part of one.

Examples:
  consign credentials add wiki < token.txt
  consign credentials add payslips --kind password
  consign ingest payslips --credentials payslips
  consign credentials list";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Seal credentials and keep them under a name
    Add(add::Args),
    /// Which there are, without the secrets
    List(list::Args),
    /// Forget credentials
    Remove(remove::Args),
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::Add(args) => add::run(args, output),
        Command::List(args) => list::run(args, output),
        Command::Remove(args) => remove::run(args, output),
    }
}
