//! `consign keys remove PROVIDER`: forgets a key.

use consign_contracts::json::Json;
use consign_engine::Owner;
use consign_models::keys::Listed;

use super::{
    super::runs::{form, owner_arg},
    keys,
    provider::provider,
};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, object, styled},
};

const HELP: &str = "\
A key can be removed whether it can be opened or not. What was kept is overwritten. The provider still \
takes the key: revoke it there if it is to be of no more use to anybody.

Examples:
  consign keys remove openai
  consign keys remove anthropic --owner alice";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// openai, anthropic, xai, google, ollama or compatible
    provider: String,

    /// Whose key it is
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let provider = provider(&args.provider)?;
    session(async |session| {
        let keys = keys(session);
        let owner = &args.owner;
        if !keys.remove(owner, provider).await? {
            let told = format!("{owner} has no key for {provider}");
            return Err(Error::new("KEY_NOT_FOUND", told).hint("`consign keys list` shows all"));
        }
        match output.reader {
            Audience::Program => output.object(object([
                ("provider", Json::from(provider.as_str())),
                ("owner", form::text(owner)),
                ("removed", Json::Bool(true)),
            ]))?,
            Audience::Person | Audience::Pipe => {
                output.tell(format!("the {provider} key of {owner} is removed"));
            }
        }
        for key in keys.list().await? {
            if let Listed::Environment { provider: named, variable, .. } = key
                && named == provider
            {
                output.tell(styled(FAINT, format!("{variable} counts from now on")));
            }
        }
        Ok(Exit::Done)
    })
}
