//! Waiting for what must come true, up to a deadline.

use std::{
    thread,
    time::{Duration, Instant},
};

const LOOK_EVERY: Duration = Duration::from_millis(5);

/// No condition of ours takes this long, whatever else the machine does.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for something and gives it. Panics with what was waited for when the time is over.
#[track_caller]
pub(crate) fn until<T>(
    within: Duration,
    what: impl std::fmt::Display,
    mut look: impl FnMut() -> Option<T>,
) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < within, "within {within:?} this did not come true: {what}");
        thread::sleep(LOOK_EVERY);
    }
}

/// Waits for something to be true. Says how long that took.
#[track_caller]
pub(crate) fn eventually(
    within: Duration,
    what: impl std::fmt::Display,
    mut look: impl FnMut() -> bool,
) -> Duration {
    let begun = Instant::now();
    until(within, what, || look().then_some(()));
    begun.elapsed()
}
