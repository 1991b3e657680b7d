//! Pairs of schemas and the verdict that a person would give.

use serde_json::{Value, json};

use super::{Compatibility, compare};
use crate::{json::Json, schema::Schema};

fn verdict(old: &Value, new: &Value) -> &'static str {
    let (old, new) = (Json::from(old), Json::from(new));
    match compare(&old, &new).expect("both are schemas") {
        Compatibility::Compatible => "compatible",
        Compatibility::Incompatible(example) => {
            let (old, new) = (Schema::compile(&old).unwrap(), Schema::compile(&new).unwrap());
            assert!(old.is_valid(&example.document), "{} was never valid", example.document);
            assert!(!new.is_valid(&example.document), "{} still is", example.document);
            assert!(!example.breaches.is_empty());
            "incompatible"
        }
        Compatibility::Unknown(_) => "unknown",
    }
}

/// An object schema with these properties.
fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

/// The same with more keywords.
fn with(mut schema: Value, more: Value) -> Value {
    let (Value::Object(keywords), Value::Object(more)) = (&mut schema, more) else {
        unreachable!()
    };
    keywords.extend(more);
    schema
}

#[test]
fn every_kind_of_change_gets_the_right_verdict() {
    let closed = json!({"additionalProperties": false});
    let a = json!({"a": {"type": "string"}});
    let ab = json!({"a": {"type": "string"}, "b": {"type": "integer"}});
    let string = json!({"type": "string"});
    let integer = json!({"type": "integer"});
    let uuid = json!({"type": "string", "format": "uuid"});
    let node = |more: Value| {
        let node = with(object(json!({"next": {"$ref": "#/definitions/node"}})), more);
        json!({"$ref": "#/definitions/node", "definitions": {"node": node}})
    };
    let cases: Vec<(&str, Value, Value, &str)> = vec![
        ("nothing changes", object(ab.clone()), object(ab.clone()), "compatible"),
        (
            "an optional field joins a closed object",
            with(object(a.clone()), closed.clone()),
            with(object(ab.clone()), closed.clone()),
            "compatible",
        ),
        (
            "an optional field joins an open object, where it could be anything before",
            object(a.clone()),
            object(ab.clone()),
            "incompatible",
        ),
        (
            "an optional field without a type joins an open object",
            object(a.clone()),
            object(json!({"a": {"type": "string"}, "b": {}})),
            "compatible",
        ),
        (
            "a field leaves a closed object",
            with(object(ab.clone()), closed.clone()),
            with(object(a.clone()), closed.clone()),
            "incompatible",
        ),
        ("a field leaves an open object", object(ab.clone()), object(a.clone()), "compatible"),
        (
            "a field is renamed in a closed object",
            with(object(a.clone()), closed.clone()),
            with(object(json!({"c": {"type": "string"}})), closed.clone()),
            "incompatible",
        ),
        (
            "a required field is renamed",
            with(object(a.clone()), json!({"required": ["a"]})),
            with(object(json!({"c": {"type": "string"}})), json!({"required": ["c"]})),
            "incompatible",
        ),
        (
            "a field becomes required",
            object(a.clone()),
            with(object(a.clone()), json!({"required": ["a"]})),
            "incompatible",
        ),
        (
            "a field becomes optional",
            with(object(a.clone()), json!({"required": ["a"]})),
            object(a.clone()),
            "compatible",
        ),
        (
            "a new field is required",
            object(a.clone()),
            with(object(ab.clone()), json!({"required": ["b"]})),
            "incompatible",
        ),
        (
            "an open object is closed",
            object(a.clone()),
            with(object(a.clone()), closed.clone()),
            "incompatible",
        ),
        (
            "a closed object is opened",
            with(object(a.clone()), closed.clone()),
            object(a.clone()),
            "compatible",
        ),
        (
            "unknown fields get a type",
            object(a.clone()),
            with(object(a.clone()), json!({"additionalProperties": {"type": "string"}})),
            "incompatible",
        ),
        (
            "an enum is widened",
            json!({"enum": ["a", "b"]}),
            json!({"enum": ["a", "b", "c"]}),
            "compatible",
        ),
        (
            "an enum is narrowed",
            json!({"enum": ["a", "b", "c"]}),
            json!({"enum": ["a", "b"]}),
            "incompatible",
        ),
        ("a string becomes an enum", string.clone(), json!({"enum": ["a", "b"]}), "incompatible"),
        ("an enum becomes a string", json!({"enum": ["a", "b"]}), string.clone(), "compatible"),
        ("a constant changes", json!({"const": 1}), json!({"const": 2}), "incompatible"),
        (
            "one and one point zero are the same constant",
            json!({"const": 1}),
            json!({"const": 1.0}),
            "compatible",
        ),
        ("a type changes", string.clone(), integer.clone(), "incompatible"),
        ("an integer becomes a number", integer.clone(), json!({"type": "number"}), "compatible"),
        ("a number becomes an integer", json!({"type": "number"}), integer.clone(), "incompatible"),
        ("null is allowed", string.clone(), json!({"type": ["string", "null"]}), "compatible"),
        (
            "null is no longer allowed",
            json!({"type": ["string", "null"]}),
            string.clone(),
            "incompatible",
        ),
        (
            "a minimum is raised",
            json!({"type": "integer", "minimum": 1}),
            json!({"type": "integer", "minimum": 2}),
            "incompatible",
        ),
        (
            "a minimum is lowered",
            json!({"type": "integer", "minimum": 1}),
            json!({"type": "integer", "minimum": 0}),
            "compatible",
        ),
        (
            "a maximum is lowered",
            json!({"type": "number", "maximum": 10}),
            json!({"type": "number", "maximum": 9.5}),
            "incompatible",
        ),
        (
            "a bound becomes exclusive",
            json!({"type": "number", "maximum": 10}),
            json!({"type": "number", "exclusiveMaximum": 10}),
            "incompatible",
        ),
        (
            "a bound disappears",
            json!({"type": "number", "minimum": 0, "maximum": 10}),
            json!({"type": "number"}),
            "compatible",
        ),
        (
            "a least length is raised",
            json!({"type": "string", "minLength": 100}),
            json!({"type": "string", "minLength": 101}),
            "incompatible",
        ),
        (
            "a most length is raised",
            json!({"type": "string", "maxLength": 500}),
            json!({"type": "string", "maxLength": 501}),
            "compatible",
        ),
        (
            "a most length is lowered",
            json!({"type": "string", "maxLength": 500}),
            json!({"type": "string", "maxLength": 499}),
            "incompatible",
        ),
        (
            "patterns are equal",
            json!({"type": "string", "pattern": "^a+$"}),
            json!({"type": "string", "pattern": "^a+$"}),
            "compatible",
        ),
        (
            "a pattern is added",
            string.clone(),
            json!({"type": "string", "pattern": "^a+$"}),
            "incompatible",
        ),
        (
            "a pattern is dropped",
            json!({"type": "string", "pattern": "^a+$"}),
            string.clone(),
            "compatible",
        ),
        (
            "patterns differ and a word shows it",
            json!({"type": "string", "pattern": "^a+$"}),
            json!({"type": "string", "pattern": "^a{1,3}$"}),
            "incompatible",
        ),
        (
            "patterns differ but say the same",
            json!({"type": "string", "pattern": "^aa*$"}),
            json!({"type": "string", "pattern": "^a+$"}),
            "unknown",
        ),
        (
            "a pattern meets a length",
            json!({"type": "string", "pattern": "^a+$"}),
            json!({"type": "string", "pattern": "^a+$", "minLength": 3}),
            "incompatible",
        ),
        ("a format is added", string.clone(), uuid.clone(), "incompatible"),
        ("a format is dropped", uuid.clone(), string.clone(), "compatible"),
        (
            "a format changes",
            uuid.clone(),
            json!({"type": "string", "format": "date-time"}),
            "incompatible",
        ),
        (
            "items are loosened",
            json!({"type": "array", "items": integer}),
            json!({"type": "array", "items": {"type": "number"}}),
            "compatible",
        ),
        (
            "items are tightened",
            json!({"type": "array", "items": {"type": "number"}}),
            json!({"type": "array", "items": integer}),
            "incompatible",
        ),
        (
            "an array must not be empty",
            json!({"type": "array"}),
            json!({"type": "array", "minItems": 1}),
            "incompatible",
        ),
        (
            "an array gets shorter",
            json!({"type": "array", "items": integer, "maxItems": 5}),
            json!({"type": "array", "items": integer, "maxItems": 4}),
            "incompatible",
        ),
        (
            "items must differ",
            json!({"type": "array"}),
            json!({"type": "array", "uniqueItems": true}),
            "incompatible",
        ),
        (
            "items need no longer differ",
            json!({"type": "array", "uniqueItems": true}),
            json!({"type": "array"}),
            "compatible",
        ),
        (
            "a bound deep inside is tightened",
            object(
                json!({"x": {"type": "array", "items": object(json!({"y": {"type": "integer", "minimum": 0}}))}}),
            ),
            object(
                json!({"x": {"type": "array", "items": object(json!({"y": {"type": "integer", "minimum": 1}}))}}),
            ),
            "incompatible",
        ),
        (
            "a bound deep inside is loosened",
            object(
                json!({"x": {"type": "array", "items": object(json!({"y": {"type": "integer", "minimum": 1}}))}}),
            ),
            object(
                json!({"x": {"type": "array", "items": object(json!({"y": {"type": "integer", "minimum": 0}}))}}),
            ),
            "compatible",
        ),
        (
            "a choice gains a branch",
            json!({"anyOf": [string, integer]}),
            json!({"anyOf": [string, integer, {"type": "null"}]}),
            "compatible",
        ),
        (
            "a choice loses a branch",
            json!({"anyOf": [string, integer]}),
            json!({"anyOf": [string]}),
            "incompatible",
        ),
        (
            "either of two fields becomes one of them",
            json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            json!({"type": "object", "required": ["a"]}),
            "incompatible",
        ),
        (
            "a multiple is coarsened",
            json!({"type": "integer", "multipleOf": 2}),
            json!({"type": "integer", "multipleOf": 4}),
            "incompatible",
        ),
        (
            "a recursive schema gains a required field",
            node(json!({})),
            node(json!({"required": ["value"]})),
            "incompatible",
        ),
        ("a recursive schema stays", node(json!({})), node(json!({})), "compatible"),
        ("everything becomes nothing", json!(true), json!(false), "incompatible"),
        ("nothing becomes everything", json!(false), json!(true), "compatible"),
    ];
    assert!(cases.len() >= 30);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(what, old, new, expected)| {
            let found = verdict(old, new);
            (found != *expected).then(|| format!("{what}: expected {expected}, found {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
