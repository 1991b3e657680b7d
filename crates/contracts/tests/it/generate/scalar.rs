//! Single values: odd text, odd spellings of numbers, times, ids, and JSON of any shape.

use std::borrow::Cow;

use consign_contracts::json::{Json, Number};
use proptest::{collection::vec, prelude::*, sample::select};

fn string(text: impl Into<String>) -> Json<'static> {
    Json::String(Cow::Owned(text.into()))
}

fn character() -> impl Strategy<Value = char> {
    let odd = "\"\\/~\n\r\t\0\u{1f}\u{7f}é٠ж\u{301}\u{2028}\u{feff}\u{fffd}😀\u{10ffff}";
    prop_oneof![
        4 => proptest::char::range(' ', '~'),
        2 => select(odd.chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ]
}

/// Text of any script, with everything that needs an escape.
pub(crate) fn text() -> impl Strategy<Value = String> {
    vec(character(), 0..8).prop_map(String::from_iter)
}

/// Text of a bounded number of characters, both bounds included.
pub(super) fn sized_text(least: usize, most: Option<usize>) -> BoxedStrategy<Json<'static>> {
    let most = most.unwrap_or(least + 8);
    let length = prop_oneof![2 => least..=most.min(least + 8), 1 => Just(most), 1 => Just(least)];
    // A short piece over and over: hundreds of drawn characters would take their time.
    (vec(character(), 1..8), length)
        .prop_map(|(piece, length)| string(piece.iter().cycle().take(length).collect::<String>()))
        .boxed()
}

/// Text that matches a pattern, which must be anchored at both ends, and is not too long.
pub(super) fn matching(pattern: &str, most: Option<usize>) -> BoxedStrategy<Json<'static>> {
    let inner = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$'));
    // To the generator `\d` is any script's digit.
    let ascii = inner.expect("our patterns are anchored").replace(r"\d", "[0-9]");
    let texts = proptest::string::string_regex(&ascii).expect("our patterns are regular");
    let fits = move |text: &String| most.is_none_or(|most| text.chars().count() <= most);
    texts.prop_filter("too long", fits).prop_map(string).boxed()
}

pub(super) fn formatted(format: &str) -> BoxedStrategy<Json<'static>> {
    match format {
        "uuid" => {
            let texts =
                proptest::string::string_regex("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-f]{12}");
            texts.expect("the pattern is regular").prop_map(string).boxed()
        }
        "date-time" => date_time(),
        other => panic!("teach the generators about the format `{other}`"),
    }
}

/// Any precision, any offset, either case.
fn date_time() -> BoxedStrategy<Json<'static>> {
    let day = (0..=9999_u32, 1..=12_u32, 1..=31_u32).prop_map(|(year, month, day)| {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let last = match month {
            2 => 28 + u32::from(leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        format!("{year:04}-{month:02}-{:02}", day.min(last))
    });
    let fraction = prop_oneof![Just(String::new()), "\\.[0-9]{1,20}"];
    let clock =
        (0..24_u32, 0..60_u32, 0..60_u32, fraction).prop_map(|(hour, minute, second, rest)| {
            format!("{hour:02}:{minute:02}:{second:02}{rest}")
        });
    let offset = prop_oneof![
        Just("Z".to_owned()),
        Just("z".to_owned()),
        (select(vec!['+', '-']), 0..24_u32, 0..60_u32)
            .prop_map(|(sign, hour, minute)| format!("{sign}{hour:02}:{minute:02}")),
    ];
    let usual = (day, select(vec!['T', 't']), clock, offset)
        .prop_map(|(day, t, clock, offset)| string(format!("{day}{t}{clock}{offset}")));
    let leap_seconds = select(vec!["1998-12-31T23:59:60Z", "1990-12-31T15:59:60.25-08:00"]);
    prop_oneof![20 => usual, 1 => leap_seconds.prop_map(string)].boxed()
}

/// A number between bounds, both included. What is written is odd, what is meant is exact.
pub(super) fn number(
    low: Option<i64>,
    high: Option<i64>,
    whole: bool,
) -> BoxedStrategy<Json<'static>> {
    const WHOLE: &[&str] = &[
        "-0",
        "-0.0",
        "0e5",
        "1e3",
        "-25E+1",
        "1.5e1",
        "9007199254740993",
        "18446744073709551616",
        "1234567890123456789012345",
        "-1234567890123456789012345",
        "1e25",
        "1e400",
        "-1e400",
    ];
    const BROKEN: &[&str] = &[
        "0.5",
        "5e-1",
        "0.10",
        "1E-3",
        "1e-400",
        "0.1234567890123456789",
        "99.9",
        "-0.25",
        "-1e-7",
    ];
    let fits = |text: &&str| {
        let value: f64 = text.parse().expect("the lists hold numbers");
        low.is_none_or(|low| value >= low as f64) && high.is_none_or(|high| value <= high as f64)
    };
    let special: Vec<&str> =
        WHOLE.iter().chain(if whole { &[] } else { BROKEN }).copied().collect();
    let special: Vec<&str> = special.into_iter().filter(fits).collect();
    let least = low.unwrap_or_else(|| high.unwrap_or(0) - 1000);
    let most = high.unwrap_or(least + 2000);
    let value = prop_oneof![4 => least..=most, 1 => Just(least), 1 => Just(most)];
    let plain = (value, 0..6_u8).prop_map(|(value, spelling)| match spelling {
        0 | 1 => value.to_string(),
        2 => format!("{value}.0"),
        3 => format!("{}e-1", value * 10),
        4 => format!("{value}e0"),
        _ => format!("{value}.000E+00"),
    });
    let text = if special.is_empty() {
        plain.boxed()
    } else {
        prop_oneof![3 => plain, 1 => select(special).prop_map(str::to_owned)].boxed()
    };
    text.prop_map(|text| Json::Number(text.parse::<Number<'_>>().expect("it is a number"))).boxed()
}

/// Any value at all, not too large.
pub(crate) fn anything() -> BoxedStrategy<Json<'static>> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number(None, None, false),
        text().prop_map(string),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let members = vec((text().prop_map(Cow::Owned), inner.clone()), 0..3);
        prop_oneof![
            vec(inner, 0..3).prop_map(Json::Array),
            members.prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
    .boxed()
}
