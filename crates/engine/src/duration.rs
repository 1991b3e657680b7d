//! Durations as they are written in files: `500ms`, `90s`, `30m`, `2h`, `7d`.

use std::time::Duration;

/// Nothing is waited for longer than this.
const LONGEST: Duration = Duration::from_secs(10 * 366 * 24 * 3600);

/// Reads a whole number with its unit. None for anything else, and for more than ten years.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    let (unit, per) = match unit {
        "ms" => (Duration::from_millis(1), 1),
        "s" => (Duration::from_secs(1), 1),
        "m" => (Duration::from_secs(60), 1),
        "h" => (Duration::from_secs(3600), 1),
        "d" => (Duration::from_secs(3600), 24),
        _ => return None,
    };
    let number = u32::try_from(number.checked_mul(per)?).ok()?;
    unit.checked_mul(number).filter(|duration| *duration <= LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_whole_number_with_its_unit() {
        let check = |text: &str, seconds: Option<f64>| {
            assert_eq!(parse_duration(text), seconds.map(Duration::from_secs_f64), "{text:?}");
        };
        check("500ms", Some(0.5));
        check("90s", Some(90.0));
        check("30m", Some(1800.0));
        check("2h", Some(7200.0));
        check("7d", Some(604_800.0));
        check("0s", Some(0.0));
        for text in ["", "s", "2", "2 h", " 2h", "2hours", "1h30m", "-1s", "1.5h", "+1s", "2H"] {
            check(text, None);
        }
        check("4000d", None);
        check("99999999999999999999s", None);
        check("87600h", Some(315_360_000.0));
    }
}
