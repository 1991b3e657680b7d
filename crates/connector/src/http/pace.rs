//! How often a host is asked: turns are given out in order, one after the interval of the other.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::Parts;

/// Hosts that are remembered before those whose turn is long past are forgotten.
const MANY: usize = 1_024;

/// When each host may be asked next. All sessions of a process share it.
#[derive(Debug, Default)]
pub(crate) struct Paces(Mutex<HashMap<String, Duration>>);

impl Paces {
    /// Waits for a turn at a host.
    pub(crate) async fn turn(&self, parts: &Parts, host: &str, interval: Duration) {
        let wait = self.take(parts.clock.ticks(), host, interval);
        if !wait.is_zero() {
            parts.sleep.sleep(wait).await;
        }
    }

    fn take(&self, now: Duration, host: &str, interval: Duration) -> Duration {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if next.len() >= MANY {
            next.retain(|_, at| *at > now);
        }
        let at = next.get(host).copied().unwrap_or(now).max(now);
        next.insert(host.to_owned(), at + interval);
        at - now
    }

    /// No request goes to this host before this much time has passed.
    pub(crate) fn hold(&self, now: Duration, host: &str, wait: Duration) {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = next.entry(host.to_owned()).or_insert(now);
        *at = (*at).max(now + wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_come_one_after_another_and_each_host_has_its_own() {
        let (paces, second) = (Paces::default(), Duration::from_secs(1));
        let at = Duration::from_millis;
        assert_eq!(paces.take(at(0), "a", second), at(0));
        assert_eq!(paces.take(at(200), "a", second), at(800));
        assert_eq!(paces.take(at(200), "a", second), at(1_800));
        assert_eq!(paces.take(at(200), "b", second), at(0));
        assert_eq!(paces.take(at(9_000), "a", second), at(0));
        paces.hold(at(9_000), "a", Duration::from_secs(30));
        assert_eq!(paces.take(at(9_000), "a", second), at(30_000));
    }
}
