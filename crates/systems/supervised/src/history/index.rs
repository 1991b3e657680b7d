//! `history/index.json`: the segments, in order, with what is needed to find an interaction in them.
//!
//! The index alone does not say what counts: [`Index::before`] drops the segments that begin at or after the first
//! interaction of `jobHistory.json`. They are of a rotation that was not completed, or of a past that was cut off.

use consign_files::{Access, Root};
use serde::{Deserialize, Serialize};

use super::{Error, head, names};

/// No index is longer than this.
const LIMIT: u64 = 256 << 20;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) version: String,
    pub(super) segments: Vec<Segment>,
}

/// A part of the history that is compressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Segment {
    /// Its name in the folder of the index.
    pub(super) file: String,
    /// The sequence of its first interaction.
    pub(super) first: u64,
    /// The sequence of its last interaction.
    pub(super) last: u64,
    /// How long the file is.
    pub(super) bytes: u64,
    /// Of the file as it is.
    pub(super) sha256: String,
    pub(super) frames: Vec<Frame>,
}

/// A part of a segment that can be read by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Frame {
    /// The sequence of its first interaction.
    pub(super) first: u64,
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl Index {
    /// Reads it. Where there is none there are no segments.
    pub(super) fn load(root: &Root) -> Result<Self, Error> {
        let bytes = match root.read(names::INDEX, LIMIT) {
            Ok(bytes) => bytes,
            Err(error) if error.is_missing() => {
                return Ok(Self { version: head::VERSION.to_owned(), segments: Vec::new() });
            }
            Err(error) => return Err(error.into()),
        };
        let index: Self = serde_json::from_slice(&bytes).map_err(|why| {
            Error::damaged(None, format!("{} cannot be read: {why}", names::INDEX))
        })?;
        match head::major(&index.version) {
            Some(1) => Ok(index),
            Some(2..) => Err(Error::TooNew { version: index.version }),
            Some(0) | None => {
                Err(Error::damaged(None, format!("{} has no version 1.x", names::INDEX)))
            }
        }
    }

    /// Replaces the file, durably.
    pub(super) fn save(&self, root: &Root) -> Result<(), Error> {
        let mut bytes = serde_json::to_vec(self)
            .map_err(|why| Error::refused(format!("the index has no JSON form: {why}")))?;
        bytes.push(b'\n');
        let folder = root.open_dir(names::FOLDER)?;
        Ok(folder.write_atomic_by("index.json", ".index.json.new", &bytes, Access::Private)?)
    }

    /// Without the segments that do not count.
    pub(super) fn before(mut self, first: u64) -> Self {
        self.segments.retain(|segment| segment.first < first);
        self
    }

    /// Whether the segments follow each other and `jobHistory.json`, which begins with `first`, follows them.
    pub(super) fn fits(&self, first: u64) -> Result<(), Error> {
        let mut due = self.segments.first().map_or(first, |segment| segment.first);
        if due > 1 {
            return Err(Error::damaged(0, format!("nothing is before interaction {due}")));
        }
        for (at, segment) in self.segments.iter().enumerate() {
            let told =
                |why: &str| Error::damaged(segment.first, format!("{}: {why}", segment.file));
            if segment.file != names::segment(at + 1) {
                return Err(told("a segment is missing in the index"));
            }
            if segment.first != due || segment.last < segment.first {
                return Err(told("the segments do not follow each other"));
            }
            let mut offset = 0;
            for frame in &segment.frames {
                if frame.offset != offset || !(segment.first..=segment.last).contains(&frame.first)
                {
                    return Err(told("its frames do not fit"));
                }
                offset = offset.saturating_add(frame.length);
            }
            let starts = segment.frames.first().map(|frame| frame.first);
            let rising = segment.frames.is_sorted_by(|one, next| one.first < next.first);
            if offset != segment.bytes || starts != Some(segment.first) || !rising {
                return Err(told("its frames do not fit"));
            }
            due = segment.last.saturating_add(1);
        }
        if due != first {
            let why =
                format!("the segments end before interaction {due}, the file begins with {first}");
            return Err(Error::damaged(due.min(first), why));
        }
        Ok(())
    }
}
