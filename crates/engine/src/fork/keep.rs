//! What a fork keeps of the events after the one at which it begins.
//!
//! The rest of the parent's journal is gone through in order. An event is taken if it belongs to something that
//! the state, as it is then, wants open; results reach the workflow as they did in the parent. Failures, expired
//! questions and the wish to cancel are left out, so that what failed is wanted still. What was stopped because
//! of the cancel is wanted still, too, wherever the fork begins.

use std::collections::{BTreeMap, BTreeSet};

use super::{Begin, impossible};
use crate::{
    Actor, Data, Effect, Fault, FaultClass, Key, Limits, Next, Outcome, RunId, Seq,
    frame::{Open, OpenCall, Phase},
    journal::{BegunCall, Body, CallCancelled, CallCompleted, Keeps, Paid, Record},
    refold::Refold,
    run::Run,
};

/// What a fork has learned of its parent while it went through the journal.
#[derive(Default)]
pub(super) struct Kept {
    /// The limits that the parent had in the end.
    raised: Option<Limits>,
    /// Calls that ended without a result: whether it is unknown what they did.
    ended: BTreeMap<Key, bool>,
    /// The first event that was taken and made the workflow fail.
    failed_at: Option<Seq>,
}

impl Kept {
    /// Takes an event up to the one at which the fork begins.
    pub(super) fn fold(
        &mut self,
        refold: &mut Refold<'_>,
        record: &Record,
        body: Body,
    ) -> Result<(), Fault> {
        if let (Body::CallCancelled(call), Ok(run)) = (&body, refold.run())
            && wanted_keys(run).contains(&call.key)
        {
            return match self.cancelled(run, call) {
                Some(completed) => refold.take(record, &completed),
                None => Ok(()),
            };
        }
        refold.take(record, &body)
    }

    /// Takes the next event after the one at which the fork begins, or leaves it out.
    pub(super) fn take(
        &mut self,
        refold: &mut Refold<'_>,
        record: &Record,
        body: Body,
        begin: &Begin,
    ) -> Result<(), Fault> {
        if let Body::Raised(raised) = &body {
            self.raised = Some(raised.limits.clone());
        }
        if begin.without.contains(&record.seq) {
            return Ok(());
        }
        let run = refold.run().map_err(impossible)?;
        let Some(body) = self.choose(run, body, begin.keeps) else { return Ok(()) };
        refold.take(record, &body)?;
        if self.failed_at.is_none() && refold.run().is_ok_and(|run| has_failed(run)) {
            self.failed_at = Some(record.seq);
        }
        Ok(())
    }

    /// The event that made the workflow fail, among those after the one at which the fork begins.
    pub(super) fn failed_at(&self) -> Option<Seq> {
        self.failed_at
    }

    /// What was answered in the place of an agent is a result, whether the parent has taken it in or not.
    pub(super) fn take_replies(&self, run: &mut Run) -> Result<(), Fault> {
        let replied = run.frame.open.iter().filter_map(|(key, open)| match open {
            Open::Call(call) => Some((key.clone(), call.attempt, replied(call)?)),
            Open::Ask { .. } | Open::Timer { .. } => None,
        });
        for (key, attempt, output) in replied.collect::<Vec<_>>() {
            run.apply(run.frame.at, &Actor::from("fork"), &completed(key, attempt, output))?;
        }
        Ok(())
    }

    /// The event as it is taken over, if it is.
    fn choose(&mut self, run: &Run, body: Body, keeps: Keeps) -> Option<Body> {
        let is_open = |key: &Key| run.frame.open.contains_key(key);
        let all = keeps == Keeps::Finished;
        let take = match &body {
            Body::CallStarted(call) => all && wants(run, &call.key),
            Body::TimerSet(timer) => all && wants(run, &timer.key),
            Body::Asked(ask) => {
                let own = is_open(&ask.key) || asks_outcome(run, &ask.key);
                own || all && wants(run, &ask.key)
            }
            Body::AttemptStarted(attempt) => is_open(&attempt.key),
            Body::AttemptFailed(attempt) => is_open(&attempt.key),
            Body::AttemptLost(attempt) => is_open(&attempt.key),
            Body::CallCompleted(call) => is_open(&call.key),
            Body::CallFailed(call) => {
                if is_open(&call.key) {
                    self.ended.insert(call.key.clone(), leaves_unknown(&call.fault));
                }
                false
            }
            Body::CallCancelled(call) if is_open(&call.key) => return self.cancelled(run, call),
            Body::Answered(answer) => {
                is_open(&answer.key) && (all || is_call(run, &answer.key)) && !self.failed(answer)
            }
            Body::Declined(_) | Body::AskExpired(_) => false,
            Body::AskWithdrawn(ask) => is_open(&ask.key),
            Body::TimerFired(timer) => is_open(&timer.key),
            Body::TimerDropped(timer) => is_open(&timer.key),
            Body::Raised(_) | Body::Advised(_) | Body::Signalled(_) => all,
            Body::Upgraded(_) => true,
            Body::CallCancelled(_)
            | Body::Created(_)
            | Body::CancelRequested(_)
            | Body::TimeSkipped(_)
            | Body::PointReached(_)
            | Body::Forked(_)
            | Body::Succeeded(_)
            | Body::Failed(_)
            | Body::Cancelled(_)
            | Body::Redacted(_) => false,
        };
        take.then_some(body)
    }

