//! `consign keys remove PROVIDER`: forgets a key.

use consign_contracts::json::Json;
use consign_engine::Owner;
use consign_models::keys::{GITHUB_TOKEN, Listed};

use super::{
    super::runs::{form, owner_arg},
    keys,
    provider::{Service, service},
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
    /// openai, anthropic, xai, google, ollama or compatible; github for a token
    provider: String,

    /// Whose key it is
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let service = service(&args.provider)?;
    session(async |session| {
        let keys = keys(session);
        let owner = &args.owner;
        let was_there = match service {
            Service::Ai(provider) => keys.remove(owner, provider).await?,
            Service::GitHub => keys.remove_github_token(owner).await?,
        };
        if !was_there {
            let told = format!("{owner} has no key for {service}");
            return Err(Error::new("KEY_NOT_FOUND", told).hint("`consign keys list` shows all"));
        }
        match output.reader {
            Audience::Program => output.object(object([
                ("provider", Json::from(service.as_str())),
                ("owner", form::text(owner)),
                ("removed", Json::Bool(true)),
            ]))?,
            Audience::Person | Audience::Pipe => {
                output.tell(format!("the {service} key of {owner} is removed"));
            }
        }
        for key in keys.list().await? {
            if let Listed::Environment { provider: named, variable, .. } = key
                && service == Service::Ai(named)
            {
                output.tell(styled(FAINT, format!("{variable} counts from now on")));
            }
        }
        if service == Service::GitHub && keys.has_github_token() {
            output.tell(styled(FAINT, format!("{GITHUB_TOKEN} counts from now on")));
        }
        Ok(Exit::Done)
    })
}
