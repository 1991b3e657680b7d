//! Takes [`Documents`] through a pipeline: many at once, answers in the order of the questions.
//!
//! One document is a stream with one question: with `--stream` or without, the answer, the messages and the exit code
//! are the same.

use std::{cell::Cell, mem::take, pin::pin, sync::atomic::Ordering::Relaxed, task::Poll, thread};

use consign_app::pipelines::EnvelopeRunner;
use futures_util::{Stream, StreamExt, stream};
use tokio::sync::{mpsc, oneshot};

use super::{Answer, Documents, GRACE, Refusal, lost, process, refusal::of_line, stopped};
use crate::{
    engine::now,
    error::{Error, Exit},
    input::Line,
    output::{Output, printable},
    signals::Signals,
    text::count,
};

/// Answers that are handed over together: waking the writer for each would cost more than its work.
const TOGETHER: usize = 64;

pub(super) async fn run(
    carrier: &EnvelopeRunner,
    until: Option<&str>,
    documents: Documents,
    at_once: usize,
    output: &mut Output,
) -> Result<Exit, Error> {
    let signals = Signals::listen(GRACE)?;
    let Documents { receiver: lines, read_so_far, whole } = documents;
    let lines = stream::unfold(lines, |mut lines| async {
        let next = lines.recv().await?;
        Some((stream::iter(next), lines))
    });
    // While the reader takes no answers no further line is read, and those under way go on.
    let (full, stopping) = (Cell::new(false), Cell::new(false));
    let mut lines = pin!(lines.flatten());
    let lines = stream::poll_fn(|cx| match (stopping.get(), full.get()) {
        (true, _) => Poll::Ready(None),
        (false, true) => Poll::Pending,
        (false, false) => lines.as_mut().poll_next(cx),
    });
    let (signals, begun) = (&signals, &Cell::new(0));
    let answers = lines.map(|(number, line)| async move {
        begun.set(number);
        let answer = match line {
            Ok(Line::Bytes(bytes)) => process(carrier, &bytes, number, until, signals).await,
            Ok(Line::TooLarge(malformed)) => Err(Refusal::of(malformed.into(), number)),
            Err(cause) => Err(Refusal::from(&cause)),
        };
        (number, answer.map_err(|refusal| refusal.of_line(number)))
    });
    let mut answers = pin!(answers.buffered(at_once).ready_chunks(TOGETHER).fuse());
    let (out, mut written) = write(output.apart()?);
    let mut waiting = Answers::new();
    let mut last = None;
    while !(answers.is_done() && waiting.is_empty()) {
        full.set(waiting.len() >= TOGETHER);
        tokio::select! {
            biased;
            // What was read as a whole is begun, and comes back as far as it gets.
            () = stopped(signals), if !stopping.get() && !whole => stopping.set(true),
            // It ends early when the reader has closed the pipe.
            over = &mut written => return ended(over, begun.get(), output),
            Ok(room) = out.reserve(), if !waiting.is_empty() => room.send(take(&mut waiting)),
            next = answers.next(), if !answers.is_done() => {
                waiting.extend(next.into_iter().flatten());
                last = waiting.last().map(|(number, _)| *number).or(last);
            }
        }
    }
    drop(out);
    let exit = ended(written.await, begun.get(), output)?;
    let Some(stopped) = signals.exit() else { return Ok(exit) };
    let read = read_so_far.load(Relaxed);
    let lines = count(read, "line");
    match last {
        // Of a single envelope its own note has said where it stopped.
        Some(_) if read <= 1 => {}
        Some(last) => output.tell(format!(
            "stopped: {lines} read, those up to line {last} are answered, and no other was begun"
        )),
        None => output.tell(format!("stopped: {lines} read, none was begun")),
    }
    Ok(stopped)
}

/// The result of writing. If answers could not be written, the error says which lines were begun.
fn ended(
    written: Result<Result<Exit, Unwritten>, oneshot::error::RecvError>,
    begun: u64,
    output: &Output,
) -> Result<Exit, Error> {
    let Ok(written) = written else {
        return Err(Error::new("INTERNAL", "the task that writes the answers ended"));
    };
    written.map_err(|Unwritten { from, mut cause }| {
        let told = match begun {
            ..=1 => "the answer could not be written".to_owned(),
            _ if begun > from => format!(
                "answers from line {from} on could not be written; lines {from} to {begun} were begun"
            ),
            _ => format!("answers from line {from} on could not be written; line {from} was begun"),
        };
        lost(&cause, &told, output);
        cause.message = format!("{}; {told}", cause.message);
        cause
    })
}

/// Why answers were not written, and the line of the first that the reader may not have.
struct Unwritten {
    from: u64,
    cause: Error,
}

/// Each with the number of its line.
type Answers = Vec<(u64, Result<Answer, Refusal>)>;

/// Writes on a thread of its own: a reader that does not read must not keep agents from being timed and
/// stopped.
fn write(
    mut output: Output,
) -> (mpsc::Sender<Answers>, oneshot::Receiver<Result<Exit, Unwritten>>) {
    let (send, mut receive) = mpsc::channel::<Answers>(2);
    let (tell, told) = oneshot::channel();
    let mut write = move || {
        let mut exit = Exit::Done;
        while let Some(mut answers) = receive.blocking_recv() {
            let from = answers.first().map_or(0, |(number, _)| *number);
            hand_over(&mut answers, &mut output).map_err(|cause| Unwritten { from, cause })?;
            // Notes come after the answers: only a reader that has an answer can send it through again.
            for (number, answer) in answers {
                match answer {
                    Ok(answer) => {
                        for note in answer.notes {
                            let of = of_line(number);
                            output.tell(format!("note: {of}{}", printable(&note)));
                        }
                    }
                    Err(refusal) => {
                        refusal.report(number, &output);
                        exit = Exit::Failed;
                    }
                }
            }
        }
        Ok(exit)
    };
    thread::spawn(move || tell.send(write()));
    (send, told)
}

/// Writes answers and flushes: a caller that waits for one before it sends the next document gets it now.
fn hand_over(answers: &mut Answers, output: &mut Output) -> Result<(), Error> {
    for (_, answer) in answers {
        match answer {
            Ok(answer) => output.line(take(&mut answer.envelope))?,
            Err(refusal) => output.line(refusal.to_json(now()))?,
        }
    }
    output.finish()
}
