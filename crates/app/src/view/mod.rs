//! Runs, events and interactions as JSON, in the form of contracts `engine/run`, `engine/event` and
//! `engine/interaction`: the same object on every surface.

mod event;
mod interaction;
mod lineage;
mod run;
mod scalar;
mod whole;

pub use event::event;
pub use interaction::interaction;
pub use lineage::{Ancestor, lineage};
pub use run::{add_usage, certificate, limits, listed, pipeline, pipelines, run};
pub use scalar::{at, data, number, object, text, usd};
pub use whole::{End, beginning, current, end, needs_resume, open_asks, whole};
