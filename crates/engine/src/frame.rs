//! The engine's part of a run's state: what is open, what is used, what is allowed.
//!
//! [`Frame::apply`] is the only way it changes, and it takes nothing but events: refolding a journal
//! always gives the same frame. What the workflow is to hear of an event comes back from it.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    Actor, At, Data, Effect, Fault, Key, Limits, Nanos, Owner, RunId, Settings, Status, Usage,
    Version, Work,
    journal::{Body, Created, Forked, Paid},
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Frame {
    pub(crate) workflow: String,
    pub(crate) version: Version,
    pub(crate) owner: Owner,
    pub(crate) limits: Limits,
    #[serde(default, skip_serializing_if = "Settings::is_none")]
    pub(crate) settings: Settings,
    pub(crate) usage: Usage,
    pub(crate) open: BTreeMap<Key, Open>,
    /// How many questions of its own the engine has asked: each has its own key.
    #[serde(default)]
    pub(crate) questions: u32,
    /// The recovery point that was reached last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) point: Option<String>,
    /// Calls that another run began, and the run under whose name the other side knows each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) origins: BTreeMap<Key, RunId>,
    /// The actor who wants the run cancelled, and why.
    pub(crate) cancel: Option<(Actor, Option<String>)>,
    pub(crate) closed: Option<Status>,
    /// The instant of the newest event.
    pub(crate) at: At,
    /// Whose events are counted as work, and up to which instant. When another worker goes on, the time in
    /// between does not count.
    holder: Option<Actor>,
    pub(crate) counted: At,
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
    /// The effect that the agent had when the call began: a newer program may declare another.
    pub(crate) effect: Effect,
    pub(crate) attempt: u32,
    /// Attempts that count against the tries.
    pub(crate) failures: u32,
    /// What the last attempt left for the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) handed: Option<Data>,
    /// How many attempts have handed over to the next.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) hand_overs: u32,
    /// Attempts in a row that ended with the process that made them.
    #[serde(default)]
    pub(crate) losses: u32,
    /// Why the outcome of the last attempt is unknown, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lost: Option<Fault>,
    /// When it was opened. Snapshots from before this field existed do not have it.
    #[serde(default)]
    pub(crate) began: At,
    /// Requests to models so far.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) model_calls: u32,
    /// What its attempts cost so far, and how much of that is assumed.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub(crate) spent: Nanos,
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub(crate) assumed: Nanos,
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
    /// The outcome of the last attempt, or what to do next, is unknown; a person is asked.
    Unknown,
    /// An answer from outside is waited for.
    Asked {
        reserved: Nanos,
        deadline: Option<At>,
    },
    /// An answer from outside has come; the next holder of the run settles it.
    Replied {
        reserved: Nanos,
        value: Data,
    },
    /// The answer from outside was declined; the next holder of the run settles it.
    Declined {
        reserved: Nanos,
        fault: Box<Fault>,
    },
}

impl OpenCall {
    fn new(effect: Effect, began: At, phase: Phase) -> Self {
        Self {
            effect,
            attempt: 1,
            failures: 0,
            handed: None,
            hand_overs: 0,
            losses: 0,
            lost: None,
            began,
            model_calls: 0,
            spent: Nanos::ZERO,
            assumed: Nanos::ZERO,
            phase,
        }
    }
}

impl Phase {
    /// What is held back for it.
    pub(crate) fn reserved(&self) -> Nanos {
        match self {
            Self::InFlight { reserved }
            | Self::Asked { reserved, .. }
            | Self::Replied { reserved, .. }
            | Self::Declined { reserved, .. } => *reserved,
            Self::Due { .. } | Self::Unknown => Nanos::ZERO,
        }
    }
}

/// What the workflow is told of an event.
#[derive(Clone, Debug)]
pub(crate) enum News {
    Completed(Key, Data, Work),
    Failed(Key, Fault, Work),
    Answered(Key, Data, At, Option<Actor>),
    Fired(Key),
    Advice(String),
    Signalled(String, Data, At, Actor),
    Raised(Limits),
    Cancel,
}

