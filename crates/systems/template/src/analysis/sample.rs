//! Chooses the files whose text is kept for rules about content.
//!
//! One of each folder, then a second of each, and so on until there are enough: a layer of three files is
//! seen as surely as one of three thousand. The choice depends on nothing but the paths.

use std::collections::BTreeMap;

use consign_code::{Class, Error, Language, Repository};

use super::measure::{Source, Tier, tier};

const MOST: usize = 1_200;
const LARGEST: u64 = 512 << 10;
/// How much of each is kept: the beginning, where imports and types are.
const KEPT: usize = 48 << 10;

pub(super) struct Sampled {
    pub(super) path: String,
    pub(super) class: Class,
    /// As the file has it: a component is a component here.
    pub(super) language: Language,
    pub(super) text: String,
}

impl Sampled {
    /// The line of the first of these that it has, from 1, and which one.
    pub(super) fn find<'a>(&self, needles: &[&'a str]) -> Option<(usize, &'a str)> {
        let hits = needles.iter().filter_map(|needle| Some((self.text.find(needle)?, *needle)));
        let (at, needle) = hits.min_by_key(|(at, _)| *at)?;
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        Some((before.iter().filter(|&&byte| byte == b'\n').count() + 1, needle))
    }

    pub(super) fn has(&self, needles: &[&str]) -> bool {
        needles.iter().any(|needle| self.text.contains(needle))
    }

    /// How often it has this, not counting where a word only ends so.
    pub(super) fn count(&self, needle: &str) -> usize {
        let word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let begins = needle.starts_with(word);
        let apart = |at: usize| !begins || !self.text[..at].ends_with(word);
        self.text.match_indices(needle).filter(|(at, _)| apart(*at)).count()
    }

    pub(super) fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.split('.').next().unwrap_or(name)
    }
}

pub(super) fn take(repository: &Repository, sources: &[Source]) -> Result<Vec<Sampled>, Error> {
    let chosen = choose(sources);
    let paths: Vec<&str> = chosen.iter().map(|source| source.path.as_str()).collect();
    let texts = repository.read_each(&paths, LARGEST, |_, bytes| {
        let bytes = &bytes[..bytes.len().min(KEPT)];
        String::from_utf8_lossy(bytes).into_owned()
    })?;
    let taken = chosen.iter().zip(texts).filter_map(|(source, text)| {
        Some(Sampled {
            path: source.path.clone(),
            class: source.class,
            language: Language::of(&source.path).unwrap_or(source.language),
            text: text?,
        })
    });
    Ok(taken.collect())
}

fn choose(sources: &[Source]) -> Vec<&Source> {
    let mut folders: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources {
        if tier(source.language) == Some(Tier::Program) {
            folders.entry(source.folder()).or_default().push(source);
        }
    }
    // Where there are more folders than places, some of all parts of the tree.
    let step = folders.len().div_ceil(MOST).max(1);
    let folders: Vec<Vec<&Source>> = folders.into_values().step_by(step).collect();
    let mut chosen = Vec::new();
    let mut round = 0;
    while chosen.len() < MOST {
        let before = chosen.len();
        for folder in &folders {
            if let Some(source) = folder.get(round)
                && chosen.len() < MOST
            {
                chosen.push(*source);
            }
        }
        if chosen.len() == before {
            break;
        }
        round += 1;
    }
    chosen.sort_by(|a, b| a.path.cmp(&b.path));
    chosen
}
