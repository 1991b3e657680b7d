//! Phone numbers: international ones by their calling code, national ones by their form or the word before them.

use super::{Hit, PersonalData, before, digits::Group, digits_of, has_word};

const CODES: &[&str] = &[
    "1", "7", "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45",
    "46", "47", "48", "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63",
    "64", "65", "66", "81", "82", "84", "86", "90", "91", "92", "93", "94", "95", "98", "21", "22",
    "23", "24", "25", "26", "29", "35", "37", "38", "42", "50", "59", "67", "68", "69", "80", "85",
    "87", "88", "96", "97", "99",
];

const PHONE: &[&str] = &[
    "phone",
    "phones",
    "telephone",
    "tel",
    "tel.",
    "mobile",
    "cell",
    "cellphone",
    "fax",
    "call me",
    "call me at",
    "call us",
    "reach me",
    "reach me at",
    "text me",
    "dial",
    "whatsapp",
    "signal",
    "telegram",
    "ring me",
    "number is",
    "hotline",
    "telefon",
    "telefonnummer",
    "handy",
    "handynummer",
    "mobil",
    "mobilnummer",
    "rufnummer",
    "ruf mich",
    "durchwahl",
    "t\u{e9}l\u{e9}phone",
    "t\u{e9}l",
    "t\u{e9}l.",
    "portable",
    "appelez",
    "appelle",
    "tel\u{e9}fono",
    "telefono",
    "m\u{f3}vil",
    "movil",
    "celular",
    "ll\u{e1}mame",
    "cellulare",
    "chiamami",
    "telefone",
    "telem\u{f3}vel",
    "ligue",
    "telefoon",
    "telefoonnummer",
    "mobiel",
    "bel me",
    "\u{442}\u{435}\u{43b}\u{435}\u{444}\u{43e}\u{43d}",
    "\u{442}\u{435}\u{43b}",
    "\u{442}\u{435}\u{43b}.",
    "\u{43c}\u{43e}\u{431}\u{438}\u{43b}\u{44c}\u{43d}\u{44b}\u{439}",
    "\u{43f}\u{43e}\u{437}\u{432}\u{43e}\u{43d}\u{438}",
    "\u{7535}\u{8bdd}",
    "\u{624b}\u{673a}",
    "\u{96fb}\u{8a71}",
    "\u{643a}\u{5e2f}",
    "\u{c804}\u{d654}",
];

const OTHER: &[&str] = &[
    "order",
    "invoice",
    "isbn",
    "issn",
    "ean",
    "ref",
    "reference",
    "ticket",
    "sku",
    "version",
    "part",
    "serial",
    "tracking",
    "account",
    "case",
    "id",
    "bestellnummer",
    "bestellung",
    "rechnung",
    "rechnungsnummer",
    "auftrag",
    "aktenzeichen",
    "vorgang",
    "commande",
    "facture",
    "pedido",
    "factura",
    "ordine",
    "fattura",
    "article",
    "item",
    "doi",
    "rfc",
    "patent",
    "license",
    "contract",
    "vertrag",
    "vertragsnummer",
    "kundennummer",
    "customer",
    "\u{2116}",
    "matricule",
    "hrb",
    "din",
    "iso",
    "batch",
    "lot",
    "policy",
    "kontonummer",
    "coordinates",
    "lat",
];

pub(super) fn judge(group: &Group<'_>) -> Option<Hit> {
    let written = trimmed(group.written);
    let digits = digits_of(written);
    if !(7..=15).contains(&digits.len()) {
        return None;
    }
    let context = before(group.text, group.range.start, 32);
    let context = context.rsplit([';', '!', '?']).next().unwrap_or_default();
    let near = tail(context, 24);
    let spoken_of = has_word(near, PHONE);
    let international = written.starts_with('+') || written.starts_with("(+");
    let found = if international {
        is_international(&digits)
    } else if is_amount(group, written) || is_date(written) {
        false
    } else if spoken_of {
        (7..=15).contains(&digits.len()) && !has_word(tail(context, 12), OTHER)
    } else if has_word(near, OTHER) || near.trim_end().ends_with('#') {
        false
    } else {
        is_national(written, &digits)
    };
    found.then(|| Hit {
        kind: PersonalData::Phone,
        range: group.range.start..group.range.start + written.len(),
        canonical: canonical(written, &digits),
    })
}

fn tail(text: &str, most: usize) -> &str {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(most))..).unwrap_or(text)
}

