//! What all programs, servers and tools have in common: they may have done something before they
//! failed, they may send more than we keep, and their output must not reveal a secret.

use std::{borrow::Cow, cmp::Reverse, ffi::OsString, fmt::Display, ops::Range, sync::Arc};

use consign_contracts::json::{self, Json};
use consign_engine::{Data, Effect, Fault, FaultClass, Nanos};
use consign_models::client::SHORTEST_IN_ANSWERS;

/// Looks up environment variables. A test has its own; nothing else here reads the environment.
pub type Environment = Arc<dyn Fn(&str) -> Option<OsString> + Send + Sync>;

/// The environment of this process.
#[must_use]
pub fn environment() -> Environment {
    Arc::new(|name| std::env::var_os(name))
}

/// Texts that must not appear in any output.
pub(crate) type Secrets = Vec<String>;

/// Shorter secrets are not hidden: they occur in ordinary text too, and protect nothing.
const SHORTEST_SECRET: usize = 6;
/// The text that replaces a secret.
const HIDDEN: &str = "***";

/// A fault after the call was begun: `outcome_unknown` where a second call could do harm, else of
/// this class.
pub(crate) fn broken_off(
    effect: Effect,
    class: FaultClass,
    code: &'static str,
    message: String,
) -> Fault {
    match (effect, class) {
        (Effect::Keyed | Effect::Unsafe, _) => Fault::outcome_unknown(code, message),
        (Effect::Pure | Effect::Idempotent, FaultClass::Transient) => {
            Fault::transient(code, message)
        }
        (Effect::Pure | Effect::Idempotent, _) => Fault::permanent(code, message),
    }
}

/// What an attempt cost that was begun and failed: nothing where an answer costs nothing, else it is not known.
pub(crate) fn free(max_cost: Nanos) -> Option<Nanos> {
    max_cost.is_zero().then_some(Nanos::ZERO)
}

/// Bytes from outside, and whether more was cut off at either end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    pub(crate) bytes: Vec<u8>,
    pub(crate) cut: bool,
}

impl From<&str> for Heard {
    fn from(text: &str) -> Self {
        Self { bytes: text.as_bytes().to_vec(), cut: false }
    }
}

/// The end of a text from outside, at most `most` bytes: without secrets and without characters
/// that control a terminal. A secret that was cut in half is not recognised, so where text is
/// missing before the end, as many bytes are left out as the rest of a secret can have.
pub(crate) fn last(heard: &Heard, most: usize, secrets: &Secrets) -> String {
    let end = heard.bytes.len();
    let mut from = if heard.cut { longest(secrets).min(end) } else { 0 };
    while from > 0 && heard.bytes.get(from).is_some_and(goes_on) {
        from += 1;
    }
    let text = tidy(&heard.bytes, from..end, secrets);
    let from = text.ceil_char_boundary(text.len().saturating_sub(most));
    text[from..].to_owned()
}

/// The beginning of a text from outside, at most `most` bytes: without secrets, also where text is
/// missing after it.
pub(crate) fn first(heard: &Heard, most: usize, secrets: &Secrets) -> String {
    let edge = if heard.cut { longest(secrets) } else { 0 };
    let mut until = heard.bytes.len().saturating_sub(edge);
    while until > 0 && heard.bytes.get(until).is_some_and(goes_on) {
        until -= 1;
    }
    let mut text = tidy(&heard.bytes, 0..until, secrets);
    text.truncate(text.floor_char_boundary(most));
    text
}

/// The first words of an answer that could not be read, on one line and in quotation marks. `None`
/// if there is no text.
pub(crate) fn quoted(said: &[u8], secrets: &Secrets) -> Option<String> {
    const LOOKED_AT: usize = 4 << 10;
    const SHOWN: usize = 120;
    let cut = said.len() > LOOKED_AT;
    let heard = Heard { bytes: said[..said.len().min(LOOKED_AT)].to_vec(), cut };
    let text = first(&heard, LOOKED_AT, secrets);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = words.floor_char_boundary(SHOWN);
    let more = if shown < words.len() || cut { "…" } else { "" };
    (!words.is_empty()).then(|| format!("\"{}{more}\"", &words[..shown]))
}

/// The most bytes that can be left of a secret which was cut.
fn longest(secrets: &Secrets) -> usize {
    secrets.iter().map(|secret| secret.len().saturating_sub(1)).max().unwrap_or(0)
}

