//! Lists directories and files.

use std::collections::BTreeMap;

use crate::{Error, Language, Repository, root};

/// A directory, down to some depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Depth first, each directory before what is in it.
    pub nodes: Vec<Node>,
    /// Some were left out.
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Directory {
        path: String,
        /// Files in it, at any depth.
        files: usize,
        /// The language of most of them.
        language: Option<Language>,
    },
    File {
        path: String,
        language: Option<Language>,
    },
}

impl Repository {
    /// What is in a directory (the empty path is the root), `depth` levels deep, without what the walk
    /// leaves out.
    ///
    /// # Errors
    /// [`Error::Outside`], [`Error::Missing`].
    pub fn list_tree(&self, path: &str, depth: usize, limit: usize) -> Result<Tree, Error> {
        let dir = root::clean(path)?;
        // Says what is wrong with a path that leads nowhere, or out.
        self.root.dir(&dir)?;
        let listing = self.listing()?;
        let limit = limit.min(self.limits.results);
        let prefix = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let mut tops = Branch::default();
        for entry in &listing.files {
            if let Some(rest) = entry.path.strip_prefix(&prefix) {
                tops.add(rest, depth.clamp(1, DEEPEST), entry.language);
            }
        }
        let mut tree = Tree { nodes: Vec::new(), truncated: listing.truncated || listing.late };
        tops.write(&prefix, limit, &mut tree);
        Ok(tree)
    }
}

/// Levels that are told apart; it also bounds how deep this calls itself.
const DEEPEST: usize = 32;

#[derive(Default)]
struct Branch {
    dirs: BTreeMap<String, Branch>,
    files: Vec<(String, Option<Language>)>,
    count: usize,
    languages: BTreeMap<Language, usize>,
}

impl Branch {
    fn add(&mut self, path: &str, depth: usize, language: Option<Language>) {
        self.count += 1;
        if let Some(language) = language {
            *self.languages.entry(language).or_default() += 1;
        }
        match path.split_once('/') {
            _ if depth == 0 => {}
            None => self.files.push((path.to_owned(), language)),
            Some((dir, rest)) => {
                self.dirs.entry(dir.to_owned()).or_default().add(rest, depth - 1, language);
            }
        }
    }

    fn write(&self, prefix: &str, limit: usize, tree: &mut Tree) {
        for (name, branch) in &self.dirs {
            if tree.nodes.len() >= limit {
                tree.truncated = true;
                return;
            }
            let path = format!("{prefix}{name}");
            let most = branch.languages.iter().max_by_key(|(_, files)| **files);
            let below = format!("{path}/");
            tree.nodes.push(Node::Directory {
                path,
                files: branch.count,
                language: most.map(|(language, _)| *language),
            });
            branch.write(&below, limit, tree);
        }
        for (name, language) in &self.files {
            if tree.nodes.len() >= limit {
                tree.truncated = true;
                return;
            }
            tree.nodes.push(Node::File { path: format!("{prefix}{name}"), language: *language });
        }
    }
}
