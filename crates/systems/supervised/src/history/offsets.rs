//! `history/offsets`: where the interactions of `jobHistory.json` begin, as eight bytes for each.
//!
//! It is a cache. An entry is written only after the interaction itself was synced, so that all before the last entry
//! survived a crash; what a crash did to the entries is found out by whoever uses one (see `locate`). Nothing may rely
//! on an entry that was not held against the bytes of `jobHistory.json`.

use std::{fs::File, io, os::unix::fs::FileExt};

use consign_files::{Access, Root};

use super::{Error, names};

/// What the file begins with; then comes the sequence of the first interaction.
const MAGIC: [u8; 8] = *b"offsets1";
const HEADER: u64 = 16;

pub(super) struct Offsets {
    file: File,
    count: u64,
}

impl Offsets {
    /// Begins an empty one, in the place of what there was.
    pub(super) fn create(root: &Root, first: u64) -> Result<Self, Error> {
        root.create_dir_all(names::FOLDER, names::FOLDER_MODE)?;
        let file = root.open_in_place(names::OFFSETS, Access::Private)?;
        let mut offsets = Self { file, count: 0 };
        offsets.begin(first).map_err(Error::io("write", names::OFFSETS))?;
        Ok(offsets)
    }

    fn begin(&mut self, first: u64) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.write_all_at(&[MAGIC, first.to_le_bytes()].concat(), 0)
    }

    /// Opens it, to write where `root` may be written. `None` if it is not there, or of another file.
    pub(super) fn open(root: &Root, first: u64, to_write: bool) -> Option<Self> {
        let mut file = root.open_file(names::OFFSETS).ok()?;
        if to_write {
            file = root.open_in_place(names::OFFSETS, Access::Private).ok()?;
        }
        let mut header = [0; HEADER as usize];
        file.read_exact_at(&mut header, 0).ok()?;
        if header != [MAGIC, first.to_le_bytes()].concat()[..] {
            return None;
        }
        let count = (file.metadata().ok()?.len() - HEADER) / 8;
        Some(Self { file, count })
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// What is noted for the interaction that is the `index`th of the file.
    pub(super) fn get(&self, index: u64) -> Option<u64> {
        if index >= self.count {
            return None;
        }
        let mut entry = [0; 8];
        self.file.read_exact_at(&mut entry, HEADER + 8 * index).ok()?;
        Some(u64::from_le_bytes(entry))
    }

    /// Notes where the next interactions begin. They must have been synced.
    pub(super) fn push(&mut self, entries: &[u64]) -> io::Result<()> {
        let bytes: Vec<u8> = entries.iter().flat_map(|entry| entry.to_le_bytes()).collect();
        self.file.write_all_at(&bytes, HEADER + 8 * self.count)?;
        self.count += entries.len() as u64;
        Ok(())
    }

    /// Forgets all but the first `count`.
    pub(super) fn truncate(&mut self, count: u64) -> io::Result<()> {
        self.count = count.min(self.count);
        self.file.set_len(HEADER + 8 * self.count)
    }
}
