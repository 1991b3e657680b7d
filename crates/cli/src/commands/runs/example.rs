//! A value that an answer's schema allows, to show how an answer is typed.

use consign_contracts::sample;
use consign_engine::Data;

/// An answer that would be taken, if one is easily found and short enough to be typed.
pub(super) fn answer(schema: &Data) -> Option<String> {
    if matches!(schema.as_str(), "{}" | "true") {
        // Anything is an answer, so that one of them says little.
        return None;
    }
    let sample = sample::shown(&schema.tree().ok()?).ok()?.to_string();
    Some(sample).filter(|text| text.len() <= 120)
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
        check(r#"{"type":"integer","default":7}"#, Some("7"));
        check(r#"{"type":"string"}"#, Some(r#""…""#));
        check(r#"{"type":"string","pattern":"^[a-z]+$"}"#, None);
        check(r#"{"type":"array","minItems":1}"#, Some(r#"["…"]"#));
        check("{}", None);
        check(r#"{"$ref":"http://elsewhere"}"#, None);
    }
}
