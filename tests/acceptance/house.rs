//! The repository itself: pages name what exists, and crates keep to what is theirs.

use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("we are in it")
}

/// Every file of that ending below a folder.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of ours") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|known| known == ending) {
            found.push(path);
        }
    }
    found
}

/// Every page of the repository: those at its root, and those below the folders that are for readers.
fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(root()).expect("a folder of ours");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut pages: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    for folder in ["docs", "bench", "examples"] {
        pages.extend(files(&root().join(folder), "md"));
    }
    assert!(pages.len() > 40, "only {pages:?}");
    pages
}

#[test]
fn the_architecture_names_only_what_exists() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it is there");
    let is_path = |word: &&str| {
        ["crates/", "tests/", "docs/", "schemas/", "bench/", "fuzz/"]
            .iter()
            .any(|folder| word.starts_with(folder))
    };
    let named: Vec<&str> = text.split('`').skip(1).step_by(2).filter(is_path).collect();
    assert!(named.len() > 10, "the pattern of this test finds only {named:?}");
    let missing: Vec<&&str> = named.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page of ours");
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let folder = page.parent().expect("a page is in a folder");
            let file = if file.is_empty() { page.clone() } else { folder.join(file) };
            let named = |text: &str| {
                let heading = |line: &str| {
                    let title = line.trim_start_matches('#').trim().to_lowercase();
                    let kept = |letter: &char| letter.is_alphanumeric() || "- _".contains(*letter);
                    title.chars().filter(kept).collect::<String>().replace(' ', "-")
                };
                text.contains(&format!("<a id=\"{anchor}\">"))
                    || text
                        .lines()
                        .filter(|line| line.starts_with('#'))
                        .any(|l| heading(l) == anchor)
            };
            let leads = file.exists()
                && (anchor.is_empty() || fs::read_to_string(&file).is_ok_and(|text| named(&text)));
            if !leads {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_contracts_do_no_io_and_read_no_clock() {
    let mut found = Vec::new();
    for file in files(&root().join("crates/contracts/src"), "rs") {
        let text = fs::read_to_string(&file).expect("a source of ours");
        for word in ["std::fs", "std::net", "std::env", "std::process", "std::time", "std::io"] {
            if text.contains(word) {
                found.push(format!("{}: {word}", file.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn only_the_server_and_the_double_link_an_http_server() {
    let read = |path: &Path| fs::read_to_string(path).expect("a manifest of ours");
    let workspace = read(&root().join("Cargo.toml"));
    let members = workspace.split('"').filter(|word| word.starts_with("crates/"));
    let links = |member: &&str| {
        let manifest = read(&root().join(member).join("Cargo.toml"));
        let (_, after) = manifest.split_once("\n[dependencies]\n").unwrap_or_default();
        // Tests may serve whatever they like.
        let dependencies = after.split("\n[").next().unwrap_or_default();
        dependencies.lines().any(|line| line.starts_with("axum"))
    };
    let mut linked: Vec<&str> = members.filter(links).collect();
    linked.sort_unstable();
    linked.dedup();
    assert_eq!(linked, ["crates/double", "crates/server"]);
}

#[test]
fn members_keep_their_order_whichever_crates_are_built_together() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("ours");
    let line = manifest.lines().find(|line| line.starts_with("serde_json = "));
    assert!(line.is_some_and(|line| line.contains("\"preserve_order\"")), "{line:?}");
}
