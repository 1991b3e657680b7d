//! The side of the caller: a process that is started when it is needed and kept while it is well.

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use super::wire::{self, Answer};
use crate::{Document, Limit, Options, ParseError};

/// A process reads so many files before a new one takes over: what a file leaves in memory does not add up.
const FILES: usize = 64;

/// How often the caller is asked whether it still wants the file.
const LOOK: Duration = Duration::from_millis(20);

/// Reads files, one after the other, in a process that it starts and ends itself.
pub struct Worker {
    program: PathBuf,
    arguments: Vec<OsString>,
    running: Option<Running>,
}

struct Running {
    child: Child,
    to: Option<ChildStdin>,
    answers: Receiver<io::Result<Option<Vec<u8>>>>,
    said: JoinHandle<String>,
    files: usize,
    most: u64,
}

impl Worker {
    /// A worker that starts `program` with `arguments`, which must call [`serve`](super::serve()). It is started with
    /// the first file.
    #[must_use]
    pub fn new(program: &Path, arguments: &[OsString]) -> Self {
        Self { program: program.to_owned(), arguments: arguments.to_vec(), running: None }
    }

    /// The process that is running, for those who watch over its memory.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.running.as_ref().map(|running| running.child.id())
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the file cannot be read, the caller has stopped it, or the process cannot be started.
    pub fn parse(
        &mut self,
        bytes: &[u8],
        options: &Options,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Document, ParseError> {
        let kept = self
            .running
            .take()
            .filter(|running| running.files < FILES && running.most == options.limits.memory);
        let mut running = match kept.and_then(Running::alive) {
            Some(running) => running,
            None => Running::start(&self.program, &self.arguments, options.limits.memory)?,
        };
        let answer = running.ask(bytes, options, stopped)?;
        // Only a process that has answered is kept. All others are ended as `running` is dropped.
        running.files += 1;
        self.running = Some(running).filter(|running| running.to.is_some());
        match answer {
            Answer::Read(document) => Ok(*document),
            Answer::Failed(error) => Err(error),
        }
    }
}

impl Running {
    fn start(program: &Path, arguments: &[OsString], most: u64) -> Result<Self, ParseError> {
        let mut child = Command::new(program)
            .args(arguments)
            // Its last words say why it ended, and no more than those is kept.
            .env("RUST_BACKTRACE", "0")
            // What it starts itself ends with it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(&format!("{}: {error}", program.display())))?;
        let (Some(to), Some(mut from), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed("it has no pipes"));
        };
        let (answered, answers) = mpsc::sync_channel(1);
        // An answer is a document; as JSON it is at most a few times the text that is allowed.
        thread::spawn(move || {
            loop {
                let frame = wire::read(&mut from, 2 << 30);
                let last = !matches!(frame, Ok(Some(_)));
                if answered.send(frame).is_err() || last {
                    return;
                }
            }
        });
        let said = thread::spawn(move || last_words(errors));
        Ok(Self { child, to: Some(to), answers, said, files: 0, most })
    }

    fn ask(
        &mut self,
        bytes: &[u8],
        options: &Options,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Answer, ParseError> {
        let request = serde_json::to_vec(options).map_err(|error| failed(&error.to_string()))?;
        let deadline = Instant::now() + options.limits.time;
        let Some(mut to) = self.to.take() else { return Err(failed("its pipe is closed")) };
        let frame = thread::scope(|scope| {
            // The process may die before it has read the whole file; then writing fails, and what matters is how it
            // ended.
            let writing = scope.spawn(move || {
                let sent = wire::write(&mut to, &request)
                    .and_then(|()| wire::write(&mut to, bytes))
                    .and_then(|()| to.flush());
                sent.map(|()| to)
            });
            let frame = self.wait(deadline, stopped);
            if !matches!(frame, Ok(Ok(Some(_)))) {
                // Ends the write too, if it still waits.
                self.kill();
            }
            if let Ok(Ok(to)) = writing.join() {
                self.to = Some(to);
            }
            frame
        });
        match frame {
            Ok(Ok(Some(answer))) => serde_json::from_slice(&answer)
                .map_err(|error| failed(&format!("its answer is not understood: {error}"))),
            Ok(Ok(None) | Err(_)) => Err(self.died()),
            Err(Waited::TooLong) => {
                Err(ParseError::Timeout { seconds: options.limits.time.as_secs() })
            }
            Err(Waited::Stopped) => Err(ParseError::Stopped),
        }
    }

    fn wait(
        &self,
        deadline: Instant,
        stopped: &dyn Fn() -> bool,
    ) -> Result<io::Result<Option<Vec<u8>>>, Waited> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.answers.recv_timeout(left.min(LOOK)) {
                Ok(frame) => return Ok(frame),
                Err(RecvTimeoutError::Disconnected) => return Ok(Ok(None)),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Waited::TooLong),
                Err(RecvTimeoutError::Timeout) if stopped() => return Err(Waited::Stopped),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Itself, if it can be given a file: somebody else may have ended it since the last one.
    fn alive(mut self) -> Option<Self> {
        self.is_alive().then_some(self)
    }

    fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    fn kill(&mut self) {
        if self.is_alive() {
            self.kill_group();
            drop(self.child.kill());
        }
    }

    /// Kills what the process has started, such as a program that reads pictures.
    fn kill_group(&self) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(id) = id {
            kill_process_group(id, Signal::KILL).ok();
        }
    }

    /// Why the process ended without an answer.
    fn died(&mut self) -> ParseError {
        self.to = None;
        let status = self.child.wait();
        self.kill_group();
        let said = std::mem::replace(&mut self.said, thread::spawn(String::new));
        let said = said.join().unwrap_or_default();
        match status {
            Ok(status) => ended(status, &said, self.most),
            Err(error) => failed(&error.to_string()),
        }
    }
}

enum Waited {
    TooLong,
    Stopped,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.to = None;
        self.kill();
        // Without this it would stay behind as an entry of the process table.
        drop(self.child.wait());
    }
}

fn ended(status: ExitStatus, said: &str, memory: u64) -> ParseError {
    // What Rust says when there is no memory, before it gives up.
    if said.contains("memory allocation of") || said.contains("out of memory") {
        let memory = memory >> 20;
        return ParseError::limited(
            Limit::Memory,
            format!("it needs more than {memory} MB of memory"),
        );
    }
    if said.contains("overflowed its stack") {
        return ParseError::limited(Limit::Depth, "it has too many things inside things");
    }
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
    let how = status.to_string();
    let last = if last.is_empty() { String::new() } else { format!(": {}", last.trim()) };
    ParseError::unsupported(format!("the reader ended on this file ({how}{last})"))
}

/// The last 4 KB of what the process says on standard error. The rest is read too, so that it never waits.
fn last_words(mut from: impl Read) -> String {
    let mut kept = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
        let extra = kept.len().saturating_sub(4096);
        kept.drain(..extra);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

fn failed(details: &str) -> ParseError {
    ParseError::Process { details: details.to_owned() }
}
