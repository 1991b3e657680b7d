//! The engine's part of a run's state: what is open, what is used, what is allowed.
//!
//! [`Frame::apply`] is the only way it changes, and it takes nothing but events: refolding a journal
//! always gives the same frame. What the workflow is to hear of an event comes back from it.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    Actor, At, Data, Effect, Fault, Key, Limits, Nanos, Owner, Status, Usage, Version,
    journal::{Body, Created, Paid},
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Frame {
    pub(crate) workflow: String,
    pub(crate) version: Version,
    pub(crate) owner: Owner,
    pub(crate) limits: Limits,
    pub(crate) usage: Usage,
    pub(crate) open: BTreeMap<Key, Open>,
    /// Who wants it cancelled, and why.
    pub(crate) cancel: Option<(Actor, Option<String>)>,
    pub(crate) closed: Option<Status>,
    /// The instant of the newest event.
    pub(crate) at: At,
    /// Whose events are counted as work, and up to which instant. When another worker goes on, what
    /// passed in between was nobody's.
    holder: Option<Actor>,
    counted: At,
}

/// An activity that has not ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Open {
    Call(OpenCall),
    Ask {
        deadline: Option<At>,
        /// The code of what made the engine ask.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<Cow<'static, str>>,
    },
    Timer {
        fires_at: At,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct OpenCall {
    /// As it was when the call began: a newer program may think otherwise.
    pub(crate) effect: Effect,
    pub(crate) attempt: u32,
    /// Attempts that count against the tries.
    pub(crate) failures: u32,
    pub(crate) phase: Phase,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    InFlight {
        reserved: Nanos,
    },
    /// The next attempt may begin then.
    Due {
        at: At,
    },
    /// Nobody knows what the last attempt did; somebody is asked.
    Unknown,
}

/// What the workflow is to hear.
#[derive(Clone, Debug)]
pub(crate) enum News {
    Completed(Key, Data),
    Failed(Key, Fault),
    Answered(Key, Data),
    Fired(Key),
    Advice(String),
    Raised(Limits),
    Cancel,
}

/// What a person says of a call whose outcome nobody knows.
#[derive(Deserialize)]
struct Told {
    outcome: Outcome,
    output: Option<Data>,
    message: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Done,
    NotDone,
    Failed,
}

impl Frame {
    pub(crate) fn new(created: &Created, at: At) -> Self {
        Self {
            workflow: created.workflow.clone(),
            version: created.version,
            owner: created.owner.clone(),
            limits: created.limits.clone(),
            usage: Usage::default(),
            open: BTreeMap::new(),
            cancel: None,
            closed: None,
            at,
            holder: None,
            counted: at,
        }
    }

    /// Takes in an event. The error is for journals that cannot be: an event about nothing.
    pub(crate) fn apply(
        &mut self,
        at: At,
        actor: &Actor,
        body: &Body,
    ) -> Result<Option<News>, Fault> {
        if !body.is_delivered() {
            self.usage.active = Some(self.active(at, actor));
            self.counted = at;
            if self.holder.as_ref() != Some(actor) {
                self.holder = Some(actor.clone());
            }
        }
        self.at = at;
        match body {
            Body::Created(_) => return Err(impossible("a run is created once")),
            Body::CallStarted(call) => {
                let phase = Phase::InFlight { reserved: call.reserved };
                let open = OpenCall { effect: call.effect, attempt: 1, failures: 0, phase };
                self.open(&call.key, Open::Call(open))?;
                self.begin(call.reserved);
            }
            Body::AttemptStarted(attempt) => {
                let call = self.call(&attempt.key)?;
                call.attempt = attempt.attempt;
                call.phase = Phase::InFlight { reserved: attempt.reserved };
                self.begin(attempt.reserved);
            }
            Body::AttemptFailed(attempt) => {
                self.settle(&attempt.key, attempt.paid)?;
                let call = self.call(&attempt.key)?;
                call.failures += u32::from(attempt.counts);
                call.phase = Phase::Due { at: attempt.retry_at };
            }
            Body::AttemptLost(attempt) => {
                self.settle(&attempt.key, attempt.paid)?;
                let call = self.call(&attempt.key)?;
                call.phase = if attempt.unknown { Phase::Unknown } else { Phase::Due { at } };
            }
            Body::CallCompleted(call) => {
                self.settle(&call.key, call.paid)?;
                self.close(&call.key)?;
                return Ok(Some(News::Completed(call.key.clone(), call.output.clone())));
            }
            Body::CallFailed(call) => {
                // A call may fail before it could begin.
                if call.attempt > 0 {
                    self.settle(&call.key, call.paid)?;
                    self.close(&call.key)?;
                }
                return Ok(Some(News::Failed(call.key.clone(), call.fault.clone())));
            }
            Body::CallCancelled(call) => {
                self.settle(&call.key, call.paid)?;
                self.close(&call.key)?;
            }
            Body::Asked(ask) => {
                let about = ask.about.as_ref().map(|fault| fault.code.clone());
                self.open(&ask.key, Open::Ask { deadline: ask.deadline, about })?;
            }
            Body::Answered(answer) => {
                self.close(&answer.key)?;
                return self.answered(at, &answer.key, &answer.value);
            }
            Body::AskExpired(ask) => {
                self.close(&ask.key)?;
                let fault = Fault::permanent("DEADLINE_PASSED", "nobody answered in time");
                return Ok(Some(News::Failed(ask.key.clone(), fault)));
            }
            Body::AskWithdrawn(ask) => self.close(&ask.key)?,
            Body::TimerSet(timer) => {
                self.open(&timer.key, Open::Timer { fires_at: timer.fires_at })?;
            }
            Body::TimerFired(timer) => {
                self.close(&timer.key)?;
                return Ok(Some(News::Fired(timer.key.clone())));
            }
            Body::TimerDropped(timer) => self.close(&timer.key)?,
            Body::Raised(raised) => {
                self.limits = raised.limits.clone();
                self.open.remove(&Key::limit());
                return Ok(Some(News::Raised(raised.limits.clone())));
            }
            Body::Advised(advice) => return Ok(Some(News::Advice(advice.text.clone()))),
            Body::CancelRequested(wish) => {
                self.cancel.get_or_insert((actor.clone(), wish.reason.clone()));
                return Ok(Some(News::Cancel));
            }
            Body::Upgraded(upgraded) => self.version = upgraded.to,
            Body::Succeeded(_) => self.closed = Some(Status::Succeeded),
            Body::Failed(_) => self.closed = Some(Status::Failed),
            Body::Cancelled(_) => self.closed = Some(Status::Cancelled),
        }
        Ok(None)
    }

    /// An answer to the engine's own questions means something for the call that it asked about.
    fn answered(&mut self, at: At, key: &Key, value: &Data) -> Result<Option<News>, Fault> {
        let Some(of) = key.asks_outcome_of() else {
            return Ok((!key.is_engines()).then(|| News::Answered(key.clone(), value.clone())));
        };
        // The call may have ended otherwise while somebody was asked.
        let Some(Open::Call(OpenCall { phase: Phase::Unknown, .. })) = self.open.get(&of) else {
            return Ok(None);
        };
        let told: Told = value.to().map_err(|cause| impossible(&cause.to_string()))?;
        match told.outcome {
            Outcome::NotDone => {
                self.call(&of)?.phase = Phase::Due { at };
                Ok(None)
            }
            Outcome::Done => {
                self.close(&of)?;
                Ok(Some(News::Completed(of, told.output.unwrap_or_else(Data::null))))
            }
            Outcome::Failed => {
                self.close(&of)?;
                let message =
                    told.message.unwrap_or_else(|| "a person said that it failed".to_owned());
                Ok(Some(News::Failed(of, Fault::permanent("OUTCOME_FAILED", message))))
            }
        }
    }

    /// Time with something under way, were it now and this worker at it.
    pub(crate) fn active(&self, now: At, actor: &Actor) -> Duration {
        let before = self.usage.active.unwrap_or_default();
        let at_it = self.holder.as_ref() == Some(actor) && self.is_active();
        if at_it { before + now.since(self.counted) } else { before }
    }

    fn is_active(&self) -> bool {
        self.open.values().any(|open| match open {
            Open::Call(call) => matches!(call.phase, Phase::InFlight { .. }),
            Open::Ask { .. } | Open::Timer { .. } => false,
        })
    }

    fn begin(&mut self, reserved: Nanos) {
        self.usage.reserved = self.usage.reserved + reserved;
        self.usage.calls += 1;
    }

    fn settle(&mut self, key: &Key, paid: Paid) -> Result<(), Fault> {
        if let Phase::InFlight { reserved } = self.call(key)?.phase {
            self.usage.reserved = self.usage.reserved.minus(reserved);
        }
        self.usage.spent = self.usage.spent + paid.nanos;
        Ok(())
    }

    fn call(&mut self, key: &Key) -> Result<&mut OpenCall, Fault> {
        match self.open.get_mut(key) {
            Some(Open::Call(call)) => Ok(call),
            Some(Open::Ask { .. } | Open::Timer { .. }) | None => {
                Err(impossible(&format!("no call {key} is open")))
            }
        }
    }

    fn open(&mut self, key: &Key, what: Open) -> Result<(), Fault> {
        match self.open.insert(key.clone(), what) {
            None => Ok(()),
            Some(_) => Err(impossible(&format!("{key} is open already"))),
        }
    }

    fn close(&mut self, key: &Key) -> Result<(), Fault> {
        let closed = self.open.remove(key);
        closed.map(|_| ()).ok_or_else(|| impossible(&format!("{key} is not open")))
    }
}

fn impossible(what: &str) -> Fault {
    Fault::permanent("JOURNAL_INVALID", what)
}
