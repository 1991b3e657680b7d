//! `consign contracts compat`

use serde_json::{Value, json};

use crate::support::{Consign, Folder, Outcome, consign, keys, text};

const RESPONSE: &str = "job/agent-response";

/// Compares two schemas, for programs.
fn compat(folder: &Folder, old: &Value, new: &Value) -> Outcome {
    let old = folder.file("old.json", old.to_string());
    let new = folder.file("new.json", new.to_string());
    consign(["contracts", "compat", "orders/order", &old, &new, "--json"])
}

/// A closed object with these properties, of which some are required.
fn closed(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Old, new, and what changed between them.
fn broken() -> Vec<(&'static str, Value, Value)> {
    let string = json!({"type": "string"});
    let integer = json!({"type": "integer"});
    let a = json!({"a": string});
    let ab = json!({"a": string, "b": integer});
    vec![
        ("a field becomes required", closed(a.clone(), &[]), closed(a.clone(), &["a"])),
        ("a field is removed", closed(ab.clone(), &[]), closed(a.clone(), &[])),
        ("a field is renamed", closed(a.clone(), &["a"]), closed(json!({"c": string}), &["c"])),
        ("a new field is required", closed(a.clone(), &[]), closed(ab.clone(), &["b"])),
        ("an open object is closed", json!({"type": "object"}), closed(a.clone(), &[])),
        ("an enum is narrowed", json!({"enum": ["a", "b"]}), json!({"enum": ["a"]})),
        ("a type changes", string.clone(), integer.clone()),
        ("null is forbidden", json!({"type": ["string", "null"]}), string.clone()),
        ("a minimum is raised", json!({"minimum": 0}), json!({"minimum": 0.5})),
        ("a bound becomes exclusive", json!({"maximum": 9}), json!({"exclusiveMaximum": 9})),
        ("a text gets shorter", json!({"maxLength": 40}), json!({"maxLength": 39})),
        ("a pattern is added", string.clone(), json!({"type": "string", "pattern": "^[a-f]+$"})),
        ("a format is added", string.clone(), json!({"type": "string", "format": "date-time"})),
        ("a list must not be empty", json!({"type": "array"}), json!({"minItems": 1})),
        ("items are tightened", json!({"items": {"type": "number"}}), json!({"items": integer})),
        ("a choice is lost", json!({"anyOf": [string, integer]}), integer.clone()),
        (
            "a bound deep inside is tightened",
            json!({"properties": {"lines": {"items": {"properties": {"count": {"minimum": 0}}}}}}),
            json!({"properties": {"lines": {"items": {"properties": {"count": {"minimum": 1}}}}}}),
        ),
        (
            "the newer draft is stricter",
            json!({"type": "array"}),
            json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "array",
                "prefixItems": [integer],
            }),
        ),
    ]
}

#[test]
fn every_counter_example_is_valid_under_old_and_not_under_new() {
    for (change, old, new) in broken() {
        let folder = Folder::new();
        let run = compat(&folder, &old, &new);
        assert_eq!(run.code, Some(1), "{change}: {run:#?}");
        let answer = run.json();
        assert_eq!(keys(&answer), ["breaches", "contract", "counter_example", "verdict"]);
        assert_eq!(text(&answer, "verdict"), "incompatible", "{change}");
        assert_eq!(text(&answer, "contract"), "orders/order");

        let example = folder.file("example.json", answer["counter_example"].to_string());
        let check = |schema: &str| {
            let schema = folder.path().join(schema).into_os_string();
            let args = ["contracts", "check", "--json", "--schema"].map(Into::into);
            consign(args.into_iter().chain([schema, example.clone().into()]))
        };
        assert_eq!(check("old.json").json()["breaches"], json!([]), "{change}: {answer}");
        let refused = check("new.json").exits(1).json();
        assert_eq!(refused["breaches"], answer["breaches"], "{change}");
    }
}

#[test]
fn what_only_widens_is_compatible() {
    let string = json!({"type": "string"});
    let cases = [
        ("nothing changes", json!({"type": "object"}), json!({"type": "object"})),
        (
            "a field becomes optional",
            closed(json!({"a": string}), &["a"]),
            closed(json!({"a": string}), &[]),
        ),
        ("a field is added", closed(json!({}), &[]), closed(json!({"a": string}), &[])),
        (
            "a closed object is opened",
            closed(json!({"a": string}), &[]),
            json!({"properties": {"a": string}}),
        ),
        ("an enum is widened", json!({"enum": ["a"]}), json!({"enum": ["a", "b"]})),
        ("an integer becomes a number", json!({"type": "integer"}), json!({"type": "number"})),
        ("a minimum is lowered", json!({"minimum": 1}), json!({"minimum": 0})),
        ("items are loosened", json!({"items": string}), json!({"items": {}})),
        ("an equal pattern stays", json!({"pattern": "^a+$"}), json!({"pattern": "^a+$"})),
    ];
    for (change, old, new) in cases {
        let run = compat(&Folder::new(), &old, &new);
        assert_eq!(run.code, Some(0), "{change}: {run:#?}");
        assert_eq!(run.json(), json!({"contract": "orders/order", "verdict": "compatible"}));
    }
}

