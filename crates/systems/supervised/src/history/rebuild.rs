//! Writing a history anew from the journal, when what there is was altered.
//!
//! Nothing that was altered is lost: the old `jobHistory.json` gets the first free name of `jobHistory.json.altered-1`,
//! `-2` and so on, and the segments likewise. A segment that turns out to hold just what the journal says is removed.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::Path,
    vec,
};

use consign_engine::Data;
use consign_files::Root;
use zstd::stream::read::Decoder;

use super::{
    Error, Head, HistoryFile,
    body::{LINE_LIMIT, sequence_of},
    head::HeadLine,
    names,
};

/// How much is appended at a time.
const BATCH_BYTES: usize = 1 << 20;

/// Puts a history aside and writes it anew. The first interaction may have the sequence 0 or 1.
///
/// If it fails on the way, or a crash ends it, `jobHistory.json` is missing or has the first interactions only: the
/// caller rebuilds it again, or appends what is missing.
///
/// # Errors
/// Those of `interactions`, and [`Error::Refused`] if they are out of order.
pub fn rebuild<E: From<Error>>(
    job_dir: &Path,
    head: &Head,
    rotate_bytes: u64,
    interactions: impl IntoIterator<Item = Result<Data, E>>,
    points: &[Data],
) -> Result<HistoryFile, E> {
    let root = Root::open(job_dir).map_err(Error::from)?;
    let mut old = put_aside(&root)?;
    let mut interactions = interactions.into_iter().peekable();
    let first = match interactions.peek() {
        Some(Ok(data)) => sequence_of(data.as_str().as_bytes()).unwrap_or_default().min(1),
        Some(Err(_)) | None => 0,
    };
    let mut file = HistoryFile::create_with(job_dir, &HeadLine::new(head, first), rotate_bytes)?;
    let (mut batch, mut size) = (Vec::new(), 0);
    for (sequence, data) in (first..).zip(interactions) {
        let data = data?;
        old.compare(sequence, data.as_str().as_bytes())?;
        size += data.as_str().len();
        batch.push(data);
        if size >= BATCH_BYTES {
            file.append(&batch, &[], false)?;
            batch.clear();
            size = 0;
        }
    }
    file.append(&batch, points, true)?;
    old.compare(u64::MAX, b"")?;
    Ok(file)
}

/// Renames all that there is. The index and the offsets tell nothing that is not in the other files.
fn put_aside(root: &Root) -> Result<OldSegments, Error> {
    match names::put_aside(root, names::FILE, &format!("{}.altered", names::FILE)) {
        Err(error) if !error.is_missing() => return Err(error.into()),
        Ok(_) | Err(_) => {}
    }
    // Before the segments: without the file they do not count.
    root.sync()?;
    let mut segments = Vec::new();
    match root.open_dir(names::FOLDER) {
        Err(error) if error.is_missing() => {}
        folder => segments = put_segments_aside(root, &folder?)?,
    }
    let root = Root::open(root.path())?;
    Ok(OldSegments { root, rest: segments.into_iter(), current: None })
}

/// Renames the segments, and tells their new paths in order.
fn put_segments_aside(root: &Root, folder: &Root) -> Result<Vec<String>, Error> {
    let mut segments = Vec::new();
    for entry in folder.entries()? {
        let name = entry?.name;
        segments.extend(name.into_string().ok().filter(|name| is_segment(name)));
    }
    segments.sort();
    for name in &mut segments {
        let path = names::in_folder(name);
        *name = names::put_aside(root, &path, &format!("{path}.altered"))?;
    }
    root.remove_file(names::INDEX)?;
    root.remove_file(names::OFFSETS)?;
    folder.sync()?;
    Ok(segments)
}

fn is_segment(name: &str) -> bool {
    let number = name.strip_suffix(".json.zst");
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Segments that were put aside, to be held against what is written.
struct OldSegments {
    root: Root,
    rest: vec::IntoIter<String>,
    current: Option<OldSegment>,
}

struct OldSegment {
    path: String,
    lines: BufReader<Decoder<'static, BufReader<File>>>,
    /// The line that was read and not compared yet.
    line: Vec<u8>,
    is_over: bool,
    is_same: bool,
}

impl OldSegments {
    /// Compares what is now interaction `sequence`. They must come in order.
    fn compare(&mut self, sequence: u64, text: &[u8]) -> Result<(), Error> {
        loop {
            if self.current.is_none() {
                let Some(path) = self.rest.next() else { return Ok(()) };
                self.current = OldSegment::open(&self.root, path)?;
            }
            let Some(old) = &mut self.current else { continue };
            if old.is_over {
                if old.is_same {
                    self.root.remove_file(&old.path)?;
                }
                self.current = None;
                continue;
            }
            match sequence_of(&old.line) {
                Some(number) if number > sequence => return Ok(()),
                Some(number) if number == sequence => {
                    old.is_same &= old.line == text;
                    old.advance();
                    return Ok(());
                }
                Some(_) | None => {
                    old.is_same = false;
                    old.advance();
                }
            }
        }
    }
}

impl OldSegment {
    /// `None` if it is no such file.
    fn open(root: &Root, path: String) -> Result<Option<Self>, Error> {
        let file = root.open_file(&path)?;
        let Ok(decoder) = Decoder::new(file) else { return Ok(None) };
        let lines = BufReader::new(decoder);
        let mut old = Self { path, lines, line: Vec::new(), is_over: false, is_same: true };
        old.advance();
        // An empty one is no segment of ours.
        old.is_same &= !old.is_over;
        Ok(Some(old))
    }

    fn advance(&mut self) {
        self.line.clear();
        let mut limited = (&mut self.lines).take(LINE_LIMIT);
        match limited.read_until(b'\n', &mut self.line) {
            Ok(0) => self.is_over = true,
            Ok(_) if self.line.pop() == Some(b'\n') => {}
            Ok(_) | Err(_) => (self.is_over, self.is_same) = (true, false),
        }
    }
}
