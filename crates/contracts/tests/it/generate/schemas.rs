//! Schemas, and documents small enough to meet what they say.

use proptest::{collection::vec, prelude::*, sample::select, sample::subsequence};
use serde_json::{Map, Value, json};

const NAMES: &[&str] = &["a", "b", "c"];

/// Schemas of a few keywords, all well-formed.
pub(crate) fn schema() -> BoxedStrategy<Value> {
    let definitions = (keywords(), keywords());
    (subschema(), definitions)
        .prop_map(|(mut schema, (x, y))| {
            schema["definitions"] = json!({"x": x, "y": y});
            schema
        })
        .boxed()
}

/// Two versions of a schema: strangers, or one the other with a little more to say.
pub(crate) fn versions() -> BoxedStrategy<(Value, Value)> {
    let newer = prop::bool::weighted(0.25);
    (pair_of_versions(), newer, newer)
        .prop_map(|((mut old, mut new), old_is_newer, new_is_newer)| {
            for (schema, newer) in [(&mut old, old_is_newer), (&mut new, new_is_newer)] {
                if newer {
                    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
                }
            }
            (old, new)
        })
        .boxed()
}

fn pair_of_versions() -> BoxedStrategy<(Value, Value)> {
    let related = (schema(), subschema(), 0..4_u8).prop_map(|(schema, more, how)| {
        let mut other = schema.clone();
        match how {
            0 => merge(&mut other, &more),
            1 => other["allOf"] = json!([more]),
            2 => other["properties"]["a"] = more,
            _ => other["anyOf"] = json!([more, {"type": "null"}]),
        }
        (schema, other)
    });
    prop_oneof![
        1 => (schema(), schema()),
        3 => related.clone(),
        3 => related.prop_map(|(one, other)| (other, one)),
    ]
    .boxed()
}

fn merge(schema: &mut Value, more: &Value) {
    if let (Value::Object(schema), Value::Object(more)) = (schema, more) {
        schema.extend(more.clone());
    }
}

fn subschema() -> BoxedStrategy<Value> {
    keywords()
        .prop_recursive(3, 10, 3, |inner| {
            let named = |inner: &BoxedStrategy<Value>| {
                vec((select(NAMES), inner.clone()), 0..3).prop_map(|members| {
                    members
                        .into_iter()
                        .map(|(name, said)| (name.to_owned(), said))
                        .collect::<Map<_, _>>()
                })
            };
            let applied = prop_oneof![
                3 => (named(&inner), keywords()).prop_map(|(properties, mut schema)| {
                    schema["properties"] = properties.into();
                    schema
                }),
                2 => (named(&inner), inner.clone()).prop_map(|(properties, others)| {
                    json!({"properties": properties, "additionalProperties": others})
                }),
                1 => named(&inner).prop_map(|properties| {
                    json!({"properties": properties, "additionalProperties": false})
                }),
                1 => (select(vec!["^a", "^[bc]$", "x"]), inner.clone()).prop_map(|(pattern, said)| {
                    json!({"patternProperties": {pattern: said}})
                }),
                2 => inner.clone().prop_map(|item| json!({"items": item})),
                1 => vec(inner.clone(), 1..3).prop_map(|items| json!({"items": items})),
                1 => inner.clone().prop_map(|item| json!({"contains": item})),
                1 => inner.clone().prop_map(|schema| json!({"not": schema})),
                2 => (select(vec!["anyOf", "allOf", "oneOf"]), vec(inner.clone(), 1..3))
                    .prop_map(|(keyword, branches)| json!({keyword: branches})),
                1 => (inner.clone(), inner.clone(), inner.clone())
                    .prop_map(|(a, b, c)| json!({"if": a, "then": b, "else": c})),
                1 => inner.clone().prop_map(|schema| json!({"propertyNames": schema})),
            ];
            (applied, keywords(), any::<bool>()).prop_map(|(mut applied, more, both)| {
                if both {
                    merge(&mut applied, &more);
                }
                applied
            })
        })
        .boxed()
}

