//! Finding an interaction in `jobHistory.json` without reading all that is before it.

use std::{fs::File, os::unix::fs::FileExt};

use super::{Error, body::Body, head::HeadLine, offsets::Offsets};

/// How many entries that do not fit are passed over before the file is read from its beginning.
const TRIES: u64 = 64;

/// The interactions, from the nearest place at or before `wanted` that is known: the last one that is known if `wanted`
/// is beyond it, and the first of the file if nothing that is known holds.
pub(super) fn near(
    file: &File,
    head: &HeadLine,
    start: u64,
    offsets: Option<&Offsets>,
    wanted: u64,
) -> Result<Body, Error> {
    if let Some(offsets) = offsets {
        let index = wanted.saturating_sub(head.first).min(offsets.count().saturating_sub(1));
        for index in (index.saturating_sub(TRIES)..=index).rev() {
            let due = head.first + index;
            let Some(at) = offsets.get(index) else { continue };
            if at >= start && begins_at(file, at, start, due)? {
                return Body::new(file, at, due);
            }
        }
    }
    Body::first(file, start, head.first)
}

/// Whether interaction `due` begins there.
fn begins_at(file: &File, at: u64, start: u64, due: u64) -> Result<bool, Error> {
    let mut before = [0; 2];
    if at != start && (file.read_exact_at(&mut before, at - 2).is_err() || before != *b",\n") {
        return Ok(false);
    }
    match Body::new(file, at, due)?.next() {
        Ok(found) => Ok(found.is_some()),
        Err(Error::Damaged { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
