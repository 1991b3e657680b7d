//! Finds the test frameworks of a project.
//!
//! A framework counts that a manifest names and a test uses, or that comes with its language and a test
//! uses, or that a test imports by its name. Those that are named and used by no test we saw come last.

mod rules;

use consign_code::{Class, Language};

use self::rules::{RULES, Rule};
use super::{Evidence, Testing, manifest::Declared, ownership, project::Project, sample::Sampled};

pub(super) fn of(project: &Project) -> Vec<Testing> {
    let mut found: Vec<Testing> = RULES.iter().filter_map(|rule| weigh(rule, project)).collect();
    // pytest runs what is written for unittest, and most tests of testify are of `go test`.
    found.sort_by_key(|one| std::cmp::Reverse(one.files));
    for (over, under) in [("go test", "testify"), ("pytest", "unittest")] {
        let at = |name: &str| found.iter().position(|one| one.framework == name);
        if let (Some(first), Some(second)) = (at(over), at(under))
            && first > second
            && declared(project, &[Language::Python], &[over]).is_some() | (over == "go test")
        {
            found[second..=first].rotate_right(1);
        }
    }
    found
}

/// The names of test frameworks, each with its packages.
pub(super) fn known() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    RULES.iter().map(|rule| (rule.name, rule.packages))
}

fn weigh(rule: &Rule, project: &Project) -> Option<Testing> {
    let named = declared(project, rule.languages, rule.packages);
    let configured = rule.name == "pytest"
        && (project.manifests.iter().any(|manifest| manifest.fact("pytest").is_some())
            || project.paths().any(|path| path == "pytest.ini" || path.ends_with("conftest.py")));
    // Where no manifest says it, only an import does: words such as `describe` are in many tests.
    let vouched = named.is_some() || rule.built_in || configured;
    let imports: Vec<&str> = rule.marks.iter().copied().filter(|mark| is_import(mark)).collect();
    let marks = if vouched { rule.marks } else { imports.as_slice() };
    let tests: Vec<&Sampled> =
        project.sample.iter().filter(|one| is_test_of(one, rule.languages)).collect();
    let using: Vec<(&Sampled, usize, &str)> = tests
        .iter()
        .filter(|one| !is_somebody_elses(rule, one))
        .filter_map(|one| one.find(marks).map(|(line, mark)| (*one, line, mark)))
        .collect();
    if using.is_empty() && (rule.built_in || named.is_none()) {
        return None;
    }
    // The sample stands for all tests in these languages.
    let all = project.sources.iter().filter(|source| source.is_test());
    let all = all.filter(|source| rule.languages.contains(&source.language)).count();
    let seen = tests.iter().filter(|one| one.class == Class::Test).count();
    let files = if seen == 0 { using.len() } else { (using.len() * all.max(seen)).div_ceil(seen) };
    let mut evidence = Vec::new();
    if let Some((path, one)) = &named {
        let version = one.version.as_deref().unwrap_or("any version");
        let what = format!("depends on `{}` ({version})", one.name);
        evidence.push(Evidence { path: path.clone(), line: Some(one.line), what });
    }
    for (one, line, mark) in using.iter().take(2) {
        let what = format!("a test uses `{}`", mark.trim());
        evidence.push(Evidence { path: one.path.clone(), line: Some(*line), what });
    }
    let version = named.and_then(|(_, one)| one.version);
    Some(Testing { framework: rule.name.to_owned(), version, files, evidence })
}

/// Whether a mark is of a line that brings the framework in.
fn is_import(mark: &str) -> bool {
    let begins = ["from ", "import ", "using ", "require("];
    let named = ["@jest/globals", "@playwright/test", "org.junit.jupiter", "PHPUnit\\Framework"];
    begins.iter().any(|word| mark.starts_with(word)) || named.contains(&mark)
}

fn is_test_of(one: &Sampled, languages: &[Language]) -> bool {
    // In Rust tests stand beside the code.
    languages.contains(&one.language)
        && (one.class == Class::Test || one.language == Language::Rust)
}

/// Whether the marks in a file belong to another framework: words such as `describe` are in
/// several, and an import tells which.
fn is_somebody_elses(rule: &Rule, one: &Sampled) -> bool {
    let own = rule
        .marks
        .iter()
        .any(|mark| mark.contains(['\'', '"', '@', '/', '.']) && one.has(&[*mark]));
    let others = [
        ("Vitest", &["'vitest'", "\"vitest\""][..]),
        ("Jest", &["@jest/globals"]),
        ("Playwright", &["@playwright/test"]),
        ("Cypress", &["cy."]),
        ("node:test", &["node:test"]),
        ("tap", &["'tap'", "\"tap\""]),
        ("Mocha", &["'mocha'", "\"mocha\""]),
    ];
    let script =
        rules::RULES.iter().any(|known| known.name == rule.name && known.marks.contains(&"it("));
    script && !own && others.iter().any(|(name, marks)| *name != rule.name && one.has(marks))
}

fn declared(
    project: &Project,
    languages: &[Language],
    packages: &[&str],
) -> Option<(String, Declared)> {
    for package in packages {
        for manifest in &project.manifests {
            // Packages of different registries share their names.
            if !languages.iter().any(|one| ownership::languages(manifest.ecosystem).contains(one)) {
                continue;
            }
            let fits = |name: &str| match package.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == *package,
            };
            if let Some(one) = manifest.dependencies.iter().find(|one| fits(&one.name)) {
                return Some((manifest.path.clone(), one.clone()));
            }
        }
    }
    None
}
