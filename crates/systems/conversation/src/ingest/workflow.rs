//! The program of an ingest: opens what [`Progress`] wants, and tells it what happened.

use std::{path::PathBuf, time::Duration};

use consign_connector::Validators;
use consign_engine::{
    Activity, AgentName, Bound, Call, Data, Fault, Happened, Key, Limits, Nanos, Next, Outcome,
    Retry, Settings, Signal, Workflow, Workflows,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    FileRow, IngestInput, OcrWish, Progress, SourceInput, Trusting,
    progress::{Fetching, Parsing, Wanted},
};
use crate::agents::{CONNECTOR, FetchedFile, KEEPER, MEMORY, PARSER, TIDIER};

/// The workflow of ingests.
pub const WORKFLOW: &str = "conversation/ingest";
/// The step that removes what is left of a run on the disk.
pub(crate) const TIDY: &str = "tidy";

/// What the connector's step is given.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FetchInput {
    pub(crate) number: u32,
    /// The place of the source in the input of the run.
    pub(crate) place: usize,
    pub(crate) source: SourceInput,
    pub(crate) collection: String,
    pub(crate) trust: Trusting,
    /// Files below this number are recorded.
    pub(crate) settled: u32,
    /// Files are read again even if their bytes are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ocr: Option<OcrWish>,
    /// Known files of which something else is said are taken in again.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) metadata: Map<String, Value>,
}

/// What the parser's step is given.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReadInput {
    pub(crate) number: u32,
    pub(crate) collection: String,
    pub(crate) file: Data,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ocr: Option<OcrWish>,
    /// Names the password of sealed files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) credentials_id: Option<String>,
}

/// What the memory's step is given.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeepInput {
    pub(crate) collection: String,
    pub(crate) read: Data,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) metadata: Map<String, Value>,
}

/// Adds the workflow.
#[must_use]
pub(crate) fn workflows(workflows: Workflows) -> Workflows {
    workflows.with(Ingest)
}

/// The row of a file, of a step that settled one. `key` is the step's key, `output` what it gave.
#[must_use]
pub fn row_of(key: &str, output: &Data) -> Option<FileRow> {
    let (agent, _) = key.rsplit_once('-')?;
    match agent {
        CONNECTOR => match output.to().ok()? {
            Fetching::Row { row, .. } | Fetching::GivenUp { row } => Some(*row),
            Fetching::Fetched { .. } | Fetching::NotYet | Fetching::End => None,
        },
        PARSER => match output.to().ok()? {
            Parsing::Row { row } => Some(*row),
            Parsing::Read { .. } => None,
        },
        MEMORY => output.to().ok(),
        _ => None,
    }
}

/// The file that a connector's step has given: its name, and what tells whether it has changed.
#[must_use]
pub fn given_of(key: &str, output: &Data) -> Option<(String, Option<Validators>)> {
    let (agent, _) = key.rsplit_once('-')?;
    if agent != CONNECTOR {
        return None;
    }
    match output.to().ok()? {
        Fetching::Fetched { file } => {
            let file: FetchedFile = file.to().ok()?;
            Some((file.fetched_as, serde_json::from_value(file.validators).ok()))
        }
        Fetching::Row { row, validators } => {
            Some((row.fetched_as.unwrap_or(row.source_identifier), validators))
        }
        Fetching::NotYet | Fetching::GivenUp { .. } | Fetching::End => None,
    }
}

/// What a step says about the copy of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyNote {
    /// This file has a copy. It is of the source of this identifier.
    Made { number: u32, copy: PathBuf, identifier: String },
    /// This file is settled: its copy is of no use any more.
    Settled(u32),
}

