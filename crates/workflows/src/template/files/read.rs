//! The texts of a project, each read once, and why one is not taken.

use std::collections::BTreeMap;

use super::secret;
use crate::template::{package::LeftOut, tree::Tree};

/// Larger files are data, or were made by a program.
pub(super) const LARGEST: u64 = 256 << 10;
/// Files that are named as left out; a project can have a million pictures.
const MOST_NAMED: usize = 200;

pub(super) struct Reader<'a> {
    tree: &'a Tree,
    texts: BTreeMap<String, Option<String>>,
    left_out: Vec<LeftOut>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        Self { tree, texts: BTreeMap::new(), left_out: Vec::new() }
    }

    pub(super) fn leave_out(&mut self, path: &str, why: impl Into<String>) {
        if self.left_out.len() < MOST_NAMED {
            self.left_out.push(LeftOut { path: path.to_owned(), why: why.into() });
        }
    }

    /// The text of a file, if it may be in a template.
    pub(super) fn text(&mut self, path: &str) -> Option<String> {
        if let Some(known) = self.texts.get(path) {
            return known.clone();
        }
        let text = match self.read(path) {
            Ok(text) => Some(text),
            Err(why) => {
                self.leave_out(path, why);
                None
            }
        };
        self.texts.insert(path.to_owned(), text.clone());
        text
    }

    fn read(&self, path: &str) -> Result<String, String> {
        let bytes = self.tree.read(path, LARGEST).map_err(|why| why.to_string())?;
        if bytes.contains(&0) {
            return Err("it is not text".to_owned());
        }
        let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        match secret::by_content(path, &text) {
            Some(why) => Err(why.to_owned()),
            None => Ok(text),
        }
    }

    pub(super) fn into_left_out(mut self) -> Vec<LeftOut> {
        self.left_out.sort_by(|a, b| a.path.cmp(&b.path));
        self.left_out
    }
}
