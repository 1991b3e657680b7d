//! What the machine provides: the time, randomness, its user and its name.
//!
//! The engine reads no clock and draws no randomness; [`Machine`] is where both come in.

use std::{
    env, fs,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use consign_engine::{Actor, At, Clock, Entropy, Role, Speaker, journal::Hash};
use consign_invokers::process::MARK;

/// The machine's clock and random numbers.
pub struct Machine(Instant);

impl Machine {
    #[must_use]
    pub fn new() -> Self {
        Self(Instant::now())
    }
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for Machine {
    fn wall(&self) -> At {
        let micros = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_micros()).unwrap_or(i64::MAX),
            Err(before) => -i64::try_from(before.duration().as_micros()).unwrap_or(i64::MAX),
        };
        At(micros)
    }

    fn ticks(&self) -> Duration {
        self.0.elapsed()
    }
}

impl Entropy for Machine {
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the kernel always has randomness once it is up");
    }
}

/// The time of the wall clock, for what no run is asked about.
#[must_use]
pub fn now() -> At {
    Machine::new().wall()
}

/// Random bytes.
#[must_use]
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    Machine::new().fill(&mut bytes);
    bytes
}

/// The speaker of a command of this process: the user of the machine, or an agent's program that runs as
/// that user, which is known by the mark in its environment. The name goes into the journal:
/// `cli:anna@host`.
#[must_use]
pub fn user() -> Speaker {
    let uid = rustix::process::getuid().as_raw();
    let known = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = known.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then_some(name)
    });
    let name = name.map_or_else(|| format!("uid-{uid}"), str::to_owned);
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let actor = Actor::new(format!("cli:{name}@{host}"));
    let role = if env::var_os(MARK).is_some() { Role::Agent } else { Role::Person };
    Speaker { actor, role }
}

/// What this machine is called in placements. The machine's own id is a secret, so this is its hash.
#[must_use]
pub fn host() -> Arc<str> {
    let id = fs::read_to_string("/etc/machine-id").ok().filter(|id| !id.trim().is_empty());
    let id =
        id.unwrap_or_else(|| rustix::system::uname().nodename().to_string_lossy().into_owned());
    Hash::of(format!("consign host\n{}", id.trim()).as_bytes()).to_string()[..16].into()
}
