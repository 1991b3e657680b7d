//! `POST /api/runs/{id}/answers/{key}`

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::Response,
    routing::post,
};
use consign_contracts::json::Json;
use consign_engine::Data;

use crate::{
    body,
    error::Problem,
    form::{Form, compile},
    path::OfAsk,
    query::Query,
    respond,
    routes::{Access, Room, Route},
    server::App,
};

static FORM: Form = Form::new("Answer", SOURCE, || compile(SOURCE));

const SOURCE: &str = r#"{
    "type": "object",
    "additionalProperties": false,
    "minProperties": 1,
    "maxProperties": 1,
    "properties": {
        "value": {"description": "The answer, which must fit the schema of what is asked."},
        "decline": {"type": "string", "minLength": 1, "description": "Why no answer will come in the place of an agent."}
    }
}"#;

pub(in crate::routes) const ROUTE: Route = Route {
    method: "post",
    path: "/api/runs/{id}/answers/{key}",
    access: Access::Token,
    room: Room::Requests,
    handler: || post(answer),
    operation: r##"{
        "operationId": "answer",
        "summary": "Answer what a run asks, or decline to",
        "description": "The first answer counts: whoever comes second gets ALREADY_ANSWERED. A run that was started in the foreground takes it and stands still: `needs_resume` says so. The answer to a template's request is put into its project as `.agent-response.json`, and `consign template create --resume` goes on.",
        "parameters": [
            {"$ref": "#/components/parameters/RunId"},
            {"name": "key", "in": "path", "required": true, "description": "The interaction, percent-encoded.", "schema": {"type": "string"}}
        ],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}},
        "responses": {"200": {
            "description": "It was taken; the run as it is now.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WholeRun"}}}
        }}
    }"##,
    form: Some(&FORM),
};

async fn answer(
    State(app): State<Arc<App>>,
    OfAsk(run, key): OfAsk,
    request: Request,
) -> Result<Response, Problem> {
    Query::of(request.uri())?.end()?;
    let most = app.options.max_body_bytes;
    let body = body::json(request, most).await?;
    let (engine, actor) = (&app.engine, &app.options.actor);
    let answering = async {
        let given = FORM.read(&body, most)?;
        match given.get("decline").and_then(Json::as_str) {
            Some(why) => engine.decline(&run, &key, why, actor).await?,
            None => {
                let value = Data::from(given.get("value").unwrap_or(&Json::Null));
                engine.answer(&run, &key, &value, actor).await?;
            }
        }
        Ok::<_, Problem>(())
    };
    app.turns.each(answering).await?;
    let row = engine.store().row(&run).await?;
    respond::delivered(&app, &row).await
}
