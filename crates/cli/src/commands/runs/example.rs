//! A value that an answer's schema allows, to show how an answer is typed.

use consign_contracts::{
    json::{Json, Object},
    schema::Schema,
};
use consign_engine::Data;

/// An answer that would be taken, if one is easily found and short enough to be typed.
pub(super) fn answer(schema: &Data) -> Option<String> {
    let tree = schema.tree().ok()?;
    let sample = value(&tree, 0)?;
    let fits = Schema::compile(&tree).is_ok_and(|schema| schema.is_valid(&sample));
    Some(sample.to_string()).filter(|text| fits && text.len() <= 120)
}

fn value<'a>(schema: &Json<'a>, depth: usize) -> Option<Json<'a>> {
    if depth > 4 {
        return None;
    }
    if let Some(only) = schema.get("const") {
        return Some(only.clone());
    }
    if let Some(words) = schema.get("enum").and_then(Json::as_array) {
        return words.first().cloned();
    }
    if let Some(usual) = schema.get("default") {
        return Some(usual.clone());
    }
    let kind = match schema.get("type") {
        Some(Json::Array(kinds)) => kinds.first().and_then(Json::as_str),
        Some(kind) => kind.as_str(),
        None if schema.get("properties").is_some() => Some("object"),
        None => None,
    };
    match kind? {
        "boolean" => Some(Json::Bool(true)),
        "string" => Some(Json::from("…")),
        "integer" | "number" => {
            Some(schema.get("minimum").cloned().unwrap_or(Json::Number(1_u64.into())))
        }
        "null" => Some(Json::Null),
        "array" => Some(Json::Array(Vec::new())),
        "object" => members(schema, depth).map(Json::Object),
        _ => None,
    }
}

/// The members that must be there.
fn members<'a>(schema: &Json<'a>, depth: usize) -> Option<Object<'a>> {
    let mut object = Object::new();
    for name in schema.get("required").and_then(Json::as_array).unwrap_or_default() {
        let name = name.as_str()?;
        let of = schema.get("properties").and_then(|all| all.get(name))?;
        object.set(name.to_owned(), value(of, depth + 1)?);
    }
    Some(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_what_the_schema_allows_or_nothing() {
        let check = |schema: &str, sample: Option<&str>| {
            let schema = Data::parse(schema).unwrap();
            assert_eq!(answer(&schema).as_deref(), sample, "{schema:?}");
        };
        check(r#"{"type":"boolean"}"#, Some("true"));
        check(r#"{"enum":["yes","no"]}"#, Some(r#""yes""#));
        check(
            r#"{"type":"object","properties":{"go_on":{"const":true},"why":{}},"required":["go_on"]}"#,
            Some(r#"{"go_on":true}"#),
        );
        check(r#"{"type":"integer","minimum":5}"#, Some("5"));
        check(r#"{"type":"string","pattern":"^[a-z]+$"}"#, None);
        check(r#"{"type":"array","minItems":1}"#, None);
        check("{}", None);
        check(r#"{"$ref":"http://elsewhere"}"#, None);
    }
}
