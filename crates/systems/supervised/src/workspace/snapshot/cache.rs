//! Which files need not be read again.
//!
//! A file whose inode, size and times are what they were has the content that it had, if its last change was before
//! the walk that read it began: a change after that has a later time. A file that was changed at about the time of the
//! walk could be changed again within the same tick of the clock, so it is not remembered. The clock is that of the
//! file system: no other process can set the time of the last change.
//!
//! It is a cache and no more. One that cannot be read is empty, and one that cannot be written is not missed.

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use consign_files::{Access, Metadata, Root};
use serde::{Deserialize, Serialize};

use super::{super::name, digest::Digest};

const NAME: &str = "cache";
/// Anything longer is not ours: 200,000 paths are shorter.
const LONGEST: u64 = 1 << 30;
/// The ticks of most clocks are shorter.
const TICK: i64 = 20_000_000;
/// On another file system the times may be rounded to two seconds, and its clock may be another.
const LONG_TICK: i64 = 4_000_000_000;

/// What tells that a file is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    pub(super) bytes: u64,
    modified: i64,
    changed: i64,
}

impl Stamp {
    pub(super) fn of(about: &Metadata) -> Self {
        let (device, inode) = about.id.numbers();
        let (bytes, modified, changed) = (about.bytes, about.modified, about.changed);
        Self { device, inode, bytes, modified, changed }
    }

    pub(super) fn of_file(file: &File) -> io::Result<Self> {
        let about = file.metadata()?;
        let time = |seconds: i64, more: i64| seconds.saturating_mul(1_000_000_000) + more;
        Ok(Self {
            device: about.dev(),
            inode: about.ino(),
            bytes: about.len(),
            modified: time(about.mtime(), about.mtime_nsec()),
            changed: time(about.ctime(), about.ctime_nsec()),
        })
    }

    /// Whether a file with this stamp was last changed clearly before the one with the other.
    fn is_before(&self, now: &Self) -> bool {
        let tick = if self.device == now.device { TICK } else { LONG_TICK };
        self.changed < now.changed.saturating_sub(tick)
    }
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Cache {
    files: BTreeMap<PathBuf, (Stamp, Digest)>,
}

impl Cache {
    pub(super) fn load(store: &Root) -> Self {
        let read = store.read(NAME, LONGEST).ok();
        read.and_then(|bytes| Self::parse(&bytes)).unwrap_or_default()
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let lines: Vec<(String, Stamp, Digest)> = serde_json::from_slice(bytes).ok()?;
        let line = |(path, stamp, digest): (String, _, _)| {
            Some((PathBuf::from(name::read(&path)?), (stamp, digest)))
        };
        Some(Self { files: lines.into_iter().map(line).collect::<Option<_>>()? })
    }

    /// Keeps it for the next time, unless it is what was loaded.
    pub(super) fn save(&self, store: &Root, loaded: &Self) {
        if self == loaded {
            return;
        }
        let line = |(path, (stamp, digest)): (&PathBuf, &(Stamp, Digest))| {
            (name::written(path), *stamp, *digest)
        };
        let lines: Vec<_> = self.files.iter().map(line).collect();
        if let Ok(bytes) = serde_json::to_vec(&lines) {
            let _ = store.write_atomic(NAME, &bytes, Access::Private);
        }
    }

    /// What is known of the content of a file that has this stamp now.
    pub(super) fn get(&self, path: &Path, stamp: &Stamp) -> Option<Digest> {
        self.files.get(path).filter(|(then, _)| then == stamp).map(|(_, digest)| *digest)
    }

    /// Remembers a file, unless it was changed at about the time `now` or later.
    pub(super) fn remember(&mut self, path: &Path, stamp: Stamp, digest: Digest, now: &Stamp) {
        if stamp.is_before(now) {
            self.files.insert(path.to_owned(), (stamp, digest));
        }
    }
}

/// The time of the file system: the stamp of a file that is written now.
pub(super) fn now(store: &Root) -> Result<Stamp, super::super::Error> {
    use std::io::Write;
    let failed = || super::super::Error::io("write", store.path().join("clock"));
    let mut file = store.open_in_place("clock", Access::Private)?;
    file.write_all(b".").map_err(failed())?;
    Stamp::of_file(&file).map_err(failed())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(device: u64, changed: i64) -> Stamp {
        Stamp { device, inode: 1, bytes: 2, modified: 3, changed }
    }

    #[test]
    fn only_what_was_changed_clearly_before_is_remembered() {
        let check = |file: Stamp, expected: bool| {
            let (mut cache, digest) = (Cache::default(), Digest::of(b""));
            cache.remember(Path::new("a"), file, digest, &stamp(1, 10_000_000_000));
            assert_eq!(cache.get(Path::new("a"), &file).is_some(), expected, "{file:?}");
        };
        check(stamp(1, 9_000_000_000), true);
        check(stamp(1, 9_990_000_000), false);
        check(stamp(1, 10_000_000_000), false);
        check(stamp(1, 11_000_000_000), false);
        check(stamp(2, 9_000_000_000), false);
        check(stamp(2, 5_000_000_000), true);
    }

    #[test]
    fn a_changed_stamp_is_not_known_and_a_broken_cache_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let store = Root::open(folder.path()).unwrap();
        let (old, now) = (stamp(1, 1), stamp(1, 10_000_000_000));
        let mut cache = Cache::load(&store);
        cache.remember(Path::new("a"), old, Digest::of(b""), &now);
        cache.save(&store, &Cache::default());
        assert_eq!(Cache::load(&store), cache);
        assert_eq!(cache.get(Path::new("a"), &Stamp { inode: 9, ..old }), None);
        assert_eq!(cache.get(Path::new("a"), &Stamp { changed: 2, ..old }), None);
        assert_eq!(cache.get(Path::new("b"), &old), None);
        for broken in ["", "{}", "[[1]]", "\u{0}"] {
            std::fs::write(folder.path().join(NAME), broken).unwrap();
            assert_eq!(Cache::load(&store), Cache::default());
        }
    }
}
