//! Money, as whole nano-dollars. Dollars are only how it is written.

use std::{fmt, ops::Add};

use serde::{Deserialize, Serialize};

/// An amount in billionths of a US dollar.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Nanos(u64);

/// A store keeps amounts in 64 bits with a sign.
const MOST: u64 = i64::MAX as u64;

impl Nanos {
    pub const ZERO: Self = Self(0);

    #[must_use]
    pub const fn new(nanos: u64) -> Self {
        Self(if nanos > MOST { MOST } else { nanos })
    }

    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self::new(self.0.saturating_mul(count))
    }

    /// Reads dollars: `12`, `0.25`, `1.5e-3`. What is finer than a nano-dollar is rounded up, so
    /// that nothing costs less than it says. `None` for anything else, and for what does not fit.
    #[must_use]
    pub fn from_usd(text: &str) -> Option<Self> {
        Self::read(text, u128::div_ceil)
    }

    /// Reads a cap in dollars. What is finer than a nano-dollar is rounded down, so that no cap is too
    /// high.
    #[must_use]
    pub fn cap_from_usd(text: &str) -> Option<Self> {
        Self::read(text, |value, factor| value / factor)
    }

    fn read(text: &str, divided: impl Fn(u128, u128) -> u128) -> Option<Self> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{part}");
        if whole.is_empty() || digits.len() > 40 || !digits.bytes().all(|d| d.is_ascii_digit()) {
            return None;
        }
        let value: u128 = digits.trim_start_matches('0').parse().unwrap_or(0);
        let shift = exponent.checked_add(9)?.checked_sub(i32::try_from(part.len()).ok()?)?;
        let factor = 10u128.checked_pow(shift.unsigned_abs());
        let nanos = match (shift >= 0, factor) {
            _ if value == 0 => 0,
            (true, factor) => value.checked_mul(factor?)?,
            (false, factor) => divided(value, factor.unwrap_or(u128::MAX)),
        };
        u64::try_from(nanos).ok().filter(|nanos| *nanos <= MOST).map(Self)
    }
}

impl Add for Nanos {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.0.saturating_add(other.0))
    }
}

impl std::iter::Sum for Nanos {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

/// Dollars without trailing zeros: `0.25`.
impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        if part == 0 {
            return write!(f, "{whole}");
        }
        write!(f, "{whole}.{}", format!("{part:09}").trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_read_exactly_and_never_too_low() {
        let check = |text: &str, nanos: Option<u64>| {
            assert_eq!(Nanos::from_usd(text), nanos.map(Nanos), "{text}");
        };
        check("12", Some(12_000_000_000));
        check("0.25", Some(250_000_000));
        check("1.5e-3", Some(1_500_000));
        check("2E2", Some(200_000_000_000));
        check("0.0000000001", Some(1));
        check("1e-300", Some(1));
        check("0e99999", Some(0));
        check("", None);
        check("-1", None);
        check(".5", None);
        check("1e30", None);
        check("9223372036.854775807", Some(MOST));
        check("9223372036.854775808", None);
        check("nan", None);
    }

    #[test]
    fn dollars_are_written_as_they_are_read() {
        for text in ["0", "12", "0.25", "0.000000001", "100.5"] {
            assert_eq!(Nanos::from_usd(text).unwrap().to_string(), text);
        }
    }
}
