//! Dropping what is newer than the caller's truth: the journal may be of a backup.

use std::os::unix::fs::FileExt;

use super::{Error, HistoryFile, Interactions, index::Segment, locate, names, view::View, whole};

impl HistoryFile {
    /// Drops the interactions from `next_sequence` on, and the recovery points that were taken after them, durably.
    /// Where that reaches into a segment, the rest of it comes back to `jobHistory.json`.
    ///
    /// # Errors
    /// [`Error::Refused`] if the history ends before, or begins after `next_sequence`.
    pub fn truncate_to(&mut self, next_sequence: u64) -> Result<(), Error> {
        self.refuse_if_torn()?;
        if next_sequence > self.next {
            let why = format!("it ends before interaction {next_sequence}");
            return Err(Error::refused(why));
        }
        if next_sequence == self.next
            && self.tail.before(next_sequence)?.count() == self.tail.count()
        {
            return Ok(());
        }
        if next_sequence >= self.head.first {
            return self.cut(next_sequence);
        }
        let holds = |segment: &&Segment| (segment.first..=segment.last).contains(&next_sequence);
        match self.index.segments.iter().find(holds).map(|segment| segment.first) {
            Some(first) => self.bring_back(first, next_sequence),
            None => Err(Error::refused(format!("it begins after interaction {next_sequence}"))),
        }
    }

    /// Drops interactions of `jobHistory.json`. A crash can tear the file, as it can when it grows.
    fn cut(&mut self, next: u64) -> Result<(), Error> {
        self.sync()?;
        self.is_torn = true;
        let end = self.end_of(next)?;
        let tail = self.tail.before(next)?;
        let count = next - self.head.first;
        if self.offsets.as_mut().is_some_and(|offsets| offsets.truncate(count).is_err()) {
            self.offsets = None;
        }
        let failed = || Error::io("write", names::FILE);
        self.file.write_all_at(tail.bytes(), end).map_err(failed())?;
        self.file.set_len(end + tail.bytes().len() as u64).map_err(failed())?;
        self.file.sync_data().map_err(failed())?;
        (self.end, self.next, self.tail) = (end, next, tail);
        self.is_torn = false;
        Ok(())
    }

    /// Where the interaction before `next` ends.
    fn end_of(&self, next: u64) -> Result<u64, Error> {
        if next == self.head.first {
            return Ok(self.start);
        }
        let offsets = self.offsets.as_ref();
        let mut body = locate::near(&self.file, &self.head, self.start, offsets, next - 1)?;
        while body.due() < next {
            body.next()?.ok_or_else(|| Error::damaged(next, "the file has changed"))?;
        }
        Ok(body.end())
    }

    /// Makes a segment the current file again, as far as it is kept.
    fn bring_back(&mut self, first: u64, next: u64) -> Result<(), Error> {
        self.is_torn = true;
        let lines = Interactions::of(View::open(self.root.path())?, first..next);
        let head = self.head.clone().starting_at(first);
        whole::write(&self.root, &head, lines, &self.tail.before(next)?)?;
        // Opening removes the segments, which do not count now.
        *self = Self::open(self.root.path(), self.rotate_bytes)?;
        Ok(())
    }
}
