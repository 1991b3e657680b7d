//! Numbers by which states know people. Each has its form and its check; one without a good check also needs a word
//! before it that says what it is.

mod checks;

use std::sync::{LazyLock, OnceLock};

use regex::{Regex, RegexSet};

use super::{Hit, PersonalData, before, has_word, is_in_word};

/// A kind of number.
struct Form {
    pattern: &'static str,
    /// Of the characters that are letters and digits, in capitals.
    check: fn(&str) -> bool,
    /// One of these must stand before it, unless there are none.
    context: &'static [&'static str],
}

const FORMS: &[Form] = &[
    // United States: social security number, taxpayer number.
    Form { pattern: r"[0-9]{3}-[0-9]{2}-[0-9]{4}", check: checks::ssn, context: &[] },
    Form {
        pattern: r"[0-9]{3} ?[0-9]{2} ?[0-9]{4}",
        check: checks::ssn,
        context: &["ssn", "social security", "social security number", "itin", "taxpayer"],
    },
    // Great Britain: national insurance, health service.
    Form {
        pattern: r"(?i-u)[a-z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[a-d]",
        check: checks::nino,
        context: &[],
    },
    Form {
        pattern: r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}",
        check: checks::nhs,
        context: &["nhs", "nhs number", "nhs no"],
    },
    // Germany: tax id, social insurance.
    Form {
        pattern: r"[0-9]{2} [0-9]{3} [0-9]{3} [0-9]{3}",
        check: checks::steuer_id,
        context: &[],
    },
    Form {
        pattern: r"[0-9]{11}",
        check: checks::steuer_id,
        context: &[
            "steuer-id",
            "steuerid",
            "idnr",
            "idnr.",
            "steuer-idnr",
            "steueridentifikationsnummer",
            "identifikationsnummer",
            "tin",
            "tax id",
            "steuernummer",
        ],
    },
    Form {
        pattern: r"(?i-u)[0-9]{2} ?[0-9]{6} ?[a-z] ?[0-9]{3}",
        check: checks::sozialversicherung,
        context: &[],
    },
    // Spain: DNI and NIE.
    Form {
        pattern: r"(?i-u)[0-9]{2}\.?[0-9]{3}\.?[0-9]{3}[ -]?[a-z]",
        check: checks::dni,
        context: &[],
    },
    Form { pattern: r"(?i-u)[xyz][ -]?[0-9]{7}[ -]?[a-z]", check: checks::dni, context: &[] },
    // France.
    Form {
        pattern: r"(?i-u)[12] ?[0-9]{2} ?[0-9]{2} ?[0-9][0-9ab] ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}",
        check: checks::nir,
        context: &[],
    },
    // Italy.
    Form {
        pattern: r"(?i-u)[a-z]{3} ?[a-z]{3} ?[0-9lmnp-v]{2}[a-ehlmprst][0-9lmnp-v]{2} ?[a-z][0-9lmnp-v]{3}[a-z]",
        check: checks::codice_fiscale,
        context: &[],
    },
    // Netherlands, Belgium, Portugal.
    Form {
        pattern: r"[0-9]{4}[. ]?[0-9]{2}[. ]?[0-9]{3}",
        check: checks::bsn,
        context: &[
            "bsn",
            "burgerservicenummer",
            "sofinummer",
            "sofi-nummer",
            "citizen service number",
        ],
    },
    Form {
        pattern: r"[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{3}\.[0-9]{2}",
        check: checks::rijksregister,
        context: &[],
    },
    Form {
        pattern: r"[0-9]{3} ?[0-9]{3} ?[0-9]{3}",
        check: checks::nif,
        context: &["nif", "contribuinte", "numero de contribuinte", "n\u{fa}mero de contribuinte"],
    },
    // Brazil.
    Form { pattern: r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", check: checks::cpf, context: &[] },
    Form { pattern: r"[0-9]{11}", check: checks::cpf, context: &["cpf"] },
    // Poland, Sweden, Switzerland.
    Form { pattern: r"[0-9]{11}", check: checks::pesel, context: &["pesel"] },
    Form { pattern: r"(?:19|20)?[0-9]{6}[-+][0-9]{4}", check: checks::personnummer, context: &[] },
    Form { pattern: r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}", check: checks::ahv, context: &[] },
    // China, Japan, India.
    Form {
        pattern: r"(?i-u)[1-9][0-9]{5}(?:19|20)[0-9]{9}[0-9x]",
        check: checks::resident,
        context: &[],
    },
    Form {
        pattern: r"[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}",
        check: checks::my_number,
        context: &[
            "my number",
            "mynumber",
            "\u{30de}\u{30a4}\u{30ca}\u{30f3}\u{30d0}\u{30fc}",
            "\u{500b}\u{4eba}\u{756a}\u{53f7}",
        ],
    },
    Form {
        pattern: r"[2-9][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}",
        check: checks::aadhaar,
        context: &["aadhaar", "aadhar", "uidai"],
    },
    // Russia: pension insurance, taxpayer.
    Form { pattern: r"[0-9]{3}-[0-9]{3}-[0-9]{3} [0-9]{2}", check: checks::snils, context: &[] },
    Form { pattern: r"[0-9]{12}", check: checks::inn, context: &["\u{438}\u{43d}\u{43d}", "inn"] },
    // Canada, Australia.
    Form {
        pattern: r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{3}",
        check: checks::sin,
        context: &["sin", "social insurance", "social insurance number", "nas"],
    },
    Form {
        pattern: r"[0-9]{3} ?[0-9]{3} ?[0-9]{3}",
        check: checks::tfn,
        context: &["tfn", "tax file number", "tax file"],
    },
    // Passports, identity cards and licences of any country: no check, so only right after the word.
    Form {
        pattern: r"(?i-u)[a-z]{0,3}[0-9][a-z0-9]{5,10}",
        check: checks::document,
        context: &[
            "passport",
            "passport number",
            "passport no",
            "reisepass",
            "reisepassnummer",
            "passnummer",
            "ausweis",
            "personalausweis",
            "ausweisnummer",
            "passeport",
            "pasaporte",
            "passaporto",
            "passaporte",
            "paspoort",
            "paspoortnummer",
            "id card",
            "identity card",
            "driver's license",
            "drivers license",
            "driving licence",
            "driver license",
            "f\u{fc}hrerschein",
            "f\u{fc}hrerscheinnummer",
            "\u{43f}\u{430}\u{441}\u{43f}\u{43e}\u{440}\u{442}",
            "\u{62a4}\u{7167}",
            "\u{65c5}\u{5238}",
            "\u{30d1}\u{30b9}\u{30dd}\u{30fc}\u{30c8}",
            "\u{8eab}\u{4efd}\u{8bc1}",
        ],
    },
];

