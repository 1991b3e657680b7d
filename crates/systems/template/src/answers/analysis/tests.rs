//! Readings over findings.

use std::fs;

use consign_contracts::wire::Message;
use serde_json::{Value, json};

use super::*;
use crate::analysis::{Conventions, Evidence, Framework, Layer, Names, Pattern, Testing};

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for path in [
        "src/api/a.rs",
        "src/api/b.rs",
        "src/data/c.rs",
        "src/main.rs",
        "web/index.ts",
        "nextest.toml",
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    folder
}

fn evidence(path: &str) -> Vec<Evidence> {
    vec![Evidence { path: path.to_owned(), line: None, what: "seen".to_owned() }]
}

fn found() -> Analysis {
    let pattern = |name: &str| Pattern {
        name: name.to_owned(),
        confidence: 0.6,
        evidence: evidence("src/data/c.rs"),
    };
    let framework = |name: &str, version: Option<&str>| Framework {
        name: name.to_owned(),
        version: version.map(str::to_owned),
        confidence: 0.7,
        evidence: evidence("src/main.rs"),
    };
    let count =
        |of: &str, value: &str| Count { of: of.to_owned(), value: value.to_owned(), count: 9 };
    Analysis {
        primary_language: "Rust".to_owned(),
        framework: Some("clap".to_owned()),
        patterns: vec!["Repository".to_owned(), "CQRS".to_owned()],
        confidence: 0.6,
        frameworks: vec![framework("clap", None), framework("axum", Some("0.8"))],
        architecture: vec![pattern("Repository"), pattern("CQRS")],
        layers: vec![Layer {
            name: "data".to_owned(),
            folders: vec!["src/data".to_owned()],
            files: 1,
            tests: 3,
        }],
        testing: vec![Testing {
            framework: "cargo test".to_owned(),
            files: 4,
            ..Testing::default()
        }],
        conventions: Conventions {
            naming: vec![count("files", "snake_case"), count("types", "PascalCase")],
            error_handling: vec![count("errors", "Result")],
            indentation: Some("spaces-4".to_owned()),
        },
        key_files: vec![KeyFile { path: "src/main.rs".to_owned(), role: "entry point".to_owned() }],
        names: Names { entities: vec!["Order".to_owned()], ..Names::default() },
        files: 5,
        ..Analysis::default()
    }
}

fn apply(answer: &Value) -> Reading {
    apply_any(answer).unwrap()
}

fn apply_any(answer: &Value) -> Result<Reading, String> {
    let folder = project();
    let answer = CodebaseAnalysis::from_json(answer.to_string().as_bytes()).unwrap();
    apply_analysis(folder.path(), &found(), &answer, 0.9)
}

#[test]
fn what_an_answer_leaves_out_stays() {
    let reading = apply(&json!({"technology_stack": {"primary_language": "Rust"}}));
    let expected = Analysis { confidence: 0.9, source: Source::Agent, ..found() };
    assert_eq!(reading, Reading { analysis: expected, dropped: Vec::new() });
}

#[test]
fn what_an_answer_says_leads() {
    let reading = apply(&json!({
        "technology_stack": {"primary_language": "TypeScript", "framework": "Axum",
            "framework_version": "0.1", "test_framework": "nextest", "confidence": 0.95},
        "architecture": {
            "patterns": [{"name": "Hexagonal", "confidence": 0.8,
                "evidence": [{"path": "src/api", "line": 3, "what": "ports"}]},
                {"name": "repository"}],
            "layers": [{"name": "api", "folders": ["src/api/"]}, {"name": "Data", "folders": null}],
            "style": "ports and adapters"},
        "conventions": {"naming": [{"of": "types", "value": "camelCase"}],
            "error_handling": "typed errors"},
        "key_files": [{"path": "web/index.ts"}, {"path": "src/main.rs"}],
        "entities": ["Customer", "Order"],
        "observations": ["Small."]
    }));
    assert_eq!(reading.dropped, Vec::<String>::new());
    let analysis = reading.analysis;
    assert_eq!(analysis.primary_language, "TypeScript");
    // The name and version that the manifest has are better than an agent's.
    assert_eq!(analysis.framework.as_deref(), Some("axum"));
    assert_eq!(analysis.frameworks[0].version.as_deref(), Some("0.8"));
    assert_eq!(analysis.frameworks.len(), 2);
    assert_eq!(analysis.patterns, ["Hexagonal", "repository", "CQRS"]);
    assert_eq!(analysis.architecture[0].evidence[0].line, Some(3));
    assert_eq!(analysis.architecture[1].evidence, evidence("src/data/c.rs"));
    let layers: Vec<_> =
        analysis.layers.iter().map(|l| (l.name.as_str(), l.files, l.tests)).collect();
    assert_eq!(layers, [("api", 2, 0), ("data", 1, 3)]);
    assert_eq!(analysis.testing[0].framework, "nextest");
    assert_eq!(analysis.testing[1].files, 4);
    let naming: Vec<_> = analysis.conventions.naming.iter().map(|n| (&*n.of, &*n.value)).collect();
    assert_eq!(naming, [("types", "camelCase"), ("files", "snake_case")]);
    assert_eq!(analysis.conventions.error_handling[0].value, "typed errors");
    let files: Vec<_> = analysis.key_files.iter().map(|f| (&*f.path, &*f.role)).collect();
    assert_eq!(files, [("web/index.ts", "key file"), ("src/main.rs", "entry point")]);
    assert_eq!(analysis.names.entities, ["Customer", "Order"]);
    assert_eq!(analysis.observations, ["Architecture: ports and adapters.", "Small."]);
}

