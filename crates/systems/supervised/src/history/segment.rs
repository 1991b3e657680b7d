//! A segment: an older part of the history, one interaction on a line, in zstd frames that follow each other.
//!
//! Every frame is complete by itself and holds whole lines, so that one interaction is read by unpacking one frame, and
//! `zstd -dc` gives all lines. A segment never changes once it has its name.

use std::{
    fs::File,
    io::{ErrorKind, Read, Write},
    os::unix::fs::FileExt,
};

use consign_files::{Access, Root, sync_file};
use sha2::{Digest, Sha256};
use zstd::{bulk::Compressor, stream::read::Decoder};

use super::{
    Error,
    body::{Body, LINE_LIMIT, sequence_of},
    index::{Frame, Segment},
    names,
};

/// A frame is closed when it holds this much. One that holds a longer line holds only that.
const FRAME_BYTES: usize = 256 << 10;

/// Writes the interactions of `body` to a segment, durably. It gets its name when it is whole.
pub(super) fn write(root: &Root, number: usize, body: &mut Body) -> Result<Segment, Error> {
    let name = names::segment(number);
    let unfinished = format!(".{name}.new");
    let folder = root.open_dir(names::FOLDER)?;
    folder.remove_file(&unfinished)?;
    let file = folder.create_new(&unfinished, Access::Private)?;
    let first = body.due();
    let mut writer = FrameWriter::new(file, first).map_err(Error::io("write", &unfinished))?;
    while let Some((_, line)) = body.next()? {
        writer.push(line).map_err(Error::io("write", &unfinished))?;
    }
    writer.close_frame().map_err(Error::io("write", &unfinished))?;
    let FrameWriter { file, hash, at, frames, next, .. } = writer;
    sync_file(&file, &folder.path().join(&unfinished))?;
    folder.rename(&unfinished, &name)?;
    folder.sync()?;
    let sha256 = hex::encode(hash.finalize());
    Ok(Segment { file: name, first, last: next - 1, bytes: at, sha256, frames })
}

struct FrameWriter {
    file: File,
    hash: Sha256,
    compressor: Compressor<'static>,
    lines: Vec<u8>,
    at: u64,
    /// The sequence of the next line.
    next: u64,
    /// The sequence of the first line in `lines`.
    first: u64,
    frames: Vec<Frame>,
}

impl FrameWriter {
    fn new(file: File, first: u64) -> std::io::Result<Self> {
        let mut compressor = Compressor::new(zstd::DEFAULT_COMPRESSION_LEVEL)?;
        compressor.include_checksum(true)?;
        let (hash, lines, frames) = (Sha256::new(), Vec::new(), Vec::new());
        Ok(Self { file, hash, compressor, lines, at: 0, next: first, first, frames })
    }

    fn push(&mut self, line: &[u8]) -> std::io::Result<()> {
        if !self.lines.is_empty() && self.lines.len() + line.len() >= FRAME_BYTES {
            self.close_frame()?;
        }
        self.lines.extend_from_slice(line);
        self.lines.push(b'\n');
        self.next += 1;
        Ok(())
    }

    fn close_frame(&mut self) -> std::io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let packed = self.compressor.compress(&self.lines)?;
        self.file.write_all(&packed)?;
        self.hash.update(&packed);
        let length = packed.len() as u64;
        self.frames.push(Frame { first: self.first, offset: self.at, length });
        self.at += length;
        self.first = self.next;
        self.lines.clear();
        Ok(())
    }
}

/// Reads the interactions of a segment in order, with one frame in memory.
pub(super) struct SegmentLines {
    file: File,
    segment: Segment,
    frame: usize,
    lines: Vec<u8>,
    at: usize,
    due: u64,
}

impl SegmentLines {
    /// From the frame that `from` is in, or from the first one.
    pub(super) fn open(root: &Root, segment: Segment, from: u64) -> Result<Self, Error> {
        let file = open(root, &segment)?;
        let frame = segment.frames.partition_point(|frame| frame.first <= from).saturating_sub(1);
        let due = segment.frames.get(frame).map_or(segment.first, |frame| frame.first);
        Ok(Self { file, segment, frame, lines: Vec::new(), at: 0, due })
    }

    /// The next interaction: its sequence and its text.
    pub(super) fn next(&mut self) -> Result<Option<(u64, &[u8])>, Error> {
        let told = |due, why: &str| Error::damaged(due, format!("{}: {why}", self.segment.file));
        if self.at == self.lines.len() {
            let Some(frame) = self.segment.frames.get(self.frame) else {
                let is_whole = self.due == self.segment.last.saturating_add(1);
                let short = || told(self.due, "it ends too early");
                return if is_whole { Ok(None) } else { Err(short()) };
            };
            self.lines = read_frame(&self.file, &self.segment.file, frame)?;
            (self.frame, self.at) = (self.frame + 1, 0);
        }
        let rest = &self.lines[self.at..];
        let length = rest.iter().position(|byte| *byte == b'\n');
        let line = &rest[..length.ok_or_else(|| told(self.due, "a line does not end"))?];
        if sequence_of(line) != Some(self.due) {
            return Err(told(self.due, "another line is in its place"));
        }
        self.at += line.len() + 1;
        self.due += 1;
        Ok(Some((self.due - 1, line)))
    }
}

/// Opens the file of a segment, if it is as long as it should be.
pub(super) fn open(root: &Root, segment: &Segment) -> Result<File, Error> {
    let told = |why: &str| Error::damaged(segment.first, format!("{}: {why}", segment.file));
    let file = match root.open_file(names::in_folder(&segment.file)) {
        Err(error) if error.is_missing() => return Err(told("the segment is missing")),
        opened => opened?,
    };
    let length = file.metadata().map_err(Error::io("read", &segment.file))?.len();
    if length != segment.bytes {
        return Err(told("the segment is not as long as the index says"));
    }
    Ok(file)
}

/// Unpacks a frame: whole lines, each with its line break.
pub(super) fn read_frame(file: &File, name: &str, frame: &Frame) -> Result<Vec<u8>, Error> {
    let told = |why: &str| Error::damaged(frame.first, format!("{name}: {why}"));
    let length = usize::try_from(frame.length).unwrap_or(usize::MAX);
    if frame.length > LINE_LIMIT {
        return Err(told("a frame is too long"));
    }
    let mut packed = vec![0; length];
    let is_inside = |error: &std::io::Error| {
        !matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::InvalidInput)
    };
    match file.read_exact_at(&mut packed, frame.offset) {
        Err(error) if is_inside(&error) => return Err(Error::io("read", name)(error)),
        Err(_) => return Err(told("a frame is outside of it")),
        Ok(()) => {}
    }
    let mut lines = Vec::new();
    let unpacked = Decoder::with_buffer(&packed[..])
        .and_then(|decoder| decoder.single_frame().take(LINE_LIMIT).read_to_end(&mut lines));
    unpacked.map_err(|_| told("a frame cannot be unpacked"))?;
    if lines.is_empty() {
        return Err(told("a frame is empty"));
    }
    Ok(lines)
}
