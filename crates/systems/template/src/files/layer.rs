//! Assigns a file to a layer.

use consign_code::Class;

use super::imports::stem;
use crate::analysis::Analysis;

/// Files without which nothing is built, by name or ending.
pub(super) fn is_manifest(path: &str) -> bool {
    const NAMES: &[&str] = &[
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "requirements.txt",
        "Pipfile",
        "go.mod",
        "go.work",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "gradle.properties",
        "libs.versions.toml",
        "Gemfile",
        "Rakefile",
        "composer.json",
        "Directory.Build.props",
        "Directory.Packages.props",
        "global.json",
        "Makefile",
        "CMakeLists.txt",
        "pubspec.yaml",
        "Package.swift",
        "mix.exs",
        "manage.py",
        "MANIFEST.in",
        "tsconfig.json",
        "rust-toolchain.toml",
        "rust-toolchain",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    NAMES.contains(&name)
        || [".csproj", ".fsproj", ".sln", ".slnx", ".gemspec", ".cabal"]
            .iter()
            .any(|end| name.ends_with(end))
        || (name.starts_with("tsconfig.") && name.ends_with(".json"))
}

/// Something that tools read: at the top of the project or in a folder of settings.
pub(super) fn is_configuration(path: &str) -> bool {
    let at_top = !path.contains('/');
    let name = path.rsplit('/').next().unwrap_or(path);
    let class = Class::of(path);
    (at_top && (class == Class::Config || name.starts_with('.') || name.contains(".config.")))
        || path.starts_with(".cargo/")
        || (class == Class::Config && name.starts_with("application"))
}

/// The layer whose folder is the nearest, else what kind of file it is.
pub(super) fn layer(analysis: &Analysis, path: &str) -> String {
    let class = Class::of(path);
    if is_manifest(path) {
        return "manifest".to_owned();
    }
    if class == Class::Test {
        return "tests".to_owned();
    }
    let within = |folder: &str| {
        let folder = folder.trim_matches('/');
        path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    let folders = analysis.layers.iter().flat_map(|layer| {
        layer.folders.iter().filter(|it| within(it)).map(|folder| (folder.len(), &layer.name))
    });
    if let Some((_, name)) = folders.max_by_key(|(length, _)| *length) {
        return name.clone();
    }
    if let Some(key) = analysis.key_files.iter().find(|it| it.path == path) {
        return key.role.clone();
    }
    if is_configuration(path) {
        return "configuration".to_owned();
    }
    match class {
        Class::Docs | Class::Changelog => "documentation",
        Class::Config | Class::Lock => "configuration",
        Class::Example => "examples",
        Class::Source | Class::Test | Class::Other | Class::Generated => "source",
    }
    .to_owned()
}

/// Whether a test is named after a file: `test_db.py` and `db_test.go` after `db`.
pub(super) fn is_test_of(test: &str, file: &str) -> bool {
    let plain = |path: &str| stem(path).to_ascii_lowercase();
    let test = plain(test);
    let bare =
        test.trim_start_matches("test_").trim_end_matches("_test").trim_end_matches("_tests");
    let bare = bare.trim_end_matches("tests").trim_end_matches("test").trim_end_matches("_spec");
    !bare.is_empty() && bare == plain(file)
}
