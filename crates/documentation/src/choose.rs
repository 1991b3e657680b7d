//! Chooses what a model reads of a repository, within a budget.

use super::{
    LeftOut, Snapshot, WhyLeftOut,
    facts::{is_document, is_lock, is_program, is_test, name_of},
};

/// Tokens of a text, about: four bytes make one.
#[must_use]
pub fn tokens(text: &str) -> u64 {
    text.len() as u64 / 4 + 1
}

/// The files to read, most telling first, and those that did not fit or have no text.
#[must_use]
pub fn choose(snapshot: &Snapshot, budget: u64) -> (Vec<String>, Vec<LeftOut>) {
    let mut paths: Vec<(&String, u64)> =
        snapshot.files.iter().map(|(path, file)| (path, tokens(&file.text))).collect();
    paths.sort_by_key(|(path, size)| {
        (rank(path), path.matches('/').count(), *size, (*path).clone())
    });
    let (mut chosen, mut left_out, mut spent) = (Vec::new(), snapshot.left_out.clone(), 0);
    for (path, size) in paths {
        // One file may not take the place of all others.
        if rank(path) < 9 && spent + size <= budget && size <= (budget / 4).max(500) {
            spent += size;
            chosen.push(path.clone());
        } else {
            left_out.push(LeftOut { path: path.clone(), why: WhyLeftOut::Budget });
        }
    }
    (chosen, left_out)
}

fn rank(path: &str) -> u8 {
    let name = name_of(path);
    let manifests = [
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "go.mod",
        "pom.xml",
        "Makefile",
        "justfile",
        "Dockerfile",
    ];
    let entries = [
        "main.rs",
        "lib.rs",
        "index.js",
        "index.ts",
        "main.py",
        "__main__.py",
        "__init__.py",
        "main.go",
        "app.js",
        "app.ts",
        "app.py",
        "server.js",
        "server.ts",
        "cli.rs",
        "cli.js",
        "cli.ts",
        "cli.py",
    ];
    let top = !path.contains('/');
    match () {
        () if is_lock(path) || name.ends_with(".min.js") || name.ends_with(".map") => 9,
        () if manifests.contains(&name) && top => 0,
        () if top && is_document(path) => 1,
        () if entries.contains(&name) && !is_test(path) => 2,
        () if manifests.contains(&name) => 3,
        () if is_program(path) && !is_test(path) => 4,
        () if is_document(path) => 5,
        () if !is_program(path) => 6,
        () => 7,
    }
}
