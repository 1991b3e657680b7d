use std::{collections::BTreeMap, fs};

use super::*;
use crate::{
    analysis::{Dependency, KeyFile, Layer, Names},
    placeholders::{Key, Values, fill},
};

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn analysis() -> Analysis {
    Analysis {
        primary_language: "Python".to_owned(),
        names: Names {
            project: "acme-shop".to_owned(),
            namespaces: vec!["acme_shop".to_owned()],
            entities: vec!["Invoice".to_owned()],
            authors: Vec::new(),
        },
        layers: vec![Layer {
            name: "models".to_owned(),
            folders: vec!["acme_shop/models".to_owned()],
            files: 1,
            tests: 0,
        }],
        key_files: vec![KeyFile {
            path: "acme_shop/app.py".to_owned(),
            role: "entry point".to_owned(),
        }],
        dependencies: vec![Dependency { name: "flask".to_owned(), ..Dependency::default() }],
        ..Analysis::default()
    }
}

const SHOP: &[(&str, &str)] = &[
    ("pyproject.toml", "[project]\nname = \"acme-shop\"\n"),
    ("acme_shop/__init__.py", ""),
    (
        "acme_shop/app.py",
        "from flask import Flask\nfrom .models.store import save\n# {{ProjectName}}\n",
    ),
    ("acme_shop/models/__init__.py", ""),
    (
        "acme_shop/models/store.py",
        "from acme_shop.models.invoice import Invoice\ndef create_invoice(): pass\n",
    ),
    ("acme_shop/models/invoice.py", "class Invoice:\n    pass\n"),
    ("templates/page.html", "{{ invoice.id }} {% block x %} ${{ github.sha }}"),
    (".gitignore", "ignored/\n"),
    ("ignored/x.py", "no"),
    (".env", "TOKEN=abc"),
    (".agent-request.json", "{}"),
    (".agent-response.json.aside-1", "{}"),
    (".template-create-state.json.new", "{}"),
    ("node_modules/x/index.js", "no"),
    ("static/acme_shop.png", "\0acme_shop {{ProjectName}}"),
    ("lib/tool.so", "\0"),
];

#[test]
fn a_small_project_is_taken_whole_and_comes_back_byte_by_byte() {
    let folder = project(SHOP);
    let found = generate(folder.path(), &analysis(), None, &Cancel::new()).unwrap();
    let origins: Vec<_> = found.files.iter().map(|it| it.origin.as_str()).collect();
    assert_eq!(
        origins,
        [
            ".gitignore",
            "acme_shop/__init__.py",
            "acme_shop/app.py",
            "acme_shop/models/__init__.py",
            "acme_shop/models/invoice.py",
            "acme_shop/models/store.py",
            "pyproject.toml",
            "static/acme_shop.png",
            "templates/page.html",
        ]
    );
    let left: BTreeMap<_, _> =
        found.left_out.iter().map(|it| (it.path.as_str(), it.why.as_str())).collect();
    assert_eq!(left[".env"], "it holds the settings of one machine");
    assert_eq!(left["lib/tool.so"], "a program generated it");
    assert!(left.keys().all(|it| !it.starts_with(".agent") && !it.starts_with(".template")));
    let values: Values = found
        .placeholders
        .iter()
        .map(|it| (Key::named(&it.name).unwrap(), it.default.clone()))
        .collect();
    for file in &found.files {
        assert_eq!(fill(&file.path, &values).0, file.origin);
        let original = fs::read(folder.path().join(&file.origin)).unwrap();
        let back = match file.text() {
            Some(text) => fill(text, &values).0.into_bytes(),
            None => file.bytes().unwrap().into_owned(),
        };
        assert_eq!(back, original, "{}", file.origin);
    }
    let picture = found.files.iter().find(|it| it.origin == "static/acme_shop.png").unwrap();
    assert_eq!(picture.path, "static/{{project_name}}.png");
    assert_eq!(picture.encoding, Encoding::Base64);
    let store = found.files.iter().find(|it| it.origin == "acme_shop/models/store.py").unwrap();
    assert_eq!(store.path, "{{project_name}}/models/store.py");
    assert_eq!(store.layer, "models");
    assert!(
        store
            .content
            .contains("from {{project_name}}.models.{{entity_name}} import {{EntityName}}")
    );
}

#[test]
fn what_is_missing_is_named_in_sentences() {
    let folder = project(SHOP);
    let found = generate(folder.path(), &analysis(), None, &Cancel::new()).unwrap();
    let missing: Vec<_> = found.completeness.missing.iter().map(|it| it.what.as_str()).collect();
    assert_eq!(
        missing,
        [
            "`create_invoice` in acme_shop/models/store.py creates Invoice, and nothing reads it.",
            "`create_invoice` in acme_shop/models/store.py creates Invoice, and nothing updates it.",
            "`create_invoice` in acme_shop/models/store.py creates Invoice, and nothing deletes it.",
            "No test in the template covers the layer models.",
        ]
    );
    assert!((0.0..0.9).contains(&found.completeness.score), "{}", found.completeness.score);
}

