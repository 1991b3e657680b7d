//! Reading all of a history to find what is damaged or altered.
//!
//! [`check`] finds what the files themselves tell: a segment whose hash is another, an index that does not fit, an
//! interaction that is missing or there twice. What an interaction should say only the caller knows: it is handed the
//! exact bytes of each. Nothing is repaired here.

use std::{fs::File, io::Read, path::Path};

use sha2::{Digest, Sha256};

use super::{
    Error,
    body::{Body, Line, Positioned, sequence_of},
    head,
    index::{Index, Segment},
    names,
    segment::{self, read_frame},
    tail::Tail,
    view::View,
};

/// Something that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The interaction at which it shows.
    pub sequence: u64,
    /// The file, below the job's directory.
    pub file: String,
    pub why: String,
}

/// Calls `each` with the sequence and the exact bytes of every interaction that can be read, in the order in which they
/// are found, and returns what is damaged.
///
/// # Errors
/// Those of opening a history: [`Error::Damaged`] only if the first line of `jobHistory.json` is.
pub fn check(job_dir: &Path, each: impl FnMut(u64, &[u8])) -> Result<Vec<Damage>, Error> {
    let mut unreadable = None;
    let view = View::open_with(job_dir, |root| match Index::load(root) {
        Err(Error::Damaged { why, .. }) => {
            unreadable = Some(why);
            Ok(Index { version: head::VERSION.to_owned(), segments: Vec::new() })
        }
        index => index,
    })?;
    let mut checked = Checked { due: 0, damages: Vec::new(), each };
    match (unreadable, view.index.fits(view.head.first)) {
        (Some(why), _) => checked.damage(0, names::INDEX, why),
        (None, Err(Error::Damaged { sequence, why })) => {
            checked.damage(sequence.unwrap_or_default(), names::INDEX, why);
        }
        (None, Err(error)) => return Err(error),
        (None, Ok(())) => {}
    }
    let first = view.index.segments.first().map_or(view.head.first, |segment| segment.first);
    checked.due = first;
    for segment in &view.index.segments {
        checked.segment(&view, segment)?;
    }
    checked.file(&view)?;
    Ok(checked.damages)
}

struct Checked<F> {
    due: u64,
    damages: Vec<Damage>,
    each: F,
}

impl<F: FnMut(u64, &[u8])> Checked<F> {
    fn damage(&mut self, sequence: u64, file: &str, why: impl Into<String>) {
        self.damages.push(Damage { sequence, file: file.to_owned(), why: why.into() });
    }

    fn segment(&mut self, view: &View, segment: &Segment) -> Result<(), Error> {
        let path = names::in_folder(&segment.file);
        let after = segment.last.saturating_add(1);
        let file = match segment::open(&view.root, segment) {
            Err(Error::Damaged { why, .. }) => {
                self.damage(segment.first, &path, why);
                self.due = after;
                return Ok(());
            }
            file => file?,
        };
        if sha256(&file).map_err(Error::io("read", &path))? != segment.sha256 {
            self.damage(segment.first, &path, "its SHA-256 is not the one in the index");
        }
        for (at, frame) in segment.frames.iter().enumerate() {
            if frame.first != self.due {
                self.damage(frame.first, &path, "a frame begins with another interaction");
            }
            let lines = match read_frame(&file, &segment.file, frame) {
                Err(Error::Damaged { why, .. }) => {
                    self.damage(frame.first, &path, why);
                    self.due = segment.frames.get(at + 1).map_or(after, |frame| frame.first);
                    continue;
                }
                lines => lines?,
            };
            let whole = lines.strip_suffix(b"\n").unwrap_or(&lines);
            for line in whole.split(|byte| *byte == b'\n') {
                self.line(&path, sequence_of(line), line);
            }
        }
        if self.due != after {
            self.damage(
                self.due,
                &path,
                "it does not end with the interaction that the index says",
            );
        }
        Ok(())
    }

    fn file(&mut self, view: &View) -> Result<(), Error> {
        let mut body = Body::first(&view.file, view.start, view.head.first)?;
        let mut end = view.start;
        loop {
            match body.next_line() {
                Ok(Some(Line { at, text, sequence })) => {
                    end = at + text.len() as u64;
                    self.line(names::FILE, sequence, text);
                }
                Ok(None) => break,
                Err(Error::Damaged { why, .. }) => {
                    self.damage(self.due, names::FILE, why);
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
        match Tail::read(&view.file, end) {
            Ok(_) => Ok(()),
            Err(Error::Damaged { why, .. }) => {
                self.damage(self.due, names::FILE, why);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn line(&mut self, file: &str, sequence: Option<u64>, text: &[u8]) {
        let due = self.due;
        match sequence {
            Some(sequence) if sequence < due => {
                self.damage(sequence, file, "the interaction is there twice or in the wrong place");
            }
            Some(sequence) => {
                if sequence > due {
                    let why = format!("interactions are missing before {sequence}");
                    self.damage(due, file, why);
                }
                self.due = sequence.saturating_add(1);
                (self.each)(sequence, text);
            }
            None => {
                self.due = due.saturating_add(1);
                self.damage(due, file, "its line is no interaction");
            }
        }
    }
}

fn sha256(file: &File) -> std::io::Result<String> {
    let mut hash = Sha256::new();
    let mut from = Positioned::new(file, 0)?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(hex::encode(hash.finalize())),
            read => hash.update(&buffer[..read]),
        }
    }
}
