//! `/api/settings/agents/{type}`: the model that an agent uses for the caller, and defaults of its payload.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_app::settings::agents::{self, AgentSettings, AgentType};
use consign_contracts::{
    json::{Json, Object},
    wire::{Nullable, wire},
};

use crate::{
    endpoint::{
        Access, AgentPath, Answer, Call, Checked, Endpoint, Method, NoBody, NoQuery, Operation,
    },
    error::Problem,
    respond,
    server::App,
    view::object,
};

wire! {
    /// What to set; what is left out is unset.
    pub closed struct AgentSettingsBody {
        /// One of the models of the policy, `bridge` or `rules`. A bare name is a model of OpenAI.
        model: Option<Nullable<String>> [minLength: 1, maxLength: 512],
        /// Members of the payload that a submission need not repeat; the submission wins.
        defaults: Option<Object<'static>>,
    }
}

fn answered(app: &App, agent: AgentType, settings: AgentSettings) -> Response {
    let AgentSettings { model, defaults } = settings;
    let text = |text: String| Json::String(text.into());
    let allowed = agents::allowed_models(&app.home, agent).into_iter().map(text);
    let body = object([
        ("type", Json::from(agent.as_str())),
        ("model", model.map_or(Json::Null, text)),
        ("defaults", Json::Object(defaults)),
        ("allowedModels", Json::Array(allowed.collect())),
    ]);
    respond::object(StatusCode::OK, body)
}

pub(in crate::routes) struct GetAgentSettings;

impl Endpoint for GetAgentSettings {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/settings/agents/{type}";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "getAgentSettings",
        "What you have set for an agent",
        &[Answer::json(200, "AgentSettings", "The model and the defaults.")],
    );
    type Path = AgentPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let AgentPath(agent) = call.path;
        let settings = agents::get(&app.home, &call.caller.owner, agent).await?;
        Ok(answered(&app, agent, settings))
    }
}

pub(in crate::routes) struct SetAgentSettings;

impl Endpoint for SetAgentSettings {
    const METHOD: Method = Method::Put;
    const PATH: &'static str = "/api/settings/agents/{type}";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "setAgentSettings",
        "Set the model and the defaults of an agent",
        &[Answer::json(200, "AgentSettings", "As they are now.")],
    )
    .description(
        "400 MODEL_NOT_ALLOWED, with those that are, for a model that the policy does not have.",
    );
    type Path = AgentPath;
    type Query = NoQuery;
    type Body = Checked<AgentSettingsBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (AgentPath(agent), Checked(AgentSettingsBody { model, defaults })) =
            (call.path, call.body);
        let model = model.and_then(|Nullable(model)| model);
        let settings = AgentSettings { model, defaults: defaults.unwrap_or_default() };
        let settings = agents::set(&app.home, &call.caller.owner, agent, settings).await?;
        Ok(answered(&app, agent, settings))
    }
}
