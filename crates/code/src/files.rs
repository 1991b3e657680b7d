//! Gives access to the files themselves, for questions that this crate cannot answer.

use crate::{
    Class, Error, Language, Repository,
    parallel::{self, is_binary},
};

/// A listed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Relative to the root, with `/`.
    pub path: String,
    pub class: Class,
    pub language: Option<Language>,
    /// Whether its name says that it is not text.
    pub binary: bool,
}

/// All listed files, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    pub files: Vec<File>,
    /// There are more than the limit, or time was up.
    pub truncated: bool,
    /// Folders and names that could not be read.
    pub skipped: usize,
}

impl Repository {
    /// The files that are listed. Links, pipes and devices are not, nor what is ignored.
    ///
    /// # Errors
    /// [`Error::Cancelled`] only.
    pub fn files(&self) -> Result<Files, Error> {
        let listing = self.listing()?;
        let files = listing.files.iter().map(|entry| File {
            path: entry.path.to_string(),
            class: entry.class,
            language: entry.language,
            binary: entry.binary,
        });
        Ok(Files {
            files: files.collect(),
            truncated: listing.truncated || listing.late,
            skipped: listing.skipped,
        })
    }

    /// How many bytes a file has.
    ///
    /// # Errors
    /// [`Error::Outside`], [`Error::Missing`], [`Error::Unfit`].
    pub fn size_of(&self, path: &str) -> Result<u64, Error> {
        self.root.size(path)
    }

    /// A whole file of text, unless it is larger than `limit`.
    ///
    /// # Errors
    /// [`Error::Outside`], [`Error::Missing`], [`Error::Unfit`], [`Error::Binary`], [`Error::TooLarge`].
    pub fn read_whole(&self, path: &str, limit: u64) -> Result<Vec<u8>, Error> {
        self.cancel.check()?;
        self.read_text(path, limit)
    }

    /// Calls `each` for every file that is text and not larger than `limit`, and returns the
    /// results in the order of the paths. Uses all cores, and keeps none of the bytes.
    ///
    /// # Errors
    /// [`Error::Cancelled`] only.
    pub fn read_each<T: Send>(
        &self,
        paths: &[&str],
        limit: u64,
        each: impl Fn(&str, &[u8]) -> T + Sync,
    ) -> Result<Vec<Option<T>>, Error> {
        let numbered: Vec<(usize, &str)> = paths.iter().copied().enumerate().collect();
        let start = || (Vec::new(), Vec::new());
        let parts = parallel::over(&numbered, &self.cancel, start, |(buffer, made), file| {
            let (place, path) = *file;
            if self.root.read(path, limit, buffer).is_ok() && !is_binary(buffer) {
                made.push((place, each(path, buffer)));
            }
        });
        self.cancel.check()?;
        let mut all: Vec<Option<T>> = paths.iter().map(|_| None).collect();
        for (place, item) in parts.into_iter().flat_map(|(_, made)| made) {
            all[place] = Some(item);
        }
        Ok(all)
    }
}
