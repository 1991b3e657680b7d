//! `consign contracts check`, one document at a time

use serde_json::{Value, json};

use crate::{
    documents::{golden, invalid, one_golden},
    support::{Consign, Folder, Outcome, consign, keys, text},
};

const REQUEST: &str = "bridge/agent-request";
const RESPONSE: &str = "job/agent-response";

/// Checks bytes on standard input, for programs.
fn check(contract: &str, bytes: impl Into<Vec<u8>>) -> Outcome {
    Consign::new(["contracts", "check", contract, "--json"]).stdin(bytes).run()
}

/// Demands that bytes are no document, for this reason.
#[track_caller]
fn malformed(bytes: impl Into<Vec<u8>>, reason: &str) {
    let answer = check(RESPONSE, bytes).exits(1).json();
    assert_eq!(keys(&answer), ["contract", "malformed", "valid"]);
    assert_eq!((text(&answer, "contract"), &answer["valid"]), (RESPONSE, &json!(false)));
    let said = text(&answer, "malformed");
    assert!(said.contains(reason), "{said:?} does not say {reason:?}");
}

#[test]
fn every_golden_document_is_accepted() {
    for (contract, documents) in golden() {
        let lines: Vec<_> = documents.iter().map(|golden| golden.line()).collect();
        let run = Consign::new(["contracts", "check", &contract, "--stream", "--json"])
            .stdin(lines.join("\n"))
            .run();
        let verdicts = run.json_lines();
        assert_eq!(verdicts.len(), documents.len(), "{contract}: {run:#?}");
        for (golden, verdict) in documents.iter().zip(&verdicts) {
            assert_eq!(verdict["valid"], json!(true), "{}: {verdict}", golden.path);
            assert_eq!(verdict["breaches"], json!([]), "{}", golden.path);
            assert_eq!(text(verdict, "contract"), contract);
        }
        run.exits(0);
    }
}

#[test]
fn every_invalid_document_is_refused_with_its_breach_at_its_pointer() {
    let mut count = 0;
    for (contract, cases) in invalid() {
        let lines: Vec<_> = cases.iter().map(|case| case.line.as_str()).collect();
        let run = Consign::new(["contracts", "check", &contract, "--stream", "--json"])
            .stdin(lines.join("\n"))
            .run();
        let verdicts = run.json_lines();
        assert_eq!(verdicts.len(), cases.len(), "{contract}: {run:#?}");
        for (case, verdict) in cases.iter().zip(&verdicts) {
            let breaches = verdict["breaches"].as_array().expect("breaches are a list");
            let named = breaches.iter().any(|breach| {
                breach["pointer"] == *case.pointer && breach["keyword"] == *case.keyword
            });
            assert!(named && verdict["valid"] == false, "{contract}: {}: {verdict}", case.why);
        }
        count += cases.len();
        run.exits(1);
    }
    assert!(count >= 100, "there are only {count} invalid documents");
}

#[test]
fn a_file_is_checked_where_it_lies() {
    for (contract, slug) in [
        (REQUEST, "codebase-analysis"),
        ("envelope/envelope", "nothing-is-lost"),
        ("crew/guardrails.output", "no-risk"),
    ] {
        let golden = one_golden(contract, slug);
        let plain = consign(["contracts", "check", contract, &golden.path]).exits(0);
        assert_eq!(plain.stdout, format!("{}: valid {contract}\n", golden.path));
        let answer = consign(["contracts", "check", contract, &golden.path, "--json"]).exits(0);
        assert_eq!(answer.json(), json!({"contract": contract, "valid": true, "breaches": []}));
    }
}

#[test]
fn a_dash_and_nothing_both_mean_standard_input() {
    let golden = one_golden(RESPONSE, "completed").content;
    for args in [&["contracts", "check", RESPONSE][..], &["contracts", "check", RESPONSE, "-"]] {
        let run = Consign::new(args).stdin(golden.as_str()).run().exits(0);
        assert_eq!(run.stdout, format!("standard input: valid {RESPONSE}\n"));
        assert_eq!(run.stderr, "");
    }
}

