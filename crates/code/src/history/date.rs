//! Formats seconds since 1970 as RFC 3339.

use jiff::{Timestamp, tz::Offset};

/// The time in a zone that is `minutes` ahead of UTC. Years beyond 9999 are not valid and read as
/// 1970.
pub(super) fn rfc3339(seconds: i64, minutes: i32) -> String {
    let minutes = if minutes.unsigned_abs() < 24 * 60 { minutes } else { 0 };
    let offset = Offset::from_seconds(minutes * 60).unwrap_or(Offset::UTC);
    let ours = |instant: &Timestamp| (0..=9999).contains(&offset.to_datetime(*instant).year());
    let instant = Timestamp::from_second(seconds).ok().filter(ours);
    let instant = instant.unwrap_or(Timestamp::UNIX_EPOCH);
    if offset == Offset::UTC {
        instant.to_string()
    } else {
        instant.display_with_offset(offset).to_string()
    }
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
            (-99_999_999_999, 0, "1970-01-01T00:00:00Z"),
            (i64::MAX, 720, "1970-01-01T12:00:00+12:00"),
            (0, i32::MAX, "1970-01-01T00:00:00Z"),
            (0, i32::MIN, "1970-01-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds, offset), expected);
        }
    }
}
