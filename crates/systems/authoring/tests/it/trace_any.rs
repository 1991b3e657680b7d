//! Any text at all: Trace does not panic, gives the same twice, and its files stay files.

use consign_authoring::trace::{self, Framework, TraceOutput};
use proptest::prelude::*;

use crate::trace::artifact;

const FRAMEWORKS: [Framework; 6] = [
    Framework::Default,
    Framework::Vitest,
    Framework::Jest,
    Framework::Pytest,
    Framework::CargoTest,
    Framework::GoTest,
];

/// Lines that mean something to some strategy, and pieces that want out of a string or a comment.
fn any_spec() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => prop::sample::select(vec![
            "Feature: F", "Scenario: S <a>", "Scenario Outline: O <a>", "Background:", "Rule: R",
            "Examples:", "| a | b |", "| 1 |", "|", "@tag", "@tag # c", "@", "Given <a>", "And x", "* y",
            "\"\"\"", "```", "# language: fr", "# language: zz", "# c", "", "Fonctionnalité: f",
            "Scénario: s", "Soit x", "a -> b", "-> c", "A: b, c", "One. Two.", "► Then z", "- x",
        ]).prop_map(str::to_owned),
        2 => prop::sample::select(vec![
            "\"); process.exit(1); (\"", "*/ x /*", "\"\"\" + x", "`${x}`", "\\", "\\\"", "'", "\u{2028}x", "\r",
            "\u{0}", "\u{85}", "\u{202e}", "\u{feff}", "{}", "#[test]", "<!-- -->", "\u{b}", "\u{c}y",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let indented = ("[ \t]{0,3}", line).prop_map(|(indent, line)| indent + &line);
    prop_oneof![
        1 => any::<String>(),
        4 => prop::collection::vec(indented, 0..24).prop_map(|lines| lines.join("\n")),
        1 => prop::collection::vec(any_piece(), 0..24).prop_map(|pieces| format!("Scenario: a\nGiven {}", pieces.concat())),
    ]
}

fn any_piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\n".to_owned()),
        Just("\\".to_owned()),
        Just("\"".to_owned()),
        Just("| ".to_owned()),
        any::<char>().prop_map(String::from)
    ]
}

proptest! {
    #[test]
    fn any_text_gives_the_same_twice_and_never_panics(spec in any_spec()) {
        for framework in FRAMEWORKS {
            let once = trace::generate(&spec, &framework, &[]);
            prop_assert_eq!(&once, &trace::generate(&spec, &framework, &[]));
            prop_assert_eq!(trace::check(&spec).err(), once.as_ref().err().cloned());
            match once {
                Ok(output) => holds(&spec, framework, &output),
                Err(refused) => {
                    let lines = u32::try_from(spec.replace("\r\n", "\n").replace('\r', "\n").lines().count()).unwrap();
                    prop_assert!(refused.line.is_none_or(|line| line >= 1 && line <= lines + 1));
                }
            }
        }
    }
}

fn holds(spec: &str, framework: Framework, output: &TraceOutput) {
    let cases: usize = output.files.iter().map(|file| file.cases.len()).sum();
    assert_eq!(output.total_test_cases, cases);
    let mut ids: Vec<&String> = output.coverage_matrix.0.iter().flat_map(|(_, ids)| ids).collect();
    assert_eq!(ids.len(), cases);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), cases, "an id is there twice");
    assert_eq!(output.spec_length, spec.chars().count());
    let file = artifact(output, framework.path());
    sound(framework, file);
    let matrix = artifact(output, "coverage-matrix.md");
    for row in matrix.lines().filter(|line| line.starts_with('|')) {
        let bars = row.replace("\\\\", "").replace("\\|", "").matches('|').count();
        assert_eq!(bars, 6, "{row}");
    }
}

/// Every line is one of the few forms that a file is made of.
fn sound(framework: Framework, file: &str) {
    let hidden = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert!(!file.contains(hidden), "{file:?}");
    assert!(!file.contains(['\u{2028}', '\u{2029}', '\u{202e}', '\u{feff}', '\u{85}']), "{file:?}");
    let mut names = Vec::new();
    for line in file.lines() {
        let code = line.trim();
        let good = match framework {
            Framework::Default | Framework::Vitest | Framework::Jest => {
                code.is_empty()
                    || code.starts_with("//")
                    || code == "import { describe, it } from 'vitest';"
                    || code == "});"
                    || is_call(code, "describe(")
                    || is_call(code, "it.skip(")
            }
            Framework::Pytest => {
                names.extend(code.strip_prefix("def "));
                code.is_empty()
                    || code.starts_with('#')
                    || code == "import pytest"
                    || code.starts_with("@pytest.mark.skip(")
                    || is_function(code, "def test_", "():")
                    || is_string(code)
            }
            Framework::CargoTest => {
                names.extend(code.strip_prefix("fn "));
                code.is_empty()
                    || code.starts_with("//")
                    || ["}", "#[test]", "#[ignore = \"not written yet\"]"].contains(&code)
                    || is_function(code, "fn ", "() {")
            }
            Framework::GoTest => {
                names.extend(code.strip_prefix("func "));
                let known = [
                    "}",
                    "package tracetests",
                    "import \"testing\"",
                    "t.Skip(\"not written yet\")",
                ];
                code.is_empty()
                    || code.starts_with("//")
                    || known.contains(&code)
                    || is_function(code, "func Test", "(t *testing.T) {")
            }
        };
        assert!(good, "{framework:?}: {line:?}");
    }
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "a function is there twice");
}

fn is_call(code: &str, start: &str) -> bool {
    let string = code.strip_prefix(start).and_then(|rest| rest.strip_suffix(", () => {"));
    string.is_some_and(is_string)
}

fn is_function(code: &str, start: &str, end: &str) -> bool {
    let name = code.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    name.is_some_and(|name| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && (start != "fn " || !name.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// One string in double quotes, and nothing after it.
fn is_string(code: &str) -> bool {
    let Some(inside) = code.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return false;
    };
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        if c == '"' || (c == '\\' && chars.next().is_none()) {
            return false;
        }
    }
    true
}

#[test]
fn a_specification_that_would_grow_without_bound_is_refused() {
    let many = |line: &str, times: usize| line.repeat(times);
    for (what, spec) in [
        (
            "rows times steps",
            format!(
                "Scenario Outline: o\n{}Examples:\n| a |\n{}",
                many("* <a>\n", 900),
                many("| 1 |\n", 900)
            ),
        ),
        (
            "a background in every scenario",
            format!(
                "Feature: f\nBackground:\n{}{}",
                many("* b\n", 900),
                many("Scenario: s\n* a\n", 900)
            ),
        ),
        (
            "a value in one step",
            format!(
                "Scenario Outline: o\n* {}\nExamples:\n| a |\n| {} |",
                many("<a>", 5_000),
                many("x", 5_000)
            ),
        ),
        (
            "tags in every scenario",
            format!(
                "{}\nFeature: f\n{}",
                (0..900).map(|n| format!("@t{n} ")).collect::<String>(),
                many("Scenario: s\n* a\n", 900)
            ),
        ),
        ("lines", format!("Scenario: s\n{}", many("* a\n", 20_001))),
    ] {
        let refused = trace::check(&spec).expect_err(what);
        assert!(refused.message.contains("split"), "{what}: {refused}");
    }
    // Blank lines cost nothing.
    let spec = format!("Scenario: s\n{}* a", many("\n", 1_000_000));
    assert_eq!(trace::check(&spec), Ok(()));
}
