//! `/openapi.json`, put together from the table of routes, the contracts that are declared with them, the table of
//! errors and the published contracts.
//!
//! Nothing about a single route is written here: what a route says of itself is in its file.

use std::{borrow::Cow, sync::LazyLock};

use consign_contracts::{
    Contract,
    json::{self, Json, Object},
};

use crate::{
    endpoint::{Access, Answer, BodyForm, Route},
    error,
    routes::ROUTES,
    view::object,
};

static DOCUMENT: LazyLock<String> = LazyLock::new(|| document_of().to_string());

/// Contracts by their names in the document.
const CONTRACTS: [(&str, &str); 15] = [
    ("AgentJob", "authoring/job"),
    ("AgentJobPage", "authoring/list"),
    ("ConversationState", "crew/conversation-state"),
    ("Envelope", "envelope/envelope"),
    ("Error", "authoring/error"),
    ("Event", "engine/event"),
    ("GuardrailsOutput", "crew/guardrails.output"),
    ("Interaction", "engine/interaction"),
    ("JobCancelled", "authoring/cancelled"),
    ("JobRevised", "authoring/revised"),
    ("JobSubmission", "authoring/submit"),
    ("JobSubmitted", "authoring/submitted"),
    ("MemoryOutput", "crew/memory.output"),
    ("OrchestratorOutput", "crew/orchestrator.output"),
    ("Run", "engine/run"),
];

/// Contracts that are open, of which the route refuses members that they do not name.
const CLOSED: [&str; 1] = ["JobSubmission"];

/// Schemas of accounts and of what belongs to them.
const ACCOUNTS: &str = include_str!("openapi_accounts.json");

/// Schemas of documents.
const DOCUMENTS: &str = include_str!("openapi_documents.json");

/// Schemas of conversations.
const CONVERSATIONS: &str = include_str!("openapi_conversations.json");

