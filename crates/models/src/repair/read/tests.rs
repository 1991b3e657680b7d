use super::*;

fn schema(source: &str) -> (Schema, Data) {
    let source = Data::parse(source).unwrap();
    (Schema::compile(&source.tree().unwrap()).unwrap(), source)
}

#[test]
fn clean_json_is_taken_as_it_is() {
    for text in ["{\"b\": 1.10, \"a\": [1e400]}", "[]", " 42\n", "\"{[\"", "null"] {
        let mended = read(text, None).unwrap();
        assert_eq!(mended.output, Data::parse(text).unwrap());
        assert!(mended.repairs.is_empty(), "{text}");
    }
}

#[test]
fn an_answer_is_mended_and_says_how() {
    let check = |text: &str, output: &str, repairs: &[Repair]| {
        let mended = read(text, None).unwrap();
        assert_eq!(mended.output.as_str(), output);
        assert_eq!(mended.repairs, repairs, "{text}");
    };
    check("\u{feff}[1]", "[1]", &[Repair::ByteOrderMark]);
    check("```json\n42\n```", "42", &[Repair::CodeFence]);
    check("```\n\"see [1]\"\n```", "\"see [1]\"", &[Repair::CodeFence]);
    check("It is [1].", "[1]", &[Repair::SurroundingProse]);
    check("[1] that is, [see] [1]", "[1]", &[Repair::SurroundingProse, Repair::Repetition]);
    check(
        "\u{feff}<think>{}</think>Here:\n```json\n{'a': [\"x\ny\",],}\n```",
        "{\"a\": [\"x\\ny\"]}",
        &[
            Repair::ByteOrderMark,
            Repair::Reasoning,
            Repair::CodeFence,
            Repair::SurroundingProse,
            Repair::RawControl,
            Repair::SingleQuotes,
            Repair::TrailingComma,
        ],
    );
}

#[test]
fn what_cannot_be_mended_says_why_and_where() {
    let check = |text: &str, code: &str, why: &str| {
        let refused = read(text, None).unwrap_err();
        assert_eq!(refused.code(), code, "{text}");
        assert!(refused.to_string().contains(why), "{text}: {refused}");
    };
    for nothing in ["", " \n\t", "\u{feff}", "\u{feff}\u{200b}\u{a0}\0"] {
        check(nothing, "empty", "empty");
    }
    check("I cannot do that.", "no_value", "no JSON value");
    check("```json\n```", "no_value", "no JSON value");
    check("<think>[1]</think>", "no_value", "no JSON value");
    check("[1] or [2]", "several_values", "line 1, column 8");
    check("[1, 2]\n{}", "several_values", "line 2, column 1");
    check("é {\"a\":\n True}", "malformed", "line 2, column 2");
    check("x [1,]\n[\"\\x\",]", "several_values", "line 2");
    check("x\n[\"a\nb\", \"\\x\",]", "malformed", "invalid escape in a string at line 3, column 6");
    check("{\"a\": 1, \"a\": 2,}", "malformed", "duplicate key \"a\" at line 1, column 10");
    check("[1, NaN]", "malformed", "column 5");
    check("[\"a\"", "cut_off", "more of it may be missing");
    check(&"x".repeat((16 << 20) + 1), "malformed", "larger than the limit");
}

#[test]
fn an_answer_that_breaks_its_schema_is_refused_with_its_breaches() {
    let (schema, _) =
        schema(r#"{"properties": {"kind": {"enum": ["open"]}, "n": {"type": "integer"}}}"#);
    let refused =
        read("```\n{\"kind\": \"Open\", \"n\": \"1\",}\n```", Some((&schema).into())).unwrap_err();
    let Unmendable::Breached(verdict) = &refused else { panic!("{refused:?}") };
    let pointers: Vec<_> = verdict.breaches.iter().map(|breach| breach.pointer.as_str()).collect();
    assert_eq!(pointers, ["/kind", "/n"]);
    assert!(refused.to_string().contains("and 1 others"), "{refused}");
}

#[test]
fn brackets_are_closed_only_with_the_schemas_word() {
    let (schema, source) = schema(
        r#"{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}"#,
    );
    let text = "{\"a\": \"x\"";
    let full = Expected { schema: &schema, source: Some(&source) };
    let mended = read(text, Some(full)).unwrap();
    assert_eq!(mended.output.as_str(), "{\"a\": \"x\"}");
    assert_eq!(mended.repairs, [Repair::ClosingBrackets]);
    assert_eq!(read(text, Some((&schema).into())).unwrap_err().code(), "cut_off");
    assert_eq!(read(text, None).unwrap_err().code(), "cut_off");
    assert_eq!(read(&format!("{text},"), Some(full)).unwrap_err().code(), "cut_off");
}

/// None of these may take the square of its length; at this size that would be many minutes.
#[test]
fn hostile_answers_cost_no_more_than_their_length() {
    const SIZE: usize = 256 << 10;
    for seed in [
        "[",
        "{",
        "]",
        "\"",
        "'",
        "<",
        "</",
        "`",
        "<think>",
        "</think>",
        "[a",
        "[a]",
        "[1",
        "[]",
        "[],",
        "[1] x ",
        "{\"a\":",
        "{\"a\":1,",
        "{\"",
        "\\",
        "[\"\\",
        "[[],",
        "```\n",
        "[x] [",
        ",",
        "é",
        "\n",
        "\u{1}",
        "[\"\n",
        "['",
        "['a',",
    ] {
        let text = seed.repeat(SIZE / seed.len());
        assert!(read(&text, None).is_err(), "{seed}");
        let after = format!("{{\"a\":1}} {text}");
        let read = read(&after, None);
        assert!(read.is_err() || read.is_ok_and(|read| read.output.as_str() == "{\"a\":1}"));
    }
}
