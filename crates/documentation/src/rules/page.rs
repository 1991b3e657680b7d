//! What the parts of a document are made with.

use crate::{
    Facts, Snapshot,
    facts::{Ecosystem, Source},
};

pub(super) struct Page<'a> {
    pub path: &'a str,
    pub facts: &'a Facts,
    pub snapshot: &'a Snapshot,
    /// The most rows of a list.
    pub most: usize,
}

impl Page<'_> {
    /// A link to a file, from the folder of this document.
    pub(super) fn link(&self, path: &str) -> String {
        format!("[{}]({})", shown(path), self.target(path))
    }

    pub(super) fn source(&self, source: &Source) -> String {
        format!("[{}]({}#L{})", shown(&source.to_string()), self.target(&source.path), source.line)
    }

    fn target(&self, path: &str) -> String {
        let up = "../".repeat(self.path.matches('/').count());
        let encoded: String = path
            .bytes()
            .map(|byte| {
                if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            })
            .collect();
        format!("{up}{encoded}")
    }

    /// A block of shell commands.
    pub(super) fn shell(commands: &[String]) -> String {
        format!("```sh\n{}\n```", commands.join("\n"))
    }

    pub(super) fn commands(&self, purposes: &[&str]) -> Vec<String> {
        let mut found: Vec<String> = self
            .facts
            .commands
            .iter()
            .filter(|command| purposes.contains(&command.purpose.as_str()))
            .map(|command| command.run.clone())
            .collect();
        found.truncate(self.most);
        found
    }

    /// A table of commands with their sources.
    pub(super) fn command_table(&self) -> String {
        let mut out = String::from("| command | for | source |\n|---|---|---|\n");
        for command in self.facts.commands.iter().take(self.most) {
            out.push_str(&format!(
                "| `{}` | {} | {} |\n",
                command.run,
                command.purpose,
                self.source(&command.source)
            ));
        }
        out
    }

    pub(super) fn environment_table(&self) -> String {
        let mut out = String::from("| variable | read in |\n|---|---|\n");
        for variable in self.facts.environment.iter().take(self.most) {
            out.push_str(&format!("| `{}` | {} |\n", variable.name, self.source(&variable.source)));
        }
        out
    }

    /// What must be installed, as a list.
    pub(super) fn needs(&self) -> String {
        let mut out = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for package in &self.facts.packages {
            let (tool, name) = match package.ecosystem {
                Ecosystem::Cargo => ("Rust with Cargo", "Rust"),
                Ecosystem::Npm => ("Node.js with npm", "Node.js"),
                Ecosystem::Python => ("Python with pip", "Python"),
                Ecosystem::Go => ("Go", "Go"),
                Ecosystem::Maven => ("a JDK with Maven", "Java"),
                Ecosystem::DotNet => ("the .NET SDK", ".NET"),
                Ecosystem::CMake => ("a C++ compiler with CMake", "CMake"),
            };
            if package.path.matches('/').count() > 1 || !seen.insert(tool) {
                continue;
            }
            let least = package.requires.as_deref().and_then(first_number);
            let version = least
                .map(|least| format!("; the manifest requires {name} {least} or newer"))
                .unwrap_or_default();
            out.push(format!("- {tool}{version} ({})", self.link(&package.path)));
        }
        if out.is_empty() {
            "The repository has no manifest that names what it needs.".to_owned()
        } else {
            out.join("\n")
        }
    }

    /// The name of what is documented; of a module of Go its last part.
    pub(super) fn name(&self) -> String {
        let parts = self.facts.name.rsplit('/').filter(|part| !crate::facts::is_major(part));
        let is_go = self.facts.main_package().is_some_and(|main| main.ecosystem == Ecosystem::Go);
        let last = parts.into_iter().next().filter(|_| is_go);
        super::plain(last.unwrap_or(&self.facts.name))
    }

    /// Public items of the main package's language, in its folders: scripts beside it are for its makers.
    pub(super) fn public(&self) -> Vec<&crate::facts::Item> {
        let ecosystem = self.facts.main_package().map(|main| main.ecosystem);
        let ends: &[&str] = match ecosystem {
            Some(Ecosystem::Cargo) => &[".rs"],
            Some(Ecosystem::Npm) => &[".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs"],
            Some(Ecosystem::Python) => &[".py"],
            Some(Ecosystem::Go) => &[".go"],
            Some(Ecosystem::Maven) => &[".java"],
            Some(Ecosystem::DotNet) => &[".cs"],
            Some(Ecosystem::CMake) => &[],
            None => &[""],
        };
        let is_in_package = |path: &str| match path.rsplit_once('/') {
            Some((folder, _)) => {
                ecosystem != Some(Ecosystem::Python)
                    || self.snapshot.files.contains_key(&format!("{folder}/__init__.py"))
            }
            None => true,
        };
        let items = self.facts.api.iter().filter(|item| {
            let path = item.source.path.as_str();
            item.name.len() > 1
                && item.name != "main"
                && ends.iter().any(|end| path.ends_with(end))
                && is_in_package(path)
        });
        items.collect()
    }

    /// Options that the code declares, with their sources.
    pub(super) fn options(&self, most: usize) -> String {
        let rows: Vec<String> = self
            .facts
            .options
            .iter()
            .filter(|option| {
                let path = option.source.path.as_str();
                !crate::facts::is_test(path) && !crate::facts::is_inner(path)
            })
            .take(most)
            .map(|option| format!("- `{}` ({})", option.name, self.source(&option.source)))
            .collect();
        rows.join("\n")
    }

    /// Public items as a list.
    pub(super) fn items(&self, most: usize) -> String {
        let mut items = self.public();
        items.sort_by_key(|item| (item.source.path.matches('/').count(), item.source.clone()));
        let mut out = String::new();
        for item in items.iter().take(most) {
            let doc = item
                .doc
                .as_deref()
                .map(super::plain)
                .filter(|doc| !doc.is_empty())
                .map(|doc| format!(": {doc}"))
                .unwrap_or_default();
            out.push_str(&format!(
                "- `{}`, {} ({}){doc}\n",
                item.name,
                item.kind,
                self.source(&item.source)
            ));
        }
        if items.len() > most {
            out.push_str(&format!("- and {} more\n", items.len() - most));
        }
        out
    }

    /// Other documents of the repository.
    pub(super) fn documents(&self, most: usize) -> String {
        let mut paths: Vec<&String> = self
            .facts
            .documents
            .iter()
            .filter(|path| {
                *path != self.path && path.matches('/').count() <= 1 && !path.starts_with('.')
            })
            .collect();
        paths.sort_by_key(|path| (path.matches('/').count(), (*path).clone()));
        let list: Vec<String> =
            paths.into_iter().take(most).map(|path| format!("- {}", self.link(path))).collect();
        list.join("\n")
    }

    pub(super) fn tests(&self) -> String {
        let folders: std::collections::BTreeSet<&str> = self
            .facts
            .tests
            .iter()
            .map(|path| path.rsplit_once('/').map_or(path.as_str(), |(folder, _)| folder))
            .collect();
        if folders.is_empty() {
            return "Scribe found no tests.".to_owned();
        }
        let list: Vec<String> = folders.iter().take(8).map(|folder| self.link(folder)).collect();
        format!("{} test files, in {}.", self.facts.tests.len(), list.join(", "))
    }
}

fn shown(path: &str) -> String {
    path.replace(['[', ']', '`', '|', '<', '>', '\\'], "_").replace('_', "\\_").replace('*', "\\*")
}

fn first_number(requirement: &str) -> Option<String> {
    let rest = &requirement[requirement.find(|c: char| c.is_ascii_digit())?..];
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches('.').to_owned())
}
