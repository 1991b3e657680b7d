//! `/openapi.json`, put together of what each route says of itself, the forms of its bodies and the
//! published contracts.

use std::{borrow::Cow, sync::LazyLock};

use consign_contracts::{
    Contract,
    json::{self, Json, Object},
};

use crate::{
    routes::{Access, ROUTES},
    view::object,
};

static DOCUMENT: LazyLock<String> = LazyLock::new(|| document_of().to_string());

/// Contracts by their names in the document.
const CONTRACTS: [(&str, &str); 5] = [
    ("Envelope", "envelope/envelope"),
    ("Error", "authoring/error"),
    ("Event", "engine/event"),
    ("Interaction", "engine/interaction"),
    ("Run", "engine/run"),
];

/// What is said once for all routes.
const FRAME: &str = r##"{
    "openapi": "3.1.0",
    "info": {
        "title": "Consign",
        "description": "Runs of agents under contract: process envelopes, start, follow, answer, raise and cancel runs. Every error is an object of contract authoring/error, with the id of its request.",
        "version": "0.1.0",
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"}
    },
    "security": [{"token": []}],
    "components": {
        "securitySchemes": {
            "token": {"type": "http", "scheme": "bearer", "description": "The token that the server prints at its start."}
        },
        "parameters": {
            "RunId": {"name": "id", "in": "path", "required": true, "description": "The run.", "schema": {"type": "string"}},
            "Limit": {"name": "limit", "in": "query", "description": "How many entries.", "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50}}
        },
        "responses": {
            "Error": {
                "description": "What went wrong. 400: not JSON, or a parameter is wrong; 401: no token; 403: a page of another site; 404: there is no such thing; 405; 409: not as things stand; 413: too large; 415: not JSON; 421: another host is meant; 422: it breaks its contract, the breaches are in `error.details`; 431; 500; 503: come back later; 504: it took too long.",
                "headers": {
                    "X-Request-Id": {"schema": {"type": "string"}},
                    "Retry-After": {"description": "Seconds, with 503.", "schema": {"type": "integer"}},
                    "WWW-Authenticate": {"description": "With 401.", "schema": {"type": "string"}}
                },
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
            }
        },
        "schemas": {
            "Cursor": {"type": ["string", "null"], "description": "The `cursor` of the next page; null at the end."},
            "Health": {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}},
            "WholeRun": {
                "description": "A run with everything that belongs to it.",
                "allOf": [{"$ref": "#/components/schemas/Run"}],
                "type": "object",
                "required": ["input", "certificate", "output", "fault", "cancelled", "waits", "needs_resume"],
                "properties": {
                    "limits": {
                        "type": "object",
                        "properties": {
                            "cost_usd": {"type": ["number", "null"]},
                            "minutes": {"type": ["number", "null"]},
                            "calls": {"type": ["integer", "null"]}
                        }
                    },
                    "input": {},
                    "certificate": {"type": ["object", "null"], "description": "What it can come to at most."},
                    "output": {},
                    "fault": {"type": ["object", "null"], "description": "Contract engine/fault."},
                    "cancelled": {"type": ["object", "null"], "properties": {"by": {"type": "string"}, "reason": {"type": ["string", "null"]}}},
                    "waits": {"type": "array", "items": {"$ref": "#/components/schemas/Interaction"}},
                    "needs_resume": {"type": "boolean", "description": "It could go on, and nobody will: it was started in the foreground, and no worker takes such a run. `consign runs resume` goes on, or `consign template create --resume` with a template."}
                }
            }
        }
    }
}"##;

pub(crate) fn document() -> &'static str {
    &DOCUMENT
}

