//! The framework of a repository, and the test file for it.

use consign_authoring::trace::{self, Framework};

use crate::trace::{LOGIN, artifact};

#[test]
fn the_framework_is_recognised_by_the_manifests() {
    let table: &[(&[(&str, &str)], Framework)] = &[
        (&[], Framework::Default),
        (&[("package.json", r#"{"devDependencies":{"vitest":"3"}}"#)], Framework::Vitest),
        (&[("package.json", r#"{"devDependencies":{"jest":"29"}}"#)], Framework::Jest),
        (&[("package.json", r#"{"jest":{}}"#)], Framework::Jest),
        (
            &[(
                "package.json",
                r#"{"scripts":{"test":"jest --ci"},"devDependencies":{"vitest":"3"}}"#,
            )],
            Framework::Jest,
        ),
        (&[("package.json", r#"{"scripts":{"test":"npx vitest run"}}"#)], Framework::Vitest),
        (&[("package.json", r#"{"dependencies":{"express":"4"}}"#)], Framework::Default),
        (&[("package.json", "no json"), ("go.mod", "module x\n")], Framework::GoTest),
        (&[("package.json", "{}"), ("Cargo.toml", "[package]\nname='x'")], Framework::CargoTest),
        (&[("Cargo.toml", "[workspace]")], Framework::CargoTest),
        (&[("Cargo.toml", "]")], Framework::Default),
        (&[("pytest.ini", "")], Framework::Pytest),
        (&[("conftest.py", "")], Framework::Pytest),
        (&[("pyproject.toml", "[tool.pytest.ini_options]\n")], Framework::Pytest),
        (
            &[("pyproject.toml", "[project.optional-dependencies]\ntest = [\"pytest>=8\"]\n")],
            Framework::Pytest,
        ),
        (
            &[("pyproject.toml", "[tool.poetry.group.dev.dependencies]\npytest = \"^8\"\n")],
            Framework::Pytest,
        ),
        (&[("pyproject.toml", "[project]\nname = \"x\"\n")], Framework::Default),
        (&[("setup.cfg", "[tool:pytest]\n")], Framework::Pytest),
        (&[("requirements-dev.txt", "black\npytest==8.0\n")], Framework::Pytest),
        (&[("requirements.txt", "pytestish\n")], Framework::Default),
    ];
    for (files, expected) in table {
        let read = |path: &str| {
            files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
        };
        assert_eq!(Framework::recognise(&read), *expected, "{files:?}");
    }
}

#[test]
fn every_framework_has_its_form_and_name() {
    for (framework, path, parts) in [
        (
            Framework::Vitest,
            "trace-tests.test.ts",
            [
                "from 'vitest'",
                "it.skip(\"User login [login-happy-path]\"",
                "    // Given a registered user",
            ],
        ),
        (
            Framework::Jest,
            "trace-tests.test.js",
            [
                "describe(\"Specification\"",
                "it.skip(\"User login [login-happy-path]\"",
                "    // Given a registered user",
            ],
        ),
        (
            Framework::Pytest,
            "tests/test_trace.py",
            [
                "@pytest.mark.skip(reason=\"not written yet\")",
                "def test_login_happy_path():",
                "    # Given a registered user",
            ],
        ),
        (
            Framework::CargoTest,
            "tests/trace_tests.rs",
            [
                "#[ignore = \"not written yet\"]",
                "fn login_happy_path() {",
                "    // Given a registered user",
            ],
        ),
        (
            Framework::GoTest,
            "tracetests/trace_test.go",
            [
                "t.Skip(\"not written yet\")",
                "func TestLoginHappyPath(t *testing.T) {",
                "\t// Given a registered user",
            ],
        ),
    ] {
        let output = trace::generate(LOGIN, &framework, &[]).expect("it is good");
        assert_eq!(output.files[0].path, path);
        let file = artifact(&output, path);
        for part in parts {
            assert!(file.contains(part), "{framework:?} without {part}:\n{file}");
        }
        assert_eq!(framework == Framework::Jest, !file.contains("import") && path.ends_with(".js"));
    }
}

#[test]
fn a_specification_without_scenarios_still_gives_a_test() {
    let spec = "Feature: f\nBackground:\nGiven a";
    for framework in
        [Framework::Default, Framework::Pytest, Framework::CargoTest, Framework::GoTest]
    {
        let output = trace::generate(spec, &framework, &[]).expect("it is good");
        assert_eq!((output.scenario_count, output.total_test_cases), (0, 0));
        assert!(artifact(&output, framework.path()).contains("The specification has no scenarios"));
    }
}