/// The wanted range of the bytes, as text. A secret that is partly in it is left out as a whole.
fn tidy(bytes: &[u8], wanted: Range<usize>, secrets: &Secrets) -> String {
    let mut text = String::new();
    let mut from = wanted.start;
    let mut tell = |part: &[u8]| text.push_str(&String::from_utf8_lossy(part));
    for place in places(bytes, secrets) {
        if place.end <= wanted.start || place.start >= wanted.end {
            continue;
        }
        tell(bytes.get(from..place.start).unwrap_or_default());
        tell(HIDDEN.as_bytes());
        from = place.end;
    }
    tell(bytes.get(from..wanted.end).unwrap_or_default());
    let clean = |letter: char| match letter {
        '\n' | '\t' => Some(letter),
        '\r' => None,
        letter if letter.is_control() => Some(char::REPLACEMENT_CHARACTER),
        letter => Some(letter),
    };
    text.chars().filter_map(clean).collect()
}

/// Whether a byte continues a UTF-8 character.
fn goes_on(byte: &u8) -> bool {
    (0x80..0xc0).contains(byte)
}

/// Where secrets are. Secrets that touch or overlap become one range, so that none uncovers a part
/// of another.
fn places(bytes: &[u8], secrets: &Secrets) -> Vec<Range<usize>> {
    let told = secrets.iter().map(|secret| secret.as_bytes());
    let mut found: Vec<Range<usize>> = told
        .filter(|secret| secret.len() >= SHORTEST_SECRET)
        .flat_map(|secret| {
            let all = bytes.windows(secret.len()).enumerate();
            all.filter(move |(_, part)| *part == secret).map(|(at, part)| at..at + part.len())
        })
        .collect();
    found.sort_by_key(|place| place.start);
    found.dedup_by(|next, place| {
        let meets = next.start < place.end;
        if meets {
            place.end = place.end.max(next.end);
        }
        meets
    });
    found
}

/// An output without secrets: outputs are kept and shown. Only secrets that are long enough to be
/// recognised are replaced; an output without any stays as it is.
pub(crate) fn hushed(output: Data, secrets: &Secrets) -> Data {
    let mut secrets: Vec<&str> = secrets
        .iter()
        .map(String::as_str)
        .filter(|secret| secret.len() >= SHORTEST_IN_ANSWERS)
        .collect();
    // One may be a part of another.
    secrets.sort_by_key(|secret| Reverse(secret.len()));
    let text = output.as_str().as_bytes();
    let limits = json::Limits { bytes: text.len(), ..json::Limits::default() };
    match json::parse_within(text, limits) {
        Ok(tree) if holds(&tree, &secrets) => Data::from(&without(&tree, &secrets)),
        Ok(_) | Err(_) => output,
    }
}

fn holds(json: &Json<'_>, secrets: &[&str]) -> bool {
    let has = |text: &str| secrets.iter().any(|secret| text.contains(secret));
    match json {
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
        Json::String(text) => has(text),
        Json::Array(items) => items.iter().any(|item| holds(item, secrets)),
        Json::Object(members) => {
            members.iter().any(|(key, value)| has(key) || holds(value, secrets))
        }
    }
}

fn without<'a>(json: &Json<'a>, secrets: &[&str]) -> Json<'a> {
    let clean = |text: &str| {
        let hide = |text: String, secret: &&str| text.replace(secret, HIDDEN);
        Cow::Owned(secrets.iter().fold(text.to_owned(), hide))
    };
    match json {
        Json::Null | Json::Bool(_) | Json::Number(_) => json.clone(),
        Json::String(text) => Json::String(clean(text)),
        Json::Array(items) => {
            Json::Array(items.iter().map(|item| without(item, secrets)).collect())
        }
        Json::Object(members) => {
            let members = members.iter();
            Json::Object(
                members.map(|(key, value)| (clean(key), without(value, secrets))).collect(),
            )
        }
    }
}

/// An error and what caused it, in one line.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // Many errors repeat their cause.
        if !said.contains(&text) {
            said = format!("{said}: {text}");
        }
        cause = error.source();
    }
    said
}

