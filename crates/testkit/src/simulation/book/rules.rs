//! The rules of a book: how keys open and close, and how money moves.

use consign_engine::{
    Activity, At, Data, Fault, Happened, Key, Nanos, Next, Status, Work, Workflow as _,
    journal::Paid,
};
use serde::Deserialize;

use super::{Book, CallBook, Phase, hold};

/// What a person says of a call.
#[derive(Deserialize)]
struct Told {
    outcome: String,
    output: Option<Data>,
}

impl Book {
    pub(super) fn decide(&self) -> Next {
        self.programs.decide(&self.state)
    }

    pub(super) fn tell(&mut self, happened: &Happened<'_>) -> Result<(), String> {
        self.programs.evolve(&mut self.state, happened);
        Ok(())
    }

    pub(super) fn told(&mut self, of: &Key, at: At, value: &Data) -> Result<(), String> {
        let told: Told = value.to().map_err(|cause| cause.to_string())?;
        let call = self.call(of)?;
        hold!(call.phase == Phase::Unknown, "somebody says what became of {of}: {:?}", call.phase);
        if told.outcome == "not_done" {
            call.phase = Phase::Between(at);
            call.not_done += 1;
            return Ok(());
        }
        call.phase = Phase::Ended;
        call.failed += u32::from(told.outcome == "failed");
        if told.outcome == "done" {
            let output = told.output.unwrap_or_else(Data::null);
            return self.tell(&Happened::Completed {
                key: of,
                output: &output,
                work: Work::default(),
            });
        }
        let fault = Fault::permanent("OUTCOME_FAILED", "a person said so");
        self.tell(&Happened::Failed { key: of, fault: &fault, work: Work::default() })
    }

    pub(super) fn call(&mut self, key: &Key) -> Result<&mut CallBook, String> {
        self.calls.get_mut(key).ok_or_else(|| format!("{key} was never called"))
    }

    /// Somebody outside is to answer an attempt.
    pub(super) fn ask_outside(&mut self, key: &Key) -> Result<(), String> {
        let call = self.call(key)?;
        let Phase::InFlight(held) = call.phase else {
            return Err(format!("{key} is asked outside while {:?}", call.phase));
        };
        call.phase = Phase::Asked(held);
        Ok(())
    }

    /// Somebody outside has answered, or will not.
    pub(super) fn hear_outside(&mut self, key: &Key, said: Option<Data>) -> Result<(), String> {
        let call = self.call(key)?;
        let Phase::Asked(held) = call.phase else {
            return Err(format!("{key} is answered outside while {:?}", call.phase));
        };
        call.phase = said.map_or(Phase::Declined(held), |said| Phase::Replied(held, said));
        Ok(())
    }

    /// A key is opened once, when the workflow wants it.
    pub(super) fn open_key(&mut self, key: &Key, what: &str) -> Result<(), String> {
        hold!(!self.cancel, "{key} opens after the cancel");
        hold!(
            !self.state.has_ended(key) || self.used.contains(key),
            "{key} was finished before the fork, and is done again"
        );
        self.past_point(&format!("{key} opens"))?;
        hold!(self.used.insert(key.clone()), "{key} opens a second time");
        let Next::Open(wanted) = self.decide() else {
            return Err(format!("{key} opens when all is done"));
        };
        let wanted = wanted.iter().find(|activity| activity.key() == key).map(|it| match it {
            Activity::Call(_) => "call",
            Activity::Ask(_) => "ask",
            Activity::Timer(_) => "timer",
        });
        hold!(wanted == Some(what), "{key} opens as a {what}, and {wanted:?} is wanted");
        Ok(())
    }

    pub(super) fn close_ask(&mut self, key: &Key) -> Result<Option<At>, String> {
        let ask = self.asks.remove(key).ok_or_else(|| format!("{key} is not open"))?;
        Ok(ask.deadline)
    }

