use serde_json::{Value, json};

use super::*;

/// The smallest document, or why there is none.
fn instance(schema: &Value) -> Result<Value, String> {
    let found = least(&Json::from(schema)).map_err(|why| why.to_string())?;
    Ok(found.to_serde())
}

#[test]
fn what_is_invented_is_the_least_that_fits() {
    let check = |schema: Value, expected: Value| {
        assert_eq!(instance(&schema).unwrap(), expected, "{schema}");
    };
    check(json!({}), json!("text"));
    check(json!(true), json!("text"));
    check(json!({"const": 7}), json!(7));
    check(json!({"enum": ["b", "a"]}), json!("b"));
    check(json!({"type": ["string", "null"]}), json!("text"));
    check(json!({"type": "boolean"}), json!(false));
    check(json!({"type": "integer", "minimum": 2.5}), json!(3));
    check(json!({"type": "integer", "exclusiveMinimum": 3, "multipleOf": 5}), json!(5));
    check(json!({"type": "integer", "maximum": -3}), json!(-3));
    check(json!({"type": "number", "minimum": 0.1, "maximum": 0.2}), json!(0.15000000000000002));
    check(json!({"type": "string", "minLength": 6}), json!("textxx"));
    check(json!({"type": "string", "maxLength": 2}), json!("xt"));
    check(json!({"type": "string", "format": "date"}), json!("2026-01-01"));
    check(json!({"type": "string", "pattern": "^[A-Z]{2}-\\d+$"}), json!("AA-0"));
    check(json!({"type": "string", "pattern": "^a+$", "minLength": 4}), json!("aaaa"));
    check(json!({"type": "array", "items": {"type": "integer"}, "minItems": 2}), json!([0, 1]));
    check(json!({"type": "array"}), json!([]));
    check(
        json!({"type": "array", "items": {"enum": ["x", "y", "z"]}, "minItems": 3, "uniqueItems": true}),
        json!(["x", "y", "z"]),
    );
    check(
        json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]}),
        json!({"a": 0}),
    );
    check(json!({"type": "object", "minProperties": 1}), json!({"key1": "text"}));
    check(json!({"anyOf": [{"type": "null"}, {"type": "integer"}]}), json!(null));
    check(json!({"anyOf": [false, {"type": "integer"}]}), json!(0));
    check(
        json!({"allOf": [{"properties": {"a": {"const": 1}}}, {"required": ["a"]}], "type": "object"}),
        json!({"a": 1}),
    );
    check(
        json!({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "required": ["next"],
            "properties": {"next": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/node"}]}}}}}),
        json!({"next": null}),
    );
    // The first choice fails only against the whole.
    check(
        json!({"oneOf": [{"type": "string"}, {"type": "integer"}], "not": {"type": "string"}}),
        json!(0),
    );
}

#[test]
fn a_schema_that_cannot_be_met_is_told_apart() {
    let check = |schema: Value, says: &str| {
        let why = instance(&schema).unwrap_err();
        assert!(why.contains(says), "{schema}: {why}");
    };
    check(json!(false), "no value");
    check(json!({"type": "integer", "minimum": 3, "maximum": 2}), "bounds");
    check(json!({"type": "array", "minItems": 1_000_000_000_u64}), "`minItems`");
    check(json!({"type": "string", "minLength": 1_000_000_000_u64}), "`minLength`");
    check(json!({"type": "string", "pattern": "^(?=a)b$"}), "pattern");
    check(json!({"not": {}}), "is not valid");
    check(json!({"$ref": "https://example.com/x"}), "reference");
    check(json!({"type": "nonsense"}), "not a JSON Schema");
    let endless = json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "required": ["a"],
        "properties": {"a": {"$ref": "#/$defs/a"}}}}});
    check(endless, "too large");
    check(json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}), "too large");
    // Two ways at every turn: bounded too.
    let both = json!([{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]);
    check(json!({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": both}}}), "too large");
    // Many times many: bounded by the number of values.
    let mut wide = json!({"type": "string"});
    for _ in 0..8 {
        wide = json!({"type": "array", "minItems": 10, "items": wide});
    }
    check(wide, "too large");
}

#[test]
fn what_several_schemas_say_of_one_place_is_met_together() {
    let check = |schema: Value, expected: Value| {
        assert_eq!(instance(&schema).unwrap(), expected, "{schema}");
    };
    check(json!({"allOf": [{"enum": [1, 2, 3]}, {"enum": [3, 2]}]}), json!(2));
    check(json!({"allOf": [{"type": ["null", "number"]}, {"type": ["integer"]}]}), json!(0));
    check(json!({"allOf": [{"minimum": 3}, {"minimum": 5}, {"maximum": 9}]}), json!(5));
    check(json!({"type": "integer", "multipleOf": 1.5, "minimum": 1}), json!(3));
    check(
        json!({"type": "object", "minProperties": 1, "additionalProperties": false,
            "patternProperties": {"^x-[a-z]+$": {"type": "integer"}}}),
        json!({"x-a": 0}),
    );
    check(
        json!({"type": "object", "minProperties": 2, "propertyNames": {"pattern": "^[AB]$"}}),
        json!({"A": "text", "B": "text"}),
    );
    check(
        json!({"type": "array", "minItems": 3, "items": {"type": "number", "minimum": 0, "maximum": 1},
            "uniqueItems": true}),
        json!([0, 1, 0.25]),
    );
    check(
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "boolean"}], "items": {"type": "null"},
            "minItems": 3}),
        json!([0, true, null]),
    );
    // The condition holds for the only value there is, and then asks for more.
    check(
        json!({"type": "object", "properties": {"kind": {"const": "b"}, "more": {"type": "integer"}},
            "required": ["kind"],
            "if": {"properties": {"kind": {"const": "b"}}}, "then": {"required": ["more"]}}),
        json!({"kind": "b", "more": 0}),
    );
}

