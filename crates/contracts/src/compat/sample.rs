//! Values worth trying at a place, and whole documents to start from.

use serde_json::{Map, Number, Value, json};

use super::{hints::Hints, pattern};

/// Longer strings and arrays are not built, whatever a bound says.
const LONGEST: u64 = 200_000;
const MOST_ITEMS: u64 = 10_000;

const MOST_OPTIONS: usize = 500;

/// Recursive schemas stop here.
const DEEPEST: usize = 6;

/// How a document is filled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fill {
    /// Only what must be there.
    Required,
    /// Every member that is spoken of.
    Everything,
}

/// One value that is likely to be valid. The validator has the last word.
pub(super) fn instance(hints: &Hints<'_>, fill: Fill, depth: usize) -> Value {
    let values = || hints.keyword("const").chain(hints.keyword("enum").filter_map(first));
    if let Some(value) = values().next() {
        return value.clone();
    }
    let kind = hints.keyword("type").find_map(|kind| match kind {
        Value::String(kind) => Some(kind.as_str()),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    });
    match kind.unwrap_or_else(|| implied_kind(hints)) {
        "object" => object(hints, fill, depth),
        "array" => {
            let one = u64::from(fill == Fill::Everything || depth == 0);
            let wanted = bound(hints, "minItems").unwrap_or(0).max(one);
            let length = wanted.min(bound(hints, "maxItems").unwrap_or(u64::MAX)).min(MOST_ITEMS);
            if depth >= DEEPEST {
                return json!([]);
            }
            (0..length)
                .map(|at| instance(&hints.item(usize::try_from(at).unwrap_or(0)), fill, depth + 1))
                .collect()
        }
        "string" => strings(hints).into_iter().next().unwrap_or_default().into(),
        "integer" | "number" => number(hints),
        "boolean" => json!(true),
        _ => Value::Null,
    }
}

fn first(options: &Value) -> Option<&Value> {
    options.as_array()?.first()
}