/// What a step says about the copy of a file. `key` is the step's key, `output` what it gave.
#[must_use]
pub fn copy_note_of(key: &str, output: &Data) -> Option<CopyNote> {
    let (agent, number) = key.rsplit_once('-')?;
    let number = number.parse().ok()?;
    match agent {
        CONNECTOR => match output.to().ok()? {
            Fetching::Fetched { file } => {
                let file: FetchedFile = file.to().ok()?;
                let FetchedFile { file_path: copy, identifier, .. } = file;
                Some(CopyNote::Made { number, copy, identifier })
            }
            Fetching::Row { .. } | Fetching::NotYet | Fetching::GivenUp { .. } | Fetching::End => {
                None
            }
        },
        PARSER | MEMORY => row_of(key, output).map(|_| CopyNote::Settled(number)),
        _ => None,
    }
}

struct Ingest;

impl Workflow for Ingest {
    type State = Progress;

    fn name(&self) -> &str {
        WORKFLOW
    }

    fn start(&self, input: &Data) -> Result<Progress, Fault> {
        Ok(Progress::new(IngestInput::read(input)?))
    }

    fn decide(&self, progress: &Progress) -> Next {
        let wanted = progress.wanted();
        if wanted.is_empty() {
            return Next::Finish(match progress.end() {
                Ok(outcome) => Outcome::Succeeded(Data::of(&outcome)),
                Err(fault) => Outcome::Failed(fault),
            });
        }
        Next::Open(
            wanted.into_iter().map(|wanted| Activity::Call(call(progress, wanted))).collect(),
        )
    }

    fn evolve(&self, progress: &mut Progress, happened: &Happened<'_>) {
        match *happened {
            Happened::Completed { key, output, .. } => match numbered(key) {
                (CONNECTOR, Some(number)) => progress.fetched(number, output),
                (PARSER, Some(number)) => progress.read(number, output),
                (MEMORY, Some(number)) => progress.kept(number, output),
                _ => progress.tidied(),
            },
            Happened::Failed { key, fault, work } => {
                let (agent, number) = numbered(key);
                progress.failed(agent, number, fault, work.ended);
            }
            Happened::Answered { .. }
            | Happened::Fired { .. }
            | Happened::Signalled(
                Signal::Advice(_) | Signal::Raised(_) | Signal::Cancel | Signal::Named { .. },
            ) => {}
        }
    }

    fn bound(&self, _: &Data, _: &Limits, _: &Settings) -> Bound {
        // How many files there are is known when they were fetched; none of it costs money.
        Bound { cost: Some(Nanos::ZERO), calls: None }
    }
}

/// The agent and the number in a key.
fn numbered(key: &Key) -> (&str, Option<u32>) {
    match key.as_str().rsplit_once('-') {
        Some((agent, number)) => (agent, number.parse().ok()),
        None => (key.as_str(), None),
    }
}

fn call(progress: &Progress, wanted: Wanted) -> Call {
    let input = &progress.input;
    let collection = input.collection.clone();
    let (key, agent, input) = match wanted {
        Wanted::Fetch { number, source, settled } => {
            let given = FetchInput {
                number,
                place: source,
                source: input.sources[source].clone(),
                collection,
                trust: input.trust,
                settled,
                ocr: input.ocr,
                metadata: input.metadata.clone(),
            };
            (format!("{CONNECTOR}-{number}"), CONNECTOR, Data::of(&given))
        }
        Wanted::Read { number, source, fetched } => {
            let credentials_id = input.sources[source].credentials_id.clone();
            let given =
                ReadInput { number, collection, file: fetched, ocr: input.ocr, credentials_id };
            (format!("{PARSER}-{number}"), PARSER, Data::of(&given))
        }
        Wanted::Keep { number, read } => {
            let given = KeepInput { collection, read, metadata: input.metadata.clone() };
            (format!("{MEMORY}-{number}"), KEEPER, Data::of(&given))
        }
        Wanted::Tidy => (TIDY.to_owned(), TIDIER, Data::null()),
    };
    let retry = Retry::new(2, Duration::from_secs(1), Duration::from_secs(30));
    Call { key: Key::new(key), agent: AgentName::from(agent), input, retry }
}
