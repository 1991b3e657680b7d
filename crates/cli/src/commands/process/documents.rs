//! The documents that `consign process` is given: one, or one a line.

use std::{
    io::Read,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
};

use tokio::sync::mpsc;

use crate::{
    error::Error,
    input::{Line, Source, next_line},
};

/// Lines that are handed over together: waking the receiver for each would cost more than its work.
const TOGETHER: usize = 64;

/// Documents as they are read.
pub(super) struct Documents {
    pub(super) receiver: mpsc::Receiver<Numbered>,
    /// Lines so far, blank ones included.
    pub(super) read_so_far: Arc<AtomicU64>,
    /// There is one document, and all of it was read.
    pub(super) whole: bool,
}

/// Each with the line in which it begins, counted from 1.
type Numbered = Vec<(u64, Result<Line, Error>)>;

impl Documents {
    /// Everything that there is to read, as one document. It is read before this returns: until then a
    /// signal just ends the process.
    pub(super) fn whole(source: &Source, limit: usize) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        // One byte more than the limit shows that there is more.
        let input = source.open()?;
        let read = input.take((limit as u64).saturating_add(1)).read_to_end(&mut bytes);
        let document = read
            .map(|_| Line::Bytes(bytes))
            .map_err(|cause| Error::unreadable(Path::new(&source.name()), &cause));
        let (send, receiver) = mpsc::channel(1);
        send.try_send(vec![(1, document)]).expect("the channel is new, and has room for one");
        Ok(Self { receiver, read_so_far: Arc::new(AtomicU64::new(1)), whole: true })
    }

    /// A document in each line. They are read on a thread of their own: standard input cannot be waited for
    /// beside other things.
    pub(super) fn lines(source: &Source, limit: usize) -> Result<Self, Error> {
        let (send, receiver) = mpsc::channel(4);
        let (name, mut input) = (source.name(), source.open()?);
        let read_so_far = Arc::new(AtomicU64::new(0));
        let so_far = read_so_far.clone();
        thread::spawn(move || {
            let mut lines = Numbered::new();
            for number in 1.. {
                so_far.store(number - 1, Relaxed);
                match next_line(&mut input, limit) {
                    // It has no answer; those that follow keep their numbers.
                    Ok(Some(Line::Bytes(bytes))) if bytes.trim_ascii().is_empty() => {}
                    Ok(Some(line)) => lines.push((number, Ok(line))),
                    Ok(None) => break,
                    Err(cause) => {
                        lines.push((number, Err(Error::unreadable(Path::new(&name), &cause))));
                        break;
                    }
                }
                let more = lines.len() < TOGETHER && input.buffer().contains(&b'\n');
                if !more && !lines.is_empty() {
                    let sent = send.blocking_send(std::mem::take(&mut lines));
                    if sent.is_err() {
                        return;
                    }
                }
            }
            if !lines.is_empty() {
                let _ = send.blocking_send(lines);
            }
        });
        Ok(Self { receiver, read_so_far, whole: false })
    }
}