#[test]
fn what_is_made_is_bounded_in_depth_values_and_text() {
    let large = "x".repeat(100_000);
    let check = |schema: Value| {
        let why = instance(&schema).unwrap_err();
        assert!(why.contains("too large") || why.contains("too much"), "{why}");
    };
    check(json!({"type": "array", "minItems": 15_000, "items": {"const": large}}));
    check(json!({"type": "array", "minItems": 15_000, "items": {"minLength": 10_000}}));
    check(json!({"type": "array", "minItems": 15_000, "items": {"enum": [[1, 2, 3]]}}));
    check(json!({"type": "object", "minProperties": 1_000_000}));
    let many: Vec<Value> = (0..1000).map(|number| json!({"minimum": number})).collect();
    let why = instance(&json!({"allOf": many})).unwrap_err();
    assert!(why.contains("too many rules for one value"), "{why}");
    // Small to write, and a lot to compare or to sort at every place.
    let words: Vec<String> = (0..20_000).map(|number| format!("w{number}")).collect();
    let both = json!({"allOf": [{"enum": words}, {"enum": words}]});
    check(json!({"type": "array", "minItems": 15_000, "items": both}));
    let members: serde_json::Map<String, Value> =
        words.iter().map(|word| (word.clone(), json!({}))).collect();
    let wide = json!({"type": "object", "minProperties": 1, "properties": members});
    check(json!({"type": "array", "minItems": 5_000, "items": wide}));
    let heavy = json!({"description": "x".repeat(MOST_BYTES)});
    assert_eq!(least(&Json::from(&heavy)), Err(NoSample::TooLarge));
}

#[test]
fn what_is_shown_to_a_person_is_made_to_be_typed_over() {
    let check = |schema: Value, expected: Option<&str>| {
        let found = shown(&Json::from(&schema)).ok().map(|document| document.to_string());
        assert_eq!(found.as_deref(), expected, "{schema}");
    };
    check(json!({"type": "boolean"}), Some("true"));
    check(json!({"type": "integer", "default": 3}), Some("3"));
    check(
        json!({"type": "object", "required": ["why", "go"],
            "properties": {"go": {"type": "boolean"}, "why": {"type": "string"}}}),
        Some(r#"{"why":"…","go":true}"#),
    );
    // A made-up text of that form would hide what is wanted.
    check(json!({"type": "string", "pattern": "^[A-Z]+-[0-9]+$"}), None);
    check(json!({"type": "string", "format": "date"}), None);
}
