//! Addresses of machines. Versions, numbers of sections and times are none.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};

use regex::Regex;

use super::{Hit, PersonalData, before, has_word};

static V4: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?-u)[0-9]{1,3}(?:\.|\[\.\])[0-9]{1,3}(?:\.|\[\.\])[0-9]{1,3}(?:\.|\[\.\])[0-9]{1,3}",
    )
    .expect("the pattern is right")
});
static V6: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)[0-9a-f]{0,4}:[0-9a-f:]+(?:[0-9.]+)?").expect("the pattern is right")
});

const OTHER: &[&str] = &[
    "version",
    "versions",
    "v",
    "ver",
    "release",
    "releases",
    "build",
    "firmware",
    "section",
    "sections",
    "chapter",
    "clause",
    "paragraph",
    "article",
    "figure",
    "table",
    "item",
    "step",
    "oid",
    "abschnitt",
    "kapitel",
    "ziffer",
    "punkt",
    "absatz",
    "artikel",
    "chapitre",
    "article",
    "paragraphe",
    "secci\u{f3}n",
    "seccion",
    "cap\u{ed}tulo",
    "sezione",
    "capitolo",
    "articolo",
    "sec",
    "\u{a7}",
    "update",
    "upgrade",
    "patch",
    "driver",
    "chrome",
    "\u{432}\u{435}\u{440}\u{441}\u{438}\u{44f}",
    "\u{7248}\u{672c}",
];

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    for found in V4.find_iter(text) {
        let range = found.range();
        let beside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let (left, right) = (&text[..range.start], &text[range.end..]);
        let mut next = right.chars();
        let longer = match next.next() {
            Some('.') => next.next().is_some_and(|c| c.is_ascii_digit()),
            Some(c) => c.is_alphanumeric() || c == '_' || c == '-' && beside(next.next()),
            None => false,
        };
        let in_longer = left.ends_with(['.', '-']) || beside(left.chars().next_back()) || longer;
        let Ok(address) = found.as_str().replace(['[', ']'], "").parse::<Ipv4Addr>() else {
            continue;
        };
        let context = before(text, range.start, 16);
        let context = context.rsplit([',', ';']).next().unwrap_or_default();
        if !in_longer
            && !is_nobodys(address)
            && !has_word(context, OTHER)
            && !context.ends_with("\u{a7} ")
        {
            let canonical = IpAddr::V4(address).to_string();
            hits.push(Hit { kind: PersonalData::Ip, range, canonical });
        }
    }
    for found in V6.find_iter(text) {
        let written = found.as_str().trim_end_matches([':', '.']);
        let written = if found.as_str().ends_with("::") { found.as_str() } else { written };
        let range = found.start()..found.start() + written.len();
        let Ok(address) = written.parse::<Ipv6Addr>() else { continue };
        // `a::b` names a function, `::1` everybody's own machine.
        let groups = written.split(':').filter(|it| !it.is_empty()).count();
        let digits = written.bytes().any(|it| it.is_ascii_digit());
        if groups >= 3 && digits && !super::is_in_word(text, &range) && !address.is_loopback() {
            hits.push(Hit { kind: PersonalData::Ip, range, canonical: address.to_string() });
        }
    }
}

/// Addresses that every machine has, and masks.
fn is_nobodys(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    let mask = bits.leading_ones() + bits.trailing_zeros() == 32 && bits.leading_ones() >= 8;
    address.is_loopback()
        || address.is_unspecified()
        || address.is_broadcast()
        || mask
        || address.octets()[0] == 0
}
