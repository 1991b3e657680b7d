//! `POST /api/runs`

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{StatusCode, header},
    response::Response,
    routing::post,
};
use consign_contracts::json::{Json, Object};
use consign_engine::{Data, Limits, Owner, Placement, RunId, Settings, Submission};

use super::limits;
use crate::{
    body,
    error::Problem,
    form::{Form, compile},
    query::Query,
    respond,
    routes::{Access, Room, Route},
    server::App,
};

static FORM: Form = Form::new("StartRun", SOURCE, || compile(SOURCE));

const SOURCE: &str = r#"{
    "type": "object",
    "required": ["workflow"],
    "additionalProperties": false,
    "properties": {
        "workflow": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Such as `sample/steps`."},
        "input": {"description": "What the workflow is given; {} if left out."},
        "id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The caller's own name for the run: start it again under the same name and get the same run."},
        "limits": {
            "type": "object",
            "additionalProperties": false,
            "description": "Left out, a run may cost $10, work for 24 hours and make 100000 calls.",
            "properties": {
                "cost_usd": {"type": "number", "minimum": 0, "description": "What it may cost."},
                "minutes": {"type": "number", "exclusiveMinimum": 0, "description": "How long it may work; waiting is free."},
                "calls": {"type": "integer", "minimum": 0, "description": "How many calls it may make, repeated ones included."}
            }
        },
        "owner": {"type": "string", "pattern": "^[^\\s\\x00-\\x1f\\x7f]{1,200}$", "description": "Who pays for it."},
        "priority": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647, "description": "Workers take higher ones first."},
        "certified": {"type": "boolean", "description": "Refuse it unless it is sure to end within its limits."}
    }
}"#;

pub(in crate::routes) const ROUTE: Route = Route {
    method: "post",
    path: "/api/runs",
    access: Access::Token,
    room: Room::Requests,
    handler: || post(start),
    operation: r##"{
        "operationId": "startRun",
        "summary": "Start a run, which a worker takes",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/StartRun"}}}},
        "responses": {
            "201": {
                "description": "The run.",
                "headers": {"Location": {"description": "The run.", "schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WholeRun"}}}
            },
            "200": {
                "description": "The run that was there already: the same was started under the same id.",
                "headers": {"Location": {"description": "The run.", "schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WholeRun"}}}
            }
        }
    }"##,
    form: Some(&FORM),
};

async fn start(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    Query::of(request.uri())?.end()?;
    let most = app.options.max_body_bytes;
    let body = body::json(request, most).await?;
    let submitting = async {
        let mut submission = submission(&app, &FORM.read(&body, most)?)?;
        submission.input = app.processor.admit(&submission.workflow, submission.input)?;
        Ok::<_, Problem>(app.engine.submit(submission).await?)
    };
    let submitted = app.turns.each(submitting).await?;
    let row = app.engine.store().row(&submitted.run).await?;
    let status = if submitted.repeated { StatusCode::OK } else { StatusCode::CREATED };
    let mut response = respond::run(&app, status, &row).await?;
    if let Some(location) = respond::location(&submitted.run) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

fn submission(app: &App, wanted: &Json<'_>) -> Result<Submission, Problem> {
    let text = |name: &str| wanted.get(name).and_then(Json::as_str);
    let set = wanted.get("limits").map(limits::read).transpose()?.unwrap_or_default();
    let nothing = Json::Object(Object::new());
    let priority = wanted.get("priority").and_then(Json::as_number).and_then(|n| n.as_i64());
    Ok(Submission {
        id: text("id").map(RunId::from),
        workflow: text("workflow").unwrap_or_default().to_owned(),
        input: Data::from(wanted.get("input").unwrap_or(&nothing)),
        owner: text("owner").map_or_else(|| app.options.owner.clone(), Owner::from),
        limits: Limits::standard().raised(&set),
        placement: Placement::Anywhere,
        priority: priority.and_then(|priority| i32::try_from(priority).ok()).unwrap_or(0),
        settings: Settings::default(),
        certified: wanted.get("certified").and_then(Json::as_bool).unwrap_or(false),
        actor: app.options.actor.clone(),
    })
}
