//! Runs, events and interactions as JSON: what the server gives, so that every surface gives the same.

pub(crate) use consign_app::view::{at, data, event, interaction, number, object, text, usd};
