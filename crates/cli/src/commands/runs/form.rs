//! Runs, events and interactions as JSON: what the server gives, so that every surface gives the same.

pub(crate) use consign_server::view::{at, data, event, interaction, number, text, usd};
