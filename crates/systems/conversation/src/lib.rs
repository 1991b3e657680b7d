//! Documents are taken in, found and talked about: the agents of docs/spec/crew.md.
//!
//! [`ingest`] is the durable run that takes sources in, file by file, and [`take_texts`] takes texts in without a run. [`turn`]
//! is the durable run that answers a message, with citations that were checked. [`workflows`] has their programs, [`agents`]
//! and [`turn::turn_agents`] what their calls reach. All of them work on one [`Library`], which the caller composes: a
//! connector, a reader of files, an index.
//!
//! What a document says is in no journal of an ingest: calls name files below the home. The journal of a turn has the
//! passages that it was given, and is erased when their source is removed. Nothing here decides who may name which path
//! (the caller says how far it trusts a source), and nothing here knows a route or a command.

mod agents;
pub mod failure;
pub mod ingest;
mod library;
mod reading;
mod texts;
pub mod turn;

use consign_engine::Workflows;

pub use self::{
    agents::{CONNECTOR, MEMORY, PARSER, agents, discard, is_agent},
    library::{CredentialsOf, Given, Library, NothingGiven},
    reading::{FileReader, Reading, parsed_chunks},
    texts::{TextInput, take_texts},
};

/// Adds the workflows of documents and conversations.
#[must_use]
pub fn workflows(workflows: Workflows) -> Workflows {
    turn::workflow::workflows(ingest::workflow::workflows(workflows))
}
