//! Reading schemas.

use consign_contracts::json::{Json, Object};

/// The types that a schema allows; all of them where it names none.
pub(super) fn types<'a>(schema: &'a Json<'_>) -> Vec<&'a str> {
    match schema.get("type") {
        None => vec!["null", "boolean", "number", "string", "array", "object"],
        Some(Json::String(one)) => vec![one],
        Some(many) => many.as_array().into_iter().flatten().filter_map(Json::as_str).collect(),
    }
}

/// A list of names, such as `required` has.
pub(super) fn names<'a>(schema: &'a Json<'_>, keyword: &str) -> Vec<&'a str> {
    let list = schema.get(keyword).and_then(Json::as_array).unwrap_or_default();
    list.iter().filter_map(Json::as_str).collect()
}

pub(super) fn list<'a>(schema: &'a Json<'static>, keyword: &str) -> &'a [Json<'static>] {
    schema.get(keyword).and_then(Json::as_array).unwrap_or_default()
}

pub(super) fn properties<'a>(
    schema: &'a Json<'static>,
) -> impl Iterator<Item = (&'a str, &'a Json<'static>)> {
    schema.get("properties").and_then(Json::as_object).into_iter().flat_map(Object::iter)
}

/// A bound. All of ours are whole.
pub(super) fn bound(schema: &Json<'_>, keyword: &str) -> Option<i64> {
    let limit = schema.get(keyword)?.as_number().and_then(|number| number.as_i64());
    Some(limit.expect("bounds are whole numbers"))
}

pub(super) fn length(schema: &Json<'_>, keyword: &str) -> Option<usize> {
    bound(schema, keyword).map(|limit| usize::try_from(limit).expect("lengths are not negative"))
}

/// Whether the condition of an `if` holds, for the two forms that we use.
pub(super) fn holds(condition: &Json<'static>, document: &Json<'_>) -> bool {
    let present = names(condition, "required").iter().all(|name| document.get(name).is_some());
    present
        && properties(condition).all(|(name, said)| {
            let expected = said.get("const").expect("a condition on a member is a constant");
            document.get(name).is_none_or(|member| member == expected)
        })
}

/// Panics on a keyword that the generators do not know.
pub(super) fn assert_known(schema: &Json<'_>) {
    const KNOWN: &[&str] = &[
        "$schema",
        "title",
        "description",
        "default",
        "type",
        "enum",
        "const",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "items",
        "minItems",
        "maxItems",
        "uniqueItems",
        "properties",
        "required",
        "additionalProperties",
        "anyOf",
        "allOf",
        "if",
        "then",
        "else",
    ];
    let object = schema.as_object().expect("no published schema is a boolean");
    for keyword in object.keys() {
        assert!(KNOWN.contains(&keyword), "teach the generators about `{keyword}`");
    }
}
