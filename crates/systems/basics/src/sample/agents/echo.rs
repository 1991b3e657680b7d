//! `sample/echo`: does nothing, takes as long as it is told to, and answers with as many bytes.
//!
//! It stands in for an agent where only the engine is of interest, so it has no contract to be
//! checked and makes an answer only when its size is not that of the last one.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use consign_engine::{Agent, Attempt, Data, Effect, Failure, Invoker, Nanos, Reply};
use serde::{Deserialize, Serialize};

use super::{
    nap::nap,
    terms::{self, unpaid},
};

pub(crate) const NAME: &str = "sample/echo";

pub(crate) const MOST_PAYLOAD: u32 = 1 << 20;

#[derive(Serialize, Deserialize)]
pub(crate) struct Input {
    pub(crate) sleep_ms: u32,
    /// How long the answer is, in bytes of JSON.
    pub(crate) payload: u32,
}

pub(super) fn agent() -> Agent {
    Agent::new(Effect::Pure, Echo { last: Mutex::new((0, filled(0))) })
}

struct Echo {
    last: Mutex<(u32, Data)>,
}

#[async_trait]
impl Invoker for Echo {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let input: Input = terms::read(&attempt.input).map_err(unpaid)?;
        nap(Duration::from_millis(input.sleep_ms.into()), attempt.cancelled())
            .await
            .map_err(unpaid)?;
        Ok(Reply::new(self.answer(input.payload.min(MOST_PAYLOAD)), Nanos::ZERO))
    }
}

impl Echo {
    fn answer(&self, payload: u32) -> Data {
        // It is replaced as a whole, so there is nothing that a panic could have left half done.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != payload {
            *last = (payload, filled(payload));
        }
        last.1.clone()
    }
}

#[derive(Serialize)]
struct Answer {
    filler: String,
}

/// An answer of that many bytes, or of the fewest that it can have.
fn filled(payload: u32) -> Data {
    let around = Data::of(&Answer { filler: String::new() }).as_str().len();
    Data::of(&Answer { filler: filler((payload as usize).saturating_sub(around)) })
}

/// Always the same text, and one that does not compress to nothing: a store that packs what it
/// keeps is to be measured with something to pack.
fn filler(length: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut state = 1u64;
    let letter = || {
        // Knuth's MMIX generator; its upper bits are the random ones.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(LETTERS[(state >> 58) as usize])
    };
    std::iter::repeat_with(letter).take(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_the_size_that_was_asked_for() {
        for payload in [13, 14, 100, 4_096, MOST_PAYLOAD] {
            assert_eq!(filled(payload).as_str().len(), payload as usize);
        }
        assert_eq!(filled(0).as_str(), r#"{"filler":""}"#);
    }

    #[test]
    fn the_same_size_is_the_same_answer() {
        let echo = Echo { last: Mutex::new((0, filled(0))) };
        let first = echo.answer(1_000);
        assert_eq!(echo.answer(1_000).as_str().as_ptr(), first.as_str().as_ptr());
        assert_eq!(echo.answer(20).as_str().len(), 20);
        assert_eq!(echo.answer(1_000), first);
    }
}
