use std::{fs, os::unix::fs::symlink};

use super::*;
use crate::{
    analysis::Analysis,
    assemble::assemble,
    manifest::manifest,
    package::{Package, TemplateFile, Templates},
    placeholders::{Scheme, Stack},
    settings::settings,
};

fn made(language: &str, scheme: &Scheme, files: &[(&str, &str)]) -> tempfile::TempDir {
    let analysis = Analysis { primary_language: language.to_owned(), ..Analysis::default() };
    let files = files.iter().map(|(path, text)| TemplateFile {
        path: scheme.generalise_path(path),
        origin: (*path).to_owned(),
        layer: "source".to_owned(),
        content: scheme.generalise(path, text),
        executable: path.ends_with(".sh"),
        ..TemplateFile::default()
    });
    let package = Package {
        manifest: manifest("t", &analysis),
        settings: settings(&analysis),
        templates: Templates {
            files: files.collect(),
            placeholders: scheme.placeholders().to_vec(),
            ..Templates::default()
        },
        ..Package::default()
    };
    let folder = tempfile::tempdir().unwrap();
    assemble(&folder.path().join("t"), &package, "run").unwrap();
    folder
}

fn set(values: &[(&str, &str)]) -> Vec<(String, String)> {
    values.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn a_template_becomes_a_project_under_another_name() {
    let scheme = Scheme::new(Stack::Flat)
        .namespace("com.acme.shop")
        .named(Subject::Project, "shop")
        .entity("Invoice");
    let folder = made(
        "Java",
        &scheme,
        &[
            (
                "src/main/java/com/acme/shop/ShopApp.java",
                "package com.acme.shop;\nclass ShopApp { Invoice invoices; }",
            ),
            ("run.sh", "java com.acme.shop.ShopApp"),
        ],
    );
    let to = folder.path().join("new");
    let values = set(&[("name", "my new-Store"), ("entity", "TaxCategory")]);
    let report = instantiate(&folder.path().join("t"), &to, &values, true).unwrap();
    assert_eq!(report.files, ["run.sh", "src/main/java/com/acme/mynewstore/MyNewStoreApp.java"]);
    let text = fs::read_to_string(to.join(&report.files[1])).unwrap();
    assert_eq!(
        text,
        "package com.acme.mynewstore;\nclass MyNewStoreApp { TaxCategory taxcategories; }"
    );
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(to.join("run.sh")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o111, 0o111);
    let derived = report.values.iter().find(|it| it.setting == "namespace").unwrap();
    assert_eq!((derived.value.as_str(), derived.origin), ("com.acme.mynewstore", Origin::Derived));
}

#[test]
fn what_is_not_set_keeps_the_templates_own_name_and_is_told() {
    let scheme = Scheme::new(Stack::Snake).named(Subject::Project, "acme-shop").author("Jane Doe");
    let folder = made("Rust", &scheme, &[("Cargo.toml", "name = \"acme-shop\" # (c) Jane Doe")]);
    let report =
        instantiate(&folder.path().join("t"), &folder.path().join("new"), &[], true).unwrap();
    assert!(report.values.iter().all(|it| it.origin == Origin::Default), "{report:?}");
    let text = fs::read_to_string(folder.path().join("new/Cargo.toml")).unwrap();
    assert_eq!(text, "name = \"acme-shop\" # (c) Jane Doe");
}

#[test]
fn namespaces_follow_the_project_where_they_were_called_after_it() {
    for (namespace, name, expected) in [
        ("github.com/acme/shop", "my-store", "github.com/acme/my-store"),
        ("com.acme.shop", "my-store", "com.acme.mystore"),
        ("Acme.Shop", "my-store", "Acme.MyStore"),
        ("com.acme.platform", "my-store", "com.acme.platform"),
    ] {
        let scheme = Scheme::new(Stack::Flat).namespace(namespace).named(Subject::Project, "shop");
        let folder = made("Java", &scheme, &[("a.txt", &format!("{namespace} shop"))]);
        let to = folder.path().join("new");
        instantiate(&folder.path().join("t"), &to, &set(&[("name", name)]), true).unwrap();
        let text = fs::read_to_string(to.join("a.txt")).unwrap();
        assert_eq!(text, format!("{expected} mystore"));
    }
}

#[test]
fn values_that_no_stack_takes_are_refused_with_what_was_expected() {
    let scheme = Scheme::new(Stack::Snake).named(Subject::Project, "acme-shop").author("Jane Doe");
    let folder = made("Rust", &scheme, &[("a.rs", "acme_shop (c) Jane Doe")]);
    let to = folder.path().join("new");
    for (values, expected) in [
        (set(&[("name", "1shop")]), "begins with a digit"),
        (set(&[("name", "")]), "1 to 64"),
        (set(&[("name", &"a".repeat(65))]), "1 to 64"),
        (set(&[("name", "../evil")]), "'/'"),
        (set(&[("name", "crate")]), "a reserved word in Rust"),
        (set(&[("name", "---")]), "no words"),
        (set(&[("name", "übung")]), "a to z"),
        (set(&[("colour", "red")]), "the template has author, name"),
        (set(&[("entity", "Order")]), "the template has author, name"),
        (set(&[("author", "a\" b")]), "a person or company"),
        (set(&[("name", "a-b"), ("name", "c-d")]), "twice"),
    ] {
        let error =
            instantiate(&folder.path().join("t"), &to, &values, true).unwrap_err().to_string();
        assert!(error.contains(expected), "{values:?}: {error}");
        assert!(!to.exists());
    }
}

#[test]
fn a_hostile_template_writes_nothing() {
    let scheme = Scheme::new(Stack::Snake).named(Subject::Project, "acme-shop");
    let fresh = || made("Rust", &scheme, &[("acme-shop/a.rs", "acme_shop")]);
    let check = |harm: &dyn Fn(&Path), expected: &str| {
        let folder = fresh();
        harm(&folder.path().join("t"));
        let to = folder.path().join("out/new");
        let error = instantiate(&folder.path().join("t"), &to, &[], true).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!folder.path().join("out").exists(), "{expected}: something was written");
    };
    let edit = |t: &Path, from: &str, to: &str| {
        let file = t.join("manifest.json");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from));
        fs::write(file, text.replace(from, to)).unwrap();
    };
    check(&|t| edit(t, "\"acme-shop\"", "\"../../../evil\""), "is not a valid name");
    check(&|t| edit(t, "\"acme-shop\"", "\"/etc\""), "cannot be used");
    check(&|t| edit(t, "\"1.0\"", "\"2.0\""), "reads versions 1.x");
    check(&|t| fs::write(t.join("manifest.json"), "{").unwrap(), "manifest.json");
    check(&|t| fs::remove_file(t.join("manifest.json")).unwrap(), "manifest.json");
    check(&|t| symlink("/etc/passwd", t.join("templates/x.template")).unwrap(), "a link");
    check(&|t| fs::write(t.join("templates/b.template"), "{{EntityName}}").unwrap(), "EntityName");
    check(&|t| fs::write(t.join("templates/b.template"), vec![b'a'; 2 << 20]).unwrap(), "larger");
    check(&|t| fs::remove_dir_all(t.join("templates")).unwrap(), "no template files");
    check(
        &|t| {
            edit(t, "\"acme-shop\"", &format!("\"{}\"", "a".repeat(190)));
            fs::write(t.join("templates/b.template"), "{{project-name}}".repeat(60_000)).unwrap();
        },
        "too large",
    );
}

