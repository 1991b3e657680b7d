//! A history that is open to be appended to.
//!
//! [`HistoryFile::append`] is the way in which a history grows. Appending is one write: it replaces the tail, which
//! begins where the last interaction ends, by the new interactions and the tail. What it costs depends on what is
//! appended and on the recovery points, and not on the interactions that are there.

use std::{fs::File, os::unix::fs::FileExt};

use consign_engine::Data;
use consign_files::Root;

use super::{
    Error, Head,
    body::{LINE_LIMIT, sequence_of},
    head::HeadLine,
    index::Index,
    names,
    offsets::Offsets,
    tail::{Tail, is_line},
};

/// When `jobHistory.json` is rotated, unless a caller says otherwise: 100 MB.
pub const ROTATE_BYTES: u64 = 100_000_000;

/// What one write holds at most, unless a single interaction is longer.
const BATCH_BYTES: u64 = 4 << 20;
/// After this many interactions or bytes they are synced even if that was not asked for: reading from the last place that is
/// known must not take long.
const PENDING_ENTRIES: usize = 512;
const PENDING_BYTES: u64 = 1 << 20;

/// A history that is open to be appended to. Only one process may have it open.
pub struct HistoryFile {
    pub(super) root: Root,
    pub(super) file: File,
    pub(super) head: HeadLine,
    /// Where the interactions begin.
    pub(super) start: u64,
    /// Where the last interaction ends, and the tail begins.
    pub(super) end: u64,
    pub(super) next: u64,
    pub(super) tail: Tail,
    pub(super) index: Index,
    /// It is only a cache: after an error the history goes on without it.
    pub(super) offsets: Option<Offsets>,
    pub(super) pending: Pending,
    pub(super) rotate_bytes: u64,
    /// A write failed: what is on the disk is not known.
    pub(super) is_torn: bool,
}

/// Where interactions begin that may not be synced.
#[derive(Default)]
pub(super) struct Pending {
    pub(super) entries: Vec<u64>,
    bytes: u64,
}

impl HistoryFile {
    /// The sequence of the interaction that is appended next.
    #[must_use]
    pub fn next_sequence(&self) -> u64 {
        self.next
    }

    /// How many recovery points there are. A caller appends those of its own after them.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.tail.count()
    }

    #[must_use]
    pub fn head(&self) -> Head {
        self.head.about()
    }

    /// Appends interactions, which must go on with [`next_sequence`](Self::next_sequence), and recovery points. If it is
    /// to be durable it is on the disk afterwards; if not, a crash may tear it.
    ///
    /// # Errors
    /// After [`Error::Refused`] nothing was changed. After any other the file may be torn: it refuses all further
    /// appends until it is opened anew.
    pub fn append(
        &mut self,
        interactions: &[Data],
        points: &[Data],
        durable: bool,
    ) -> Result<(), Error> {
        self.refuse_if_torn()?;
        for (due, interaction) in (self.next..).zip(interactions) {
            acceptable(due, interaction)?;
        }
        let mut tail = (!points.is_empty()).then(|| self.tail.clone());
        if let Some(tail) = &mut tail {
            tail.push(points)?;
        }
        let points_length = tail.as_ref().map_or(0, |tail| tail.bytes().len() as u64);
        let mut rest = interactions;
        while !rest.is_empty() || tail.is_some() {
            let count = self.fitting(rest, points_length);
            if count == 0 && !rest.is_empty() {
                self.rotate()?;
                continue;
            }
            let (now, later) = rest.split_at(count);
            if later.is_empty()
                && let Some(tail) = tail.take()
            {
                self.tail = tail;
            }
            self.write(now)?;
            rest = later;
        }
        let pending = &self.pending;
        if durable || pending.entries.len() >= PENDING_ENTRIES || pending.bytes >= PENDING_BYTES {
            self.sync()?;
        }
        Ok(())
    }

    /// How many of the interactions go into the next write. None: the file is rotated first.
    fn fitting(&self, interactions: &[Data], points_length: u64) -> usize {
        let tail = points_length.max(self.tail.bytes().len() as u64);
        let body = self.end - self.start;
        let (mut size, mut batch, mut count) = (self.end + tail, 0, 0);
        for interaction in interactions {
            let length = interaction.as_str().len() as u64 + 2;
            (size, batch) = (size + length, batch + length);
            if size > self.rotate_bytes || batch > BATCH_BYTES {
                break;
            }
            count += 1;
        }
        // A rotation copies the tail, so it has to be worth it. A file without interactions takes one of any length.
        let can_rotate = size > self.rotate_bytes && body > 0 && body >= tail;
        if count == 0 && !can_rotate { interactions.len().min(1) } else { count }
    }

    /// Replaces the tail by interactions and the tail.
    fn write(&mut self, interactions: &[Data]) -> Result<(), Error> {
        let mut bytes = Vec::new();
        let mut entries = Vec::with_capacity(interactions.len());
        for (due, interaction) in (self.next..).zip(interactions) {
            if due != self.head.first {
                bytes.extend_from_slice(b",\n");
            }
            entries.push(self.end + bytes.len() as u64);
            bytes.extend_from_slice(interaction.as_str().as_bytes());
        }
        let grown = bytes.len() as u64;
        bytes.extend_from_slice(self.tail.bytes());
        self.is_torn = true;
        self.file.write_all_at(&bytes, self.end).map_err(Error::io("write", names::FILE))?;
        self.is_torn = false;
        self.end += grown;
        self.next += interactions.len() as u64;
        self.pending.entries.append(&mut entries);
        self.pending.bytes += grown;
        Ok(())
    }

    /// Makes all that was appended durable, and notes where it is.
    pub(super) fn sync(&mut self) -> Result<(), Error> {
        if let Err(source) = self.file.sync_data() {
            // The system may have forgotten what it could not write.
            self.is_torn = true;
            return Err(Error::io("sync", names::FILE)(source));
        }
        let pending = std::mem::take(&mut self.pending);
        if self.offsets.as_mut().is_some_and(|offsets| offsets.push(&pending.entries).is_err()) {
            self.offsets = None;
        }
        Ok(())
    }

    pub(super) fn refuse_if_torn(&self) -> Result<(), Error> {
        if self.is_torn {
            return Err(Error::damaged(
                self.next,
                "a write failed, so the file must be opened anew",
            ));
        }
        Ok(())
    }
}

/// Whether an interaction may be written with this sequence.
fn acceptable(due: u64, interaction: &Data) -> Result<(), Error> {
    let text = interaction.as_str();
    if !is_line(interaction) || text.len() as u64 >= LINE_LIMIT {
        return Err(Error::refused(format!("interaction {due} is not a JSON object on one line")));
    }
    match sequence_of(text.as_bytes()) {
        Some(sequence) if sequence == due => Ok(()),
        Some(other) => Err(Error::refused(format!("interaction {due} is due, and not {other}"))),
        None => Err(Error::refused(format!("interaction {due} does not say its sequence"))),
    }
}
