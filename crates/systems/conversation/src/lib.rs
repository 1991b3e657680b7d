//! Documents are taken in, found and talked about: the agents Connector, Parser and Memory (docs/spec/crew.md).
//!
//! [`ingest`] is the durable run that takes sources in, file by file: [`workflows`] is its program and [`agents`] is what its
//! calls reach. [`take_texts`] takes texts in without a run. All of them work on one [`Library`], which the caller composes: a connector, a reader of files, an index.
//!
//! What a document says is in no journal: calls name files below the home, so that a source that is removed leaves nothing
//! behind. Nothing here decides who may name which path (the caller says how far it trusts a source), and nothing
//! here knows a route or a command.

mod agents;
pub mod failure;
pub mod ingest;
mod library;
mod reading;
mod texts;

pub use self::{
    agents::{CONNECTOR, MEMORY, PARSER, agents, discard, is_agent},
    ingest::workflow::workflows,
    library::{CredentialsOf, Given, Library, NothingGiven},
    reading::{FileReader, Reading, parsed_chunks},
    texts::{TextInput, take_texts},
};
