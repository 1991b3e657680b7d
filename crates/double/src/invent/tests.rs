use super::*;

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
    check(json!(false), "nothing");
    check(json!({"type": "integer", "minimum": 3, "maximum": 2}), "bounds");
    check(json!({"type": "array", "minItems": 1_000_000_000_u64}), "`minItems`");
    check(json!({"type": "string", "minLength": 1_000_000_000_u64}), "`minLength`");
    check(json!({"type": "string", "pattern": "^(?=a)b$"}), "pattern");
    check(json!({"not": {}}), "breaks it");
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
