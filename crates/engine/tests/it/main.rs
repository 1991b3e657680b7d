//! What the engine promises, by capability, in worlds of `consign-testkit`.
//!
//! Time is paused: hours pass in a moment, and nothing waits on a sleep.

mod asks;
mod bridge;
mod budget;
mod cancel;
mod carry;
mod corners;
mod directory;
mod effects;
mod external_home;
mod fork;
mod fork_places;
mod hand_over;
mod limits;
mod placement;
mod probes;
mod proof;
mod race;
mod recovery;
mod redact;
mod restless;
mod resume;
mod retry;
mod signals;
mod stopping;
mod time;
mod upgrades;
mod versions;

use std::time::Duration;

use consign_engine::{Fault, Limits};

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn busy() -> Fault {
    Fault::transient("BUSY", "come back later")
}

fn broken() -> Fault {
    Fault::permanent("BROKEN", "for good")
}

fn no_limits() -> Limits {
    Limits::default()
}
