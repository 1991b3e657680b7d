//! What all programs outside have in common, however they are reached: they may have done something
//! before they failed, they say more than we keep, and they must not make us repeat a secret.

use std::{ffi::OsString, fmt::Display, sync::Arc};

use consign_engine::{Effect, Fault, FaultClass, Nanos};

/// Where variables are looked up. A test has its own; nothing else here reads the environment.
pub type Environment = Arc<dyn Fn(&str) -> Option<OsString> + Send + Sync>;

/// The environment of this process.
#[must_use]
pub fn environment() -> Environment {
    Arc::new(|name| std::env::var_os(name))
}

/// Text that must not be told to anybody.
pub(crate) type Secrets = Vec<String>;

/// What is shorter than this is found in innocent text too, and protects nothing.
const SHORTEST_SECRET: usize = 6;
/// What stands where a secret was.
const HIDDEN: &str = "***";

/// A fault after something was begun: where a second try could do harm, nobody knows whether it
/// happened; elsewhere it is of this class.
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

/// What a reply costs that comes from somebody who does not say: what was declared.
pub(crate) fn declared(max_cost: Option<Nanos>) -> Nanos {
    max_cost.unwrap_or(Nanos::ZERO)
}

/// The end of a text from outside, at most so many bytes: without secrets and without characters that
/// steer a terminal.
pub(crate) fn last(bytes: &[u8], most: usize, secrets: &Secrets) -> String {
    let text = tidy(bytes, secrets);
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..].to_owned()
}

/// Likewise its beginning.
pub(crate) fn first(bytes: &[u8], most: usize, secrets: &Secrets) -> String {
    let mut text = tidy(bytes, secrets);
    let mut until = most.min(text.len());
    while !text.is_char_boundary(until) {
        until -= 1;
    }
    text.truncate(until);
    text
}

fn tidy(bytes: &[u8], secrets: &Secrets) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    for secret in secrets.iter().filter(|secret| secret.len() >= SHORTEST_SECRET) {
        if text.contains(secret.as_str()) {
            text = text.replace(secret.as_str(), HIDDEN);
        }
    }
    let clean = |letter: char| match letter {
        '\n' | '\t' => Some(letter),
        '\r' => None,
        letter if letter.is_control() => Some(char::REPLACEMENT_CHARACTER),
        letter => Some(letter),
    };
    text.chars().filter_map(clean).collect()
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
            assert_eq!(last(bytes, most, &secrets), kept_last);
            assert_eq!(first(bytes, most, &secrets), kept_first);
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
    fn sizes_are_written_for_people() {
        let check = |bytes: u64, text: &str| assert_eq!(size(bytes).to_string(), text);
        check(12, "12 bytes");
        check(1 << 30, "1 GiB");
        check(10 << 20, "10 MiB");
        check(1_600_000, "1.5 MiB");
    }
}
