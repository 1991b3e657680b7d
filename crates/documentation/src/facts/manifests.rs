//! Packages, as their manifests describe them.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;
use toml::Table;

use super::{layout::name_of, pattern};
use crate::Snapshot;

/// Whose manifest it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ecosystem {
    Cargo,
    Npm,
    Python,
    Go,
    Maven,
    DotNet,
    #[serde(rename = "cmake")]
    CMake,
}

/// What a manifest says of its package.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Package {
    pub ecosystem: Ecosystem,
    pub name: String,
    pub version: Option<String>,
    pub description: Option<String>,
    pub licence: Option<String>,
    /// The oldest Rust, Node.js, Python or Go that it works with.
    pub requires: Option<String>,
    pub path: String,
    /// The line of its name.
    pub line: usize,
    /// Features of Cargo, extras of Python.
    pub features: BTreeSet<String>,
    /// Names of examples, tests and benches of Cargo.
    pub targets: BTreeSet<String>,
    /// Programs: name and path.
    pub programs: Vec<(String, Option<String>)>,
    /// Scripts of npm: name and command.
    pub scripts: Vec<(String, String)>,
    /// It is not for a registry.
    pub private: bool,
}

/// What all manifests say together.
#[derive(Default)]
pub(super) struct Read {
    pub packages: Vec<Package>,
    pub licences: BTreeSet<String>,
    pub dependencies: BTreeSet<String>,
}

/// The most manifests that are read.
const MOST: usize = 400;

pub(super) fn read(snapshot: &Snapshot) -> Read {
    let mut read = Read::default();
    let mut paths: Vec<&String> = snapshot.files.keys().filter(|path| !is_foreign(path)).collect();
    paths.sort_by_key(|path| (path.matches('/').count(), rank(name_of(path)), (*path).clone()));
    let root: Table =
        snapshot.text("Cargo.toml").and_then(|text| text.parse().ok()).unwrap_or_default();
    for path in paths.into_iter().filter(|path| rank(name_of(path)) < 9).take(MOST) {
        let Some(text) = snapshot.text(path) else { continue };
        let package = match name_of(path) {
            "Cargo.toml" => cargo(path, text, &root, &mut read.dependencies),
            "package.json" => npm(path, text, &mut read.dependencies),
            "pyproject.toml" | "setup.cfg" | "setup.py" => {
                python(path, text, snapshot, &mut read.dependencies)
            }
            "go.mod" => go(path, text, snapshot, &mut read.dependencies),
            "pom.xml" => maven(path, text),
            "CMakeLists.txt" => cmake(path, text),
            _ => dotnet(path, text),
        };
        let Some(package) = package else { continue };
        let known = |other: &Package| {
            let folder = |path: &str| {
                path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
            };
            other.ecosystem == package.ecosystem && folder(&other.path) == folder(&package.path)
        };
        if let Some(other) = read.packages.iter_mut().find(|other| known(other)) {
            // `setup.cfg` and `pyproject.toml` share one package.
            other.version = other.version.take().or(package.version);
            other.description = other.description.take().or(package.description);
            other.licence = other.licence.take().or(package.licence);
            other.requires = other.requires.take().or(package.requires);
            other.programs.extend(package.programs);
            if other.name.is_empty() {
                other.name = package.name;
            }
            continue;
        }
        read.packages.push(package);
    }
    read.packages.retain(|package| !package.name.is_empty());
    for licence in read.packages.iter().filter_map(|package| package.licence.as_deref()) {
        read.licences.extend(spdx(licence));
    }
    read
}

fn is_foreign(path: &str) -> bool {
    let folders = [
        "node_modules",
        "vendor",
        "testdata",
        "fixtures",
        "third_party",
        "target",
        "dist",
        "templates",
    ];
    path.split('/').any(|folder| folders.contains(&folder))
}

/// Whether it describes a package of the repository.
pub(super) fn is_manifest(path: &str) -> bool {
    rank(name_of(path)) < 9 && !is_foreign(path)
}

fn rank(name: &str) -> usize {
    let known = [
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "go.mod",
        "pom.xml",
        "CMakeLists.txt",
    ];
    known.iter().position(|known| *known == name).unwrap_or(if name.ends_with(".csproj") {
        8
    } else {
        9
    })
}

