//! Processes many files, each once, with results in the order of the files.

use crate::{
    Error, Language, Repository,
    parallel::{self, Reader},
    walk::Entry,
};

/// The result of processing many files.
pub(crate) struct Sweep<T> {
    pub(crate) items: Vec<T>,
    pub(crate) read: usize,
    /// Files that could not be read or understood.
    pub(crate) skipped: usize,
    /// Time was up before all were seen.
    pub(crate) late: bool,
}

impl Repository {
    /// The results of `each` for every file; `None` where it cannot understand one.
    pub(crate) fn sweep<T: Send>(
        &self,
        files: &[&Entry],
        each: impl Fn(&Entry, Language, &[u8]) -> Option<Vec<T>> + Sync,
    ) -> Result<Sweep<T>, Error> {
        let numbered: Vec<(usize, &Entry)> = files.iter().copied().enumerate().collect();
        let start = || (Reader::default(), Vec::new(), 0);
        let parts =
            parallel::over(&numbered, &self.cancel, start, |(reader, all, failed), file| {
                let (place, entry) = *file;
                let Some(language) = entry.language else { return };
                let Some(bytes) = reader.load(self, entry) else { return };
                match each(entry, language, bytes) {
                    Some(items) => all.extend(items.into_iter().map(|item| (place, item))),
                    None => *failed += 1,
                }
            });
        self.cancel.check()?;
        let mut sweep =
            Sweep { items: Vec::new(), read: 0, skipped: 0, late: self.cancel.is_late() };
        let mut placed = Vec::new();
        for (reader, all, failed) in parts {
            sweep.read += reader.read;
            sweep.skipped += reader.skipped + failed;
            placed.extend(all);
        }
        placed.sort_by_key(|(place, _)| *place);
        sweep.items = placed.into_iter().map(|(_, item)| item).collect();
        Ok(sweep)
    }
}
