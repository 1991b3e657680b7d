//! `/api/settings/ai-keys`: the caller's keys for AI providers, which never come out again.

use std::sync::Arc;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use consign_app::{
    settings::ai_keys::{self, OwnKey, PROVIDERS, Provider},
    view,
};
use consign_contracts::{
    Breach,
    json::{Json, Object},
    wire::{Wire, wire},
};
use serde_json::{Value, json};

use super::{Confidential, SecretText};
use crate::{
    endpoint::{
        Access, AiProviderPath, Answer, Call, Checked, Endpoint, Method, NoBody, NoPath, NoQuery,
        Operation,
    },
    error::Problem,
    respond,
    server::App,
};

/// A provider, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProviderWord(Provider);

impl Wire for ProviderWord {
    fn schema() -> Object<'static> {
        let mut schema = String::schema();
        schema.set("enum", Json::Array(PROVIDERS.map(Json::from).into()));
        schema
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        let provider = json.as_str().and_then(Provider::from_word).map(Self);
        provider.ok_or_else(|| Breach {
            pointer: String::new(),
            keyword: "enum".to_owned(),
            message: format!("expected one of {}", PROVIDERS.join(", ")),
        })
    }

    fn write(&self) -> Json<'static> {
        Json::from(self.0.as_str())
    }
}

wire! {
    /// A key to keep.
    pub closed struct AddAiKeyBody {
        /// Whose key it is.
        provider: ProviderWord,
        /// The key, as the provider gave it.
        key: SecretText [minLength: 1, maxLength: 4096, pattern: "^[!-~]+$"],
    }
}

wire! {
    /// The key that takes the place of the one before.
    pub closed struct ReplaceAiKeyBody {
        /// The key, as the provider gave it.
        key: SecretText [minLength: 1, maxLength: 4096, pattern: "^[!-~]+$"],
    }
}

wire! {
    /// How to test a key.
    pub closed struct TestAiKeyBody {
        /// The model to ask; left out, a small one is chosen.
        model: Option<String> [minLength: 1, maxLength: 200],
    }
}

fn key_json(key: &OwnKey) -> Value {
    json!({
        "provider": key.provider.as_str(),
        "createdAt": view::at(key.at).as_str(),
        "fingerprint": key.fingerprint,
    })
}

pub(in crate::routes) struct ListAiKeys;

impl Endpoint for ListAiKeys {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/settings/ai-keys";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "listAiKeys",
        "Your keys for AI providers",
        &[Answer::json(200, "AiKeyPage", "All of them, without the keys themselves.")],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let keys = ai_keys::list(&app.home, &call.caller.owner).await?;
        let items: Vec<Value> = keys.iter().map(key_json).collect();
        Ok(respond::text(StatusCode::OK, json!({ "items": items }).to_string()))
    }
}

pub(in crate::routes) struct AddAiKey;

impl Endpoint for AddAiKey {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/settings/ai-keys";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "addAiKey",
        "Keep a key for an AI provider",
        &[Answer::json(201, "AiKey", "It was sealed and is kept.")],
    )
    .description("409 DUPLICATE_KEY if there is one for this provider; 503 ENCRYPTION_NOT_CONFIGURED without a sealing key.");
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Confidential<AddAiKeyBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let Confidential(AddAiKeyBody { provider: ProviderWord(provider), key }) = call.body;
        let kept = ai_keys::add(&app.home, &call.caller.owner, provider, key.reveal()).await?;
        Ok(respond::text(StatusCode::CREATED, key_json(&kept).to_string()))
    }
}

pub(in crate::routes) struct ReplaceAiKey;

impl Endpoint for ReplaceAiKey {
    const METHOD: Method = Method::Put;
    const PATH: &'static str = "/api/settings/ai-keys/{provider}";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "replaceAiKey",
        "Keep a key for an AI provider in the place of the one before",
        &[Answer::json(200, "AiKey", "It was sealed and is kept.")],
    );
    type Path = AiProviderPath;
    type Query = NoQuery;
    type Body = Confidential<ReplaceAiKeyBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (AiProviderPath(provider), Confidential(ReplaceAiKeyBody { key })) =
            (call.path, call.body);
        let kept = ai_keys::replace(&app.home, &call.caller.owner, provider, key.reveal()).await?;
        Ok(respond::text(StatusCode::OK, key_json(&kept).to_string()))
    }
}

pub(in crate::routes) struct RemoveAiKey;

impl Endpoint for RemoveAiKey {
    const METHOD: Method = Method::Delete;
    const PATH: &'static str = "/api/settings/ai-keys/{provider}";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "removeAiKey",
        "Remove a key for an AI provider",
        &[Answer::empty(204, "It is gone.")],
    );
    type Path = AiProviderPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let AiProviderPath(provider) = call.path;
        ai_keys::remove(&app.home, &call.caller.owner, provider).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    }
}

pub(in crate::routes) struct TestAiKey;

impl Endpoint for TestAiKey {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/settings/ai-keys/{provider}/test";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "testAiKey",
        "Ask an AI provider one small question with your key",
        &[Answer::json(200, "AiKeyTest", "The provider took the key.")],
    )
    .description(
        "412 AI_KEY_MISSING without a key; 502 AI_AUTH_ERROR if the provider does not take it; other AI codes as they are.",
    );
    type Path = AiProviderPath;
    type Query = NoQuery;
    type Body = Option<Checked<TestAiKeyBody>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let AiProviderPath(provider) = call.path;
        let model = call.body.and_then(|Checked(TestAiKeyBody { model })| model);
        let owner = &call.caller.owner;
        let tested = ai_keys::test(&app.home, owner, provider, model.as_deref()).await?;
        let took = u64::try_from(tested.took.as_millis()).unwrap_or(u64::MAX);
        let body = json!({ "ok": true, "model": tested.model, "durationMs": took });
        Ok(respond::text(StatusCode::OK, body.to_string()))
    }
}
