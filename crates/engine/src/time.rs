//! Instants, and a clock that never runs backwards.

use std::{
    fmt,
    ops::Add,
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use jiff::{
    Timestamp,
    fmt::{StdFmtWrite, temporal::DateTimePrinter},
};
use serde::{Deserialize, Serialize};

/// Microseconds since 1970 in UTC.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct At(pub i64);

impl At {
    /// The time since an earlier instant; none since a later one.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl At {
    /// Reads an RFC 3339 date-time, with any offset and any fraction.
    #[must_use]
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let instant = if digits > NANOSECONDS {
            format!("{whole}.{}{}", &rest[..NANOSECONDS], &rest[digits..]).parse::<Timestamp>()
        } else {
            text.parse::<Timestamp>()
        };
        instant.ok().map(|instant| Self(instant.as_microsecond()))
    }
}

/// Digits of a fraction that are read; the others are finer than any clock.
const NANOSECONDS: usize = 9;

impl Add<Duration> for At {
    type Output = Self;

    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }
}

/// As RFC 3339 with microseconds: `2026-11-15T09:30:00.000000Z`. What is beyond the year 9999, which
/// RFC 3339 cannot write, is written as the last instant that it can.
impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(6));
        let furthest = if self.0 < 0 { Timestamp::MIN } else { Timestamp::MAX };
        let instant = Timestamp::from_microsecond(self.0).unwrap_or(furthest);
        PRINTER.print_timestamp(&instant, StdFmtWrite(f)).map_err(|_| fmt::Error)
    }
}

/// The port to the machine's clock.
pub trait Clock: Send + Sync {
    /// The wall clock. It may be set forward and back at any time.
    fn wall(&self) -> At;
    /// Time that passed since some fixed instant of this process.
    fn ticks(&self) -> Duration;
}

/// The time as runs see it: never before what is already recorded, and never standing still, also
/// when the wall clock is set back.
pub struct Time {
    clock: Box<dyn Clock>,
    /// What the ticks are counted from. It only grows.
    base: AtomicI64,
}

impl Time {
    #[must_use]
    pub fn new(clock: Box<dyn Clock>) -> Self {
        let base = AtomicI64::new(clock.wall().0.saturating_sub(micros(clock.ticks())));
        Self { clock, base }
    }

    /// Nothing happens before `floor`: it is recorded somewhere.
    pub fn not_before(&self, floor: At) {
        let base = floor.0.saturating_sub(micros(self.clock.ticks()));
        self.base.fetch_max(base, Ordering::Relaxed);
    }

    #[must_use]
    pub fn now(&self) -> At {
        self.read().0
    }

    /// The time, and what passed since some fixed instant of this process: that cannot be set.
    pub(crate) fn read(&self) -> (At, Duration) {
        let passed = self.clock.ticks();
        let ticks = micros(passed);
        let wall = self.clock.wall().0.saturating_sub(ticks);
        let base = self.base.fetch_max(wall, Ordering::Relaxed).max(wall);
        (At(base.saturating_add(ticks)), passed)
    }
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn instants_are_written_as_the_calendar_has_them() {
        let check =
            |seconds: i64, text: &str| assert_eq!(At(seconds * 1_000_000).to_string(), text);
        check(0, "1970-01-01T00:00:00.000000Z");
        check(951_782_400, "2000-02-29T00:00:00.000000Z");
        check(1_709_251_199, "2024-02-29T23:59:59.000000Z");
        check(4_107_542_400, "2100-03-01T00:00:00.000000Z");
        check(-1, "1969-12-31T23:59:59.000000Z");
        assert_eq!(At(i64::MAX).to_string(), "9999-12-30T22:00:00.999999Z");
    }

    #[test]
    fn instants_are_read_whatever_their_offset_and_precision() {
        let check = |text: &str, micros: Option<i64>| {
            assert_eq!(At::from_rfc3339(text), micros.map(At), "{text}");
        };
        check("1970-01-01T00:00:00Z", Some(0));
        check("2000-02-29T00:00:00.5Z", Some(951_782_400_500_000));
        check("2000-02-29T02:30:00.1234567+02:30", Some(951_782_400_123_456));
        check("1999-12-31T19:00:00-05:00", Some(946_684_800_000_000));
        check("2000-02-29t00:00:00.00000199999999999z", Some(951_782_400_000_001));
        for text in [
            "",
            "2000-02-29",
            "2000-02-29T00:00:00",
            "2000-02-29T00:00:00+2",
            "x000-02-29T00:00:00Z",
            "2000-13-29T00:00:00Z",
            "2001-02-29T00:00:00Z",
            "2000-02-29T24:00:00Z",
        ] {
            check(text, None);
        }
        for micros in [-1, 0, 1_709_251_199_000_001, 4_107_542_400_999_999] {
            check(&At(micros).to_string(), Some(micros));
        }
    }

    struct Set(Arc<Mutex<(i64, u64)>>);

    impl Clock for Set {
        fn wall(&self) -> At {
            At(self.0.lock().unwrap().0)
        }

        fn ticks(&self) -> Duration {
            Duration::from_micros(self.0.lock().unwrap().1)
        }
    }

    #[test]
    fn time_goes_on_when_the_clock_is_set_back_and_jumps_when_it_is_set_forth() {
        let set = Arc::new(Mutex::new((1_000, 0)));
        let time = Time::new(Box::new(Set(set.clone())));
        let at = |wall, ticks| {
            *set.lock().unwrap() = (wall, ticks);
            time.now().0
        };
        assert_eq!(at(1_010, 10), 1_010);
        assert_eq!(at(500, 20), 1_020, "set back");
        assert_eq!(at(510, 30), 1_030, "and going on");
        assert_eq!(at(9_000, 40), 9_000, "set forth");
        assert_eq!(at(600, 50), 9_010, "and back again");
        time.not_before(At(20_000));
        assert_eq!(at(610, 60), 20_010, "never before what is recorded");
    }
}
