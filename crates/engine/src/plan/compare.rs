//! Comparing what is open with what the workflow wants open: due timers, deadlines, new and dropped asks.

use std::collections::BTreeMap;

use consign_contracts::schema::Schema;

use super::{Action, Planner, breach, intake::paid};
use crate::{
    Activity, Ask, AskKind, At, Fault, Key,
    frame::{Open, Phase},
    journal::{
        Answered, AskExpired, AskWithdrawn, Asked, CallCancelled, CallFailed, Paid, TimerDropped,
        TimerFired, TimerSet,
    },
    store::AskChange,
};

impl Planner<'_> {
    /// Timers and deadlines whose instant has come. Says whether the workflow heard of any.
    pub(super) fn take_due(&mut self, wanted: &[Activity]) -> Result<bool, Fault> {
        let now = self.ground.now;
        let mut heard = false;
        for activity in wanted {
            let key = activity.key().clone();
            match (self.run.frame.open.get(&key), activity) {
                (Some(Open::Timer { fires_at }), _) if *fires_at <= now => {
                    heard |= self.note(TimerFired { key })?;
                }
                (Some(Open::Call(call)), _) if is_late(&call.phase, now) => {
                    self.asks.push(AskChange::Expire(key.clone()));
                    let (attempt, paid) = (call.attempt, paid(None, call.phase.reserved()));
                    let fault = Fault::permanent("TIMEOUT", "no answer from outside came in time");
                    heard |= self.note(CallFailed { key, attempt, fault, paid, used: None })?;
                }
                (Some(Open::Ask { deadline: Some(deadline), .. }), Activity::Ask(ask))
                    if *deadline <= now =>
                {
                    self.asks.push(AskChange::Expire(key.clone()));
                    heard |= match ask.default.clone() {
                        Some(value) => {
                            self.note(Answered { key, value, by_default: true, role: None })?
                        }
                        None => self.note(AskExpired { key })?,
                    };
                }
                (Some(_) | None, _) => {}
            }
        }
        Ok(heard)
    }

    /// Opens what is new, drops what is no longer wanted, tries again what is due. Says whether the
    /// workflow heard of anything by it.
    pub(super) fn compare(&mut self, wanted: Vec<Activity>) -> Result<bool, Fault> {
        check(&wanted, &self.run.frame.open)?;
        self.drop_unwanted(&wanted)?;
        self.blocked = None;
        // A call that fails before it begins may make the workflow want something else. Until that is
        // settled nothing begins: what is begun and dropped in one step would still be performed.
        let mut heard = false;
        for activity in &wanted {
            if let Activity::Call(call) = activity {
                heard |= self.refuse(call)?;
            }
        }
        if heard {
            return Ok(true);
        }
        for activity in wanted {
            match activity {
                Activity::Call(call) => {
                    if self.blocked.is_none() {
                        self.start(call)?;
                    }
                }
                Activity::Ask(ask) => {
                    if !self.run.frame.open.contains_key(&ask.key) {
                        let at = self.ground.now;
                        let deadline = ask.deadline.map(|wait| at + wait);
                        let (key, kind, default) = (ask.key, ask.kind, ask.default);
                        let (prompt, schema) = (ask.prompt, ask.schema);
                        let (about, agent) = (None, None);
                        self.ask(Asked {
                            key,
                            kind,
                            prompt,
                            schema,
                            deadline,
                            default,
                            about,
                            agent,
                        })?;
                    }
                }
                Activity::Timer(timer) => {
                    if !self.run.frame.open.contains_key(&timer.key) {
                        let fires_at = self.ground.now + timer.after;
                        self.note(TimerSet { key: timer.key, fires_at })?;
                    }
                }
            }
        }
        self.own_asks()?;
        let takes_signals = self.run.program.as_ref().is_ok_and(|program| program.takes_signals());
        if self.run.frame.open.is_empty() && !takes_signals {
            return Err(invalid("it wants nothing and is not finished"));
        }
        Ok(false)
    }

    fn drop_unwanted(&mut self, wanted: &[Activity]) -> Result<(), Fault> {
        let wanted: std::collections::BTreeSet<&Key> = wanted.iter().map(Activity::key).collect();
        let unwanted = self
            .run
            .frame
            .open
            .iter()
            .filter(|(key, _)| !key.is_engines() && !wanted.contains(key));
        let unwanted: Vec<_> = unwanted.map(|(key, open)| (key.clone(), open.clone())).collect();
        for (key, open) in unwanted {
            match open {
                Open::Call(call) => match (self.ground.live.get(&key), call.phase) {
                    (Some(live), Phase::InFlight { .. }) => {
                        if !live.stopping {
                            self.actions.push(Action::Stop(key));
                        }
                    }
                    (_, phase) => {
                        let paid = match phase {
                            Phase::Asked { reserved, .. }
                            | Phase::Replied { reserved, .. }
                            | Phase::Declined { reserved, .. } => paid(None, reserved),
                            Phase::InFlight { .. } | Phase::Due { .. } | Phase::Unknown => {
                                Paid::default()
                            }
                        };
                        if matches!(phase, Phase::Asked { .. }) {
                            self.asks.push(AskChange::Withdraw(key.clone()));
                        }
                        let (attempt, output, fault) = (call.attempt, None, None);
                        self.note(CallCancelled { key, attempt, paid, output, fault })?;
                    }
                },
                Open::Ask { .. } => {
                    self.asks.push(AskChange::Withdraw(key.clone()));
                    self.note(AskWithdrawn { key })?;
                }
                Open::Timer { .. } => {
                    self.note(TimerDropped { key })?;
                }
            }
        }
        Ok(())
    }
}

