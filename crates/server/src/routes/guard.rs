//! `POST /api/guard`: a text held against the guard.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_app::conversations::{self, named_entities};
use consign_contracts::{
    Breach,
    crew::GuardrailsInput,
    json::{Json, Object},
    wire::Wire,
};

use crate::{
    endpoint::{Answer, Call, Checked, Endpoint, Method, NoPath, NoQuery, Operation},
    error::Problem,
    respond,
    server::App,
};

/// The longest text, in characters: the guard reads about a megabyte in a second.
const LONGEST: u64 = 1_000_000;

/// Contract `crew/guardrails.input`, with a word on names and places.
pub(crate) struct GuardBody(GuardrailsInput);

impl Wire for GuardBody {
    fn schema() -> Object<'static> {
        let mut schema = Json::Object(GuardrailsInput::schema());
        if let Some(Json::Object(properties)) = schema.at_mut("/properties") {
            let entities =
                r#"{"type": "boolean", "description": "Take names and places for private too."}"#;
            properties.set("entities", Json::Object(consign_contracts::wire::rules(entities)));
        }
        if let Some(Json::Object(content)) = schema.at_mut("/properties/content") {
            content.set("maxLength", Json::Number(LONGEST.into()));
        }
        if let Json::Object(schema) = schema { schema } else { Object::new() }
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        GuardrailsInput::read(json).map(Self)
    }

    fn write(&self) -> Json<'static> {
        self.0.write()
    }
}

pub(super) struct GuardText;

impl Endpoint for GuardText {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/guard";
    const OPERATION: Operation = Operation::new(
        "guard",
        "Say whether a text may come in or go out",
        &[Answer::json(200, "GuardVerdict", "The verdict, safe or not.")],
    )
    .description("Nothing of it is kept.");
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Checked<GuardBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let Checked(GuardBody(input)) = call.body;
        let with_entities = input.extra.get("entities").and_then(Json::as_bool) == Some(true);
        let other = with_entities.then(|| named_entities(&app.home));
        let checked = conversations::guard(&app.home, other.as_ref(), &input).await?;
        Ok(respond::text(StatusCode::OK, checked.to_value().to_string()))
    }
}
