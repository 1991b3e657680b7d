//! Numbers of payment cards: an issuer's prefix and length, and the check digit.

use super::{Hit, PersonalData, before, digits::Group, digits_of, has_word};

const CARD: &[&str] = &[
    "card",
    "cards",
    "visa",
    "mastercard",
    "amex",
    "maestro",
    "discover",
    "credit",
    "debit",
    "pan",
    "kreditkarte",
    "kreditkartennummer",
    "kartennummer",
    "karte",
    "carte",
    "tarjeta",
    "carta",
    "cartao",
    "cart\u{e3}o",
    "creditcard",
    "\u{43a}\u{430}\u{440}\u{442}\u{430}",
    "\u{43a}\u{430}\u{440}\u{442}\u{44b}",
    "\u{5361}",
    "\u{30ab}\u{30fc}\u{30c9}",
];

const OTHER: &[&str] = &[
    "order",
    "invoice",
    "tracking",
    "isbn",
    "ean",
    "gtin",
    "imei",
    "serial",
    "ticket",
    "account",
    "ref",
    "reference",
    "id",
    "bestellung",
    "bestellnummer",
    "rechnung",
    "rechnungsnummer",
    "commande",
    "facture",
    "pedido",
    "factura",
    "ordine",
    "fattura",
    "sku",
    "part",
    "barcode",
    "iccid",
    "shipment",
    "parcel",
];

/// How many digits a card has.
pub(super) const LENGTHS: std::ops::RangeInclusive<usize> = 12..=19;

/// A number that is sold as something else is a card only where a card is spoken of.
pub(super) fn judge(group: &Group<'_>) -> Option<Hit> {
    let written = group.written.trim_end_matches(['(', ' ']);
    if !written.bytes().all(|it| it.is_ascii_digit() || it == b' ' || it == b'-') {
        return None;
    }
    let digits = digits_of(written);
    if !LENGTHS.contains(&digits.len()) || !luhn(&digits) || !is_grouped(written, digits.len()) {
        return None;
    }
    let context = before(group.text, group.range.start, 40);
    let spoken_of = has_word(&context, CARD);
    let certain = issued(&digits) && !has_word(&context, OTHER);
    let likely = spoken_of && (issued(&digits) || widely_issued(&digits));
    (certain || likely).then(|| Hit {
        kind: PersonalData::Card,
        range: group.range.start..group.range.start + written.len(),
        canonical: digits,
    })
}

/// Groups of four, as American Express and Diners print them, or none.
fn is_grouped(written: &str, length: usize) -> bool {
    let groups: Vec<usize> = written.split([' ', '-']).map(str::len).collect();
    match groups.as_slice() {
        [_] => true,
        [4, 6, 5] => length == 15,
        [4, 6, 4] => length == 14,
        [rest @ .., last] => rest.iter().all(|it| *it == 4) && (1..=4).contains(last),
        [] => false,
    }
}

pub(super) fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit - b'0') * if place % 2 == 1 { 2 } else { 1 };
            if digit > 9 { digit - 9 } else { digit }
        })
        .sum();
    sum.is_multiple_of(10) && digits.bytes().any(|it| it != b'0')
}

fn prefix(digits: &str, length: usize) -> u32 {
    digits.get(..length).and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// Issuers whose prefix and length say enough.
fn issued(digits: &str) -> bool {
    let (two, three, four) = (prefix(digits, 2), prefix(digits, 3), prefix(digits, 4));
    match digits.len() {
        13 => digits.starts_with('4'),
        14 => (300..=305).contains(&three) || [36, 38, 39].contains(&two),
        15 => [34, 37].contains(&two),
        16 => {
            digits.starts_with('4')
                || (51..=55).contains(&two)
                || (2221..=2720).contains(&four)
                || four == 6011
                || (644..=659).contains(&three)
                || (3528..=3589).contains(&four)
                || (2200..=2204).contains(&four)
        }
        19 => digits.starts_with('4'),
        _ => false,
    }
}

/// Issuers with a wide range: Maestro, UnionPay, RuPay, Verve.
fn widely_issued(digits: &str) -> bool {
    matches!(prefix(digits, 2), 50 | 56..=69 | 81 | 82)
}
