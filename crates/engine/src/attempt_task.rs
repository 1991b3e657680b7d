//! The task of one attempt: it calls the agent, enforces the timeout and holds the output to its contract.
//! If the process that made an attempt has died, the task only probes what became of it.

use std::time::Duration;

use tokio::time::sleep;
use tracing::{Instrument, warn};

use crate::{
    Activity, Agent, AgentName, Attempt, Call, Effect, Failure, Fault, FaultClass, Next, Onward,
    Probe, Reply,
    agent::Halt,
    logs,
    plan::{Came, Input, breach},
    run::Run,
};

/// How long an attempt that is told to stop may take to do so.
const STOPPING: Duration = Duration::from_secs(10);
/// How long the other side may take to say what became of an attempt.
const PROBING: Duration = Duration::from_secs(30);

pub(crate) struct AttemptTask {
    pub(crate) agent: Agent,
    pub(crate) name: AgentName,
    pub(crate) attempt: Attempt,
    /// An earlier attempt may have had its effect, and its outcome will not be probed after this one.
    pub(crate) doubtful: bool,
}

impl AttemptTask {
    /// Makes the attempt. Its span is below that in which this is called.
    pub(crate) fn run(self) -> impl Future<Output = Input> + Send {
        let span = logs::attempt_span(&self.attempt, &self.name);
        self.make().instrument(span)
    }

    /// Does not call the agent, but asks it what became of an attempt that a dead process made.
    pub(crate) fn probe(self) -> impl Future<Output = Input> + Send {
        let span = logs::attempt_span(&self.attempt, &self.name);
        self.ask_about().instrument(span)
    }

    async fn make(self) -> Input {
        let came = tokio::select! {
            biased;
            result = self.work() => self.finished(result),
            came = self.halted() => came,
        };
        self.ended(came)
    }

    async fn ask_about(self) -> Input {
        let came = tokio::select! {
            biased;
            probe = self.ask() => match probe {
                Probe::Done(reply) => match self.hold(reply) {
                    Ok(reply) => Came::Probed(Probe::Done(reply)),
                    Err(failure) => Came::Finished(Err(failure)),
                },
                probe @ (Probe::NotDone | Probe::Unknown) => Came::Probed(probe),
            },
            halt = self.attempt.halted() => self.broken_off(halt),
        };
        self.ended(came)
    }

    fn ended(self, came: Came) -> Input {
        Input { key: self.attempt.key, attempt: self.attempt.number, came }
    }

    async fn work(&self) -> Result<Reply, Failure> {
        let timeout = self.agent.timeout;
        let result = tokio::select! {
            biased;
            result = self.agent.invoker.invoke(self.attempt.clone()) => result,
            () = sleep(timeout) => {
                let fault = Fault::outcome_unknown("TIMEOUT", format!("no answer within {timeout:?}"));
                Err(Failure::new(fault, None))
            }
        };
        let mut failure = match result {
            Ok(reply) => return self.hold(reply),
            Err(failure) => failure,
        };
        let unknown = match failure.fault.class {
            FaultClass::OutcomeUnknown => true,
            // That the agent is busy now says nothing of what an earlier attempt did.
            FaultClass::Transient => self.doubtful,
            FaultClass::Permanent => false,
        };
        if !unknown || self.agent.effect != Effect::Keyed {
            return Err(failure);
        }
        failure.fault.class = match self.ask().await {
            Probe::Done(reply) => return self.hold(reply),
            Probe::NotDone => FaultClass::Transient,
            Probe::Unknown => FaultClass::OutcomeUnknown,
        };
        Err(failure)
    }

    /// What a result means, depending on whether the attempt was told to stop.
    fn finished(&self, result: Result<Reply, Failure>) -> Came {
        match (*self.attempt.halt.borrow(), result) {
            (Halt::Unwanted | Halt::Left, result) => Came::Stopped(result),
            // What it leaves for the next attempt was paid for.
            (Halt::TimeUp, Err(failure)) if failure.onward == Onward::ByClass => {
                Came::TimeUp(failure)
            }
            (Halt::GoOn | Halt::TimeUp, result) => Came::Finished(result),
        }
    }

    /// Told to stop, an attempt has a while in which it may still say how it went: what it was doing
    /// goes on beside this.
    async fn halted(&self) -> Came {
        let halt = self.attempt.halted().await;
        tokio::select! {
            () = sleep(STOPPING) => {}
            () = self.attempt.left() => {}
        }
        self.broken_off(halt)
    }

    fn broken_off(&self, halt: Halt) -> Came {
        let text = "it was no longer wanted and did not stop";
        let failure = Failure::new(Fault::outcome_unknown("ABANDONED", text), None);
        match halt {
            Halt::TimeUp => Came::TimeUp(failure),
            Halt::Unwanted | Halt::Left | Halt::GoOn => Came::Stopped(Err(failure)),
        }
    }

    /// Asks what became of the attempt.
    async fn ask(&self) -> Probe {
        tokio::select! {
            biased;
            probe = self.agent.invoker.probe(self.attempt.clone()) => probe,
            () = sleep(PROBING) => Probe::Unknown,
        }
    }

    /// Holds a reply to the contract.
    fn hold(&self, reply: Reply) -> Result<Reply, Failure> {
        let Some(contract) = &self.agent.output else { return Ok(reply) };
        let what = format!("the output of {}", self.name.shown());
        match breach(contract.schema(), &reply.output, &what) {
            Ok(()) => Ok(reply),
            Err(fault) => {
                warn!(code = &*fault.code, "the output of the agent breaks its contract");
                let note = reply.note;
                Err(Failure { note, ..Failure::new(fault, Some(reply.cost)) })
            }
        }
    }
}

/// The calls that a run wants open.
pub(crate) fn wanted_calls(run: &Run) -> Vec<Call> {
    let next = run.program.as_ref().map(|program| program.decide());
    let Ok(Ok(Next::Open(wanted))) = next else { return Vec::new() };
    let calls = wanted.into_iter().filter_map(|activity| match activity {
        Activity::Call(call) => Some(call),
        Activity::Ask(_) | Activity::Timer(_) => None,
    });
    calls.collect()
}
