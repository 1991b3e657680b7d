//! `consign models list`: the models with known prices, and which keys there are.

use std::collections::BTreeMap;

use consign_contracts::json::Json;
use consign_engine::{Nanos, Owner};
use consign_models::{ModelName, Provider, policy::Policy};

use crate::{
    commands::runs::{form, owner_arg},
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, FAINT, Output, object, styled},
};

const HELP: &str = "\
Prices are in US dollars for a million tokens, of the day that is shown. They change: put your own \
into prices.toml in CONSIGN_HOME. Any model can be used, also one that is not listed; what it costs \
is then not known, and its calls are unmetered.

In a pipe the fields are model, input, cached input, output, day and key, separated by tabs.

Examples:
  consign models list
  consign models list --provider anthropic
  consign models list --json | jq 'select(.key != null)'";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Only this provider's
    #[arg(long, value_name = "NAME", value_parser = provider)]
    provider: Option<Provider>,

    /// Whose keys to look for
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn provider(word: &str) -> Result<Provider, String> {
    Provider::from_word(word).ok_or_else(|| {
        format!(
            "there is no such provider; there are {}",
            Provider::ALL.map(Provider::as_str).join(", ")
        )
    })
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let keys = keys(session, &args.owner).await;
        let config = session.models.config();
        let policy = Policy::default();
        let mut rows = Vec::new();
        for (name, price) in config.prices.iter() {
            let Ok(model) = name.parse::<ModelName>() else { continue };
            if args.provider.is_some_and(|wanted| wanted != model.provider) {
                continue;
            }
            let (rates, key) = (price.rates(), keys.get(&model.provider).copied().flatten());
            let usd = |per_million: u64| Nanos::new(per_million);
            if output.reader == Audience::Program {
                output.object(object([
                    ("model", form::text(name)),
                    ("provider", form::text(model.provider)),
                    ("input_usd_per_million", form::usd(usd(rates.input))),
                    ("cached_input_usd_per_million", form::usd(usd(rates.cached_input))),
                    ("cache_write_usd_per_million", form::usd(usd(rates.cache_write))),
                    ("output_usd_per_million", form::usd(usd(rates.output))),
                    ("as_of", form::text(price.as_of())),
                    ("key", key.map_or(Json::Null, Json::from)),
                    ("role", role(&policy, &model).map_or(Json::Null, Json::from)),
                ]))?;
                continue;
            }
            rows.push(vec![
                name.to_owned(),
                usd(rates.input).to_string(),
                usd(rates.cached_input).to_string(),
                usd(rates.output).to_string(),
                price.as_of().to_owned(),
                key.unwrap_or(if model.provider.needs_key() { "none" } else { "not needed" })
                    .to_owned(),
            ]);
        }
        if output.reader != Audience::Program {
            output.rows(&["model", "input", "cached", "output", "prices of", "key"], rows)?;
        }
        if output.reader == Audience::Person {
            let text = "US dollars for a million tokens. `consign models test NAME` asks one.";
            output.line(styled(FAINT, text))?;
            output.line("")?;
            output.line("On this machine, without a key:")?;
            for model in super::local::look() {
                output.line(model.line())?;
            }
        }
        Ok(Exit::Done)
    })
}

/// Where the key of each provider comes from. One that cannot be opened is as good as none here;
/// `consign keys list` says why.
async fn keys(session: &Session, owner: &Owner) -> BTreeMap<Provider, Option<&'static str>> {
    let mut keys = BTreeMap::new();
    for provider in Provider::ALL {
        let key = session.models.keys().key_for(owner, provider).await.ok().flatten();
        keys.insert(provider, key.map(|(_, source)| source.as_str()));
    }
    keys
}

/// What the built-in agents use it for.
fn role(policy: &Policy, name: &ModelName) -> Option<&'static str> {
    [("default", &policy.default), ("cheap", &policy.cheap), ("escalation", &policy.escalation)]
        .into_iter()
        .find_map(|(role, known)| (known == name).then_some(role))
}
