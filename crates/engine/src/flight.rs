//! One attempt on its way: called, watched, timed, and held to its contract when it is back.

use std::time::Duration;

use tokio::{sync::watch, time::sleep};

use crate::{
    Activity, Agent, Attempt, Call, Effect, Failure, Fault, FaultClass, Next, Probe, Reply, RunId,
    plan::{Came, Input, LIMIT_TIME, breach},
    run::Run,
};

/// How long an attempt that is told to stop may take to do so.
const STOPPING: Duration = Duration::from_secs(10);
/// How long the other side may take to say what became of an attempt.
const PROBING: Duration = Duration::from_secs(30);

pub(crate) struct Flight {
    pub(crate) run: RunId,
    pub(crate) agent: Agent,
    pub(crate) call: Call,
    pub(crate) attempt: u32,
    pub(crate) timeout: Duration,
    /// It is the run's own limit that the timeout comes from.
    pub(crate) clipped: bool,
    pub(crate) cancelled: watch::Receiver<bool>,
}

impl Flight {
    pub(crate) async fn fly(self) -> Input {
        let (key, attempt) = (self.call.key.clone(), self.attempt);
        let came = self.came().await;
        Input { key, attempt, came }
    }

    async fn came(self) -> Came {
        let attempt = Attempt {
            run: self.run.clone(),
            key: self.call.key.clone(),
            number: self.attempt,
            input: self.call.input.clone(),
            cancel: self.cancelled.clone(),
        };
        let cancelled = attempt.clone();
        let mut work = self.agent.invoker.invoke(attempt);
        let result = tokio::select! {
            biased;
            result = &mut work => result,
            () = cancelled.cancelled() => {
                return Came::Stopped(tokio::select! {
                    biased;
                    result = work => result,
                    () = sleep(STOPPING) => Err(Failure {
                        fault: Fault::outcome_unknown("ABANDONED", "the agent did not stop"),
                        cost: None,
                    }),
                });
            }
            () = sleep(self.timeout) => Err(Failure { fault: self.too_long(), cost: None }),
        };
        // It may have heard of it before we did.
        if *self.cancelled.borrow() {
            return Came::Stopped(result);
        }
        Came::Finished(self.settled(result).await)
    }

    fn too_long(&self) -> Fault {
        let text = format!("no answer within {:?}", self.timeout);
        let code = if self.clipped { LIMIT_TIME } else { "TIMEOUT" };
        Fault::outcome_unknown(code, text)
    }

    /// The result, held to the contract; where nobody knows it, the other side is asked if it can be.
    async fn settled(&self, result: Result<Reply, Failure>) -> Result<Reply, Failure> {
        let reply = match result {
            Ok(reply) => reply,
            Err(failure) => {
                let unknown = failure.fault.class == FaultClass::OutcomeUnknown;
                if !unknown || self.agent.effect != Effect::Keyed {
                    return Err(failure);
                }
                match probe(&self.agent, &self.run, &self.call, self.attempt).await {
                    Probe::Done(reply) => reply,
                    Probe::NotDone | Probe::Unknown => return Err(failure),
                }
            }
        };
        if let Some(schema) = &self.agent.output
            && let Err(fault) =
                breach(schema, &reply.output, &format!("the output of {}", self.call.agent))
        {
            return Err(Failure { fault, cost: Some(reply.cost) });
        }
        Ok(reply)
    }
}

/// Asks what became of an attempt.
pub(crate) async fn probe(agent: &Agent, run: &RunId, call: &Call, attempt: u32) -> Probe {
    let (_keep, cancel) = watch::channel(false);
    let attempt = Attempt {
        run: run.clone(),
        key: call.key.clone(),
        number: attempt,
        input: call.input.clone(),
        cancel,
    };
    tokio::select! {
        biased;
        probe = agent.invoker.probe(attempt) => probe,
        () = sleep(PROBING) => Probe::Unknown,
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
