//! What files are, by their paths.

use std::collections::{BTreeMap, BTreeSet};

use consign_code::Language;

use crate::Snapshot;

/// A folder at the top, or one below it where the top has only that.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Directory {
    pub path: String,
    pub files: usize,
}

const DATA: &[Language] = &[
    Language::Markdown,
    Language::Text,
    Language::Json,
    Language::Yaml,
    Language::Toml,
    Language::Xml,
    Language::Html,
    Language::Css,
];

pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether it is source of a program.
pub(crate) fn is_program(path: &str) -> bool {
    Language::of(path).is_some_and(|language| !DATA.contains(&language))
        && !path.ends_with(".min.js")
}

/// Whether it is text for people.
pub(crate) fn is_prose(path: &str) -> bool {
    let name = name_of(path).to_uppercase();
    let bare = [
        "LICENSE",
        "LICENCE",
        "COPYING",
        "AUTHORS",
        "CHANGELOG",
        "CHANGES",
        "HISTORY",
        "NEWS",
        "README",
        "NOTICE",
        "PKG-INFO",
    ];
    let is_text = matches!(Language::of(path), Some(Language::Markdown | Language::Text));
    // A list of requirements and a build file of CMake are data, whatever their extension.
    let is_data = name.starts_with("REQUIREMENTS") || name == "CMAKELISTS.TXT";
    (is_text && !is_data)
        || bare.iter().any(|bare| name.starts_with(bare))
        || name.ends_with(".MIN.JS")
        || name.ends_with(".MAP")
}

pub(crate) fn is_document(path: &str) -> bool {
    matches!(Language::of(path), Some(Language::Markdown))
}

pub(crate) fn is_lock(path: &str) -> bool {
    let name = name_of(path);
    let locks = [
        "package-lock.json",
        "npm-shrinkwrap.json",
        "Cargo.lock",
        "yarn.lock",
        "pnpm-lock.yaml",
        "poetry.lock",
        "go.sum",
        "uv.lock",
    ];
    locks.contains(&name)
}

pub(crate) fn is_test(path: &str) -> bool {
    let name = name_of(path);
    let folders = [
        "test",
        "tests",
        "__tests__",
        "spec",
        "testdata",
        "fixtures",
        "benches",
        "bench",
        "examples",
        "example",
    ];
    let stem = name.split('.').next().unwrap_or(name);
    path.split('/').rev().skip(1).any(|folder| folders.contains(&folder))
        || name.contains(".test.")
        || name.contains(".spec.")
        || stem.ends_with("_test")
        || stem.starts_with("test_")
        || stem == "tests"
        || (name.ends_with(".java") && stem.ends_with("Test"))
}

pub(super) fn tests(snapshot: &Snapshot) -> Vec<String> {
    let is_example = |path: &str| path.split('/').any(|folder| folder.starts_with("example"));
    let found =
        snapshot.paths().filter(|path| is_program(path) && is_test(path) && !is_example(path));
    found.map(str::to_owned).collect()
}

pub(super) fn languages(snapshot: &Snapshot) -> Vec<(String, usize)> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for path in snapshot.paths().filter(|path| is_program(path)) {
        if let Some(language) = Language::of(path) {
            *count.entry(language.name()).or_default() += 1;
        }
    }
    let mut found: Vec<(String, usize)> =
        count.into_iter().map(|(name, files)| (name.to_owned(), files)).collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found
}

pub(super) fn configuration(snapshot: &Snapshot) -> Vec<String> {
    let is_config = |path: &&str| {
        let name = name_of(path);
        let depth = path.matches('/').count();
        let ends = [".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf"];
        let named =
            name.starts_with(".env") || name.contains("config") || name.contains("settings");
        let manifests = ["Cargo.toml", "pyproject.toml", "setup.cfg"];
        let hidden = path.starts_with('.') && !name.starts_with(".env");
        // Code below the root that is called config is code.
        let hidden = hidden || depth > 0 && is_program(path);
        depth <= 1
            && !hidden
            && !is_test(path)
            && !manifests.contains(&name)
            && !is_lock(path)
            && !is_prose(path)
            && (ends.iter().any(|end| name.ends_with(end)) || named)
    };
    snapshot.paths().filter(is_config).take(20).map(str::to_owned).collect()
}

pub(super) fn directories(snapshot: &Snapshot) -> Vec<Directory> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for path in snapshot.paths() {
        if let Some((folder, _)) = path.split_once('/') {
            *count.entry(folder).or_default() += 1;
        }
    }
    count.into_iter().map(|(path, files)| Directory { path: path.to_owned(), files }).collect()
}

/// Whether it is a file with the repository's licence.
pub(super) fn is_licence(path: &&str) -> bool {
    let name = name_of(path).to_lowercase();
    let starts = ["license", "licence", "copying", "unlicense"];
    path.matches('/').count() <= 2
        && starts.iter().any(|start| name.starts_with(start))
        && !is_program(path)
}

pub(super) fn licence_files(snapshot: &Snapshot) -> Vec<String> {
    let mut found: Vec<String> = snapshot.paths().filter(is_licence).map(str::to_owned).collect();
    found.sort_by_key(|path| (path.matches('/').count(), path.clone()));
    found
}

/// The licences whose words a file has.
pub(super) fn licence_of(text: &str, path: &str) -> BTreeSet<String> {
    let text: String = text
        .chars()
        .take(20_000)
        .collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let has = |words: &str| text.contains(words);
    let mut found = BTreeSet::new();
    let mut add = |name: &str, is: bool| {
        if is {
            found.insert(name.to_owned());
        }
    };
    add(
        "MIT",
        has("Permission is hereby granted, free of charge")
            || name_of(path).to_uppercase().ends_with("-MIT"),
    );
    add("Apache-2.0", has("Apache License") && has("Version 2.0"));
    add(
        "BSD-3-Clause",
        has("Redistribution and use in source and binary forms") && has("endorse or promote"),
    );
    add(
        "BSD-2-Clause",
        has("Redistribution and use in source and binary forms") && !has("endorse or promote"),
    );
    add(
        "ISC",
        has("Permission to use, copy, modify, and/or distribute")
            || has("Permission to use, copy, modify, and distribute this software for any purpose"),
    );
    add("MPL-2.0", has("Mozilla Public License") && has("2.0"));
    add("AGPL-3.0", has("GNU AFFERO GENERAL PUBLIC LICENSE"));
    add("LGPL-3.0", has("GNU LESSER GENERAL PUBLIC LICENSE"));
    add("GPL-3.0", has("GNU GENERAL PUBLIC LICENSE") && has("Version 3"));
    add("GPL-2.0", has("GNU GENERAL PUBLIC LICENSE") && has("Version 2"));
    add("Unlicense", has("This is free and unencumbered software"));
    add("CC0-1.0", has("CC0 1.0 Universal"));
    add("Zlib", has("This software is provided 'as-is'"));
    found
}
