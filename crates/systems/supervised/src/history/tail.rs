//! The end of `jobHistory.json`: the recovery points, one on a line, and what closes the object.
//!
//! The tail is kept in memory and written anew with every append, so the cost of an append grows with the number of
//! recovery points (a few for each phase of a job), and not with the number of interactions.

use std::{fs::File, os::unix::fs::FileExt};

use consign_engine::Data;

use super::{Error, body::sequence_of, names};

const OPENS: &[u8] = b"\n], \"recovery_points\": [\n";
const CLOSES: &[u8] = b"\n]}\n";
/// No tail is longer than this.
const LIMIT: u64 = 64 << 20;

/// All that follows the last interaction.
#[derive(Clone)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    count: usize,
}

impl Tail {
    pub(super) fn empty() -> Self {
        Self { bytes: [OPENS, CLOSES].concat(), count: 0 }
    }

    /// Reads it from the end of the last interaction on.
    pub(super) fn read(file: &File, end: u64) -> Result<Self, Error> {
        let size = file.metadata().map_err(Error::io("read", names::FILE))?.len();
        let length = size.saturating_sub(end);
        if length > LIMIT {
            return Err(Error::damaged(None, "the recovery points do not follow the interactions"));
        }
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        file.read_exact_at(&mut bytes, end).map_err(Error::io("read", names::FILE))?;
        let mut tail = Self { bytes, count: 0 };
        let whole = tail.bytes.starts_with(OPENS)
            && tail.bytes.ends_with(CLOSES)
            && tail.bytes.len() >= OPENS.len() + CLOSES.len();
        if !whole {
            return Err(Error::damaged(None, "the end of the file is torn"));
        }
        if tail.points().any(|point| point.is_none()) {
            return Err(Error::damaged(None, "a recovery point cannot be read"));
        }
        tail.count = tail.points().count();
        Ok(tail)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many recovery points there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The recovery points. `None` is one that is not a JSON object.
    pub(super) fn points(&self) -> impl Iterator<Item = Option<Data>> {
        let lines = &self.bytes[OPENS.len()..self.bytes.len() - CLOSES.len()];
        let lines = (!lines.is_empty()).then(|| lines.split(|byte| *byte == b'\n'));
        let mut lines = lines.into_iter().flatten().peekable();
        std::iter::from_fn(move || {
            let line = lines.next()?;
            // All but the last have a comma.
            let line = if lines.peek().is_some() { line.strip_suffix(b",") } else { Some(line) };
            Some(line.and_then(|line| object(line.to_vec())))
        })
    }

    /// Adds recovery points. Fails without any change if one is no JSON object on one line.
    pub(super) fn push(&mut self, points: &[Data]) -> Result<(), Error> {
        if !points.iter().all(is_line) {
            return Err(Error::refused("a recovery point is not a JSON object on one line"));
        }
        self.bytes.truncate(self.bytes.len() - CLOSES.len());
        for point in points {
            if self.count > 0 {
                self.bytes.extend_from_slice(b",\n");
            }
            self.bytes.extend_from_slice(point.as_str().as_bytes());
            self.count += 1;
        }
        self.bytes.extend_from_slice(CLOSES);
        Ok(())
    }

    /// Without the first point that was taken after an interaction from `next` on, and all that follow it: what is kept
    /// is always a beginning of the list. One that does not say its sequence stays.
    pub(super) fn before(&self, next: u64) -> Result<Self, Error> {
        let is_kept = |point: &Data| {
            sequence_of(point.as_str().as_bytes()).is_none_or(|sequence| sequence < next)
        };
        let kept: Vec<Data> = self.points().flatten().take_while(is_kept).collect();
        let mut tail = Self::empty();
        tail.push(&kept)?;
        Ok(tail)
    }
}

/// Whether it is a JSON object that has no line break in its text.
pub(super) fn is_line(data: &Data) -> bool {
    let text = data.as_str();
    text.starts_with('{') && !text.contains('\n')
}

fn object(text: Vec<u8>) -> Option<Data> {
    let data = Data::restore(String::from_utf8(text).ok()?)?;
    data.as_str().starts_with('{').then_some(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_as_they_were_added() {
        let point = |n: u64| Data::parse(format!(r#"{{"sequence":{n},"id":"p-{n}"}}"#)).unwrap();
        let mut tail = Tail::empty();
        assert_eq!(tail.bytes(), b"\n], \"recovery_points\": [\n\n]}\n");
        tail.push(&[point(1)]).unwrap();
        tail.push(&[point(2), point(5)]).unwrap();
        let points: Vec<Data> = tail.points().flatten().collect();
        assert_eq!(points, [point(1), point(2), point(5)]);
        let before = tail.before(5).unwrap();
        assert_eq!((before.count(), tail.count()), (2, 3));
        assert!(tail.push(&[Data::of(&[1])]).is_err());
        assert_eq!(tail.count(), 3);
    }
}