/// What is said once for all routes.
const FRAME: &str = r##"{
    "openapi": "3.1.0",
    "info": {
        "title": "Consign",
        "description": "Runs of agents under contract: process envelopes, start, follow, answer, raise and cancel runs, make supervised jobs and help them on. Every error is an object of contract authoring/error, with the id of its request.",
        "version": "0.1.0",
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"}
    },
    "security": [{"token": []}, {"session": []}],
    "components": {
        "securitySchemes": {
            "token": {"type": "http", "scheme": "bearer", "description": "A user's own token; of a server without accounts the token that it prints at its start."},
            "session": {"type": "apiKey", "in": "cookie", "name": "consign_session", "description": "The session of a user who logged in; over TLS `__Host-consign_session`. Changes also want the header X-CSRF-Token."}
        },
        "responses": {
            "Error": {
                "description": "What went wrong. 400: the request breaks its contract or is not JSON; 401: no credentials; 403: not allowed, or a page of another site; 404: there is no such thing; 405; 409: not as things stand; 413: too large; 415: not JSON; 421: another host is meant; 422: it cannot be done like this; 431; 500: the server or its store failed; 503: come back later; 504: it took too long. `x-codes` has the codes of each status; others may come with 422 and 503.",
                "headers": {
                    "X-Request-Id": {"schema": {"type": "string"}},
                    "Retry-After": {"description": "Seconds, where trying again may help.", "schema": {"type": "integer"}},
                    "WWW-Authenticate": {"description": "With 401.", "schema": {"type": "string"}}
                },
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
            },
            "ValidationError": {
                "description": "The request breaks its contract, or is not JSON: VALIDATION_ERROR, with every breach in `error.details`.",
                "headers": {"X-Request-Id": {"schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/BadRequest"}}}
            }
        },
        "schemas": {
            "ValidationError": {
                "description": "An error whose details name each breach.",
                "allOf": [{"$ref": "#/components/schemas/Error"}],
                "type": "object",
                "properties": {"error": {
                    "type": "object",
                    "required": ["details"],
                    "properties": {
                        "code": {"const": "VALIDATION_ERROR"},
                        "details": {"$ref": "#/components/schemas/Breaches"}
                    }
                }}
            },
            "Breaches": {
                "type": "object",
                "required": ["breaches"],
                "properties": {
                    "in": {"enum": ["body", "header", "path", "query"], "description": "The part of the request that breaks its contract; left out where an answer or the input of a workflow does."},
                    "breaches": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["pointer", "keyword", "message"],
                            "properties": {
                                "pointer": {"type": "string", "description": "A JSON pointer to what breaks a rule; of a parameter or header, its name."},
                                "keyword": {"type": "string", "description": "The keyword of JSON Schema that is broken, or another word for the rule."},
                                "message": {"type": "string"}
                            }
                        }
                    },
                    "more": {"type": "boolean", "description": "There are more breaches than are listed."},
                    "reason": {"type": "string", "description": "Why a body is not JSON."},
                    "offset": {"type": "integer", "description": "The byte where it stops being JSON."},
                    "line": {"type": "integer"},
                    "column": {"type": "integer"}
                }
            },
            "RunPage": {
                "type": "object",
                "required": ["items", "cursor"],
                "properties": {
                    "items": {"type": "array", "items": {"$ref": "#/components/schemas/Run"}},
                    "cursor": {"$ref": "#/components/schemas/Cursor"}
                }
            },
            "InboxPage": {
                "type": "object",
                "required": ["items", "cursor"],
                "properties": {
                    "items": {"type": "array", "items": {"$ref": "#/components/schemas/Interaction"}},
                    "cursor": {"$ref": "#/components/schemas/Cursor"}
                }
            },
            "EventPage": {
                "type": "object",
                "required": ["items", "cursor"],
                "properties": {
                    "items": {"type": "array", "items": {"$ref": "#/components/schemas/Event"}},
                    "cursor": {"type": ["integer", "null"], "description": "The `after` of the next page."}
                }
            },
            "PointPage": {
                "type": "object",
                "required": ["items", "cursor"],
                "properties": {
                    "items": {"type": "array", "items": {
                        "type": "object",
                        "required": ["point", "run", "seq", "at"],
                        "properties": {
                            "point": {"type": "string"},
                            "run": {"type": "string", "description": "The run whose journal has it: this one, or one that it was forked from."},
                            "seq": {"type": "integer"},
                            "at": {"type": "string", "format": "date-time"}
                        }
                    }},
                    "cursor": {"$ref": "#/components/schemas/Cursor"}
                }
            },
            "JobPage": {
                "type": "object",
                "required": ["jobs", "next"],
                "properties": {
                    "jobs": {"type": "array", "items": {
                        "type": "object",
                        "required": ["job_id", "run", "status", "cost", "created_at", "updated_at"],
                        "properties": {
                            "job_id": {"type": "string"},
                            "run": {"type": "string", "description": "Its newest run."},
                            "status": {"$ref": "#/components/schemas/JobStatus"},
                            "cost": {"type": "number", "description": "What that run has spent, in cents."},
                            "created_at": {"type": "string", "format": "date-time"},
                            "updated_at": {"type": "string", "format": "date-time"}
                        }
                    }},
                    "next": {"type": ["string", "null"], "description": "The `before` of the next page; null at the end."}
                }
            },
            "JobStatus": {"enum": ["DRAFT", "PENDING", "RUNNING", "REVIEWING", "SUCCESS", "CANCELED", "INTERVENTION_REQUIRED", "HALTED_COST", "HALTED_TIME"]},
            "Job": {
                "description": "How a job stands, what it has used, and what it asks. Costs are in cents; a threshold of 0 is none.",
                "type": "object",
                "required": ["job_id", "status", "description", "directory", "run", "phase", "role", "metrics", "cost_threshold", "time_threshold_minutes", "require_approval", "sensitive", "recovery_points", "last_words", "question", "diverged", "repaired"],
                "properties": {
                    "job_id": {"type": "string"},
                    "status": {"$ref": "#/components/schemas/JobStatus"},
                    "description": {"type": "string"},
                    "directory": {"type": "string", "description": "On the server's machine."},
                    "run": {"type": "string"},
                    "phase": {
                        "type": "object",
                        "required": ["name", "number", "of"],
                        "properties": {"name": {"type": "string"}, "number": {"type": "integer"}, "of": {"type": "integer"}}
                    },
                    "role": {"type": "string", "description": "The one that acts next."},
                    "metrics": {
                        "type": "object",
                        "required": ["interactions", "cumulative_cost", "assumed_cost", "cumulative_time_seconds"],
                        "properties": {
                            "interactions": {"type": "integer"},
                            "cumulative_cost": {"type": "number"},
                            "assumed_cost": {"type": "number"},
                            "cumulative_time_seconds": {"type": "number"}
                        }
                    },
                    "cost_threshold": {"type": "number"},
                    "time_threshold_minutes": {"type": "number"},
                    "require_approval": {"type": "boolean"},
                    "sensitive": {"type": "boolean"},
                    "recovery_points": {"type": "array", "items": {"type": "string"}},
                    "last_words": {"type": "array", "items": {
                        "type": "object",
                        "required": ["role", "said"],
                        "properties": {"role": {"type": "string"}, "said": {"type": "string"}}
                    }},
                    "question": {
                        "type": ["object", "null"],
                        "description": "What a person is asked.",
                        "properties": {"key": {"type": "string"}, "kind": {"type": "string"}, "prompt": {"type": "string"}}
                    },
                    "diverged": {"type": ["string", "null"], "description": "Why its manifest is not ours: it was edited by hand."},
                    "repaired": {"type": ["string", "null"], "description": "Why its files were written anew."}
                }
            },
            "JobHistoryPage": {
                "type": "object",
                "required": ["interactions", "next"],
                "properties": {
                    "interactions": {"type": "array", "items": {"type": "object", "required": ["sequence"], "properties": {"sequence": {"type": "integer"}}}},
                    "next": {"type": ["integer", "null"], "description": "The `from` of the next page; null at the end."}
                }
            },
            "JobAudit": {
                "type": "object",
                "required": ["lines"],
                "properties": {"lines": {"type": "array", "items": {"type": "object"}}}
            },
            "JobPreview": {
                "type": "object",
                "required": ["sequence", "role", "phase", "model", "request", "prompt", "files_context"],
                "properties": {
                    "sequence": {"type": "integer"},
                    "role": {"type": "string"},
                    "phase": {"type": "string"},
                    "model": {"type": ["string", "null"]},
                    "request": {"description": "As the role is sent it."},
                    "prompt": {"type": "string"},
                    "files_context": {"description": "The files that go with it."}
                }
            },
            "JobReplay": {
                "type": "object",
                "required": ["interactions", "findings"],
                "properties": {
                    "interactions": {"type": "integer"},
                    "findings": {"type": "array", "items": {
                        "type": "object",
                        "required": ["sequence", "what"],
                        "properties": {
                            "sequence": {"type": ["integer", "null"], "description": "The interaction that it is about."},
                            "what": {"type": "string"}
                        }
                    }}
                }
            },
            "JobMetrics": {
                "description": "Costs are in cents; a threshold of 0 is none.",
                "type": "object",
                "required": ["job_id", "status", "interactions", "cumulative_cost", "assumed_cost", "cumulative_time_seconds", "cost_threshold", "time_threshold_minutes"],
                "properties": {
                    "job_id": {"type": "string"},
                    "status": {"$ref": "#/components/schemas/JobStatus"},
                    "interactions": {"type": "integer"},
                    "cumulative_cost": {"type": "number"},
                    "assumed_cost": {"type": "number"},
                    "cumulative_time_seconds": {"type": "number"},
                    "cost_threshold": {"type": "number"},
                    "time_threshold_minutes": {"type": "number"}
                }
            },
            "OpenApi": {"type": "object"},
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
                    "needs_resume": {"type": "boolean", "description": "It could go on, but only with a command: its own was interrupted, or it was started with --here-only, or it is kept outside of the store."}
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
    for family in [ACCOUNTS, DOCUMENTS, CONVERSATIONS] {
        let Json::Object(schemas) = read(family) else { continue };
        for (name, schema) in schemas.iter() {
            set(&mut document, "/components/schemas", name.to_owned(), schema.clone());
        }
    }
    for (name, contract) in CONTRACTS {
        let contract = Contract::find(contract).expect("a test makes the document");
        let mut schema = contract.source();
        // Here it is the document's own dialect, in which it means the same.
        schema.remove_at("/$schema");
        if CLOSED.contains(&name) {
            set(&mut schema, "", "additionalProperties", Json::Bool(false));
        }
        set(&mut document, "/components/schemas", name, schema);
    }
    let mut paths = Object::new();
    for route in &ROUTES {
        if let BodyForm::Own { schema, .. } | BodyForm::Files { schema, .. } = route.body {
            let mut schema = Json::Object(schema());
            // Clients are told that it is an address; whether it can be one, accounts say themselves.
            set(&mut schema, "/properties/email", "format", Json::from("email"));
            set(&mut document, "/components/schemas", body_name(route), schema);
        }
        let (method, operation) = (route.method.word(), Json::Object(operation(route)));
        let path = document_path(route);
        match paths.get_mut(&path) {
            Some(Json::Object(item)) => item.set(method, operation),
            Some(_) | None => paths.set(path, Json::Object(object([(method, operation)]))),
        }
    }
    set(&mut document, "", "paths", Json::Object(paths));
    set(&mut document, "/components/responses/Error", "x-codes", codes());
    document
}

