//! `consign process --stream`: one envelope a line, many at once, answers in the order of the questions.

use std::{
    cell::Cell,
    fs::File,
    io::{BufReader, Read, stdin},
    mem::take,
    path::Path,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    task::Poll,
    thread,
};

use consign_pipeline::envelope::NotAnEnvelope;
use futures_util::{Stream, StreamExt, stream};
use tokio::sync::{mpsc, oneshot};

use consign_app::pipelines::EnvelopeCarrier;

use super::{Answer, GRACE, Refusal, lost, process, stopped};
use crate::{
    engine::now,
    error::{Error, Exit},
    input::{Line, Source, next_line},
    output::{Output, printable},
    signals::Signals,
    text::count,
};

/// Lines that are handed over together: waking somebody for each would cost more than its work.
const TOGETHER: usize = 64;

pub(super) async fn run(
    carrier: &EnvelopeCarrier,
    until: Option<&str>,
    source: &Source,
    at_once: usize,
    output: &mut Output,
) -> Result<Exit, Error> {
    let read_so_far = Arc::new(AtomicU64::new(0));
    let lines = read(source.clone(), carrier.max_bytes, read_so_far.clone())?;
    let signals = Signals::listen(GRACE)?;
    let lines = stream::unfold(lines, |mut lines| async {
        let next = lines.recv().await?;
        Some((stream::iter(next), lines))
    });
    // While nobody takes answers no further line is read, and those under way go on.
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
            Ok(Line::Bytes(bytes)) => process(carrier, &bytes, until, signals).await,
            Ok(Line::TooLarge(malformed)) => Err(Refusal::from(NotAnEnvelope::from(malformed))),
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
            () = stopped(signals), if !stopping.get() => stopping.set(true),
            // It ends before its time when nobody reads any more.
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
    let read = count(read_so_far.load(Relaxed), "line");
    output.tell(match last {
        Some(last) => {
            format!(
                "stopped: {read} read, those up to line {last} are answered, and no other was begun"
            )
        }
        None => format!("stopped: {read} read, none was begun"),
    });
    Ok(stopped)
}

/// What the writing came to. Whoever has no answer learns whose work was begun all the same.
fn ended(
    written: Result<Result<Exit, Unwritten>, oneshot::error::RecvError>,
    begun: u64,
    output: &Output,
) -> Result<Exit, Error> {
    let Ok(written) = written else {
        return Err(Error::new("INTERNAL", "whoever writes the answers broke down"));
    };
    written.map_err(|Unwritten { from, mut cause }| {
        let lines = match begun > from {
            true => format!("lines {from} to {begun} were begun"),
            false => format!("line {from} was begun"),
        };
        let told = format!("answers from line {from} on could not be written; {lines}");
        lost(&cause, &told, output);
        cause.message = format!("{}; {told}", cause.message);
        cause
    })
}

/// Why answers were not written, and the line of the first that nobody may have.
struct Unwritten {
    from: u64,
    cause: Error,
}

/// Each with the number of its line.
type Answers = Vec<(u64, Result<Answer, Refusal>)>;

/// Writes on a thread of its own: whoever does not read must not keep agents from being timed and stopped.
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
            // Not before the answers are there: nobody can send through again what they do not have.
            for (number, answer) in answers {
                match answer {
                    Ok(answer) => {
                        for note in answer.notes {
                            output.tell(format!("note: line {number}: {}", printable(&note)));
                        }
                    }
                    Err(refusal) => {
                        refusal.report(Some(number), &output);
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

/// Writes answers at once: whoever waits for one before the next question must get it now.
fn hand_over(answers: &mut Answers, output: &mut Output) -> Result<(), Error> {
    for (_, answer) in answers {
        match answer {
            Ok(answer) => output.line(take(&mut answer.envelope))?,
            Err(refusal) => output.line(refusal.to_json(now()))?,
        }
    }
    output.finish()
}

/// Each with its number, counted from 1.
type Lines = Vec<(u64, Result<Line, Error>)>;

/// Reads on a thread of its own: standard input cannot be waited for beside other things.
fn read(
    source: Source,
    limit: usize,
    so_far: Arc<AtomicU64>,
) -> Result<mpsc::Receiver<Lines>, Error> {
    let (send, receive) = mpsc::channel(4);
    let name = source.name();
    let mut input = open(&source)?;
    thread::spawn(move || {
        let mut lines = Lines::new();
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
            if !more && !lines.is_empty() && send.blocking_send(std::mem::take(&mut lines)).is_err()
            {
                return;
            }
        }
        if !lines.is_empty() {
            let _ = send.blocking_send(lines);
        }
    });
    Ok(receive)
}

fn open(source: &Source) -> Result<BufReader<Box<dyn Read + Send>>, Error> {
    let input: Box<dyn Read + Send> = match source {
        Source::Stdin => Box::new(stdin()),
        Source::File(file) => {
            Box::new(File::open(file).map_err(|cause| Error::unreadable_input(file, &cause))?)
        }
    };
    Ok(BufReader::with_capacity(1 << 18, input))
}