/// A schema of up to three keywords that look no further down.
fn keywords() -> BoxedStrategy<Value> {
    let types = vec!["null", "boolean", "integer", "number", "string", "array", "object"];
    let pair = |keyword: &'static str, value: BoxedStrategy<Value>| {
        value.prop_map(move |value| (keyword, value)).boxed()
    };
    let small = || (-1..=3_i8).prop_map(|half| json!(half)).boxed();
    let limit = || prop_oneof![3 => small(), 1 => Just(json!(0.5)), 1 => Just(json!(-2.5))].boxed();
    let count = || (0..=3_u8).prop_map(Value::from).boxed();
    let keyword = prop_oneof![
        6 => pair("type", select(types.clone()).prop_map(Value::from).boxed()),
        3 => pair("type", subsequence(types, 1..=4).prop_map(Value::from).boxed()),
        3 => pair("enum", vec(leaf(), 1..4).prop_map(distinct).boxed()),
        1 => pair("const", leaf()),
        2 => pair("minimum", limit()),
        2 => pair("maximum", limit()),
        1 => pair("exclusiveMinimum", limit()),
        1 => pair("exclusiveMaximum", limit()),
        1 => pair("multipleOf", select(vec![json!(1), json!(2), json!(0.5)]).boxed()),
        1 => pair("minLength", count()),
        1 => pair("maxLength", count()),
        2 => pair("pattern", select(PATTERNS).prop_map(Value::from).boxed()),
        1 => pair("format", select(vec!["uuid", "date-time"]).prop_map(Value::from).boxed()),
        1 => pair("minItems", count()),
        1 => pair("maxItems", count()),
        1 => pair("uniqueItems", any::<bool>().prop_map(Value::from).boxed()),
        3 => pair("required", subsequence(NAMES, 1..=2).prop_map(Value::from).boxed()),
        1 => pair("minProperties", count()),
        1 => pair("maxProperties", count()),
        1 => pair("additionalProperties", any::<bool>().prop_map(Value::from).boxed()),
        1 => pair("$ref", select(REFERENCES).prop_map(Value::from).boxed()),
    ];
    vec(keyword, 0..4)
        .prop_map(|pairs| {
            pairs
                .into_iter()
                .map(|(keyword, value)| (keyword.to_owned(), value))
                .collect::<Map<_, _>>()
                .into()
        })
        .boxed()
}

const PATTERNS: &[&str] = &["^a", "b$", "^[ab]+$", "^$", "a{2}", r"^\d+$", "^.{1,2}$"];

const REFERENCES: &[&str] = &["#", "#/definitions/x", "#/definitions/y"];

/// `enum` wants each value once, and 1 is 1.0.
fn distinct(values: Vec<Value>) -> Value {
    let mut kept: Vec<Value> = Vec::new();
    for value in values {
        let same = |other: &Value| {
            *other == value || other.as_f64().is_some() && other.as_f64() == value.as_f64()
        };
        if !kept.iter().any(same) {
            kept.push(value);
        }
    }
    kept.into()
}

fn leaf() -> BoxedStrategy<Value> {
    let numbers =
        [json!(-1), json!(0), json!(1), json!(1.0), json!(2), json!(3), json!(0.5), json!(1e300)];
    let texts = ["", "a", "b", "aa", "ab", "ba", "abab", "x", "0", "2026-01-31T12:00:00Z"];
    prop_oneof![
        1 => select(vec![json!(null), json!(true), json!(false), json!([]), json!({})]),
        2 => select(numbers.to_vec()),
        2 => select(texts.to_vec()).prop_map(Value::from),
    ]
    .boxed()
}

/// Documents out of the values that [`schema`] speaks of.
pub(crate) fn small_document() -> BoxedStrategy<Value> {
    leaf()
        .prop_recursive(3, 10, 3, |inner| {
            let name = select(vec!["a", "b", "c", "unknown"]).prop_map(str::to_owned);
            let members = vec((name, inner.clone()), 0..4);
            prop_oneof![
                1 => vec(inner, 0..4).prop_map(Value::from),
                2 => members.prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
        .boxed()
}

/// Schemas with a piece of nonsense in them, and nonsense alone.
pub(crate) fn nonsense() -> BoxedStrategy<Value> {
    let part =
        (schema(), words_for_anything(), any::<bool>()).prop_map(|(mut schema, part, deep)| {
            if deep {
                merge(&mut schema["definitions"]["x"], &part);
            } else {
                merge(&mut schema, &part);
            }
            schema
        });
    prop_oneof![part, words_for_anything()].boxed()
}

/// JSON Schema's own words, and one that is not.
const WORDS: &str = "\
    $schema $id $ref $defs $anchor $dynamicRef $dynamicAnchor definitions type enum const minimum \
    maximum exclusiveMinimum multipleOf minLength maxLength pattern format items prefixItems \
    additionalItems contains minContains uniqueItems minItems properties patternProperties \
    required additionalProperties propertyNames dependencies dependentSchemas anyOf allOf oneOf \
    not if then else unevaluatedProperties unevaluatedItems contentEncoding contentMediaType \
    default a";

/// Text that means something to one keyword or another.
const TEXTS: &str = "\
    # #/ #/definitions/a #a /a a http://[ % ( [z-a] (?=a) string object array integer uuid \
    date-time regex base64 urn:a file:///etc/hosts http://json-schema.org/draft-07/schema# \
    https://json-schema.org/draft/2020-12/schema";

/// Objects that use the words of JSON Schema for anything at all.
fn words_for_anything() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        3 => select(TEXTS.split(' ').collect::<Vec<_>>()).prop_map(Value::from),
        1 => leaf(),
        1 => select(vec![json!(-1), json!(u64::MAX), json!(1e300), json!(1.5)]),
    ];
    let name = select(WORDS.split(' ').collect::<Vec<_>>()).prop_map(str::to_owned);
    let members = move |inner: BoxedStrategy<Value>, most: usize| {
        vec((name.clone(), inner), 0..most)
            .prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>()))
    };
    let inside = members.clone();
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![1 => vec(inner.clone(), 0..3).prop_map(Value::from), 3 => inside(inner, 4)]
    });
    prop_oneof![9 => members(value.clone().boxed(), 6), 1 => value].boxed()
}