/// The single licences of an expression.
fn spdx(expression: &str) -> BTreeSet<String> {
    let parts = expression.split(['/', '(', ')', ',', ' ', ';']);
    let words = [
        "OR", "AND", "WITH", "or", "and", "License", "Licence", "The", "the", "License,", "Version",
    ];
    let all: BTreeSet<String> =
        parts.filter(|part| !part.is_empty() && !words.contains(part)).map(str::to_owned).collect();
    let known = crate::check::licences_in(expression);
    if known.is_empty() { all } else { known }
}

fn line_of(text: &str, needle: &str) -> usize {
    text.lines().position(|line| line.trim_start().starts_with(needle)).map_or(1, |line| line + 1)
}

fn blank(ecosystem: Ecosystem, path: &str, line: usize) -> Package {
    Package {
        ecosystem,
        name: String::new(),
        version: None,
        description: None,
        licence: None,
        requires: None,
        path: path.to_owned(),
        line,
        features: BTreeSet::new(),
        targets: BTreeSet::new(),
        programs: Vec::new(),
        scripts: Vec::new(),
        private: false,
    }
}

fn cargo(
    path: &str,
    text: &str,
    root: &Table,
    dependencies: &mut BTreeSet<String>,
) -> Option<Package> {
    let manifest: Table = text.parse().ok()?;
    gather(&manifest, dependencies, 0);
    let table = manifest.get("package")?.as_table()?;
    let shared = root.get("workspace").and_then(|it| it.get("package"));
    let word = |key: &str| {
        let own = table.get(key).and_then(toml::Value::as_str);
        own.or_else(|| shared?.get(key)?.as_str()).map(str::to_owned)
    };
    let names = |key: &str| -> Vec<(String, Option<String>)> {
        let entries = manifest.get(key).and_then(toml::Value::as_array).into_iter().flatten();
        entries
            .filter_map(|entry| {
                let place = entry.get("path").and_then(toml::Value::as_str).map(str::to_owned);
                Some((entry.get("name")?.as_str()?.to_owned(), place))
            })
            .collect()
    };
    let targets = ["example", "test", "bench"]
        .iter()
        .flat_map(|key| names(key))
        .map(|(name, _)| name)
        .collect();
    let features = manifest.get("features").and_then(toml::Value::as_table);
    let mut package = blank(Ecosystem::Cargo, path, line_of(text, "name"));
    package.name = table.get("name")?.as_str()?.to_owned();
    package.version = word("version");
    package.description =
        word("description").map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    package.licence = word("license");
    package.requires = word("rust-version");
    package.features = features.into_iter().flat_map(|table| table.keys().cloned()).collect();
    package.targets = targets;
    package.programs = names("bin");
    package.private = table.get("publish").is_some_and(|publish| publish.as_bool() == Some(false));
    Some(package)
}

/// Names of all tables whose key ends with `dependencies`.
fn gather(table: &Table, dependencies: &mut BTreeSet<String>, depth: usize) {
    for (key, value) in table {
        let Some(inner) = value.as_table() else { continue };
        if key.ends_with("dependencies") {
            dependencies.extend(inner.keys().cloned());
            let renamed = inner.values().filter_map(|value| value.get("package")?.as_str());
            dependencies.extend(renamed.map(str::to_owned));
        } else if depth < 6 {
            gather(inner, dependencies, depth + 1);
        }
    }
}

fn npm(path: &str, text: &str, dependencies: &mut BTreeSet<String>) -> Option<Package> {
    let manifest: serde_json::Value =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let word = |key: &str| manifest.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    let table =
        |key: &str| manifest.get(key).and_then(serde_json::Value::as_object).into_iter().flatten();
    for key in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
        dependencies.extend(table(key).map(|(name, _)| name.clone()));
    }
    let mut package = blank(Ecosystem::Npm, path, line_of(text, "\"name\""));
    package.name = word("name")?;
    package.version = word("version");
    package.description = word("description");
    package.licence = word("license");
    package.requires = manifest
        .get("engines")
        .and_then(|engines| engines.get("node")?.as_str())
        .map(str::to_owned);
    package.private =
        manifest.get("private").is_some_and(|private| private.as_bool() == Some(true));
    package.scripts = table("scripts")
        .filter_map(|(name, run)| Some((name.clone(), run.as_str()?.to_owned())))
        .collect();
    package.programs = match manifest.get("bin") {
        Some(serde_json::Value::String(place)) => {
            let name = package.name.rsplit('/').next().unwrap_or(&package.name).to_owned();
            vec![(name, Some(place.clone()))]
        }
        _ => table("bin")
            .map(|(name, place)| (name.clone(), place.as_str().map(str::to_owned)))
            .collect(),
    };
    Some(package)
}

