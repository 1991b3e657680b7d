//! The sources of the program, without their tests: every crate below `crates/`, wherever it is.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::support::root;

/// Crates and modules that are no part of what users meet: test support, and the stand-in for the providers, which
/// speaks in their words.
const LEFT_OUT: [&str; 2] = ["testkit", "double"];

/// A file of the program, without comments and tests.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// Every Rust file of the program.
pub(super) fn program() -> Vec<Source> {
    let mut files = Vec::new();
    walk(&root().join("crates"), false, &mut files);
    let tests: BTreeSet<PathBuf> = files.iter().flat_map(test_modules).collect();
    // A module `a` is `a.rs` or `a/mod.rs`, and what is below `a/`.
    let in_tests =
        |path: &Path| path.ancestors().any(|above| tests.contains(&above.with_extension("")));
    files.retain(|file| !in_tests(&file.path));
    for file in &mut files {
        file.text = without_tests(&file.text);
    }
    assert!(files.len() > 300, "only {} files were found", files.len());
    files
}

/// Files below a folder; in a crate only those in `src`.
fn walk(folder: &Path, in_src: bool, files: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).expect("a folder of ours") {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.expect("an entry has a name");
        if path.is_dir() {
            let outside = !in_src && ["tests", "benches", "examples", "target"].contains(&&*name);
            if !outside && !LEFT_OUT.contains(&&*name) {
                walk(&path, in_src || name == "src", files);
            }
        } else if in_src && path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a source of ours");
            files.push(Source { path, text: without_comments(&text) });
        }
    }
}

fn without_comments(text: &str) -> String {
    let kept = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    kept.flat_map(|line| [line, "\n"]).collect()
}

const TEST: &str = "#[cfg(test)]\n";

/// The modules that a file declares for its tests alone, as paths without an ending.
fn test_modules(file: &Source) -> Vec<PathBuf> {
    let stem =
        file.path.file_stem().and_then(|stem| stem.to_str()).expect("sources have plain names");
    let folder = match stem {
        "mod" | "lib" | "main" => file.path.with_file_name(""),
        _ => file.path.with_extension(""),
    };
    let declared = file.text.split(TEST).skip(1).filter_map(|rest| {
        let (line, _) = rest.split_once('\n')?;
        let (_, name) = line.split_once("mod ")?;
        name.strip_suffix(';')
    });
    declared.map(|name| folder.join(name)).collect()
}

/// Without modules of tests that are in the file itself. They are formatted, so they end with a brace at the margin.
fn without_tests(text: &str) -> String {
    let mut parts = text.split(TEST);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let first = part.lines().next().unwrap_or_default();
        let inline = first.contains("mod ") && first.ends_with('{');
        kept += match inline {
            true => part.split_once("\n}\n").map_or("", |(_, after)| after),
            false => part,
        };
    }
    kept
}

/// Every text in capitals that stands between quotes, with what is before it.
pub(super) fn capitals(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices('"').filter_map(|(at, _)| {
        let rest = &text[at + 1..];
        let fits =
            |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
        let end = rest.find(|letter| !fits(letter))?;
        let word = &rest[..end];
        let is_name =
            word.starts_with(|first: char| first.is_ascii_uppercase()) && !word.ends_with('_');
        (is_name && rest[end..].starts_with('"')).then_some((&text[..at], word))
    })
}
