//! `consign users disable EMAIL` and `enable`.

use super::{accounts, list, refused};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
Examples:
  consign users disable ben@example.com
  consign users enable ben@example.com";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The user's address
    email: String,
}

pub(super) fn run(args: &Args, is_disabled: bool, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let accounts = accounts(session)?;
        let user = accounts.find_user(&args.email).await.map_err(refused)?;
        let user = accounts.set_disabled(&user.id, is_disabled).await.map_err(refused)?;
        list::print(&[user], output)?;
        Ok(Exit::Done)
    })
}