/// Without an opening bracket at the end that belongs to what follows.
fn trimmed(written: &str) -> &str {
    let mut written = written.trim_end_matches(|c: char| !c.is_ascii_digit());
    if written.starts_with('(') && !written.contains(')') {
        written = written.trim_start_matches('(');
    }
    written
}

fn is_international(digits: &str) -> bool {
    let code = CODES.iter().any(|code| digits.starts_with(code));
    code && match digits.as_bytes().first() {
        Some(b'1') => digits.len() == 11 && digits.as_bytes()[1] >= b'2',
        Some(_) => (8..=15).contains(&digits.len()),
        None => false,
    }
}

/// Money before it, or a decimal point in it.
fn is_amount(group: &Group<'_>, written: &str) -> bool {
    let money = |c: char| "$\u{20ac}\u{a3}\u{a5}%=*\u{d7}<>".contains(c);
    let after = group.text[group.range.start + written.len()..].trim_start().chars().next();
    let last = group.text[..group.range.start].trim_end().chars().next_back();
    let decimal = written.matches('.').count() == 1 && !written.contains([' ', '-', '/', '(']);
    last.is_some_and(money) || after.is_some_and(money) || decimal
}

fn is_date(written: &str) -> bool {
    let parts: Vec<&str> = written.split(|c: char| !c.is_ascii_digit()).collect();
    let year = |it: &str| it.len() == 4 && (it.starts_with("19") || it.starts_with("20"));
    let small = |it: &str| it.len() <= 2 && it.parse::<u32>().is_ok_and(|it| it <= 31);
    match parts.as_slice() {
        [one, two, three, ..] => {
            (year(one) && small(two) && small(three)) || (small(one) && small(two) && year(three))
        }
        [one, two] => year(one) && year(two),
        [_] | [] => false,
    }
}

/// The common forms that need no word before them.
fn is_national(written: &str, digits: &str) -> bool {
    if digits.len() < 9 {
        return false;
    }
    let parts: Vec<&str> =
        written.split(|c: char| !c.is_ascii_digit()).filter(|it| !it.is_empty()).collect();
    let lengths: Vec<usize> = parts.iter().map(|it| it.len()).collect();
    let first = |from: usize| digits.as_bytes().get(from).copied().unwrap_or(b'0');
    let dotted = written.contains('.');
    match lengths.as_slice() {
        // North America: 555 is nobody's area, but the number is meant as one.
        [3, 3, 4] if first(0) >= b'2' => first(3) >= b'2' && !written.contains('/'),
        [1, 3, 3, 4] if first(0) == b'1' => first(1) >= b'2' && first(4) >= b'2',
        // France: 06 12 34 56 78.
        [2, 2, 2, 2, 2] => first(0) == b'0' && first(1) != b'0',
        // Brazil: (11) 91234-5678; Russia: 8 (912) 345-67-89.
        [2, 5, 4] => written.starts_with('(') && first(2) == b'9',
        [1, 3, 3, 2, 2] => first(0) == b'8' && matches!(first(1), b'3' | b'4' | b'8' | b'9'),
        // With the trunk's zero: Germany, Great Britain, Italy, the Netherlands, Japan.
        [area, ..] if first(0) == b'0' && !dotted => {
            let grouped = lengths.len() >= 2
                && (2..=5).contains(area)
                && lengths[1..].iter().all(|it| *it >= 2);
            let country = written.starts_with("00") && is_international(&digits[2..]);
            country && lengths.len() >= 2 || grouped && first(1) != b'0' && (10..=12).contains(&digits.len())
                // Mobile numbers of Great Britain, Germany and the Netherlands written in one.
                || lengths.len() == 1 && matches!((digits.len(), &digits[..2]), (11, "07" | "01") | (12, "01"))
                    && (digits.starts_with("07") || matches!(&digits[..3], "015" | "016" | "017"))
        }
        _ => false,
    }
}

/// The digits, with the calling code where it is written.
fn canonical(written: &str, digits: &str) -> String {
    let bare = digits.strip_prefix("00").unwrap_or(digits);
    // `+44 (0)20 …`: the zero is dialled only at home.
    if written.contains("(0)") && (written.starts_with('+') || written.starts_with("00")) {
        let at = written.find("(0)").map_or(0, |at| digits_of(&written[..at]).len());
        let at = at - (digits.len() - bare.len());
        return format!("+{}{}", &bare[..at], &bare[at + 1..]);
    }
    let international =
        written.starts_with(['+']) || written.starts_with("(+") || digits.starts_with("00");
    if international { format!("+{bare}") } else { digits.to_owned() }
}