/// What a schema without a type seems to be about.
fn implied_kind(hints: &Hints<'_>) -> &'static str {
    let says = |keywords: &[&str]| keywords.iter().any(|word| hints.keyword(word).next().is_some());
    if says(&["properties", "required", "additionalProperties", "minProperties"]) {
        "object"
    } else if says(&["items", "minItems", "maxItems", "contains"]) {
        "array"
    } else if says(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
        "number"
    } else if says(&["minLength", "maxLength", "pattern", "format"]) {
        "string"
    } else {
        "null"
    }
}

fn object(hints: &Hints<'_>, fill: Fill, depth: usize) -> Value {
    let required: Vec<&str> = hints
        .keyword("required")
        .filter_map(Value::as_array)
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let names = hints.member_names().into_iter();
    let wanted = names.filter(|name| fill == Fill::Everything || required.contains(name));
    let mut members = Map::new();
    if depth < DEEPEST {
        for name in wanted {
            members.insert(name.to_owned(), instance(&hints.member(name), fill, depth + 1));
        }
    }
    let least = bound(hints, "minProperties").unwrap_or(0).min(MOST_ITEMS);
    for number in 0.. {
        if members.len() as u64 >= least || depth >= DEEPEST {
            break;
        }
        let name = format!("member{number}");
        let value = instance(&hints.member(&name), fill, depth + 1);
        members.insert(name, value);
    }
    Value::Object(members)
}

fn number(hints: &Hints<'_>) -> Value {
    let step = hints.keyword("multipleOf").find_map(Value::as_f64).unwrap_or(1.0);
    let least = |keyword| hints.keyword(keyword).filter_map(Value::as_f64).reduce(f64::max);
    let most = |keyword| hints.keyword(keyword).filter_map(Value::as_f64).reduce(f64::min);
    let low = least("minimum").map(|low| (low / step).ceil());
    let above = least("exclusiveMinimum").map(|low| (low / step).floor() + 1.0);
    let high = most("maximum").map(|high| (high / step).floor());
    let below = most("exclusiveMaximum").map(|high| (high / step).ceil() - 1.0);
    let low = low.into_iter().chain(above).reduce(f64::max).unwrap_or(f64::MIN);
    let high = high.into_iter().chain(below).reduce(f64::min).unwrap_or(f64::MAX);
    tidy(0.0_f64.max(low).min(high) * step)
}

/// A whole float as an integer, so that it reads as one.
fn tidy(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return json!(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn bound(hints: &Hints<'_>, keyword: &str) -> Option<u64> {
    hints.keyword(keyword).filter_map(Value::as_u64).max()
}

/// Values at which the schemas could change their mind about this place.
pub(super) fn candidates(hints: &Hints<'_>) -> Vec<Value> {
    let mut values = vec![
        Value::Null,
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-1),
        json!(0.5),
        json!(1e300),
        json!([]),
        json!({}),
        json!({"unknown": null}),
    ];
    for keyword in ["const", "default"] {
        values.extend(hints.keyword(keyword).cloned());
    }
    for keyword in ["enum", "examples"] {
        for options in hints.keyword(keyword).filter_map(Value::as_array) {
            // Of a very long list the ends; the algebra sees the rest.
            let (head, tail) = options.split_at(options.len().min(MOST_OPTIONS));
            values.extend(head.iter().chain(tail.iter().rev().take(MOST_OPTIONS)).cloned());
        }
    }
    values.extend(strings(hints).into_iter().map(Value::from));
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
        for limit in hints.keyword(keyword).filter_map(Value::as_f64) {
            values.extend([-1.0, -0.5, 0.0, 0.5, 1.0].map(|by| tidy(limit + by)));
            values.extend([2.0, 3.0].map(|times| tidy(limit * times)));
        }
    }
    for fill in [Fill::Required, Fill::Everything] {
        values.push(instance(hints, fill, 1));
    }
    values
}

/// Array lengths at which the schemas could change their mind.
pub(super) fn lengths(hints: &Hints<'_>) -> Vec<usize> {
    let limits = hints.keyword("minItems").chain(hints.keyword("maxItems"));
    let around = limits
        .filter_map(Value::as_u64)
        .flat_map(|limit| [limit.saturating_sub(1), limit, limit.saturating_add(1)]);
    let mut lengths: Vec<usize> = around
        .chain([0, 1, 2])
        .filter(|length| *length <= MOST_ITEMS)
        .filter_map(|length| usize::try_from(length).ok())
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Strings worth trying, those that fit most of what is said first.
fn strings(hints: &Hints<'_>) -> Vec<String> {
    let limits = hints.keyword("minLength").chain(hints.keyword("maxLength"));
    let mut lengths: Vec<u64> = limits
        .filter_map(Value::as_u64)
        .flat_map(|limit| [limit.saturating_sub(1), limit, limit.saturating_add(1)])
        .filter(|length| *length <= LONGEST)
        .collect();
    lengths.sort_unstable();
    lengths.dedup();

    let mut texts = Vec::new();
    let patterns = hints.keyword("pattern").filter_map(Value::as_str);
    texts.extend(patterns.flat_map(pattern::matches));
    texts.extend(hints.keyword("format").filter_map(Value::as_str).filter_map(formatted));
    // Where there is a least length, what is long enough comes first.
    let least = bound(hints, "minLength").unwrap_or(0);
    let (long, short): (Vec<u64>, Vec<u64>) = lengths.iter().partition(|length| **length >= least);
    let repeated = |length: u64| "x".repeat(usize::try_from(length).unwrap_or(0));
    texts.extend(long.into_iter().map(repeated));
    texts.extend(["x", "text", ""].map(str::to_owned));
    texts.extend(short.into_iter().map(repeated));
    texts.extend(FORMATTED.iter().map(|(_, text)| (*text).to_owned()));
    let fits = |text: &String| text.chars().count() as u64 >= least;
    let (mut fitting, others): (Vec<_>, Vec<_>) = texts.into_iter().partition(fits);
    fitting.extend(others);
    fitting
}

fn formatted(format: &str) -> Option<String> {
    FORMATTED.iter().find(|(name, _)| *name == format).map(|(_, text)| (*text).to_owned())
}

/// A valid text for each format that we know.
const FORMATTED: &[(&str, &str)] = &[
    ("date-time", "2026-01-31T12:00:00Z"),
    ("date", "2026-01-31"),
    ("time", "12:00:00Z"),
    ("duration", "P1D"),
    ("email", "a@example.com"),
    ("hostname", "example.com"),
    ("ipv4", "127.0.0.1"),
    ("ipv6", "::1"),
    ("uri", "https://example.com/a"),
    ("uri-reference", "/a"),
    ("uuid", "550e8400-e29b-41d4-a716-446655440000"),
    ("json-pointer", "/a/b"),
    ("regex", "^a$"),
];
