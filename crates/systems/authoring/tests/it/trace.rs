//! Trace, from a specification to its plan: the five strategies and the document's own examples.

use consign_authoring::trace::{self, Framework, Strategy, TraceOutput};
use consign_contracts::{authoring::TestCase, json::Object};

/// The specification of the document's section 7.2.
pub(crate) const LOGIN: &str = "Scenario: User login\nGiven a registered user\nWhen they enter valid credentials\nThen they see the dashboard\n\nScenario: Invalid password\nGiven a registered user\nWhen they enter wrong password\nThen they see an error message";

#[track_caller]
pub(crate) fn traced(spec: &str) -> TraceOutput {
    trace::generate(spec, &Framework::Default, &[]).unwrap_or_else(|why| panic!("{spec:?}: {why}"))
}

/// Names with their steps.
pub(crate) fn cases(output: &TraceOutput) -> Vec<(&str, Vec<&str>)> {
    let cases = &output.files[0].cases;
    cases
        .iter()
        .map(|case| (case.name.as_str(), case.steps.iter().map(String::as_str).collect()))
        .collect()
}

pub(crate) fn coverage(output: &TraceOutput) -> Vec<(&str, Vec<&str>)> {
    let rows = &output.coverage_matrix.0;
    rows.iter()
        .map(|(name, ids)| (name.as_str(), ids.iter().map(String::as_str).collect()))
        .collect()
}

pub(crate) fn artifact<'a>(output: &'a TraceOutput, path: &str) -> &'a str {
    let found = output.artifacts.iter().find(|artifact| artifact.file_path == path);
    found.unwrap_or_else(|| panic!("no {path}")).content.as_deref().expect("it has content")
}

/// Names with their steps.
type Scenarios = &'static [(&'static str, &'static [&'static str])];

#[test]
fn the_example_of_the_document_gives_its_answer() {
    let output = traced(LOGIN);
    assert_eq!(output.files.len(), 1);
    assert_eq!(output.files[0].path, "trace-tests.test.ts");
    assert_eq!(
        cases(&output),
        [
            (
                "User login",
                vec![
                    "Given a registered user",
                    "When they enter valid credentials",
                    "Then they see the dashboard"
                ]
            ),
            (
                "Invalid password",
                vec![
                    "Given a registered user",
                    "When they enter wrong password",
                    "Then they see an error message"
                ]
            ),
        ]
    );
    assert!(output.test_plan.starts_with("# Test Plan\n\n## Scenario: User login\n"));
    assert_eq!(
        coverage(&output),
        [
            ("User login", vec!["login-happy-path"]),
            ("Invalid password", vec!["login-error-handling"])
        ]
    );
    let counts = (output.scenario_count, output.total_test_cases, output.spec_length);
    assert_eq!(counts, (2, 2, LOGIN.chars().count()));
    assert_eq!(output.suggested, 0);
}

#[test]
fn the_three_artifacts_of_the_document_are_made() {
    let output = traced(LOGIN);
    let paths: Vec<&str> = output.artifacts.iter().map(|file| file.file_path.as_str()).collect();
    assert_eq!(paths, ["test-plan.md", "trace-tests.test.ts", "coverage-matrix.md"]);
    assert_eq!(artifact(&output, "test-plan.md"), output.test_plan);
    let matrix = artifact(&output, "coverage-matrix.md");
    assert!(matrix.contains("| Invalid password |  | `login-error-handling` |  |  |"), "{matrix}");
    let file = artifact(&output, "trace-tests.test.ts");
    for part in [
        "import { describe, it } from 'vitest';",
        "it.skip(\"User login [login-happy-path]\", () => {",
        "    // When they enter wrong password\n",
    ] {
        assert!(file.contains(part), "{part}: {file}");
    }
}

#[test]
fn every_strategy_reads_its_example() {
    let dashboard = ["enter email", "click submit", "verify dashboard"];
    for (spec, strategy, name, steps) in [
        (
            "Scenario: Login ► Given email ► When submit ► Then dashboard",
            Strategy::Gherkin,
            "Login",
            vec!["Given email", "When submit", "Then dashboard"],
        ),
        (
            "login -> enter email -> click submit -> see dashboard",
            Strategy::Arrow,
            "login",
            vec!["enter email", "click submit", "see dashboard"],
        ),
        (
            "Login: enter email, click submit, verify dashboard",
            Strategy::Colon,
            "Login",
            dashboard.to_vec(),
        ),
        (
            "User enters email. System validates. Dashboard loads.",
            Strategy::Sentences,
            "User enters email",
            vec!["User enters email", "System validates", "Dashboard loads"],
        ),
        ("Log in with email", Strategy::Lines, "Log in with email", vec!["Log in with email"]),
    ] {
        let output = traced(spec);
        assert_eq!(output.strategy, strategy, "{spec}");
        assert_eq!(cases(&output), [(name, steps)], "{spec}");
        assert_eq!(output.spec_length, spec.chars().count());
    }
}

