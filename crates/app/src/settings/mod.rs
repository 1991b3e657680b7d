//! What an owner has set: keys of AI providers, a token for GitHub, and the model and the defaults of each agent.
//!
//! Every use case takes the [`Owner`](consign_engine::Owner) on whose behalf it acts and reaches nothing of another.
//! Keys go into the vault, sealed; everything else into the store of settings, in plain text. A key comes in and never
//! goes out again: not in an outcome, an error, a log or a `Debug`.

pub mod agents;
pub mod ai_keys;
pub mod github;
mod invalid;
mod sealed;

pub use self::agents::{AgentSettings, for_job};
pub(crate) use self::{invalid::invalid, sealed::refused};
