//! What attempts came to, and what became of those nobody heard of.

use super::{Came, Input, Planner};
use crate::{
    Effect, Failure, Fault, FaultClass, Key, Nanos, Next, Probe, Reply, Retry,
    frame::{Open, Phase},
    journal::{AttemptFailed, AttemptLost, CallCancelled, CallCompleted, CallFailed, Paid},
};

impl Planner<'_> {
    pub(super) fn take_in(&mut self, inputs: &[Input]) -> Result<(), Fault> {
        for Input { key, attempt, came } in inputs {
            // The call may have ended otherwise since: then its books are closed.
            let Some(reserved) = self.reserved(key, *attempt) else { continue };
            let (key, attempt) = (key.clone(), *attempt);
            match came {
                Came::Finished(Ok(reply)) => self.completed(key, attempt, reply, false)?,
                Came::Finished(Err(failure)) => self.failed(key, attempt, failure, reserved)?,
                Came::Stopped(result) => {
                    let cost = match result {
                        Ok(reply) => Some(reply.cost),
                        Err(failure) => failure.cost,
                    };
                    let paid = paid(cost, reserved);
                    self.note(CallCancelled { key, attempt, paid })?;
                }
                Came::TimeUp(cost) => self.out_of_time(key, attempt, paid(*cost, reserved))?,
                Came::Probed(Probe::Done(reply)) => self.completed(key, attempt, reply, true)?,
                // Taken up with the losses.
                Came::Probed(Probe::NotDone | Probe::Unknown) => {}
            }
        }
        Ok(())
    }

    /// Attempts that were begun by a process that is no more.
    pub(super) fn take_losses(&mut self) -> Result<(), Fault> {
        let live = self.ground.live;
        let lost = self.run.frame.open.iter().filter_map(|(key, open)| match open {
            Open::Call(call) => match call.phase {
                Phase::InFlight { reserved }
                    if live.get(key).is_none_or(|live| live.attempt != call.attempt) =>
                {
                    Some((key.clone(), call.attempt, call.effect, reserved))
                }
                Phase::InFlight { .. } | Phase::Due { .. } | Phase::Unknown => None,
            },
            Open::Ask { .. } | Open::Timer { .. } => None,
        });
        let lost: Vec<_> = lost.collect();
        for (key, attempt, effect, reserved) in lost {
            let unknown = effect == Effect::Unsafe;
            let paid = paid(None, reserved);
            self.note(AttemptLost { key, attempt, paid, fault: None, unknown })?;
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
        self.note(CallCompleted { key, attempt, output, paid, probed }).map(|_| ())
    }

    fn failed(
        &mut self,
        key: Key,
        attempt: u32,
        failure: &Failure,
        reserved: Nanos,
    ) -> Result<(), Fault> {
        let paid = paid(failure.cost, reserved);
        let fault = failure.fault.clone();
        let Some(Open::Call(call)) = self.run.frame.open.get(&key) else { return Ok(()) };
        let (effect, failures) = (call.effect, call.failures);
        let now = self.ground.now;
        match fault.class {
            FaultClass::Permanent => {
                self.note(CallFailed { key, attempt, fault, paid })?;
            }
            FaultClass::OutcomeUnknown if effect == Effect::Unsafe => {
                let fault = Some(fault);
                self.note(AttemptLost { key, attempt, paid, fault, unknown: true })?;
            }
            FaultClass::Transient | FaultClass::OutcomeUnknown => {
                let retry = self.policy(&key);
                if failures + 1 >= retry.tries {
                    self.note(CallFailed { key, attempt, fault, paid })?;
                } else {
                    let wait = retry.wait(failures + 1, self.jitter()).max(fault.wait());
                    let retry_at = now + wait;
                    self.note(AttemptFailed { key, attempt, fault, paid, retry_at, counts: true })?;
                }
            }
        }
        Ok(())
    }

    /// It is not the attempt's failure, and does not count as a try.
    fn out_of_time(&mut self, key: Key, attempt: u32, paid: Paid) -> Result<(), Fault> {
        let Some(Open::Call(call)) = self.run.frame.open.get(&key) else { return Ok(()) };
        let unknown = call.effect == Effect::Unsafe;
        let text = "the run had worked for as long as it may";
        let fault = Some(Fault::outcome_unknown("LIMIT_TIME", text));
        self.note(AttemptLost { key, attempt, paid, fault, unknown }).map(|_| ())
    }

    /// What an attempt in flight holds back. `None` if it is not in flight.
    fn reserved(&self, key: &Key, attempt: u32) -> Option<Nanos> {
        match self.run.frame.open.get(key)? {
            Open::Call(call) if call.attempt == attempt => match call.phase {
                Phase::InFlight { reserved } => Some(reserved),
                Phase::Due { .. } | Phase::Unknown => None,
            },
            Open::Call(_) | Open::Ask { .. } | Open::Timer { .. } => None,
        }
    }

    /// How often the workflow wants a call tried. One that it no longer wants is not tried again.
    fn policy(&self, key: &Key) -> Retry {
        let wanted = match &self.run.program {
            Ok(program) => program.decide(),
            Err(fault) => Err(fault.clone()),
        };
        let Ok(Next::Open(wanted)) = wanted else { return Retry::NEVER };
        wanted
            .iter()
            .find_map(|activity| match activity {
                crate::Activity::Call(call) if call.key == *key => Some(call.retry),
                crate::Activity::Call(_) | crate::Activity::Ask(_) | crate::Activity::Timer(_) => {
                    None
                }
            })
            .unwrap_or(Retry::NEVER)
    }

    fn jitter(&self) -> f64 {
        let mut random = [0; 4];
        self.ground.entropy.fill(&mut random);
        f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX)
    }
}

/// What was paid; where nobody can tell, all that was held back.
pub(super) fn paid(cost: Option<Nanos>, reserved: Nanos) -> Paid {
    Paid { nanos: cost.unwrap_or(reserved), assumed: cost.is_none() }
}
