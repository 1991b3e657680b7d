//! Keys, tokens and passwords: those with a known form, and what stands after a word that announces one.

use std::{ops::Range, sync::LazyLock};

use consign_contracts::secrets;
use regex::Regex;

use super::{Hit, PersonalData};

/// What announces a value, how it is joined to it, and the value.
static ANNOUNCED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i)(?P<word>api[ _-]?key|access[ _-]?key|secret[ _-]?key|auth[ _-]?token|access[ _-]?token|client[ _-]?secret|"#,
        r#"bearer|token|secret|private[ _-]?key|schl\x{fc}ssel|cl\x{e9}|clave|chiave|"#,
        r#"(?P<pass>password|passwd|passphrase|passcode|pwd|passwort|kennwort|mot de passe|contrase\x{f1}a|"#,
        r#"senha|wachtwoord|\x{43f}\x{430}\x{440}\x{43e}\x{43b}\x{44c}|\x{5bc6}\x{7801}|\x{30d1}\x{30b9}\x{30ef}\x{30fc}\x{30c9}))"#,
        r#"[ \t]*["']?[ \t]*(?P<join>=>|:=|=|:|\x{ff1a}|is|ist|lautet|est|es|\x{e8}|\x{e9}|\x{662f}|\x{306f}|-|\x{2014})?[ \t]*["'`\x{201c}]?(?P<value>[^\s"'`\x{201c}\x{201d}<>,;]+)"#,
    ))
    .expect("the pattern is right")
});

/// Where keys of a known form are, in bytes of the text.
pub(super) fn known(text: &str) -> impl Iterator<Item = Range<usize>> {
    secrets::places(text).into_iter()
}

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    for found in ANNOUNCED.captures_iter(text) {
        let Some(value) = found.name("value") else { continue };
        let joined = found.name("join").is_some();
        // A password may end in what a sentence does not.
        let trimmed = value.as_str().trim_end_matches(['.', '?', ')', ']', ':']);
        let held = if found.name("pass").is_some() {
            joined && is_password(trimmed)
        } else {
            (joined || trimmed.len() >= 24) && is_key(trimmed)
        };
        if held {
            let range = value.start()..value.start() + trimmed.len();
            let canonical = trimmed.to_owned();
            hits.push(Hit { kind: PersonalData::Key, range, canonical });
        }
    }
}

fn is_placeholder(value: &str) -> bool {
    let small = value.to_ascii_lowercase();
    let words = [
        "your",
        "example",
        "placeholder",
        "changeme",
        "redacted",
        "secret_name",
        "env.",
        "environ",
        "getenv",
    ];
    value.contains(['$', '{', '(', '*']) && !value.bytes().any(|it| it.is_ascii_digit())
        || value.starts_with(['$', '{', '[', '(', '<', '%'])
        || words.iter().any(|word| small.contains(word))
        || small.bytes().all(|it| it == b'x' || it == b'*' || it == b'.')
}

/// Signs that passwords have and words have not.
pub(super) const SIGNS: [char; 11] = ['!', '@', '#', '$', '%', '^', '&', '*', '+', '~', '='];

/// A word that people read is no password here: it needs two of letters, digits and signs.
fn is_password(value: &str) -> bool {
    let count = value.chars().count();
    let digit = value.chars().any(|c| c.is_ascii_digit());
    let letter = value.chars().any(char::is_alphabetic);
    let sign = value.contains(SIGNS);
    let url = value.contains("://") || value.starts_with('/');
    let kinds = usize::from(digit) + usize::from(letter) + usize::from(sign);
    (6..=128).contains(&count) && kinds >= 2 && (digit || sign) && !is_placeholder(value) && !url
}

/// Random enough to be a key: long, of letters and digits, of many different ones.
fn is_key(value: &str) -> bool {
    let bytes = value.as_bytes();
    let form = bytes.iter().all(|it| it.is_ascii_alphanumeric() || b"_-+/=.~".contains(it));
    let digits = bytes.iter().filter(|it| it.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|it| it.is_ascii_alphabetic()).count();
    let long = (16..=512).contains(&bytes.len());
    form && long && digits >= 3 && letters >= 3 && entropy(bytes) >= 3.0 && !is_placeholder(value)
}

/// Bits per byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let all = bytes.len().max(1) as f64;
    counts
        .iter()
        .filter(|it| **it > 0)
        .map(|it| f64::from(*it) / all)
        .map(|it| -it * it.log2())
        .sum()
}
