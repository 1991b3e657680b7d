//! Folds one run from its journal a second time, by independent rules.
//!
//! Everything that may not be is refused here: a step about nothing, a second end of a call, an
//! early deadline, money from nowhere. It knows no more of the engine than the words of the journal.
//! The book of a fork begins with what the journal of its parent comes to ([`fork`]).

mod fork;
mod rules;
mod views;

use std::collections::{BTreeMap, BTreeSet};

use consign_engine::{
    At, Data, Effect, Fault, Happened, Key, Limits, Nanos, Next, Outcome, RunId, Seq, Signal,
    Status, Work, Workflow as _,
    journal::{Body, Chain, Hash, Record},
};

pub(in crate::simulation) use self::fork::{Inherited, Place};

use crate::simulation::program::{Programs, State};

/// Fails with a sentence unless something holds.
macro_rules! hold {
    ($what:expr, $($words:tt)+) => {
        if !$what {
            return Err(format!($($words)+));
        }
    };
}
pub(in crate::simulation) use hold;

#[derive(Clone)]
pub(in crate::simulation) struct Book {
    run: RunId,
    programs: Programs,
    state: State,
    chain: Chain,
    /// The recovery point that was written last.
    point: Option<String>,
    /// The runs under whose names the other side knows calls that this one did not begin.
    origins: BTreeMap<Key, RunId>,
    pub(in crate::simulation) limits: Limits,
    pub(in crate::simulation) spent: Nanos,
    pub(in crate::simulation) reserved: Nanos,
    /// What was paid to those who cannot say what they cost at most.
    loose: Nanos,
    attempts: u64,
    pub(in crate::simulation) calls: BTreeMap<Key, CallBook>,
    /// Open asks.
    pub(in crate::simulation) asks: BTreeMap<Key, AskBook>,
    timers: BTreeMap<Key, At>,
    /// The workflow's keys that were ever open.
    used: BTreeSet<Key>,
    /// Calls that were stopped, and what they had come to.
    stopped: BTreeMap<Key, Option<Data>>,
    pub(in crate::simulation) cancel: bool,
    pub(in crate::simulation) closed: Option<Status>,
}

#[derive(Clone)]
pub(in crate::simulation) struct CallBook {
    pub(in crate::simulation) effect: Effect,
    pub(in crate::simulation) attempt: u32,
    pub(in crate::simulation) phase: Phase,
    /// How often a person said that it was not done, or that it failed.
    pub(in crate::simulation) not_done: u32,
    pub(in crate::simulation) failed: u32,
    unmetered: bool,
}

#[derive(Clone)]
pub(in crate::simulation) struct AskBook {
    /// Until when it can be answered.
    deadline: Option<At>,
    /// The code of what made the engine ask.
    about: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::simulation) enum Phase {
    InFlight(Nanos),
    /// Somebody outside is to answer, or has: with this, or that nothing will come.
    Asked(Nanos),
    Replied(Nanos, Data),
    Declined(Nanos),
    Between(At),
    Unknown,
    Ended,
}

impl Book {
    pub(in crate::simulation) fn open(programs: &Programs, first: &Record) -> Result<Self, String> {
        let Some(Body::Created(created)) = first.body()? else {
            return Err("a journal does not begin with `created`".to_owned());
        };
        let state = programs.start(&created.input).map_err(|fault| fault.to_string())?;
        let mut chain = Chain::default();
        chain.take(first).map_err(|broken| broken.to_string())?;
        Ok(Self {
            run: created.run,
            programs: programs.clone(),
            state,
            chain,
            point: None,
            origins: BTreeMap::new(),
            limits: created.limits,
            spent: Nanos::ZERO,
            reserved: Nanos::ZERO,
            loose: Nanos::ZERO,
            attempts: 0,
            calls: BTreeMap::new(),
            asks: BTreeMap::new(),
            timers: BTreeMap::new(),
            used: BTreeSet::new(),
            stopped: BTreeMap::new(),
            cancel: false,
            closed: None,
        })
    }

    pub(in crate::simulation) fn head(&self) -> Option<(Seq, Hash)> {
        self.chain.head()
    }

