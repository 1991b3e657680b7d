//! The outside world that agents act on. It outlives every process.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use consign_engine::{Attempt, Reply};

/// What was done out there, and who was called.
#[derive(Clone, Default)]
pub struct Outside(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Seen {
    /// Who was called, for which key.
    calls: Vec<(String, String)>,
    /// Attempts so far, by idempotency key; those without one are counted by agent.
    before: BTreeMap<String, usize>,
    effects: BTreeMap<String, (usize, Reply)>,
    probes: Vec<String>,
    /// What each attempt was handed, and whether it was the last try.
    handed: Vec<(String, bool)>,
}

impl Outside {
    /// The keys that an agent was called for, in order, each as often as it was called.
    #[must_use]
    pub fn calls(&self, agent: &str) -> Vec<String> {
        let seen = self.seen();
        let calls = seen.calls.iter().filter(|(name, _)| name == agent);
        calls.map(|(_, key)| key.clone()).collect()
    }

    /// The keys whose attempts somebody asked about.
    #[must_use]
    pub fn probes(&self) -> Vec<String> {
        self.seen().probes.clone()
    }

    /// What each attempt was handed by the one before it, in JSON.
    #[must_use]
    pub fn handed(&self) -> Vec<String> {
        self.seen().handed.iter().map(|(handed, _)| handed.clone()).collect()
    }

    /// Whether each attempt was the last try.
    #[must_use]
    pub fn last(&self) -> Vec<bool> {
        self.seen().handed.iter().map(|(_, last)| *last).collect()
    }

    /// How often the effect of each idempotency key happened.
    #[must_use]
    pub fn effects(&self) -> BTreeMap<String, usize> {
        let seen = self.seen();
        seen.effects.iter().map(|(key, (times, _))| (key.clone(), *times)).collect()
    }

    /// What the effect of an idempotency key came to, if it happened.
    #[must_use]
    pub fn reply(&self, idempotency_key: &str) -> Option<Reply> {
        self.seen().effects.get(idempotency_key).map(|(_, reply)| reply.clone())
    }

    /// An attempt begins. Says how many there were before it.
    pub(super) fn begin(&self, agent: &str, attempt: &Attempt, by_key: bool) -> usize {
        let mut seen = self.seen();
        seen.calls.push((agent.to_owned(), attempt.key.to_string()));
        let handed = attempt.handed.as_ref().map_or("null", |handed| handed.as_str()).to_owned();
        seen.handed.push((handed, attempt.last));
        let of = if by_key { attempt.idempotency_key() } else { format!("agent {agent}") };
        let before = seen.before.entry(of).or_default();
        *before += 1;
        *before - 1
    }

    pub(super) fn affect(&self, idempotency_key: &str, reply: Reply) {
        let mut seen = self.seen();
        let entry = seen.effects.entry(idempotency_key.to_owned());
        entry.and_modify(|(times, _)| *times += 1).or_insert((1, reply));
    }

    pub(super) fn asked(&self, attempt: &Attempt) {
        self.seen().probes.push(attempt.key.to_string());
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
