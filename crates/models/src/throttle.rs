//! Limits what one process asks of a provider: at once, per minute, and after failures.
//!
//! [`Throttle::enter`] waits for a free place and its turn, or fails at once while the provider is
//! paused: after a `Retry-After`, and after several failures in a row (the circuit is open). When
//! the pause is over, one call goes first as a probe, and the others wait for its result.
//!
//! Each base URL of a provider has its own throttle: a failure of one says nothing about another. A
//! `Retry-After` counts only for the key that received it, because quotas belong to keys.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use consign_contracts::authoring::ErrorCode;
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep_until},
};
use tracing::warn;

use crate::{Provider, Trouble, transport::Secret};

/// The limits for one provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Calls at the same time.
    pub at_once: usize,
    pub requests_per_minute: Option<u32>,
    /// The tokens of the worst case, input and output together.
    pub tokens_per_minute: Option<u64>,
    /// Failures in a row after which the provider is paused.
    pub failures: u32,
    /// How long a pause lasts, in seconds.
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

/// A caller that comes back at the time it was told may come a little early, because of another
/// clock or a rounded figure. It then waits here, so that no retry is lost.
const SOON: Duration = Duration::from_secs(1);

/// The throttle of one base URL of a provider.
pub struct Throttle {
    provider: Provider,
    pace: Pace,
    /// Hashes keys, so that they can be told apart without being kept.
    marks: RandomState,
    places: Arc<Semaphore>,
    state: Mutex<State>,
    /// Notifies waiters when a probe has a result.
    seen: Notify,
}

#[derive(Default)]
struct State {
    /// When the next request may go out, and when the tokens so far are paid off.
    request_at: Option<Instant>,
    tokens_at: Option<Instant>,
    circuit: Circuit,
    /// For each key, until when it must not send.
    asked_until: BTreeMap<u64, Instant>,
}

#[derive(Clone, Copy, Default)]
enum Circuit {
    #[default]
    Closed,
    Failing(u32),
    Open {
        until: Instant,
    },
    /// A probe is under way.
    Probing,
}

/// A place at a provider. Its holder reports how the call went; dropping it without a report counts
/// neither as success nor as failure.
pub struct Place<'a> {
    throttle: &'a Throttle,
    /// The hash of the key that the call uses.
    mark: u64,
    told: bool,
    _place: OwnedSemaphorePermit,
}

impl Throttle {
    #[must_use]
    pub fn new(provider: Provider, pace: Pace) -> Self {
        let places = Arc::new(Semaphore::new(pace.at_once.clamp(1, 100_000)));
        let (marks, state, seen) = (RandomState::new(), Mutex::default(), Notify::new());
        Self { provider, pace, marks, places, state, seen }
    }

    /// Whether `enter` needs the number of tokens.
    #[must_use]
    pub fn counts_tokens(&self) -> bool {
        self.pace.tokens_per_minute.is_some()
    }

