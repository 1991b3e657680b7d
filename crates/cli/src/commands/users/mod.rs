//! `consign users …`: the people and programs with accounts in this home.

mod add;
mod disable;
mod list;
mod password;

use clap::Subcommand;
use consign_accounts::Accounts;

use crate::{
    engine::Session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
As soon as a home has a user, `consign serve` is for users only: each logs in, or sends a token of their own \
(`consign tokens create`), and sees their own runs and jobs. Whoever can read the home on this machine can do all of \
this; over HTTP it takes an admin.

Examples:
  consign users add anna@example.com --role admin
  printf %s \"$PASSWORD\" | consign users add bot@example.com --password-stdin
  consign users list
  consign users disable ben@example.com";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Add a user whose address counts as verified
    Add(add::Args),
    /// All users
    #[command(after_help = list::HELP)]
    List,
    /// End a user's sessions and tokens, and refuse new ones
    Disable(disable::Args),
    /// Let a disabled user in again
    Enable(disable::Args),
    /// Set a user's password; all sessions end
    Password(password::Args),
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::Add(args) => add::run(args, output),
        Command::List => list::run(output),
        Command::Disable(args) => disable::run(args, true, output),
        Command::Enable(args) => disable::run(args, false, output),
        Command::Password(args) => password::run(args, output),
    }
}

/// The accounts of a home.
pub(super) fn accounts(session: &Session) -> Result<Accounts, Error> {
    Ok(consign_app::accounts::open(session)?)
}

/// A refusal of accounts, as an error of the command line.
pub(super) fn refused(error: consign_accounts::Error) -> Error {
    consign_app::Error::from(error).into()
}
