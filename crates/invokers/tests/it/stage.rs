//! A world with one model agent in it, before the double of the providers. No socket is involved, so
//! the paused clock is the only one.

use std::{ffi::OsString, path::Path, sync::Arc};

use async_trait::async_trait;
use consign_double::Double;
use consign_engine::{
    Agent, RunId,
    journal::{AttemptFailed, Body, CallCompleted, CallFailed, CallStarted},
};
use consign_invokers::{
    define::{Definition, Workshop},
    script::{Past, Scripts},
};
use consign_models::{ModelName, Models, config::Config, keys::Keys, transport::Transport};
use consign_testkit::{memory::MemoryStore, world::World};

/// What a definition has that only names a model.
pub(crate) const PLAIN: &str = "effect = \"pure\"\n[model]\nmax_tokens = 500\n";

pub(crate) const SCHEMA: &str = r#"
effect = "pure"
[contract.output]
type = "object"
required = ["verdict", "score"]
additionalProperties = false
[contract.output.properties.verdict]
enum = ["accept", "reject"]
[contract.output.properties.score]
type = "integer"
minimum = 0
maximum = 10
[model]
max_tokens = 500
"#;

/// The models of a home without files, all of them behind this transport.
pub(crate) fn models<T: Transport + 'static>(transport: &Arc<T>, config: &str) -> Arc<Models> {
    let environment = Arc::new(|name: &str| {
        name.ends_with("_API_KEY").then(|| OsString::from("sk-test-0123456789"))
    });
    let vault = Arc::new(MemoryStore::new());
    let keys = Keys::new(vault, Path::new("/nowhere"), environment);
    // At its usual address the double cannot tell it from any other compatible server.
    let ollama = "[providers.ollama]\nbase_url = \"http://127.0.0.1:11434/ollama/v1\"\n";
    let config = Config::read(&format!("{ollama}{config}")).unwrap();
    Arc::new(Models::new(transport.clone(), keys, config))
}

/// An agent by what its definition says after the names.
pub(crate) fn agent(models: &Arc<Models>, model: &str, rest: &str) -> Agent {
    scripted_agent(models, Arc::new(Scripts::new(Arc::new(Nobody))), model, rest)
}

/// An agent by what its definition says after the names, and scripts that may stand in for it.
pub(crate) fn scripted_agent(
    models: &Arc<Models>,
    scripts: Arc<Scripts>,
    model: &str,
    rest: &str,
) -> Agent {
    let text = format!("name = \"agent\"\n{rest}");
    let text = text.replacen("[model]\n", &format!("[model]\nname = \"{model}\"\n"), 1);
    let definition = Definition::read(&text, Path::new("/nowhere/agent.toml"));
    Workshop::new(models.clone(), scripts, "/nowhere/launcher".into()).agent(&definition.unwrap())
}

/// A world with this model as `agent`.
pub(crate) async fn world(double: &Arc<Double>, model: &str, rest: &str) -> World {
    consign_testkit::world::Setting::new()
        .real("agent", agent(&models(double, ""), model, rest))
        .await
}

pub(crate) fn double(script: &str) -> Arc<Double> {
    Double::new(script.parse().unwrap())
}

/// One model of each provider.
pub(crate) const PROVIDERS: [&str; 5] = [
    "openai/gpt-5-mini",
    "anthropic/claude-sonnet-4-5",
    "xai/grok-code-fast-1",
    "google/gemini-2.5-flash",
    "ollama/qwen3",
];

pub(crate) fn provider(model: &str) -> String {
    model.parse::<ModelName>().unwrap().provider.to_string()
}

/// Nobody has a past here.
struct Nobody;

#[async_trait]
impl Past for Nobody {
    async fn called(
        &self,
        _run: &RunId,
        _numbers: std::ops::Range<u64>,
    ) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
}

/// What a journal says of the attempts of a run.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) started: Option<CallStarted>,
    pub(crate) failed: Vec<(AttemptFailed, u64)>,
    pub(crate) completed: Option<CallCompleted>,
    pub(crate) gone: Option<CallFailed>,
}

pub(crate) async fn told(world: &World, run: &RunId) -> Told {
    let mut told = Told::default();
    for record in world.journal(run).await {
        let body = record.body().unwrap().unwrap();
        if let Body::CallStarted(call) = body {
            told.started = Some(call);
        } else if let Body::AttemptFailed(attempt) = body {
            let wait = attempt.retry_at.since(record.at).as_millis();
            told.failed.push((attempt, u64::try_from(wait).unwrap()));
        } else if let Body::CallCompleted(call) = body {
            told.completed = Some(call);
        } else if let Body::CallFailed(call) = body {
            told.gone = Some(call);
        }
    }
    told
}
