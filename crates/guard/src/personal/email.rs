//! E-mail addresses, also those written to be read by people only.

use std::sync::LazyLock;

use regex::Regex;

use super::{Hit, PersonalData};

static WRITTEN_OUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)([a-z0-9][a-z0-9._%+-]*)(?:\s?[(\[{<]\s?(?:at|@|arobase|arroba|chiocciola)\s?[)\]}>]\s?)",
        r"([a-z0-9-]+(?:(?:\s?[(\[{<]\s?(?:dot|punkt|point|punto|ponto|\.)\s?[)\]}>]\s?|\.|\s(?:dot|punkt|point|punto|ponto)\s)[a-z0-9-]+)+)",
    ))
    .expect("the pattern is right")
});

static SPOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)\b([a-z0-9][a-z0-9._%+-]*) (?:at|arobase|arroba|chiocciola) ([a-z0-9-]+(?: (?:dot|point|punto|ponto|punkt) [a-z0-9-]+)*",
        r" (?:dot|point|punto|ponto|punkt) (?:com|org|net|edu|gov|io|dev|info|eu|uk|de|fr|es|it|pt|br|nl|ch|at|be|ru|cn|jp))\b",
    ))
    .expect("the pattern is right")
});

/// The longest part before the `@`, and the longest after it.
const LOCAL: usize = 64;
const HOST: usize = 253;

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    for (at, _) in text.match_indices('@') {
        hits.extend(around(text, at));
    }
    let brackets = text.contains(['(', '[', '{', '<']);
    let small = text.to_ascii_lowercase();
    let dots = ["dot", "punkt", "point", "punto", "ponto"].iter().any(|it| small.contains(it));
    for pattern in [brackets.then_some(&WRITTEN_OUT), dots.then_some(&SPOKEN)].into_iter().flatten()
    {
        for found in pattern.captures_iter(text) {
            let (Some(whole), Some(local), Some(host)) = (found.get(0), found.get(1), found.get(2))
            else {
                continue;
            };
            let host = host.as_str().to_lowercase();
            let parts: Vec<&str> = host
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
                .filter(|it| {
                    !it.is_empty() && !["dot", "punkt", "point", "punto", "ponto"].contains(it)
                })
                .collect();
            if parts.len() >= 2 && local.as_str().len() <= LOCAL {
                let local = local.as_str().to_lowercase();
                let canonical = format!("{local}@{}", parts.join("."));
                hits.push(Hit { kind: PersonalData::Email, range: whole.range(), canonical });
            }
        }
    }
}

/// The address around an `@`.
fn around(text: &str, at: usize) -> Option<Hit> {
    let spaced = |it: &str| it.len() - it.trim_end_matches(' ').len();
    // `name @ example.com`: one space at both sides.
    let gap = usize::from(spaced(&text[..at]) == 1 && text[at + 1..].starts_with(' '));
    let local: usize = text[..at - gap]
        .chars()
        .rev()
        .take(LOCAL)
        .take_while(|c| c.is_alphanumeric() || "._%+'-".contains(*c))
        .map(char::len_utf8)
        .sum();
    let rest = &text[at + 1 + gap..];
    let host: usize = rest
        .chars()
        .take(HOST)
        .take_while(|c| c.is_alphanumeric() || ".-".contains(*c))
        .map(char::len_utf8)
        .sum();
    let name = text[at - gap - local..at - gap].trim_start_matches(['.', '\'', '-', '+', '%']);
    let host = host_in(rest[..host].trim_end_matches(['.', '-']))?;
    let whole = !name.is_empty() && !host.starts_with('.') && !host.contains("..");
    whole.then(|| Hit {
        kind: PersonalData::Email,
        range: at - gap - name.len()..at + 1 + gap + host.len(),
        canonical: format!("{name}@{host}").to_lowercase(),
    })
}

/// The longest beginning that ends as a host does. What hangs on to its last part is not of it: `a@example.com2024`, or
/// the number of a note behind the full stop.
fn host_in(mut text: &str) -> Option<&str> {
    loop {
        let (domain, top) = text.rsplit_once('.')?;
        let letters = top.chars().take_while(|c| c.is_alphabetic());
        let (count, length) = letters.fold((0, 0), |(n, length), c| (n + 1, length + c.len_utf8()));
        if count >= 2 {
            return Some(&text[..domain.len() + 1 + length]);
        }
        text = domain;
    }
}
