//! The options that limit a run: cost, time and calls.

use std::time::Duration;

use consign_engine::{Limits, Nanos};

#[derive(clap::Args)]
pub(in crate::commands) struct LimitArgs {
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
    pub(in crate::commands) fn set(&self) -> Limits {
        Limits { cost: self.cost, calls: self.calls, active: self.minutes }
    }
}

/// A cap as people type it; a dollar sign is theirs to leave out.
pub(in crate::commands) fn usd(text: &str) -> Result<Nanos, String> {
    Nanos::cap_from_usd(text.strip_prefix('$').unwrap_or(text))
        .ok_or_else(|| "not an amount in dollars, such as 2.50".to_owned())
}

fn minutes(text: &str) -> Result<Duration, String> {
    let minutes: Option<f64> = text.parse().ok().filter(|minutes| *minutes > 0.0);
    minutes
        .and_then(|minutes| Duration::try_from_secs_f64(minutes * 60.0).ok())
        .ok_or_else(|| "not a number of minutes above 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_is_never_higher_than_it_says() {
        let check = |text: &str, nanos: u64| assert_eq!(usd(text), Ok(Nanos::new(nanos)), "{text}");
        check("2.50", 2_500_000_000);
        check("$1", 1_000_000_000);
        check("0.0000000019", 1);
        check("0.00000000100", 1);
        check("1e-10", 0);
        check("1e-300", 0);
        check("10e-10", 1);
        check("15e-10", 1);
        check("0.0e-12", 0);
        check("1.9999999999", 1_999_999_999);
        check("12.0000000000", 12_000_000_000);
        assert!(usd("-1").is_err() && usd("much").is_err());
    }
}
