//! Schemas as providers can enforce them.
//!
//! Providers that bind an answer to a schema know only a part of JSON Schema, and refuse the rest
//! with an error. So a schema is written anew in their part, or not at all. Whatever fits the new one
//! has the form of the old one: objects that say nothing of other members are closed, and annotations
//! go. For Anthropic, bounds that it cannot enforce move into the description, where the model reads
//! them. No member is made required that was not: a model would have to invent it.
//!
//! An answer is checked against the real contract afterwards, whatever the provider enforced.

use consign_contracts::json::{Json, Object};
use consign_engine::Data;

/// What a provider enforces.
struct Rules {
    keeps: &'static [&'static str],
    /// Left out, and said in the description.
    tells: &'static [&'static str],
    formats: &'static [&'static str],
    all_required: bool,
    recursion: bool,
    most_optional: usize,
    most_unions: usize,
    depth: usize,
}

const OPENAI: Rules = Rules {
    keeps: &[
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
    ],
    tells: &[],
    formats: &[
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uuid",
    ],
    all_required: true,
    recursion: true,
    most_optional: 0,
    most_unions: 1000,
    depth: 10,
};

const ANTHROPIC: Rules = Rules {
    keeps: &[],
    tells: &[
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "uniqueItems",
        "format",
    ],
    formats: &[
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "uri",
        "ipv4",
        "ipv6",
        "uuid",
    ],
    all_required: false,
    recursion: false,
    most_optional: 24,
    most_unions: 16,
    depth: 32,
};

/// The schema for OpenAI's strict mode, if it can be had there without a change of meaning.
pub(super) fn strict(schema: &Data) -> Option<Data> {
    rewritten(schema, &OPENAI)
}

/// The schema for Anthropic's structured outputs, without the bounds that are not enforced there.
pub(super) fn loosened(schema: &Data) -> Option<Data> {
    rewritten(schema, &ANTHROPIC)
}

fn rewritten(schema: &Data, rules: &'static Rules) -> Option<Data> {
    if schema.as_str().len() > 100_000 {
        return None;
    }
    let root = schema.tree().ok()?;
    // Both want an object at the root.
    root.get("type").filter(|kind| kind.as_str() == Some("object"))?;
    let mut walk =
        Walk { root: &root, rules, within: None, refs: Vec::new(), optional: 0, unions: 0 };
    let written = walk.schema(&root, 0)?;
    let fits = walk.optional <= rules.most_optional && walk.unions <= rules.most_unions;
    let flat = rules.recursion || !is_cyclic(&walk.refs);
    (fits && flat).then(|| Data::from(&written))
}

struct Walk<'r> {
    root: &'r Json<'r>,
    rules: &'static Rules,
    /// The definition that is being written.
    within: Option<String>,
    /// Which definition refers to which.
    refs: Vec<(Option<String>, String)>,
    optional: usize,
    unions: usize,
}

