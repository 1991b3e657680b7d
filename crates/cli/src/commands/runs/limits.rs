//! Limits on the command line.

use std::time::Duration;

use consign_engine::{Limits, Nanos};

#[derive(clap::Args)]
pub(super) struct LimitArgs {
    /// What it may cost, in US dollars
    #[arg(long, value_name = "USD", value_parser = usd)]
    cost: Option<Nanos>,

    /// How long it may work; waiting is free
    #[arg(long, value_name = "N", value_parser = minutes)]
    minutes: Option<Duration>,

    /// How many calls it may make, repeated ones included
    #[arg(long, value_name = "N")]
    calls: Option<u64>,
}

impl LimitArgs {
    /// What was set; the rest is left open.
    pub(super) fn set(&self) -> Limits {
        Limits { cost: self.cost, calls: self.calls, active: self.minutes }
    }
}

/// An amount as people type it; a dollar sign is theirs to leave out.
pub(in crate::commands) fn usd(text: &str) -> Result<Nanos, String> {
    Nanos::from_usd(text.strip_prefix('$').unwrap_or(text))
        .ok_or_else(|| "not an amount in dollars, such as 2.50".to_owned())
}

fn minutes(text: &str) -> Result<Duration, String> {
    let minutes: Option<f64> = text.parse().ok().filter(|minutes| *minutes > 0.0);
    minutes
        .and_then(|minutes| Duration::try_from_secs_f64(minutes * 60.0).ok())
        .ok_or_else(|| "not a number of minutes above 0".to_owned())
}
