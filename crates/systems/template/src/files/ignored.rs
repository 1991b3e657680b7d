//! Recognises what is not a project's own source: ignored, vendored and built files.

use std::{collections::BTreeMap, path::Path};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use crate::tree::Tree;

const LARGEST_RULES: u64 = 128 << 10;
const MOST_RULES: usize = 2_000;

/// Folders that are never a project's own.
const NEVER: &[&str] = &[
    "node_modules",
    "bower_components",
    "jspm_packages",
    "site-packages",
    "__pycache__",
    "venv",
    "Pods",
    "DerivedData",
    "third_party",
];
/// Folders with a dot that a project cannot do without.
const DOTTED: &[&str] = &[
    ".cargo",
    ".changeset",
    ".circleci",
    ".config",
    ".devcontainer",
    ".github",
    ".gitlab",
    ".husky",
    ".mvn",
    ".storybook",
    ".vscode",
];
/// Folders with a dot that are left out silently.
const UNMISSED: &[&str] = &[
    ".cache",
    ".git",
    ".hg",
    ".idea",
    ".mypy_cache",
    ".next",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".gradle",
    ".vs",
];
/// Folders that are built where a manifest is beside them; elsewhere they may be anything.
const BUILT: &[&str] = &["target", "build", "dist", "out", "vendor", "coverage", "bin", "obj"];

/// The rules of a project's folders, as far as they were entered.
pub(super) struct Ignored<'a> {
    tree: &'a Tree,
    rules: BTreeMap<String, Gitignore>,
    /// Folders with a dot that were passed over.
    tools: Vec<String>,
    /// All folders that were not entered.
    closed: Vec<String>,
}

impl<'a> Ignored<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        let mut ignored =
            Self { tree, rules: BTreeMap::new(), tools: Vec::new(), closed: Vec::new() };
        ignored.read("");
        ignored
    }

    /// Whether a folder is looked into, by its path and the names beside it.
    pub(super) fn enters(&mut self, path: &str, beside: &[String]) -> bool {
        let enters = self.is_own(path, beside);
        if enters {
            self.read(path);
        } else {
            self.closed.push(path.to_owned());
        }
        enters
    }

    fn is_own(&mut self, path: &str, beside: &[String]) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let foreign = NEVER.contains(&name) || (BUILT.contains(&name) && is_built(name, beside));
        if foreign || UNMISSED.contains(&name) || self.ignores(path, true) {
            return false;
        }
        if name.starts_with('.') && !DOTTED.contains(&name) {
            if !name.ends_with(".staging") {
                self.tools.push(format!("{path}/"));
            }
            return false;
        }
        true
    }

    pub(super) fn into_closed(self) -> Vec<String> {
        self.closed
    }

    /// The folders of tools that were not entered, though no rule says so.
    pub(super) fn tools(&self) -> &[String] {
        &self.tools
    }

    pub(super) fn ignores(&self, path: &str, is_folder: bool) -> bool {
        let mut folder = path;
        loop {
            folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
            if let Some(rules) = self.rules.get(folder) {
                match rules.matched(path, is_folder) {
                    Match::None => {}
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                }
            }
            if folder.is_empty() {
                return false;
            }
        }
    }

    fn read(&mut self, folder: &str) {
        let file = if folder.is_empty() {
            ".gitignore".to_owned()
        } else {
            format!("{folder}/.gitignore")
        };
        let Ok(bytes) = self.tree.read(&file, LARGEST_RULES) else { return };
        let mut builder = GitignoreBuilder::new(Path::new(folder));
        for line in String::from_utf8_lossy(&bytes).lines().take(MOST_RULES) {
            // A line that means nothing is passed over, as git does.
            let _ = builder.add_line(None, line);
        }
        if let Ok(rules) = builder.build() {
            self.rules.insert(folder.to_owned(), rules);
        }
    }
}

/// Whether a folder of this name is made by a tool: the tool's manifest is beside it.
fn is_built(name: &str, beside: &[String]) -> bool {
    let has = |names: &[&str]| beside.iter().any(|it| names.contains(&it.as_str()));
    let ends = |end: &str| beside.iter().any(|it| it.ends_with(end));
    match name {
        "target" => has(&["Cargo.toml", "pom.xml", "build.sbt"]),
        "vendor" => has(&["go.mod", "composer.json", "Gemfile", "Cargo.toml"]),
        "bin" | "obj" => ends(".csproj") || ends(".fsproj") || ends(".vbproj"),
        _ => has(&[
            "package.json",
            "build.gradle",
            "build.gradle.kts",
            "setup.py",
            "pyproject.toml",
            "CMakeLists.txt",
            "Makefile",
            "pubspec.yaml",
        ]),
    }
}
