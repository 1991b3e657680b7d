//! Pins: what JSON Schema means, topic by topic, so that no version of a validator can loosen it.

use consign_contracts::{
    json::{self, Json},
    schema::{Schema, SchemaError},
};
use serde_json::{Value, json};

const DRAFT_07: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_2020: &str = "https://json-schema.org/draft/2020-12/schema";

fn compile(schema: &Value) -> Result<Schema, SchemaError> {
    Schema::compile(&Json::from(schema))
}

/// The schema, once for each draft that we read.
fn in_both_drafts(schema: &Value) -> [Value; 2] {
    [DRAFT_07, DRAFT_2020].map(|draft| {
        let mut schema = schema.clone();
        schema["$schema"] = draft.into();
        schema
    })
}

/// Documents as text, so that a number can be spelled in any way.
fn pin(schema: &Value, valid: &[&str], invalid: &[&str]) {
    let compiled = compile(schema).expect("a pinned schema compiles");
    let mut wrong = Vec::new();
    for (texts, expected) in [(valid, true), (invalid, false)] {
        for text in texts {
            let document = json::parse(text.as_bytes()).expect("a pinned document is JSON");
            let verdict = compiled.check(&document);
            assert_eq!(verdict.is_valid(), compiled.is_valid(&document), "{schema}: {text}");
            if verdict.is_valid() != expected {
                wrong.push(format!("{text} is {}", if expected { "refused" } else { "accepted" }));
            }
        }
    }
    assert!(wrong.is_empty(), "{schema}:\n{}", wrong.join("\n"));
}

fn pin_in_both_drafts(schema: Value, valid: &[&str], invalid: &[&str]) {
    for schema in in_both_drafts(&schema) {
        pin(&schema, valid, invalid);
    }
}

/// Strings, written without their JSON quotes.
fn pin_strings(schema: Value, valid: &[&str], invalid: &[&str]) {
    let quoted = |texts: &[&str]| -> Vec<String> {
        texts.iter().map(|text| Value::from(*text).to_string()).collect()
    };
    let (valid, invalid) = (quoted(valid), quoted(invalid));
    let valid: Vec<&str> = valid.iter().map(String::as_str).collect();
    let invalid: Vec<&str> = invalid.iter().map(String::as_str).collect();
    pin_in_both_drafts(schema, &valid, &invalid);
}

#[test]
fn a_uuid_is_five_groups_of_hexadecimal_digits() {
    pin_strings(
        json!({"format": "uuid"}),
        &[
            "550e8400-e29b-41d4-a716-446655440000",
            "550E8400-E29B-41D4-A716-446655440000",
            "550e8400-E29B-41d4-A716-446655440000",
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
        ],
        &[
            "",
            "550e8400e29b41d4a716446655440000",
            "{550e8400-e29b-41d4-a716-446655440000}",
            "urn:uuid:550e8400-e29b-41d4-a716-446655440000",
            "550e840-0e29b-41d4-a716-446655440000",
            "550e8400-e29b-41d4-a7164-46655440000",
            "550e8400-e29b-41d4-a716-44665544000",
            "550e8400-e29b-41d4-a716-4466554400000",
            "550e8400-e29b-41d4-a716_446655440000",
            "550e8400-e29b-41d4-a716-44665544000g",
            "550e8400-e29b-41d4-a716-446655440000\n",
            " 550e8400-e29b-41d4-a716-446655440000",
            "550e8400-e29b-41d4-a716-44665544000٠",
            "550e8400-e29b-41d4-a716-4466554400é",
        ],
    );
}