#[test]
fn a_target_that_is_not_empty_is_left_alone() {
    let scheme = Scheme::new(Stack::Snake).named(Subject::Project, "acme-shop");
    let folder = made("Rust", &scheme, &[("a.rs", "acme_shop")]);
    let to = folder.path().join("new");
    fs::create_dir(&to).unwrap();
    instantiate(&folder.path().join("t"), &to, &[], true).unwrap();
    let again = instantiate(&folder.path().join("t"), &to, &[], true);
    assert!(matches!(again, Err(Error::Target(assemble::Error::Occupied { .. }))));
    let link = folder.path().join("link");
    symlink(folder.path().join("nowhere"), &link).unwrap();
    assert!(instantiate(&folder.path().join("t"), &link, &[], true).is_err());
}

#[test]
fn what_is_no_text_comes_out_as_it_went_in() {
    let scheme = Scheme::new(Stack::Snake).named(Subject::Project, "acme-shop");
    let folder = made("Rust", &scheme, &[("a.rs", "acme_shop")]);
    let picture = [&[0x89, 0xff, 0][..], b"{{project_name}} acme_shop"].concat();
    let at = folder.path().join("t/templates/{{project_name}}.png.template");
    fs::write(at, &picture).unwrap();
    let to = folder.path().join("new");
    instantiate(&folder.path().join("t"), &to, &set(&[("name", "my-store")]), true).unwrap();
    assert_eq!(fs::read(to.join("my_store.png")).unwrap(), picture);
}

#[test]
fn a_new_author_never_gets_the_address_of_the_old_one() {
    let scheme = Scheme::new(Stack::Snake)
        .named(Subject::Project, "acme-shop")
        .author("Jane Doe")
        .email("jane@acme.org");
    let text = "authors = [\"Jane Doe <jane@acme.org>\"]";
    for (values, expected) in [
        (set(&[]), "Jane Doe <jane@acme.org>"),
        (set(&[("author", "Al Bo")]), "Al Bo <author@example.com>"),
        (set(&[("author", "Al Bo"), ("author-email", "al@bo.org")]), "Al Bo <al@bo.org>"),
    ] {
        let folder = made("Rust", &scheme, &[("Cargo.toml", text)]);
        let to = folder.path().join("new");
        instantiate(&folder.path().join("t"), &to, &values, true).unwrap();
        let text = fs::read_to_string(to.join("Cargo.toml")).unwrap();
        assert_eq!(text, format!("authors = [\"{expected}\"]"));
    }
}

#[test]
fn a_project_gets_the_guide_and_the_agents_under_its_own_name() {
    let scheme = Scheme::new(Stack::Snake).named(Subject::Project, "acme-shop");
    for (own, agents) in [(false, true), (false, false), (true, true)] {
        let mut files = vec![("acme-shop/a.rs", "acme_shop")];
        files.extend(own.then_some(("CLAUDE.md", "own")));
        let folder = made("Rust", &scheme, &files);
        let t = folder.path().join("t");
        fs::write(t.join("CLAUDE.md"), "# t\n\nIn `{{project-name}}/`.\n\n## Use\n\nx\n").unwrap();
        fs::create_dir(t.join("agents")).unwrap();
        fs::write(t.join("agents/a.md"), "Knows {{project-name}}.").unwrap();
        let to = folder.path().join("new");
        instantiate(&t, &to, &set(&[("name", "my-store")]), agents).unwrap();
        let guide = fs::read_to_string(to.join("CLAUDE.md")).unwrap();
        assert_eq!(guide, if own { "own" } else { "# t\n\nIn `my-store/`.\n" });
        let agent = fs::read_to_string(to.join(".claude/agents/a.md"));
        assert_eq!(agent.ok().as_deref(), agents.then_some("Knows my-store."));
    }
}