    /// Waits for a place and its turn. If this fails, nothing was sent.
    pub async fn enter(&self, tokens: u64, key: Option<&Secret>) -> Result<Place<'_>, Trouble> {
        let mark = self.marks.hash_one(key.map(Secret::reveal));
        self.admitted(mark, false).await?;
        let place = self.places.clone().acquire_owned().await;
        let place = place.map_err(|_| self.closed("the throttle is closed", Duration::ZERO))?;
        let now = Instant::now();
        let turn = self.turn(now, tokens);
        if turn.at > now {
            // Even a sleep until now takes a millisecond: that is what the timer counts in.
            sleep_until(turn.at).await;
        }
        // What happened while we waited counts.
        let probing = self.admitted(mark, true).await?;
        turn.taken();
        Ok(Place { throttle: self, mark, told: !probing, _place: place })
    }

    /// Waits while a probe is under way. Returns whether this call is the next probe, which it may
    /// be only if `ahead` is set.
    async fn admitted(&self, mark: u64, ahead: bool) -> Result<bool, Trouble> {
        loop {
            let seen = self.seen.notified();
            tokio::pin!(seen);
            // From here on nothing is missed.
            seen.as_mut().enable();
            match self.admit(Instant::now(), mark, ahead)? {
                Admitted::Yes => return Ok(false),
                Admitted::Ahead => return Ok(true),
                Admitted::Wait => seen.await,
                Admitted::At(until) => sleep_until(until).await,
            }
        }
    }

    /// Whether the provider may be called now.
    fn admit(&self, now: Instant, mark: u64, ahead: bool) -> Result<Admitted, Trouble> {
        let mut state = self.lock();
        state.asked_until.retain(|_, until| *until > now);
        if let Some(until) = state.asked_until.get(&mark).copied() {
            if until - now <= SOON {
                return Ok(Admitted::At(until));
            }
            let provider = self.provider;
            let what =
                format!("{provider} asked to wait before the next request; nothing was sent");
            let wait = Some(until - now);
            return Err(Trouble::passing(ErrorCode::AiRateLimited, what).with_retry_after(wait));
        }
        match state.circuit {
            Circuit::Open { until } if until > now && until - now <= SOON => {
                Ok(Admitted::At(until))
            }
            Circuit::Open { until } if until > now => {
                let failures = self.pace.failures;
                Err(self.closed(&format!("it failed {failures} times in a row"), until - now))
            }
            Circuit::Probing => Ok(Admitted::Wait),
            Circuit::Closed | Circuit::Failing(_) => Ok(Admitted::Yes),
            Circuit::Open { .. } if ahead => {
                state.circuit = Circuit::Probing;
                Ok(Admitted::Ahead)
            }
            Circuit::Open { .. } => Ok(Admitted::Yes),
        }
    }

    fn closed(&self, why: &str, wait: Duration) -> Trouble {
        let what = format!("requests to {} are paused: {why}; nothing was sent", self.provider);
        let wait = Some(wait.max(Duration::from_millis(1)));
        Trouble::passing(ErrorCode::AiProviderError, what).with_retry_after(wait)
    }

    /// When a call with so many tokens may go out. Asking takes the turn.
    fn turn(&self, now: Instant, tokens: u64) -> Turn<'_> {
        let minute = Duration::from_secs(60);
        let mut state = self.lock();
        let (mut at, mut request, mut share) = (now, Duration::ZERO, Duration::ZERO);
        if let Some(most) = self.pace.requests_per_minute {
            at = at.max(state.request_at.unwrap_or(now));
            request = minute / most.max(1);
            state.request_at = Some(at + request);
        }
        if let Some(most) = self.pace.tokens_per_minute {
            at = at.max(state.tokens_at.unwrap_or(now));
            // One call that is larger than a minute's worth waits for others, and they for it.
            share = minute.mul_f64((tokens as f64 / most.max(1) as f64).min(60.0));
            state.tokens_at = Some(at + share);
        }
        Turn { throttle: self, at, request, tokens: share, given_up: true }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a call may go out.
enum Admitted {
    Yes,
    /// The pause is over: this call is the probe.
    Ahead,
    /// A probe is under way.
    Wait,
    /// Not before this instant, which is soon.
    At(Instant),
}

/// A call's turn. Dropping it gives its time back to the calls that follow.
struct Turn<'a> {
    throttle: &'a Throttle,
    at: Instant,
    request: Duration,
    tokens: Duration,
    given_up: bool,
}

impl Turn<'_> {
    fn taken(mut self) {
        self.given_up = false;
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.given_up {
            let mut state = self.throttle.lock();
            state.request_at = state.request_at.and_then(|at| at.checked_sub(self.request));
            state.tokens_at = state.tokens_at.and_then(|at| at.checked_sub(self.tokens));
        }
    }
}

