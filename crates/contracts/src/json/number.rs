//! A JSON number as the digits it was written with.

use std::{borrow::Cow, cmp::Ordering, fmt};

/// A number kept as text, so that `1.10`, `1e400` and thirty digits survive a round trip.
///
/// Two numbers are equal when their digits are; [`Number::as_f64`] and its kin give the value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number<'a>(Cow<'a, str>);

/// A number's value, comparable: see [`Number::canonical`].
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum Canonical<'a> {
    Decimal {
        negative: bool,
        digits: String,
        power: i128,
    },
    /// An exponent of twenty digits: equal only to itself.
    Beyond(&'a str),
}

impl PartialOrd for Canonical<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let (
            Self::Decimal { negative, digits, power },
            Self::Decimal { negative: other_negative, digits: other_digits, power: other_power },
        ) = (self, other)
        else {
            return (self == other).then_some(Ordering::Equal);
        };
        // Where the first digit stands decides, then the digits; zero has none.
        let size = |digits: &str, power: i128| {
            (!digits.is_empty()).then(|| (digits.len() as i128 + power, digits.to_owned()))
        };
        let (ours, theirs) = (size(digits, *power), size(other_digits, *other_power));
        Some(match (negative, other_negative) {
            (false, false) => ours.cmp(&theirs),
            (true, true) => theirs.cmp(&ours),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        })
    }
}

/// Text that is no JSON number, or a float that JSON cannot write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a JSON number: {0}")]
pub struct NotANumber(String);

impl<'a> Number<'a> {
    /// Takes text that the reader has already found to be a number.
    pub(super) fn from_checked(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value, where it is whole and fits, however it is written.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        // JSON writes no leading plus, so `parse` accepts exactly our digits.
        self.0.parse().ok().or_else(|| self.whole()?.parse().ok())
    }

    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok().or_else(|| self.whole()?.parse().ok())
    }

    /// The digits of a whole number that is written with a point or an exponent.
    fn whole(&self) -> Option<String> {
        if !self.0.contains(['.', 'e', 'E']) {
            return None;
        }
        let Canonical::Decimal { negative, digits, power } = self.canonical() else { return None };
        let zeros = usize::try_from(power).ok().filter(|zeros| *zeros <= 20)?;
        let sign = if negative { "-" } else { "" };
        Some(format!("{sign}{digits:0<width$}", width = (digits.len() + zeros).max(1)))
    }

    /// The nearest float; infinite where the exponent is beyond it.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }

    /// The nearest float on the same side of every float that the digits are on: a number just
    /// above one is not one, though its nearest float is.
    pub(crate) fn as_f64_beside(&self) -> f64 {
        let nearest = self.as_f64();
        // Up to fifteen digits always come back from the float they become, unless it is too small.
        let short = self.0.len() <= 16 && (nearest.is_normal() || !self.0.contains(['e', 'E']));
        if short || !nearest.is_finite() {
            return nearest;
        }
        let shortest = Number(Cow::Owned(format!("{nearest:e}")));
        match self.canonical().partial_cmp(&shortest.canonical()) {
            Some(Ordering::Less) => nearest.next_down(),
            Some(Ordering::Greater) => nearest.next_up(),
            Some(Ordering::Equal) | None => nearest,
        }
    }

    /// Whether the value is whole, however it is written: `3`, `3.0` and `30e-1` are.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        let text = self.0.strip_prefix('-').unwrap_or(&self.0);
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = whole.bytes().chain(fraction.bytes());
        if digits.clone().all(|digit| digit == b'0') {
            return true;
        }
        let trailing_zeros = digits.rev().take_while(|digit| *digit == b'0').count();
        // How far the last digit that counts stands behind the decimal point before the exponent.
        let places = fraction.len() as i128 - trailing_zeros as i128;
        match exponent.parse::<i64>() {
            Ok(exponent) => places <= i128::from(exponent),
            // Beyond 64 bits only the sign of the exponent matters.
            Err(_) => !exponent.starts_with('-'),
        }
    }

    /// The value in the one way of writing it that all equal numbers share: sign, digits without
    /// zeros at either end, and the power of ten of the last digit.
    pub(crate) fn canonical(&self) -> Canonical<'_> {
        let (negative, text) = match self.0.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, self.0.as_ref()),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let significant = digits.trim_start_matches('0');
        let kept = significant.trim_end_matches('0');
        if kept.is_empty() {
            return Canonical::Decimal { negative: false, digits: String::new(), power: 0 };
        }
        let Ok(exponent) = exponent.parse::<i64>() else { return Canonical::Beyond(&self.0) };
        let dropped = (significant.len() - kept.len()) as i128;
        let power = i128::from(exponent) - fraction.len() as i128 + dropped;
        Canonical::Decimal { negative, digits: kept.to_owned(), power }
    }

    #[must_use]
    pub fn into_owned(self) -> Number<'static> {
        Number(Cow::Owned(self.0.into_owned()))
    }

    /// The nearest number that `serde_json` holds.
    pub(crate) fn to_serde(&self) -> serde_json::Number {
        if let Ok(value) = self.0.parse::<u64>() {
            return value.into();
        }
        // A negative zero is a float there.
        if let Some(value) = self.0.parse::<i64>().ok().filter(|value| *value != 0) {
            return value.into();
        }
        let value = self.as_f64().clamp(f64::MIN, f64::MAX);
        serde_json::Number::from_f64(value).unwrap_or_else(|| 0.into())
    }
}

impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<u64> for Number<'static> {
    fn from(value: u64) -> Self {
        Self(Cow::Owned(value.to_string()))
    }
}

impl From<i64> for Number<'static> {
    fn from(value: i64) -> Self {
        Self(Cow::Owned(value.to_string()))
    }
}

impl From<&serde_json::Number> for Number<'static> {
    fn from(value: &serde_json::Number) -> Self {
        Self(Cow::Owned(value.to_string()))
    }
}

impl TryFrom<f64> for Number<'static> {
    type Error = NotANumber;

    fn try_from(value: f64) -> Result<Self, NotANumber> {
        serde_json::Number::from_f64(value)
            .map(|number| Self::from(&number))
            .ok_or_else(|| NotANumber(value.to_string()))
    }
}

impl std::str::FromStr for Number<'static> {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        match super::parse(text.as_bytes()) {
            Ok(super::Json::Number(number)) if number.as_str() == text => Ok(number.into_owned()),
            Ok(_) | Err(_) => Err(NotANumber(text.chars().take(80).collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_whole_however_they_are_written() {
        for whole in ["0", "-0", "3", "3.0", "30e-1", "1e400", "0e-9999", "120.00", "1.5e1"] {
            assert!(whole.parse::<Number<'_>>().unwrap().is_integer(), "{whole}");
        }
        for broken in ["0.5", "3.01", "31e-1", "1e-400", "1.55e1", "1e-99999999999999999999"] {
            assert!(!broken.parse::<Number<'_>>().unwrap().is_integer(), "{broken}");
        }
    }

    #[test]
    fn equal_values_are_equal_however_they_are_written() {
        let number = |text: &str| text.parse::<Number<'_>>().unwrap();
        for (a, b) in
            [("1", "1.0"), ("100", "1e2"), ("0.10", "1E-1"), ("-0", "0e9"), ("12e-1", "1.20")]
        {
            assert_eq!(number(a).canonical(), number(b).canonical(), "{a} {b}");
        }
        for (a, b) in [
            ("1", "-1"),
            ("10", "1"),
            ("9007199254740993", "9007199254740992"),
            ("123456789012345678901", "123456789012345678902"),
            ("1e400", "1e401"),
        ] {
            assert_ne!(number(a).canonical(), number(b).canonical(), "{a} {b}");
        }
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let number = |text: &str| text.parse::<Number<'_>>().unwrap();
        let rising = [
            "-1e400", "-10", "-9.5", "-1e-400", "0", "1e-400", "0.99", "1.0", "1.01", "9", "10",
            "1e400",
        ];
        for pair in rising.windows(2) {
            let (low, high) = (number(pair[0]), number(pair[1]));
            assert_eq!(
                low.canonical().partial_cmp(&high.canonical()),
                Some(Ordering::Less),
                "{pair:?}"
            );
            assert_eq!(
                high.canonical().partial_cmp(&low.canonical()),
                Some(Ordering::Greater),
                "{pair:?}"
            );
        }
    }

    #[test]
    fn whole_numbers_have_their_value_however_they_are_written() {
        let number = |text: &str| text.parse::<Number<'_>>().unwrap();
        assert_eq!(number("9007199254740993.0").as_u64(), Some(9_007_199_254_740_993));
        assert_eq!(number("18446744073709551615e0").as_u64(), Some(u64::MAX));
        assert_eq!(number("-12e2").as_i64(), Some(-1200));
        assert_eq!(number("0.0").as_u64(), Some(0));
        assert_eq!(number("1.5").as_u64(), None);
        assert_eq!(number("1e30").as_u64(), None);
        assert_eq!(number("1e999999999999").as_u64(), None);
    }

    #[test]
    fn a_float_stands_on_the_side_of_its_digits() {
        let beside = |text: &str| text.parse::<Number<'_>>().unwrap().as_f64_beside();
        assert!(beside("1.00000000000000000000001") > 1.0);
        assert!(beside("0.99999999999999999999999") < 1.0);
        assert!(beside("-0.000000000000000000000000e-400") == 0.0);
        for exact in ["0.1", "0.10000000000000000000", "100000000000000000000", "1e23", "5e-324"] {
            assert_eq!(beside(exact), exact.parse::<f64>().unwrap(), "{exact}");
        }
    }

    #[test]
    fn only_json_numbers_are_numbers() {
        for text in ["", "+1", "01", ".5", "1.", "NaN", " 1", "1 ", "0x1", "1e"] {
            assert!(text.parse::<Number<'_>>().is_err(), "{text:?}");
        }
        assert!(Number::try_from(f64::INFINITY).is_err());
    }
}
