//! Runs a command once with a text on stdin, and returns what it writes to stdout.
//!
//! It is supervised like every other program, and ends with this process. It knows no agent and no
//! run.

use std::{ffi::OsString, path::Path, pin::pin, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::{sleep, timeout},
};

use super::{
    keeper::End,
    supervised::{LAST_WORDS, Start, Stopping, SupervisedChild},
};

/// The command to run.
pub struct Pipe<'a> {
    /// A program whose command `supervise` is [`supervise`](super::supervise).
    pub launcher: &'a Path,
    /// The program and its arguments. No shell reads it.
    pub command: &'a [String],
    pub directory: &'a Path,
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
    pub timeout: Duration,
    /// The most bytes that it may write to stdout.
    pub most: usize,
}

/// The most memory that it and all it starts may have: a coding agent is a large program.
const MEMORY: u64 = 16 << 30;

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piped {
    /// It succeeded; these are the bytes of its stdout.
    Said(Vec<u8>),
    /// It failed: how, and the end of its stderr.
    Failed {
        how: String,
        stderr: String,
    },
    TimedOut,
    TooMuch,
    NotStarted(String),
    /// It was stopped because its result is no longer needed.
    Cancelled,
}

impl Pipe<'_> {
    /// Runs it to its end, or stops it. The future `cancelled` completes when the result is no
    /// longer needed.
    pub async fn run(self, input: &str, cancelled: impl Future<Output = ()>) -> Piped {
        let start = Start {
            launcher: self.launcher,
            command: self.command,
            directory: Some(self.directory),
            env: self.env,
            memory: MEMORY,
        };
        let (mut kept, mut stdin, stdout) = match SupervisedChild::start(start) {
            Ok(kept) => kept,
            Err(cause) => return Piped::NotStarted(cause.to_string()),
        };
        let mut feeding = pin!(async {
            // A program that does not want to know its input is free not to.
            let _ = stdin.write_all(input.as_bytes()).await;
            drop(stdin);
        });
        let most = self.most;
        let mut hearing = pin!(async {
            let mut said = Vec::new();
            let _ = stdout.take(most as u64 + 1).read_to_end(&mut said).await;
            (said.len() <= most).then_some(said)
        });
        let (mut fed, mut heard) = (false, None);
        let (mut late, mut cancelled) = (pin!(sleep(self.timeout)), pin!(cancelled));
        let (cut, stopping) = loop {
            tokio::select! {
                biased;
                status = kept.exited() => {
                    let (end, stderr) = kept.settle(status).await;
                    if heard.is_none() {
                        heard = timeout(LAST_WORDS, &mut hearing).await.ok().flatten();
                    }
                    let stderr = String::from_utf8_lossy(&stderr.bytes).into_owned();
                    return verdict(end, heard, stderr);
                }
                said = &mut hearing, if heard.is_none() => match said {
                    Some(said) => heard = Some(said),
                    None => break (Piped::TooMuch, Stopping::AtOnce),
                },
                () = &mut feeding, if !fed => fed = true,
                () = &mut cancelled => break (Piped::Cancelled, Stopping::Kindly),
                () = &mut late => break (Piped::TimedOut, Stopping::Kindly),
            }
        };
        let status = kept.stop(stopping).await;
        kept.settle(status).await;
        cut
    }
}

fn verdict(end: Option<End>, heard: Option<Vec<u8>>, stderr: String) -> Piped {
    let how = match end {
        Some(End::Exited(0)) => match heard {
            Some(said) => return Piped::Said(said),
            None => "its output could not be read".to_owned(),
        },
        Some(End::Exited(code)) => format!("it exited with code {code}"),
        Some(End::Signalled(signal)) => format!("it was killed by signal {signal}"),
        Some(End::NotStarted(why)) => return Piped::NotStarted(why),
        None => "it is unknown how it ended".to_owned(),
    };
    Piped::Failed { how, stderr }
}