impl Walk<'_> {
    fn schema(&mut self, json: &Json<'_>, depth: usize) -> Option<Json<'static>> {
        let object = json.as_object().filter(|_| depth <= self.rules.depth)?;
        if let Some(target) = object.get("$ref") {
            // What stands beside a reference has no meaning in draft-07.
            return self.reference(target.as_str()?);
        }
        let mut out = Object::new();
        let mut told = Vec::new();
        for (key, value) in object.iter() {
            let kept = match key {
                "$schema" | "$id" | "$comment" | "title" | "default" | "examples" => continue,
                "description" | "required" => value.clone().into_owned(),
                "type" => {
                    self.unions += usize::from(value.as_array().is_some());
                    value.clone().into_owned()
                }
                "enum" => {
                    let plain = value.as_array()?.iter().all(is_plain);
                    plain.then(|| value.clone().into_owned())?
                }
                "const" => is_plain(value).then(|| value.clone().into_owned())?,
                "properties" => self.each(value.as_object()?, depth + 1)?,
                "$defs" | "definitions" if depth == 0 => {
                    self.definitions(key, value.as_object()?)?
                }
                "items" => self.schema(value, depth + 1)?,
                "anyOf" if depth > 0 => {
                    self.unions += 1;
                    let branches = value.as_array()?.iter();
                    Json::Array(
                        branches.map(|one| self.schema(one, depth + 1)).collect::<Option<_>>()?,
                    )
                }
                "additionalProperties" => {
                    Some(Json::Bool(false)).filter(|closed| value == closed)?
                }
                "format" if self.rules.formats.contains(&value.as_str()?) => {
                    value.clone().into_owned()
                }
                // Their patterns cannot look around.
                "pattern" if value.as_str()?.contains("(?") && self.rules.tells.is_empty() => {
                    return None;
                }
                _ if self.rules.keeps.contains(&key) => value.clone().into_owned(),
                _ if self.rules.tells.contains(&key) => {
                    told.push(format!("{key}: {value}"));
                    continue;
                }
                _ => return None,
            };
            out.set(key.to_owned(), kept);
        }
        if !["type", "enum", "const", "anyOf"].iter().any(|key| out.get(key).is_some()) {
            return None;
        }
        if !told.is_empty() {
            let before = out.get("description").and_then(Json::as_str).unwrap_or_default();
            let told = format!("{before} ({})", told.join(", ")).trim_start().to_owned();
            out.set("description", Json::String(told.into()));
        }
        if takes(&out, "object") {
            self.close(&mut out)?;
        }
        // An array that says nothing of its items is free, which cannot be enforced.
        (!takes(&out, "array") || out.get("items").is_some()).then_some(Json::Object(out))
    }

    fn each(&mut self, members: &Object<'_>, depth: usize) -> Option<Json<'static>> {
        let mut out = Object::new();
        for (name, schema) in members.iter() {
            out.set(name.to_owned(), self.schema(schema, depth)?);
        }
        Some(Json::Object(out))
    }

    fn definitions(&mut self, key: &str, members: &Object<'_>) -> Option<Json<'static>> {
        let mut out = Object::new();
        for (name, schema) in members.iter() {
            self.within = Some(format!("#/{key}/{name}"));
            out.set(name.to_owned(), self.schema(schema, 1)?);
        }
        self.within = None;
        Some(Json::Object(out))
    }

    fn reference(&mut self, target: &str) -> Option<Json<'static>> {
        let pointer = target.strip_prefix('#')?;
        let to_root = pointer.is_empty() && self.rules.recursion;
        let is_local = pointer.starts_with("/$defs/") || pointer.starts_with("/definitions/");
        self.root.at(pointer).filter(|_| to_root || is_local)?;
        self.refs.push((self.within.clone(), target.to_owned()));
        let mut out = Object::new();
        out.set("$ref", Json::String(target.to_owned().into()));
        Some(Json::Object(out))
    }

    /// Other members than those named can neither be enforced nor be done without, if they are what
    /// the object is for.
    fn close(&mut self, out: &mut Object<'static>) -> Option<()> {
        let names: Vec<&str> = out.get("properties")?.as_object()?.keys().collect();
        let required = out.get("required").and_then(Json::as_array).unwrap_or_default();
        let known = |name: &Json<'_>| name.as_str().is_some_and(|name| names.contains(&name));
        if names.is_empty() || !required.iter().all(known) {
            return None;
        }
        let optional = names.len().saturating_sub(required.len());
        if self.rules.all_required && optional > 0 {
            return None;
        }
        self.optional += optional;
        out.set("additionalProperties", Json::Bool(false));
        Some(())
    }
}

fn takes(schema: &Object<'_>, kind: &str) -> bool {
    let says = |json: &Json<'_>| json.as_str() == Some(kind);
    let is = schema.get("type").is_some_and(|kinds| {
        says(kinds) || kinds.as_array().is_some_and(|kinds| kinds.iter().any(says))
    });
    is || kind == "object" && schema.get("properties").is_some()
}

fn is_plain(json: &Json<'_>) -> bool {
    !matches!(json, Json::Array(_) | Json::Object(_))
}

/// Takes away definitions that refer to nothing that is left, until none is left or none can go.
fn is_cyclic(refs: &[(Option<String>, String)]) -> bool {
    let mut edges: Vec<(&str, &str)> =
        refs.iter().filter_map(|(from, to)| Some((from.as_deref()?, to.as_str()))).collect();
    loop {
        let from: std::collections::HashSet<&str> = edges.iter().map(|edge| edge.0).collect();
        let before = edges.len();
        edges.retain(|(_, to)| from.contains(to));
        if edges.len() == before {
            return !edges.is_empty();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &str, expected_strict: Option<&str>, expected_loose: Option<&str>) {
        let schema = Data::parse(schema).unwrap();
        let text = |data: Option<Data>| data.map(|data| data.as_str().to_owned());
        assert_eq!(text(strict(&schema)).as_deref(), expected_strict, "strict {schema:?}");
        assert_eq!(text(loosened(&schema)).as_deref(), expected_loose, "loose {schema:?}");
    }

    #[test]
    fn a_schema_of_plain_parts_is_enforced_by_both() {
        let closed = r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}"#;
        check(closed, Some(closed), Some(closed));
        check(
            r#"{"$schema":"x","title":"T","type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#,
            Some(closed),
            Some(closed),
        );
    }

    #[test]
    fn members_that_may_be_left_out_are_never_made_required() {
        let open = r#"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}"#;
        check(open, None, Some(open));
    }

    #[test]
    fn bounds_that_are_not_enforced_are_told() {
        check(
            r#"{"type":"object","properties":{"a":{"type":"string","minLength":1,"description":"A."}},"required":["a"]}"#,
            None,
            Some(
                r#"{"type":"object","properties":{"a":{"type":"string","description":"A. (minLength: 1)"}},"required":["a"],"additionalProperties":false}"#,
            ),
        );
        let numbers = r#"{"type":"object","properties":{"a":{"type":"number","minimum":0}},"required":["a"],"additionalProperties":false}"#;
        check(
            numbers,
            Some(numbers),
            Some(
                r#"{"type":"object","properties":{"a":{"type":"number","description":"(minimum: 0)"}},"required":["a"],"additionalProperties":false}"#,
            ),
        );
    }

    #[test]
    fn what_nobody_enforces_is_not_asked_for() {
        for schema in [
            r#"{"type":"object"}"#,
            r#"{"type":"array","items":{"type":"string"}}"#,
            r#"{"type":"object","properties":{"a":{"type":"object","additionalProperties":true}},"required":["a"]}"#,
            r#"{"type":"object","properties":{"a":{}},"required":["a"]}"#,
            r#"{"type":"object","properties":{"a":true},"required":["a"]}"#,
            r#"{"type":"object","properties":{"a":{"type":"array"}},"required":["a"]}"#,
            r#"{"type":"object","properties":{"a":{"oneOf":[{"type":"string"}]}},"required":["a"]}"#,
            r##"{"type":"object","properties":{"a":{"$ref":"http://x/y"}},"required":["a"]}"##,
            r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}},"required":["a"]}"##,
            r#"{"type":"object","properties":{"a":{"enum":[[1]]}},"required":["a"]}"#,
            r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}"#,
            r#"true"#,
            r#"7"#,
        ] {
            check(schema, None, None);
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_is_only_openais() {
        let tree = r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"required":["a"],"$defs":{"n":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/n"}}},"required":["kids"],"additionalProperties":false}},"additionalProperties":false}"##;
        check(tree, Some(tree), None);
        let flat = tree.replace(r##""items":{"$ref":"#/$defs/n"}"##, r#""items":{"type":"null"}"#);
        check(&flat, Some(&flat), Some(&flat));
    }

    #[test]
    fn a_schema_too_deep_or_too_wide_is_not_asked_for() {
        let mut deep = r#"{"type":"string"}"#.to_owned();
        for _ in 0..40 {
            deep = format!(r#"{{"type":"object","properties":{{"a":{deep}}},"required":["a"]}}"#);
        }
        check(&deep, None, None);
        let wide: Vec<String> = (0..30).map(|n| format!(r#""m{n}":{{"type":"null"}}"#)).collect();
        check(&format!(r#"{{"type":"object","properties":{{{}}}}}"#, wide.join(",")), None, None);
    }
}
