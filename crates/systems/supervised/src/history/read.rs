//! Reading a history: interactions by their sequence, across segments, and the recovery points.
//!
//! Nothing is changed or waited for, so it may run beside the process that appends. It may then find the file in the
//! middle of a write and call it damaged; a second try tells.

use std::{collections::VecDeque, ops::Range, path::Path};

use consign_engine::Data;

use super::{
    Error, body::Body, index::Segment, locate, offsets::Offsets, segment::SegmentLines, tail::Tail,
    view::View,
};

/// The interactions from `from` to `to`, both included, in order: as many of them as there are. One of a great many is
/// found without reading the others.
#[must_use]
pub fn interactions(job_dir: &Path, from: u64, to: u64) -> Interactions {
    let opened = View::open(job_dir).and_then(|view| {
        view.index.fits(view.head.first)?;
        Ok(view)
    });
    match opened {
        Ok(view) => Interactions::of(view, from..to.saturating_add(1)),
        Err(error) => Interactions(State::Failed(error)),
    }
}

/// The recovery points, in the order in which they were appended.
///
/// # Errors
/// Those of opening, and [`Error::Damaged`] if the file is torn.
pub fn points(job_dir: &Path) -> Result<Vec<Data>, Error> {
    let view = View::open(job_dir)?;
    let mut body = body_near(&view, u64::MAX)?;
    body.finish()?;
    Ok(Tail::read(&view.file, body.end())?.points().flatten().collect())
}

/// Interactions, in order. After an error there are no more.
pub struct Interactions(State);

enum State {
    Reading(Box<Reading>),
    Failed(Error),
    Over,
}

struct Reading {
    view: View,
    range: Range<u64>,
    segments: VecDeque<Segment>,
    segment: Option<SegmentLines>,
    body: Option<Body>,
}

impl Interactions {
    pub(super) fn of(view: View, range: Range<u64>) -> Self {
        let is_wanted = |s: &&Segment| s.first < range.end && s.last >= range.start;
        let segments = view.index.segments.iter().filter(is_wanted).cloned().collect();
        let reading = Reading { view, range, segments, segment: None, body: None };
        Self(State::Reading(Box::new(reading)))
    }
}

impl Iterator for Interactions {
    type Item = Result<Data, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = match &mut self.0 {
            State::Reading(reading) => reading.next(),
            State::Failed(_) | State::Over => {
                return match std::mem::replace(&mut self.0, State::Over) {
                    State::Failed(error) => Some(Err(error)),
                    State::Reading(_) | State::Over => None,
                };
            }
        };
        if !matches!(next, Ok(Some(_))) {
            self.0 = State::Over;
        }
        next.transpose()
    }
}

impl Reading {
    fn next(&mut self) -> Result<Option<Data>, Error> {
        loop {
            if self.range.is_empty() {
                return Ok(None);
            }
            let Some((sequence, data)) = self.step()? else { return Ok(None) };
            if let Some(data) = data {
                self.range.start = sequence + 1;
                return Ok(Some(data));
            }
        }
    }

    /// The next line. Its text only if it is wanted.
    fn step(&mut self) -> Result<Option<(u64, Option<Data>)>, Error> {
        let wanted = self.range.start;
        if self.body.is_none() {
            while let Some(lines) = self.open_segment()? {
                if let Some((sequence, line)) = lines.next()? {
                    return Ok(Some((sequence, take(line, sequence, wanted)?)));
                }
                self.segment = None;
            }
            if self.range.end <= self.view.head.first {
                return Ok(None);
            }
        }
        let body = match &mut self.body {
            Some(body) => body,
            none => none.insert(body_near(&self.view, wanted)?),
        };
        let sequence = body.due();
        match body.next()? {
            Some((_, line)) => Ok(Some((sequence, take(line, sequence, wanted)?))),
            None => Ok(None),
        }
    }

    fn open_segment(&mut self) -> Result<Option<&mut SegmentLines>, Error> {
        if self.segment.is_none()
            && let Some(segment) = self.segments.pop_front()
        {
            self.segment = Some(SegmentLines::open(&self.view.root, segment, self.range.start)?);
        }
        Ok(self.segment.as_mut())
    }
}

fn body_near(view: &View, wanted: u64) -> Result<Body, Error> {
    let offsets = Offsets::open(&view.root, view.head.first, false);
    locate::near(&view.file, &view.head, view.start, offsets.as_ref(), wanted)
}

fn take(line: &[u8], sequence: u64, wanted: u64) -> Result<Option<Data>, Error> {
    if sequence < wanted {
        return Ok(None);
    }
    let text = String::from_utf8(line.to_vec()).ok();
    match text.and_then(Data::restore) {
        Some(data) => Ok(Some(data)),
        None => Err(Error::damaged(sequence, "its line is no interaction")),
    }
}
