//! Seconds since 1970 as RFC 3339.

/// In the zone that is so many minutes ahead of UTC. Years beyond 9999 are not the work of people and
/// read as 1970.
pub(super) fn rfc3339(seconds: i64, offset: i32) -> String {
    let offset = if offset.abs() < 24 * 60 { offset } else { 0 };
    let local = seconds.checked_add(i64::from(offset) * 60).unwrap_or(0);
    // 0000-01-01 to 9999-12-31.
    let local = if (-62_167_219_200..253_402_300_800).contains(&local) { local } else { 0 };
    let (days, rest) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    let zone = if offset == 0 {
        "Z".to_owned()
    } else {
        let sign = if offset < 0 { '-' } else { '+' };
        format!("{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60)
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}")
}

/// The date of a day since 1970, by the proleptic Gregorian calendar. Years are counted from March, so
/// that a leap day is the last day of its year.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_read_as_dates() {
        for (seconds, offset, expected) in [
            (0, 0, "1970-01-01T00:00:00Z"),
            (951_782_400, 0, "2000-02-29T00:00:00Z"),
            (1_700_000_000, 60, "2023-11-14T23:13:20+01:00"),
            (1_700_000_000, -330, "2023-11-14T16:43:20-05:30"),
            (-1, 0, "1969-12-31T23:59:59Z"),
            (i64::MAX, 720, "1970-01-01T00:00:00+12:00"),
        ] {
            assert_eq!(rfc3339(seconds, offset), expected);
        }
    }
}
