//! Recommendations and their reasons.

use super::*;
use crate::analysis::{Conventions, Count, Dependency, Framework, KeyFile, Pattern, Testing};

fn evidence(paths: &[&str]) -> Vec<Evidence> {
    let place = |path: &&str| Evidence { path: (*path).to_owned(), ..Evidence::default() };
    paths.iter().map(place).collect()
}

/// A service of the usual kind.
pub(in super::super) fn shop() -> Analysis {
    let dependency = |name: &str| Dependency {
        name: name.to_owned(),
        version: Some("8.0".to_owned()),
        kind: "runtime".to_owned(),
        manifest: "Shop.csproj".to_owned(),
    };
    let layer = |name: &str, files: usize| Layer {
        name: name.to_owned(),
        folders: vec![format!("src/{name}")],
        files,
        tests: 1,
    };
    Analysis {
        primary_language: "C#".to_owned(),
        framework: Some("ASP.NET Core".to_owned()),
        frameworks: vec![Framework {
            name: "ASP.NET Core".to_owned(),
            version: Some("8.0".to_owned()),
            confidence: 0.9,
            evidence: evidence(&["Shop.csproj"]),
        }],
        architecture: vec![
            Pattern {
                name: "Repository".to_owned(),
                confidence: 0.8,
                evidence: evidence(&[
                    "src/data/OrderRepository.cs",
                    "src/data/IOrderRepository.cs",
                ]),
            },
            Pattern { name: "CQRS".to_owned(), confidence: 0.3, ..Pattern::default() },
        ],
        layers: vec![layer("controllers", 12), layer("repository", 5), layer("mail", 2)],
        testing: vec![Testing {
            framework: "xUnit".to_owned(),
            files: 1,
            evidence: evidence(&["tests/OrderTests.cs"]),
            ..Testing::default()
        }],
        conventions: Conventions {
            naming: vec![Count { of: "types".into(), value: "PascalCase".into(), count: 90 }],
            error_handling: vec![Count {
                of: "errors".into(),
                value: "exceptions".into(),
                count: 7,
            }],
            indentation: Some("spaces-4".to_owned()),
        },
        key_files: vec![
            KeyFile { path: ".github/workflows/ci.yml".into(), role: "configuration".into() },
            KeyFile { path: "src/Program.cs".into(), role: "entry point".into() },
        ],
        dependencies: vec![
            dependency("Microsoft.EntityFrameworkCore.Sqlite"),
            dependency("Microsoft.EntityFrameworkCore"),
            dependency("Serilog"),
        ],
        ..Analysis::default()
    }
}

#[test]
fn each_agent_has_a_reason_that_cites_what_was_found() {
    let specs = recommend(&shop(), &ExistingAgents::default());
    let told: Vec<String> = specs
        .iter()
        .map(|spec| format!("{} {} {}", spec.priority, spec.name, spec.reason))
        .collect();
    assert_eq!(
        told,
        [
            "9 asp-net-core-specialist The project uses ASP.NET Core 8.0, seen in Shop.csproj.",
            "8 repository-pattern-specialist The project follows Repository, seen in \
             src/data/OrderRepository.cs and src/data/IOrderRepository.cs.",
            "8 xunit-test-writer xUnit runs 1 test file, seen in tests/OrderTests.cs.",
            "7 entity-framework-core-data-specialist Shop.csproj depends on \
             Microsoft.EntityFrameworkCore.Sqlite (8.0).",
            "6 controllers-layer-specialist The controllers layer has 12 files in src/controllers, \
             with 1 test.",
            "4 csharp-conventions-keeper The project writes types: PascalCase in 90 places; errors: \
             exceptions in 7 places.",
            "4 github-actions-specialist The project has .github/workflows/ci.yml.",
        ]
    );
}

#[test]
fn none_is_recommended_that_exists() {
    let existing = ExistingAgents {
        user_custom: vec!["xUnit Test Writer".to_owned()],
        template: vec!["asp_net_core_specialist".to_owned()],
        global: vec!["repository-pattern-specialist".to_owned()],
    };
    let specs = recommend(&shop(), &existing);
    assert_eq!(specs.len(), 4);
    assert!(specs.iter().all(|spec| existing.whose(&spec.name).is_none()));
}

#[test]
fn nothing_found_calls_for_nobody_and_much_for_no_more_than_are_read() {
    assert_eq!(recommend(&Analysis::default(), &ExistingAgents::default()), Vec::new());
    let mut analysis = shop();
    let layer = |at: usize| Layer { name: format!("layer {at}"), files: 20, ..Layer::default() };
    analysis.layers = (0..100).map(layer).collect();
    let specs = recommend(&analysis, &ExistingAgents::default());
    assert_eq!(specs.len(), MOST_AGENTS);
    assert!(specs.is_sorted_by_key(|spec| std::cmp::Reverse(spec.priority)));
    assert_eq!(specs, recommend(&analysis, &ExistingAgents::default()));
}

#[test]
fn names_of_a_hostile_project_become_names_of_files() {
    let mut analysis = shop();
    analysis.frameworks[0].name = "../../\u{1b}[2Jevil\n---".to_owned();
    analysis.testing[0].framework = "\u{1f600}".to_owned();
    let specs = recommend(&analysis, &ExistingAgents::default());
    for spec in &specs {
        assert!(
            spec.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        );
        assert!(!format!("{}{}", spec.description, spec.reason).contains(char::is_control));
    }
    assert_eq!(specs[0].name, "2jevil-specialist");
}