    /// A recovery point is written when the run comes to it, and only then.
    pub(super) fn reach(&mut self, point: String) -> Result<(), String> {
        hold!(!self.cancel, "point {point} is written after the cancel");
        let stands = self.programs.point(&self.state);
        hold!(stands.as_ref() == Some(&point), "point {point} is written at {stands:?}");
        hold!(self.point.as_ref() != Some(&point), "point {point} is written twice");
        self.point = Some(point);
        Ok(())
    }

    /// Nothing follows a recovery point before it is written.
    pub(super) fn past_point(&self, what: &str) -> Result<(), String> {
        match self.missing_point() {
            Some(point) => Err(format!("{what}, and its point {point} is not written")),
            None => Ok(()),
        }
    }

    /// A call is stopped. What it came to all the same is on record, also what somebody answered.
    pub(super) fn stop(&mut self, key: &Key, output: Option<Data>) -> Result<(), String> {
        let replied = match &self.call(key)?.phase {
            Phase::Replied(_, value) => Some(value.clone()),
            Phase::InFlight(_)
            | Phase::Asked(_)
            | Phase::Declined(_)
            | Phase::Between(_)
            | Phase::Unknown
            | Phase::Ended => None,
        };
        self.stopped.insert(key.clone(), output.or(replied));
        Ok(())
    }

    /// An attempt in flight comes to something.
    pub(super) fn land(
        &mut self,
        key: &Key,
        attempt: u32,
        paid: Paid,
        next: Phase,
    ) -> Result<(), String> {
        let call = self.call(key)?;
        let flying = matches!(call.phase, Phase::InFlight(_)) && call.attempt == attempt;
        hold!(flying, "attempt {attempt} of {key} ends while {} is {:?}", call.attempt, call.phase);
        self.settle(key, paid, next)
    }

    /// A call has come to something, by an attempt or by somebody outside.
    pub(super) fn finish(&mut self, key: &Key, attempt: u32, paid: Paid) -> Result<(), String> {
        let call = self.call(key)?;
        let outside =
            matches!(call.phase, Phase::Asked(_) | Phase::Replied(..) | Phase::Declined(_));
        if outside && call.attempt == attempt {
            return self.settle(key, paid, Phase::Ended);
        }
        self.land(key, attempt, paid, Phase::Ended)
    }

    /// A call is dropped, under way or not.
    pub(super) fn end(&mut self, key: &Key, paid: Paid) -> Result<(), String> {
        hold!(self.call(key)?.phase != Phase::Ended, "{key} ends a second time");
        self.settle(key, paid, Phase::Ended)
    }

    pub(super) fn reserve(&mut self, nanos: Nanos) -> Result<(), String> {
        self.reserved = self.reserved + nanos;
        self.attempts += 1;
        let within = self.limits.calls.is_none_or(|most| self.attempts <= most);
        hold!(within, "attempt {} is one too many", self.attempts);
        Ok(())
    }

    pub(super) fn settle(&mut self, key: &Key, paid: Paid, next: Phase) -> Result<(), String> {
        let call = self.call(key)?;
        let unmetered = call.unmetered;
        let held = match std::mem::replace(&mut call.phase, next) {
            Phase::InFlight(held)
            | Phase::Asked(held)
            | Phase::Replied(held, _)
            | Phase::Declined(held) => held,
            Phase::Between(_) | Phase::Unknown | Phase::Ended => Nanos::ZERO,
        };
        hold!(unmetered || paid.nanos <= held, "{key} costs more than was held back");
        hold!(!paid.assumed || paid.nanos == held, "{key} is assumed to cost something else");
        self.reserved = self.reserved.minus(held);
        self.spent = self.spent + paid.nanos;
        if unmetered {
            self.loose = self.loose + paid.nanos;
        }
        Ok(())
    }

    pub(super) fn close(&mut self, status: Status) -> Result<(), String> {
        let open = self.calls.iter().find(|(_, call)| call.phase != Phase::Ended);
        hold!(open.is_none(), "the run closes, and {:?} is open", open.map(|(key, _)| key));
        hold!(self.reserved.is_zero(), "the run closes, and ${} is held back", self.reserved);
        self.asks.clear();
        self.closed = Some(status);
        Ok(())
    }
}
