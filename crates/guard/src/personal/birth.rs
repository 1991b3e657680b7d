//! Dates of birth: a date where birth is spoken of. A date alone is not personal.

use std::sync::LazyLock;

use regex::Regex;

use super::{Hit, PersonalData, before, has_word};

static DATE: LazyLock<Regex> = LazyLock::new(|| {
    const MONTH: &str = concat!(
        "(?:jan(?:uary|uar|vier|eiro)?|feb(?:ruary|ruar|braio|rero)?|f\u{e9}vrier|fevereiro|m\u{e4}rz|mar(?:ch|s|zo|\u{e7}o|t)?|maart|",
        "apr(?:il|ile)?|avril|abril|may|mai|mayo|maggio|maio|mei|jun[ei]?|juni|juin|junio|giugno|junho|",
        "jul[yi]?|juillet|julio|luglio|julho|aug(?:ust|ustus)?|ao\u{fb}t|agosto|sep(?:t|tember|tembre|tiembre)?|settembre|setembro|",
        "o[ck]t(?:ober|obre|ubre)?|ottobre|outubro|nov(?:ember|embre|iembre|embro)?|de[cz](?:ember|embro)?|d\u{e9}cembre|diciembre|dicembre|",
        "\u{44f}\u{43d}\u{432}\u{430}\u{440}\u{44f}|\u{444}\u{435}\u{432}\u{440}\u{430}\u{43b}\u{44f}|\u{43c}\u{430}\u{440}\u{442}\u{430}|\u{430}\u{43f}\u{440}\u{435}\u{43b}\u{44f}|\u{43c}\u{430}\u{44f}|\u{438}\u{44e}\u{43d}\u{44f}|",
        "\u{438}\u{44e}\u{43b}\u{44f}|\u{430}\u{432}\u{433}\u{443}\u{441}\u{442}\u{430}|\u{441}\u{435}\u{43d}\u{442}\u{44f}\u{431}\u{440}\u{44f}|\u{43e}\u{43a}\u{442}\u{44f}\u{431}\u{440}\u{44f}|\u{43d}\u{43e}\u{44f}\u{431}\u{440}\u{44f}|\u{434}\u{435}\u{43a}\u{430}\u{431}\u{440}\u{44f})",
    );
    let pattern = format!(
        "(?i)(?:\
         [0-9]{{4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,2}}\
         |[0-9]{{1,2}}[-/.] ?[0-9]{{1,2}}[-/.] ?(?:[0-9]{{4}}|[0-9]{{2}})\
         |[0-9]{{1,2}}(?:st|nd|rd|th|\\.|\u{ba}|er)?(?: of| de| di| d')? ?{MONTH}\\.?,?(?: de| del| di)? [0-9]{{4}}\
         |{MONTH}\\.? [0-9]{{1,2}}(?:st|nd|rd|th)?,? [0-9]{{4}}\
         |[0-9]{{4}} ?[\u{5e74}\u{b144}] ?[0-9]{{1,2}} ?[\u{6708}\u{c6d4}] ?[0-9]{{1,2}} ?[\u{65e5}\u{c77c}])"
    );
    Regex::new(&pattern).expect("the pattern is right")
});

const BIRTH: &[&str] = &[
    "born",
    "birth",
    "dob",
    "d.o.b",
    "d.o.b.",
    "birthday",
    "birthdate",
    "birthdays",
    "geboren",
    "geb",
    "geb.",
    "geburtsdatum",
    "geburtstag",
    "n\u{e9} le",
    "n\u{e9}e le",
    "n\u{e9}(e) le",
    "naissance",
    "anniversaire",
    "nacido",
    "nacida",
    "nac\u{ed}",
    "naci\u{f3}",
    "nacimiento",
    "cumplea\u{f1}os",
    "nato il",
    "nata il",
    "nato",
    "nata",
    "nascita",
    "nascido",
    "nascida",
    "nascimento",
    "nasci",
    "anivers\u{e1}rio",
    "geboortedatum",
    "geboorte",
    "verjaardag",
    "\u{440}\u{43e}\u{436}\u{434}\u{435}\u{43d}\u{438}\u{44f}",
    "\u{440}\u{43e}\u{434}\u{438}\u{43b}\u{441}\u{44f}",
    "\u{440}\u{43e}\u{434}\u{438}\u{43b}\u{430}\u{441}\u{44c}",
    "\u{440}\u{43e}\u{436}\u{434}\u{451}\u{43d}\u{43d}\u{44b}\u{439}",
    "\u{51fa}\u{751f}",
    "\u{751f}\u{65e5}",
    "\u{8a95}\u{751f}\u{65e5}",
    "\u{751f}\u{5e74}\u{6708}\u{65e5}",
    "\u{751f}\u{307e}\u{308c}",
];

const AFTER: &[&str] = &[
    "(born",
    "birthday",
    "\u{751f}\u{307e}\u{308c}",
    "\u{51fa}\u{751f}",
    "geboren",
    "is my birth",
    "is her birth",
    "is his birth",
];

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    for found in DATE.find_iter(text) {
        if super::is_in_word(text, &found.range()) {
            continue;
        }
        let context = before(text, found.start(), 60);
        // What was said in an earlier sentence is about something else.
        let context = context.rsplit(['!', '?', ';']).next().unwrap_or_default();
        let end = text.ceil_char_boundary((found.end() + 24).min(text.len()));
        let after = text.get(found.end()..end).unwrap_or_default().to_lowercase();
        if has_word(context, BIRTH) || AFTER.iter().any(|it| after.contains(it)) {
            hits.push(Hit {
                kind: PersonalData::BirthDate,
                range: found.range(),
                canonical: canonical(found.as_str()),
            });
        }
    }
}

/// Year, month and day where the order is certain, else as it is written.
fn canonical(written: &str) -> String {
    let parts: Vec<&str> =
        written.split(|c: char| !c.is_ascii_digit()).filter(|it| !it.is_empty()).collect();
    match parts.as_slice() {
        [year, month, day] if year.len() == 4 => format!("{year}-{month:0>2}-{day:0>2}"),
        [one, two, year] if year.len() == 4 && one.parse::<u32>().is_ok_and(|it| it > 12) => {
            format!("{year}-{two:0>2}-{one:0>2}")
        }
        [one, two, year] if year.len() == 4 && written.contains('.') => {
            format!("{year}-{two:0>2}-{one:0>2}")
        }
        _ => written.to_lowercase(),
    }
}
