//! Limits in a body.

use std::time::Duration;

use consign_contracts::json::Json;
use consign_engine::{Limits, Nanos};

use crate::error::Problem;

/// What was set; the rest is left open. The form has been checked: only what is out of range is left
/// to refuse.
pub(super) fn read(limits: &Json<'_>) -> Result<Limits, Problem> {
    let number = |name: &str| limits.get(name).and_then(Json::as_number);
    let bad = |name: &str| Problem::new("INVALID_LIMIT", format!("{name} is out of range"));
    let cost = number("cost_usd")
        .map(|usd| Nanos::cap_from_usd(usd.as_str()).ok_or_else(|| bad("cost_usd")));
    let calls = number("calls").map(|calls| calls.as_u64().ok_or_else(|| bad("calls")));
    let active = number("minutes").map(|minutes| {
        Duration::try_from_secs_f64(minutes.as_f64() * 60.0).map_err(|_| bad("minutes"))
    });
    Ok(Limits { cost: cost.transpose()?, calls: calls.transpose()?, active: active.transpose()? })
}