    /// Takes the next event. `replied` says whether an agent gave this output in this attempt.
    pub(in crate::simulation) fn take(
        &mut self,
        record: &Record,
        replied: impl Fn(&Key, u32, &Data) -> bool,
    ) -> Result<(), String> {
        hold!(self.closed.is_none(), "{} follows the end", record.kind);
        self.chain.take(record).map_err(|broken| broken.to_string())?;
        let at = record.at;
        match record.body()?.ok_or("an event without a body")? {
            Body::Created(_) => Err("it is created twice".to_owned()),
            Body::CallStarted(call) => {
                self.open_key(&call.key, "call")?;
                self.reserve(call.reserved)?;
                let book = CallBook {
                    effect: call.effect,
                    attempt: 1,
                    phase: Phase::InFlight(call.reserved),
                    not_done: 0,
                    failed: 0,
                    unmetered: call.unmetered,
                };
                self.calls.insert(call.key, book);
                Ok(())
            }
            Body::AttemptStarted(attempt) => {
                hold!(!self.cancel, "an attempt of {} begins after the cancel", attempt.key);
                let call = self.call(&attempt.key)?;
                let due = matches!(call.phase, Phase::Between(due) if due <= at);
                hold!(due, "an attempt of {} begins while {:?}", attempt.key, call.phase);
                hold!(attempt.attempt == call.attempt + 1, "{} skips an attempt", attempt.key);
                call.attempt = attempt.attempt;
                call.unmetered = attempt.unmetered;
                call.phase = Phase::InFlight(attempt.reserved);
                self.reserve(attempt.reserved)
            }
            Body::AttemptFailed(attempt) => {
                let due = Phase::Between(attempt.retry_at);
                let next = if attempt.referred { Phase::Unknown } else { due };
                self.land(&attempt.key, attempt.attempt, attempt.paid, next)
            }
            Body::AttemptLost(attempt) => {
                let risky = self.call(&attempt.key)?.effect == Effect::Unsafe;
                hold!(attempt.unknown == risky, "{} is lost the wrong way", attempt.key);
                let due = Phase::Between(attempt.retry_at.unwrap_or(at));
                let next = if attempt.unknown { Phase::Unknown } else { due };
                self.land(&attempt.key, attempt.attempt, attempt.paid, next)
            }
            Body::CallCompleted(call) => {
                let known = match &self.call(&call.key)?.phase {
                    Phase::Replied(_, output) => *output == call.output,
                    Phase::Asked(_) | Phase::Declined(_) => false,
                    Phase::InFlight(_) | Phase::Between(_) | Phase::Unknown | Phase::Ended => {
                        replied(&call.key, call.attempt, &call.output)
                    }
                };
                hold!(known, "{} completes with what nobody replied", call.key);
                self.finish(&call.key, call.attempt, call.paid)?;
                self.tell(&Happened::Completed {
                    key: &call.key,
                    output: &call.output,
                    work: Work::default(),
                })
            }
            Body::CallFailed(call) => {
                if let Phase::Asked(_) = self.call(&call.key)?.phase {
                    let late = self.close_ask(&call.key)?.is_some_and(|deadline| deadline <= at);
                    hold!(late, "{} fails, and can still be answered", call.key);
                }
                self.finish(&call.key, call.attempt, call.paid)?;
                self.tell(&Happened::Failed {
                    key: &call.key,
                    fault: &call.fault,
                    work: Work::default(),
                })
            }
            Body::CallCancelled(call) => {
                if let Phase::Asked(_) = self.call(&call.key)?.phase {
                    self.close_ask(&call.key)?;
                }
                self.stop(&call.key, call.output)?;
                self.end(&call.key, call.paid)
            }
            Body::Asked(ask) => {
                if ask.key.is_engines() {
                    hold!(self.used.insert(ask.key.clone()), "{} is asked again", ask.key);
                } else if ask.agent.is_some() {
                    self.ask_outside(&ask.key)?;
                } else {
                    self.open_key(&ask.key, "ask")?;
                }
                let about = ask.about.as_ref().map(|fault| fault.code.to_string());
                let book = AskBook { deadline: ask.deadline, about };
                let before = self.asks.insert(ask.key.clone(), book);
                hold!(before.is_none(), "{} is asked twice", ask.key);
                hold!(!ask.key.is_stuck(), "the run is stuck: {:?}", ask.about);
                Ok(())
            }
            Body::Answered(answer) => {
                let key = &answer.key;
                let deadline = self.close_ask(key)?;
                let in_time = deadline.is_none_or(|deadline| at < deadline);
                hold!(
                    in_time != answer.by_default,
                    "{key} is answered on the wrong side of its deadline"
                );
                match outcome_of(key) {
                    Some(of) => self.told(&of, at, &answer.value),
                    None if self.calls.contains_key(key) => {
                        self.hear_outside(key, Some(answer.value.clone()))
                    }
                    None if key.is_engines() => Ok(()),
                    None => self.tell(&Happened::Answered {
                        key,
                        value: &answer.value,
                        at: At::default(),
                        by: None,
                    }),
                }
            }
            Body::Declined(answer) => {
                let deadline = self.close_ask(&answer.key)?;
                let in_time = deadline.is_none_or(|deadline| at < deadline);
                hold!(in_time, "{} is declined after its deadline", answer.key);
                self.hear_outside(&answer.key, None)
            }
            Body::AskExpired(ask) => {
                let deadline = self.close_ask(&ask.key)?;
                hold!(deadline.is_some_and(|deadline| deadline <= at), "{} expires early", ask.key);
                let fault = Fault::permanent("DEADLINE_PASSED", "nobody answered");
                self.tell(&Happened::Failed { key: &ask.key, fault: &fault, work: Work::default() })
            }
            Body::AskWithdrawn(ask) => self.close_ask(&ask.key).map(|_| ()),
            Body::TimerSet(timer) => {
                self.open_key(&timer.key, "timer")?;
                self.timers.insert(timer.key, timer.fires_at);
                Ok(())
            }
            Body::TimerFired(timer) => {
                let due = self.timers.remove(&timer.key);
                hold!(due.is_some_and(|due| due <= at), "{} fires early", timer.key);
                self.tell(&Happened::Fired { key: &timer.key })
            }
            Body::TimerDropped(timer) => {
                hold!(self.timers.remove(&timer.key).is_some(), "{} is not set", timer.key);
                Ok(())
            }
            Body::Raised(raised) => {
                let higher = raised.limits.cost >= self.limits.cost
                    && raised.limits.calls >= self.limits.calls
                    && raised.limits.active >= self.limits.active;
                hold!(higher, "the limits are lowered");
                self.limits = raised.limits.clone();
                self.asks.retain(|key, _| !key.asks_for_limit());
                self.tell(&Happened::Signalled(Signal::Raised(&raised.limits)))
            }
            Body::Advised(advice) => self.tell(&Happened::Signalled(Signal::Advice(&advice.text))),
            Body::Signalled(signal) => {
                let (name, value) = (signal.name.as_str(), &signal.value);
                let by = &consign_engine::Actor::from("outside");
                let at = At::default();
                self.tell(&Happened::Signalled(Signal::Named { name, value, at, by }))
            }
            Body::CancelRequested(_) => {
                self.cancel = true;
                self.tell(&Happened::Signalled(Signal::Cancel))
            }
            Body::TimeSkipped(_) => {
                hold!(self.in_flight(), "a clock jumps for nobody");
                Ok(())
            }
            Body::Upgraded(_) => Err("there is no other version".to_owned()),
            Body::PointReached(reached) => self.reach(reached.point),
            Body::Forked(_) => Err("it is forked in the middle".to_owned()),
            Body::Succeeded(end) => {
                let same = matches!(self.decide(), Next::Finish(Outcome::Succeeded(output)) if output == end.output);
                hold!(same, "the output is not what the results come to: {:?}", end.output);
                self.past_point("the run ends")?;
                self.close(Status::Succeeded)
            }
            Body::Failed(end) => {
                let same = matches!(self.decide(), Next::Finish(Outcome::Failed(fault)) if fault.code == end.fault.code);
                hold!(same, "the run fails of something else: {}", end.fault);
                self.past_point("the run ends")?;
                self.close(Status::Failed)
            }
            Body::Redacted(_) => Err("nobody redacts it".to_owned()),
            Body::Cancelled(_) => {
                hold!(self.cancel, "it is cancelled, and nobody asked for it");
                self.close(Status::Cancelled)
            }
        }
    }
}

/// The call that the engine asks about under this key.
pub(in crate::simulation) fn outcome_of(key: &Key) -> Option<Key> {
    key.asks_outcome_of().map(|(of, _)| of)
}