static SETUP_NAME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?m)^\s*name\s*=\s*['"]?([A-Za-z0-9._-]+)['"]?,?\s*$"#));
static SETUP_VERSION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?m)^\s*version\s*=\s*['"]?(\d[0-9A-Za-z.+-]*)['"]?,?\s*$"#));
static SETUP_LICENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?m)^\s*license\s*=\s*['"]?([^'"\n]+?)['"]?,?\s*$"#));
static SETUP_DESCRIPTION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?m)^\s*description\s*=\s*['"]?([^'"\n(:][^"\n]*?)['"]?,?\s*$"#));
static SETUP_PYTHON: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?m)^\s*python_requires\s*=\s*['"]?([^'"\n]+?)['"]?,?\s*$"#));
static SETUP_SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?m)^\s*['"]?([A-Za-z][A-Za-z0-9_.-]*)\s*=\s*([A-Za-z_][A-Za-z0-9_.]*):[A-Za-z_]\w*['"]?,?\s*$"#,
    )
});
static DUNDER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?m)^__version__\s*(?::\s*\w+\s*)?=\s*['"](\d[^'"]*)['"]"#));
static PKG_INFO: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^Version:\s*(\S+)\s*$"));
static REQUIREMENT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)"));

fn python(
    path: &str,
    text: &str,
    snapshot: &Snapshot,
    dependencies: &mut BTreeSet<String>,
) -> Option<Package> {
    let mut package = blank(Ecosystem::Python, path, line_of(text, "name"));
    let capture =
        |pattern: &Regex, text: &str| pattern.captures(text).map(|found| found[1].to_owned());
    if name_of(path) == "pyproject.toml" {
        let manifest: Table = text.parse().ok()?;
        let project =
            manifest.get("project").or_else(|| manifest.get("tool")?.get("poetry"))?.as_table()?;
        let word = |key: &str| project.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        package.name = word("name").unwrap_or_default();
        package.version = word("version");
        package.description = word("description");
        package.requires = word("requires-python");
        let licence = project.get("license");
        package.licence = licence
            .and_then(|it| it.as_str().or_else(|| it.get("text")?.as_str()))
            .map(str::to_owned);
        let tables =
            |key: &str| project.get(key).and_then(toml::Value::as_table).into_iter().flatten();
        package.programs = tables("scripts").map(|(name, _)| (name.clone(), None)).collect();
        package.features = tables("optional-dependencies")
            .chain(tables("extras"))
            .map(|(name, _)| name.clone())
            .collect();
        let lists = project.get("dependencies").and_then(toml::Value::as_array).into_iter();
        let optional = tables("optional-dependencies").filter_map(|(_, list)| list.as_array());
        for line in lists.chain(optional).flatten().filter_map(toml::Value::as_str) {
            dependencies.extend(capture(&REQUIREMENT, line));
        }
        dependencies.extend(tables("dependencies").map(|(name, _)| name.clone()));
    } else {
        package.name = capture(&SETUP_NAME, text).unwrap_or_default();
        package.version = capture(&SETUP_VERSION, text);
        package.licence = capture(&SETUP_LICENCE, text);
        package.description = capture(&SETUP_DESCRIPTION, text);
        package.requires = capture(&SETUP_PYTHON, text);
        package.programs =
            SETUP_SCRIPT.captures_iter(text).map(|script| (script[1].to_owned(), None)).collect();
    }
    if package.version.is_none() {
        let folder =
            path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let module = package.name.replace('-', "_").to_lowercase();
        let places = [
            format!("{folder}{module}/__init__.py"),
            format!("{folder}src/{module}/__init__.py"),
            format!("{folder}{module}/__version__.py"),
            format!("{folder}src/{module}/__version__.py"),
        ];
        let dunder = places.iter().find_map(|place| capture(&DUNDER, snapshot.text(place)?));
        package.version =
            dunder.or_else(|| capture(&PKG_INFO, snapshot.text(&format!("{folder}PKG-INFO"))?));
    }
    Some(package)
}

