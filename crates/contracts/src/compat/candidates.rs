//! Values worth trying at a place of a document, to find one that only the old schema accepts.

use serde_json::{Value, json};

use crate::sample::{self, Builder, Fill, Rules};

/// Longer strings and arrays are not built, whatever a bound says.
const LONGEST: u64 = 200_000;
const MOST_ITEMS: u64 = 10_000;

const MOST_OPTIONS: usize = 500;

/// Values at which the schemas could begin to differ about this place.
pub(super) fn candidates(rules: &Rules<'_>) -> Vec<Value> {
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
        values.extend(rules.keyword(keyword).cloned());
    }
    for keyword in ["enum", "examples"] {
        for options in rules.keyword(keyword).filter_map(Value::as_array) {
            // Of a very long list the ends; the algebra sees the rest.
            let (head, tail) = options.split_at(options.len().min(MOST_OPTIONS));
            values.extend(head.iter().chain(tail.iter().rev().take(MOST_OPTIONS)).cloned());
        }
    }
    values.extend(strings(rules).into_iter().map(Value::from));
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
        for limit in rules.keyword(keyword).filter_map(Value::as_f64) {
            values.extend([-1.0, -0.5, 0.0, 0.5, 1.0].map(|by| number(limit + by)));
            values.extend([2.0, 3.0].map(|times| number(limit * times)));
        }
    }
    for fill in [Fill::Required, Fill::Everything] {
        values.push(Builder::likely(fill).build_anyway(rules, 1));
    }
    values
}

/// Array lengths at which the schemas could begin to differ.
pub(super) fn lengths(rules: &Rules<'_>) -> Vec<usize> {
    let limits = rules.keyword("minItems").chain(rules.keyword("maxItems"));
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
fn strings(rules: &Rules<'_>) -> Vec<String> {
    let limits = rules.keyword("minLength").chain(rules.keyword("maxLength"));
    let mut lengths: Vec<u64> = limits
        .filter_map(Value::as_u64)
        .flat_map(|limit| [limit.saturating_sub(1), limit, limit.saturating_add(1)])
        .filter(|length| *length <= LONGEST)
        .collect();
    lengths.sort_unstable();
    lengths.dedup();

    let mut texts = Vec::new();
    let patterns = rules.keyword("pattern").filter_map(Value::as_str);
    texts.extend(patterns.flat_map(sample::matches));
    let formats = rules.keyword("format").filter_map(Value::as_str);
    texts.extend(formats.filter_map(|format| sample::formatted(format, 0)));
    // Where there is a least length, what is long enough comes first.
    let least = rules.keyword("minLength").filter_map(Value::as_u64).max().unwrap_or(0);
    let (long, short): (Vec<u64>, Vec<u64>) = lengths.iter().partition(|length| **length >= least);
    let repeated = |length: u64| "x".repeat(usize::try_from(length).unwrap_or(0));
    texts.extend(long.into_iter().map(repeated));
    texts.extend(["x", "text", ""].map(str::to_owned));
    texts.extend(short.into_iter().map(repeated));
    texts.extend(sample::one_of_each_format());
    let fits = |text: &String| text.chars().count() as u64 >= least;
    let (mut fitting, others): (Vec<_>, Vec<_>) = texts.into_iter().partition(fits);
    fitting.extend(others);
    fitting
}

fn number(value: f64) -> Value {
    sample::tidy(value).to_serde()
}
