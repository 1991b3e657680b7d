//! The answers that are damaged, each with the schema that it was asked for under.

use std::sync::LazyLock;

use consign_contracts::{
    json::{self, Json},
    schema::Schema,
};
use consign_engine::Data;
use consign_models::repair::Expected;

/// A right answer.
pub(super) struct Base {
    pub(super) truth: Json<'static>,
    schema: Schema,
    source: Data,
    /// Pointers to words of a closed vocabulary.
    pub(super) words: &'static [&'static str],
}

impl Base {
    fn new(truth: &str, source: &str, words: &'static [&'static str]) -> Self {
        let source = Data::parse(source).unwrap();
        let schema = Schema::compile(&source.tree().unwrap()).unwrap();
        let truth = json::parse(truth.as_bytes()).unwrap().into_owned();
        assert!(schema.is_valid(&truth), "{:?}", schema.check(&truth));
        Self { truth, schema, source, words }
    }

    pub(super) fn expected(&self) -> Expected<'_> {
        Expected { schema: &self.schema, source: Some(&self.source) }
    }

    /// As models lay it out: on one line, and over many.
    pub(super) fn layouts(&self) -> [String; 2] {
        [self.truth.to_string(), format!("{:#}", self.truth)]
    }
}

/// A closed record with digits that floats cannot hold; an order of several levels; a record that
/// may always have more; an array of fixed size; strings that look like damage; a chain that refers
/// to itself.
pub(super) static ALL: LazyLock<Vec<Base>> = LazyLock::new(|| {
    vec![
        Base::new(
            r#"{"id": 123456789012345678901234567890, "title": "Café, 日本 and 😀", "state": "open",
                "score": 1.10, "ratio": 1e400, "change": -0.5, "done": false, "owner": null,
                "notes": "line one\nline two\twith a tab", "tags": ["red", "green", "blue"]}"#,
            r#"{"type": "object", "additionalProperties": false,
                "required": ["id", "title", "state", "score", "ratio", "change", "done", "owner", "notes", "tags"],
                "properties": {"id": {"type": "integer"}, "title": {"type": "string"},
                    "state": {"enum": ["open", "closed"]}, "score": {"type": "number"},
                    "ratio": {"type": "number"}, "change": {"type": "number"}, "done": {"type": "boolean"},
                    "owner": {"type": ["string", "null"]}, "notes": {"type": "string"},
                    "tags": {"type": "array", "items": {"enum": ["red", "green", "blue"]}, "maxItems": 3}}}"#,
            &["/state", "/tags/0", "/tags/2"],
        ),
        Base::new(
            r#"{"customer": {"name": "O'Brien", "vip": true},
                "lines": [{"sku": "A-1", "count": 2, "price": 19.99}, {"sku": "B-2", "count": 1, "price": 20.00}],
                "total": {"amount": 59.98, "currency": "EUR"}}"#,
            r##"{"$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object", "additionalProperties": false, "required": ["customer", "lines", "total"],
                "properties": {
                    "customer": {"type": "object", "required": ["name"],
                        "properties": {"name": {"type": "string"}, "vip": {"type": "boolean"}}},
                    "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
                    "total": {"$ref": "#/$defs/money"}},
                "$defs": {
                    "line": {"type": "object", "required": ["sku", "count", "price"],
                        "properties": {"sku": {"type": "string"}, "count": {"type": "integer"}, "price": {"type": "number"}}},
                    "money": {"type": "object", "additionalProperties": false, "required": ["amount", "currency"],
                        "properties": {"amount": {"type": "number"}, "currency": {"enum": ["EUR", "USD"]}}}}}"##,
            &["/total/currency"],
        ),
        Base::new(
            r#"{"summary": "Two findings:\n\n- one open\n- one not\n", "points": ["first\r\nline", "\tsecond"], "meta": {"pages": 12, "rank": "high"}}"#,
            r#"{"type": "object", "required": ["summary"],
                "properties": {"summary": {"type": "string"}, "points": {"type": "array", "items": {"type": "string"}},
                    "meta": {"properties": {"pages": {"type": "integer"}, "rank": {"enum": ["low", "high"]}}}}}"#,
            &["/meta/rank"],
        ),
        Base::new(
            r#"[["north", 1, true], ["east", 20, false], ["south", 300, true]]"#,
            r#"{"type": "array", "minItems": 3, "maxItems": 3,
                "items": {"type": "array", "minItems": 3, "additionalItems": false,
                    "items": [{"enum": ["north", "east", "south"]}, {"type": "integer"}, {"type": "boolean"}]}}"#,
            &["/0/0", "/1/0", "/2/0"],
        ),
        Base::new(
            r#"{"body": "```json\n{\"a\": [1, 2,]}\n```", "html": "<think>[1]</think> {\"b\": 2}",
                "path": "C:\\dir\\", "quote": "She said \"yes\", then: {no} // why?", "it's": "it's",
                "level": "low"}"#,
            r#"{"type": "object", "additionalProperties": false,
                "required": ["body", "html", "path", "quote", "it's", "level"],
                "properties": {"body": {"type": "string"}, "html": {"type": "string"}, "path": {"type": "string"},
                    "quote": {"type": "string"}, "it's": {"type": "string"}, "level": {"enum": ["low", "high"]}}}"#,
            &["/level"],
        ),
        Base::new(
            r#"{"name": "root", "size": 7, "child": {"name": "twig", "size": 5, "child":
                {"name": "leaf", "size": 3, "child": null}}}"#,
            r##"{"type": "object", "additionalProperties": false, "required": ["name", "size", "child"],
                "properties": {"name": {"enum": ["root", "twig", "leaf"]}, "size": {"type": "integer"},
                    "child": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}}"##,
            &["/name", "/child/name", "/child/child/name"],
        ),
    ]
});
