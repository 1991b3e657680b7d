//! Limits in a body.

use std::time::Duration;

use consign_contracts::{
    json::Number,
    wire::{Integer, wire},
};
use consign_engine::{Limits, Nanos};

use crate::error::{Part, Problem};

wire! {
    /// What a run may use.
    pub closed struct LimitsBody {
        /// What it may cost.
        cost_usd: Option<Number<'static>> [minimum: 0],
        /// How long it may work; waiting is free.
        minutes: Option<Number<'static>> [exclusiveMinimum: 0],
        /// How many calls it may make, repeated ones included.
        calls: Option<Integer> [minimum: 0],
    }
}

impl LimitsBody {
    /// The limits that are set; what is left out stays open. `at` is where they stand in the body. The schema has been
    /// checked: what is left to refuse is a number that is too large to be a limit.
    pub(super) fn read(&self, at: &str) -> Result<Limits, Problem> {
        let large = |name: &str| {
            let told = format!("{name} is too large to be a limit");
            Problem::invalid(Part::Body, format!("{at}/{name}"), "maximum", told)
        };
        let cost = self.cost_usd.as_ref();
        let cost =
            cost.map(|usd| Nanos::cap_from_usd(usd.as_str()).ok_or_else(|| large("cost_usd")));
        let active = self.minutes.as_ref().map(|minutes| {
            Duration::try_from_secs_f64(minutes.as_f64() * 60.0).map_err(|_| large("minutes"))
        });
        let calls = self.calls.as_ref().map(|calls| calls.as_u64().ok_or_else(|| large("calls")));
        Ok(Limits {
            cost: cost.transpose()?,
            active: active.transpose()?,
            calls: calls.transpose()?,
        })
    }
}