static SET: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(FORMS.iter().map(|form| form.pattern)).expect("the patterns are right")
});
/// Each pattern is built when the set says that it is there.
static EACH: LazyLock<Vec<OnceLock<Regex>>> =
    LazyLock::new(|| FORMS.iter().map(|_| OnceLock::new()).collect());

/// How far before a number the word may stand that names it.
const NEAR: usize = 48;

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    for number in &SET.matches(text) {
        let form = &FORMS[number];
        let regex =
            EACH[number].get_or_init(|| Regex::new(form.pattern).expect("the patterns are right"));
        for found in regex.find_iter(text) {
            let canonical: String = found
                .as_str()
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .map(|c| c.to_ascii_uppercase())
                .collect();
            let alone =
                !is_in_word(text, &found.range()) && !goes_on(text, found.start(), found.end());
            let named = || {
                form.context.is_empty()
                    || has_word(&before(text, found.start(), NEAR), form.context)
            };
            if alone && (form.check)(&canonical) && named() {
                hits.push(Hit { kind: PersonalData::NationalId, range: found.range(), canonical });
            }
        }
    }
}

/// Whether more digits hang on to it, so that it is a part of another number.
fn goes_on(text: &str, start: usize, end: usize) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| "-./".contains(c));
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut left = text[..start].chars().rev();
    let mut right = text[end..].chars();
    (joins(left.next()) && digit(left.next())) || (joins(right.next()) && digit(right.next()))
}
