//! Generated test files run as they are, also when a specification tries to get out of its strings
//! and comments.
//!
//! vitest and pytest come from `scripts/trace-tools.sh`; cargo is there anyway.

use std::{fs, path::Path, process::Command};

use consign_authoring::trace::{self, Framework};

use super::gherkin::tool;
use crate::support::Folder;

/// The document's example.
const LOGIN: &str = "Scenario: User login\nGiven a registered user\nWhen they enter valid credentials\nThen they see the dashboard\n\nScenario: Invalid password\nGiven a registered user\nWhen they enter wrong password\nThen they see an error message";

/// Names and steps that would be code if they were not escaped: five cases.
const HOSTILE: &str = "Feature: \"); throw new Error('out'); (\" `${process.exit(3)}` \\\n\
    Scenario: it's \"quoted\" \\ and `${1}` */ /* <!-- \u{2028}throw 1\n\
      Given \"\"\"\n\
      When # -*- coding: nonsense -*-\n\
      Then \u{202e}turned \u{0}\u{b}\u{c}\u{85}raise SystemExit(3)\n\
        \"\"\"\n\
        // @vitest-environment nowhere\n\
        '''); import os; os._exit(3)\n\
        \"\"\"\n\
    Scenario: 数字 1\n\
      * @jest-environment nowhere\n\
    Scenario: \\\n\
    Scenario Outline: <a>\n\
      Given <a>\n\
      Examples:\n\
        | a |\n\
        | \\n}});\\nprocess.exit(3) |\n\
        | \\\\\" |\n";

/// Both specifications as files of a framework: the paths and how many cases they have.
fn written(folder: &Path, framework: Framework) -> usize {
    let mut cases = 0;
    for (place, spec) in [("plain", LOGIN), ("hostile", HOSTILE)] {
        let output = trace::generate(spec, &framework, &[]).expect("it can be read");
        cases += output.total_test_cases;
        for artifact in &output.artifacts {
            let path = folder.join(place).join(&artifact.file_path);
            fs::create_dir_all(path.parent().expect("it has a folder")).expect("it is made");
            fs::write(path, artifact.content.as_deref().expect("it has content"))
                .expect("it is written");
        }
    }
    assert_eq!(cases, 7);
    cases
}

#[track_caller]
fn says(command: &mut Command, expected: &str) {
    let output = command.output().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
    let told = [output.stdout, output.stderr].concat();
    let told = String::from_utf8_lossy(&told);
    assert!(output.status.success(), "{command:?}: {told}");
    assert!(told.contains(expected), "{expected} is missing: {told}");
}

#[test]
fn vitest_runs_the_files_and_skips_every_case() {
    let (tools, folder) = (tool("vitest"), Folder::new());
    let cases = written(folder.path(), Framework::Vitest);
    // Node looks for packages in the folders above a file.
    std::os::unix::fs::symlink(tools.join("node_modules"), folder.path().join("node_modules"))
        .expect("it is linked");
    let mut vitest = Command::new("node");
    vitest.arg(tools.join("node_modules/vitest/vitest.mjs")).args(["run", "--reporter=json"]);
    vitest.current_dir(folder.path()).env("NO_COLOR", "1").env("CI", "1");
    let output = vitest.output().expect("node starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["numTotalTests"], cases, "{report}");
    assert_eq!(report["numPendingTests"], cases, "{report}");
    assert_eq!(report["numTotalTestSuites"], 4, "a file and its group, twice: {report}");
    let titles: Vec<&str> = report["testResults"]
        .as_array()
        .expect("files")
        .iter()
        .flat_map(|file| file["assertionResults"].as_array().expect("cases"))
        .map(|case| case["title"].as_str().expect("a title"))
        .collect();
    assert!(titles.contains(&"User login [login-happy-path]"), "{titles:?}");
    assert!(
        titles.iter().any(|title| title.starts_with("\n}});\nprocess.exit(3) [")),
        "{titles:?}"
    );
}

#[test]
fn pytest_runs_the_files_and_skips_every_case() {
    let (tools, folder) = (tool("pytest"), Folder::new());
    let cases = written(folder.path(), Framework::Pytest);
    let mut pytest = Command::new("python3");
    // Two files of one name are two modules only so.
    pytest.args([
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
        "--color=no",
    ]);
    pytest.current_dir(folder.path()).env("PYTHONPATH", tools).env("PYTHONDONTWRITEBYTECODE", "1");
    says(&mut pytest, &format!("{cases} skipped"));
}

#[test]
fn cargo_compiles_the_files_and_ignores_every_case() {
    let folder = Folder::new();
    written(folder.path(), Framework::CargoTest);
    for (place, ignored) in [("plain", 2), ("hostile", 5)] {
        let project = folder.path().join(place);
        fs::create_dir(project.join("src")).expect("it is made");
        fs::write(project.join("src/lib.rs"), "").expect("it is written");
        let manifest =
            "[package]\nname = \"traced\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n";
        fs::write(project.join("Cargo.toml"), manifest).expect("it is written");
        let mut cargo = Command::new("cargo");
        cargo.args(["test", "--offline", "--test", "trace_tests"]).current_dir(&project);
        cargo.env("CARGO_TARGET_DIR", folder.path().join("target"));
        cargo.env("RUSTFLAGS", "-D warnings").env_remove("CARGO_ENCODED_RUSTFLAGS");
        says(&mut cargo, &format!("0 failed; {ignored} ignored"));
    }
}
