//! How much of a provider one process takes: at once, in a minute, and after it has failed.
//!
//! [`Throttle::enter`] waits for a place and for its turn, or says at once that the provider is to be
//! left alone: after a `Retry-After`, and after so many failures in a row (the circuit is open). When
//! the pause is over one call goes ahead to see; the others wait for what it finds.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use consign_contracts::authoring::ErrorCode;
use serde::Deserialize;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep_until},
};

use crate::{Provider, Trouble};

/// What one provider is asked for at most.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pace {
    /// Calls at the same time.
    pub at_once: usize,
    pub requests_per_minute: Option<u32>,
    /// Tokens of the worst case, input and output together.
    pub tokens_per_minute: Option<u64>,
    /// Failures in a row after which it is left alone for a while.
    pub failures: u32,
    /// For how long, in seconds.
    pub pause_seconds: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            at_once: 64,
            requests_per_minute: None,
            tokens_per_minute: None,
            failures: 5,
            pause_seconds: 30,
        }
    }
}

/// The throttle of one provider.
pub struct Throttle {
    provider: Provider,
    pace: Pace,
    places: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// When the next request may go out, and when the tokens so far are paid off.
    request_at: Option<Instant>,
    tokens_at: Option<Instant>,
    circuit: Circuit,
    /// The provider asked to be left alone until then.
    asked_until: Option<Instant>,
}

#[derive(Clone, Copy, Default)]
enum Circuit {
    #[default]
    Closed,
    Failing(u32),
    Open {
        until: Instant,
    },
    /// Somebody has gone ahead to see.
    Probing,
}

/// A place at a provider. Whoever has it says how it went; who says nothing found nothing out.
pub struct Place<'a> {
    throttle: &'a Throttle,
    told: bool,
    _place: OwnedSemaphorePermit,
}

impl Throttle {
    #[must_use]
    pub fn new(provider: Provider, pace: Pace) -> Self {
        let places = Arc::new(Semaphore::new(pace.at_once.clamp(1, 100_000)));
        Self { provider, pace, places, state: Mutex::default() }
    }

    /// Whether it matters how many tokens a call has.
    #[must_use]
    pub fn counts_tokens(&self) -> bool {
        self.pace.tokens_per_minute.is_some()
    }

