//! Reads figures from a book.

use std::collections::BTreeSet;

use consign_engine::{Activity, Key, Nanos, Next, RunId, Workflow as _};

use super::{Book, Phase};

impl Book {
    /// What the run holds and has spent, past its cap.
    pub(in crate::simulation) fn excess(&self) -> Nanos {
        let used = (self.spent + self.reserved).minus(self.loose);
        self.limits.cost.map_or(Nanos::ZERO, |cap| used.minus(cap))
    }

    pub(in crate::simulation) fn loose(&self) -> Nanos {
        self.loose
    }

    /// The run under whose name the other side knows a call.
    pub(in crate::simulation) fn origin(&self, key: &Key) -> &RunId {
        self.origins.get(key).unwrap_or(&self.run)
    }

    /// The idempotency key of a call.
    pub(in crate::simulation) fn idempotency_key(&self, key: &Key) -> String {
        format!("{}:{key}", self.origin(key))
    }

    /// What the workflow calls the place where the run stands.
    pub(in crate::simulation) fn label(&self) -> Option<String> {
        let codes = self.asks.iter().filter(|(key, _)| key.is_engines());
        let codes: Vec<_> = codes.filter_map(|(_, ask)| ask.about.as_deref()).collect();
        self.programs.label(&self.state, &codes)
    }

    /// The numbers of the signals that the run waits for.
    pub(in crate::simulation) fn awaited(&self) -> Vec<u64> {
        if self.closed.is_some() || self.cancel {
            return Vec::new();
        }
        self.state.awaited(&self.programs)
    }

    /// A recovery point at which the run stands and that is not written.
    pub(super) fn missing_point(&self) -> Option<String> {
        let stands = self.programs.point(&self.state);
        stands.filter(|point| self.point.as_ref() != Some(point))
    }

    /// Whether the workflow wants something open under this key.
    pub(super) fn wants(&self, key: &Key) -> bool {
        match self.decide() {
            Next::Open(wanted) => wanted.iter().any(|activity| activity.key() == key),
            Next::Finish(_) => false,
        }
    }

    pub(in crate::simulation) fn in_flight(&self) -> bool {
        self.calls.values().any(|call| matches!(call.phase, Phase::InFlight(_)))
    }

    /// Something that its holder should have done by now. A call may have to wait for money that
    /// others hold.
    pub(in crate::simulation) fn overdue(&self) -> Option<String> {
        if self.closed.is_some() {
            return None;
        }
        if self.cancel {
            return Some("it should be cancelled".to_owned());
        }
        let Next::Open(wanted) = self.decide() else {
            return Some("it should be closed".to_owned());
        };
        if let Some(point) = self.missing_point() {
            return Some(format!("point {point} should be written"));
        }
        let keys: BTreeSet<_> = wanted.iter().map(Activity::key).collect();
        let stopped = self.asks.keys().any(Key::asks_for_limit) || self.in_flight();
        let missing = wanted.iter().find(|activity| match activity {
            Activity::Call(call) => !self.calls.contains_key(&call.key) && !stopped,
            Activity::Ask(ask) => !self.asks.contains_key(&ask.key),
            Activity::Timer(timer) => !self.timers.contains_key(&timer.key),
        });
        if let Some(missing) = missing {
            return Some(format!("{} should be open", missing.key()));
        }
        let told = |phase: &Phase| matches!(phase, Phase::Replied(..) | Phase::Declined(_));
        if let Some((key, _)) = self.calls.iter().find(|(_, call)| told(&call.phase)) {
            return Some(format!("{key} should be settled"));
        }
        let calls = self.calls.iter().filter(|(_, call)| call.phase != Phase::Ended);
        let open = calls.map(|(key, _)| key).chain(self.asks.keys()).chain(self.timers.keys());
        let extra = open.into_iter().find(|key| !key.is_engines() && !keys.contains(key));
        extra.map(|key| format!("{key} should be dropped"))
    }
}
