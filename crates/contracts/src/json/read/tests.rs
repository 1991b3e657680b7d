//! The reader against the grammar, against `serde_json`, and against noise.

use proptest::prelude::*;

use super::{Json, Limits, Malformed, Reason, parse, parse_within};

fn refusal(text: &str) -> Malformed {
    parse(text.as_bytes()).expect_err(text)
}

fn nested(levels: usize) -> String {
    "[".repeat(levels) + &"]".repeat(levels)
}

#[test]
fn what_the_grammar_allows_is_read() {
    for text in [
        "null",
        " true ",
        "false",
        "0",
        "-0",
        "12.50e+10",
        "\"\"",
        "\"a\\n\\u00e9\\ud83d\\ude00\"",
        "[]",
        "{}",
        "[1,[2,{\"a\":[]}]]",
        "{\"\":{\"\":1}}",
        "\t\r\n[ 1 , 2 ]\n",
        "\"\u{7f}\u{2028}é😀\"",
        "\"\\/\"",
    ] {
        assert!(parse(text.as_bytes()).is_ok(), "{text}");
    }
}

#[test]
fn what_the_grammar_forbids_is_refused() {
    for text in [
        "nul",
        "True",
        "01",
        "-",
        "1.",
        ".5",
        "+1",
        "1e",
        "0x1",
        "NaN",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{\"a\":1,}",
        "{,}",
        "'a'",
        "\"\t\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "[",
        "{\"a\":1",
        "\"abc",
        "1 2",
        "[]]",
        "// c\n1",
        "\u{feff}{}",
        "\u{a0}1",
    ] {
        assert!(parse(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn refusals_say_what_and_where() {
    let found = |text: &str| {
        let malformed = refusal(text);
        (malformed.reason.code(), malformed.line, malformed.column)
    };
    assert_eq!(found(""), ("empty", 1, 1));
    assert_eq!(found(" \n "), ("empty", 2, 2));
    assert_eq!(found("{\"a\": 1,\n \"b\": tru}"), ("syntax", 2, 7));
    assert_eq!(found("[\"é\", x]"), ("syntax", 1, 7));
    assert_eq!(found("{\"a\": [1, 2"), ("unfinished", 1, 12));
    assert_eq!(
        refusal("{\"a\":1,\n\"b\":2,\"a\":3}").to_string(),
        "duplicate key \"a\" at line 2, column 7"
    );
    let broken = parse(b"[\"a\xff\"]").unwrap_err();
    assert_eq!(broken.to_string(), "invalid UTF-8 at line 1, column 4");
    assert_eq!(
        refusal(&nested(129)).to_string(),
        "the document is nested deeper than 128 levels at line 1, column 129"
    );
}

/// A document that was cut off is said to end, wherever that is; what only looks alike is not.
#[test]
fn a_truncated_document_is_unfinished_and_nothing_else() {
    let whole = r#"{"a": [true, "b\n\u00e9\ud83d\ude00", -1.5e3, {"c": null}], "é": false}"#;
    for end in (1..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        let malformed = refusal(&whole[..end]);
        assert_eq!(malformed.reason.code(), "unfinished", "{}: {malformed}", &whole[..end]);
        assert_eq!(malformed.offset, end, "{}", &whole[..end]);
    }
    let check = |text: &str, told: &str| assert_eq!(refusal(text).to_string(), told, "{text}");
    check("[", "not JSON: the document ends inside an array at line 1, column 2");
    check("[1, ", "not JSON: the document ends inside an array at line 1, column 5");
    check("{\"a\": ", "not JSON: the document ends inside an object at line 1, column 7");
    check("[tru", "not JSON: the document ends inside a value at line 1, column 5");
    check("[\"\\ud83d", "not JSON: the document ends inside a string at line 1, column 9");
    let cut = parse(b"[\"caf\xc3").unwrap_err();
    assert_eq!(cut.reason.code(), "invalid-utf8");
    assert_eq!(
        cut.to_string(),
        "invalid UTF-8: the document ends inside a character at line 1, column 6"
    );
}

#[test]
fn a_refusal_names_the_cause() {
    let check = |text: &str, why: &str| {
        let told = refusal(text).to_string();
        assert!(told.starts_with(&format!("not JSON: {why} at line 1, column ")), "{text}: {told}");
    };
    let unquoted = "expected a value, found text without quotes that is not true, false or null";
    for text in ["nulls", "[trues]", "{\"a\": false_}", "[true1]", "[nil]", "NaN"] {
        check(text, unquoted);
    }
    check("[1,]", "a comma stands before the closing bracket");
    check("{\"a\": 1,}", "a comma stands before the closing bracket");
    check("[+1]", "a number starts with a digit or with `-`");
    check("[.5]", "a number starts with a digit or with `-`");
    check("[01]", "a number has a leading zero");
    check("\"\\x41\"", "invalid escape in a string");
    check("\"\\u12g4\"", "`\\u` wants four hexadecimal digits");
    check("\"\\ud83d\"", "half of a surrogate pair stands alone");
    check("\"\\ud83d\\n\"", "half of a surrogate pair stands alone");
    check("\"\t\"", "a control character in a string must be escaped");
    check(
        "{\"a\": \"b\n}",
        "a line ends inside a string: its closing quote is missing, or the line break is not escaped",
    );
}

#[test]
fn a_duplicate_key_is_refused_however_it_is_written() {
    assert_eq!(refusal(r#"{"a":1,"\u0061":2}"#).reason, Reason::DuplicateKey("a".to_owned()));
    assert_eq!(refusal(r#"{"":1,"":2}"#).reason.code(), "repeated-key");
    assert_eq!(refusal(r#"[{"x":{"k":1,"k":1}}]"#).reason.code(), "repeated-key");
    assert!(parse(br#"{"a":{"a":{"a":1}},"b":{"a":1}}"#).is_ok());
}

#[test]
fn a_duplicate_key_is_found_among_thousands() {
    let object = |repeat: usize| {
        let mut members: Vec<String> = (0..5000).map(|n| format!("\"key{n}\":{n}")).collect();
        members.push(format!("\"key{repeat}\":0"));
        format!("{{{}}}", members.join(","))
    };
    for repeat in [0, 1, 63, 64, 65, 4999] {
        let malformed = refusal(&object(repeat));
        assert_eq!(malformed.reason, Reason::DuplicateKey(format!("key{repeat}")));
        assert_eq!(malformed.offset, object(repeat).rfind(&format!("\"key{repeat}\"")).unwrap());
    }
    assert!(parse(object(5000).as_bytes()).is_ok());
}

#[test]
fn the_first_repetition_is_the_one_that_is_named() {
    let members: Vec<String> = (0..200).map(|n| format!("\"{}\":0", n % 120)).collect();
    let text = format!("{{{}}}", members.join(","));
    assert_eq!(refusal(&text).reason, Reason::DuplicateKey("0".to_owned()));
}

#[test]
fn nesting_ends_at_128() {
    assert!(parse(nested(128).as_bytes()).is_ok());
    assert_eq!(refusal(&nested(129)).reason, Reason::TooDeep { limit: 128 });
    assert_eq!(refusal(&"[".repeat(1_000_000)).reason, Reason::TooDeep { limit: 128 });
    assert_eq!(refusal(&"{\"a\":".repeat(129)).reason, Reason::TooDeep { limit: 128 });
    let wide = format!("[{}]", vec!["[[]]"; 1000].join(","));
    assert!(parse_within(wide.as_bytes(), Limits { depth: 3, ..Limits::default() }).is_ok());
}

#[test]
fn size_ends_at_the_limit() {
    let limits = Limits { bytes: 10, ..Limits::default() };
    assert!(parse_within(b"\"12345678\"", limits).is_ok());
    assert_eq!(
        parse_within(b"\"123456789\"", limits).unwrap_err().to_string(),
        "the document is larger than the limit of 10 bytes"
    );
}

#[test]
fn digits_and_order_survive() {
    let text = r#"{"b":1.10,"a":[1e400,12345678901234567890123,-0.0,1E+2],"c":"\u0000\t"}"#;
    assert_eq!(parse(text.as_bytes()).unwrap().to_string(), text);
}

/// Any JSON text, spelled in odd ways.
fn any_json() -> impl Strategy<Value = String> {
    let string = prop_oneof![
        "[a-z]{0,3}".prop_map(|text| format!("\"{text}\"")),
        any::<String>().prop_map(|text| super::super::quoted(&text)),
        "(\\\\u00[0-7][0-9a-f]|\\\\n|\\\\\"|é|x){0,9}".prop_map(|text| format!("\"{text}\"")),
    ];
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?",
        string,
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8)
                .prop_map(|items| format!("[{}]", items.join(" , "))),
            prop::collection::btree_map("[a-z]{0,6}", inner, 0..8).prop_map(|members| {
                let members: Vec<_> =
                    members.iter().map(|(key, value)| format!("\"{key}\":\n{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// Equal, but for the last bit of a float: serde_json rounds in a faster way.
fn alike(ours: &serde_json::Value, theirs: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            a == b || (a - b).abs() <= a.abs() * 4.0 * f64::EPSILON
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && alike(a.1, b.1))
        }
        _ => ours == theirs,
    }
}

proptest! {
    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn near_misses_never_panic_and_agree_with_serde(text in any_json(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        // serde_json keeps the last of duplicate keys and gives up on large exponents.
        match (parse(&bytes), serde_json::from_slice::<serde_json::Value>(&bytes)) {
            (Ok(ours), Ok(theirs)) => prop_assert!(alike(&ours.to_serde(), &theirs), "{} {}", ours, theirs),
            (Err(malformed), Ok(_)) => prop_assert_eq!(malformed.reason.code(), "repeated-key"),
            (Ok(_), Err(error)) => prop_assert!(error.to_string().contains("number out of range"), "{}", error),
            (Err(_), Err(_)) => {}
        }
    }

    #[test]
    fn what_is_written_reads_the_same(text in any_json()) {
        let document = parse(text.as_bytes()).unwrap();
        let compact = document.to_string();
        let pretty = format!("{document:#}");
        prop_assert_eq!(&parse(compact.as_bytes()).unwrap(), &document);
        prop_assert_eq!(&parse(pretty.as_bytes()).unwrap(), &document);
        prop_assert_eq!(&document.clone().into_owned(), &document);
    }

    #[test]
    fn repeating_any_key_is_refused(text in any_json()) {
        let twice = format!("{{\"k\":{text},\"other\":1,\"k\":2}}");
        prop_assert_eq!(parse(twice.as_bytes()).unwrap_err().reason, Reason::DuplicateKey("k".to_owned()));
    }
}

#[test]
fn equality_ignores_order_and_nothing_else() {
    let parsed = |text: &'static str| parse(text.as_bytes()).unwrap();
    assert_eq!(parsed(r#"{"a":1,"b":[2]}"#), parsed(r#"{"b":[2],"a":1}"#));
    assert_ne!(parsed(r#"{"a":1,"b":2}"#), parsed(r#"{"a":2,"b":1}"#));
    assert_ne!(parsed("[1,2]"), parsed("[2,1]"));
    assert_ne!(parsed("1.0"), parsed("1"));
    assert_eq!(Json::Null, Json::default());
}
