//! What owners have set, in a real home, with a double of the providers.

use std::{fs, sync::Arc};

use consign_app::{
    Error, Home,
    settings::{
        agents::{self, AgentSettings, AgentType},
        ai_keys::{self, Provider},
    },
};
use consign_contracts::json::{self, Json, Object};
use consign_double::Double;
use consign_engine::Owner;
use consign_models::Models;
use tempfile::TempDir;

const KEY: &str = "sk-test-51Hc9-do-not-print";

struct Place {
    home: Home,
    double: Arc<Double>,
    folder: TempDir,
}

impl Place {
    /// A home whose providers answer as the script says.
    async fn new(script: &str, config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("models.toml"), config).unwrap();
        let mut home = Home::open(folder.path().to_owned()).await.unwrap();
        let double = Double::new(script.parse().unwrap());
        let (keys, config) = (home.models.keys().clone(), home.models.config().clone());
        home.models = Arc::new(Models::new(double.clone(), keys, config));
        Self { home, double, folder }
    }

    /// With a sealing key.
    async fn sealed(script: &str) -> Self {
        let place = Self::new(script, "").await;
        place.home.models.keys().init().await.unwrap();
        place
    }

    async fn add(&self, owner: &str, provider: Provider, key: &str) -> Result<(), Error> {
        ai_keys::add(&self.home, &owner.into(), provider, key.to_owned()).await.map(drop)
    }

    /// `provider fingerprint`, for each.
    async fn keys(&self, owner: &str) -> Vec<String> {
        let keys = ai_keys::list(&self.home, &owner.into()).await.unwrap();
        let line = |key: &ai_keys::OwnKey| {
            format!("{} {}", key.provider, key.fingerprint.clone().unwrap_or_default())
        };
        keys.iter().map(line).collect()
    }

    async fn test(&self, owner: &str, provider: Provider, model: Option<&str>) -> String {
        match ai_keys::test(&self.home, &owner.into(), provider, model).await {
            Ok(tested) => tested.model,
            Err(error) => {
                assert!(!format!("{error:?}").contains(KEY), "{error:?}");
                code(&error)
            }
        }
    }

    async fn set(&self, agent: AgentType, model: Option<&str>, defaults: &str) -> String {
        let defaults = object(defaults);
        let settings = AgentSettings { model: model.map(str::to_owned), defaults };
        match agents::set(&self.home, &ada(), agent, settings.clone()).await {
            Ok(set) => {
                assert_eq!(set, settings);
                assert_eq!(agents::get(&self.home, &ada(), agent).await.unwrap(), settings);
                "set".to_owned()
            }
            Err(error) => code(&error),
        }
    }
}

fn ada() -> Owner {
    Owner::from("user:ada")
}

fn object(text: &str) -> Object<'static> {
    let tree = json::parse(text.as_bytes()).unwrap().into_owned();
    let Json::Object(object) = tree else { panic!("{text}") };
    object
}

fn code(error: &Error) -> String {
    match error {
        Error::Engine(consign_engine::Error::Fault(fault)) => fault.code.to_string(),
        Error::Engine(other) => panic!("{other}"),
        Error::Refused(refused) => refused.code.to_string(),
    }
}

#[tokio::test]
async fn a_key_is_kept_once_replaced_and_removed_for_its_owner_only() {
    let place = Place::sealed("[]").await;
    place.add("user:ada", Provider::OpenAi, KEY).await.unwrap();
    place.add("user:bob", Provider::OpenAi, "sk-of-bob").await.unwrap();
    let before = place.keys("user:ada").await;
    assert_eq!(before.len(), 1);
    assert!(!before[0].contains("sk-"), "{before:?}");

    let twice = place.add("user:ada", Provider::OpenAi, "sk-another").await.unwrap_err();
    assert_eq!(code(&twice), "DUPLICATE_KEY");
    assert_eq!(place.keys("user:ada").await, before);

    let owner = ada();
    let (home, provider) = (&place.home, Provider::OpenAi);
    ai_keys::replace(home, &owner, provider, "sk-another".to_owned()).await.unwrap();
    assert_ne!(place.keys("user:ada").await, before);
    ai_keys::replace(home, &owner, Provider::Xai, "xai-1".to_owned()).await.unwrap();
    assert_eq!(place.keys("user:ada").await.len(), 2, "there need not be one to replace");

    ai_keys::remove(home, &owner, provider).await.unwrap();
    let gone = ai_keys::remove(home, &owner, provider).await.unwrap_err();
    assert_eq!(code(&gone), "KEY_NOT_FOUND");
    assert_eq!(place.keys("user:bob").await.len(), 1);
    let file = fs::read(place.folder.path().join("consign.db")).unwrap();
    assert!(!file.windows(KEY.len()).any(|bytes| bytes == KEY.as_bytes()));
}