/// Whether an answer from outside should have come by now.
fn is_late(phase: &Phase, now: At) -> bool {
    matches!(phase, Phase::Asked { deadline: Some(deadline), .. } if *deadline <= now)
}

/// A workflow that breaks the rules of its keys is broken: going on would do the wrong thing.
fn check(wanted: &[Activity], open: &BTreeMap<Key, Open>) -> Result<(), Fault> {
    let mut keys = std::collections::BTreeSet::new();
    for activity in wanted {
        let key = activity.key();
        if let Some(why) = key.unfit() {
            return Err(invalid(&format!("the key {:?} {why}", key.as_str())));
        }
        if !keys.insert(key) {
            return Err(invalid(&format!("it wants {key} twice")));
        }
        let same = match (activity, open.get(key)) {
            (_, None)
            | (Activity::Call(_), Some(Open::Call(_)))
            | (Activity::Ask(_), Some(Open::Ask { .. }))
            | (Activity::Timer(_), Some(Open::Timer { .. })) => true,
            (Activity::Call(_) | Activity::Ask(_) | Activity::Timer(_), Some(_)) => false,
        };
        if !same {
            return Err(invalid(&format!("{key} is open as something else")));
        }
        if let (Activity::Ask(ask), None) = (activity, open.get(key)) {
            check_ask(ask)?;
        }
    }
    Ok(())
}

/// No answer fits a schema that makes no sense, and a default must be an answer.
fn check_ask(ask: &Ask) -> Result<(), Fault> {
    if ask.kind == AskKind::Limit {
        return Err(invalid(&format!("{} asks for a limit, which only the engine does", ask.key)));
    }
    let schema = Schema::compile(&ask.schema.tree()?)
        .map_err(|cause| invalid(&format!("the answer schema of {}: {cause}", ask.key)))?;
    let Some(default) = &ask.default else { return Ok(()) };
    breach(&schema, default, &format!("the default of {}", ask.key))
        .map_err(|fault| invalid(&fault.message))
}

fn invalid(what: &str) -> Fault {
    Fault::permanent("WORKFLOW_INVALID", format!("the workflow is broken: {what}"))
}
