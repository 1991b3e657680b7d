//! Numbers, with what they count.

use std::ops::Range;

use crate::{lists::Lists, phrase::Word};

/// A number, as digits or as a word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number {
    /// What it may be: `1.500` is one and a half in one country and fifteen hundred in another.
    pub(crate) values: Vec<f64>,
    pub(crate) unit: Option<Unit>,
    /// A time of day, in minutes.
    pub(crate) is_clock: bool,
    /// Zero or one as a word, which is an article as often.
    pub(crate) is_weak: bool,
    /// Behind a paragraph sign, or the number of a section.
    pub(crate) is_paragraph: bool,
    pub(crate) range: Range<usize>,
}

/// Units that are told apart. Those of time have what they are in a smaller one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Percent,
    Euro,
    Dollar,
    Pound,
    Seconds,
    Minutes,
    Hours,
    Days,
    Weeks,
    Months,
    Years,
}

impl Unit {
    fn base(self) -> (Self, f64) {
        match self {
            Self::Hours => (Self::Minutes, 60.0),
            Self::Weeks => (Self::Days, 7.0),
            Self::Years => (Self::Months, 12.0),
            Self::Percent
            | Self::Euro
            | Self::Dollar
            | Self::Pound
            | Self::Seconds
            | Self::Minutes
            | Self::Days
            | Self::Months => (self, 1.0),
        }
    }

    pub(crate) fn is_time(self) -> bool {
        match self {
            Self::Seconds
            | Self::Minutes
            | Self::Hours
            | Self::Days
            | Self::Weeks
            | Self::Months
            | Self::Years => true,
            Self::Percent | Self::Euro | Self::Dollar | Self::Pound => false,
        }
    }

    pub(crate) fn is_money(self) -> bool {
        match self {
            Self::Euro | Self::Dollar | Self::Pound => true,
            Self::Percent
            | Self::Seconds
            | Self::Minutes
            | Self::Hours
            | Self::Days
            | Self::Weeks
            | Self::Months
            | Self::Years => false,
        }
    }

    fn of(word: &str) -> Option<Self> {
        const WORDS: [(Unit, &[&str]); 11] = [
            (Unit::Percent, &["%", "percent", "prozent", "por ciento", "pour cent"]),
            (Unit::Euro, &["€", "eur", "euro", "euros"]),
            (Unit::Dollar, &["$", "usd", "dollar", "dollars", "dólares"]),
            (Unit::Pound, &["£", "gbp", "pounds"]),
            (
                Unit::Seconds,
                &[
                    "s", "second", "seconds", "sekunde", "sekunden", "segundo", "segundos",
                    "seconde", "secondes",
                ],
            ),
            (Unit::Minutes, &["min", "minute", "minutes", "minuten", "minuto", "minutos"]),
            (
                Unit::Hours,
                &["h", "hour", "hours", "stunde", "stunden", "hora", "horas", "heure", "heures"],
            ),
            (Unit::Days, &["day", "days", "tag", "tage", "tagen", "día", "días", "jour", "jours"]),
            (
                Unit::Weeks,
                &["week", "weeks", "woche", "wochen", "semana", "semanas", "semaine", "semaines"],
            ),
            (
                Unit::Months,
                &["month", "months", "monat", "monate", "monaten", "mes", "meses", "mois"],
            ),
            (
                Unit::Years,
                &[
                    "year", "years", "jahr", "jahre", "jahren", "año", "años", "an", "ans",
                    "année", "années",
                ],
            ),
        ];
        WORDS.iter().find(|(_, words)| words.contains(&word)).map(|(unit, _)| *unit)
    }
}

