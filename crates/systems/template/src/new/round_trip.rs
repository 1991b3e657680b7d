//! A test with generated projects: one that goes into a template comes out of it as it was, byte by
//! byte.

use std::fs;

use consign_code::Cancel;
use proptest::prelude::*;

use super::instantiate;
use crate::{
    analysis::{Analysis, Dependency, Names},
    assemble::assemble,
    documentation::documentation,
    files::generate,
    manifest::manifest,
    package::Package,
    settings::settings,
};

fn analysis(language: &str) -> Analysis {
    let list = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
    Analysis {
        primary_language: language.to_owned(),
        names: Names {
            project: "acme-shop".to_owned(),
            namespaces: list(&["com.acme.shop"]),
            entities: list(&["Invoice"]),
            authors: list(&["Jane Doe"]),
        },
        dependencies: vec![Dependency {
            name: "acme-shop-client".to_owned(),
            ..Dependency::default()
        }],
        ..Analysis::default()
    }
}

fn text() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "acme-shop",
        "acme_shop",
        "AcmeShop",
        "ACME_SHOP",
        "acmeshop",
        "acme-shop-client",
        "com.acme.shop",
        "com/acme/shop",
        "Invoice",
        "invoices",
        "Jane Doe",
        "{{ProjectName}}",
        "{{literal:EntityName}}",
        "{{ invoice.id }}",
        "${{ github.ref }}",
        "{% if x %}",
        "{",
        "}",
        " ",
        "\n",
        "\r\n",
        "\t",
        "ü",
        "x",
    ]);
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn path() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "a",
        "src",
        "AcmeShop",
        "acme_shop",
        "invoice",
        "models",
        "{{ProjectName}}",
        "x y",
        "ü",
    ]);
    let ending = proptest::sample::select(vec![".rs", ".js", ".py", ".java", ".md", ""]);
    (proptest::collection::vec(piece, 1..4), ending)
        .prop_map(|(parts, ending)| format!("{}{ending}", parts.join("/")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_project_comes_out_of_its_template_as_it_was(
        files in proptest::collection::btree_map(path(), text(), 1..6),
        language in proptest::sample::select(vec!["Rust", "JavaScript", "Java", "Python"]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        let mut written = Vec::new();
        for (path, text) in &files {
            let at = project.join(path);
            // A file may be where another one wants its folder.
            if fs::create_dir_all(at.parent().unwrap()).is_ok() && !at.is_dir() {
                fs::write(&at, text).unwrap();
                written.push(path);
            }
        }
        let analysis = analysis(language);
        let templates = generate(&project, &analysis, None, &Cancel::new()).unwrap();
        let package = Package {
            manifest: manifest("round-trip", &analysis),
            settings: settings(&analysis),
            documentation: documentation("round-trip", &analysis, &templates, &[]),
            templates,
            agents: Vec::new(),
        };
        let (template, new) = (folder.path().join("template"), folder.path().join("new"));
        assemble(&template, &package, "run").unwrap();
        let report = instantiate(&template, &new, &[], true).unwrap();
        // The guide comes along.
        prop_assert_eq!(report.files.len(), written.len() + 1);
        for path in written {
            prop_assert_eq!(fs::read(new.join(path)).unwrap(), fs::read(project.join(path)).unwrap());
        }
    }
}
