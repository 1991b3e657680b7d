//! The limits of a run as numbers in JSON.

use std::time::Duration;

use consign_contracts::{json::Number, wire::Integer};
use consign_engine::{Limits, Nanos};

/// The numbers that limit a run. What is left out stays open.
#[derive(Clone, Copy, Debug, Default)]
pub struct LimitNumbers<'a> {
    pub cost_usd: Option<&'a Number<'static>>,
    pub minutes: Option<&'a Number<'static>>,
    pub calls: Option<&'a Integer>,
}

/// A number that is too large to be a limit, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge(pub &'static str);

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is too large to be a limit", self.0)
    }
}

impl LimitNumbers<'_> {
    /// The limits. The schema of the caller has been checked: what is left to refuse is a number that is too large.
    pub fn read(&self) -> Result<Limits, TooLarge> {
        let cost =
            self.cost_usd.map(|usd| Nanos::cap_from_usd(usd.as_str()).ok_or(TooLarge("cost_usd")));
        let active = self.minutes.map(|minutes| {
            Duration::try_from_secs_f64(minutes.as_f64() * 60.0).map_err(|_| TooLarge("minutes"))
        });
        let calls = self.calls.map(|calls| calls.as_u64().ok_or(TooLarge("calls")));
        Ok(Limits {
            cost: cost.transpose()?,
            active: active.transpose()?,
            calls: calls.transpose()?,
        })
    }
}