    /// A call that was stopped may have come to a result all the same: then it is finished.
    fn cancelled(&mut self, run: &Run, call: &CallCancelled) -> Option<Body> {
        let open = match run.frame.open.get(&call.key) {
            Some(Open::Call(open)) => Some(open),
            Some(Open::Ask { .. } | Open::Timer { .. }) | None => None,
        };
        if let Some(output) = call.output.clone().or_else(|| open.and_then(replied)) {
            return Some(completed(call.key.clone(), call.attempt, output));
        }
        let in_flight =
            open.is_some_and(|open| matches!(open.phase, Phase::InFlight { .. } | Phase::Unknown));
        let told = call.fault.as_ref().is_some_and(|fault| !leaves_unknown(fault));
        self.ended.insert(call.key.clone(), in_flight && !told);
        None
    }

    /// Whether a person said that a call has failed. That is known then, and it is made again.
    fn failed(&mut self, answer: &crate::journal::Answered) -> bool {
        let Some((of, _)) = answer.key.asks_outcome_of() else { return false };
        let told = answer.value.shown();
        let failed =
            told.get("outcome").and_then(consign_contracts::json::Json::as_str) == Some("failed");
        if failed {
            self.ended.insert(of, false);
        }
        failed
    }

    pub(super) fn limits(&self, run: &Run) -> Limits {
        self.raised.clone().unwrap_or_else(|| run.frame.limits.clone())
    }

    /// The calls that were begun, are wanted still and have no result.
    pub(super) fn begun(&self, run: &Run, parent: &RunId) -> BTreeMap<Key, BegunCall> {
        let wanted = wanted_keys(run);
        let open = run.frame.open.iter().filter_map(|(key, open)| match open {
            Open::Call(call) if wanted.contains(key) => Some((key, call)),
            Open::Call(_) | Open::Ask { .. } | Open::Timer { .. } => None,
        });
        let begun = open.map(|(key, call)| {
            let lost = matches!(call.phase, Phase::InFlight { .. } | Phase::Unknown);
            let lost = self.ended.get(key).copied().unwrap_or(lost);
            let origin = run.frame.origins.get(key).unwrap_or(parent).clone();
            let (effect, unknown) = (call.effect, lost && call.effect == Effect::Unsafe);
            (key.clone(), BegunCall { effect, origin, unknown })
        });
        begun.collect()
    }
}

/// Whether a call that failed so may have had its effect. One whose output breaks its contract has come to an end,
/// and what it did is not in its output.
fn leaves_unknown(fault: &Fault) -> bool {
    fault.class == FaultClass::OutcomeUnknown || fault.code == "CONTRACT_BREACH"
}

/// The answer from outside that stands in for the agent's output.
fn replied(call: &OpenCall) -> Option<Data> {
    match &call.phase {
        Phase::Replied { value, .. } => Some(value.clone()),
        Phase::InFlight { .. }
        | Phase::Due { .. }
        | Phase::Unknown
        | Phase::Asked { .. }
        | Phase::Declined { .. } => None,
    }
}

fn completed(key: Key, attempt: u32, output: Data) -> Body {
    let (paid, probed, used) = (Paid::default(), false, None);
    CallCompleted { key, attempt, output, paid, probed, used }.into()
}

fn has_failed(run: &Run) -> bool {
    let next = run.program.as_ref().map(|program| program.decide());
    matches!(next, Ok(Ok(Next::Finish(Outcome::Failed(_)))))
}

fn wanted_keys(run: &Run) -> BTreeSet<Key> {
    match run.program.as_ref().map(|program| program.decide()) {
        Ok(Ok(Next::Open(wanted))) => {
            wanted.into_iter().map(|activity| activity.key().clone()).collect()
        }
        Ok(Ok(Next::Finish(_)) | Err(_)) | Err(_) => BTreeSet::new(),
    }
}

fn wants(run: &Run, key: &Key) -> bool {
    !run.frame.open.contains_key(key) && wanted_keys(run).contains(key)
}

fn is_call(run: &Run, key: &Key) -> bool {
    let of = key.asks_outcome_of().map(|(of, _)| of);
    matches!(run.frame.open.get(of.as_ref().unwrap_or(key)), Some(Open::Call(_)))
}

/// Whether it asks what became of a call that is open here.
fn asks_outcome(run: &Run, key: &Key) -> bool {
    let Some((of, _)) = key.asks_outcome_of() else { return false };
    matches!(run.frame.open.get(&of), Some(Open::Call(call)) if call.phase == Phase::Unknown)
}
