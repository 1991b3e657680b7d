//! The shortest text that a schema allows.

use serde_json::{Map, Value};

use super::{count, pattern};

pub(super) fn text(members: &Map<String, Value>, vary: usize) -> Result<String, String> {
    let least = count(members, "minLength")?;
    let most = match members.get("maxLength") {
        Some(_) => count(members, "maxLength").unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    if let Some(Value::String(pattern)) = members.get("pattern") {
        let made = pattern::matching(pattern, least, vary);
        return made.ok_or_else(|| format!("no text was found for the pattern {pattern:?}"));
    }
    if let Some(made) =
        members.get("format").and_then(Value::as_str).and_then(|it| formatted(it, vary))
    {
        return Ok(made);
    }
    let mut made = if vary == 0 { "text".to_owned() } else { format!("text{vary}") };
    while made.chars().count() < least {
        made.push('x');
    }
    if made.chars().count() > most {
        // The end of it is what tells it apart.
        let skip = made.chars().count() - most;
        made = made.chars().skip(skip).collect();
    }
    Ok(made)
}

fn formatted(format: &str, vary: usize) -> Option<String> {
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
        "uri-reference" | "iri-reference" => format!("/{vary}"),
        "uri-template" => format!("/{vary}"),
        "uuid" => format!("00000000-0000-4000-8000-{vary:012x}"),
        "json-pointer" => format!("/{vary}"),
        "relative-json-pointer" => format!("{vary}/a"),
        "regex" => format!("a{{{vary}}}"),
        _ => return None,
    })
}
