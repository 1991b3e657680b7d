//! The shelves that are in memory, within bounds: what was not used for longest goes first.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use super::shelf::Shelf;

/// A shelf, and the model whose vectors it has.
type Name = (i64, Option<String>);

pub(crate) struct Shelves {
    /// In bytes.
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    shelves: HashMap<Name, Entry>,
    uses: u64,
}

struct Entry {
    shelf: Arc<RwLock<Shelf>>,
    used: u64,
    bytes: usize,
}

impl Shelves {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, kept: Mutex::default() })
    }

    /// The shelf of this name, empty at first.
    pub(super) fn open(
        &self,
        key: i64,
        model: Option<&str>,
        dimensions: usize,
    ) -> Arc<RwLock<Shelf>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        let used = kept.uses;
        let entry = kept.shelves.entry((key, model.map(str::to_owned))).or_insert_with(|| {
            let shelf = Arc::new(RwLock::new(Shelf::of(model, dimensions)));
            Entry { shelf, used, bytes: 0 }
        });
        entry.used = used;
        entry.shelf.clone()
    }

    /// Notes how large a shelf has become, and drops others, or itself, until all are within bounds. Whoever uses one
    /// goes on with it.
    pub(super) fn note(&self, key: i64, model: Option<&str>, bytes: usize) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = kept.shelves.get_mut(&(key, model.map(str::to_owned))) {
            entry.bytes = bytes;
        }
        while kept.shelves.values().map(|entry| entry.bytes).sum::<usize>() > self.most {
            let oldest = kept.shelves.iter().min_by_key(|(_, entry)| entry.used);
            let Some(name) = oldest.map(|(name, _)| name.clone()) else { return };
            kept.shelves.remove(&name);
        }
    }

    /// Forgets a shelf, because something went wrong while it was changed.
    pub(super) fn forget(&self, key: i64, model: Option<&str>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.shelves.remove(&(key, model.map(str::to_owned)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let shelves = Shelves::new(100);
        for key in 1..=3 {
            shelves.open(key, None, 0);
            shelves.note(key, None, 40);
        }
        let names = || {
            let kept = shelves.kept.lock().unwrap();
            let mut names: Vec<_> = kept.shelves.keys().map(|(key, _)| *key).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(names(), [2, 3]);
        shelves.open(2, None, 0);
        shelves.open(4, None, 0);
        shelves.note(4, None, 40);
        assert_eq!(names(), [2, 4]);
        shelves.note(4, None, 200);
        assert_eq!(names(), [0_i64; 0]);
    }
}