/// A name that takes in slashes is written like any other there.
fn document_path(route: &Route) -> String {
    route.path.replace("{*", "{")
}

/// What the document says of a route.
fn operation(route: &'static Route) -> Object<'static> {
    let told = &route.operation;
    let mut operation =
        object([("operationId", Json::from(told.id)), ("summary", Json::from(told.summary))]);
    if !told.description.is_empty() {
        operation.set("description", Json::from(told.description));
    }
    let parameters: Vec<_> = parameters(route).collect();
    if !parameters.is_empty() {
        operation.set("parameters", Json::Array(parameters));
    }
    let required = !matches!(route.body, BodyForm::Own { required: false, .. });
    let schema = match route.body {
        BodyForm::None => None,
        BodyForm::Own { .. } | BodyForm::Files { .. } => {
            Some(component("schemas", &body_name(route)))
        }
        BodyForm::Published(name) => Some(component("schemas", name)),
    };
    if let Some(schema) = schema {
        let mut content = json_content(schema);
        if let BodyForm::Files { form, .. } = route.body {
            let form = object([("schema", component("schemas", form))]);
            set(&mut content, "", "multipart/form-data", Json::Object(form));
        }
        let body = object([("required", Json::Bool(required)), ("content", content)]);
        operation.set("requestBody", Json::Object(body));
    }
    let mut responses = Object::new();
    for known in told.answers {
        responses.set(known.status.to_string(), answer(known));
    }
    if route.query.is_closed() {
        responses.set("400", component("responses", "ValidationError"));
    }
    responses.set("default", component("responses", "Error"));
    operation.set("responses", Json::Object(responses));
    if route.access == Access::Public {
        operation.set("security", Json::Array(Vec::new()));
    }
    operation
}

fn parameters(route: &'static Route) -> impl Iterator<Item = Json<'static>> {
    let text = || Json::Object(object([("type", Json::from("string"))]));
    let in_path = route.path_parameters.iter().map(move |known| {
        let description = Some(Json::from(known.description));
        let mut schema = text();
        if let (Json::Object(schema), false) = (&mut schema, route.path_words.is_empty()) {
            let words = route.path_words.iter().map(|word| Json::from(*word));
            schema.set("enum", Json::Array(words.collect()));
        }
        parameter(known.name, "path", true, description, schema)
    });
    let in_query = route.query.parameters().map(|(name, schema)| {
        let mut schema = schema.clone();
        let description = schema.remove_at("/description");
        parameter(name, "query", route.query.is_required(name), description, schema)
    });
    let headers = route.operation.headers.iter().map(|(name, description, schema)| {
        parameter(name, "header", false, Some(Json::from(*description)), read(schema))
    });
    in_path.chain(in_query).chain(headers)
}

fn parameter(
    name: &'static str,
    part: &'static str,
    required: bool,
    description: Option<Json<'static>>,
    schema: Json<'static>,
) -> Json<'static> {
    let mut parameter = object([("name", Json::from(name)), ("in", Json::from(part))]);
    if required {
        parameter.set("required", Json::Bool(true));
    }
    if let Some(description) = description {
        parameter.set("description", description);
    }
    parameter.set("schema", schema);
    Json::Object(parameter)
}

fn answer(known: &Answer) -> Json<'static> {
    let mut answer = object([("description", Json::from(known.description))]);
    let text = || Json::Object(object([("type", Json::from("string"))]));
    let headers: Object<'static> = known
        .headers
        .iter()
        .map(|(name, meaning)| {
            let header = object([("description", Json::from(*meaning)), ("schema", text())]);
            (Cow::Borrowed(*name), Json::Object(header))
        })
        .collect();
    if !known.headers.is_empty() {
        answer.set("headers", Json::Object(headers));
    }
    if let Some(media) = known.media {
        let content = Json::Object(object([("schema", text())]));
        answer
            .set("content", Json::Object([(Cow::Borrowed(media), content)].into_iter().collect()));
    }
    if let Some(name) = known.schema {
        let mut content = json_content(component("schemas", name));
        if let Some(told) = known.stream {
            let event = Json::Object(object([("description", Json::from(told))]));
            let stream = Json::Object(object([("schema", event)]));
            set(&mut content, "", "text/event-stream", stream);
        }
        answer.set("content", content);
    }
    Json::Object(answer)
}

