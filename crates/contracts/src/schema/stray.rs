//! Finds unknown keywords and formats in a schema, most of them typing mistakes.
//!
//! JSON Schema lets unknown keywords pass, so `propertys` quietly checks nothing.

use crate::json::Json;

/// What is wrong with the words of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strays {
    pub words: Vec<Stray>,
    /// It is an object with members, and none of them is a keyword: most likely no schema at all.
    pub nothing_known: bool,
}

/// An unknown keyword or format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// The schema that has it.
    pub pointer: String,
    pub word: String,
    /// What was probably meant.
    pub near: Option<&'static str>,
}

/// Finds the words that have no meaning in drafts 7 and 2020-12.
#[must_use]
pub fn stray_words(schema: &Json<'_>) -> Strays {
    let mut strays = Strays::default();
    if let Json::Object(object) = schema {
        let known = object.keys().any(|key| KEYWORDS.contains(&key));
        strays.nothing_known = !object.is_empty() && !known;
    }
    walk(schema, "", &mut strays.words);
    strays
}

/// How many are listed: finding what was meant takes time.
const MOST_STRAYS: usize = 20;

fn walk(schema: &Json<'_>, pointer: &str, words: &mut Vec<Stray>) {
    let Json::Object(keywords) = schema else { return };
    for (keyword, value) in keywords.iter() {
        if words.len() >= MOST_STRAYS {
            return;
        }
        let below = format!("{pointer}/{}", keyword.replace('~', "~0").replace('/', "~1"));
        // By convention a word for some tool, not for us.
        if !KEYWORDS.contains(&keyword) && !keyword.starts_with("x-") {
            let near = closest(keyword, KEYWORDS);
            words.push(Stray { pointer: pointer.to_owned(), word: keyword.to_owned(), near });
        }
        match (keyword, value) {
            ("format", Json::String(format)) if !FORMATS.contains(&format.as_ref()) => {
                let near = closest(format, FORMATS);
                words.push(Stray { pointer: below, word: format.to_string(), near });
            }
            (_, Json::Object(members)) if MAPS_OF_SCHEMAS.contains(&keyword) => {
                for (name, schema) in members.iter() {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    walk(schema, &format!("{below}/{name}"), words);
                }
            }
            (_, Json::Array(schemas)) if LISTS_OF_SCHEMAS.contains(&keyword) => {
                for (index, schema) in schemas.iter().enumerate() {
                    walk(schema, &format!("{below}/{index}"), words);
                }
            }
            (_, Json::Object(_)) if SCHEMAS.contains(&keyword) => walk(value, &below, words),
            _ => {}
        }
    }
}

/// The known word that differs least, if it differs little.
fn closest(word: &str, known: &[&'static str]) -> Option<&'static str> {
    if word.len() > 40 {
        return None;
    }
    let near = known.iter().map(|other| (strsim::normalized_levenshtein(word, other), *other));
    near.filter(|(likeness, _)| *likeness > 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}

const SCHEMAS: &[&str] = &[
    "items",
    "additionalItems",
    "contains",
    "additionalProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
const LISTS_OF_SCHEMAS: &[&str] = &["allOf", "anyOf", "oneOf", "items", "prefixItems"];
const MAPS_OF_SCHEMAS: &[&str] =
    &["properties", "patternProperties", "definitions", "$defs", "dependentSchemas"];

/// Every keyword of the two drafts, annotations too.
const KEYWORDS: &[&str] = &[
    "$schema",
    "$id",
    "$ref",
    "$comment",
    "$defs",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$vocabulary",
    "$recursiveRef",
    "$recursiveAnchor",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "type",
    "enum",
    "const",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "items",
    "prefixItems",
    "additionalItems",
    "contains",
    "minContains",
    "maxContains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "unevaluatedItems",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
];

/// Every format of the two drafts.
pub(crate) const FORMATS: &[&str] = &[
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn words(schema: &str) -> Vec<(String, String, Option<&'static str>)> {
        let schema = parse(schema.as_bytes()).unwrap();
        let strays = stray_words(&schema).words.into_iter();
        strays.map(|stray| (stray.pointer, stray.word, stray.near)).collect()
    }

    #[test]
    fn a_typing_mistake_is_found_where_it_stands() {
        let found =
            words(r#"{"type":"object","properties":{"a/b":{"minlength":1,"format":"datetime"}}}"#);
        assert_eq!(found[0], ("/properties/a~1b".into(), "minlength".into(), Some("minLength")));
        assert_eq!(found[1].2, Some("date-time"));
        assert_eq!(words(r#"{"propertys":{}}"#)[0].2, Some("properties"));
    }

    #[test]
    fn names_of_members_are_no_keywords() {
        let quiet = r#"{"properties":{"propertys":{},"typ":true},"enum":[{"foo":1}],"x-tool":1,
            "definitions":{"anything":{"const":{"bar":2}}},"default":{"baz":3}}"#;
        assert_eq!(words(quiet), []);
    }

    #[test]
    fn our_own_schemas_have_none() {
        for contract in crate::Contract::all() {
            assert_eq!(stray_words(&contract.source()), Strays::default(), "{}", contract.name);
        }
    }

    #[test]
    fn a_document_is_no_schema() {
        let document = parse(br#"{"id":"a","qty":2}"#).unwrap();
        assert!(stray_words(&document).nothing_known);
        assert!(!stray_words(&parse(b"{}").unwrap()).nothing_known);
        assert!(!stray_words(&parse(b"true").unwrap()).nothing_known);
    }
}
