//! Reads figures from a book.

use std::collections::BTreeSet;

use consign_engine::{Activity, Key, Nanos, Next};

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