#[test]
fn a_date_time_is_what_rfc_3339_says() {
    pin_strings(
        json!({"format": "date-time"}),
        &[
            "2026-01-31T12:00:00Z",
            "2026-01-31T12:00:00+00:00",
            "2026-01-31T12:00:00-00:00",
            "2026-01-31T12:00:00+23:59",
            "2026-01-31T12:00:00-08:30",
            "2026-01-31T12:00:00.1Z",
            "2026-01-31T12:00:00.123456789012345678Z",
            "2026-01-31t12:00:00z",
            "2024-02-29T00:00:00Z",
            "2000-02-29T00:00:00Z",
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999Z",
            // A leap second is the last one of a day in UTC, wherever the clock hangs.
            "1998-12-31T23:59:60Z",
            "1990-12-31T15:59:60-08:00",
            "1998-12-31T23:59:60.5Z",
        ],
        &[
            "",
            "2026-01-31",
            "12:00:00Z",
            "2026-01-31T12:00:00",
            "2026-01-31T12:00Z",
            "2026-01-31 12:00:00Z",
            "2026-01-31_12:00:00Z",
            "2026-13-01T12:00:00Z",
            "2026-00-01T12:00:00Z",
            "2026-02-30T12:00:00Z",
            "2026-02-29T12:00:00Z",
            "1900-02-29T12:00:00Z",
            "2026-04-31T12:00:00Z",
            "2026-01-00T12:00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T12:60:00Z",
            "2026-01-31T12:00:61Z",
            "1998-12-31T22:59:60Z",
            "1998-12-31T23:58:60Z",
            "1998-12-31T23:59:60+01:00",
            "2026-01-31T12:00:00+24:00",
            "2026-01-31T12:00:00+01:60",
            "2026-01-31T12:00:00+0100",
            "2026-01-31T12:00:00+01",
            "2026-01-31T12:00:00.Z",
            "2026-01-31T12:00:00,5Z",
            "2026-01-31T12:00:00ZZ",
            "2026-01-31T12:00:00Z+01:00",
            "2026-01-31T12:00:00Z\n",
            "2026-01-31T12:00:00Z ",
            " 2026-01-31T12:00:00Z",
            "2026-01-31T12:00:00 Z",
            "2026-1-31T12:00:00Z",
            "26-01-31T12:00:00Z",
            "12026-01-31T12:00:00Z",
            "+2026-01-31T12:00:00Z",
            "2026-W05-6T12:00:00Z",
            "2026-031T12:00:00Z",
            "20260131T120000Z",
            "٢٠٢٦-٠١-٣١T١٢:٠٠:٠٠Z",
            "2026-01-31T12:00:0٠Z",
            "2026-01-31T12:00:00.٠Z",
            "yesterday",
        ],
    );
}

#[test]
fn a_uri_has_a_scheme_and_no_spaces() {
    pin_strings(
        json!({"format": "uri"}),
        &[
            "https://example.com/a?b=c#d",
            "HTTP://EXAMPLE.COM",
            "urn:isbn:0451450523",
            "mailto:a@example.com",
            "file:///etc/hosts",
            "http://[2001:db8::1]:80/",
            "https://example.com/%C3%A9",
        ],
        &[
            "",
            "/a/b",
            "a/b",
            "example.com/a",
            "//example.com/a",
            "#a",
            "https://example.com/a b",
            " https://example.com/",
            "https://example.com/\n",
            "https://example.com/é",
            "https://example.com/%zz",
            "1http://example.com",
            "://example.com",
            "https://[::1/",
            "https://example.com/<a>",
            "https://example.com/\\a",
        ],
    );
}

