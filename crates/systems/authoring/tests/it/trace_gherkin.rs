//! Real Gherkin: everything of the language reaches the cases, and what is broken names its line.

use consign_authoring::trace::{self, Strategy};

use crate::trace::{cases, coverage, traced};

#[test]
fn backgrounds_come_first_in_every_case() {
    let output = traced(
        "Feature: Shop\n  Background:\n    Given a shop\n  Scenario: Buy\n    When I buy\n  Rule: Members only\n    Background:\n      Given a member\n    @slow\n    Scenario: Return\n      When I return\n",
    );
    assert_eq!(
        cases(&output),
        [
            ("Buy", vec!["Given a shop", "When I buy"]),
            ("Return", vec!["Given a shop", "Given a member", "When I return"])
        ]
    );
    assert!(
        output.test_plan.contains("Rule: Members only\n\nTags: @slow\n"),
        "{}",
        output.test_plan
    );
}

#[test]
fn an_outline_is_one_scenario_with_a_case_for_each_row() {
    let output = traced(
        "Feature: Eating\nScenario Outline: Eat <what>\n  Given <n> of <what>\n    | <what> | <other> |\n  When I eat\n    \"\"\"\n    all <n>\n    \"\"\"\nExamples: fruit\n  | what | n |\n  | figs | 2 |\n  | a\\|b | 1 |\nExamples: none\n  | what | n |\n  | nuts | 0 |\n",
    );
    assert_eq!((output.scenario_count, output.total_test_cases), (1, 3));
    let cases = cases(&output);
    assert_eq!(cases[0].0, "Eat figs");
    assert_eq!(cases[0].1, ["Given 2 of figs\n| figs | <other> |", "When I eat\nall 2"]);
    assert_eq!(cases[1].1[0], "Given 1 of a|b\n| a\\|b | <other> |");
    assert_eq!(cases[2].0, "Eat nuts");
    assert_eq!(
        coverage(&output),
        [("Eat <what>", vec!["eating-happy-path", "eating-happy-path-2", "eating-happy-path-3"])]
    );
}

#[test]
fn doc_strings_and_tables_follow_their_step() {
    let output = traced(
        "Scenario: s\n  Given text\n      ```json\n      {\"a\":\n        1}\n\n      # no comment\n      ```\n  And a table\n    | C:\\temp | x |\n    # a comment\n    | 1 | \\\\ |\n  Then done # not a comment\n",
    );
    assert_eq!(
        cases(&output)[0].1,
        [
            "Given text\n{\"a\":\n  1}\n\n# no comment",
            "And a table\n| C:\\\\temp | x |\n| 1 | \\\\ |",
            "Then done # not a comment"
        ]
    );
}

#[test]
fn other_languages_are_read() {
    let spec = "# language: de\nFunktionalität: Anmelden\n  Eine Beschreibung\n\n  Grundlage:\n    Angenommen ein Konto\n\n  @schnell\n  Szenario: Erfolg\n    Wenn ich mich anmelde\n      | a | b |\n    Dann bin ich drin\n  Szenariogrundriss: Zahl <n>\n    Wenn <n>\n    Beispiele:\n      | n |\n      | 1 |\n      | 2 |\n";
    let output = traced(spec);
    assert_eq!(output.strategy, Strategy::Gherkin);
    assert_eq!((output.scenario_count, output.total_test_cases), (2, 3));
    assert_eq!(
        cases(&output)[0],
        (
            "Erfolg",
            vec!["Angenommen ein Konto", "Wenn ich mich anmelde\n| a | b |", "Dann bin ich drin"]
        )
    );
    assert_eq!(cases(&output)[2].1, ["Angenommen ein Konto", "Wenn 2"]);
    assert_eq!(coverage(&output)[0].1, ["anmelden-happy-path"]);
}

#[test]
fn descriptions_may_begin_like_keywords() {
    let output = traced(
        "Feature: f\n  Scenarios are described here.\n  Rule of thumb\n  Given that we like it\n  | no | table |\n\n  Scenario: s\n    Examples of this are many\n    Given a\n",
    );
    assert_eq!(cases(&output), [("s", vec!["Given a"])]);
    assert!(output.test_plan.contains("Scenarios are described here."));
}

#[test]
fn steps_without_keywords_are_steps_all_the_same() {
    let output = traced(
        "Login page\nScenario: User login\nenter the email\nclick submit\n\nScenario: Next\n",
    );
    assert_eq!(
        cases(&output),
        [("User login", vec!["enter the email", "click submit"]), ("Next", vec![])]
    );
}

#[test]
fn what_has_no_steps_swallows_nothing() {
    let output = traced(
        "Feature: f\nBackground:\nRule: a\nRule: b\nScenario: one\nScenario Outline: two\nExamples:\nExamples:\n| x |\n| 1 |\nRule: c\n@t\nScenario: three\nGiven <x>\nScenario:\nGiven y\n",
    );
    let names: Vec<&str> = cases(&output).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["one", "two", "three", "Unnamed scenario"]);
}

#[test]
fn broken_gherkin_is_refused_with_its_line() {
    for (spec, line, word) in [
        ("Feature: f\nScenario: s\nGiven a\nnonsense\nThen b", 4, "nonsense"),
        ("hello\nFeature: f\nScenario: s", 1, "`Feature:`"),
        ("Scenario: s\nGiven a\n| a | b |\n| c |\nThen b", 4, "cells"),
        ("Scenario: s\nGiven a\n\"\"\"\nopen", 3, "doc string"),
        ("Scenario: s\n@a b\nScenario: t", 2, "tag"),
        ("Scenario: s\nGiven a\n@tag\n", 4, "tags"),
        ("Scenario: s\n@tag\nGiven a\n", 3, "expected"),
        ("Scenario: s\nGiven a\nBackground:\nGiven b", 3, "Background"),
        ("Feature: f\nScenario: s\nGiven a\nFeature: g", 4, "Feature: g"),
        ("# language: xx\nFeature: f", 1, "xx"),
        ("Scenario: Login ► Given email ► nonsense\nScenario: b", 1, "nonsense"),
        (
            "# language: de\nFunktionalität: f\nSzenario: s\nAngenommen a\nUnsinn\nDann b",
            5,
            "Unsinn",
        ),
        ("# language: de\nFunktionalität: f\nSzenario: s\nAngenommen a\n@tag", 6, "ends too early"),
        ("# language: de\nSzenario: s\nAngenommen a", 2, "Szenario"),
    ] {
        let refused = trace::check(spec).expect_err(spec);
        assert_eq!(refused.line, Some(line), "{spec:?}: {refused}");
        assert!(refused.message.contains(word), "{spec:?}: {refused}");
        assert!(refused.message.starts_with(&format!("line {line}: ")));
    }
}
