//! `consign users add EMAIL`: a user whose address counts as verified.

use clap::ValueEnum;
use consign_accounts::Role;

use super::{accounts, list, password::read_password, refused};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
The password has 8 to 256 characters. On a terminal it is asked for and not shown; with --password-stdin it is all of \
standard input, without a line break at its end. It is never an argument. The first user is an admin in any case.

Examples:
  consign users add anna@example.com --role admin
  printf %s \"$PASSWORD\" | consign users add bot@example.com --password-stdin";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The address, which compares without case
    email: String,

    /// What the user may do
    #[arg(long, value_name = "ROLE", default_value = "member")]
    role: RoleArg,

    /// Read the password from standard input
    #[arg(long)]
    password_stdin: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum RoleArg {
    /// Sees and disables users; nothing of their work
    Admin,
    /// Has runs, jobs and keys of their own
    Member,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let role = match args.role {
        RoleArg::Admin => Role::Admin,
        RoleArg::Member => Role::Member,
    };
    session(async |session| {
        let accounts = accounts(session)?;
        let password = read_password(&args.email, args.password_stdin)?;
        let user = accounts.add_user(&args.email, &password, role).await.map_err(refused)?;
        list::print(&[user], output)?;
        Ok(Exit::Done)
    })
}
