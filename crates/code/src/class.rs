//! Classifies a file by its path: source, tests, documentation and so on.
//!
//! A guess from names that most repositories share. It only moves results up and down; nothing is
//! left out because of it.

use crate::Language;

/// The classes, in the order in which results are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    Source,
    Config,
    Docs,
    Example,
    Test,
    Other,
    Generated,
    Changelog,
    Lock,
}

/// Folders of tests and of what only tests need.
const TEST_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "testing",
    "testdata",
    "test-data",
    "fixtures",
    "e2e",
    "__mocks__",
    "mocks",
    "snapshots",
    "__snapshots__",
    "testkit",
    "test-kit",
    "test_kit",
    "testutil",
    "testutils",
    "test-util",
    "test-utils",
    "test_util",
    "test_utils",
    "testsupport",
    "test-support",
    "test_support",
    "testhelpers",
    "test-helpers",
    "test_helpers",
    "conformance",
];

impl Class {
    #[must_use]
    pub fn of(path: &str) -> Self {
        let lower = path.to_ascii_lowercase();
        let (dirs, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let stem = name.split('.').next().unwrap_or(name);
        if is_lock(name) {
            return Self::Lock;
        }
        if ["changelog", "changes", "history", "news", "releases"].contains(&stem)
            && !is_code(&lower)
        {
            return Self::Changelog;
        }
        if is_generated(name) {
            return Self::Generated;
        }
        let within = |names: &[&str]| dirs.split('/').any(|dir| names.contains(&dir));
        if within(TEST_FOLDERS)
            || is_test(name)
            || dirs.split('/').any(|dir| dir.ends_with(".tests") || dir.ends_with("-tests"))
        {
            return Self::Test;
        }
        if within(&[
            "example", "examples", "sample", "samples", "demo", "demos", "bench", "benches",
        ]) || within(&["benchmark", "benchmarks"])
        {
            return Self::Example;
        }
        let language = Language::of(path);
        let written = matches!(language, Some(Language::Markdown | Language::Text));
        if written || (within(&["doc", "docs", "documentation"]) && !is_code(&lower)) {
            return Self::Docs;
        }
        match language {
            Some(Language::Json | Language::Yaml | Language::Toml | Language::Xml) => Self::Config,
            Some(_) => Self::Source,
            None => match stem {
                "dockerfile" | "makefile" | "justfile" | "procfile" | "jenkinsfile" => Self::Config,
                "readme" | "license" | "licence" | "copying" | "notice" => Self::Docs,
                _ => Self::Other,
            },
        }
    }

    /// The factor for a score.
    pub(crate) const fn factor(self) -> f64 {
        match self {
            Self::Source => 1.0,
            Self::Config => 0.6,
            Self::Docs => 0.5,
            Self::Example => 0.4,
            Self::Test => 0.35,
            Self::Other => 0.35,
            Self::Generated => 0.25,
            Self::Changelog => 0.15,
            Self::Lock => 0.05,
        }
    }

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Config => "configuration",
            Self::Docs => "documentation",
            Self::Example => "example",
            Self::Test => "test",
            Self::Other => "other",
            Self::Generated => "generated",
            Self::Changelog => "changelog",
            Self::Lock => "lock file",
        }
    }
}

fn is_code(path: &str) -> bool {
    Language::of(path).is_some_and(Language::has_grammar)
}

fn is_lock(name: &str) -> bool {
    name.ends_with(".lock")
        || ["package-lock.json", "pnpm-lock.yaml", "npm-shrinkwrap.json", "go.sum"].contains(&name)
        || ["packages.lock.json", "composer.lock", "gradle.lockfile"].contains(&name)
}

fn is_generated(name: &str) -> bool {
    [".min.js", ".min.css", ".pb.go", "_pb2.py", "_pb2_grpc.py", ".g.cs", ".designer.cs", ".map"]
        .iter()
        .any(|end| name.ends_with(end))
        || [".generated.", "_generated.", ".gen.", ".snap"].iter().any(|part| name.contains(part))
}

fn is_test(name: &str) -> bool {
    let Some((stem, _)) = name.rsplit_once('.') else { return false };
    // What stands in for the real thing is only code: `mock.json` may be anything.
    let stands_in = is_code(name)
        && (["mock", "mocks", "testing", "testutil", "testutils"].contains(&stem)
            || ["_mock", "_mocks", ".mock", ".mocks"].iter().any(|end| stem.ends_with(end)));
    stands_in
        || ["test", "tests", "conftest"].contains(&stem)
        || stem.starts_with("test_")
        || ["_test", "_tests", ".test", ".spec", "_spec"].iter().any(|end| stem.ends_with(end))
        || (stem.len() > 5
            && [".java", ".cs", ".kt", ".php"].iter().any(|end| name.ends_with(end))
            && (stem.ends_with("test") || stem.ends_with("tests")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_what_a_file_is_for() {
        for (path, expected) in [
            ("src/auth/login.rs", Class::Source),
            ("src/history.rs", Class::Source),
            ("CHANGELOG.md", Class::Changelog),
            ("pkg/auth_test.go", Class::Test),
            ("src/test/java/A.java", Class::Test),
            ("src/LoginTest.java", Class::Test),
            ("web/login.spec.ts", Class::Test),
            ("src/latest.rs", Class::Source),
            ("crates/testkit/src/lib.rs", Class::Test),
            ("pkg/testutil/server.go", Class::Test),
            ("web/test-utils/render.tsx", Class::Test),
            ("suite/conformance/store.rs", Class::Test),
            ("src/store/mock.rs", Class::Test),
            ("pkg/store_mocks.go", Class::Test),
            ("web/api.mock.ts", Class::Test),
            ("src/client/testing.rs", Class::Test),
            ("config/mock.json", Class::Config),
            ("src/mocking.rs", Class::Source),
            ("src/attestation.rs", Class::Source),
            ("src/contest/utils.py", Class::Source),
            ("Cargo.lock", Class::Lock),
            ("go.sum", Class::Lock),
            ("docs/auth.md", Class::Docs),
            ("docs/conf.py", Class::Source),
            ("README", Class::Docs),
            ("examples/a.rs", Class::Example),
            ("api/user.pb.go", Class::Generated),
            ("Dockerfile", Class::Config),
            ("config/app.yaml", Class::Config),
            ("logo", Class::Other),
        ] {
            assert_eq!(Class::of(path), expected, "{path}");
        }
    }
}
