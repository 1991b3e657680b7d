//! Taking in the results of attempts, and settling attempts that were lost with their process.

use std::{collections::BTreeMap, time::Duration};

use super::{Came, Input, Planner};
use crate::{
    Data, Effect, Failure, Fault, FaultClass, Key, Nanos, Onward, Probe, Reply, Retry,
    attempt_task::wanted_calls,
    frame::{Open, Phase},
    journal::{AttemptFailed, AttemptLost, CallCancelled, CallCompleted, CallFailed, Paid},
};

/// An agent that hands a call over to itself without end is stopped here.
const MOST_HAND_OVERS: u32 = 32;

impl Planner<'_> {
    pub(super) fn take_in(&mut self, inputs: &[Input]) -> Result<(), Fault> {
        let failed = |input: &Input| matches!(input.came, Came::Finished(Err(_)));
        let tries = if inputs.iter().any(failed) { self.tries() } else { None };
        for Input { key, attempt, came } in inputs {
            // The call may have ended otherwise since: then its books are closed.
            let Some(reserved) = self.reserved(key, *attempt) else { continue };
            let (key, attempt) = (key.clone(), *attempt);
            match came {
                Came::Finished(Ok(reply)) => self.completed(key, attempt, reply, false)?,
                Came::Finished(Err(failure)) => {
                    // One that is no longer wanted is not tried again.
                    let retry = tries
                        .as_ref()
                        .map(|tries| tries.get(&key).cloned().unwrap_or(Retry::NEVER));
                    self.failed((key, attempt), failure, retry, reserved)?;
                }
                Came::Stopped(result) => {
                    let (cost, output, fault) = match result.clone() {
                        Ok(reply) => (Some(reply.cost), Some(reply.output), None),
                        Err(failure) => (failure.cost, None, Some(failure.fault)),
                    };
                    let paid = paid(cost, reserved);
                    self.note(CallCancelled { key, attempt, paid, output, fault })?;
                }
                Came::TimeUp(failure) => {
                    self.out_of_time(key, attempt, paid(failure.cost, reserved))?;
                }
                Came::Probed(Probe::Done(reply)) => self.completed(key, attempt, reply, true)?,
                // Taken in by `take_losses`.
                Came::Probed(Probe::NotDone | Probe::Unknown) => {}
            }
        }
        Ok(())
    }

    /// Takes in attempts whose process has died.
    pub(super) fn take_losses(&mut self) -> Result<(), Fault> {
        let live = self.ground.live;
        let lost = self.run.frame.open.iter().filter_map(|(key, open)| match open {
            Open::Call(call) => match call.phase {
                Phase::InFlight { reserved }
                    if live.get(key).is_none_or(|live| live.attempt != call.attempt) =>
                {
                    Some((key.clone(), call.clone(), reserved))
                }
                Phase::InFlight { .. }
                | Phase::Due { .. }
                | Phase::Unknown
                | Phase::Asked { .. }
                | Phase::Replied { .. }
                | Phase::Declined { .. } => None,
            },
            Open::Ask { .. } | Open::Timer { .. } => None,
        });
        let lost: Vec<_> = lost.collect();
        for (key, call, reserved) in lost {
            let (attempt, unknown) = (call.attempt, call.effect == Effect::Unsafe);
            let retry_at = rest(call.losses).map(|rest| self.ground.now + rest);
            let paid = paid(None, reserved);
            let (fault, used) = (None, None);
            self.note(AttemptLost { key, attempt, paid, fault, retry_at, unknown, used })?;
        }
        Ok(())
    }

    /// Takes in answers given from outside in place of an agent. What they cost is not known here.
    pub(super) fn take_replies(&mut self) -> Result<(), Fault> {
        let replied = self.run.frame.open.iter().filter_map(|(key, open)| match open {
            Open::Call(call) => match &call.phase {
                Phase::Replied { reserved, value } => {
                    Some((key.clone(), call.attempt, *reserved, Ok(value.clone())))
                }
                Phase::Declined { reserved, fault } => {
                    Some((key.clone(), call.attempt, *reserved, Err(fault.as_ref().clone())))
                }
                Phase::InFlight { .. }
                | Phase::Due { .. }
                | Phase::Unknown
                | Phase::Asked { .. } => None,
            },
            Open::Ask { .. } | Open::Timer { .. } => None,
        });
        let replied: Vec<_> = replied.collect();
        for (key, attempt, reserved, came) in replied {
            let paid = Paid { nanos: reserved, assumed: !reserved.is_zero() };
            match came {
                Ok(output) => {
                    let (probed, used) = (false, None);
                    self.note(CallCompleted { key, attempt, output, paid, probed, used })?;
                }
                Err(fault) => {
                    self.note(CallFailed { key, attempt, fault, paid, used: None })?;
                }
            }
        }
        Ok(())
    }

    fn completed(
        &mut self,
        key: Key,
        attempt: u32,
        reply: &Reply,
        probed: bool,
    ) -> Result<(), Fault> {
        let paid = Paid { nanos: reply.cost, assumed: false };
        let output = reply.output.clone();
        let used = reply.note.clone();
        self.note(CallCompleted { key, attempt, output, paid, probed, used }).map(|_| ())
    }

    fn failed(
        &mut self,
        (key, attempt): (Key, u32),
        failure: &Failure,
        retry: Option<Retry>,
        reserved: Nanos,
    ) -> Result<(), Fault> {
        let paid = paid(failure.cost, reserved);
        let (fault, used) = (failure.fault.clone(), failure.note.clone());
        let Some(Open::Call(call)) = self.run.frame.open.get(&key) else { return Ok(()) };
        let (effect, failures, hand_overs) = (call.effect, call.failures, call.hand_overs);
        let now = self.ground.now;
        let so_far = SoFar { effect, failures, hand_overs };
        let jitter = || self.jitter();
        let (retry_at, counts, handed, referred) =
            match after(failure, &so_far, retry.as_ref(), jitter) {
                After::HandOver(handed) => (now, false, Some(handed), false),
                After::Refer => (now, false, None, true),
                After::AskOutcome => {
                    let (fault, retry_at, unknown) = (Some(fault), None, true);
                    let lost = AttemptLost { key, attempt, paid, fault, retry_at, unknown, used };
                    return self.note(lost).map(|_| ());
                }
                After::Again(wait) => (now + wait, true, None, false),
                After::Over => {
                    return self.note(CallFailed { key, attempt, fault, paid, used }).map(|_| ());
                }
            };
        self.note(AttemptFailed {
            key,
            attempt,
            fault,
            paid,
            retry_at,
            counts,
            handed,
            referred,
            afresh: referred,
            used,
        })
        .map(|_| ())
    }

    /// It is not the attempt's failure, and does not count as a try.
    fn out_of_time(&mut self, key: Key, attempt: u32, paid: Paid) -> Result<(), Fault> {
        let Some(Open::Call(call)) = self.run.frame.open.get(&key) else { return Ok(()) };
        let unknown = call.effect == Effect::Unsafe;
        let text = "the run had worked for as long as it may";
        let fault = Some(Fault::outcome_unknown("LIMIT_TIME", text));
        let (retry_at, used) = (None, None);
        self.note(AttemptLost { key, attempt, paid, fault, retry_at, unknown, used }).map(|_| ())
    }

    /// What an attempt in flight holds back. `None` if it is not in flight.
    fn reserved(&self, key: &Key, attempt: u32) -> Option<Nanos> {
        match self.run.frame.open.get(key)? {
            Open::Call(call) if call.attempt == attempt => match call.phase {
                Phase::InFlight { reserved } => Some(reserved),
                Phase::Due { .. }
                | Phase::Unknown
                | Phase::Asked { .. }
                | Phase::Replied { .. }
                | Phase::Declined { .. } => None,
            },
            Open::Call(_) | Open::Ask { .. } | Open::Timer { .. } => None,
        }
    }

    /// How often the workflow wants each of its calls tried. `None` while it cannot be asked.
    fn tries(&self) -> Option<BTreeMap<Key, Retry>> {
        self.run.program.as_ref().ok()?.decide().ok()?;
        Some(wanted_calls(self.run).into_iter().map(|call| (call.key, call.retry)).collect())
    }

    fn jitter(&self) -> f64 {
        let mut random = [0; 4];
        self.ground.entropy.fill(&mut random);
        f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX)
    }
}

