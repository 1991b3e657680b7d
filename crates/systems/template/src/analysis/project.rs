//! A project as it was read: which files are source, what its manifests say, and the text of some of it.
//!
//! All rules look at this value and at nothing else, so that the same tree always gives the same findings.
//! Every file is listed and every file of source is counted; only a bounded sample of texts is kept.

use std::{path::Path, time::Duration};

use consign_code::{Cancel, Class, Error, Files, Language, Limits, Repository};

use super::{
    manifest::{self, Manifest, Shared},
    measure::{self, Source},
    sample::{self, Sampled},
    symbols::{self, Seen},
};
use crate::folder::is_bridge;

/// Larger manifests are not read: people do not write them.
const LARGEST_MANIFEST: u64 = 1 << 20;
/// The most bytes of all manifests together.
const ALL_MANIFESTS: usize = 32 << 20;
/// More manifests than these are test data.
const MOST_MANIFESTS: usize = 400;

pub(super) struct Project {
    /// What its folder is called.
    pub(super) folder: String,
    pub(super) listed: Files,
    /// Program source, without what was generated.
    pub(super) sources: Vec<Source>,
    pub(super) manifests: Vec<Manifest>,
    pub(super) shared: Shared,
    pub(super) sample: Vec<Sampled>,
    /// What the sample defines.
    pub(super) seen: Seen,
}

impl Project {
    pub(super) fn read(path: &Path, cancel: &Cancel) -> Result<Self, Error> {
        // What is parsed is small, or nobody wrote it.
        let parse_time = Duration::from_millis(200);
        let limits = Limits { file_bytes: 128 << 10, parse_time, ..Limits::default() };
        let repository = Repository::open_with(path, limits, cancel.clone())?;
        let repository = repository.telling_output_by_marks();
        let folder = repository.root().file_name().map(|name| name.to_string_lossy().into_owned());
        let mut listed = repository.files()?;
        // What an earlier creation left is nobody's source.
        listed.files.retain(|file| !is_bridge(&file.path));
        let sources = measure::sources(&repository, &listed)?;
        let (manifests, shared) = manifests(&repository, &listed)?;
        let sample = sample::take(&repository, &sources)?;
        let seen = symbols::of(&repository, &sample)?;
        let folder = folder.unwrap_or_default();
        Ok(Self { folder, listed, sources, manifests, shared, sample, seen })
    }

    /// All that is listed, by path.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.listed.files.iter().map(|file| file.path.as_str())
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.listed.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok()
    }

    /// The sample without tests and examples.
    pub(super) fn code(&self) -> impl Iterator<Item = &Sampled> {
        self.sample.iter().filter(|one| one.class == Class::Source)
    }

    pub(super) fn code_in<'a>(
        &'a self,
        languages: &'a [Language],
    ) -> impl Iterator<Item = &'a Sampled> {
        self.code().filter(|one| languages.contains(&one.language))
    }
}

/// Whether a manifest belongs to tests or examples, and says little about the project.
pub(super) fn is_aside(path: &str) -> bool {
    matches!(Class::of(path), Class::Test | Class::Example | Class::Docs) && !path.ends_with(".txt")
        || path.split('/').any(|part| ["examples", "fixtures", "templates"].contains(&part))
}

fn manifests(repository: &Repository, listed: &Files) -> Result<(Vec<Manifest>, Shared), Error> {
    let mut wanted: Vec<&str> = listed.files.iter().map(|file| file.path.as_str()).collect();
    wanted.retain(|path| manifest::ecosystem(path).is_some() || manifest::is_shared(path));
    // Those near the root speak for more.
    wanted.sort_by_key(|path| path.matches('/').count());
    wanted.truncate(MOST_MANIFESTS);
    let mut texts: Vec<(String, String)> = Vec::new();
    let mut taken = 0;
    for batch in wanted.chunks(16) {
        if taken > ALL_MANIFESTS {
            break;
        }
        let read = repository.read_each(batch, LARGEST_MANIFEST, |path, bytes| {
            (path.to_owned(), String::from_utf8_lossy(bytes).into_owned())
        })?;
        texts.extend(read.into_iter().flatten());
        taken = texts.iter().map(|(_, text)| text.len()).sum();
    }
    texts.sort();
    let mut shared = Shared::default();
    for (path, text) in &texts {
        shared.learn(path, text);
    }
    let read = texts.iter().filter_map(|(path, text)| manifest::read(path, text, &shared));
    Ok((read.collect(), shared))
}