    /// Waits for a place and its turn. Nothing was sent if this fails.
    pub async fn enter(&self, tokens: u64) -> Result<Place<'_>, Trouble> {
        self.admit(Instant::now())?;
        let place = self.places.clone().acquire_owned().await;
        let place = place.map_err(|_| self.closed("it is shut down", Duration::ZERO))?;
        // What happened while we waited counts.
        self.admit(Instant::now())?;
        let now = Instant::now();
        let turn = self.turn(now, tokens);
        if turn > now {
            // Even a sleep until now takes a millisecond: that is what the timer counts in.
            sleep_until(turn).await;
        }
        let probing = self.go_ahead(Instant::now())?;
        Ok(Place { throttle: self, told: !probing, _place: place })
    }

    /// Whether the provider may be asked at all just now.
    fn admit(&self, now: Instant) -> Result<(), Trouble> {
        let state = self.lock();
        if let Some(until) = state.asked_until.filter(|until| *until > now) {
            let provider = self.provider;
            let what = format!("{provider} asked to be left alone; nothing was sent");
            let wait = Some(until - now);
            return Err(Trouble::passing(ErrorCode::AiRateLimited, what).with_retry_after(wait));
        }
        match state.circuit {
            Circuit::Open { until } if until > now => {
                let failures = self.pace.failures;
                Err(self.closed(&format!("it failed {failures} times in a row"), until - now))
            }
            Circuit::Probing => {
                Err(self.closed("somebody is finding out whether it is back", PROBING))
            }
            Circuit::Closed | Circuit::Failing(_) | Circuit::Open { .. } => Ok(()),
        }
    }

    /// Says whether this call is the one that goes ahead to see.
    fn go_ahead(&self, now: Instant) -> Result<bool, Trouble> {
        self.admit(now)?;
        let mut state = self.lock();
        let open = matches!(state.circuit, Circuit::Open { .. });
        if open {
            state.circuit = Circuit::Probing;
        }
        Ok(open)
    }

    fn closed(&self, why: &str, wait: Duration) -> Trouble {
        let what = format!("{} is left alone: {why}; nothing was sent", self.provider);
        let wait = Some(wait.max(Duration::from_millis(1)));
        Trouble::passing(ErrorCode::AiProviderError, what).with_retry_after(wait)
    }

    /// When a call of so many tokens may go out. It takes its turn by asking.
    fn turn(&self, now: Instant, tokens: u64) -> Instant {
        let minute = Duration::from_secs(60);
        let mut state = self.lock();
        let mut turn = now;
        if let Some(most) = self.pace.requests_per_minute {
            turn = turn.max(state.request_at.unwrap_or(now));
            state.request_at = Some(turn + minute / most.max(1));
        }
        if let Some(most) = self.pace.tokens_per_minute {
            turn = turn.max(state.tokens_at.unwrap_or(now));
            let share = tokens as f64 / most.max(1) as f64;
            // One call that is larger than a minute's worth waits for others, and they for it.
            state.tokens_at = Some(turn + minute.mul_f64(share.min(60.0)));
        }
        turn
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How soon to look again while somebody finds out.
const PROBING: Duration = Duration::from_secs(1);

impl Place<'_> {
    pub fn succeeded(mut self) {
        self.told = true;
        self.throttle.lock().circuit = Circuit::Closed;
    }

    /// It did not work. Only what is the provider's own failure counts against it.
    pub fn failed(mut self, trouble: &Trouble) {
        self.told = true;
        let now = Instant::now();
        let mut state = self.throttle.lock();
        if let (ErrorCode::AiRateLimited, Some(wait)) = (trouble.code, trouble.retry_after) {
            state.asked_until = state.asked_until.max(Some(now + wait));
        }
        let own = trouble.passing
            && matches!(trouble.code, ErrorCode::AiProviderError | ErrorCode::AiNetworkError);
        let pace = &self.throttle.pace;
        state.circuit = match (state.circuit, own) {
            (_, false) => Circuit::Closed,
            (Circuit::Failing(before), true) if before + 1 < pace.failures => {
                Circuit::Failing(before + 1)
            }
            (Circuit::Closed, true) if pace.failures > 1 => Circuit::Failing(1),
            (Circuit::Failing(_) | Circuit::Closed | Circuit::Probing, true) => {
                Circuit::Open { until: now + Duration::from_secs(pace.pause_seconds) }
            }
            (open @ Circuit::Open { .. }, true) => open,
        };
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if !self.told {
            // It was to find out and was broken off: somebody else may.
            self.throttle.lock().circuit = Circuit::Open { until: Instant::now() };
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn throttle(pace: Pace) -> Throttle {
        Throttle::new(Provider::OpenAi, pace)
    }

    fn down() -> Trouble {
        Trouble::passing(ErrorCode::AiProviderError, "down").with_status(500)
    }

    async fn fails(throttle: &Throttle, trouble: &Trouble) {
        throttle.enter(1).await.unwrap_or_else(|why| panic!("{why:?}")).failed(trouble);
    }

    async fn refused(throttle: &Throttle) -> Trouble {
        throttle.enter(1).await.err().expect("it is refused")
    }

    #[tokio::test(start_paused = true)]
    async fn after_so_many_failures_in_a_row_it_is_left_alone_and_then_tried_by_one() {
        let throttle = throttle(Pace { failures: 3, ..Pace::default() });
        for _ in 0..3 {
            fails(&throttle, &down()).await;
        }
        let trouble = refused(&throttle).await;
        assert_eq!(trouble.code, ErrorCode::AiProviderError);
        assert_eq!(trouble.retry_after, Some(Duration::from_secs(30)));
        tokio::time::advance(Duration::from_secs(30)).await;
        let ahead = throttle.enter(1).await.ok().expect("one goes ahead");
        assert!(refused(&throttle).await.what.contains("finding out"));
        ahead.failed(&down());
        assert!(refused(&throttle).await.what.contains("3 times"));
        tokio::time::advance(Duration::from_secs(30)).await;
        throttle.enter(1).await.ok().expect("one goes ahead").succeeded();
        fails(&throttle, &down()).await;
        throttle.enter(1).await.ok().expect("one failure is not many").succeeded();
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_was_to_find_out_and_was_broken_off_is_followed_by_another() {
        let throttle = throttle(Pace { failures: 1, ..Pace::default() });
        fails(&throttle, &down()).await;
        tokio::time::advance(Duration::from_secs(30)).await;
        drop(throttle.enter(1).await.ok().expect("one goes ahead"));
        throttle.enter(1).await.ok().expect("another goes ahead").succeeded();
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_not_its_own_failure_does_not_count_against_it() {
        let throttle = throttle(Pace { failures: 2, ..Pace::default() });
        let bad_key = Trouble::lasting(ErrorCode::AiAuthError, "no");
        let garbled = Trouble::passing(ErrorCode::AiInvalidResponse, "no");
        for trouble in [down(), bad_key, down(), garbled, down()] {
            fails(&throttle, &trouble).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_left_alone_for_as_long_as_it_asks() {
        let throttle = throttle(Pace::default());
        let wait = Duration::from_secs(7);
        let busy = Trouble::passing(ErrorCode::AiRateLimited, "busy").with_retry_after(Some(wait));
        fails(&throttle, &busy).await;
        let trouble = refused(&throttle).await;
        assert_eq!((trouble.code, trouble.retry_after), (ErrorCode::AiRateLimited, Some(wait)));
        tokio::time::advance(wait).await;
        throttle.enter(1).await.ok().expect("the time is over").succeeded();
    }

    #[tokio::test(start_paused = true)]
    async fn calls_take_turns_by_requests_and_by_tokens() {
        let check = async |pace: Pace, tokens: [u64; 3], seconds: [u64; 3]| {
            let throttle = throttle(pace);
            let began = Instant::now();
            let mut turns = Vec::new();
            for tokens in tokens {
                throttle.enter(tokens).await.ok().expect("there is a turn").succeeded();
                turns.push(began.elapsed().as_secs());
            }
            assert_eq!(turns, seconds);
        };
        check(Pace::default(), [1, 1, 1], [0, 0, 0]).await;
        let requests = Pace { requests_per_minute: Some(6), ..Pace::default() };
        check(requests, [1, 1, 1], [0, 10, 20]).await;
        let tokens = Pace { tokens_per_minute: Some(600), ..Pace::default() };
        check(tokens, [100, 300, 1], [0, 10, 40]).await;
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_has_no_turn_to_wait_for_does_not_wait() {
        let throttle = throttle(Pace::default());
        // The timer counts in whole milliseconds, and a call comes in between.
        tokio::time::advance(Duration::from_micros(500)).await;
        assert!(throttle.enter(1).now_or_never().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_so_many_are_there_at_once() {
        let throttle = throttle(Pace { at_once: 2, ..Pace::default() });
        let first = throttle.enter(1).await.ok().expect("there is a place");
        let _second = throttle.enter(1).await.ok().expect("there is a place");
        let third = tokio::time::timeout(Duration::from_secs(1), throttle.enter(1)).await;
        assert!(third.is_err(), "it waits");
        first.succeeded();
        throttle.enter(1).await.ok().expect("there is a place again").succeeded();
    }
}
