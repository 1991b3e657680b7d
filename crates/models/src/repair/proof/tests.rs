use consign_contracts::{json, schema::Schema};
use consign_engine::Data;

use super::*;

fn check(source: &str, value: &str, open: usize, shown: bool) {
    let value = json::parse(value.as_bytes()).unwrap();
    // Without a type at the top, any number inside would be an answer of its own.
    let mut source = json::parse(source.as_bytes()).unwrap();
    source.set_at("/type", value.kind().into());
    let schema = Schema::compile(&source).unwrap();
    let source = Data::from(&source);
    let expected = Expected { schema: &schema, source: Some(&source) };
    assert_eq!(nothing_is_lost(&value, open, Some(expected)), shown, "{source:?} {value}");
}

#[test]
fn an_object_is_full_when_no_member_is_left() {
    let closed = r#"{"properties": {"a": {}, "b": {}}, "additionalProperties": false}"#;
    check(closed, r#"{"a": 1, "b": 2}"#, 1, true);
    check(closed, r#"{"a": 1}"#, 1, false);
    check(r#"{"properties": {"a": {}}}"#, r#"{"a": 1}"#, 1, false);
    check(r#"{"maxProperties": 1}"#, r#"{"a": 1}"#, 1, true);
    check(r#"{"maxProperties": 2}"#, r#"{"a": 1}"#, 1, false);
    let patterns = r#"{"properties": {"a": {}}, "patternProperties": {"^x": {}}, "additionalProperties": false}"#;
    check(patterns, r#"{"a": 1}"#, 1, false);
    check("{}", "{}", 1, false);
    check("true", "{}", 1, false);
}

#[test]
fn an_array_is_full_when_no_item_is_left() {
    check(r#"{"maxItems": 2}"#, "[1, 2]", 1, true);
    check(r#"{"maxItems": 3}"#, "[1, 2]", 1, false);
    check(r#"{"items": [{}, {}], "additionalItems": false}"#, "[1, 2]", 1, true);
    check(r#"{"items": [{}, {}], "additionalItems": false}"#, "[1]", 1, false);
    check(r#"{"items": [{}], "additionalItems": {}}"#, "[1]", 1, false);
    // Each draft has words of its own for the same, and ignores the other's.
    let newer = r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [{}], "items": false}"#;
    check(newer, "[1]", 1, true);
    check(r#"{"prefixItems": [{}], "items": {}}"#, "[1]", 1, false);
    check(r#"{"items": {"type": "integer"}}"#, "[1]", 1, false);
}

#[test]
fn every_open_level_must_be_full() {
    let nested = r#"{"properties": {"a": {"maxItems": 1}}, "additionalProperties": false}"#;
    check(nested, r#"{"a": [1]}"#, 2, true);
    check(nested, r#"{"a": []}"#, 2, false);
    check(r#"{"properties": {"a": {"maxItems": 1}}}"#, r#"{"a": [1]}"#, 2, false);
    // A level that was closed need not be.
    check(nested, r#"{"a": []}"#, 1, true);
    let items = r#"{"minItems": 1, "maxItems": 1, "items": {"maxProperties": 1, "additionalProperties": {"maxItems": 0}}}"#;
    check(items, r#"[{"x": []}]"#, 3, true);
}

#[test]
fn a_breach_is_never_closed_over() {
    check(r#"{"maxItems": 1, "items": {"type": "string"}}"#, "[1]", 1, false);
}

/// `{"a": {"a": null}`: a bracket is missing, or the model began again where `{"a": null}` begins.
#[test]
fn a_value_that_holds_an_answer_of_its_own_is_not_closed() {
    let tree = r##"{"required": ["a"], "properties": {"a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
        "additionalProperties": false}"##;
    check(tree, r#"{"a": null}"#, 1, true);
    check(tree, r#"{"a": {"a": null}}"#, 1, false);
    check(tree, r#"{"a": {"a": {"a": null}}}"#, 2, false);
}

#[test]
fn choices_and_references_are_followed() {
    let full = r#"{"type": "object", "properties": {"a": {}}, "additionalProperties": false}"#;
    let value = r#"{"a": 1}"#;
    check(&format!(r#"{{"anyOf": [{{"type": "null"}}, {full}]}}"#), value, 1, true);
    check(&format!(r#"{{"oneOf": [false, {full}]}}"#), value, 1, true);
    check(&format!(r#"{{"anyOf": [{{"type": "object"}}, {full}]}}"#), value, 1, false);
    check(&format!(r#"{{"anyOf": [{{"type": ["array", "null"]}}, {full}]}}"#), value, 1, true);
    check(&format!(r#"{{"allOf": [{{}}, {full}]}}"#), value, 1, true);
    check(
        &format!(r##"{{"$ref": "#/definitions/f", "definitions": {{"f": {full}}}}}"##),
        value,
        1,
        true,
    );
    let chain = r##"{"required": ["top"], "maxProperties": 1, "properties": {"top": {"$ref": "#/definitions/link"}},
        "definitions": {"link": {"properties": {"a": {"anyOf": [{"$ref": "#/definitions/link"}, {"type": "null"}]}},
            "additionalProperties": false}}}"##;
    check(chain, r#"{"top": {"a": {"a": null}}}"#, 3, true);
    check(chain, r#"{"top": {"a": {}}}"#, 3, false);
    // Draft 7 ignores the neighbours of a reference, and so must the proof.
    check(
        r##"{"definitions": {"x": {}}, "allOf": [{"$ref": "#/definitions/x", "maxProperties": 1}]}"##,
        value,
        1,
        false,
    );
}

#[test]
fn a_schema_without_end_proves_nothing() {
    let round = r##"{"definitions": {"a": {"anyOf": [{"$ref": "#/definitions/a"}, {"$ref": "#/definitions/a"}]}}, "properties": {"x": {"$ref": "#/definitions/a"}}}"##;
    let source = Data::parse(round).unwrap();
    let tree = source.tree().unwrap();
    let value = json::parse(b"{\"x\": [1]}").unwrap();
    let levels = [&value, value.get("x").unwrap()];
    let mut proof = Proof { source: &tree, newer: false, levels: &levels, target: 1, steps: 0 };
    assert!(!proof.shows(&tree, 0, 0));
}

#[test]
fn a_schema_with_an_identifier_of_its_own_proves_nothing() {
    let inner = r#"{"$id": "urn:x", "maxItems": 1}"#;
    check(
        &format!(r#"{{"maxProperties": 1, "properties": {{"a": {inner}}}}}"#),
        r#"{"a": [1]}"#,
        2,
        false,
    );
    let referred = r##"{"$ref": "#/definitions/f/definitions/g",
        "definitions": {"f": {"$id": "urn:f", "definitions": {"g": {"maxItems": 1}}}}}"##;
    check(referred, "[1]", 1, false);
}
