//! Valid documents.

use std::borrow::Cow;

use consign_contracts::json::{Json, Object};
use proptest::{collection::vec, prelude::*, sample::select, strategy::Union};

use super::{
    keywords::{assert_known, bound, length, list, names, properties, types},
    scalar::{anything, formatted, matching, number, sized_text, text},
};

/// Our own keyword: members that an alternative must not have.
const ABSENT: &str = "x-absent";

/// Names that something between text and type might take for its own.
const ODD_NAMES: &[&str] =
    &["extra", "", "/", "~", "a/b", "~0~1", "type", "$ref", "__proto__", "0"];

/// Documents that a schema allows.
pub(crate) fn valid(schema: &Json<'static>) -> BoxedStrategy<Json<'static>> {
    assert_known(schema);
    let alternatives = alternatives(schema);
    assert!(!alternatives.is_empty(), "a published schema allows something");
    Union::new(alternatives.iter().map(without_conditions)).boxed()
}

fn without_conditions(schema: &Json<'static>) -> BoxedStrategy<Json<'static>> {
    if let Some(only) = schema.get("const") {
        return Just(only.clone()).boxed();
    }
    if schema.get("enum").is_some() {
        return select(list(schema, "enum").to_vec()).boxed();
    }
    if schema.get("type").is_none() {
        return anything();
    }
    Union::new(types(schema).into_iter().map(|kind| of_type(schema, kind))).boxed()
}

fn of_type(schema: &Json<'static>, kind: &str) -> BoxedStrategy<Json<'static>> {
    let (low, high) = (bound(schema, "minimum"), bound(schema, "maximum"));
    match kind {
        "null" => Just(Json::Null).boxed(),
        "boolean" => any::<bool>().prop_map(Json::Bool).boxed(),
        "integer" => number(low, high, true),
        "number" => number(low, high, false),
        "string" => match (schema.get("pattern"), schema.get("format")) {
            (Some(pattern), _) => {
                let pattern = pattern.as_str().expect("a pattern is text");
                matching(pattern, length(schema, "maxLength"))
            }
            (_, Some(format)) => formatted(format.as_str().expect("a format is text")),
            (None, None) => {
                sized_text(length(schema, "minLength").unwrap_or(0), length(schema, "maxLength"))
            }
        },
        "array" => {
            let least = length(schema, "minItems").unwrap_or(0);
            // Lists in lists soon grow beyond all measure.
            let most = length(schema, "maxItems").map_or(least + 2, |most| most.min(least + 4));
            let item = schema.get("items").map_or_else(anything, valid);
            let unique = schema.get("uniqueItems") == Some(&Json::Bool(true));
            vec(item, least..=most)
                .prop_filter("an item is there twice", move |items| !unique || differ(items))
                .prop_map(Json::Array)
                .boxed()
        }
        "object" => object(schema),
        other => panic!("no such type: {other}"),
    }
}

/// Whether no two items are the same.
fn differ(items: &[Json<'_>]) -> bool {
    items.iter().enumerate().all(|(at, item)| !items[..at].contains(item))
}

/// Members in any order, optional ones there or not, unknown ones where they are allowed.
fn object(schema: &Json<'static>) -> BoxedStrategy<Json<'static>> {
    let required = names(schema, "required");
    let known: Vec<BoxedStrategy<Option<(String, Json<'static>)>>> = properties(schema)
        .map(|(name, said)| {
            let name = name.to_owned();
            let needed = required.contains(&name.as_str());
            let member = valid(said).prop_map(move |value| (name.clone(), value));
            if needed {
                member.prop_map(Some).boxed()
            } else {
                proptest::option::of(member).boxed()
            }
        })
        .collect();
    let unknown = match schema.get("additionalProperties") {
        Some(Json::Bool(false)) => None,
        None | Some(Json::Bool(true)) => Some(anything()),
        Some(said) => Some(valid(said)),
    };
    let name = prop_oneof![text(), select(ODD_NAMES).prop_map(str::to_owned)];
    let others = match unknown {
        Some(value) => vec((name, value), 0..3).boxed(),
        None => Just(Vec::new()).boxed(),
    };
    let mut taken: Vec<String> = properties(schema).map(|(name, _)| name.to_owned()).collect();
    taken.extend(names(schema, ABSENT).into_iter().map(str::to_owned));
    let members = (known, others).prop_map(move |(known, others)| {
        let others = others.into_iter().filter(|(name, _)| !taken.contains(name));
        known.into_iter().flatten().chain(others).collect::<Vec<_>>()
    });
    let object = |members: Vec<(String, Json<'static>)>| {
        let members = members.into_iter().map(|(name, value)| (Cow::Owned(name), value));
        Json::Object(members.collect())
    };
    members.prop_shuffle().prop_map(object).boxed()
}

/// The schema once for each way to satisfy its `anyOf`, its `if` and those in its `allOf`, with
/// what that way demands written into `required`, `properties` and [`ABSENT`].
fn alternatives(schema: &Json<'static>) -> Vec<Json<'static>> {
    let mut base = schema.as_object().expect("it was asserted").clone();
    for keyword in ["anyOf", "allOf", "if", "then", "else"] {
        base.remove(keyword);
    }
    let mut found = vec![base];
    for said in std::iter::once(schema).chain(list(schema, "allOf")) {
        let any_of = list(said, "anyOf");
        if !any_of.is_empty() {
            let with = |one: &Object<'static>| {
                any_of.iter().filter_map(|branch| narrowed(one, branch)).collect::<Vec<_>>()
            };
            found = found.iter().flat_map(with).collect();
        }
        if let Some(condition) = said.get("if") {
            let branch = |one: Option<Object<'static>>, keyword| match (one, said.get(keyword)) {
                (Some(one), Some(branch)) => narrowed(&one, branch),
                (one, _) => one,
            };
            let with = |one: &Object<'static>| {
                let yes = branch(narrowed(one, condition), "then");
                [yes, branch(avoiding(one, condition), "else")].into_iter().flatten()
            };
            found = found.iter().flat_map(with).collect();
        }
    }
    found.into_iter().map(Json::Object).collect()
}

/// The schema where another one holds too. `None` where both cannot hold.
fn narrowed(schema: &Object<'static>, by: &Json<'static>) -> Option<Object<'static>> {
    let mut schema = schema.clone();
    let mut required =
        schema.get("required").map(|list| list.as_array().unwrap_or_default().to_vec());
    for name in list(by, "required") {
        let required = required.get_or_insert_default();
        if !required.contains(name) {
            required.push(name.clone());
        }
    }
    if let Some(required) = required {
        schema.set("required", Json::Array(required));
    }
    for (name, said) in properties(by) {
        let member = member_of(&mut schema, name);
        for (keyword, value) in said.as_object().expect("it was asserted").iter() {
            if keyword != "const" {
                member.set(keyword.to_owned(), value.clone());
            } else if member.get("enum").and_then(Json::as_array)?.contains(value) {
                member.set("enum", Json::Array(vec![value.clone()]));
            } else {
                return None;
            }
        }
    }
    Some(schema)
}

/// The schema where another one does not hold: by a member's value where it speaks of one, by the
/// member's absence where it only asks for it. `None` where it must hold.
fn avoiding(schema: &Object<'static>, by: &Json<'static>) -> Option<Object<'static>> {
    let mut schema = schema.clone();
    if let ([name], None) = (list(by, "required"), by.get("properties")) {
        let Some(Json::Object(members)) = schema.get_mut("properties") else { return None };
        members.remove(name.as_str()?);
        schema.set(ABSENT, Json::Array(vec![name.clone()]));
    }
    for (name, said) in properties(by) {
        let Some(Json::Array(words)) = member_of(&mut schema, name).get_mut("enum") else {
            return None;
        };
        words.retain(|word| Some(word) != said.get("const"));
        if words.is_empty() {
            return None;
        }
    }
    Some(schema)
}

fn member_of<'a>(schema: &'a mut Object<'static>, name: &str) -> &'a mut Object<'static> {
    match schema.get_mut("properties") {
        Some(Json::Object(members)) => match members.get_mut(name) {
            Some(Json::Object(member)) => member,
            _ => panic!("a condition speaks of `{name}`, which is no property"),
        },
        _ => panic!("a condition speaks of an object without properties"),
    }
}