impl Number {
    /// Whether this number of a source says the same as one of an answer.
    pub(crate) fn says(&self, answer: &Self) -> bool {
        let (own, other) = (self.unit.map(Unit::base), answer.unit.map(Unit::base));
        let (own, other) = match (own, other) {
            (Some((unit, _)), Some((asked, _))) if unit != asked => return false,
            (Some((_, own)), Some((_, other))) => (own, other),
            (_, _) => (1.0, 1.0),
        };
        let equal = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0);
        self.values.iter().any(|a| answer.values.iter().any(|b| equal(a * own, b * other)))
    }

    pub(crate) fn is_plain(&self, value: u32) -> bool {
        self.values.iter().any(|own| (own - f64::from(value)).abs() < 1e-9)
    }
}

const MULTIPLIERS: [(f64, &[&str]); 3] = [
    (1e3, &["thousand", "tausend", "mil", "mille", "tsd"]),
    (1e6, &["million", "millions", "millionen", "mio", "millón", "millones"]),
    (1e9, &["billion", "billions", "milliarde", "milliarden", "mrd", "milliard", "milliards"]),
];

pub(super) fn find(text: &str, words: &[Word], lists: &Lists) -> Vec<Number> {
    let mut numbers = in_digits(text);
    for word in words {
        let value = lists.numbers.iter().position(|name| *name == word.normal);
        if let Some(value) = value {
            let values = vec![value as f64];
            let range = word.range.clone();
            numbers.push(Number {
                values,
                unit: None,
                is_clock: false,
                is_weak: value < 2,
                is_paragraph: false,
                range,
            });
        }
    }
    numbers.sort_by_key(|number| number.range.start);
    for number in &mut numbers {
        let mut rest = text.get(number.range.end..).unwrap_or_default();
        let first = word_after(rest);
        if let Some((times, _)) =
            MULTIPLIERS.iter().find(|(_, names)| names.contains(&first.0.as_str()))
        {
            number.values.iter_mut().for_each(|value| *value *= times);
            rest = first.1;
        }
        let behind = word_after(rest);
        let next = word_after(behind.1);
        let before = text.get(..number.range.start).unwrap_or_default().trim_end();
        number.is_paragraph = before.ends_with(['§', '#'])
            || before.is_empty()
                && number.range.end - number.range.start <= 2
                && rest.starts_with(['.', ')']);
        let sign = before.chars().next_back().and_then(|c| Unit::of(c.encode_utf8(&mut [0; 4])));
        let code = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let code = if code.len() == 3 { Unit::of(&code.to_lowercase()) } else { None };
        number.unit = Unit::of(&behind.0)
            .or_else(|| Unit::of(&format!("{} {}", behind.0, next.0)))
            .or_else(|| if is_adjective(&behind.0) { Unit::of(&next.0) } else { None })
            .or(sign)
            .or(code);
    }
    numbers
}

/// Words that stand between a number and its unit.
fn is_adjective(word: &str) -> bool {
    ["working", "business", "calendar", "full", "consecutive", "more"].contains(&word)
}

/// The next word or sign of a text in small letters, and what follows it.
fn word_after(text: &str) -> (String, &str) {
    let text = text.trim_start_matches([' ', '\u{a0}', '\u{202f}', '-', '\n']);
    let sign = text.chars().next().filter(|c| matches!(c, '%' | '€' | '$' | '£'));
    let end = match sign {
        Some(sign) => sign.len_utf8(),
        None => text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len()),
    };
    (text[..end].to_lowercase(), text[end..].trim_start_matches('.'))
}

