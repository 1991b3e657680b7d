//! What a repository tests with, found out from its manifests.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The framework that the test file is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framework {
    Vitest,
    Jest,
    Pytest,
    CargoTest,
    GoTest,
    /// None was recognised: `trace-tests.test.ts` for vitest.
    Default,
}

/// Where Python projects list what they need for tests.
const REQUIREMENTS: [&str; 9] = [
    "requirements.txt",
    "requirements-dev.txt",
    "requirements-test.txt",
    "requirements_dev.txt",
    "requirements_test.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
    "requirements/dev.txt",
    "requirements/test.txt",
];

impl Framework {
    /// All that a test file can be written for.
    pub const ALL: [Self; 5] =
        [Self::Vitest, Self::Jest, Self::Pytest, Self::CargoTest, Self::GoTest];

    /// The word for it, in the settings of a job and on command lines.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Vitest => "vitest",
            Self::Jest => "jest",
            Self::Pytest => "pytest",
            Self::CargoTest => "cargo-test",
            Self::GoTest => "go-test",
            Self::Default => "default",
        }
    }

    /// Reads manifests through `read`, which gives the text of a file below the repository's root.
    ///
    /// A repository may have several: JavaScript counts before Python, Rust and Go. A manifest that
    /// cannot be parsed counts as absent.
    pub fn recognise(read: &dyn Fn(&str) -> Option<String>) -> Self {
        if let Some(found) = read("package.json").as_deref().and_then(javascript) {
            found
        } else if tests_with_pytest(read) {
            Self::Pytest
        } else if read("Cargo.toml").is_some_and(|text| is_cargo(&text)) {
            Self::CargoTest
        } else if read("go.mod").is_some_and(|text| is_go(&text)) {
            Self::GoTest
        } else {
            Self::Default
        }
    }

    /// Where the test file belongs, so that the framework finds it without settings.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Vitest | Self::Default => "trace-tests.test.ts",
            // Jest reads TypeScript only with a transformer; JavaScript always.
            Self::Jest => "trace-tests.test.js",
            // `testpaths` often names this folder, and pytest looks here without it too.
            Self::Pytest => "tests/test_trace.py",
            Self::CargoTest => "tests/trace_tests.rs",
            // A folder of its own, because the name of the package in the root is not known.
            Self::GoTest => "tracetests/trace_test.go",
        }
    }
}

/// What the script `test` calls, else what is installed, vitest first.
fn javascript(text: &str) -> Option<Framework> {
    let manifest: Value = serde_json::from_str(text).ok()?;
    let script = manifest["scripts"]["test"].as_str().unwrap_or_default();
    let calls = |name: &str| {
        script.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == name)
    };
    let lists = ["devDependencies", "dependencies", "peerDependencies", "optionalDependencies"];
    let has = |name: &str| lists.iter().any(|list| manifest[list].get(name).is_some());
    let jest = ["jest", "ts-jest", "@jest/globals", "babel-jest", "react-scripts"];
    if calls("vitest") {
        Some(Framework::Vitest)
    } else if calls("jest") {
        Some(Framework::Jest)
    } else if has("vitest") {
        Some(Framework::Vitest)
    } else if manifest.get("jest").is_some() || jest.into_iter().any(has) {
        Some(Framework::Jest)
    } else {
        None
    }
}

fn tests_with_pytest(read: &dyn Fn(&str) -> Option<String>) -> bool {
    let names_pytest = |text: &str| text.lines().any(is_pytest_requirement);
    read("pytest.ini").is_some()
        || read("conftest.py").is_some()
        || read("tests/conftest.py").is_some()
        || read("pyproject.toml").is_some_and(|text| pyproject(&text))
        || ["setup.cfg", "tox.ini"].iter().any(|file| read(file).is_some_and(|text| ini(&text)))
        || REQUIREMENTS.iter().any(|file| read(file).is_some_and(|text| names_pytest(&text)))
}

/// `[tool.pytest…]`, or pytest in any list or table of what is needed.
fn pyproject(text: &str) -> bool {
    let Ok(manifest) = text.parse::<toml::Table>() else { return false };
    let configured = manifest.get("tool").and_then(|tool| tool.get("pytest")).is_some();
    configured || manifest.values().any(|value| needs_pytest(value, 0))
}

fn needs_pytest(value: &toml::Value, depth: usize) -> bool {
    if depth > 6 {
        return false;
    }
    match value {
        toml::Value::String(text) => is_pytest_requirement(text),
        toml::Value::Array(list) => list.iter().any(|value| needs_pytest(value, depth + 1)),
        toml::Value::Table(table) => table.iter().any(|(key, value)| {
            (key == "pytest" && !value.is_array()) || needs_pytest(value, depth + 1)
        }),
        toml::Value::Integer(_)
        | toml::Value::Float(_)
        | toml::Value::Boolean(_)
        | toml::Value::Datetime(_) => false,
    }
}

fn ini(text: &str) -> bool {
    let section = |line: &str| matches!(line.trim(), "[tool:pytest]" | "[pytest]");
    text.lines().any(|line| section(line) || is_pytest_requirement(line))
}

/// `pytest`, `pytest>=8`, `pytest[extra]`, `pytest-cov`: whoever has a plugin has pytest.
fn is_pytest_requirement(line: &str) -> bool {
    let rest = line.trim().to_ascii_lowercase();
    let Some(rest) = rest.strip_prefix("pytest") else { return false };
    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == '/')
}

fn is_cargo(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|manifest| {
        manifest.contains_key("package") || manifest.contains_key("workspace")
    })
}

fn is_go(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("module "))
}
