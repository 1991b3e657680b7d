//! Finds the shortest text that a schema allows.

use serde_json::Value;

use super::{Rules, pattern};

/// A text of at least so many characters. `vary` asks for another one.
pub(super) fn shortest(rules: &Rules<'_>, least: usize, vary: usize) -> Result<String, String> {
    if let Some(pattern) = rules.keyword("pattern").find_map(Value::as_str) {
        let made = pattern::matching(pattern, least, vary);
        return made.ok_or_else(|| format!("no text was found for the pattern {pattern:?}"));
    }
    let format = rules.keyword("format").find_map(Value::as_str);
    if let Some(made) = format.and_then(|format| formatted(format, vary)) {
        return Ok(made);
    }
    let mut made = if vary == 0 { "text".to_owned() } else { format!("text{vary}") };
    let length = made.chars().count();
    made.extend(std::iter::repeat_n('x', least.saturating_sub(length)));
    let most = rules.keyword("maxLength").filter_map(Value::as_f64).reduce(f64::min);
    if let Some(most) = most.filter(|most| *most < made.len() as f64) {
        // The end of it is what tells it apart.
        made.drain(..made.len() - most.max(0.0) as usize);
    }
    Ok(made)
}

/// A valid text of a format, if it is known.
pub(crate) fn formatted(format: &str, vary: usize) -> Option<String> {
    let small = vary % 60;
    Some(match format {
        "date-time" => format!("2026-01-01T00:00:{small:02}Z"),
        "date" => format!("20{:02}-01-01", 26 + vary % 70),
        "time" => format!("00:00:{small:02}Z"),
        "duration" => format!("PT{}S", vary + 1),
        "email" | "idn-email" => format!("person{vary}@example.com"),
        "hostname" | "idn-hostname" => format!("host{vary}.example.com"),
        "ipv4" => format!("192.0.2.{}", vary % 256),
        "ipv6" => format!("2001:db8::{:x}", vary % 65_536),
        "uri" | "url" | "iri" => format!("https://example.com/{vary}"),
        "uri-reference" | "iri-reference" | "uri-template" => format!("/{vary}"),
        "uuid" => format!("00000000-0000-4000-8000-{vary:012x}"),
        "json-pointer" => format!("/{vary}"),
        "relative-json-pointer" => format!("{vary}/a"),
        "regex" => format!("a{{{vary}}}"),
        _ => return None,
    })
}

/// One text of each known format, to try what a schema accepts.
pub(crate) fn one_of_each_format() -> impl Iterator<Item = String> {
    crate::schema::FORMATS.iter().filter_map(|format| formatted(format, 0))
}