/// Numbers in digits. Those of a name such as `C2` are no numbers.
fn in_digits(text: &str) -> Vec<Number> {
    let bytes = text.as_bytes();
    let mut numbers = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() {
            let next = |by: usize| bytes.get(at + by).is_some_and(u8::is_ascii_digit);
            let space = text.get(at..).is_some_and(|rest| rest.starts_with(['\u{a0}', '\u{202f}']));
            let width = if bytes[at..].starts_with("\u{202f}".as_bytes()) { 3 } else { 2 };
            if bytes[at].is_ascii_digit() {
                at += 1;
            } else if matches!(bytes[at], b'.' | b',' | b'\'') && next(1) {
                at += 2;
            } else if space && next(width) && next(width + 1) && next(width + 2) {
                at += width + 3;
            } else {
                break;
            }
        }
        let before = text[..start].chars().next_back();
        let of_name = before.is_some_and(|c| c.is_alphabetic() || c == '_');
        if of_name || at - start > 40 {
            continue;
        }
        let said = &text[start..at];
        // A time of day.
        let minutes = text.get(at..at + 3).and_then(|rest| rest.strip_prefix(':'));
        let minutes = minutes.filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
        let clock = minutes.and_then(|m| Some((said.parse::<u32>().ok()?, m.parse::<u32>().ok()?)));
        if let Some((hour, minute)) = clock.filter(|(hour, minute)| *hour < 25 && *minute < 60) {
            let values = vec![f64::from(hour * 60 + minute)];
            at += 3;
            let range = start..at;
            numbers.push(Number {
                values,
                unit: None,
                is_clock: true,
                is_weak: false,
                is_paragraph: false,
                range,
            });
            continue;
        }
        let values = values(said);
        if !values.is_empty() {
            let range = start..at;
            numbers.push(Number {
                values,
                unit: None,
                is_clock: false,
                is_weak: false,
                is_paragraph: false,
                range,
            });
        }
    }
    numbers
}

/// What digits with separators may mean.
fn values(said: &str) -> Vec<f64> {
    let plain: String =
        said.chars().filter(|c| !matches!(c, '\'' | '\u{a0}' | '\u{202f}')).collect();
    let separators: Vec<char> = plain.chars().filter(|c| matches!(c, '.' | ',')).collect();
    let parse = |text: String| text.parse::<f64>().ok().filter(|value| value.is_finite());
    let without: String = plain.chars().filter(char::is_ascii_digit).collect();
    let last = separators.last().copied();
    let decimal = |point: char| {
        let text = plain.chars().filter(|c| c.is_ascii_digit() || *c == point);
        parse(text.map(|c| if c == point { '.' } else { c }).collect())
    };
    let groups = plain.split(['.', ',']).skip(1).all(|group| group.len() == 3);
    let mut values = Vec::new();
    match last {
        None => values.extend(parse(without)),
        Some(last) if separators.iter().any(|c| *c != last) => values.extend(decimal(last)),
        Some(_) if separators.len() > 1 => values.extend(parse(without)),
        Some(last) => {
            values.extend(decimal(last));
            if groups {
                values.extend(parse(without));
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use crate::facts::Facts;

    fn same(source: &str, answer: &str) -> bool {
        let (source, answer) = (Facts::of(source), Facts::of(answer));
        assert!(!answer.numbers.is_empty());
        answer.numbers.iter().all(|number| source.has(number))
    }

    #[test]
    fn numbers_are_the_same_however_they_are_written() {
        for (source, answer) in [
            ("It costs 1,350 W", "1350 W"),
            ("Es kostet 1.350 Euro", "1350 €"),
            ("It costs $5 million", "5,000,000 dollars"),
            ("within 14 days", "within two weeks"),
            ("after fourteen days", "14 days"),
            ("one year", "12 months"),
            ("7.5 %", "7,5 Prozent"),
            ("at 10:00", "at 10:00"),
            ("on 15 March 2024", "in 2024"),
        ] {
            assert!(same(source, answer), "{source} / {answer}");
        }
    }

    #[test]
    fn other_numbers_and_other_units_are_not_the_same() {
        for (source, answer) in [
            ("within 14 days", "within 15 days"),
            ("within 14 days", "within 14 months"),
            ("It costs 5 euros", "5 dollars"),
            ("the C2 costs 9", "2 is the price"),
            ("1.5 litres", "15 litres"),
        ] {
            assert!(!same(source, answer), "{source} / {answer}");
        }
    }
}