fn document_of() -> Json<'static> {
    let mut document = read(FRAME);
    for (name, contract) in CONTRACTS {
        let contract = Contract::find(contract).expect("a test makes the document");
        let mut schema = contract.source();
        // Here it is the document's own dialect, in which it means the same.
        schema.remove_at("/$schema");
        set(&mut document, "/components/schemas", name, schema);
    }
    let mut paths = Object::new();
    for route in &ROUTES {
        if let Some(form) = route.form {
            set(&mut document, "/components/schemas", form.name, read(form.source));
        }
        let mut operation = read(route.operation);
        let error = object([("$ref", Json::from("#/components/responses/Error"))]);
        set(&mut operation, "/responses", "default", Json::Object(error));
        if route.access == Access::Public {
            set(&mut operation, "", "security", Json::Array(Vec::new()));
        }
        match paths.get_mut(route.path) {
            Some(Json::Object(item)) => item.set(route.method, operation),
            Some(_) | None => {
                paths.set(route.path, Json::Object(object([(route.method, operation)])));
            }
        }
    }
    set(&mut document, "", "paths", Json::Object(paths));
    document
}

fn read(text: &'static str) -> Json<'static> {
    json::parse(text.as_bytes()).expect("a test makes the document")
}

fn set(document: &mut Json<'static>, pointer: &str, name: &'static str, value: Json<'static>) {
    if let Some(Json::Object(object)) = document.at_mut(pointer) {
        object.set(Cow::Borrowed(name), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::compile;

    fn strings<'a>(json: &'a Json<'_>, name: &str, found: &mut Vec<&'a str>) {
        match json {
            Json::Object(object) => {
                for (key, value) in object.iter() {
                    if key == name {
                        found.extend(value.as_str());
                    }
                    strings(value, name, found);
                }
            }
            Json::Array(items) => items.iter().for_each(|item| strings(item, name, found)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }

    #[test]
    fn the_document_has_every_route_and_no_other() {
        let document = document_of();
        let paths = document.get("paths").and_then(Json::as_object).unwrap();
        let mut told: Vec<_> = paths
            .iter()
            .flat_map(|(path, item)| {
                let methods = item.as_object().unwrap().keys();
                methods.map(move |method| format!("{method} {path}")).collect::<Vec<_>>()
            })
            .collect();
        let mut known: Vec<_> =
            ROUTES.iter().map(|route| format!("{} {}", route.method, route.path)).collect();
        told.sort();
        known.sort();
        assert_eq!(told, known);
        let expected = [
            "get /api/inbox",
            "get /api/runs",
            "get /api/runs/{id}",
            "get /api/runs/{id}/events",
            "get /healthz",
            "get /openapi.json",
            "get /readyz",
            "post /api/runs",
            "post /api/runs/{id}/answers/{key}",
            "post /api/runs/{id}/cancel",
            "post /api/runs/{id}/raise",
            "post /api/v1/process",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = document_of();
        let mut references = Vec::new();
        strings(&document, "$ref", &mut references);
        assert!(references.len() > 20);
        for reference in references {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.at(pointer).is_some(), "{reference}");
        }
    }

    #[test]
    fn every_operation_has_a_name_of_its_own_and_names_its_parameters() {
        let document = document_of();
        let mut names = Vec::new();
        strings(&document, "operationId", &mut names);
        assert_eq!(names.len(), ROUTES.len());
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ROUTES.len());
        for route in &ROUTES {
            let operation = read(route.operation);
            let parameters = operation.get("parameters").and_then(Json::as_array).unwrap_or(&[]);
            let in_path = parameters.iter().filter(|parameter| {
                let referred = parameter.get("$ref").and_then(Json::as_str);
                let referred = referred.and_then(|at| document.at(&at[1..]));
                referred.unwrap_or(parameter).get("in").and_then(Json::as_str) == Some("path")
            });
            assert_eq!(in_path.count(), route.path.matches('{').count(), "{}", route.path);
        }
    }

    #[test]
    fn every_form_compiles() {
        for form in ROUTES.iter().filter_map(|route| route.form) {
            compile(form.source);
        }
    }
}