/// Each row is a specification, its strategy and the names and steps that it gives.
#[test]
fn strategies_are_told_apart() {
    use Strategy::{Arrow, Colon, Gherkin, Lines, Sentences};
    let table: &[(&str, Strategy, Scenarios)] = &[
        ("a -> b\nc -> d -> e", Arrow, &[("a", &["b"]), ("c", &["d", "e"])]),
        ("a -> b. Then c.", Arrow, &[("a", &["b. Then c."])]),
        ("login\n  -> enter email\n  -> submit", Arrow, &[("login", &["enter email", "submit"])]),
        ("a → b", Arrow, &[("a", &["b"])]),
        ("plain line\na -> b", Arrow, &[("plain line", &["plain line"]), ("a", &["b"])]),
        ("A: b; c, d\nE: f", Colon, &[("A", &["b", "c", "d"]), ("E", &["f"])]),
        ("- A: b\n- E: f", Colon, &[("A", &["b"]), ("E", &["f"])]),
        (
            "A: b\nno colon here",
            Lines,
            &[("A: b", &["A: b"]), ("no colon here", &["no colon here"])],
        ),
        (
            "open http://x at 12:30",
            Lines,
            &[("open http://x at 12:30", &["open http://x at 12:30"])],
        ),
        ("A. B: c", Sentences, &[("A", &["A", "B: c"])]),
        (
            "One. Two.\n\nThree. Four.",
            Sentences,
            &[("One", &["One", "Two"]), ("Three", &["Three", "Four"])],
        ),
        (
            "The user opens\nthe page. It loads.",
            Sentences,
            &[("The user opens the page", &["The user opens the page", "It loads"])],
        ),
        (
            "It asks e.g. the name. It ends.",
            Sentences,
            &[("It asks e.g. the name", &["It asks e.g. the name", "It ends"])],
        ),
        (
            "Version 1.2 works. It ends.",
            Sentences,
            &[("Version 1.2 works", &["Version 1.2 works", "It ends"])],
        ),
        ("One sentence.", Sentences, &[("One sentence", &["One sentence"])]),
        ("1. log in\n2. log out", Lines, &[("log in", &["log in"]), ("log out", &["log out"])]),
        (
            "- log in\n---\n* [ ] log out",
            Lines,
            &[("log in", &["log in"]), ("log out", &["log out"])],
        ),
        (
            "Feature: Shop\n- log in\n- log out",
            Lines,
            &[("log in", &["log in"]), ("log out", &["log out"])],
        ),
        ("!!!", Lines, &[("!!!", &["!!!"])]),
        ("Feature: F\nExample: e\n* s", Gherkin, &[("e", &["* s"])]),
        ("```gherkin\nScenario: a\nGiven b\n```", Gherkin, &[("a", &["Given b"])]),
        ("The Scenario: word inside a line", Colon, &[("The Scenario", &["word inside a line"])]),
    ];
    for (spec, strategy, expected) in table {
        let output = traced(spec);
        assert_eq!(output.strategy, *strategy, "{spec:?}");
        let expected: Vec<(&str, Vec<&str>)> =
            expected.iter().map(|(name, steps)| (*name, steps.to_vec())).collect();
        assert_eq!(cases(&output), expected, "{spec:?}");
        assert_eq!(trace::check(spec), Ok(()), "{spec:?}");
    }
}

#[test]
fn a_blank_specification_is_refused() {
    for spec in ["", " \n\t", "\u{feff}\n", "\u{a0}\u{200b}"] {
        let refused = trace::check(spec).expect_err("it is blank");
        assert_eq!(
            (refused.line, refused.to_string().as_str()),
            (None, "the specification is empty")
        );
    }
}

#[test]
fn a_feature_gives_the_subject_and_a_repeated_id_gets_a_number() {
    let output = traced("Feature: Sign in\nlog in -> a\nlog in again -> b\nwrong code -> c");
    assert_eq!(
        coverage(&output),
        [
            ("log in", vec!["sign-in-happy-path"]),
            ("log in again", vec!["sign-in-happy-path-2"]),
            ("wrong code", vec!["sign-in-error-handling"])
        ]
    );
}

#[test]
fn scenarios_of_one_name_share_a_row_of_the_matrix() {
    let output = traced("log in -> a\nlog out -> b\nlog in -> c");
    assert_eq!(
        coverage(&output),
        [
            ("log in", vec!["log-in-happy-path", "log-in-happy-path-3"]),
            ("log out", vec!["log-in-happy-path-2"])
        ]
    );
    assert_eq!((output.scenario_count, output.total_test_cases), (3, 3));
}

#[test]
fn suggested_cases_come_last_and_are_marked() {
    let case = |name: &str, steps: &[&str]| TestCase {
        name: name.to_owned(),
        steps: steps.iter().map(|step| (*step).to_owned()).collect(),
        extra: Object::new(),
    };
    let suggested = [
        case("Guest is not allowed in", &["Given a guest"]),
        case("Suggested: twice", &[]),
        case("  ", &["x"]),
    ];
    let output = trace::generate(LOGIN, &Framework::Default, &suggested).expect("it is good");
    let cases = cases(&output);
    assert_eq!(cases[2], ("Suggested: Guest is not allowed in", vec!["Given a guest"]));
    assert_eq!(cases[3], ("Suggested: twice", vec!["Suggested: twice"]));
    assert_eq!((output.scenario_count, output.total_test_cases, output.suggested), (2, 4, 2));
    assert_eq!(coverage(&output)[2].1, ["login-permission"]);
    assert!(output.test_plan.contains("| Test cases, suggested by a model | 2 |"));
}

#[test]
fn the_length_counts_characters() {
    assert_eq!(traced("Größe 登录 👍").spec_length, 10);
}
