//! International bank account numbers: a country's length, and mod 97.

use std::sync::LazyLock;

use regex::Regex;

use super::{Hit, PersonalData, is_in_word};

static FORM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)[a-z]{2}[ -]?[0-9]{2}(?:[ .-]?[a-z0-9]){11,32}")
        .expect("the pattern is right")
});

/// The lengths that the registry of IBANs lists.
const LENGTHS: &[(usize, &str)] = &[
    (15, "NO"),
    (16, "BE"),
    (18, "DK FI FO GL NL SD FK"),
    (19, "MK SI"),
    (20, "AT BA EE KZ LT LU MN XK"),
    (21, "CH HR LI LV"),
    (22, "BG BH CR DE GB GE IE ME RS VA"),
    (23, "AE GI IL IQ OM TL SO"),
    (24, "AD CZ ES MD PK RO SA SE SK TN VG"),
    (25, "LY PT ST"),
    (26, "IS TR"),
    (27, "FR GR IT MC MR SM BI DJ"),
    (28, "AL AZ BY CY DO GT HU LB NI PL SV"),
    (29, "BR EG PS QA UA"),
    (30, "JO KW MU YE"),
    (31, "MT SC"),
    (32, "LC"),
    (33, "RU"),
];

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    let mut from = 0;
    while let Some(found) = FORM.find_at(text, from) {
        // The form takes letters of the words that follow, so its end is where the country says.
        match cut(text, found.start()) {
            Some(hit) => {
                from = hit.range.end;
                hits.push(hit);
            }
            // Another may begin within: `IBAN DE89 …`, written without its colon.
            None => from = found.start() + 1,
        }
    }
}

fn cut(text: &str, start: usize) -> Option<Hit> {
    let country = text.get(start..start + 2)?.to_ascii_uppercase();
    let length = LENGTHS.iter().find(|(_, of)| of.split(' ').any(|it| it == country))?.0;
    let mut canonical = String::with_capacity(length);
    let mut end = start;
    for (at, c) in text[start..].char_indices().take(3 * length) {
        if c.is_ascii_alphanumeric() {
            canonical.push(c.to_ascii_uppercase());
        } else if !" .-".contains(c) {
            break;
        }
        if canonical.len() == length {
            end = start + at + 1;
            break;
        }
    }
    let range = start..end;
    (canonical.len() == length && mod_97(&canonical) && !is_in_word(text, &range)).then_some(Hit {
        kind: PersonalData::Iban,
        range,
        canonical,
    })
}

/// Whether the number, its first four characters last and letters as numbers from ten, leaves one.
fn mod_97(iban: &str) -> bool {
    let turned = iban.bytes().skip(4).chain(iban.bytes().take(4));
    let rest = turned.fold(0u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        letter => (rest * 100 + u32::from(letter - b'A') + 10) % 97,
    });
    rest == 1 && iban.as_bytes()[2..4].iter().all(u8::is_ascii_digit)
}