/// Bytes as people read them.
pub(crate) fn size(bytes: u64) -> impl Display {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) if bytes.is_multiple_of(*unit) => format!("{} {name}", bytes / unit),
        Some((unit, name)) => {
            let tenths = u128::from(bytes) * 10 / u128::from(*unit);
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_is_cleaned_cut_and_keeps_no_secret() {
        let secrets = vec!["s3cret-key".to_owned(), "abc".to_owned()];
        let check = |bytes: &[u8], most: usize, kept_last: &str, kept_first: &str| {
            let heard = Heard { bytes: bytes.to_vec(), cut: false };
            assert_eq!(last(&heard, most, &secrets), kept_last);
            assert_eq!(first(&heard, most, &secrets), kept_first);
        };
        check(b"key=s3cret-key\r\n", 99, "key=***\n", "key=***\n");
        check(b"\x1b[31mred\x07", 99, "\u{fffd}[31mred\u{fffd}", "\u{fffd}[31mred\u{fffd}");
        check("aé".as_bytes(), 2, "é", "a");
        check("éa".as_bytes(), 2, "a", "é");
        check(b"\xff", 99, "\u{fffd}", "\u{fffd}");
        // Too short to be one.
        check(b"abc", 99, "abc", "abc");
    }

    #[test]
    fn half_a_secret_at_a_cut_is_not_told() {
        let secrets = vec!["s3cret-këy-of-mine".to_owned(), "s3cret-k".to_owned()];
        let text = "one s3cret-k two s3cret-këy-of-mine three s3cret-këy-of-mines3cret-k four";
        let hidden = "one *** two *** three ****** four";
        let parts = ["s3c", "cret", "-k", "këy", "ëy", "of-mine", "ine"];
        for cut in 0..=text.len() {
            let (before, after) = text.as_bytes().split_at(cut);
            let end = last(&Heard { bytes: after.to_vec(), cut: cut > 0 }, 999, &secrets);
            let start = Heard { bytes: before.to_vec(), cut: cut < text.len() };
            let start = first(&start, 999, &secrets);
            for told in [&end, &start] {
                assert!(!parts.iter().any(|part| told.contains(part)), "{cut}: {told}");
            }
            assert!(hidden.ends_with(&end), "{cut}: {end}");
            assert!(hidden.starts_with(&start), "{cut}: {start}");
        }
    }

    #[test]
    fn secrets_that_meet_are_hidden_together() {
        let check = |secrets: &[&str], text: &str, told: &str| {
            let secrets = secrets.iter().map(|secret| (*secret).to_owned()).collect();
            assert_eq!(last(&text.into(), 999, &secrets), told);
        };
        check(&["secret", "secret-and-more"], "a secret-and-more", "a ***");
        check(&["secret-and-more", "secret"], "a secret, secret-and-more", "a ***, ***");
        check(&["abcdef", "defghi"], "abcdefghi abcdefabcdef", "*** ******");
        check(&["aaaaaa"], "aaaaaaaaa", "***");
    }

    #[test]
    fn an_output_that_repeats_a_secret_loses_it_and_nothing_else() {
        let secrets = ["a-bearer-of-some-length", "a-bearer-of-some-length/\"2\""];
        let secrets = secrets.map(str::to_owned).into();
        let check = |output: &str, told: &str| {
            let output = Data::parse(output).unwrap();
            assert_eq!(hushed(output, &secrets).as_str(), told);
        };
        check(
            r#"{"n": 1.10, "seen": ["Bearer a-bearer-of-some-length", null]}"#,
            r#"{"n":1.10,"seen":["Bearer ***",null]}"#,
        );
        check(r#"{"a-bearer-of-some-length": true}"#, r#"{"***":true}"#);
        // However it is written.
        check(r#""a-bearer-of-some-\u006cength\/\"2\"!""#, r#""***!""#);
        check(r#"{"b":  1.10,  "words": "a bearer"}"#, r#"{"b":  1.10,  "words": "a bearer"}"#);
        let short = vec!["ollama".to_owned()];
        let output = Data::parse(r#""Run ollama first""#).unwrap();
        assert_eq!(hushed(output.clone(), &short), output);
    }

    #[test]
    fn sizes_are_written_for_people() {
        let check = |bytes: u64, text: &str| assert_eq!(size(bytes).to_string(), text);
        check(12, "12 bytes");
        check(1 << 30, "1 GiB");
        check(10 << 20, "10 MiB");
        check(1_600_000, "1.5 MiB");
    }
}
