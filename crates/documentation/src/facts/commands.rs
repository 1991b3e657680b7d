//! Programs that a repository builds, and commands that work in it.

use std::sync::LazyLock;

use regex::Regex;

use super::{Ecosystem, Package, Source, layout, pattern};
use crate::Snapshot;

/// A program that the repository builds or installs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Program {
    pub name: String,
    pub source: Source,
}

/// A command that works in the repository's folder.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Command {
    /// As it is typed.
    pub run: String,
    /// What it is for, in a word: `build`, `test`, `run`, `lint`, `task`.
    pub purpose: String,
    pub source: Source,
}

pub(super) fn programs(snapshot: &Snapshot, packages: &[Package]) -> Vec<Program> {
    let mut found: Vec<Program> = Vec::new();
    let mut add = |name: &str, source: Source| {
        if !name.is_empty() && !found.iter().any(|program| program.name == name) {
            found.push(Program { name: name.to_owned(), source });
        }
    };
    for package in packages {
        let folder =
            package.path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        for (name, place) in &package.programs {
            let text = snapshot.text(&package.path).unwrap_or("");
            let line = text
                .lines()
                .position(|line| {
                    let line = line.trim_start().trim_start_matches(['"', '\'']);
                    line.strip_prefix(name.as_str()).is_some_and(|rest| {
                        rest.trim_start_matches(['"', '\'']).trim_start().starts_with(['=', ':'])
                    })
                })
                .map_or(package.line, |line| line + 1);
            let place =
                place.as_ref().map(|place| format!("{folder}{}", place.trim_start_matches("./")));
            let known = place.filter(|place| snapshot.files.contains_key(place));
            add(
                name,
                known.map_or_else(
                    || Source::new(&package.path, line),
                    |place| Source::new(&place, 1),
                ),
            );
        }
        match package.ecosystem {
            Ecosystem::Cargo => {
                let main = format!("{folder}src/main.rs");
                if snapshot.files.contains_key(&main) && package.programs.is_empty() {
                    add(&package.name, Source::new(&main, 1));
                }
                let bins = format!("{folder}src/bin/");
                for path in snapshot.files.keys().filter(|path| path.starts_with(&bins)) {
                    let rest =
                        path[bins.len()..].trim_end_matches("/main.rs").trim_end_matches(".rs");
                    if !rest.contains('/') {
                        add(rest, Source::new(path, 1));
                    }
                }
            }
            Ecosystem::Go => {
                for (path, file) in snapshot
                    .files
                    .iter()
                    .filter(|(path, _)| path.ends_with(".go") && path.starts_with(&folder))
                {
                    if layout::is_test(path)
                        || !file.text.lines().any(|line| line.trim_end() == "package main")
                    {
                        continue;
                    }
                    let inside =
                        path[folder.len()..].rsplit_once('/').map_or("", |(inside, _)| inside);
                    let last = package.name.split('/').rfind(|part| !is_major(part)).unwrap_or("");
                    match inside {
                        "" => add(last, Source::new(path, 1)),
                        inside => {
                            add(inside.rsplit('/').next().unwrap_or(inside), Source::new(path, 1))
                        }
                    }
                }
            }
            Ecosystem::Npm
            | Ecosystem::Python
            | Ecosystem::Maven
            | Ecosystem::DotNet
            | Ecosystem::CMake => {}
        }
    }
    found
}

/// `v2` at the end of a module's path.
pub(crate) fn is_major(part: &str) -> bool {
    part.strip_prefix('v')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

static TARGET: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^([A-Za-z0-9][A-Za-z0-9_./-]*(?:\s+[A-Za-z0-9][A-Za-z0-9_./-]*)*)\s*::?(?:[^=]|$)")
});
static RECIPE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^@?([a-z][a-z0-9_-]*)(?:\s+[^:=]*)?:(?:[^=]|$)"));

/// The targets of all makefiles, with their sources.
pub(crate) fn make_targets(snapshot: &Snapshot) -> Vec<(String, Source)> {
    let is_makefile = |path: &str| {
        let name = layout::name_of(path);
        ["Makefile", "makefile", "GNUmakefile"].contains(&name) || name.ends_with(".mk")
    };
    let mut found = Vec::new();
    for (path, file) in snapshot.files.iter().filter(|(path, _)| is_makefile(path)) {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(targets) = TARGET.captures(line) {
                let names = targets[1].split_whitespace();
                found.extend(names.map(|name| (name.to_owned(), Source::new(path, number + 1))));
            }
        }
    }
    found
}

