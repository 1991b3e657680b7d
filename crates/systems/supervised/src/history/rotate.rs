//! Rotation: the interactions of `jobHistory.json` become a segment, and the file begins anew.
//!
//! Three steps, each atomic and durable: the segment, the index that lists it, the new file. Until the last one the
//! rotation has not happened, because the file still begins before the segment ends; opening then removes the segment.

use consign_files::Access;

use super::{
    Error, HistoryFile, body::Body, file::Pending, index::Segment, names, offsets::Offsets,
    segment, whole,
};

impl HistoryFile {
    /// Moves all interactions to a segment. The recovery points stay.
    pub(super) fn rotate(&mut self) -> Result<(), Error> {
        self.is_torn = true;
        let segment = self.write_segment()?;
        self.list_segment(segment)?;
        self.begin_anew()?;
        self.is_torn = false;
        Ok(())
    }

    pub(super) fn write_segment(&mut self) -> Result<Segment, Error> {
        self.root.create_dir_all(names::FOLDER, names::FOLDER_MODE)?;
        self.root.sync()?;
        let mut body = Body::first(&self.file, self.start, self.head.first)?;
        let segment = segment::write(&self.root, self.index.segments.len() + 1, &mut body)?;
        if body.due() != self.next {
            return Err(Error::damaged(body.due(), "the file has changed while it was open"));
        }
        Ok(segment)
    }

    pub(super) fn list_segment(&mut self, segment: Segment) -> Result<(), Error> {
        self.index.segments.push(segment);
        self.index.save(&self.root)
    }

    fn begin_anew(&mut self) -> Result<(), Error> {
        self.head = self.head.clone().starting_at(self.next);
        whole::write(&self.root, &self.head, std::iter::empty(), &self.tail)?;
        self.file = self.root.open_in_place(names::FILE, Access::Private)?;
        self.start = self.head.text().len() as u64;
        self.end = self.start;
        self.pending = Pending::default();
        self.offsets = Offsets::create(&self.root, self.head.first).ok();
        Ok(())
    }
}
