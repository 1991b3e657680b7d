//! An index of the project's files.

use std::collections::{BTreeMap, BTreeSet};

/// Every path, and every file by its name without the ending.
#[derive(Debug, Default)]
pub(in super::super) struct Index {
    paths: BTreeSet<String>,
    stems: BTreeMap<String, Vec<String>>,
    /// What the project's own packages of Go begin with, and the folder that they begin in.
    pub(super) modules: Vec<(String, String)>,
    /// Folders with a `package.json`, and the file that an import of the folder gets.
    mains: BTreeMap<String, String>,
    /// Folders that were not looked into.
    closed: BTreeSet<String>,
}

impl Index {
    pub(in super::super) fn new(paths: impl IntoIterator<Item = String>) -> Self {
        let mut index = Self::default();
        for path in paths {
            let stems = index.stems.entry(stem(&path).to_owned()).or_default();
            stems.push(path.clone());
            index.paths.insert(path);
        }
        index
    }

    /// Adds a `go.mod`: what it calls itself.
    pub(in super::super) fn go_module(&mut self, path: &str, content: &str) {
        let name = content.lines().find_map(|line| line.trim().strip_prefix("module "));
        if let Some(name) = name {
            self.modules.push((name.trim().trim_matches('"').to_owned(), folder(path).to_owned()));
        }
    }

    /// Adds folders that are there and were not looked into.
    pub(in super::super) fn close(&mut self, folders: Vec<String>) {
        self.closed.extend(folders);
    }

    /// Whether a path is in a folder that was not read: it is unknown whether it exists.
    pub(super) fn is_closed(&self, path: &str) -> bool {
        self.closed.contains(path)
            || path.match_indices('/').any(|(end, _)| self.closed.contains(&path[..end]))
    }

    /// Adds a `package.json`: which file stands for its folder. Without one it is `index`.
    pub(in super::super) fn package(&mut self, path: &str, content: &str) {
        let package: serde_json::Value = serde_json::from_str(content).unwrap_or_default();
        let main = package["main"].as_str().unwrap_or("index");
        self.mains.insert(folder(path).to_owned(), main.chars().take(300).collect());
    }

    /// The file that stands for a folder by its `package.json`, if it has one.
    pub(super) fn main(&self, folder: &str) -> Option<&str> {
        self.mains.get(folder).map(String::as_str)
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// The first of these that is there.
    pub(super) fn first(&self, paths: impl IntoIterator<Item = String>) -> Option<String> {
        paths.into_iter().find(|path| self.has(path))
    }

    /// Files of any folder with this name, without the ending.
    pub(super) fn stem(&self, stem: &str) -> &[String] {
        self.stems.get(stem).map_or(&[], Vec::as_slice)
    }

    /// The files that are in a folder itself.
    pub(in super::super) fn beside<'a>(
        &'a self,
        folder: &'a str,
    ) -> impl Iterator<Item = &'a String> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = self.paths.range(prefix.clone()..);
        let length = prefix.len();
        from.take_while(move |path| path.starts_with(&prefix))
            .filter(move |path| !path[length..].contains('/'))
    }

    /// Whether anything is below a folder.
    pub(super) fn has_below(&self, folder: &str) -> bool {
        let prefix = format!("{folder}/");
        self.paths.range(prefix.clone()..).next().is_some_and(|path| path.starts_with(&prefix))
    }

    /// Files below a folder, at any depth.
    pub(super) fn below(&self, folder: &str) -> impl Iterator<Item = &String> + use<'_> {
        let prefix = format!("{folder}/");
        self.paths.range(prefix.clone()..).take_while(move |path| path.starts_with(&prefix))
    }
}

/// The folder of a path; empty at the top.
pub(in super::super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name of a file up to its first dot, past the one that it may begin with.
pub(in super::super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let from = usize::from(name.starts_with('.'));
    name[from..].find('.').map_or(name, |end| &name[..from + end])
}

/// `to` as seen from a folder; nothing if it leads out of the project.
pub(super) fn join(folder: &str, to: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
