//! `settings.json`: the conventions of the project, for people who work on a copy of it.

use std::collections::BTreeMap;

use consign_code::Class;
use serde::{Deserialize, Serialize};

use super::{
    analysis::{Analysis, Count},
    package::Templates,
    placeholders::words,
};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    pub schema_version: String,
    /// `files`, `types`, `functions` and what they are written in, the most frequent first.
    pub naming_conventions: Vec<Count>,
    pub code_style: CodeStyle,
    pub layers: Vec<LayerSettings>,
    pub tests: TestSettings,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeStyle {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indentation: Option<String>,
    /// `exceptions`, `Result`, `error values`: the most frequent first.
    pub error_handling: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerSettings {
    pub name: String,
    pub folders: Vec<String>,
    /// What its files are called: `*Controller.cs`, `*.py`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub file_naming: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub file_naming: Vec<String>,
}

/// Phase 3: the settings, as far as they are known before there are files.
#[must_use]
pub fn settings(analysis: &Analysis) -> Settings {
    let layers = analysis.layers.iter().map(|layer| LayerSettings {
        name: layer.name.clone(),
        folders: layer.folders.clone(),
        file_naming: Vec::new(),
    });
    let mut errors = analysis.conventions.error_handling.clone();
    errors.sort_by_key(|it| std::cmp::Reverse(it.count));
    Settings {
        schema_version: super::manifest::SCHEMA_VERSION.to_owned(),
        naming_conventions: analysis.conventions.naming.clone(),
        code_style: CodeStyle {
            indentation: analysis.conventions.indentation.clone(),
            error_handling: errors.into_iter().map(|it| it.value).collect(),
        },
        layers: layers.collect(),
        tests: TestSettings {
            framework: analysis.testing.first().map(|it| it.framework.clone()),
            command: analysis.commands.test.clone(),
            ..TestSettings::default()
        },
    }
}

impl Settings {
    /// Takes in what the files of phase 4 are called.
    pub fn complete(&mut self, templates: &Templates) {
        let names = |layer: &str| {
            naming(
                templates.files.iter().filter(|it| it.layer == layer).map(|it| it.origin.as_str()),
            )
        };
        for layer in &mut self.layers {
            layer.file_naming = names(&layer.name);
        }
        let tests = || {
            let paths = templates.files.iter().map(|it| it.origin.as_str());
            paths.filter(|path| Class::of(path) == Class::Test)
        };
        self.tests.file_naming = naming(tests());
        let mut folders: Vec<String> = tests()
            .filter_map(|path| path.rsplit_once('/').map(|(folder, _)| folder.to_owned()))
            .collect();
        folders.sort();
        folders.dedup();
        folders.truncate(10);
        self.tests.folders = folders;
    }
}

/// What files are called, by the word that they share: `*Controller.cs`, `test_*.py`.
fn naming<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut counts = BTreeMap::<String, usize>::new();
    let mut all = 0;
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some((stem, ending)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())
        else {
            continue;
        };
        all += 1;
        let parts = words(stem);
        let mut add = |pattern: String| *counts.entry(pattern).or_default() += 1;
        if let [first, .., last] = parts.as_slice() {
            // As it is written there, with what stands before it.
            let shown = &stem[stem.len().saturating_sub(last.len())..];
            let before = stem[..stem.len() - shown.len()].chars().next_back();
            let before =
                before.filter(|it| !it.is_alphanumeric()).map(String::from).unwrap_or_default();
            add(format!("*{before}{shown}.{ending}"));
            if stem.to_lowercase().starts_with(first.as_str()) {
                let end = stem[first.len()..].chars().next().filter(|it| !it.is_alphanumeric());
                add(format!(
                    "{}{}*.{ending}",
                    &stem[..first.len()],
                    end.map(String::from).unwrap_or_default()
                ));
            }
        }
        add(format!("*.{ending}"));
    }
    let mut common: Vec<(String, usize)> =
        counts.into_iter().filter(|(_, n)| *n * 10 >= all * 6).collect();
    // The pattern that says most comes first.
    common.sort_by_key(|(pattern, n)| {
        std::cmp::Reverse((pattern.len() > 6 && *n > 1, *n, pattern.len()))
    });
    common.into_iter().map(|(pattern, _)| pattern).take(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_layer_are_called_by_the_word_that_they_share() {
        let check = |paths: &[&str], expected: &str| {
            let found = naming(paths.iter().copied());
            assert_eq!(found.first().map_or("", String::as_str), expected, "{paths:?}");
        };
        check(&["a/OrderController.cs", "a/UserController.cs"], "*Controller.cs");
        check(&["tests/test_a.py", "tests/test_b.py", "tests/conftest.py"], "test_*.py");
        check(&["a/order_repository.rs", "a/user_repository.rs"], "*_repository.rs");
        check(&["a/order.py", "a/user.py"], "*.py");
        check(&["Makefile"], "");
    }
}
