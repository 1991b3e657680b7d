//! `consign credentials list`: which there are.

use consign_app::documents::credentials::{self, CredentialKind, OwnCredential};
use consign_contracts::json::Json;
use consign_engine::{At, Owner};

use super::super::runs::{form, owner_arg};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, object, styled},
    text::span,
};

const HELP: &str = "\
In a pipe the fields are name, kind and time of creation, separated by tabs. Credentials that cannot be opened, because \
their sealing key is not here, have no kind.

Examples:
  consign credentials list
  consign credentials list --owner alice --json | jq -r .name";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Whose
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let all = credentials::list(session, &args.owner).await?;
        print(&all, session.engine.now(), output)?;
        Ok(Exit::Done)
    })
}

pub(super) fn print(all: &[OwnCredential], now: At, output: &mut Output) -> Result<(), Error> {
    match output.reader {
        Audience::Program => {
            for known in all {
                let kind = known.kind.map(CredentialKind::as_str);
                output.object(object([
                    ("name", form::text(&known.name)),
                    ("kind", kind.map_or(Json::Null, Json::from)),
                    ("created_at", form::at(known.at)),
                ]))?;
            }
        }
        Audience::Pipe => {
            let row = |known: &OwnCredential| {
                let kind = known.kind.map_or("", CredentialKind::as_str);
                vec![known.name.clone(), kind.to_owned(), known.at.to_string()]
            };
            output.rows(&[], all.iter().map(row).collect())?;
        }
        Audience::Person if all.is_empty() => {
            let told = "no credentials; `consign credentials add NAME` keeps some";
            output.line(styled(FAINT, told))?;
        }
        Audience::Person => {
            let row = |known: &OwnCredential| {
                let kind = known.kind.map_or("locked", CredentialKind::as_str);
                let age = format!("{} ago", span(now.since(known.at)));
                vec![known.name.clone(), kind.to_owned(), age]
            };
            output.rows(&["name", "kind", "set"], all.iter().map(row).collect())?;
        }
    }
    Ok(())
}
