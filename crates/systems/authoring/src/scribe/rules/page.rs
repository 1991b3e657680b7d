//! What the parts of a document are made with.

use crate::scribe::{
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

    /// Public items as a list.
    pub(super) fn items(&self, most: usize) -> String {
        let mut items: Vec<&crate::scribe::facts::Item> =
            self.facts.api.iter().filter(|item| item.name.len() > 1).collect();
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
