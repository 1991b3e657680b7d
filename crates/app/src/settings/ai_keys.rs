//! The keys of AI providers that an owner has brought: one for each provider.
//!
//! They are shown by provider, date and [fingerprint](OwnKey::fingerprint). [`test`] is the only thing here that goes
//! out into the network: it asks the provider one small question with the owner's own key.

use std::time::{Duration, Instant};

use consign_contracts::authoring::AgentType;
use consign_engine::{Data, Fault, Owner};
use consign_models::{
    ModelName, Models, Trouble,
    chat::{Message, Request},
    client::{Client, Patience, Target},
    keys::fit,
};
pub use consign_models::{Provider, keys::OwnKey};
use serde_json::{Value, json};

use super::sealed::refused;
use crate::{
    Home,
    error::{Error, Refused},
};

/// The names of all providers.
pub const PROVIDERS: [&str; Provider::ALL.len()] = {
    let mut words = [""; Provider::ALL.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = Provider::ALL[at].as_str();
        at += 1;
    }
    words
};

/// The keys of an owner.
pub async fn list(home: &Home, owner: &Owner) -> Result<Vec<OwnKey>, Error> {
    home.models.keys().of_owner(owner).await.map_err(refused("key"))
}

/// Keeps a key for a provider that has none yet; `DUPLICATE_KEY` if there is one.
pub async fn add(
    home: &Home,
    owner: &Owner,
    provider: Provider,
    key: String,
) -> Result<OwnKey, Error> {
    keep(home, owner, provider, key, false).await
}

/// Keeps a key, in the place of the one that is there, if there is one.
pub async fn replace(
    home: &Home,
    owner: &Owner,
    provider: Provider,
    key: String,
) -> Result<OwnKey, Error> {
    keep(home, owner, provider, key, true).await
}

/// Removes a key, even one that cannot be opened any more.
pub async fn remove(home: &Home, owner: &Owner, provider: Provider) -> Result<(), Error> {
    if home.models.keys().remove(owner, provider).await.map_err(refused("key"))? {
        return Ok(());
    }
    Err(Refused::new("KEY_NOT_FOUND", format!("you have no key for {provider}")).into())
}

async fn keep(
    home: &Home,
    owner: &Owner,
    provider: Provider,
    key: String,
    replaces: bool,
) -> Result<OwnKey, Error> {
    let key = fit(key.into_bytes())
        .map_err(|why| invalid("/key", format!("that cannot be a key: it {why}")))?;
    let at = home.engine.now();
    home.models.keys().set(owner, provider, &key, at, replaces).await.map_err(refused("key"))?;
    Ok(OwnKey::of(owner, provider, &key, at))
}

/// A key that a provider took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestedKey {
    pub model: String,
    pub took: Duration,
}

/// How long a provider may take. A server's own patience with a request ends later.
const PATIENCE: Patience = Patience {
    first_byte: Duration::from_secs(30),
    between_chunks: Duration::from_secs(10),
    max_body: 1 << 20,
};

/// Asks a provider one small question with the owner's own key, never with the one of the machine. Nothing is tried
/// again, no run is made, and what it costs is the owner's.
///
/// It fails with the code of [`ErrorCode`](consign_contracts::authoring::ErrorCode) that tells what is wrong: `AI_KEY_MISSING`, `AI_AUTH_ERROR` and others.
pub async fn test(
    home: &Home,
    owner: &Owner,
    provider: Provider,
    model: Option<&str>,
) -> Result<TestedKey, Error> {
    let models = &home.models;
    let name = match model {
        Some(model) => named(provider, model)?,
        None => usual_model(models, provider).ok_or_else(|| {
            invalid("/model", format!("name a model: none of {provider} is known here"))
        })?,
    };
    let key = models.keys().own_key(owner, provider).await.map_err(refused("key"))?;
    let target = Target { base_url: models.config().base_url(provider), name, key };
    let request = Request {
        system: None,
        messages: vec![Message::user("Reply with the word: yes")],
        tools: Vec::new(),
        schema: None,
        temperature: 0.0,
        // Some models think before they write, and that counts.
        max_tokens: 1024,
        stream: false,
    };
    let client = Client::new(models.transport().clone()).with_patience(PATIENCE);
    let began = Instant::now();
    match client.ask(&target, &request, &mut |_| ()).await {
        Ok(_) => Ok(TestedKey { model: target.name.to_string(), took: began.elapsed() }),
        Err(answer) => Err(fault(&answer.trouble, &target.name).into()),
    }
}

fn named(provider: Provider, model: &str) -> Result<ModelName, Error> {
    let name: ModelName = match model.parse() {
        Ok(name) => name,
        // Here the provider is known without its name.
        Err(why) => {
            format!("{provider}/{model}").parse().map_err(|_: String| invalid("/model", why))?
        }
    };
    if name.provider == provider {
        return Ok(name);
    }
    Err(invalid("/model", format!("{name} is not a model of {provider}")))
}

/// The model that a key is tested with: the cheapest that a job may use, or else a small one of the provider.
fn usual_model(models: &Models, provider: Provider) -> Option<ModelName> {
    let policies = AgentType::ALL.iter().map(|agent| models.config().policy(agent.as_str()));
    let mut of_jobs = policies.flat_map(|policy| {
        let others = [policy.default, policy.escalation].into_iter().chain(policy.allow);
        std::iter::once(policy.cheap).chain(others).collect::<Vec<_>>()
    });
    if let Some(name) = of_jobs.find(|name| name.provider == provider) {
        return Some(name);
    }
    let model = match provider {
        Provider::OpenAi => "gpt-4o-mini",
        Provider::Anthropic => "claude-haiku-4-5",
        Provider::Xai => "grok-4-1-fast-non-reasoning",
        Provider::Google => "gemini-2.5-flash-lite",
        Provider::Ollama | Provider::Compatible => return None,
    };
    Some(ModelName { provider, model: model.to_owned() })
}

/// The provider's refusal, without its words: they may name addresses of this network, or a part of the key.
fn fault(trouble: &Trouble, model: &ModelName) -> Fault {
    let mut fault = trouble.fault();
    let mut details = json!({ "model": model.to_string() });
    if let Some(status) = trouble.status {
        details["status"] = Value::from(status);
    }
    if trouble.late {
        details["timeout"] = Value::Bool(true);
    }
    fault.details = Some(Data::of(&details));
    fault
}

fn invalid(pointer: &str, message: impl Into<String>) -> Error {
    super::invalid([(pointer.to_owned(), "value".to_owned(), message.into())]).into()
}
