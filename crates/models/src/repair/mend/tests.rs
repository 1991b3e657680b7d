use super::*;

#[test]
fn slips_that_leave_no_doubt_are_mended() {
    let check = |text: &str, mended: &str, repairs: &[Repair]| {
        let piece = value(text, 0).unwrap();
        assert_eq!(piece.spliced.text, mended);
        assert_eq!(piece.repairs.into_vec(), repairs, "{text}");
    };
    check("[1] tail", "[1]", &[]);
    check("[1,\n ]", "[1\n ]", &[Repair::TrailingComma]);
    check("{'a': ['b',],}", r#"{"a": ["b"]}"#, &[Repair::SingleQuotes, Repair::TrailingComma]);
    check("[\"a\nb\tc\u{1}\"]", "[\"a\\nb\\tc\\u0001\"]", &[Repair::RawControl]);
    check("{\"a\": [\"x\"", "{\"a\": [\"x\"]}", &[Repair::ClosingBrackets]);
    check("[[1]\n```\n", "[[1]\n]", &[Repair::ClosingBrackets]);
}

#[test]
fn what_leaves_doubt_is_refused_where_it_stands() {
    let check = |text: &str, offset: usize, why: &str| match value(text, 0) {
        Err(Unmendable::Malformed(malformed) | Unmendable::CutOff(malformed)) => {
            assert_eq!(malformed.offset, offset, "{text}");
            assert!(malformed.to_string().contains(why), "{text}: {malformed}");
        }
        other => panic!("{text}: {other:?}"),
    };
    check("[1 2]", 3, "expected `,` or `]`");
    check("[1,,2]", 3, "expected a value");
    check("[,]", 1, "expected a value");
    check("{a: 1}", 1, "expected a key in double quotes");
    check("{\"a\" 1}", 5, "expected `:`");
    check("{\"a\":}", 5, "a key without a value");
    check("{\"a\"}", 4, "a key without a value");
    check("[1}", 2, "does not fit");
    check("[1, // two\n3]", 4, "a comment");
    check("[“a”]", 1, "typographic");
    check("['it\"s']", 4, "two ways");
    check("['it\\'s']", 4, "two ways");
    check("['it's']", 5, "expected `,`");
    check("[12", 3, "ends inside an array");
    check("[12 \n", 5, "ends inside an array");
    check("[12\n```", 7, "ends inside an array");
    check("{\"a\": true", 10, "ends inside an object");
    check("[1, ", 4, "ends inside an array");
    check("{\"a\": ", 6, "ends inside an object");
    check("{\"a\"", 4, "ends inside an object");
    check("[\"a", 3, "ends inside a string");
    check("[\"a\\", 4, "ends inside a string");
    check("['a", 3, "ends inside a string");
    check("[", 1, "ends inside an array");
}

#[test]
fn depth_and_repairs_are_bounded() {
    let deep = value(&"[".repeat(1_000_000), 0).unwrap_err();
    assert!(deep.to_string().contains("deeper than 128"), "{deep}");
    let torn = format!("[\"{}\"]", "\n".repeat(200_000));
    let torn = value(&torn, 0).unwrap_err();
    assert!(torn.to_string().contains("too much to mend"), "{torn}");
}
