//! Works out which languages a repository is written in.

use std::collections::BTreeMap;

use crate::{Error, Language, Repository, parallel};

/// How much of a repository is in one language.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    pub language: Language,
    pub files: usize,
    pub bytes: u64,
    /// Of the bytes of all languages that are known, from 0 to 1.
    pub share: f64,
}

impl Repository {
    /// Languages by bytes, the largest first.
    ///
    /// # Errors
    /// [`Error::Cancelled`] only.
    pub fn languages(&self) -> Result<Vec<Share>, Error> {
        let listing = self.listing()?;
        let start = BTreeMap::<Language, (usize, u64)>::new;
        let parts = parallel::over(&listing.files, &self.cancel, start, |sums, entry| {
            if let (Some(language), Ok(bytes)) = (entry.language, self.root.size(&entry.path)) {
                let sum = sums.entry(language).or_default();
                *sum = (sum.0 + 1, sum.1 + bytes);
            }
        });
        self.cancel.check()?;
        let mut sums = start();
        for (language, (files, bytes)) in parts.into_iter().flatten() {
            let sum = sums.entry(language).or_default();
            *sum = (sum.0 + files, sum.1 + bytes);
        }
        let all: u64 = sums.values().map(|(_, bytes)| bytes).sum();
        let share = |bytes: u64| bytes as f64 / all.max(1) as f64;
        let mut shares: Vec<Share> = sums
            .into_iter()
            .map(|(language, (files, bytes))| Share { language, files, bytes, share: share(bytes) })
            .collect();
        shares.sort_by_key(|share| std::cmp::Reverse(share.bytes));
        Ok(shares)
    }
}
