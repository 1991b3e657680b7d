//! Money as the document writes it: thresholds and totals in cents, single costs in dollars.
//!
//! Inside there are only [`Nanos`]. A cent is ten million of them, so every amount is a decimal without a remainder.

use consign_engine::Nanos;

/// A cent in billionths of a dollar.
const CENT: u64 = 10_000_000;

/// An amount in cents, exactly: `0.34`.
#[must_use]
pub fn cents(amount: Nanos) -> String {
    let (whole, part) = (amount.get() / CENT, amount.get() % CENT);
    if part == 0 {
        return whole.to_string();
    }
    let digits = format!("{part:07}");
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

/// A decimal as JSON writes it: a whole number without a point.
#[must_use]
pub fn number(text: &str) -> serde_json::Value {
    match (text.parse::<u64>(), text.parse::<f64>()) {
        (Ok(whole), _) => whole.into(),
        (Err(_), Ok(decimal)) => decimal.into(),
        (Err(_), Err(_)) => serde_json::Value::Null,
    }
}

/// Reads an amount in cents. `None` for what is none, or is finer than a billionth of a dollar.
#[must_use]
pub fn from_cents(text: &str) -> Option<Nanos> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let dollars = format!("{number}e{}", exponent.checked_sub(2)?);
    let (most, least) = (Nanos::from_usd(&dollars)?, Nanos::cap_from_usd(&dollars)?);
    (most == least).then_some(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cents_are_exact_in_both_directions() {
        for (nanos, text) in [
            (0, "0"),
            (10_000_000, "1"),
            (3_400_000, "0.34"),
            (1, "0.0000001"),
            (10_000_000_000, "1000"),
        ] {
            assert_eq!(cents(Nanos::new(nanos)), text);
            assert_eq!(from_cents(text), Some(Nanos::new(nanos)), "{text}");
        }
        assert_eq!(from_cents("1e3"), Some(Nanos::new(10_000_000_000)));
        for text in ["", "-1", "x", "0.00000001", "1e99"] {
            assert_eq!(from_cents(text), None, "{text}");
        }
    }
}
