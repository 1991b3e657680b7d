//! The lists of models, in the form of each dialect.

use consign_models::Provider;
use serde_json::{Value, json};

/// Some models of each provider, so that a list is never empty. Requests for others are answered
/// too.
fn known(provider: Provider) -> &'static [&'static str] {
    match provider {
        Provider::OpenAi => &["gpt-5.2", "gpt-5-mini", "gpt-4o-mini"],
        Provider::Anthropic => &["claude-sonnet-4-5", "claude-haiku-4-5"],
        Provider::Xai => &["grok-4", "grok-code-fast-1"],
        Provider::Google => &["gemini-2.5-flash", "gemini-2.5-pro"],
        Provider::Ollama => &["llama3.2:3b", "qwen3:8b"],
        Provider::Compatible => &["double"],
    }
}

/// The provider's models and those that the script names.
pub(super) fn list<'a>(provider: Provider, scripted: impl Iterator<Item = &'a str>) -> Value {
    let mut names: Vec<&str> = known(provider).to_vec();
    for name in scripted {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match provider {
        Provider::Anthropic => anthropic(&names),
        Provider::Google => google(&names),
        Provider::OpenAi | Provider::Xai | Provider::Ollama | Provider::Compatible => {
            let owner = provider.as_str();
            let model = |name: &&str| json!({ "id": name, "object": "model", "created": 1_767_225_600, "owned_by": owner });
            json!({ "object": "list", "data": names.iter().map(model).collect::<Vec<_>>() })
        }
    }
}

fn anthropic(names: &[&str]) -> Value {
    let model = |name: &&str| json!({ "type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z" });
    json!({
        "data": names.iter().map(model).collect::<Vec<_>>(),
        "has_more": false,
        "first_id": names.first(),
        "last_id": names.last(),
    })
}

fn google(names: &[&str]) -> Value {
    let model = |name: &&str| {
        json!({
            "name": format!("models/{name}"),
            "version": "001",
            "displayName": name,
            "inputTokenLimit": 1_048_576,
            "outputTokenLimit": 65_536,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        })
    };
    json!({ "models": names.iter().map(model).collect::<Vec<_>>() })
}