#[tokio::test]
async fn without_a_sealing_key_no_key_is_kept_and_none_is_made() {
    let place = Place::new("[]", "").await;
    let refused = place.add("user:ada", Provider::OpenAi, KEY).await.unwrap_err();
    assert_eq!(code(&refused), "ENCRYPTION_NOT_CONFIGURED");
    let told = format!("{refused} {refused:?}");
    let folder = place.folder.path().display().to_string();
    assert!(!told.contains(KEY) && !told.contains(&folder), "{told}");
    assert!(!place.folder.path().join("sealing.key").exists());
    assert!(place.keys("user:ada").await.is_empty());
}

#[tokio::test]
async fn what_cannot_be_a_key_is_refused_without_repeating_it() {
    let place = Place::sealed("[]").await;
    let long = "k".repeat(5000);
    for key in ["", "sk secret", "sk-sch\u{fc}ssel", long.as_str()] {
        let refused = place.add("user:ada", Provider::OpenAi, key).await.unwrap_err();
        assert_eq!(code(&refused), "VALIDATION_ERROR");
        assert!(key.is_empty() || !format!("{refused:?}").contains(key));
    }
}

#[tokio::test]
async fn a_test_asks_the_provider_once_with_the_own_key() {
    let script = format!(r#"[{{"keys": ["{KEY}"]}}, {{"text": "yes", "times": 0}}]"#);
    let place = Place::sealed(&script).await;
    assert_eq!(place.test("user:ada", Provider::OpenAi, None).await, "AI_KEY_MISSING");
    assert!(place.double.seen().is_empty(), "nothing is sent without a key");

    place.add("user:ada", Provider::OpenAi, KEY).await.unwrap();
    let tested = place.test("user:ada", Provider::OpenAi, None).await;
    assert_eq!(tested, "openai/gpt-4o-mini", "the cheap one of the policy");
    let named = place.test("user:ada", Provider::OpenAi, Some("gpt-5-mini")).await;
    assert_eq!((named.as_str(), place.double.seen().len()), ("openai/gpt-5-mini", 2));
    assert_eq!(place.test("user:bob", Provider::OpenAi, None).await, "AI_KEY_MISSING");

    place.add("user:bob", Provider::OpenAi, "sk-wrong").await.unwrap();
    assert_eq!(place.test("user:bob", Provider::OpenAi, None).await, "AI_AUTH_ERROR");
    let other = place.test("user:ada", Provider::OpenAi, Some("anthropic/claude-haiku-4-5")).await;
    assert_eq!(other, "VALIDATION_ERROR");
    assert_eq!(place.test("user:ada", Provider::Ollama, None).await, "VALIDATION_ERROR");
    assert_eq!(place.test("user:ada", Provider::Ollama, Some("qwen3")).await, "ollama/qwen3");
}

#[tokio::test]
async fn what_a_provider_says_against_it_has_the_code_of_the_document() {
    for (kind, expected) in [
        ("rate_limited", "AI_RATE_LIMITED"),
        ("server_error", "AI_PROVIDER_ERROR"),
        ("not_found", "AI_MODEL_NOT_FOUND"),
        ("unauthorized", "AI_AUTH_ERROR"),
    ] {
        let script = format!(r#"[{{"fault": {{"kind": "{kind}"}}, "times": 0}}]"#);
        let place = Place::sealed(&script).await;
        place.add("user:ada", Provider::Anthropic, KEY).await.unwrap();
        assert_eq!(place.test("user:ada", Provider::Anthropic, None).await, expected);
        assert_eq!(place.double.seen().len(), 1, "nothing is tried again");
    }
}

#[tokio::test]
async fn a_key_whose_sealing_key_is_lost_is_listed_and_can_be_brought_again() {
    let place = Place::sealed("[]").await;
    place.add("user:ada", Provider::OpenAi, KEY).await.unwrap();
    fs::remove_file(place.folder.path().join("sealing.key")).unwrap();
    place.home.models.keys().init().await.unwrap();
    assert_eq!(place.keys("user:ada").await, ["openai "]);
    assert_eq!(place.test("user:ada", Provider::OpenAi, None).await, "AI_KEY_MISSING");
    ai_keys::replace(&place.home, &ada(), Provider::OpenAi, KEY.to_owned()).await.unwrap();
    assert_eq!(place.test("user:ada", Provider::OpenAi, None).await, "openai/gpt-4o-mini");
}

#[tokio::test]
async fn a_model_is_one_of_the_policy_or_none_at_all() {
    let config = "[policy.scribe]\nallow = ['anthropic/claude-sonnet-4-5']\n";
    let place = Place::new("[]", config).await;
    for (model, expected) in [
        ("gpt-5-mini", "set"),
        ("openai/gpt-5.2", "set"),
        ("anthropic/claude-sonnet-4-5", "set"),
        ("bridge", "set"),
        ("rules", "set"),
        ("scripted:/tmp/script.json", "MODEL_NOT_ALLOWED"),
        ("replay:/tmp/tape.jsonl", "MODEL_NOT_ALLOWED"),
        ("gpt-5", "MODEL_NOT_ALLOWED"),
        ("ollama/gpt-5-mini", "MODEL_NOT_ALLOWED"),
        ("nobody/x", "MODEL_NOT_ALLOWED"),
        ("", "MODEL_NOT_ALLOWED"),
    ] {
        assert_eq!(place.set(AgentType::Scribe, Some(model), "{}").await, expected, "{model}");
    }
    let before = agents::get(&place.home, &ada(), AgentType::Scribe).await.unwrap();
    assert_eq!(before.model.as_deref(), Some("rules"), "a refusal leaves it");
    let traces = place.set(AgentType::Trace, Some("anthropic/claude-sonnet-4-5"), "{}").await;
    assert_eq!(traces, "MODEL_NOT_ALLOWED", "each agent has its own policy");
    assert_eq!(place.set(AgentType::Scribe, None, "{}").await, "set");
    let names = agents::allowed_models(&place.home, AgentType::Scribe);
    assert_eq!(names.len(), 4, "{names:?}");
}

#[tokio::test]
async fn defaults_are_a_part_of_the_payload_and_nothing_else() {
    let place = Place::new("[]", "").await;
    for (agent, defaults, expected) in [
        (AgentType::Scribe, r#"{"owner": "acme", "docPack": "full", "passes": 2}"#, "set"),
        (AgentType::Scribe, r#"{"docPack": "huge"}"#, "VALIDATION_ERROR"),
        (AgentType::Scribe, r#"{"passes": 3}"#, "VALIDATION_ERROR"),
        (AgentType::Scribe, r#"{"spec": "x"}"#, "VALIDATION_ERROR"),
        (AgentType::Trace, r#"{"owner": "acme", "repo": "shop"}"#, "set"),
        (AgentType::Trace, r#"{"spec": 1}"#, "VALIDATION_ERROR"),
        (AgentType::Proto, r#"{"stack": "axum", "dryRun": true}"#, "set"),
        (AgentType::Proto, r#"{"role": "admin"}"#, "VALIDATION_ERROR"),
    ] {
        assert_eq!(place.set(agent, None, defaults).await, expected, "{agent} {defaults}");
    }
    let large = format!(r#"{{"stack": "{}"}}"#, "x".repeat(70_000));
    assert_eq!(place.set(AgentType::Proto, None, &large).await, "VALIDATION_ERROR");

    let settings = agents::for_job(&place.home, &ada(), AgentType::Trace).await.unwrap();
    let defaults = settings.defaults.unwrap();
    assert_eq!(defaults.as_str(), r#"{"owner":"acme","repo":"shop"}"#);
    let bobs = agents::for_job(&place.home, &"user:bob".into(), AgentType::Trace).await.unwrap();
    assert!(bobs.is_empty(), "each owner has their own");

    assert_eq!(place.set(AgentType::Trace, None, "{}").await, "set");
    let settings = agents::for_job(&place.home, &ada(), AgentType::Trace).await.unwrap();
    assert!(settings.is_empty(), "what is left out is unset");
}
