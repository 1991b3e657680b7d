//! The steps that list things: a folder, a file, the lines at a place, the whole repository.

use consign_code::Node;
use consign_engine::Fault;

use super::{
    super::super::{
        intent::{clarify::landmarks, ground::ok},
        json::object,
    },
    Planner, Step,
};

/// Lines of a text that say what it is about.
const OPENING: u32 = 40;
/// Lines around one that was asked for.
const BEFORE: usize = 3;
const AFTER: usize = 8;

impl Planner<'_> {
    pub(super) fn structure(&self) -> Result<(), Fault> {
        let path = self.paths.first().map_or("", String::as_str);
        if self.is_file(path)? {
            self.open(path);
            self.outline(path);
            return Ok(());
        }
        let params = if path.is_empty() {
            object! { "depth": 2_u32 }
        } else {
            object! { "path": path, "depth": 2_u32 }
        };
        let place = if path.is_empty() { "the repository" } else { path };
        self.add(Step::new("list_tree", params, format!("what is in {place}")));
        // Somebody has written down what it is for.
        if let Some(readme) = self.readme(path)? {
            self.open(&readme);
        }
        Ok(())
    }

    /// The files of a folder that say most about it: those that open it, then the others in order.
    pub(super) fn parts_of_folder(&self) -> Result<(), Fault> {
        let Some(view) = self.view.filter(|view| view.is_free("list_tree")) else { return Ok(()) };
        let path = self.paths.first().map_or("", String::as_str);
        let Some(tree) = ok(view.list_tree(path, 2, 300))? else {
            self.outline(path);
            return Ok(());
        };
        let mut files: Vec<(usize, usize, String)> = Vec::new();
        for node in tree.nodes {
            if let Node::File { path, language: Some(language) } = node
                && language.has_grammar()
            {
                let name = path.rsplit('/').next().unwrap_or_default();
                let stem = name.split('.').next().unwrap_or_default();
                let opens = [
                    "__init__", "mod", "lib", "index", "main", "base", "core", "app", "common",
                    "types",
                ];
                let place = opens.iter().position(|known| *known == stem).unwrap_or(opens.len());
                files.push((path.matches('/').count(), place, path));
            }
        }
        files.sort();
        for (_, _, path) in files.iter().take(5) {
            self.outline(path);
        }
        if files.is_empty() && path.is_empty() {
            for folder in landmarks(view)?.iter().take(3) {
                self.add(Step::new(
                    "list_tree",
                    object! { "path": folder },
                    format!("what is in {folder}"),
                ));
            }
        }
        Ok(())
    }

    /// What stands at the lines that were named.
    pub(super) fn lines(&self) {
        for path in self.paths.iter().take(2) {
            let Some(line) = self.line_of(path) else { continue };
            let from = line.saturating_sub(BEFORE).max(1);
            self.add(Step::new(
                "read_file",
                object! { "path": path, "from": from, "to": line.saturating_add(AFTER) },
                format!("the lines around line {line} of {path}"),
            ));
            self.outline(path);
        }
    }

    /// The line that was given with a path.
    pub(super) fn line_of(&self, found: &str) -> Option<usize> {
        let named = self.topic.paths.iter().find(|path| {
            let bare = path.text.trim_start_matches("./").trim_matches('/');
            path.line.is_some() && (found == bare || found.ends_with(&format!("/{bare}")))
        });
        named.and_then(|path| path.line).and_then(|line| usize::try_from(line).ok())
    }

    fn open(&self, path: &str) {
        self.add(Step::new(
            "read_file",
            object! { "path": path, "from": 1_u32, "to": OPENING },
            format!("how {path} begins"),
        ));
    }

    pub(super) fn is_file(&self, path: &str) -> Result<bool, Fault> {
        let Some(view) = self.view.filter(|_| !path.is_empty()) else { return Ok(false) };
        Ok(ok(view.read_file(path, 1, 1))?.is_some())
    }

    fn readme(&self, folder: &str) -> Result<Option<String>, Fault> {
        let Some(view) = self.view.filter(|view| view.is_free("list_tree")) else {
            return Ok(None);
        };
        let Some(tree) = ok(view.list_tree(folder, 1, 300))? else { return Ok(None) };
        let is_readme = |path: &String| {
            let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
            name == "readme" || name.starts_with("readme.")
        };
        let mut files = tree.nodes.into_iter().filter_map(|node| match node {
            Node::File { path, .. } => Some(path),
            Node::Directory { .. } => None,
        });
        Ok(files.find(is_readme))
    }
}
