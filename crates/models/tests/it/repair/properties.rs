//! What holds for any text at all, by generated ones.

use std::ops::Range;

use consign_contracts::json::{self, Json};
use consign_engine::Data;
use consign_models::repair::{errors_for_model, read};
use proptest::{
    prelude::*,
    sample::Index,
    test_runner::{Config, RngSeed},
};

use super::{
    bases,
    tokens::{Kind, tokens, with},
};

fn config() -> Config {
    Config {
        cases: 2000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(4),
        ..Config::default()
    }
}

/// Every key and value that was read stands in the text, in the same order.
fn is_made_of(output: &Data, text: &str) -> bool {
    // What may look different on the way: control characters, as escapes.
    let mut shown = String::new();
    for letter in text.chars() {
        match letter {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            control if control.is_control() => {
                shown.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            plain => shown.push(plain),
        }
    }
    let mut rest = shown.as_str();
    tokens(output.as_str()).iter().all(|token| {
        let part = match token.kind {
            Kind::Mark => return true,
            Kind::Key | Kind::Text => &output.as_str()[token.range.start + 1..token.range.end - 1],
            Kind::Number | Kind::Word => &output.as_str()[token.range.clone()],
        };
        let found = rest.find(part);
        rest = found.map_or("", |at| &rest[at + part.len()..]);
        found.is_some()
    })
}

fn check(text: &str) {
    for base in [None, Some(0), Some(3), Some(5)] {
        let expected = base.map(|base: usize| bases::ALL[base].expected());
        match read(text, expected) {
            Ok(mended) => {
                assert!(is_made_of(&mended.output, text), "{mended:?} from {text:?}");
                let again = read(mended.output.as_str(), expected).unwrap();
                assert_eq!(again.output, mended.output);
                assert!(again.repairs.is_empty(), "{mended:?}");
            }
            Err(unmendable) => assert!(errors_for_model(&unmendable).len() <= 4096),
        }
    }
}

fn value() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        any::<String>(),
        "[ a-z{}\\[\\]\"'`<>/\\\\,:\n\t0-9]{0,12}",
        Just("</think>".to_owned()),
    ];
    let scalar = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,4})?",
        text.clone().prop_map(|text| Json::from(text.as_str()).to_string()),
    ];
    scalar.prop_recursive(5, 40, 6, move |inner| {
        let members = proptest::collection::btree_map(text.clone(), inner.clone(), 0..6);
        prop_oneof![
            proptest::collection::vec(inner, 0..6)
                .prop_map(|items| format!("[{}]", items.join(","))),
            members.prop_map(|members| {
                let member = |(key, value): (String, String)| {
                    format!("{}: {value}", Json::from(key.as_str()))
                };
                format!("{{{}}}", members.into_iter().map(member).collect::<Vec<_>>().join(", "))
            }),
        ]
    })
}

/// Pieces of what models write.
fn scrap() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "'",
            "\\",
            "\n",
            "\t",
            "```",
            "```json\n",
            "<think>",
            "</think>",
            "true",
            "None",
            "NaN",
            "12",
            "-0.5e3",
            "\"a\"",
            "\"b\": ",
            "'c'",
            "[x]",
            "//",
            "/* */",
            "\u{feff}",
            "é",
            "…",
            " ",
            "words ",
            "{\"a\": 1}",
            "[1, 2]",
            "\u{0}",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,3}",
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn clean_json_comes_back_as_it_was(text in value()) {
        let truth = json::parse(text.as_bytes()).unwrap();
        for layout in [text.clone(), truth.to_string(), format!("{truth:#}")] {
            let mended = read(&layout, None).unwrap();
            prop_assert!(mended.repairs.is_empty());
            prop_assert_eq!(&mended.output, &Data::parse(layout).unwrap());
            prop_assert_eq!(mended.output.tree().unwrap(), truth.clone());
        }
    }

    #[test]
    fn words_around_a_value_leave_it_as_it_was(text in value()) {
        let truth = json::parse(text.as_bytes()).unwrap();
        let told = format!("Here is the answer:\n\n{text}\n\nThat's it.");
        match read(&told, None) {
            Ok(mended) => prop_assert_eq!(mended.output.tree().unwrap(), truth),
            // A number among words is a word.
            Err(_) => prop_assert!(!matches!(truth, Json::Object(_) | Json::Array(_))),
        }
    }

    #[test]
    fn any_text_is_read_without_panic_and_nothing_is_made_up(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_scraps_are_read_without_panic_and_nothing_is_made_up(
        scraps in proptest::collection::vec(scrap(), 0..24),
    ) {
        check(&scraps.concat());
    }

    #[test]
    fn a_damaged_value_is_read_without_panic_and_nothing_is_made_up(
        text in value(),
        damage in proptest::collection::vec((any::<Index>(), 0..4_usize, scrap()), 1..4),
    ) {
        let mut text = format!("So: {text}");
        for (place, length, scrap) in damage {
            let start = text.floor_char_boundary(place.index(text.len()));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text = with(&text, &[(Range { start, end }, scrap)]);
        }
        check(&text);
    }

    #[test]
    fn a_cut_off_object_is_never_read_without_a_schema(text in value(), place in any::<Index>()) {
        let end = text.floor_char_boundary(place.index(text.len()));
        if text.starts_with(['{', '[']) && end > 0 {
            prop_assert!(read(&text[..end], None).is_err());
        }
    }
}