/// The recipes of a justfile, with their sources.
pub(crate) fn just_recipes(snapshot: &Snapshot) -> Vec<(String, Source)> {
    let is_justfile = |path: &str| {
        ["justfile", ".justfile"].contains(&layout::name_of(path).to_lowercase().as_str())
    };
    let mut found = Vec::new();
    for (path, file) in snapshot.files.iter().filter(|(path, _)| is_justfile(path)) {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(recipe) = RECIPE.captures(line) {
                found.push((recipe[1].to_owned(), Source::new(path, number + 1)));
            }
        }
    }
    found
}

pub(super) fn commands(
    snapshot: &Snapshot,
    packages: &[Package],
    programs: &[Program],
) -> Vec<Command> {
    let mut found = Vec::new();
    let mut add = |run: String, purpose: &str, source: Source| {
        found.push(Command { run, purpose: purpose.to_owned(), source });
    };
    let has_tests =
        |end: &str| snapshot.paths().any(|path| path.ends_with(end) && layout::is_test(path));
    for package in packages.iter().filter(|package| !package.path.contains('/')) {
        let source = || Source::new(&package.path, package.line);
        match package.ecosystem {
            Ecosystem::Cargo => {
                add("cargo build".to_owned(), "build", source());
                add("cargo test".to_owned(), "test", source());
            }
            Ecosystem::Npm => {
                add("npm install".to_owned(), "install", source());
                for (name, _) in &package.scripts {
                    let text = snapshot.text(&package.path).unwrap_or("");
                    let line = text
                        .lines()
                        .position(|line| line.contains(&format!("\"{name}\":")))
                        .map_or(1, |line| line + 1);
                    let run = if name == "test" || name == "start" {
                        format!("npm {name}")
                    } else {
                        format!("npm run {name}")
                    };
                    add(run, purpose_of(name), Source::new(&package.path, line));
                }
            }
            Ecosystem::Python => {
                add("pip install .".to_owned(), "install", source());
                if has_tests(".py") {
                    add("python -m pytest".to_owned(), "test", source());
                }
            }
            Ecosystem::Go => {
                add("go build ./...".to_owned(), "build", source());
                if snapshot.paths().any(|path| path.ends_with("_test.go")) {
                    add("go test ./...".to_owned(), "test", source());
                }
            }
            Ecosystem::Maven => {
                add("mvn package".to_owned(), "build", source());
                add("mvn test".to_owned(), "test", source());
            }
            Ecosystem::CMake => {
                add("cmake -B build".to_owned(), "build", source());
                add("cmake --build build".to_owned(), "build", source());
            }
            Ecosystem::DotNet => {
                add("dotnet build".to_owned(), "build", source());
                add("dotnet test".to_owned(), "test", source());
            }
        }
    }
    let cargo = packages.first().is_some_and(|package| {
        package.ecosystem == Ecosystem::Cargo && !package.path.contains('/')
    });
    for program in
        programs.iter().filter(|program| cargo && program.source.path.starts_with("src/"))
    {
        let run = if programs.len() == 1 {
            "cargo run".to_owned()
        } else {
            format!("cargo run --bin {}", program.name)
        };
        add(run, "run", program.source.clone());
    }
    let root = |source: &Source| !source.path.contains('/');
    for (name, source) in make_targets(snapshot)
        .into_iter()
        .filter(|(name, source)| root(source) && !name.contains(['/', '.']))
    {
        if !found.iter().any(|command| command.run == format!("make {name}")) {
            found.push(Command {
                run: format!("make {name}"),
                purpose: purpose_of(&name).to_owned(),
                source,
            });
        }
    }
    for (name, source) in just_recipes(snapshot).into_iter().filter(|(_, source)| root(source)) {
        found.push(Command {
            run: format!("just {name}"),
            purpose: purpose_of(&name).to_owned(),
            source,
        });
    }
    found
}

fn purpose_of(name: &str) -> &'static str {
    let has = |words: &[&str]| {
        words.iter().any(|word| name.split([':', '-', '_']).any(|part| part == *word))
    };
    match () {
        () if has(&["test", "tests", "spec", "check", "coverage"]) => "test",
        () if has(&["build", "compile", "dist", "bundle"]) => "build",
        () if has(&["lint", "fmt", "format", "clippy"]) => "lint",
        () if has(&["start", "serve", "run", "dev"]) => "run",
        () => "task",
    }
}