#[test]
fn a_cap_is_kept_and_what_it_costs_is_named() {
    let folder = project(SHOP);
    let found = generate(folder.path(), &analysis(), Some(3), &Cancel::new()).unwrap();
    let origins: Vec<_> = found.files.iter().map(|it| it.origin.as_str()).collect();
    assert_eq!(origins.len(), 3, "{origins:?}");
    assert!(
        origins.contains(&"pyproject.toml") && origins.contains(&"acme_shop/app.py"),
        "{origins:?}"
    );
    let imports = found.completeness.missing.iter().filter(|it| it.kind == "import");
    let imports: Vec<_> = imports.map(|it| it.what.as_str()).collect();
    assert!(
        imports.contains(
            &"acme_shop/app.py needs acme_shop/models/store.py, which is not in the template."
        ),
        "{imports:?}"
    );
}

#[test]
fn a_large_project_is_chosen_by_layer_and_closed_under_imports() {
    let folder = project(SHOP);
    for at in 0..2_100 {
        fs::write(folder.path().join(format!("acme_shop/models/more_{at:04}.py")), "import os\n")
            .unwrap();
    }
    let more = generate(folder.path(), &analysis(), Some(1_000), &Cancel::new()).unwrap();
    assert_eq!(more.files.len(), 1_000);
    let all = generate(folder.path(), &analysis(), Some(5_000), &Cancel::new()).unwrap();
    assert!(all.files.len() > 2_100, "{}", all.files.len());
    let found = generate(folder.path(), &analysis(), None, &Cancel::new()).unwrap();
    let origins: Vec<_> = found.files.iter().map(|it| it.origin.as_str()).collect();
    assert!(origins.len() < 30, "{}", origins.len());
    let left = found.left_out.len() + found.left_out_unnamed;
    assert!(left + origins.len() > 2_100, "{left} are told as left out");
    for needed in [
        "acme_shop/app.py",
        "acme_shop/models/store.py",
        "acme_shop/models/invoice.py",
        "pyproject.toml",
    ] {
        assert!(origins.contains(&needed), "{needed}: {origins:?}");
    }
    assert!(found.completeness.missing.iter().all(|it| it.kind != "import"));
}

#[test]
fn an_interface_without_an_implementation_is_named() {
    let folder = project(&[
        ("a/Store.java", "package a;\npublic interface Store { void put(); }\n"),
        ("a/Cache.java", "package a;\npublic interface Cache { void get(); }\n"),
        (
            "a/FileStore.java",
            "package a;\npublic class FileStore implements Store { public void put() {} }\n",
        ),
    ]);
    let analysis = Analysis { primary_language: "Java".to_owned(), ..Analysis::default() };
    let found = generate(folder.path(), &analysis, None, &Cancel::new()).unwrap();
    let missing: Vec<_> = found.completeness.missing.iter().map(|it| it.what.as_str()).collect();
    assert_eq!(missing, ["a/Cache.java defines Cache, and nothing implements it."]);
}

#[test]
fn a_link_out_of_the_project_is_never_followed() {
    let outside = project(&[("secret.py", "password")]);
    let folder = project(&[("a.py", "import os\n")]);
    std::os::unix::fs::symlink(outside.path(), folder.path().join("out")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.py"), folder.path().join("s.py"))
        .unwrap();
    let found = generate(folder.path(), &analysis(), None, &Cancel::new()).unwrap();
    assert_eq!(found.files.len(), 1);
    assert_eq!(found.left_out.len(), 2);
}

#[test]
fn an_empty_project_and_a_cancelled_one_give_nothing() {
    let folder = project(&[]);
    assert!(matches!(
        generate(folder.path(), &analysis(), None, &Cancel::new()),
        Err(Error::Empty { .. })
    ));
    let gone = folder.path().join("gone");
    assert!(matches!(
        generate(&gone, &analysis(), None, &Cancel::new()),
        Err(Error::Unreadable { .. })
    ));
    let cancel = Cancel::new();
    cancel.cancel();
    let folder = project(SHOP);
    assert!(matches!(generate(folder.path(), &analysis(), None, &cancel), Err(Error::Cancelled)));
}

#[test]
fn what_could_not_be_written_is_not_chosen() {
    let long = format!("{}.py", "a".repeat(245));
    let folder = project(&[
        ("a.py", "x"),
        (".git", "gitdir: x"),
        ("a:b.txt", "x"),
        (&long, "x"),
        ("c\\d.py", "x"),
    ]);
    let found = generate(folder.path(), &analysis(), None, &Cancel::new()).unwrap();
    let origins: Vec<_> = found.files.iter().map(|it| it.origin.as_str()).collect();
    assert_eq!(origins, ["a.py"]);
    assert_eq!(found.left_out.len(), 4, "{:?}", found.left_out);
}