#[test]
fn a_pattern_searches_and_knows_ascii_digits_and_real_ends() {
    pin_strings(
        json!({"pattern": r"^\d+\.\d+$"}),
        &["1.0", "12.34"],
        &["", "1", "1.", "1.0\n", "\n1.0", "1.0\r", "v1.0", "1.0.0", "١.٠", "1.٠", "1.0 ", "１.０"],
    );
    pin_strings(json!({"pattern": "b+"}), &["b", "abba", "b\n", "a\nb"], &["", "a", "B"]);
    pin_strings(json!({"pattern": "^b$"}), &["b"], &["b\n", "a\nb", "b\na"]);
    pin_strings(json!({"pattern": r"^\D$"}), &["x", "٠", "é"], &["0", "", "xx"]);
    // `\w` and `\b` are ASCII in ECMA-262, `\s` is not.
    pin_strings(json!({"pattern": r"^\w+$"}), &["aZ_09"], &["é", "ж", "a-b", ""]);
    pin_strings(json!({"pattern": r"^\W$"}), &["é", "-"], &["a", "_"]);
    pin_strings(json!({"pattern": r"^\s$"}), &[" ", "\t", "\n", "\u{a0}", "\u{feff}"], &["x", ""]);
    // A character is a code point, never half of one.
    pin_strings(json!({"pattern": "^.$"}), &["a", "é", "😀"], &["", "ab", "\n"]);
    pin_strings(json!({"pattern": "^😀{2}$"}), &["😀😀"], &["😀", "😀😀😀"]);
    pin_strings(json!({"pattern": r"^\p{Lu}$"}), &["A", "É", "Ж"], &["a", "é", "1"]);
    // Look-around is ECMA-262, even where it costs a slower engine.
    pin_strings(json!({"pattern": "^(?!foo)"}), &["", "bar", "xfoo"], &["foo", "foobar"]);
    pin_strings(json!({"pattern": r"^(a)\1$"}), &["aa"], &["a", "ab", "aaa"]);
    // Only strings have patterns.
    pin_in_both_drafts(json!({"pattern": "^a$"}), &["1", "null", "[]", "{}"], &["\"b\""]);
}

#[test]
fn a_whole_number_is_an_integer_however_it_is_spelled() {
    pin_in_both_drafts(
        json!({"type": "integer"}),
        &[
            "1",
            "1.0",
            "1e0",
            "10e-1",
            "1.5e1",
            "-0",
            "-0.0",
            "0e-5",
            "1e400",
            "-1e400",
            "12345678901234567890123456789",
            "9007199254740993",
            "1.0000000000000000000000000000",
        ],
        &["1.5", "1e-1", "15e-1", "1e-400", "1.00000000000000000000000000001", "\"1\"", "true"],
    );
    pin_in_both_drafts(json!({"type": "number"}), &["1", "1.5", "1e400", "-0"], &["\"1\"", "null"]);
}

#[test]
fn a_range_ends_exactly_where_it_says() {
    let unit = json!({"minimum": 0, "maximum": 1});
    pin_in_both_drafts(
        unit,
        &["0", "-0", "-0.0", "0e9", "1", "1.0", "10e-1", "0.1", "1e-400", "\"x\"", "null"],
        &["-1", "2", "1.1", "-0.1", "1e400", "-1e400", "-1e-300", "1.0000000000000002"],
    );
    pin_in_both_drafts(
        json!({"exclusiveMinimum": 0, "exclusiveMaximum": 1}),
        &["0.5", "1e-300", "0.9999999999999999"],
        &["0", "-0", "-0.0", "0e5", "1", "1.0", "1e0", "2", "-1"],
    );
    pin_in_both_drafts(
        json!({"minimum": 30, "maximum": 600}),
        &["30", "30.0", "3e1", "600", "6e2", "600.000"],
        &["29", "29.999999999999", "601", "600.0000000001", "6e3", "1e400", "-1e400"],
    );
    // Beyond 64 bits.
    pin_in_both_drafts(
        json!({"minimum": 0}),
        &["18446744073709551615", "18446744073709551616", "12345678901234567890123456789", "1e400"],
        &["-18446744073709551616", "-12345678901234567890123456789", "-1e400"],
    );
    pin_in_both_drafts(
        json!({"maximum": 9_007_199_254_740_993_u64}),
        &["9007199254740992", "9007199254740993", "-12345678901234567890123456789"],
        &["9007199254740994", "18446744073709551616", "12345678901234567890123456789"],
    );
    pin_in_both_drafts(json!({"maximum": u64::MAX}), &["18446744073709551615"], &["2e19"]);
}

