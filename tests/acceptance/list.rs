//! `consign contracts list`

use std::{collections::BTreeMap, path::Path, process::Command};

use crate::{
    documents::entries,
    support::{consign, keys, root, text},
};

/// The names of the published schemas, with their paths.
pub(crate) fn published() -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for (family, folder) in entries(&root().join("schemas")) {
        for (file, path) in entries(Path::new(&folder)) {
            all.insert(format!("{family}/{}", file.trim_end_matches(".json")), path);
        }
    }
    all
}

/// The digest of every file, from the program that a user would ask.
fn digests(paths: impl Iterator<Item = String>) -> BTreeMap<String, String> {
    let output = Command::new("sha256sum").args(paths).output().expect("coreutils are installed");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("paths in the repository are UTF-8");
    let pair = |line: &str| {
        let (digest, path) = line.split_once("  ").expect("a digest and a path");
        (path.to_owned(), format!("sha256:{digest}"))
    };
    text.lines().map(pair).collect()
}

#[test]
fn every_published_contract_is_listed_once() {
    let listed = consign(["contracts", "list", "--json"]).exits(0).json_lines();
    let mut names: Vec<_> = listed.iter().map(|contract| text(contract, "name")).collect();
    names.sort_unstable();
    // That these are the ones we promised is a test beside the contracts.
    assert_eq!(names, published().keys().collect::<Vec<_>>());
}

#[test]
fn a_listed_contract_has_its_document_version_and_digest() {
    for contract in consign(["contracts", "list", "--json"]).exits(0).json_lines() {
        assert_eq!(
            keys(&contract),
            ["digest", "document", "name", "page", "title", "version"],
            "{contract}"
        );
        for key in keys(&contract) {
            assert!(!text(&contract, key).is_empty(), "{key} is empty in {contract}");
        }
        let page = text(&contract, "page");
        assert!(root().join(page).is_file(), "{page} does not exist");
    }
}

#[test]
fn the_digest_is_the_one_that_sha256sum_gives_for_the_published_schema() {
    let published = published();
    let digests = digests(published.values().cloned());
    let listed = consign(["contracts", "list", "--json"]).exits(0).json_lines();
    assert_eq!(listed.len(), published.len(), "a schema is not listed");
    for contract in &listed {
        let path = &published[text(contract, "name")];
        assert_eq!(text(contract, "digest"), digests[path], "{path}");
    }
}

#[test]
fn in_a_pipe_a_contract_is_a_line_of_four_fields_between_tabs() {
    let json = consign(["contracts", "list", "--json"]).exits(0).json_lines();
    let plain = consign(["contracts", "list"]).exits(0);
    let lines: Vec<Vec<&str>> =
        plain.stdout.lines().map(|line| line.split('\t').collect()).collect();
    let expected: Vec<Vec<&str>> = json
        .iter()
        .map(|one| ["name", "version", "document", "digest"].map(|key| text(one, key)).to_vec())
        .collect();
    assert_eq!(lines, expected);
    assert_eq!(plain.stderr, "");
}

#[test]
fn a_family_lists_its_own_contracts_only() {
    for family in ["bridge", "job", "envelope", "authoring", "crew", "engine"] {
        let listed = consign(["contracts", "list", family, "--json"]).exits(0).json_lines();
        let names: Vec<_> = listed.iter().map(|contract| text(contract, "name")).collect();
        let prefix = format!("{family}/");
        let own = published().keys().filter(|name| name.starts_with(&prefix)).count();
        assert_eq!(names.len(), own);
        assert!(names.iter().all(|name| name.starts_with(&prefix)), "{names:?}");
    }
}

#[test]
fn an_unknown_family_is_a_mistake_with_a_hint() {
    for family in ["crews", "", "bridge/", "BRIDGE"] {
        for json in [&[][..], &["--json"]] {
            consign([&["contracts", "list", family], json].concat())
                .fails(2, "FAMILY_UNKNOWN")
                .telling("the families are bridge, job, envelope, authoring, crew");
        }
    }
}
