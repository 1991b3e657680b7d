//! `consign credentials remove NAME`: forgets credentials.

use consign_app::documents::credentials;
use consign_contracts::json::Json;
use consign_engine::Owner;

use super::super::runs::{form, owner_arg};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, Output, object},
};

const HELP: &str = "\
Credentials can be removed whether they can be opened or not. What was kept is overwritten. Where they came from they \
still count: revoke a token there.

Examples:
  consign credentials remove wiki
  consign credentials remove payslips --owner alice";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The credentials, by their name
    name: String,

    /// Whose they are
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let (name, owner) = (&*args.name, &args.owner);
        credentials::remove(session, owner, name).await?;
        match output.reader {
            Audience::Program => output.object(object([
                ("name", form::text(name)),
                ("owner", form::text(owner)),
                ("removed", Json::Bool(true)),
            ]))?,
            Audience::Person | Audience::Pipe => {
                output.tell(format!("the credentials {name} of {owner} are removed"));
            }
        }
        Ok(Exit::Done)
    })
}