static GO_MODULE: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?m)^module\s+"?(\S+?)"?\s*$"#));
static GO_VERSION: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^go\s+(\d+\.\d+(?:\.\d+)?)"));
static GO_REQUIRE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^(?:require)?\s+([a-z0-9.-]+\.[a-z]+/\S+)\s+v"));

/// `// Package name does …`, up to the first full stop.
static GO_DOC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?m)^(?:/\*\n?|// )Package \w+ (?:is |provides? )?((?:[^.\n]|\.\w|\n(?:// )?\w)+)\.")
});

fn go(
    path: &str,
    text: &str,
    snapshot: &Snapshot,
    dependencies: &mut BTreeSet<String>,
) -> Option<Package> {
    let mut package = blank(Ecosystem::Go, path, line_of(text, "module"));
    package.name = GO_MODULE.captures(text)?[1].to_owned();
    package.requires = GO_VERSION.captures(text).map(|found| found[1].to_owned());
    let folder = path.strip_suffix("go.mod").unwrap_or("");
    let here = |file: &&String| {
        file.strip_prefix(folder).is_some_and(|name| name.ends_with(".go") && !name.contains('/'))
    };
    let doc = snapshot.files.keys().filter(here).find_map(|file| {
        let found = GO_DOC.captures(snapshot.text(file)?)?;
        Some(found[1].replace("\n// ", " ").replace('\n', " "))
    });
    package.description = doc.map(|doc| {
        let mut letters = doc.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    });
    dependencies.extend(GO_REQUIRE.captures_iter(text).map(|found| found[1].to_owned()));
    Some(package)
}

static XML: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?s)<(parent|dependencies|build|profiles|dependencyManagement)>.*?</(?:parent|dependencies|build|profiles|dependencyManagement)>",
    )
});
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"<(artifactId|version|description|Version|PackageId|Description|PackageLicenseExpression|TargetFramework)>\s*([^<]+?)\s*<",
    )
});

fn tags(text: &str) -> Vec<(String, String)> {
    let text = XML.replace_all(text, "");
    TAG.captures_iter(&text).map(|tag| (tag[1].to_owned(), tag[2].to_owned())).collect()
}

fn maven(path: &str, text: &str) -> Option<Package> {
    let tags = tags(text);
    let first =
        |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.clone());
    let mut package = blank(Ecosystem::Maven, path, line_of(text, "<artifactId>"));
    package.name = first("artifactId")?;
    package.version =
        first("version").filter(|version| version.starts_with(|c: char| c.is_ascii_digit()));
    package.description = first("description").filter(|text| !text.contains('$'));
    Some(package)
}

static CMAKE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?is)^\s*project\s*\(\s*([A-Za-z][\w.+-]*)([^)]*)\)"));
static CMAKE_VERSION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\bVERSION\s+(\d+(?:\.\d+)+)"));
static CMAKE_DESCRIPTION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?i)\bDESCRIPTION\s+"([^"$]+)""#));

fn cmake(path: &str, text: &str) -> Option<Package> {
    // Folders below share the project of the root.
    if path.contains('/') {
        return None;
    }
    let start =
        text.lines().position(|line| line.trim_start().to_lowercase().starts_with("project("))?;
    let rest = text.lines().skip(start).collect::<Vec<_>>().join("\n");
    let project = CMAKE.captures(&rest)?;
    let mut package = blank(Ecosystem::CMake, path, start + 1);
    package.name = project[1].to_owned();
    package.version = CMAKE_VERSION.captures(&project[2]).map(|found| found[1].to_owned());
    package.description = CMAKE_DESCRIPTION.captures(&project[2]).map(|found| found[1].to_owned());
    Some(package)
}

fn dotnet(path: &str, text: &str) -> Option<Package> {
    let tags = tags(text);
    let first =
        |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.clone());
    let mut package = blank(Ecosystem::DotNet, path, 1);
    package.name =
        first("PackageId").unwrap_or_else(|| name_of(path).trim_end_matches(".csproj").to_owned());
    package.version = first("Version");
    package.description = first("Description");
    package.licence = first("PackageLicenseExpression");
    Some(package)
}