#[test]
fn bounds_and_constants_are_exact_beyond_the_precision_of_floats() {
    pin_in_both_drafts(
        json!({"minimum": 0, "maximum": 1}),
        &["0.99999999999999999999999"],
        &["1.00000000000000000000001", "-1e-400"],
    );
    pin_in_both_drafts(
        json!({"exclusiveMinimum": 0, "exclusiveMaximum": 1}),
        &["1e-400", "0.99999999999999999999999"],
        &["1.00000000000000000000001"],
    );
    // The validator holds a bound of 2^64 - 1 and the number 2^64 for the same float; nothing of
    // ours comes near.
    pin_in_both_drafts(json!({"maximum": u64::MAX}), &["18446744073709551615"], &["1.9e19"]);
    pin_in_both_drafts(json!({"const": 1}), &["1.0000000"], &["1.00000000000000000000001"]);
    pin_in_both_drafts(
        json!({"const": 9_007_199_254_740_993_u64}),
        &["9007199254740993", "9007199254740993.0", "9007199254740993e0"],
        &["9007199254740992", "9007199254740994.0"],
    );
}

#[test]
fn a_multiple_is_one_in_decimal() {
    pin_in_both_drafts(
        json!({"multipleOf": 0.01}),
        &["0", "0.01", "4.02", "1e2", "-0.07", "19.99"],
        &["0.001", "4.021"],
    );
    pin_in_both_drafts(json!({"multipleOf": 2}), &["0", "4", "4.0", "-2"], &["1", "2.5"]);
}

#[test]
fn a_length_counts_code_points() {
    pin_strings(
        json!({"minLength": 2, "maxLength": 3}),
        &["ab", "abc", "éé", "😀😀😀", "e\u{301}", "\u{0}\u{0}"],
        &["", "a", "é", "😀", "abcd", "😀😀😀😀"],
    );
    pin_in_both_drafts(json!({"minLength": 1}), &["1", "[]", "null"], &["\"\""]);
}