#[test]
fn a_verdict_for_programs_has_exactly_the_promised_members() {
    let run = check(RESPONSE, r#"{"action": "DONE", "evidence_files": [1]}"#).exits(1);
    let answer = run.json();
    assert_eq!(keys(&answer), ["breaches", "contract", "valid"]);
    let breaches = answer["breaches"].as_array().expect("breaches are a list");
    let places: Vec<_> =
        breaches.iter().map(|breach| (text(breach, "pointer"), text(breach, "keyword"))).collect();
    assert_eq!(places, [("", "required"), ("/action", "enum"), ("/evidence_files/0", "type")]);
    for breach in breaches {
        assert_eq!(keys(breach), ["keyword", "message", "pointer"]);
        assert!(!text(breach, "message").is_empty());
    }
    // Readers that print the line see the members in the promised order.
    let head = format!(r#"{{"contract":"{RESPONSE}","valid":false,"breaches":[{{"pointer":"","#);
    assert!(run.stdout.starts_with(&head), "{}", run.stdout);
}

#[test]
fn in_a_pipe_a_breach_is_a_line_with_place_rule_and_reason() {
    let run = Consign::new(["contracts", "check", RESPONSE])
        .stdin(r#"{"action": "DONE", "evidence_files": [], "summary_for_supervisor": 1}"#)
        .run()
        .exits(1);
    let lines: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines[0], [format!("standard input: invalid {RESPONSE}")]);
    assert_eq!(lines[1][..2], ["/action", "enum"]);
    assert!(lines[1][2].starts_with("\"DONE\" is not one of"), "{lines:?}");
    assert_eq!(lines[2], ["/summary_for_supervisor", "type", "expected string, found integer"]);
    assert_eq!((lines.len(), run.stderr.as_str()), (3, ""));
}

#[test]
fn a_pointer_escapes_what_pointers_escape() {
    let folder = Folder::new();
    let schema = folder.file("schema.json", r#"{"additionalProperties": {"type": "string"}}"#);
    let answer = Consign::new(["contracts", "check", "--schema", &schema, "--json"])
        .stdin(r#"{"a/b~c": 1, "": 2}"#)
        .run()
        .exits(1)
        .json();
    let pointers: Vec<_> =
        answer["breaches"].as_array().into_iter().flatten().map(|b| text(b, "pointer")).collect();
    assert_eq!(pointers, ["/", "/a~1b~0c"]);
}

#[test]
fn a_document_with_a_thousand_breaches_is_cut_short() {
    let folder = Folder::new();
    let schema = folder.file("schema.json", r#"{"items": {"type": "string"}}"#);
    let document = format!("[{}0]", "0,".repeat(999));
    let answer = Consign::new(["contracts", "check", "--schema", &schema, "--json"])
        .stdin(document)
        .run()
        .exits(1)
        .json();
    let listed = answer["breaches"].as_array().map(Vec::len);
    assert!(listed.is_some_and(|count| (1..1000).contains(&count)), "{listed:?}");
    assert_eq!(answer["more"], json!(true));
}

#[test]
fn a_duplicate_key_is_malformed_and_called_so() {
    malformed(r#"{"action": "COMPLETED", "action": "STUCK"}"#, r#"duplicate key "action""#);
    malformed(r#"{"action": 1, "\u0061ction": 1}"#, r#"duplicate key "action""#);
    malformed(r#"[{"a": {"": 1, "": 1}}]"#, r#"duplicate key """#);
}

#[test]
fn invalid_utf8_is_malformed() {
    malformed(b"{\"a\": \"\xFF\"}", "invalid UTF-8 at line 1, column 8");
    malformed(b"\xC3", "invalid UTF-8: the document ends inside a character");
    // A surrogate, an overlong slash, a code point beyond the last.
    malformed(b"\"\xED\xA0\x80\"", "invalid UTF-8");
    malformed(b"\"\xC0\xAF\"", "invalid UTF-8");
    malformed(b"\"\xF4\x90\x80\x80\"", "invalid UTF-8");
    malformed(br#""\ud800""#, "surrogate");
}

#[test]
fn nesting_is_read_up_to_128_levels() {
    let nest = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let objects = |levels: usize| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    for deep in [nest(128), objects(128)] {
        let answer = check(RESPONSE, deep).exits(1).json();
        assert_eq!(keys(&answer), ["breaches", "contract", "valid"], "{answer}");
    }
    malformed(nest(129), "nested deeper than 128 levels");
    malformed(objects(129), "nested deeper than 128 levels");
    malformed("[".repeat(1_000_000), "nested deeper than 128 levels");
}

#[test]
fn a_document_may_be_as_large_as_the_limit_and_no_larger() {
    let golden = one_golden(RESPONSE, "completed");
    let run = |limit: usize| {
        let limit = limit.to_string();
        let args = ["contracts", "check", RESPONSE, &golden.path, "--json", "--max-bytes", &limit];
        consign(args)
    };
    assert_eq!(run(golden.content.len()).exits(0).json()["valid"], json!(true));
    for limit in [golden.content.len() - 1, 1, 0] {
        let answer = run(limit).exits(1).json();
        assert_eq!(keys(&answer), ["contract", "malformed", "valid"]);
        let said = text(&answer, "malformed");
        assert!(said.contains(&format!("larger than the limit of {limit} bytes")), "{said}");
    }
}

#[test]
fn without_a_limit_of_their_own_documents_end_at_16_mebibytes() {
    let golden = one_golden(RESPONSE, "completed").content;
    let padded = |size: usize| golden.clone() + &" ".repeat(size - golden.len());
    assert_eq!(check(RESPONSE, padded(16 << 20)).exits(0).json()["valid"], json!(true));
    malformed(padded((16 << 20) + 1), "larger than the limit of 16777216 bytes");
}

#[test]
fn the_largest_limit_there_is_is_a_limit_like_any_other() {
    let golden = one_golden(RESPONSE, "completed");
    for limit in [u64::MAX, u64::MAX - 1, 1 << 63] {
        for stream in [&[][..], &["--stream"]] {
            let limit = limit.to_string();
            let args = ["contracts", "check", RESPONSE, "--max-bytes", &limit];
            Consign::new([&args, stream].concat()).stdin(golden.line()).run().exits(0);
        }
    }
}

#[test]
fn a_limit_that_is_no_number_is_a_mistake() {
    for limit in ["", "ten", "1.5", "18446744073709551616", "1k"] {
        consign(["contracts", "check", RESPONSE, "--max-bytes", limit]).fails(2, "USAGE");
    }
}

#[test]
fn nothing_is_no_document() {
    malformed("", "the document is empty");
    malformed(" \r\n\t", "the document is empty");
}

#[test]
fn a_byte_order_mark_is_named() {
    malformed("\u{FEFF}{}", "byte order mark");
}

#[test]
fn what_is_not_json_is_malformed_where_it_stops_being_json() {
    for (text, reason) in [
        ("{\n  action: 1}", "at line 2, column 3"),
        ("{\"a\": 1,}", "column 9"),
        ("[1 2]", "expected `,` or `]`"),
        ("{} {}", "more after the document's end"),
        ("{\"a\"", "ends inside an object"),
        ("{\"a\": ", "ends inside an object at line 1, column 7"),
        ("[\"\\ud83d", "ends inside a string"),
        ("\"a\nb\"", "a line ends inside a string"),
        ("01", "not JSON"),
        ("+1", "not JSON"),
        ("1.", "not JSON"),
        ("NaN", "not JSON"),
        ("nul", "the document ends inside a value at line 1, column 4"),
        ("nulls", "found text without quotes"),
        ("'a'", "not JSON"),
        ("// note\n{}", "not JSON"),
        ("\"\\x41\"", "invalid escape"),
        ("\u{a0}{}", "not JSON"),
        ("\0", "not JSON"),
    ] {
        malformed(text, reason);
    }
}

#[test]
fn in_a_pipe_a_malformed_document_says_so_in_one_line() {
    let run =
        Consign::new(["contracts", "check", RESPONSE]).stdin(r#"{"a":1,"a":2}"#).run().exits(1);
    assert_eq!(run.stdout, "standard input: malformed: duplicate key \"a\" at line 1, column 8\n");
    assert_eq!(run.stderr, "");
}

/// Checks a document against a schema of the user's own.
fn against(schema: &Value, document: &str) -> Outcome {
    let folder = Folder::new();
    let schema = folder.file("schema.json", schema.to_string());
    Consign::new(["contracts", "check", "--schema", &schema, "--json"]).stdin(document).run()
}

#[test]
fn a_schema_without_a_draft_is_draft_07() {
    // `items` as a list is draft-07, `prefixItems` came later.
    against(&json!({"items": [{"type": "string"}]}), "[1]").exits(1);
    against(&json!({"prefixItems": [{"type": "string"}]}), "[1]").exits(0);
    against(&json!({"$ref": "#/definitions/a", "definitions": {"a": false}}), "1").exits(1);
}

#[test]
fn both_drafts_are_read_as_they_say() {
    for (draft, prefix_items) in [
        ("http://json-schema.org/draft-07/schema#", 0),
        ("http://json-schema.org/draft-07/schema", 0),
        ("https://json-schema.org/draft/2020-12/schema", 1),
        ("https://json-schema.org/draft/2020-12/schema#", 1),
    ] {
        let schema = json!({"$schema": draft, "prefixItems": [{"type": "string"}]});
        against(&schema, "[1]").exits(prefix_items);
        let schema = json!({"$schema": draft, "format": "uuid"});
        let breach = &against(&schema, r#""no uuid""#).exits(1).json()["breaches"][0];
        assert_eq!(text(breach, "keyword"), "format", "{draft} must assert formats");
    }
}

#[test]
fn any_other_draft_is_refused_with_a_hint() {
    for draft in [
        json!("http://json-schema.org/draft-04/schema#"),
        json!("http://json-schema.org/draft-06/schema#"),
        json!("https://json-schema.org/draft/2019-09/schema"),
        json!("https://example.com/my-own"),
        json!(""),
        json!(7),
    ] {
        against(&json!({"$schema": draft}), "1")
            .fails(1, "SCHEMA_UNUSABLE")
            .telling("only draft-07 and 2020-12 are supported")
            .telling("leave `$schema` out");
    }
}

#[test]
fn a_reference_out_of_the_schema_is_not_followed() {
    let folder = Folder::new();
    let other = folder.file("other.json", "true");
    for reference in
        ["http://example.com/order.json", "https://127.0.0.1:1/", &format!("file://{other}")]
    {
        against(&json!({"properties": {"a": {"$ref": reference}}}), "{}")
            .fails(1, "SCHEMA_UNUSABLE")
            .telling(reference)
            .telling("copy what it refers to into `definitions`");
    }
    // A neighbour on the disk is out of the schema as well.
    let schema = folder.file("schema.json", r#"{"$ref": "other.json"}"#);
    Consign::new(["contracts", "check", "--schema", &schema])
        .folder(folder.path())
        .stdin("1")
        .run()
        .fails(1, "SCHEMA_UNUSABLE")
        .telling("copy what it refers to");
}

#[test]
fn a_reference_inside_the_schema_is_followed() {
    let tree = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.com/tree",
        "$ref": "#/$defs/node",
        "$defs": {"node": {"properties": {
            "value": {"type": "integer"},
            "children": {"items": {"$ref": "#/$defs/node"}},
        }}},
    });
    against(&tree, r#"{"children": [{"value": 1, "children": []}]}"#).exits(0);
    let answer =
        against(&tree, r#"{"children": [{"children": [{"value": "1"}]}]}"#).exits(1).json();
    assert_eq!(text(&answer["breaches"][0], "pointer"), "/children/0/children/0/value");
}

#[test]
fn a_schema_that_goes_in_circles_comes_to_an_end() {
    for circle in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$ref": "#/definitions/a", "definitions": {
            "a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"},
        }}),
    ] {
        let run = against(&circle, "1");
        assert!(matches!(run.code, Some(0 | 1)), "{circle}: {run:#?}");
    }
}

#[test]
fn a_schema_that_is_none_is_refused() {
    let folder = Folder::new();
    let deep = format!("{}{}", r#"{"not":"#.repeat(200), "}".repeat(200));
    for content in [
        "",
        "{",
        "not json",
        r#"{"type": "string", "type": "number"}"#,
        "7",
        "[]",
        r#"{"type": "text"}"#,
        r#"{"minimum": "1"}"#,
        r#"{"pattern": "("}"#,
        r##"{"$ref": "#/definitions/missing"}"##,
        &deep,
    ] {
        let schema = folder.file("schema.json", content);
        let run = Consign::new(["contracts", "check", "--schema", &schema]).stdin("1").run();
        assert_eq!(run.code, Some(1), "{content}: {run:#?}");
        run.fails(1, "SCHEMA_UNUSABLE");
    }
}

#[test]
fn with_a_schema_every_word_is_a_document() {
    let folder = Folder::new();
    let schema = folder.file("schema.json", r#"{"type": "integer"}"#);
    let (good, bad) = (folder.file("good.json", "1"), folder.file("bad.json", "[]"));
    let check = |files: &[&str]| {
        let head = ["contracts", "check", "--json", "--schema", &schema];
        Consign::new([&head, files].concat()).stdin("1").run()
    };
    for files in [&[][..], &["-"], &[good.as_str()]] {
        let answer = check(files).exits(0).json();
        assert_eq!(text(&answer, "contract"), schema);
        assert!(answer.get("file").is_none(), "one document needs no name: {answer}");
    }
    let answers = check(&[&good, &bad, "-"]).exits(1).json_lines();
    let told: Vec<_> = answers.iter().map(|one| (text(one, "file"), &one["valid"])).collect();
    let (yes, no) = (serde_json::json!(true), serde_json::json!(false));
    assert_eq!(told, [(good.as_str(), &yes), (bad.as_str(), &no), ("standard input", &yes)]);
    // A contract's name in front of the documents would be a claim that nobody checked.
    check(&[RESPONSE, &good]).fails(1, "FILE_UNREADABLE");
}

#[test]
fn a_word_that_means_nothing_in_a_schema_is_pointed_out() {
    let folder = Folder::new();
    let schema = folder.file("schema.json", r#"{"propertys": {}, "type": "object"}"#);
    let run = Consign::new(["contracts", "check", "--schema", &schema]).stdin("{}").run().exits(0);
    assert!(run.stderr.contains("`propertys` at the top has no meaning"), "{run:#?}");
    assert!(run.stderr.contains("did you mean `properties`?"), "{run:#?}");
}

#[test]
fn a_document_in_the_place_of_the_schema_is_refused() {
    let folder = Folder::new();
    let document = folder.file("order.json", r#"{"id": "a", "qty": 2}"#);
    let run = Consign::new(["contracts", "check", "--schema", &document]).stdin("{}").run();
    run.fails(1, "SCHEMA_UNUSABLE").telling("swapped");
    let compat = ["contracts", "compat", "job/manifest", "@", &document];
    consign(compat).fails(1, "SCHEMA_UNUSABLE").telling("swapped");
}

#[test]
fn a_schema_may_come_from_standard_input() {
    let folder = Folder::new();
    let document = folder.file("document.json", "1");
    for (schema, code) in [(r#"{"type": "integer"}"#, 0), (r#"{"type": "string"}"#, 1)] {
        let args = ["contracts", "check", "--schema", "-", &document];
        Consign::new(args).stdin(schema).run().exits(code);
    }
}

#[test]
fn schema_and_document_cannot_both_come_from_standard_input() {
    for words in [&[][..], &["-"], &["orders/order", "-"]] {
        let args = [&["contracts", "check", "--schema", "-"], words].concat();
        Consign::new(args).stdin("{}").run().fails(2, "USAGE").telling("standard input");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_with_its_name() {
    let folder = Folder::new();
    let (missing, directory) = (folder.path().join("missing.json"), folder.path().to_owned());
    let below = folder.file("file", "").to_owned() + "/below";
    for (path, hint) in [
        (missing.to_str().expect("a plain name"), "check the path"),
        (directory.to_str().expect("a plain name"), "Is a directory"),
        (&below, "Not a directory"),
    ] {
        for args in [
            &["contracts", "check", RESPONSE, path][..],
            &["contracts", "check", RESPONSE, path, "--json"],
            &["contracts", "check", RESPONSE, path, "--stream"],
            &["contracts", "check", "--schema", path],
        ] {
            consign(args).fails(1, "FILE_UNREADABLE").telling(path).telling(hint);
        }
    }
}

#[test]
fn a_file_in_the_working_directory_needs_no_path() {
    let folder = Folder::new();
    folder.file("answer.json", one_golden(RESPONSE, "completed").content);
    let run = Consign::new(["contracts", "check", RESPONSE, "answer.json"])
        .folder(folder.path())
        .run()
        .exits(0);
    assert_eq!(run.stdout, format!("answer.json: valid {RESPONSE}\n"));
}

#[test]
fn an_unknown_contract_is_a_mistake_before_anything_is_read() {
    consign(["contracts", "check", "job/agent-respons", "/no/such/file"])
        .fails(2, "CONTRACT_UNKNOWN")
        .telling(&format!("did you mean `{RESPONSE}`?"));
}

#[test]
fn too_few_and_too_many_words_are_mistakes() {
    consign(["contracts", "check"]).fails(2, "USAGE").telling("`consign contracts list`");
    consign(["contracts", "check", RESPONSE, "-", "-"]).fails(2, "USAGE");
}
