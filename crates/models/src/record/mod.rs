//! Recordings of what was said to models and what they said: bytes out, bytes in, without secrets.
//!
//! A recording is a file of JSON lines, one for each exchange. [`Recorder`] writes one as it goes,
//! [`Replay`] answers from one, and only the very request that was recorded: anything else is refused
//! with the first difference.

mod difference;
mod exchange;
mod recorder;
mod replay;

pub(crate) use self::replay::Replays;
pub use self::{
    exchange::Exchange,
    recorder::{Recorder, Tape},
    replay::Replay,
};
