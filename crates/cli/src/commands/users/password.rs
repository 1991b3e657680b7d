//! `consign users password EMAIL`: sets a password, and ends all sessions.

use std::io::{IsTerminal, stdin};

use zeroize::Zeroizing;

use super::{super::keys::read_secret, accounts, list, refused};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
Examples:
  consign users password anna@example.com
  printf %s \"$PASSWORD\" | consign users password bot@example.com --password-stdin";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The user's address
    email: String,

    /// Read the password from standard input
    #[arg(long)]
    password_stdin: bool,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let accounts = accounts(session)?;
        let user = accounts.find_user(&args.email).await.map_err(refused)?;
        let password = read_password(&args.email, args.password_stdin)?;
        accounts.set_password(&user.id, &password).await.map_err(refused)?;
        list::print(&[user], output)?;
        Ok(Exit::Done)
    })
}

/// A password: typed, or all of standard input without the line break at its end.
pub(super) fn read_password(email: &str, from_stdin: bool) -> Result<Zeroizing<String>, Error> {
    if !from_stdin && !stdin().is_terminal() {
        let told = "the password is asked for on a terminal, and this is none";
        return Err(Error::usage("USAGE", told).hint("--password-stdin reads it from a pipe"));
    }
    let bytes = Zeroizing::new(read_secret(&format!("password of {email} (not shown): "))?);
    let bytes =
        bytes.strip_suffix(b"\n").map_or(&**bytes, |line| line.strip_suffix(b"\r").unwrap_or(line));
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Error::usage("VALIDATION_ERROR", "the password is not UTF-8"))?;
    Ok(Zeroizing::new(text.to_owned()))
}