impl Place<'_> {
    /// Reports that the provider responds, so that waiting calls need not wait for the whole
    /// answer.
    pub fn answers(&mut self) {
        // What began before the provider failed says nothing about it now.
        if !std::mem::replace(&mut self.told, true) {
            self.closes();
        }
    }

    pub fn succeeded(mut self) {
        self.told = true;
        self.closes();
    }

    fn closes(&self) {
        self.throttle.lock().circuit = Circuit::Closed;
        self.throttle.seen.notify_waiters();
    }

    /// Reports a failure. Only the provider's own failures count against it, and a call that never
    /// `went_out` says nothing about it.
    pub fn failed(mut self, trouble: &Trouble, went_out: bool) {
        // A model that has nothing to say is no provider that is down.
        let own = trouble.passing
            && !trouble.empty
            && matches!(trouble.code, ErrorCode::AiProviderError | ErrorCode::AiNetworkError);
        if !own && !went_out {
            return;
        }
        self.told = true;
        let now = Instant::now();
        let mut state = self.throttle.lock();
        if let (ErrorCode::AiRateLimited, Some(wait)) = (trouble.code, trouble.retry_after) {
            let until = state.asked_until.entry(self.mark).or_insert(now);
            *until = (*until).max(now + wait);
        }
        let pace = &self.throttle.pace;
        let was_open = matches!(state.circuit, Circuit::Open { .. });
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
        let paused = !was_open && matches!(state.circuit, Circuit::Open { .. });
        drop(state);
        self.throttle.seen.notify_waiters();
        if paused {
            let (code, pause_seconds) = (trouble.code.as_str(), pace.pause_seconds);
            warn!(
                code,
                pause_seconds, "the provider failed again and again, and gets no calls for a while"
            );
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if !self.told {
            // It was to find out and was broken off: somebody else may.
            self.throttle.lock().circuit = Circuit::Open { until: Instant::now() };
            self.throttle.seen.notify_waiters();
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
        let went_out = trouble.code != ErrorCode::AiKeyMissing;
        let place = throttle.enter(1, None).await.unwrap_or_else(|why| panic!("{why:?}"));
        place.failed(trouble, went_out);
    }

    async fn refused(throttle: &Throttle) -> Trouble {
        throttle.enter(1, None).await.err().expect("it is refused")
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_without_a_word_is_no_failure_of_the_provider() {
        let throttle = throttle(Pace { failures: 2, ..Pace::default() });
        let empty = Trouble::passing(ErrorCode::AiNetworkError, "the answer is empty").empty();
        for _ in 0..5 {
            throttle.enter(1, None).await.expect("it is open").failed(&empty, true);
        }
        assert!(throttle.enter(1, None).await.is_ok());
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
        let ahead = throttle.enter(1, None).await.expect("one goes ahead");
        let waits = tokio::time::timeout(Duration::from_secs(5), throttle.enter(1, None)).await;
        assert!(waits.is_err(), "the others wait for what it finds");
        ahead.failed(&down(), true);
        assert!(refused(&throttle).await.what.contains("3 times"));
        tokio::time::advance(Duration::from_secs(30)).await;
        throttle.enter(1, None).await.expect("one goes ahead").succeeded();
        fails(&throttle, &down()).await;
        throttle.enter(1, None).await.expect("one failure is not many").succeeded();
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_was_to_find_out_and_was_broken_off_is_followed_by_another() {
        let throttle = throttle(Pace { failures: 1, ..Pace::default() });
        fails(&throttle, &down()).await;
        tokio::time::advance(Duration::from_secs(30)).await;
        drop(throttle.enter(1, None).await.expect("one goes ahead"));
        throttle.enter(1, None).await.expect("another goes ahead").succeeded();
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
        throttle.enter(1, None).await.expect("the time is over").succeeded();
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_comes_back_a_little_early_is_let_in_on_time() {
        let throttle = throttle(Pace { failures: 1, ..Pace::default() });
        let began = Instant::now();
        let wait = Duration::from_secs(7);
        let busy = Trouble::passing(ErrorCode::AiRateLimited, "busy").with_retry_after(Some(wait));
        fails(&throttle, &busy).await;
        tokio::time::advance(wait - Duration::from_millis(1)).await;
        throttle.enter(1, None).await.expect("it waits for the rest").succeeded();
        assert_eq!(began.elapsed(), wait);
        fails(&throttle, &down()).await;
        tokio::time::advance(Duration::from_millis(29_999)).await;
        throttle.enter(1, None).await.expect("it waits for the rest").succeeded();
        assert_eq!(began.elapsed(), wait + Duration::from_secs(30));
    }

    #[tokio::test(start_paused = true)]
    async fn who_was_asked_to_wait_waits_and_nobody_else() {
        let throttle = throttle(Pace::default());
        let [ada, bob] = ["key-of-ada", "key-of-bob"].map(|key| Secret::new(key.to_owned()));
        let wait = Some(Duration::from_secs(86_400));
        let busy = Trouble::passing(ErrorCode::AiRateLimited, "busy").with_status(429);
        throttle.enter(1, Some(&ada)).await.unwrap().failed(&busy.with_retry_after(wait), true);
        assert_eq!(throttle.enter(1, Some(&ada)).await.err().unwrap().retry_after, wait);
        throttle.enter(1, Some(&bob)).await.expect("it is not bob's quota").succeeded();
    }

    #[tokio::test(start_paused = true)]
    async fn what_never_got_there_says_nothing_for_the_provider() {
        let throttle = throttle(Pace { failures: 2, ..Pace::default() });
        let no_key = Trouble::lasting(ErrorCode::AiKeyMissing, "there is none");
        fails(&throttle, &down()).await;
        fails(&throttle, &no_key).await;
        fails(&throttle, &down()).await;
        assert!(refused(&throttle).await.what.contains("2 times"));
        tokio::time::advance(Duration::from_secs(30)).await;
        fails(&throttle, &no_key).await;
        // It was the one that went ahead, and found nothing out: the next one goes.
        let ahead = throttle.enter(1, None).await.expect("another goes ahead");
        let waits = tokio::time::timeout(Duration::from_secs(5), throttle.enter(1, None)).await;
        assert!(waits.is_err(), "the others wait for what it finds");
        ahead.succeeded();
    }

    #[tokio::test(start_paused = true)]
    async fn the_others_need_not_wait_for_the_end_of_an_answer() {
        let throttle = throttle(Pace { failures: 1, ..Pace::default() });
        fails(&throttle, &down()).await;
        tokio::time::advance(Duration::from_secs(30)).await;
        let mut ahead = throttle.enter(1, None).await.expect("one goes ahead");
        ahead.answers();
        throttle.enter(1, None).await.expect("it is there").succeeded();
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_began_before_says_nothing_about_those_that_fail_now() {
        let throttle = throttle(Pace { failures: 2, ..Pace::default() });
        let mut long = throttle.enter(1, None).await.expect("there is a place");
        for _ in 0..2 {
            long.answers();
            fails(&throttle, &down()).await;
        }
        long.answers();
        assert!(refused(&throttle).await.what.contains("2 times"));
    }

    #[tokio::test(start_paused = true)]
    async fn calls_take_turns_by_requests_and_by_tokens() {
        let check = async |pace: Pace, tokens: [u64; 3], seconds: [u64; 3]| {
            let throttle = throttle(pace);
            let began = Instant::now();
            let mut turns = Vec::new();
            for tokens in tokens {
                throttle.enter(tokens, None).await.expect("there is a turn").succeeded();
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
        assert!(throttle.enter(1, None).now_or_never().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_is_given_up_is_given_back() {
        let throttle = throttle(Pace { tokens_per_minute: Some(60), ..Pace::default() });
        throttle.enter(60, None).await.expect("the first goes at once").succeeded();
        for _ in 0..10 {
            let gone =
                tokio::time::timeout(Duration::from_secs(1), throttle.enter(600, None)).await;
            assert!(gone.is_err(), "it waits, and gives up");
        }
        let began = Instant::now();
        throttle.enter(1, None).await.expect("there is a turn").succeeded();
        assert!(began.elapsed() <= Duration::from_secs(60), "{:?}", began.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_so_many_are_there_at_once() {
        let throttle = throttle(Pace { at_once: 2, ..Pace::default() });
        let first = throttle.enter(1, None).await.expect("there is a place");
        let _second = throttle.enter(1, None).await.expect("there is a place");
        let third = tokio::time::timeout(Duration::from_secs(1), throttle.enter(1, None)).await;
        assert!(third.is_err(), "it waits");
        first.succeeded();
        throttle.enter(1, None).await.expect("there is a place again").succeeded();
    }
}