/// What a person says of a call whose outcome is unknown.
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
            settings: created.settings.clone(),
            usage: Usage::default(),
            open: BTreeMap::new(),
            questions: 0,
            point: None,
            origins: BTreeMap::new(),
            cancel: None,
            closed: None,
            at,
            holder: None,
            counted: at,
        }
    }

    /// Takes in an event. Fails for an event that cannot follow, such as one about an activity that is not
    /// open.
    pub(crate) fn apply(
        &mut self,
        at: At,
        actor: &Actor,
        body: &Body,
    ) -> Result<Option<News>, Fault> {
        if let Body::TimeSkipped(jump) = body {
            self.counted = (self.counted + Duration::from_micros(jump.by)).min(at);
        }
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
                let open = OpenCall::new(call.effect, at, phase);
                self.open(&call.key, Open::Call(open))?;
                self.begin(call.reserved, call.unmetered);
            }
            Body::AttemptStarted(attempt) => {
                let call = self.call(&attempt.key)?;
                call.attempt = attempt.attempt;
                call.phase = Phase::InFlight { reserved: attempt.reserved };
                self.begin(attempt.reserved, attempt.unmetered);
            }
            Body::AttemptFailed(attempt) => {
                self.settle(&attempt.key, attempt.paid)?;
                let call = self.call(&attempt.key)?;
                call.model_calls += model_calls(attempt.used.as_ref());
                call.failures += u32::from(attempt.counts);
                call.losses = 0;
                if attempt.handed.is_some() || attempt.referred {
                    call.handed.clone_from(&attempt.handed);
                    call.hand_overs += u32::from(attempt.handed.is_some());
                    call.failures = 0;
                }
                if attempt.referred {
                    call.lost = Some(attempt.fault.clone());
                }
                // A call that a person has tried again begins with no hand-overs.
                if attempt.afresh {
                    call.hand_overs = 0;
                }
                let due = Phase::Due { at: attempt.retry_at };
                call.phase = if attempt.referred { Phase::Unknown } else { due };
            }
            Body::AttemptLost(attempt) => {
                self.settle(&attempt.key, attempt.paid)?;
                let call = self.call(&attempt.key)?;
                call.model_calls += model_calls(attempt.used.as_ref());
                call.losses += u32::from(attempt.fault.is_none());
                call.lost.clone_from(&attempt.fault);
                let due = Phase::Due { at: attempt.retry_at.unwrap_or(at) };
                call.phase = if attempt.unknown { Phase::Unknown } else { due };
            }
            Body::CallCompleted(call) => {
                self.settle(&call.key, call.paid)?;
                let work = self.end(&call.key, call.used.as_ref())?;
                return Ok(Some(News::Completed(call.key.clone(), call.output.clone(), work)));
            }
            Body::CallFailed(call) => {
                // A call may fail before it could begin.
                let mut work = Work { began: at, ended: at, ..Work::default() };
                if call.attempt > 0 {
                    self.settle(&call.key, call.paid)?;
                    work = self.end(&call.key, call.used.as_ref())?;
                }
                return Ok(Some(News::Failed(call.key.clone(), call.fault.clone(), work)));
            }
            Body::CallCancelled(call) => {
                self.settle(&call.key, call.paid)?;
                self.close(&call.key)?;
            }
            Body::Asked(ask) => {
                let about = ask.about.as_ref().map(|fault| fault.code.clone());
                self.questions += u32::from(ask.key.is_engines());
                // A call that is answered from outside is asked under its own key.
                if let Some(Open::Call(call)) = self.open.get_mut(&ask.key) {
                    let (reserved, deadline) = (call.phase.reserved(), ask.deadline);
                    call.phase = Phase::Asked { reserved, deadline };
                } else {
                    self.open(&ask.key, Open::Ask { deadline: ask.deadline, about })?;
                }
            }
            Body::Answered(answer) => {
                if let Some(Open::Call(call)) = self.open.get_mut(&answer.key) {
                    let (reserved, value) = (call.phase.reserved(), answer.value.clone());
                    call.phase = Phase::Replied { reserved, value };
                    return Ok(None);
                }
                self.close(&answer.key)?;
                let by = (!answer.by_default).then(|| actor.clone());
                return self.answered(at, &answer.key, &answer.value, by);
            }
            Body::Declined(answer) => {
                let call = self.call(&answer.key)?;
                let (reserved, fault) = (call.phase.reserved(), Box::new(answer.fault.clone()));
                call.phase = Phase::Declined { reserved, fault };
            }
            Body::AskExpired(ask) => {
                self.close(&ask.key)?;
                let fault =
                    Fault::permanent("DEADLINE_PASSED", "no answer came before the deadline");
                let work = Work { began: at, ended: at, ..Work::default() };
                return Ok(Some(News::Failed(ask.key.clone(), fault, work)));
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
                if let Some(key) = self.limit_ask().cloned() {
                    self.open.remove(&key);
                }
                return Ok(Some(News::Raised(raised.limits.clone())));
            }
            Body::Advised(advice) => return Ok(Some(News::Advice(advice.text.clone()))),
            Body::Signalled(signal) => {
                let (name, value) = (signal.name.clone(), signal.value.clone());
                return Ok(Some(News::Signalled(name, value, at, actor.clone())));
            }
            Body::CancelRequested(wish) => {
                self.cancel.get_or_insert((actor.clone(), wish.reason.clone()));
                return Ok(Some(News::Cancel));
            }
            Body::TimeSkipped(_) => {}
            Body::Upgraded(upgraded) => self.version = upgraded.to,
            Body::PointReached(reached) => self.point = Some(reached.point.clone()),
            Body::Forked(forked) => self.fork(at, forked)?,
            Body::Succeeded(_) => self.closed = Some(Status::Succeeded),
            Body::Failed(_) => self.closed = Some(Status::Failed),
            Body::Cancelled(_) => self.closed = Some(Status::Cancelled),
            Body::Redacted(_) if self.closed.is_none() => {
                return Err(impossible("only a run that is over is redacted"));
            }
            Body::Redacted(_) => {}
        }
        Ok(None)
    }

    /// An answer to the engine's own questions means something for the call that it asked about.
    fn answered(
        &mut self,
        at: At,
        key: &Key,
        value: &Data,
        by: Option<Actor>,
    ) -> Result<Option<News>, Fault> {
        let Some((of, attempt)) = key.asks_outcome_of() else {
            let news = || News::Answered(key.clone(), value.clone(), at, by);
            return Ok((!key.is_engines()).then(news));
        };
        // The call may have ended otherwise while the question was open.
        let asked = |call: &OpenCall| call.phase == Phase::Unknown && call.attempt == attempt;
        if !matches!(self.open.get(&of), Some(Open::Call(call)) if asked(call)) {
            return Ok(None);
        }
        let told: Told = value.to().map_err(|cause| impossible(&cause.to_string()))?;
        match told.outcome {
            Outcome::NotDone => {
                self.call(&of)?.phase = Phase::Due { at };
                Ok(None)
            }
            Outcome::Done => {
                let work = self.end(&of, None)?;
                Ok(Some(News::Completed(of, told.output.unwrap_or_else(Data::null), work)))
            }
            Outcome::Failed => {
                let work = self.end(&of, None)?;
                let message =
                    told.message.unwrap_or_else(|| "a person said that it failed".to_owned());
                Ok(Some(News::Failed(of, Fault::permanent("OUTCOME_FAILED", message), work)))
            }
        }
    }

    /// Takes over the calls that another run began.
    fn fork(&mut self, at: At, forked: &Forked) -> Result<(), Fault> {
        for (key, call) in &forked.calls {
            self.origins.insert(key.clone(), call.origin.clone());
            if call.unknown {
                let mut open = OpenCall::new(call.effect, at, Phase::Unknown);
                let text = format!("run {} began it and did not finish it", call.origin);
                open.lost = Some(Fault::outcome_unknown("OUTCOME_UNKNOWN", text));
                self.open(key, Open::Call(open))?;
            }
        }
        Ok(())
    }

    /// The codes of the engine's own open questions. A run that is over asks nothing more, and writes no event
    /// to say so.
    pub(crate) fn own_codes(&self) -> Vec<&str> {
        if self.closed.is_some() {
            return Vec::new();
        }
        let code = |key: &Key| match self.open.get(key) {
            Some(Open::Ask { about: Some(code), .. }) => Some(code.as_ref()),
            Some(Open::Ask { .. } | Open::Call(_) | Open::Timer { .. }) | None => None,
        };
        self.own_asks().filter_map(code).collect()
    }

    /// The open question about a limit.
    pub(crate) fn limit_ask(&self) -> Option<&Key> {
        self.own_asks().find(|key| key.asks_for_limit())
    }

    /// The open question about a workflow that is broken or missing.
    pub(crate) fn stuck_ask(&self) -> Option<&Key> {
        self.own_asks().find(|key| key.is_stuck())
    }

    /// Whether the engine itself has asked a person something.
    pub(crate) fn asks_somebody(&self) -> bool {
        self.own_asks().next().is_some()
    }

    fn own_asks(&self) -> impl Iterator<Item = &Key> {
        let own = self.open.range(Key::from("@")..).map(|(key, _)| key);
        own.take_while(|key| key.is_engines())
    }

    /// Time with something under way, were it now and this worker at it.
    pub(crate) fn active(&self, now: At, actor: &Actor) -> Duration {
        let before = self.usage.active.unwrap_or_default();
        if self.counts(actor) { before + now.since(self.counted) } else { before }
    }

    /// Whether what passes counts as this worker's work.
    pub(crate) fn counts(&self, actor: &Actor) -> bool {
        self.holder.as_ref() == Some(actor) && self.is_active()
    }

    fn is_active(&self) -> bool {
        self.open.values().any(|open| match open {
            Open::Call(call) => matches!(call.phase, Phase::InFlight { .. }),
            Open::Ask { .. } | Open::Timer { .. } => false,
        })
    }

    fn begin(&mut self, reserved: Nanos, unmetered: bool) {
        self.usage.reserved = self.usage.reserved + reserved;
        self.usage.calls += 1;
        self.usage.unmetered += u64::from(unmetered);
    }

    fn settle(&mut self, key: &Key, paid: Paid) -> Result<(), Fault> {
        let call = self.call(key)?;
        call.spent = call.spent + paid.nanos;
        if paid.assumed {
            call.assumed = call.assumed + paid.nanos;
        }
        let reserved = call.phase.reserved();
        self.usage.reserved = self.usage.reserved.minus(reserved);
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

    /// Closes a call, and says what it took.
    fn end(&mut self, key: &Key, used: Option<&Data>) -> Result<Work, Fault> {
        let call = self.call(key)?;
        let model_calls = call.model_calls.saturating_add(model_calls(used));
        let (began, cost, assumed) = (call.began, call.spent, call.assumed);
        self.close(key)?;
        Ok(Work { began, ended: self.at, model_calls, cost, assumed })
    }

    fn close(&mut self, key: &Key) -> Result<(), Fault> {
        let closed = self.open.remove(key);
        self.origins.remove(key);
        closed.map(|_| ()).ok_or_else(|| impossible(&format!("{key} is not open")))
    }
}

/// How many requests to models a note tells of.
pub(crate) fn model_calls(note: Option<&Data>) -> u32 {
    #[derive(Deserialize)]
    struct Told {
        #[serde(default)]
        llm_calls: u32,
    }
    // Most notes tell of none, and reading them all would be felt.
    let note = note.filter(|note| note.as_str().contains("\"llm_calls\""));
    note.and_then(|note| note.to::<Told>().ok()).map_or(0, |told| told.llm_calls)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_nothing(amount: &Nanos) -> bool {
    amount.is_zero()
}

fn impossible(what: &str) -> Fault {
    Fault::permanent("JOURNAL_INVALID", what)
}
