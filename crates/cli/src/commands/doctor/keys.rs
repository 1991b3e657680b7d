//! Keys for providers: which there are, whether they can be used, and which agents miss one.

use std::{collections::BTreeSet, path::Path};

use consign_app::definitions;
use consign_contracts::json::{Json, Object};
use consign_invokers::{define::Reached, model::ModelSource};
use consign_models::{
    Provider,
    keys::{Listed, Standing},
};

use crate::{
    error::Error,
    output::{BAD, FAINT, GOOD, Output, WARN, object, printable, styled},
};

pub(super) struct KeysFound {
    keys: Vec<Found>,
    /// Agents of the directory whose models have none, with the provider.
    pub(super) missing: Vec<(String, &'static str)>,
}

struct Found {
    provider: String,
    /// A variable, or whose it is.
    from: String,
    standing: Standing,
}

/// `sealed` are those in the database.
pub(super) fn look(home: Option<&Path>, sealed: &[Listed]) -> KeysFound {
    let sealed = sealed.iter().filter_map(|key| match key {
        Listed::Sealed { owner, name, standing, .. } => Some(Found {
            provider: name.clone(),
            from: format!("sealed for {owner}"),
            standing: *standing,
        }),
        Listed::Environment { .. } => None,
    });
    let is_set = |name: &&&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let variables = Provider::ALL.into_iter().filter_map(|provider| {
        let variable = provider.key_variables().iter().find(is_set)?;
        let (provider, from) = (provider.as_str().to_owned(), (*variable).to_owned());
        Some(Found { provider, from, standing: Standing::Ready })
    });
    let keys: Vec<_> = sealed.chain(variables).collect();
    let has = |provider: Provider| {
        let known: BTreeSet<&str> = keys.iter().map(|key| key.provider.as_str()).collect();
        !provider.needs_key() || known.contains(provider.as_str())
    };
    let all = home.and_then(|home| definitions::all(home).ok()).unwrap_or_default();
    let missing = all.into_iter().flatten().filter_map(|agent| {
        let Reached::Model(asking) = &agent.reached else { return None };
        let ModelSource::Models(chain) = &asking.source else { return None };
        let lacks = chain.iter().all(|model| !has(model.provider));
        let provider = chain.first()?.provider.as_str();
        lacks.then(|| (agent.name.clone(), provider))
    });
    let missing = missing.collect();
    KeysFound { keys, missing }
}

impl KeysFound {
    pub(super) fn describe(&self, output: &mut Output) -> Result<(), Error> {
        if self.keys.is_empty() {
            let told = "none; `consign keys set PROVIDER` seals one, or set a variable such as OPENAI_API_KEY";
            output.line(format!("keys       {}", styled(FAINT, told)))?;
        }
        for Found { provider, from, standing } in &self.keys {
            let state = match standing {
                Standing::Ready => styled(GOOD, "ok"),
                Standing::Locked | Standing::Damaged => styled(BAD, standing.as_str()),
            };
            let (provider, from) = (printable(provider), printable(from));
            output.line(format!("keys       {state} {provider}, {from}"))?;
        }
        for (agent, provider) in &self.missing {
            let told = format!("the agent {} has no key for {provider}", printable(agent));
            output.line(format!("           {} {told}", styled(WARN, "missing")))?;
        }
        Ok(())
    }

    /// `{"found": [{"provider", "from", "state"}], "missing": [{"agent", "provider"}]}`
    pub(super) fn object(&self) -> Object<'static> {
        let text = |text: &str| Json::String(text.to_owned().into());
        let found = self.keys.iter().map(|Found { provider, from, standing }| {
            Json::Object(object([
                ("provider", text(provider)),
                ("from", text(from)),
                ("state", Json::from(standing.as_str())),
            ]))
        });
        let missing = self.missing.iter().map(|(agent, provider)| {
            Json::Object(object([("agent", text(agent)), ("provider", Json::from(*provider))]))
        });
        object([
            ("found", Json::Array(found.collect())),
            ("missing", Json::Array(missing.collect())),
        ])
    }
}
