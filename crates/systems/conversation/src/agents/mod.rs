//! The agents of documents, for an engine: each does one step of an ingest on the [`Library`].

mod connector;
mod keeper;
mod parser;
mod tidier;

use std::{sync::Arc, time::Duration};

use consign_engine::{Agent, Agents, Effect, Failure, Fault, Nanos};
use consign_knowledge::SourceId;

pub(crate) use self::connector::FetchedFile;
pub use self::parser::discard;
use crate::{
    Library,
    failure::Failed,
    ingest::{FileRow, RowStatus},
    turn,
};

/// Fetches: contract `crew/connector.input` to `crew/connector.output`.
pub const CONNECTOR: &str = "connector";
/// Reads: contract `crew/parser.input` to `crew/parser.output`.
pub const PARSER: &str = "parser";
/// Finds, and keeps what is found.
pub const MEMORY: &str = "memory";
/// The step of the memory that keeps a document.
pub(crate) const KEEPER: &str = "memory.keep";
/// The step that removes the folder of a run.
pub(crate) const TIDIER: &str = "ingest.tidy";

/// The longest time that settings may allow for fetching one file, and more.
const LONGEST_FETCH: Duration = Duration::from_secs(6 * 3600);

/// Whether an agent works in ingests or turns. What these are given names files below the home, or has gone through the
/// guard before, so they are not for outside callers.
#[must_use]
pub fn is_agent(name: &str) -> bool {
    [CONNECTOR, PARSER, MEMORY, KEEPER, TIDIER].contains(&name) || turn::is_agent(name)
}

/// Adds the agents of documents to those that there are.
#[must_use]
pub fn agents(agents: Agents, library: &Arc<Library>) -> Agents {
    let long = Duration::from_secs(600);
    let repeatable =
        |agents: Agents, name: &str, agent: Agent| agents.with(name, agent.with_timeout(long));
    let connector = connector::ConnectorAgent::new(library.clone());
    // It ends its steps itself, after the time that the settings allow for one.
    let connector = Agent::new(Effect::Idempotent, connector).with_timeout(LONGEST_FETCH);
    let agents = agents.with(CONNECTOR, connector);
    let parser = parser::ParserAgent(library.clone());
    let agents = repeatable(agents, PARSER, Agent::new(Effect::Idempotent, parser));
    let keeper = keeper::KeeperAgent(library.clone());
    let agents = repeatable(agents, KEEPER, Agent::new(Effect::Idempotent, keeper));
    let tidier = tidier::TidierAgent(library.clone());
    repeatable(agents, TIDIER, Agent::new(Effect::Idempotent, tidier))
}

/// The row of a file whose source was removed while the run that takes it in was under way.
fn removed(library: &Library, source: &SourceId, identifier: &str, collection: &str) -> FileRow {
    let why = "it was removed while this ingest was under way: take it in again after that";
    FileRow {
        source_id: source.to_string(),
        document_id: None,
        source_identifier: identifier.to_owned(),
        collection: collection.to_owned(),
        status: RowStatus::Skipped,
        chunks: 0,
        pages: 0,
        checksum: None,
        error: Some(Failed::new(MEMORY, "SOURCE_REMOVED", why).at(library.now())),
        warnings: Vec::new(),
        fetched_as: None,
    }
}

/// A step that failed and cost nothing.
fn failure(fault: Fault) -> Failure {
    Failure::new(fault, Some(Nanos::ZERO))
}

/// A fault of our own disk or database: it may pass.
fn passing(code: &'static str, why: impl Into<String>) -> Failure {
    failure(Fault::transient(code, why.into()))
}

fn broken(why: impl std::fmt::Display) -> Failure {
    failure(Fault::permanent("INVALID_INPUT", format!("what the step is given: {why}")))
}
