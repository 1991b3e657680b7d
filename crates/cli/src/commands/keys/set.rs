//! `consign keys set PROVIDER`: seals a provider's key and keeps it.

use std::ffi::OsString;

use consign_engine::Owner;
use consign_models::keys::{self, Listed, Standing};

use super::{
    super::runs::owner_arg,
    keys, list,
    prompt::read_key,
    provider::{Service, service},
};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
The key is read from standard input; on a terminal it is asked for and not shown while you type. It is \
never an argument, where other users and your shell's history would see it. It is one word of at most \
4096 letters; a line break at its end is not of it.

Examples:
  consign keys set openai
  consign keys set anthropic --owner alice < key.txt
  pass show xai | consign keys set xai --replace
  gh auth token | consign keys set github";

const SPILT: &str = "\
if that was a real one, revoke it; `consign keys set PROVIDER` asks for the key, or reads it from a pipe";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// openai, anthropic, xai, google, ollama or compatible; github for a token
    provider: String,

    /// Whose key it is
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,

    /// Take the place of a key that is there already
    #[arg(long)]
    replace: bool,

    /// Taken only to say that it must not be given, without repeating it
    #[arg(hide = true)]
    spilt: Vec<OsString>,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    if !args.spilt.is_empty() {
        let told = "a key is never an argument: other users and your shell's history can see it";
        return Err(Error::usage("USAGE", told).hint(SPILT));
    }
    let service = service(&args.provider)?;
    session(async |session| {
        let (keys, owner) = (keys(session), &args.owner);
        // Checked first, so that the user does not type a key in vain.
        keys.sealing_key()?;
        let is_there = match service {
            Service::Ai(provider) => keys.has(owner, provider).await?,
            Service::GitHub => keys.own_github_token(owner).await?.is_some(),
        };
        if !args.replace && is_there {
            let (owner, name) = (owner.clone(), service.as_str());
            return Err(keys::Error::Duplicate { owner, name }.into());
        }
        let key = read_key(&format!("{service} key of {owner} (not shown): "))?;
        let at = session.engine.now();
        match service {
            Service::Ai(provider) => {
                keys.set(owner, provider, &key, at, args.replace).await?;
            }
            Service::GitHub => {
                keys.set_github_token(owner, &key, at, args.replace).await?;
            }
        }
        let kept = Listed::Sealed {
            owner: owner.clone(),
            name: service.as_str().to_owned(),
            at,
            with: Some(keys.sealing_key()?),
            standing: Standing::Ready,
        };
        list::print(&[kept], at, output)?;
        Ok(Exit::Done)
    })
}