#[test]
fn a_closed_object_is_closed_at_every_depth() {
    pin_in_both_drafts(
        json!({
            "properties": {"a": {"properties": {"b": {}}, "additionalProperties": false}},
            "additionalProperties": false
        }),
        &["{}", r#"{"a": {}}"#, r#"{"a": {"b": 1}}"#, r#"{"a": 1}"#, "[]"],
        &[
            r#"{"b": 1}"#,
            r#"{"a": {"c": 1}}"#,
            r#"{"a": {}, "c": null}"#,
            r#"{"A": {}}"#,
            r#"{"": 1}"#,
        ],
    );
    pin_in_both_drafts(
        json!({"properties": {"a": {}}, "additionalProperties": {"type": "string"}}),
        &[r#"{"a": 1}"#, r#"{"b": "x"}"#],
        &[r#"{"b": 1}"#, r#"{"a": 1, "b": null}"#],
    );
    // Branches do not see each other's properties.
    pin_in_both_drafts(
        json!({"allOf": [{"properties": {"a": {}}}], "additionalProperties": false}),
        &["{}"],
        &[r#"{"a": 1}"#],
    );
}

#[test]
fn null_is_a_value_and_absent_is_not() {
    pin_in_both_drafts(
        json!({"properties": {"a": {"type": ["string", "null"]}, "b": {"type": "string"}}, "required": ["a"]}),
        &[r#"{"a": null}"#, r#"{"a": "x"}"#, r#"{"a": "", "b": "x"}"#, "null", "[]"],
        &["{}", r#"{"b": "x"}"#, r#"{"a": null, "b": null}"#, r#"{"A": null}"#],
    );
    pin_in_both_drafts(json!({"required": ["a"]}), &[r#"{"a": null}"#], &["{}", r#"{"b": 1}"#]);
}

#[test]
fn equal_numbers_are_equal_values() {
    pin_in_both_drafts(
        json!({"enum": [1, "2", null, [1.0], {"a": 0}]}),
        &["1", "1.0", "1e0", "10e-1", "\"2\"", "null", "[1]", r#"{"a": -0}"#, r#"{"a": 0.0}"#],
        &["2", "\"1\"", "true", "false", "0", "1.5", "[1, 1]", "[]", r#"{"a": false}"#, "{}"],
    );
    pin_in_both_drafts(
        json!({"const": 0}),
        &["0", "-0", "0.0", "0e7"],
        &["false", "null", "\"0\""],
    );
    pin_in_both_drafts(json!({"const": false}), &["false"], &["0", "null", "\"\""]);
    pin_in_both_drafts(
        json!({"uniqueItems": true}),
        &["[]", "[1, 2]", "[1, true]", "[0, false]", "[1, \"1\"]", r#"[{"a": 1}, {"a": 2}]"#],
        &[
            "[1, 1]",
            "[1, 1.0]",
            "[1, 2, 10e-1]",
            "[0, -0.0]",
            "[[1], [1.0]]",
            r#"[{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]"#,
            // Enough items that a validator may hash them.
            "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 5.0]",
        ],
    );
}

#[test]
fn values_are_equal_only_when_all_digits_are() {
    pin_in_both_drafts(
        json!({"enum": [1]}),
        &["1.00000000000000000000000"],
        &["1.00000000000000000000001", "0.99999999999999999999999"],
    );
    pin_in_both_drafts(
        json!({"uniqueItems": true}),
        &[
            "[10000000000000000000000001, 10000000000000000000000002]",
            "[0.1, 0.10000000000000000001]",
        ],
        &["[10000000000000000000000001, 10000000000000000000000001.0]", "[1e400, 10e399]"],
    );
}

#[test]
fn unknown_formats_and_keywords_are_ignored() {
    pin_in_both_drafts(json!({"format": "no-such-format"}), &["\"x\"", "\"\"", "1"], &[]);
    pin_in_both_drafts(json!({"no-such-keyword": 5}), &["\"x\"", "null"], &[]);
    pin_in_both_drafts(json!({"default": 1, "examples": ["x"]}), &["\"x\"", "null"], &[]);
    // A format speaks about strings only.
    for format in ["uuid", "date-time", "uri"] {
        pin_in_both_drafts(json!({"format": format}), &["1", "null", "[]", "{}"], &["\"x\""]);
    }
}

#[test]
fn the_draft_decides_what_items_are() {
    let tuple = json!({"items": [{"type": "integer"}], "additionalItems": false});
    pin(&tuple, &["[]", "[1]"], &["[\"x\"]", "[1, 2]"]);
    pin(&json!({"$schema": DRAFT_07, "items": [{"type": "integer"}]}), &["[1]"], &["[null]"]);
    pin(&json!({"prefixItems": [{"type": "integer"}]}), &["[1]", "[\"x\"]"], &[]);
    let prefix = json!({"prefixItems": [{"type": "integer"}], "items": false});
    let [old, new] = in_both_drafts(&prefix);
    pin(&new, &["[]", "[1]"], &["[\"x\"]", "[1, 2]"]);
    pin(&old, &["[]"], &["[1]"]);
    // Beside a `$ref` draft-07 looks at nothing else.
    let beside = json!({
        "definitions": {"any": {}},
        "properties": {"a": {"$ref": "#/definitions/any", "type": "string"}}
    });
    let [old, new] = in_both_drafts(&beside);
    pin(&old, &[r#"{"a": 1}"#], &[]);
    pin(&new, &[r#"{"a": "x"}"#], &[r#"{"a": 1}"#]);
}

#[test]
fn conditions_choose_a_branch() {
    pin_in_both_drafts(
        json!({"if": {"required": ["mode"]}, "else": {"required": ["owner"]}}),
        &[r#"{"mode": null}"#, r#"{"owner": 1}"#, r#"{"mode": 1, "owner": 1}"#, "[]"],
        &["{}", r#"{"other": 1}"#],
    );
    pin_in_both_drafts(
        json!({
            "if": {"properties": {"type": {"const": "a"}}},
            "then": {"properties": {"payload": {"type": "string"}}}
        }),
        &[r#"{"type": "b", "payload": 1}"#, r#"{"type": "a", "payload": "x"}"#, "{}"],
        // An absent member is no breach of `properties`, so the condition holds without it.
        &[r#"{"type": "a", "payload": 1}"#, r#"{"payload": 1}"#],
    );
    pin_in_both_drafts(
        json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        &[r#"{"a": 1}"#, r#"{"b": 1}"#, r#"{"a": 1, "b": 1}"#],
        &["{}", r#"{"c": 1}"#],
    );
    pin_in_both_drafts(
        json!({"oneOf": [{"type": "integer"}, {"minimum": 2}]}),
        &["1", "2.5"],
        &["3", "1.5"],
    );
    pin_in_both_drafts(json!({"not": {"type": "null"}}), &["1"], &["null"]);
}

#[test]
fn references_lead_nowhere_but_into_the_schema() {
    // A file that is there and is a schema, so that only our refusal keeps it out.
    let there = format!("file://{}/../../schemas/engine/run.json", env!("CARGO_MANIFEST_DIR"));
    for reference in
        ["http://127.0.0.1:1/schema", "https://example.com/schema.json#/definitions/a", &there]
    {
        for place in [
            json!({"$ref": reference}),
            json!({"properties": {"a": {"items": {"$ref": reference}}}}),
            json!({"definitions": {"never-used": {"$ref": reference}}}),
        ] {
            for schema in in_both_drafts(&place) {
                let refused = compile(&schema).expect_err("nothing is fetched");
                assert!(matches!(refused, SchemaError::RemoteReference(_)), "{schema}: {refused}");
            }
        }
    }
    for dangling in ["#/definitions/none", "#none", "none.json"] {
        for schema in in_both_drafts(&json!({"$ref": dangling})) {
            assert!(compile(&schema).is_err(), "{schema}");
        }
    }
}

#[test]
fn recursion_ends_with_the_document() {
    pin_in_both_drafts(
        json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": false}),
        &["{}", r#"{"next": {"next": {}}}"#],
        &[r#"{"next": {"next": 1}}"#, r#"{"next": {"next": {"last": 1}}}"#],
    );
    let node = json!({"type": "array", "items": {"$ref": "#/definitions/node"}});
    let tree = json!({"$ref": "#/definitions/node", "definitions": {"node": node}});
    let deepest = format!("{}{}", "[".repeat(128), "]".repeat(128));
    let broken = format!("{}1{}", "[".repeat(128), "]".repeat(128));
    pin_in_both_drafts(tree, &["[]", "[[], [[]]]", &deepest], &["1", &broken]);
}

#[test]
fn a_circle_of_references_is_refused_or_ends() {
    for circle in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$ref": "#/definitions/a", "definitions": {
            "a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"}
        }}),
        json!({"not": {"$ref": "#"}}),
    ] {
        for schema in in_both_drafts(&circle) {
            // Nothing says what such a schema means; it only must not hang or overflow.
            if let Ok(schema) = compile(&schema) {
                let _ = schema.check(&Json::Null);
            }
        }
    }
}

#[test]
fn other_drafts_are_refused() {
    for draft in [
        json!("http://json-schema.org/draft-04/schema#"),
        json!("http://json-schema.org/draft-06/schema#"),
        json!("https://json-schema.org/draft/2019-09/schema"),
        json!("http://json-schema.org/schema#"),
        json!("https://example.com/my-own-draft"),
        json!("sftp://json-schema.org/draft-07/schema"),
        json!("httphttp://json-schema.org/draft-07/schema#"),
        json!("httpss://json-schema.org/draft-07/schema#"),
        json!("://json-schema.org/draft-07/schema#"),
        json!("http://json-schema.org/draft-07/schema##"),
        json!(""),
        json!(7),
        json!(null),
    ] {
        let refused = compile(&json!({"$schema": draft})).expect_err("an unknown draft");
        assert!(matches!(refused, SchemaError::UnsupportedDraft(_)), "{draft}: {refused}");
    }
    for draft in [
        DRAFT_07,
        DRAFT_2020,
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2020-12/schema#",
    ] {
        assert!(compile(&json!({"$schema": draft})).is_ok(), "{draft}");
    }
}

#[test]
fn what_is_no_schema_is_refused() {
    let broken = [
        json!({"type": 5}),
        json!({"type": "float"}),
        json!({"type": []}),
        json!({"pattern": "("}),
        json!({"pattern": "[z-a]"}),
        json!({"pattern": 1}),
        json!({"minimum": "1"}),
        json!({"minLength": -1}),
        json!({"minLength": 1.5}),
        json!({"required": "a"}),
        json!({"required": ["a", "a"]}),
        json!({"properties": []}),
        json!({"properties": {"a": 1}}),
        json!({"enum": 1}),
        json!({"anyOf": []}),
        json!({"multipleOf": 0}),
        json!({"additionalProperties": 1}),
        json!({"$ref": 1}),
    ];
    for schema in broken.iter().flat_map(in_both_drafts) {
        let refused = compile(&schema).err();
        assert!(matches!(refused, Some(SchemaError::Invalid(_))), "{schema}: {refused:?}");
    }
    for schema in [json!(null), json!(1), json!("x"), json!([])] {
        let refused = compile(&schema).err();
        assert!(matches!(refused, Some(SchemaError::Invalid(_))), "{schema}: {refused:?}");
    }
    pin(&json!(true), &["1", "null"], &[]);
    pin(&json!(false), &[], &["1", "null"]);
}

#[test]
fn a_hostile_pattern_neither_hangs_nor_passes() {
    let text = format!("{}b", "a".repeat(40));
    pin_strings(json!({"pattern": "^(a+)+$"}), &[&"a".repeat(40)], &[&text]);
    pin_strings(json!({"pattern": r"^(a|aa)+$"}), &[&"a".repeat(40)], &[&text]);
    // With a look-around the linear engine is out of the game.
    pin_strings(json!({"pattern": r"^(?=a)(a+)+$"}), &[], &[&text]);
    pin_strings(json!({"pattern": r"^(?=(a+)+$)"}), &[], &[&text]);
    pin_strings(json!({"pattern": r"^((a+)+)\2$"}), &[], &[&text]);
}

#[test]
fn a_million_breaches_are_cut_short() {
    let compiled = compile(&json!({"items": {"type": "string"}})).expect("it is a schema");
    let document = Json::Array(vec![Json::Null; 1_000_000]);
    // Gathering them all would take gigabytes; the first is enough to be told.
    let verdict = compiled.check(&document);
    assert_eq!((verdict.breaches.len(), verdict.more), (1, true));
    assert_eq!(verdict.breaches[0].pointer, "/0");

    let thousand = Json::Array(vec![Json::Null; 1000]);
    let verdict = compiled.check(&thousand);
    assert_eq!((verdict.breaches.len(), verdict.more), (100, true));

    // The errors of a choice are kept inside of it, one for each branch.
    let choice = compile(&json!({"anyOf": [
        {"type": "array", "items": {"type": "string"}},
        {"type": "array", "items": {"type": "integer"}}
    ]}));
    let verdict = choice.expect("it is a schema").check(&document);
    assert_eq!((verdict.breaches.len(), verdict.more), (1, true));
    assert_eq!(
        (verdict.breaches[0].pointer.as_str(), verdict.breaches[0].keyword.as_str()),
        ("", "anyOf")
    );
    // And the next check starts with a full budget.
    assert!(compiled.check(&Json::Array(vec!["a".into(); 20_000])).is_valid());

    let hundred = Json::Array(vec![Json::Null; 100]);
    let verdict = compiled.check(&hundred);
    assert_eq!((verdict.breaches.len(), verdict.more), (100, false));
}