#[test]
fn what_cannot_be_decided_is_unknown_and_no_licence() {
    let (old, new) = (json!({"pattern": "^aa*$"}), json!({"pattern": "^a+$"}));
    let answer = compat(&Folder::new(), &old, &new).exits(1).json();
    assert_eq!(keys(&answer), ["contract", "reason", "verdict"]);
    assert_eq!(text(&answer, "verdict"), "unknown");
    assert!(!text(&answer, "reason").is_empty());
}

#[test]
fn in_a_pipe_the_verdict_stands_in_the_first_line() {
    let folder = Folder::new();
    let wide = folder.file("wide.json", r#"{"enum": ["a", "b"]}"#);
    let narrow = folder.file("narrow.json", r#"{"enum": ["a"]}"#);
    let (aa, a) = (
        folder.file("aa.json", r#"{"pattern": "^aa*$"}"#),
        folder.file("a.json", r#"{"pattern": "^a+$"}"#),
    );
    for (old, new, word, code) in [
        (&narrow, &wide, "compatible", 0),
        (&wide, &narrow, "incompatible", 1),
        (&aa, &a, "unknown", 1),
    ] {
        let run = consign(["contracts", "compat", "orders", old, new]).exits(code);
        assert_eq!(run.stdout.lines().next(), Some(format!("orders: {word}").as_str()));
        assert_eq!(run.stderr, "");
        if word == "incompatible" {
            assert!(run.stdout.contains("\"b\""), "the example is not shown: {run:#?}");
            assert!(run.stdout.contains("(document)\tenum\t"), "nor its breach: {run:#?}");
        }
    }
}

#[test]
fn an_at_sign_is_the_published_schema() {
    let folder = Folder::new();
    let schema = consign(["contracts", "show", RESPONSE]).exits(0).stdout;
    let same = folder.file("same.json", &schema);
    let mut stricter: Value = serde_json::from_str(&schema).expect("a schema is JSON");
    stricter["properties"]["action"]["enum"] = json!(["COMPLETED", "STUCK"]);
    let stricter = folder.file("stricter.json", stricter.to_string());
    for (old, new, code) in
        [("@", "@", 0), ("@", &same, 0), (&same, "@", 0), (&stricter, "@", 0), ("@", &stricter, 1)]
    {
        consign(["contracts", "compat", RESPONSE, old, new]).exits(code);
    }
    let answer = consign(["contracts", "compat", RESPONSE, "@", &stricter, "--json"]).json();
    assert_eq!(answer["counter_example"]["action"], json!("RETRY"));
    let example = answer["counter_example"].to_string();
    Consign::new(["contracts", "check", RESPONSE]).stdin(example).run().exits(0);
}

#[test]
fn an_at_sign_wants_a_name_that_is_published() {
    let folder = Folder::new();
    let schema = folder.file("schema.json", "true");
    consign(["contracts", "compat", "@", &schema]).fails(2, "USAGE").telling("its name is missing");
    consign(["contracts", "compat", &schema, &schema]).exits(0);
    consign(["contracts", "compat", "orders", "@", &schema]).fails(2, "CONTRACT_UNKNOWN");
    consign(["contracts", "compat", "orders", &schema, "@"]).fails(2, "CONTRACT_UNKNOWN");
    consign(["contracts", "compat", "orders", &schema, &schema]).exits(0);
}

#[test]
fn a_schema_that_cannot_be_used_is_an_error_that_names_it() {
    let folder = Folder::new();
    let good = folder.file("good.json", "true");
    for (content, reason) in [
        ("{", "not JSON"),
        ("", "empty"),
        (r#"{"a": 1, "a": 1}"#, "duplicate key"),
        (r#"{"type": "text"}"#, "not a JSON Schema"),
        (r#"{"$schema": "http://json-schema.org/draft-04/schema#"}"#, "leave `$schema` out"),
        (r#"{"$ref": "http://example.com/a.json"}"#, "copy what it refers to"),
    ] {
        let bad = folder.file("bad.json", content);
        for (old, new) in [(&bad, &good), (&good, &bad), (&bad, &bad)] {
            for json in [&[][..], &["--json"]] {
                consign([&["contracts", "compat", "orders", old, new], json].concat())
                    .fails(1, "SCHEMA_UNUSABLE")
                    .telling(&bad)
                    .telling(reason);
            }
        }
    }
    let missing = folder.path().join("missing.json");
    let missing = missing.to_str().expect("a plain name");
    consign(["contracts", "compat", "orders", &good, missing])
        .fails(1, "FILE_UNREADABLE")
        .telling(missing);
}

#[test]
fn one_schema_may_come_from_standard_input_and_not_both() {
    let folder = Folder::new();
    let integer = folder.file("integer.json", r#"{"type": "integer"}"#);
    let run = |old: &str, new: &str| {
        let args = ["contracts", "compat", "orders", old, new];
        Consign::new(args).stdin(r#"{"type": "number"}"#).run()
    };
    run(&integer, "-").exits(0);
    run("-", &integer).exits(1);
    run("-", "-").fails(2, "USAGE").telling("standard input");
}

#[test]
fn both_schemas_must_be_given() {
    consign(["contracts", "compat"]).fails(2, "USAGE");
    consign(["contracts", "compat", "only.json"]).fails(2, "USAGE");
    consign(["contracts", "compat", RESPONSE, "@"]).fails(1, "FILE_UNREADABLE");
}
