//! What an owner has set for an agent: the model that it uses, and members of its payload that submissions need not
//! repeat.
//!
//! [`set`] replaces both; what it leaves out is unset. [`for_job`] is what submitting a job asks: the submission wins
//! over what is set, and the policy of then is checked again.

use std::sync::LazyLock;

use consign_accounts::Setting;
use consign_authoring::job::{JobSettings, check_model};
pub use consign_contracts::authoring::AgentType;
use consign_contracts::{
    authoring::{ErrorCode, ProtoPayload, ScribePayload, TracePayload},
    json::{Json, Object},
    schema::Schema,
    wire::Wire,
};
use consign_engine::{Data, Owner, store};

use super::invalid;
use crate::{
    Home,
    error::{Error, Refused},
    runs::is_file,
};

/// What is set for an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSettings {
    /// `provider/model`, `bridge` or `rules`; `None` if nothing was chosen.
    pub model: Option<String>,
    /// A part of the payload of the agent's jobs.
    pub defaults: Object<'static>,
}

/// Defaults are copied into every job.
const MOST_DEFAULTS: usize = 64 << 10;
const LONGEST_MODEL: usize = 512;

/// What an owner has set for an agent. Nothing is set at first.
pub async fn get(home: &Home, owner: &Owner, agent: AgentType) -> Result<AgentSettings, Error> {
    let JobSettings { model, defaults, .. } = for_job(home, owner, agent).await?;
    let defaults = match defaults.as_ref().map(|defaults| defaults.shown().into_owned()) {
        Some(Json::Object(defaults)) => defaults,
        Some(_) | None => Object::new(),
    };
    Ok(AgentSettings { model, defaults })
}

/// Sets the model and the defaults of an agent, in the place of those of before. `MODEL_NOT_ALLOWED` if the policy does
/// not have the model.
pub async fn set(
    home: &Home,
    owner: &Owner,
    agent: AgentType,
    settings: AgentSettings,
) -> Result<AgentSettings, Error> {
    if let Some(model) = &settings.model {
        allowed(home, agent, model)?;
    }
    fits(agent, &settings.defaults)?;
    let defaults = Json::Object(settings.defaults.clone());
    let defaults = (!settings.defaults.is_empty()).then(|| Data::from(&defaults));
    if defaults.as_ref().is_some_and(|defaults| defaults.as_str().len() > MOST_DEFAULTS) {
        let told = format!("defaults have at most {MOST_DEFAULTS} bytes");
        return Err(invalid([("/defaults".to_owned(), "size".to_owned(), told)]).into());
    }
    let (store, name) = (&home.settings_store, name(agent));
    let kept = JobSettings { model: settings.model.clone(), defaults, ..JobSettings::default() };
    if kept.is_empty() {
        store.remove_setting(owner, &name).await?;
    } else {
        let (value, at) = (Data::of(&kept), home.engine.now());
        store.put_setting(owner, Setting { name, value, at }).await?;
    }
    Ok(settings)
}

/// What a job of this type is given besides its payload.
pub async fn for_job(home: &Home, owner: &Owner, agent: AgentType) -> Result<JobSettings, Error> {
    let name = name(agent);
    let Some(kept) = home.settings_store.setting(owner, &name).await? else {
        return Ok(JobSettings::default());
    };
    let unreadable = |cause| {
        let told = format!("the setting {name} of {owner} cannot be read: {cause}");
        store::Error::Damaged(told)
    };
    Ok(kept.value.to().map_err(unreadable)?)
}

/// The models that an agent may use.
#[must_use]
pub fn allowed_models(home: &Home, agent: AgentType) -> Vec<String> {
    let mut names = Vec::new();
    for name in home.models.config().policy(agent.as_str()).names().map(ToString::to_string) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn name(agent: AgentType) -> String {
    format!("agents/{agent}")
}

fn allowed(home: &Home, agent: AgentType, model: &str) -> Result<(), Refused> {
    // A script or a recording is a file of this machine: its name is for the command line, not for a setting that
    // comes from outside.
    let may = model.len() <= LONGEST_MODEL && !is_file(model);
    if may && check_model(&home.models, agent, model).is_ok() {
        return Ok(());
    }
    let code = ErrorCode::ModelNotAllowed;
    let names = allowed_models(home, agent).into_iter().map(|name| Json::String(name.into()));
    let told = code.user_message().unwrap_or("This model is not allowed.");
    Err(Refused::usage(code.as_str(), told).detail("allowed", Json::Array(names.collect())))
}

/// Holds defaults to the contract of the payload, of which they may leave out everything and exceed nothing.
fn fits(agent: AgentType, defaults: &Object<'static>) -> Result<(), Refused> {
    static SCRIBE: LazyLock<Schema> = LazyLock::new(partial::<ScribePayload>);
    static TRACE: LazyLock<Schema> = LazyLock::new(partial::<TracePayload>);
    static PROTO: LazyLock<Schema> = LazyLock::new(partial::<ProtoPayload>);
    let schema = match agent {
        AgentType::Scribe => &*SCRIBE,
        AgentType::Trace => &*TRACE,
        AgentType::Proto => &*PROTO,
    };
    let verdict = schema.check(&Json::Object(defaults.clone()));
    if verdict.is_valid() {
        return Ok(());
    }
    let breaches = verdict.breaches.into_iter();
    let place = |pointer: &str| format!("/defaults{pointer}");
    Err(invalid(breaches.map(|breach| (place(&breach.pointer), breach.keyword, breach.message))))
}

/// The schema of a payload without what it requires, and without what it does not name.
fn partial<T: Wire>() -> Schema {
    let whole = T::schema();
    let mut schema = Object::new();
    for keyword in ["type", "properties", "$defs"] {
        if let Some(value) = whole.get(keyword) {
            schema.set(keyword, value.clone());
        }
    }
    schema.set("additionalProperties", Json::Bool(false));
    Schema::compile(&Json::Object(schema)).expect("a test checks defaults of every agent")
}
