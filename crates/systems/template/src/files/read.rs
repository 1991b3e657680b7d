//! Reads the files of a project, each once, and records why one is left out.

use std::collections::BTreeMap;

use consign_contracts::secrets;

use crate::{
    package::{Encoding, LeftOut},
    tree::Tree,
};

/// Larger files are data, or generated.
pub(super) const LARGEST: u64 = 256 << 10;
/// Bytes of all pictures, fonts and the like.
const MOST_PICTURES: usize = 4 << 20;
/// Files that are named as left out; a project can have a million pictures.
const MOST_NAMED: usize = 200;

/// A file that may be in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Text(String),
    Bytes(Vec<u8>),
}

pub(super) struct TreeReader<'a> {
    tree: &'a Tree,
    files: BTreeMap<String, Option<Taken>>,
    /// Bytes of what is no text, so far.
    pictures: usize,
    left_out: Vec<LeftOut>,
    unnamed: usize,
}

impl<'a> TreeReader<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        let (files, left_out) = (BTreeMap::new(), Vec::new());
        Self { tree, files, pictures: 0, left_out, unnamed: 0 }
    }

    pub(super) fn leave_out(&mut self, path: &str, why: impl Into<String>) {
        if self.left_out.len() < MOST_NAMED {
            self.left_out.push(LeftOut { path: path.to_owned(), why: why.into() });
        } else {
            self.unnamed += 1;
        }
    }

    /// The text of a file, if it is one and may be in a template.
    pub(super) fn text(&mut self, path: &str) -> Option<String> {
        match self.take(path) {
            Some(Taken::Text(text)) => Some(text),
            Some(Taken::Bytes(_)) | None => None,
        }
    }

    /// A file, if it may be in a template.
    pub(super) fn take(&mut self, path: &str) -> Option<Taken> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let taken = match self.read(path) {
            Ok(taken) => Some(taken),
            Err(why) => {
                self.leave_out(path, why);
                None
            }
        };
        self.files.insert(path.to_owned(), taken.clone());
        taken
    }

    fn read(&mut self, path: &str) -> Result<Taken, String> {
        let bytes = self.tree.read(path, LARGEST).map_err(|why| why.to_string())?;
        if let Some(why) = secrets::by_content(path, &String::from_utf8_lossy(&bytes)) {
            return Err(why.to_owned());
        }
        match Encoding::of(&bytes) {
            Encoding::Text => {
                let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
                Ok(Taken::Text(text))
            }
            Encoding::Base64 if self.pictures + bytes.len() > MOST_PICTURES => {
                Err(format!("binary files are included up to {MOST_PICTURES} bytes in total"))
            }
            Encoding::Base64 => {
                self.pictures += bytes.len();
                Ok(Taken::Bytes(bytes))
            }
        }
    }

    /// By path, and how many more there are.
    pub(super) fn into_left_out(mut self) -> (Vec<LeftOut>, usize) {
        self.left_out.sort_by(|a, b| a.path.cmp(&b.path));
        (self.left_out, self.unnamed)
    }
}
