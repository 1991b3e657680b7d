//! `consign credentials add NAME`: seals credentials and keeps them.

use std::ffi::OsString;

use consign_app::documents::credentials::{self, CredentialKind};
use consign_engine::Owner;

use super::{
    super::{keys::read_secret, runs::owner_arg},
    list,
};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
The secret is read from standard input; on a terminal it is asked for and not shown while you type. It is never an \
argument, where other users and your shell's history would see it. A line break at its end is not part of it.

  bearer    a token that is sent to a site or to Google Drive
  oauth     for Google Drive: a JSON object with client_id, refresh_token and client_secret, where there is one
  password  the password of sealed files

Examples:
  consign credentials add wiki < token.txt
  consign credentials add drive --kind oauth < authorized_user.json
  consign credentials add payslips --kind password --owner alice
  pass show wiki | consign credentials add wiki --replace";

const SPILT: &str = "\
if that was a real one, change it where it is used; `consign credentials add NAME` asks for the secret, or reads it \
from a pipe";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Under which name: letters, digits, dots, dashes and underscores
    name: String,

    /// bearer, oauth or password
    #[arg(long, value_name = "KIND", default_value = "bearer", value_parser = kind)]
    kind: CredentialKind,

    /// Whose they are
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,

    /// Take the place of those of this name
    #[arg(long)]
    replace: bool,

    /// Taken only to say that it must not be given, without repeating it
    #[arg(hide = true)]
    spilt: Vec<OsString>,
}

fn kind(word: &str) -> Result<CredentialKind, String> {
    let known = || "it is one of bearer, oauth, password".to_owned();
    CredentialKind::from_word(word).ok_or_else(known)
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    if !args.spilt.is_empty() {
        let told = "a secret is never an argument: other users and your shell's history can see it";
        return Err(Error::usage("USAGE", told).hint(SPILT));
    }
    credentials::check_name(&args.name)?;
    session(async |session| {
        let (name, owner) = (&*args.name, &args.owner);
        // Checked first, so that the user does not type a secret in vain.
        session.models.keys().sealing_key()?;
        if !args.replace && credentials::has(session, owner, name).await? {
            let told = format!("{owner} has credentials {name} already");
            return Err(Error::new("DUPLICATE_KEY", told)
                .hint("--replace puts the new ones in their place"));
        }
        let secret =
            read_secret(&format!("{} {name} of {owner} (not shown): ", args.kind.as_str()))?;
        let kept = credentials::add(session, owner, name, args.kind, secret, args.replace).await?;
        list::print(&[kept], session.engine.now(), output)?;
        Ok(Exit::Done)
    })
}
