//! Drafts: what was found, and nothing else.

use super::*;
use crate::{
    agents::{front_matter, recommend},
    analysis::{Commands, KeyFile, Layer, Testing},
    package::ExistingAgents,
};

fn shop() -> Analysis {
    Analysis {
        commands: Commands { test: Some("dotnet test".to_owned()), ..Commands::default() },
        ..super::super::recommend::tests::shop()
    }
}

fn drafted(name: &str) -> String {
    let analysis = shop();
    let specs = recommend(&analysis, &ExistingAgents::default());
    let spec = specs.iter().find(|spec| spec.name == name).expect("it is recommended");
    draft(spec, &analysis).content
}

#[test]
fn a_draft_says_what_was_found() {
    assert_eq!(
        drafted("xunit-test-writer"),
        r#"---
name: "xunit-test-writer"
description: "Writes and mends tests with xUnit, in the style of those that are there."
technologies: ["xUnit", "testing", "C#"]
tools: "Read, Write, Edit, Grep, Glob, Bash"
priority: 8
---

# xUnit test writer

Writes and mends tests with xUnit, in the style of those that are there.

## Why it is here

xUnit runs 1 test file, seen in tests/OrderTests.cs.

## Responsibilities

- Tests with xUnit: 1 file.

## Conventions of the project

- Names of types: `PascalCase` (90 places).
- Failures: exceptions (7 places).
- Indentation: 4 spaces.

## Where to look

- `tests/OrderTests.cs`: shows it
- `src/Program.cs`: entry point

## Commands

- Test: `dotnet test`

## What to avoid

- Another test framework than xUnit.
- Names of types that are not `PascalCase`.
"#
    );
}

#[test]
fn a_layer_without_tests_is_told() {
    let mut analysis = shop();
    analysis.layers = vec![Layer {
        name: "mail".to_owned(),
        folders: vec!["src/mail".to_owned()],
        files: 4,
        tests: 0,
    }];
    let spec = AgentSpec {
        name: "mail".to_owned(),
        technologies: vec!["mail".to_owned()],
        ..AgentSpec::default()
    };
    let content = draft(&spec, &analysis).content;
    assert!(content.contains("- The mail layer: 4 files in `src/mail`.\n"), "{content}");
    assert!(content.contains("- More of the mail layer without a test: it has none yet.\n"));
}

#[test]
fn nothing_found_leaves_no_empty_section() {
    let spec = AgentSpec { name: "go".to_owned(), ..AgentSpec::default() };
    let content = draft(&spec, &Analysis::default()).content;
    assert!(!content.contains("## "), "{content}");
    assert!(front_matter(&content).is_some());
}

#[test]
fn a_hostile_project_cannot_write_lines_of_its_own() {
    let evil = "x`\n\n---\n# evil\n\u{1b}[2J";
    let mut analysis = shop();
    analysis.commands.test = Some(evil.to_owned());
    analysis.conventions.naming[0].value = evil.to_owned();
    analysis.testing[0].evidence[0].path = evil.to_owned();
    analysis.testing[0].framework = evil.to_owned();
    analysis.key_files[1].path = evil.to_owned();
    for spec in recommend(&analysis, &ExistingAgents::default()) {
        let content = draft(&spec, &analysis).content;
        assert_eq!(content.lines().filter(|line| *line == "---").count(), 2, "{content}");
        assert_eq!(content.lines().filter(|line| line.starts_with("# ")).count(), 1, "{content}");
        assert!(!content.contains('\u{1b}'));
    }
}

#[test]
fn rules_never_contradict_each_other() {
    let mut analysis = shop();
    let count = |of: &str, value: &str, count: usize| Count {
        of: of.to_owned(),
        value: value.to_owned(),
        count,
    };
    analysis.conventions.naming = vec![
        count("functions", "PascalCase", 60),
        count("functions", "camelCase", 40),
        count("files", "PascalCase", 80),
        count("files", "kebab-case", 20),
        count("types", "PascalCase", 4),
    ];
    analysis.testing.push(Testing {
        framework: "NUnit".to_owned(),
        files: 1,
        ..Testing::default()
    });
    for spec in recommend(&analysis, &ExistingAgents::default()) {
        let content = draft(&spec, &analysis).content;
        assert!(content.contains("- Names of files: `PascalCase` (80 places).\n"), "{content}");
        for absent in ["functions", "kebab", "Names of types", "Another test framework"] {
            assert!(!content.contains(absent), "{absent}: {content}");
        }
    }
}

#[test]
fn a_heading_is_written_as_people_write_it() {
    for (name, technology, expected) in [
        ("mvc-pattern-specialist", "MVC", "MVC pattern specialist"),
        ("net-maui-specialist", ".NET MAUI", ".NET MAUI specialist"),
        ("pytest-test-writer", "pytest", "Pytest test writer"),
        ("mvcs-specialist", "MVC", "Mvcs specialist"),
        ("", "MVC", ""),
    ] {
        assert_eq!(heading(name, &[technology.to_owned()]), expected);
    }
}

#[test]
fn who_ships_is_shown_by_what() {
    let mut analysis = shop();
    analysis.key_files.push(KeyFile { path: "Dockerfile".into(), role: "configuration".into() });
    let specs = recommend(&analysis, &ExistingAgents::default());
    let spec = specs.iter().find(|spec| spec.name == "docker-specialist").unwrap();
    let content = draft(spec, &analysis).content;
    assert!(content.contains("## Where to look\n\n- `Dockerfile`: configuration\n"), "{content}");
}