#[test]
fn what_is_not_in_the_project_is_dropped_and_told() {
    let reading = apply(&json!({
        "technology_stack": {"primary_language": "\u{200b}"},
        "architecture": {
            "patterns": [{"name": "Saga", "evidence": [{"path": "../../etc/passwd"}]},
                {"name": "CQRS", "evidence": [{"path": "/etc/passwd"}]}],
            "layers": [{"name": "ui", "folders": ["src/ui", "src/main.rs"]},
                {"name": "data", "folders": ["src/data"]}]},
        "key_files": [{"path": "missing\u{1b}[2J.rs"}, {"path": "src"}, {"path": "src/main.rs"},
            {"path": "src/api/a.rs"}, {"path": "src/api/b.rs"}],
        "entities": ["e", "order", "Order Line", "Invoice", "Invoice"]
    }));
    let analysis = reading.analysis;
    assert_eq!(analysis.primary_language, "Rust");
    assert_eq!(analysis.patterns, ["CQRS", "Repository"]);
    assert_eq!(analysis.architecture[0].evidence, evidence("src/data/c.rs"));
    assert_eq!(analysis.layers, found().layers);
    assert_eq!(analysis.key_files[0], found().key_files[0]);
    assert_eq!(analysis.key_files.len(), 3);
    assert_eq!(analysis.names.entities, ["Invoice", "Order"]);
    let dropped = reading.dropped;
    assert_eq!(dropped.len(), 12, "{dropped:#?}");
    for told in [
        "Saga: ../../etc/passwd is not in the project",
        "the pattern Saga: none of its evidence is in the project",
        "the layer ui: none of its folders is in the project",
        "a key file: missing [2J.rs is not in the project",
        "the entity Order Line: no type is named like this",
    ] {
        assert!(dropped.iter().any(|dropped| dropped == told), "{told}: {dropped:#?}");
    }
}

#[test]
fn what_the_project_does_not_know_is_not_taken() {
    let reading = apply(&json!({
        "technology_stack": {"primary_language": "C#", "framework": "Axum 0.8",
            "test_framework": "xUnit"},
        "key_files": [{"path": "src/main.rs"}]
    }));
    assert_eq!(reading.analysis.primary_language, "Rust");
    assert_eq!(reading.analysis.testing, found().testing);
    assert_eq!(
        reading.dropped,
        [
            "it says C#, but the project has no file in that language",
            "the test framework xUnit: no dependency, import or file of the project shows it",
        ]
    );
    let silent = apply(&json!({"technology_stack": {"primary_language": "rust",
        "framework": "None", "test_framework": "n/a"}}));
    assert_eq!(silent.dropped, Vec::<String>::new());
    assert_eq!(silent.analysis.framework.as_deref(), Some("clap"));
}

#[test]
fn an_answer_about_another_project_is_refused_as_a_whole() {
    let why = apply_any(&json!({
        "technology_stack": {"primary_language": "C#", "framework": ".NET MAUI"},
        "key_files": [{"path": "src/main.rs"}],
        "entities": ["One", "Two", "Three"]
    }));
    let why = why.unwrap_err();
    assert!(
        why.starts_with("2 of 3 statements are not true of this project: it says C#, but"),
        "{why}"
    );
}
