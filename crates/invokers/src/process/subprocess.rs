//! A program as an agent: one attempt is one process, from its start to the end of all it started.

use std::{
    ffi::OsString,
    path::PathBuf,
    pin::pin,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use consign_engine::{Attempt, Data, Effect, Failure, Invoker, Nanos, Reply};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::ChildStdin,
    task::spawn_blocking,
    time::{sleep, timeout},
};

use super::{
    Definition,
    supervised::{LAST_WORDS, Start, Stopping, SupervisedChild},
    tree,
    verdict::{Cut, Evidence, Verdict},
};
use crate::outside::{Environment, Secrets, environment};

/// How often memory is checked.
const LOOK: Duration = Duration::from_millis(50);

/// The invoker of a program on this machine.
pub struct Subprocess {
    definition: Definition,
    effect: Effect,
    launcher: PathBuf,
    environment: Environment,
}

impl Subprocess {
    /// `launcher` is a program whose command `supervise` is [`supervise`](super::supervise).
    #[must_use]
    pub fn new(definition: Definition, effect: Effect, launcher: PathBuf) -> Self {
        Self { definition, effect, launcher, environment: environment() }
    }

    /// Where the program's variables are looked up.
    #[must_use]
    pub fn with_environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    fn start(&self, env: Vec<(OsString, OsString)>) -> Start<'_> {
        Start {
            launcher: &self.launcher,
            command: &self.definition.command,
            directory: self.definition.directory.as_deref(),
            env,
            memory: self.definition.memory,
        }
    }

    /// The values of the variables that the user named, which must not appear in the journal.
    fn secrets(&self) -> Secrets {
        let named = self.definition.env.iter();
        let named = named.filter(|name| !Definition::ALWAYS.contains(&name.as_str()));
        let values = named.filter_map(|name| (self.environment)(name)?.into_string().ok());
        values.collect()
    }

    /// Runs the program to its end, or stops it.
    async fn run(&self, attempt: &Attempt, peak: &AtomicU64) -> Verdict {
        let limits = &self.definition;
        let start = self.start(variables(&limits.env, &self.environment, attempt));
        let (mut kept, stdin, stdout) = match SupervisedChild::start(start) {
            Ok(kept) => kept,
            Err(cause) => return Verdict::not_started(cause.to_string()),
        };
        let keeper = kept.keeper();
        let mut feeding = pin!(feed(stdin, attempt.input.clone()));
        let mut hearing = pin!(hear(stdout, limits.output));
        let mut watching = pin!(watch(keeper, limits, peak));
        let mut too_late = pin!(sleep(limits.timeout));
        let (mut fed, mut heard) = (false, None);
        let cut = loop {
            tokio::select! {
                biased;
                status = kept.exited() => {
                    let (end, stderr) = kept.settle(status).await;
                    if heard.is_none() {
                        // Nobody is left who writes, unless somebody got away.
                        heard = timeout(LAST_WORDS, &mut hearing).await.ok();
                    }
                    return Verdict::ended(end, heard.flatten(), stderr);
                }
                said = &mut hearing, if heard.is_none() => match said {
                    Some(_) => heard = Some(said),
                    None => break Cut::Output,
                },
                () = &mut feeding, if !fed => fed = true,
                over = &mut watching => break over,
                () = attempt.cancelled() => break Cut::Cancelled,
                () = &mut too_late => break Cut::Timeout,
            }
        };
        let status = kept.stop(cut.stopping()).await;
        let (_, stderr) = kept.settle(status).await;
        Verdict::cut(cut, stderr)
    }
}

#[async_trait]
impl Invoker for Subprocess {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(self.definition.max_cost)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let began = Instant::now();
        let peak = AtomicU64::new(0);
        let verdict = self.run(&attempt, &peak).await;
        let evidence = Evidence {
            took: began.elapsed(),
            // Who is over within a moment was not measured.
            peak: Some(peak.into_inner()).filter(|peak| *peak > 0),
            secrets: self.secrets(),
        };
        verdict.result(&self.definition, self.effect, &evidence)
    }
}

/// The whole environment of a program.
pub(crate) fn variables(
    named: &[String],
    environment: &Environment,
    attempt: &Attempt,
) -> Vec<(OsString, OsString)> {
    let named = Definition::ALWAYS.into_iter().chain(named.iter().map(String::as_str));
    let ours = named.filter_map(|name| Some((name.into(), environment(name)?)));
    let told = [
        ("CONSIGN_RUN", attempt.run.to_string()),
        ("CONSIGN_ACTIVITY", attempt.key.to_string()),
        ("CONSIGN_ATTEMPT", attempt.number.to_string()),
        ("CONSIGN_IDEMPOTENCY_KEY", attempt.idempotency_key()),
        ("CONSIGN_AGENT", attempt.agent.shown().to_owned()),
    ];
    ours.chain(told.map(|(name, value)| (name.into(), value.into()))).collect()
}

async fn feed(mut stdin: ChildStdin, input: Data) {
    // A program that does not want to know its input is free not to.
    let _ = stdin.write_all(input.as_str().as_bytes()).await;
    let _ = stdin.shutdown().await;
}

/// All that it writes to stdout; `None` if that is too much.
async fn hear(stdout: impl AsyncRead + Unpin, most: u64) -> Option<Vec<u8>> {
    let mut said = Vec::new();
    // What cannot be read is not there.
    let _ = stdout.take(most.saturating_add(1)).read_to_end(&mut said).await;
    (said.len() as u64 <= most).then_some(said)
}

/// Returns when a limit is exceeded.
pub(crate) async fn watch(keeper: i32, limits: &Definition, peak: &AtomicU64) -> Cut {
    let memory = limits.memory;
    loop {
        sleep(LOOK).await;
        let Ok(usage) = spawn_blocking(move || tree::usage(keeper, memory)).await else { continue };
        peak.fetch_max(usage.memory, Ordering::Relaxed);
        if usage.memory > memory {
            return Cut::Memory(usage.memory);
        }
        if usage.processes > limits.processes {
            return Cut::Processes(usage.processes);
        }
    }
}

impl Cut {
    /// A program that is about to take all memory or processes is killed at once.
    fn stopping(&self) -> Stopping {
        match self {
            Self::Cancelled | Self::Timeout => Stopping::Kindly,
            Self::Output | Self::Memory(_) | Self::Processes(_) => Stopping::AtOnce,
        }
    }
}
