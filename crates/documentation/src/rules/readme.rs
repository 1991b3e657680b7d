//! README.

use super::{Page, Written, plain};
use crate::facts::Ecosystem;

pub(super) fn write(page: &Page<'_>) -> Written {
    let facts = page.facts;
    let main = facts.main_package();
    let description = main
        .and_then(|package| package.description.as_deref())
        .map(plain)
        .filter(|text| !text.is_empty());
    let lead = description.unwrap_or_else(|| "The repository has no description.".to_owned());
    let sections = vec![
        ("Features".to_owned(), features(page)),
        ("Installation".to_owned(), installation(page)),
        ("Usage".to_owned(), usage(page)),
        ("Configuration".to_owned(), configuration(page)),
        ("Contributing".to_owned(), contributing(page)),
        ("License".to_owned(), licence(page)),
    ];
    (page.name(), lead, sections)
}

fn features(page: &Page<'_>) -> String {
    let facts = page.facts;
    let mut out = Vec::new();
    let languages: Vec<&str> =
        facts.languages.iter().take(3).map(|(name, _)| name.as_str()).collect();
    if !languages.is_empty() {
        out.push(format!("- written in {}", languages.join(", ")));
    }
    for program in facts.programs.iter().take(8) {
        out.push(format!("- the program `{}` ({})", program.name, page.source(&program.source)));
    }
    for (count, one, many) in [
        (facts.endpoints.len(), "HTTP endpoint", "HTTP endpoints"),
        (page.public().len(), "public function or type", "public functions and types"),
        (facts.tests.len(), "test file", "test files"),
    ] {
        if count > 0 {
            out.push(format!("- {count} {}", if count == 1 { one } else { many }));
        }
    }
    if out.is_empty() {
        "Scribe found no program, endpoint or public function.".to_owned()
    } else {
        out.join("\n")
    }
}

fn installation(page: &Page<'_>) -> String {
    let facts = page.facts;
    let mut out = page.needs();
    let Some(main) = facts.main_package() else { return out };
    let run = match main.ecosystem {
        Ecosystem::Cargo if facts.has_programs() && !main.path.contains('/') => {
            Some("cargo install --path .")
        }
        Ecosystem::Cargo => Some("cargo build"),
        Ecosystem::Npm => Some("npm install"),
        Ecosystem::Python => Some("pip install ."),
        Ecosystem::Go => Some("go build ./..."),
        Ecosystem::Maven => Some("mvn package"),
        Ecosystem::DotNet => Some("dotnet build"),
        Ecosystem::CMake => Some("cmake -B build && cmake --build build"),
    };
    if let Some(run) = run {
        out.push_str("\n\nIn a checkout of the repository:\n\n");
        out.push_str(&Page::shell(&[run.to_owned()]));
    }
    out
}

fn usage(page: &Page<'_>) -> String {
    let facts = page.facts;
    let mut out = String::new();
    if !facts.programs.is_empty() {
        let runs: Vec<String> = facts
            .programs
            .iter()
            .take(5)
            .map(|program| format!("{} --help", program.name))
            .collect();
        out.push_str(&Page::shell(&runs));
        out.push_str("\n\n");
    }
    let runs = page.commands(&["run"]);
    if !runs.is_empty() {
        out.push_str("Commands that start it from a checkout:\n\n");
        out.push_str(&Page::shell(&runs));
        out.push_str("\n\n");
    }
    if !facts.endpoints.is_empty() {
        out.push_str("| method | path | source |\n|---|---|---|\n");
        for endpoint in facts.endpoints.iter().take(page.most.min(15)) {
            out.push_str(&format!(
                "| `{}` | `{}` | {} |\n",
                endpoint.method,
                endpoint.path,
                page.source(&endpoint.source)
            ));
        }
        out.push('\n');
    }
    let options = page.options(page.most.min(20));
    if facts.has_programs() && !options.is_empty() {
        out.push_str("Options that the code declares:\n\n");
        out.push_str(&options);
        out.push_str("\n\n");
    }
    // What is inside of a program is not how it is used.
    let is_library = !facts.has_programs() || page.snapshot.files.contains_key("src/lib.rs");
    if is_library && !page.public().is_empty() {
        out.push_str("Public functions and types:\n\n");
        out.push_str(&page.items(page.most.min(15)));
    }
    if out.is_empty() {
        out.push_str("The repository does not say how it is used.");
    }
    out
}

pub(super) fn configuration(page: &Page<'_>) -> String {
    let facts = page.facts;
    let mut out = String::new();
    if facts.environment.is_empty() {
        out.push_str("Scribe found no environment variable that the code reads.\n");
    } else {
        out.push_str(&page.environment_table());
    }
    if !facts.configuration.is_empty() {
        out.push_str("\nFiles that configure it or its tools:\n\n");
        for path in facts.configuration.iter().take(page.most) {
            out.push_str(&format!("- {}\n", page.link(path)));
        }
    }
    out
}

fn contributing(page: &Page<'_>) -> String {
    let facts = page.facts;
    let mut out = String::new();
    let guide = facts
        .documents
        .iter()
        .find(|path| path.to_lowercase().ends_with("contributing.md") && *path != page.path);
    if let Some(path) = guide {
        out.push_str(&format!("See {}.\n\n", page.link(path)));
    }
    let runs = page.commands(&["build", "test", "lint"]);
    if runs.is_empty() {
        out.push_str("The repository names no command that checks a change.");
    } else {
        out.push_str("Commands that check a change:\n\n");
        out.push_str(&Page::shell(&runs));
    }
    out
}

pub(super) fn licence(page: &Page<'_>) -> String {
    let facts = page.facts;
    let names: Vec<&str> = facts
        .licences
        .iter()
        .map(String::as_str)
        .filter(|name| name.len() < 40 && is_name_of_licence(name))
        .collect();
    let files: Vec<String> = facts
        .licence_files
        .iter()
        .filter(|path| !path.contains('/'))
        .take(4)
        .map(|path| page.link(path))
        .collect();
    match (names.as_slice(), files.as_slice()) {
        ([], []) => "The repository names no licence.".to_owned(),
        ([], files) => format!("See {}.", files.join(", ")),
        (names, []) => format!("{}.", names.join(", ")),
        (names, files) => format!("{}. See {}.", names.join(", "), files.join(", ")),
    }
}

/// Words such as `SEE LICENSE IN file` and `UNLICENSED` name none; `Unlicense` is one.
fn is_name_of_licence(name: &str) -> bool {
    name == "Unlicense" || !name.to_lowercase().contains("licen")
}
