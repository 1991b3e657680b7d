//! The words and paths that a reference of a document is looked up in.

use std::collections::{BTreeSet, HashSet};

use super::layout;
use crate::Snapshot;

/// Words of code, and paths. Words of documents are no evidence: they are what is checked.
#[derive(Clone, Debug, Default)]
pub struct Index {
    words: HashSet<String>,
    /// Words in small letters and without `-` and `_`: `maxRetries` and `--max-retries` are one.
    folded: HashSet<String>,
    paths: BTreeSet<String>,
    names: HashSet<String>,
}

/// The longest word that is kept.
const LONGEST: usize = 80;

impl Index {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let mut index = Self::default();
        for path in snapshot.paths() {
            index.add_path(path);
        }
        for (path, file) in &snapshot.files {
            if !layout::is_prose(path) && !layout::is_lock(path) {
                index.add_words(&file.text);
            }
        }
        index
    }

    fn add_path(&mut self, path: &str) {
        let mut rest = path;
        loop {
            let (above, name) = rest.rsplit_once('/').unwrap_or(("", rest));
            self.names.insert(name.to_lowercase());
            if !self.paths.insert(rest.to_owned()) || above.is_empty() {
                break;
            }
            rest = above;
        }
    }

    fn add_words(&mut self, text: &str) {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
        for chunk in text.split(|c| !is_part(c)) {
            let chunk = chunk.trim_matches('-');
            if chunk.is_empty() || chunk.len() > LONGEST {
                continue;
            }
            self.add(chunk);
            if chunk.contains('-') {
                chunk.split('-').filter(|part| !part.is_empty()).for_each(|part| self.add(part));
            }
        }
    }

    fn add(&mut self, word: &str) {
        if !self.words.contains(word) {
            self.words.insert(word.to_owned());
            self.folded.insert(fold(word));
        }
    }

    /// Whether the code has this word.
    #[must_use]
    pub fn has_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether the code has this word in any way to join its parts: `max-retries`, `maxRetries`, `MAX_RETRIES`.
    #[must_use]
    pub fn has_folded(&self, word: &str) -> bool {
        self.folded.contains(&fold(word))
    }

    /// Whether this is a file or a folder.
    #[must_use]
    pub fn has_path(&self, path: &str) -> bool {
        path.is_empty() || path == "." || self.paths.contains(path.trim_end_matches('/'))
    }

    /// Whether some path ends with this one.
    #[must_use]
    pub fn has_end(&self, end: &str) -> bool {
        let end = end.trim_matches('/');
        let behind = format!("/{end}");
        self.paths.iter().any(|path| path == end || path.ends_with(&behind))
    }

    /// Whether some file or folder has this name, in any case.
    #[must_use]
    pub fn has_name(&self, name: &str) -> bool {
        self.names.contains(&name.to_lowercase())
    }

    /// The word of the code that is most like this one.
    #[must_use]
    pub fn nearest<'a>(&self, word: &str, among: impl Iterator<Item = &'a str>) -> Option<&'a str> {
        let alike = |other: &&str| strsim::normalized_damerau_levenshtein(word, other);
        let best = among
            .map(|other| (alike(&other), other))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)));
        best.filter(|(alike, _)| *alike >= 0.6).map(|(_, other)| other)
    }
}

fn fold(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}