/// How far a call has come.
pub(crate) struct SoFar {
    pub(crate) effect: Effect,
    /// Attempts that count against the tries.
    pub(crate) failures: u32,
    pub(crate) hand_overs: u32,
}

/// What follows from a failed attempt.
pub(crate) enum After {
    /// Another attempt at once, with this.
    HandOver(Data),
    /// A person is asked for the result.
    Refer,
    /// A person is asked what became of it.
    AskOutcome,
    /// Another attempt after a wait.
    Again(Duration),
    Over,
}

/// What follows from a failed attempt. A broken workflow cannot say how often it wants the call tried; it will
/// once it is mended.
pub(crate) fn after(
    failure: &Failure,
    so_far: &SoFar,
    retry: Option<&Retry>,
    jitter: impl FnOnce() -> f64,
) -> After {
    match (&failure.onward, failure.fault.class) {
        (Onward::HandOver(handed), _) if so_far.hand_overs < MOST_HAND_OVERS => {
            After::HandOver(handed.clone())
        }
        (Onward::Refer, _) => After::Refer,
        (_, FaultClass::OutcomeUnknown) if so_far.effect == Effect::Unsafe => After::AskOutcome,
        (_, FaultClass::Transient | FaultClass::OutcomeUnknown)
            if retry.is_none_or(|retry| retry.allows(so_far.failures + 1, &failure.fault)) =>
        {
            let wait = retry.cloned().unwrap_or_default().wait(so_far.failures + 1, jitter());
            After::Again(wait.max(failure.fault.wait()))
        }
        (_, FaultClass::Permanent | FaultClass::Transient | FaultClass::OutcomeUnknown) => {
            After::Over
        }
    }
}

/// How long a call rests after it was lost, having been lost this often in a row before. A few times
/// may be chance; what kills its process each time must not do so for ever without a pause.
fn rest(losses: u32) -> Option<Duration> {
    const CHANCE: u32 = 5;
    const LONGEST: u64 = 60;
    let doubled = losses.checked_sub(CHANCE)?.min(6);
    Some(Duration::from_secs((1 << doubled).min(LONGEST)))
}

/// What was paid; where the cost is not known, all that was reserved.
pub(super) fn paid(cost: Option<Nanos>, reserved: Nanos) -> Paid {
    Paid { nanos: cost.unwrap_or(reserved), assumed: cost.is_none() }
}
