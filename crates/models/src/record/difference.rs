//! Finds the first difference between a recorded request and the present one, for error messages.

use consign_contracts::json::{self, Json};

/// Describes the first place where `now` differs from what was `recorded`.
pub(super) fn difference(recorded: &[u8], now: &[u8]) -> String {
    match (json::parse(recorded), json::parse(now)) {
        (Ok(recorded), Ok(now)) => walk(&recorded, &now, "")
            .unwrap_or_else(|| "the order or spelling of its members".to_owned()),
        _ => {
            let same = recorded.iter().zip(now).take_while(|(a, b)| a == b).count();
            format!("byte {same}")
        }
    }
}

fn walk(recorded: &Json<'_>, now: &Json<'_>, pointer: &str) -> Option<String> {
    match (recorded, now) {
        (Json::Object(a), Json::Object(b)) => {
            let lost = a.iter().find(|(key, _)| b.get(key).is_none());
            let differs = a.iter().find_map(|(key, value)| {
                walk(value, b.get(key)?, &format!("{pointer}/{}", escaped(key)))
            });
            let added = || b.iter().find(|(key, _)| a.get(key).is_none());
            differs
                .or_else(|| {
                    lost.map(|(key, _)| format!("{pointer}/{}, which is missing now", escaped(key)))
                })
                .or_else(|| {
                    added().map(|(key, _)| format!("{pointer}/{}, which is new", escaped(key)))
                })
        }
        (Json::Array(a), Json::Array(b)) => {
            let both = a.iter().zip(b).enumerate();
            let differs = both.map(|(index, (a, b))| walk(a, b, &format!("{pointer}/{index}")));
            differs.flatten().next().or_else(|| {
                let (was, is) = (a.len(), b.len());
                (was != is).then(|| format!("{pointer}, which had {was} items and has {is}"))
            })
        }
        (a, b) if a == b => None,
        (a, b) => Some(format!("{pointer}: it was {}, and is {}", around(a, b), around(b, a))),
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A short form of a value that begins shortly before the first difference.
fn around(value: &Json<'_>, other: &Json<'_>) -> String {
    const MOST: usize = 60;
    let (text, other) = (value.to_string(), other.to_string());
    let same = text.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let from = if text.chars().count() > MOST { same.saturating_sub(20) } else { 0 };
    let part: String = text.chars().skip(from).take(MOST).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if from + MOST < text.chars().count() { "…" } else { "" };
    format!("{before}{part}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let check = |recorded: &str, now: &str, first: &str| {
            assert_eq!(difference(recorded.as_bytes(), now.as_bytes()), first);
        };
        check(r#"{"a": {"b": [1, 2]}}"#, r#"{"a": {"b": [1, 3]}}"#, "/a/b/1: it was 2, and is 3");
        check(r#"{"a": 1, "b/c": 2}"#, r#"{"a": 1}"#, "/b~1c, which is missing now");
        check(r#"{"a": 1}"#, r#"{"a": 1, "z": 2}"#, "/z, which is new");
        check("[1]", "[1, 2]", ", which had 1 items and has 2");
        check("nonsense", "nonsanse", "byte 4");
        let long = "x".repeat(100);
        let was = format!(r#"{{"p": "{long}a"}}"#);
        let is = format!(r#"{{"p": "{long}b"}}"#);
        assert!(
            difference(was.as_bytes(), is.as_bytes())
                .ends_with("xa\", and is …xxxxxxxxxxxxxxxxxxxxb\"")
        );
    }
}