fn json_content(schema: Json<'static>) -> Json<'static> {
    let media = Json::Object(object([("schema", schema)]));
    Json::Object(object([("application/json", media)]))
}

fn component(kind: &str, name: &str) -> Json<'static> {
    let place = Json::String(format!("#/components/{kind}/{name}").into());
    Json::Object(object([("$ref", place)]))
}

/// The name of a body that is declared with its route.
fn body_name(route: &Route) -> String {
    let id = route.operation.id;
    let mut letters = id.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The codes of each status.
fn codes() -> Json<'static> {
    let mut statuses = Object::new();
    for (status, code) in error::codes() {
        let status = status.to_string();
        match statuses.get_mut(&status) {
            Some(Json::Array(codes)) => codes.push(Json::from(code)),
            Some(_) | None => statuses.set(status, Json::Array(vec![Json::from(code)])),
        }
    }
    Json::Object(statuses)
}

fn read(text: &'static str) -> Json<'static> {
    json::parse(text.as_bytes()).expect("a test makes the document")
}

fn set(
    document: &mut Json<'static>,
    pointer: &str,
    name: impl Into<Cow<'static, str>>,
    value: Json<'static>,
) {
    if let Some(Json::Object(object)) = document.at_mut(pointer) {
        object.set(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut known: Vec<_> = ROUTES
            .iter()
            .map(|route| format!("{} {}", route.method.word(), document_path(route)))
            .collect();
        told.sort();
        known.sort();
        assert_eq!(told, known);
        let expected = [
            "delete /api/conversations/{session}",
            "delete /api/documents/{source_id}",
            "delete /api/settings/ai-keys/{provider}",
            "delete /api/settings/credentials/{name}",
            "delete /api/settings/github",
            "delete /api/tokens/{id}",
            "get /api/agents/jobs",
            "get /api/agents/jobs/{id}",
            "get /api/agents/jobs/{id}/archive",
            "get /api/agents/jobs/{id}/artifacts/{path}",
            "get /api/agents/jobs/{id}/comments",
            "get /api/agents/jobs/{id}/events",
            "get /api/agents/jobs/{id}/revisions",
            "get /api/conversations",
            "get /api/conversations/{session}",
            "get /api/conversations/{session}/turns/{turn}",
            "get /api/documents",
            "get /api/documents/{source_id}",
            "get /api/inbox",
            "get /api/jobs",
            "get /api/jobs/{id}",
            "get /api/jobs/{id}/audit",
            "get /api/jobs/{id}/history",
            "get /api/jobs/{id}/metrics",
            "get /api/jobs/{id}/preview",
            "get /api/jobs/{id}/replay",
            "get /api/runs",
            "get /api/runs/{id}",
            "get /api/runs/{id}/events",
            "get /api/runs/{id}/points",
            "get /api/settings/agents/{type}",
            "get /api/settings/ai-keys",
            "get /api/settings/credentials",
            "get /api/settings/github",
            "get /api/tokens",
            "get /api/users",
            "get /auth/me",
            "get /auth/oauth/{provider}",
            "get /auth/oauth/{provider}/callback",
            "get /auth/setup",
            "get /healthz",
            "get /openapi.json",
            "get /readyz",
            "post /api/agents/jobs",
            "post /api/agents/jobs/{id}/approve",
            "post /api/agents/jobs/{id}/cancel",
            "post /api/agents/jobs/{id}/comments",
            "post /api/agents/jobs/{id}/reject",
            "post /api/agents/jobs/{id}/revise",
            "post /api/conversations/{session}/turns",
            "post /api/documents",
            "post /api/guard",
            "post /api/jobs",
            "post /api/jobs/{id}/activate",
            "post /api/jobs/{id}/adopt",
            "post /api/jobs/{id}/advise",
            "post /api/jobs/{id}/approve",
            "post /api/jobs/{id}/cancel",
            "post /api/jobs/{id}/halt",
            "post /api/jobs/{id}/raise",
            "post /api/jobs/{id}/reject",
            "post /api/jobs/{id}/rerun",
            "post /api/jobs/{id}/restore",
            "post /api/jobs/{id}/run",
            "post /api/jobs/{id}/step",
            "post /api/pipelines/{name}/runs",
            "post /api/runs",
            "post /api/runs/{id}/answers/{key}",
            "post /api/runs/{id}/approve",
            "post /api/runs/{id}/cancel",
            "post /api/runs/{id}/fork",
            "post /api/runs/{id}/raise",
            "post /api/runs/{id}/redact",
            "post /api/runs/{id}/reject",
            "post /api/runs/{id}/retry",
            "post /api/runs/{id}/signals",
            "post /api/search",
            "post /api/settings/ai-keys",
            "post /api/settings/ai-keys/{provider}/test",
            "post /api/settings/credentials",
            "post /api/tokens",
            "post /api/users/{id}/disable",
            "post /api/users/{id}/enable",
            "post /api/v1/process",
            "post /auth/login",
            "post /auth/logout",
            "post /auth/password",
            "post /auth/resend",
            "post /auth/reset",
            "post /auth/setup",
            "post /auth/signup",
            "post /auth/verify",
            "put /api/settings/agents/{type}",
            "put /api/settings/ai-keys/{provider}",
            "put /api/settings/credentials/{name}",
            "put /api/settings/github",
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
            let operation = Json::Object(operation(route));
            let parameters = operation.get("parameters").and_then(Json::as_array).unwrap_or(&[]);
            let in_path = parameters
                .iter()
                .filter(|parameter| parameter.get("in").and_then(Json::as_str) == Some("path"))
                .filter_map(|parameter| parameter.get("name").and_then(Json::as_str));
            for name in in_path.clone() {
                assert!(
                    document_path(route).contains(&format!("{{{name}}}")),
                    "{name} of {}",
                    route.path
                );
            }
            assert_eq!(in_path.count(), route.path.matches('{').count(), "{}", route.path);
        }
    }

    #[test]
    fn every_schema_compiles_and_an_empty_query_keeps_to_its_contract() {
        for route in &ROUTES {
            let has_schema = matches!(route.body, BodyForm::Own { .. } | BodyForm::Files { .. });
            assert_eq!(route.body_schema().is_some(), has_schema, "{}", route.path);
            // Which is why a query that is not there is not checked.
            assert!(route.query.parameters().all(|(name, _)| !route.query.is_required(name)));
        }
    }

    #[test]
    fn the_document_has_every_code_of_the_table() {
        let document = document_of();
        let codes = document.at("/components/responses/Error/x-codes").unwrap();
        let of = |status: &str| codes.get(status).unwrap().to_string();
        assert!(of("400").ends_with(r#","VALIDATION_ERROR"]"#), "{codes}");
        assert!(of("500").starts_with(r#"["DATABASE_ERROR","GIT_FAILED","#), "{codes}");
        let listed: usize = codes
            .as_object()
            .unwrap()
            .iter()
            .map(|(_, codes)| codes.as_array().unwrap().len())
            .sum();
        assert_eq!(listed, error::codes().count());
    }
}
