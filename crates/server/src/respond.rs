//! Builds HTTP responses: JSON, pages of lists, and a run as it is now.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use consign_app::next::next;
use consign_contracts::json::{Json, Object};
use consign_engine::{RunId, store::Row};

use crate::{error::Problem, server::App, view};

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// JSON that is text already.
pub(crate) fn text(status: StatusCode, json: impl Into<Body>) -> Response {
    (status, [(header::CONTENT_TYPE, JSON)], json.into()).into_response()
}

pub(crate) fn object(status: StatusCode, object: Object<'_>) -> Response {
    text(status, Json::Object(object).to_string())
}

/// A page of a list, with where the next one begins.
pub(crate) fn page(items: Vec<Json<'static>>, cursor: Option<String>) -> String {
    let cursor = cursor.map_or(Json::Null, |cursor| Json::String(cursor.into()));
    Json::Object(view::object([("items", Json::Array(items)), ("cursor", cursor)])).to_string()
}

/// A run as it is now, with everything that belongs to it.
pub(crate) async fn run(app: &App, status: StatusCode, row: &Row) -> Result<Response, Problem> {
    Ok(object(status, view::current(&app.engine, row).await?))
}

/// A run as it is now, after something was delivered to it. The operator of the server is told of a run that
/// is stopped and that no worker will take.
pub(crate) async fn delivered(app: &App, row: &Row) -> Result<Response, Problem> {
    let mut response = run(app, StatusCode::OK, row).await?;
    if view::needs_resume(&app.engine, row)
        && let Some(command) = next(&app.engine, row).await?.command(&row.id)
    {
        response.extensions_mut().insert(NeedsResume { command });
    }
    Ok(response)
}

/// An extension of a response: its run continues only with this command.
#[derive(Clone)]
pub(crate) struct NeedsResume {
    pub(crate) command: String,
}

/// Where a run can be asked for. Its id needs no encoding.
pub(crate) fn location(run: &RunId) -> Option<HeaderValue> {
    HeaderValue::try_from(format!("/api/runs/{run}")).ok()
}
