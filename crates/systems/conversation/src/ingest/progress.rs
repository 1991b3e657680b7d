//! What an ingest has come to, as a value.
//!
//! [`Progress::wanted`] says which calls should be open now; [`Progress::take`] is the only way in which it changes.
//! It holds the files that are under way and counts of the others, so it is as small after a million files as after one.

use std::collections::BTreeMap;

use consign_connector::Validators;
use consign_engine::{At, Data, Fault};
use serde::{Deserialize, Serialize};

use super::{Counts, FileRow, IngestInput, RowStatus};
use crate::{agents::CONNECTOR, failure::Failed};

/// Faults that every other source of a run would have too.
const OF_THE_HOME: [&str; 3] = ["HOME_NOT_WRITABLE", "DATABASE_ERROR", "AGENT_NOT_FOUND"];
/// How many files are under way at the same time.
const AT_ONCE: usize = 6;

/// The state of a run that takes sources in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Progress {
    pub input: IngestInput,
    /// The source that is being fetched: a place in the input.
    source: usize,
    /// The number of the next file.
    next: u32,
    /// The files that are under way, by number.
    open: BTreeMap<u32, Open>,
    pub counts: Counts,
    /// How many files of each source can be found now.
    gave: Vec<u64>,
    /// What was left on the disk is gone.
    is_tidy: bool,
    fault: Option<Fault>,
}

/// A file that is under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Open {
    source: usize,
    stage: Stage,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stage {
    /// It was fetched, and is to be read.
    Read(Data),
    /// It was read, and is to be kept.
    Keep(Data),
}

/// A call that should be open.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wanted {
    /// The next file of a source. What is below `settled` is recorded, and its copies can go.
    Fetch {
        number: u32,
        source: usize,
        settled: u32,
    },
    Read {
        number: u32,
        source: usize,
        fetched: Data,
    },
    Keep {
        number: u32,
        read: Data,
    },
    /// The folder of the run is to be removed.
    Tidy,
}

/// What the connector's step gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fetching {
    /// A file to be read: what the parser's step is given.
    Fetched { file: Data },
    /// A file that is settled already, and what tells whether it has changed.
    Row {
        row: Box<FileRow>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        validators: Option<Validators>,
    },
    /// Nothing was found for a while. There may be more.
    NotYet,
    /// The source hangs, and is left.
    GivenUp { row: Box<FileRow> },
    /// The source has no more files.
    End,
}

/// What the parser's step gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Parsing {
    /// What the memory's step is given.
    Read {
        read: Data,
    },
    Row {
        row: Box<FileRow>,
    },
}

/// What a run that took sources in ends with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IngestOutcome {
    #[serde(flatten)]
    pub counts: Counts,
    /// The sources that were named and gave nothing.
    pub empty: Vec<String>,
}

impl Progress {
    pub(super) fn new(input: IngestInput) -> Self {
        let gave = vec![0; input.sources.len()];
        Self {
            input,
            source: 0,
            next: 0,
            open: BTreeMap::new(),
            counts: Counts::default(),
            gave,
            is_tidy: false,
            fault: None,
        }
    }

    /// Everything that should be open now. Nothing: it is over.
    pub(super) fn wanted(&self) -> Vec<Wanted> {
        if self.fault.is_some() || self.is_tidy {
            return Vec::new();
        }
        let mut wanted: Vec<Wanted> = self
            .open
            .iter()
            .map(|(number, open)| match &open.stage {
                Stage::Read(fetched) => {
                    let (number, source) = (*number, open.source);
                    Wanted::Read { number, source, fetched: fetched.clone() }
                }
                Stage::Keep(read) => Wanted::Keep { number: *number, read: read.clone() },
            })
            .collect();
        if self.source < self.input.sources.len() && self.open.len() < AT_ONCE {
            let settled = self.open.keys().next().copied().unwrap_or(self.next);
            wanted.push(Wanted::Fetch { number: self.next, source: self.source, settled });
        }
        if wanted.is_empty() {
            wanted.push(Wanted::Tidy);
        }
        wanted
    }

    pub(super) fn fetched(&mut self, number: u32, output: &Data) {
        if number != self.next {
            return;
        }
        match output.to() {
            Ok(Fetching::Fetched { file }) => {
                self.open.insert(number, Open { source: self.source, stage: Stage::Read(file) });
                self.next += 1;
            }
            Ok(Fetching::Row { row, .. }) => {
                self.settle(self.source, &row);
                self.next += 1;
            }
            Ok(Fetching::NotYet) => self.next += 1,
            Ok(Fetching::GivenUp { row }) => {
                self.settle(self.source, &row);
                self.end_source();
            }
            Ok(Fetching::End) => self.end_source(),
            Err(cause) => self.broken("connector", &cause),
        }
    }

    fn end_source(&mut self) {
        self.source += 1;
        self.next += 1;
    }

    pub(super) fn read(&mut self, number: u32, output: &Data) {
        let Some(open) = self.open.get_mut(&number) else { return };
        match output.to() {
            Ok(Parsing::Read { read }) => open.stage = Stage::Keep(read),
            Ok(Parsing::Row { row }) => {
                let source = open.source;
                self.open.remove(&number);
                self.settle(source, &row);
            }
            Err(cause) => self.broken("parser", &cause),
        }
    }

    pub(super) fn kept(&mut self, number: u32, output: &Data) {
        let Some(open) = self.open.remove(&number) else { return };
        match output.to::<FileRow>() {
            Ok(row) => self.settle(open.source, &row),
            Err(cause) => self.broken("memory", &cause),
        }
    }

    pub(super) fn tidied(&mut self) {
        self.is_tidy = true;
    }

    /// A step that failed for good. Reading one file can fail without the others, and fetching one source; what is about
    /// the home fails the whole run.
    pub(super) fn failed(&mut self, agent: &str, number: Option<u32>, fault: &Fault, at: At) {
        let open = number.and_then(|number| self.open.remove(&number));
        let source = open.map(|open| open.source);
        match (source, agent) {
            (Some(source), _) => self.settle(source, &self.failed_row(agent, "", fault, at)),
            (None, CONNECTOR)
                if number == Some(self.next) && !OF_THE_HOME.contains(&&*fault.code) =>
            {
                let source = self.input.sources.get(self.source);
                let name = source.map_or("", |source| source.name());
                let row = self.failed_row(agent, name, fault, at);
                self.settle(self.source, &row);
                self.end_source();
            }
            // What lies in the folder of the run is swept by the next ingest.
            (None, super::workflow::TIDY) => self.is_tidy = true,
            (None, _) => self.fault = Some(fault.clone()),
        }
    }

    fn failed_row(&self, agent: &str, identifier: &str, fault: &Fault, at: At) -> FileRow {
        let failed = Failed::new(agent, fault.code.to_string(), fault.message.clone()).at(at);
        FileRow {
            source_id: String::new(),
            document_id: None,
            source_identifier: identifier.to_owned(),
            collection: self.input.collection.clone(),
            status: if failed.is_skip() { RowStatus::Skipped } else { RowStatus::Failed },
            chunks: 0,
            pages: 0,
            checksum: None,
            error: Some(failed),
            warnings: Vec::new(),
            fetched_as: None,
        }
    }

    fn settle(&mut self, source: usize, row: &FileRow) {
        self.counts.count(row);
        let is_known =
            matches!(row.status, RowStatus::Taken | RowStatus::Replaced | RowStatus::Unchanged);
        if let Some(gave) = self.gave.get_mut(source).filter(|_| is_known) {
            *gave += 1;
        }
    }

    fn broken(&mut self, agent: &str, cause: &serde_json::Error) {
        let text = format!("what the step of {agent} gave is not understood: {cause}");
        self.fault = Some(Fault::permanent("INTERNAL_ERROR", text));
    }

    /// What the run ends with.
    pub(super) fn end(&self) -> Result<IngestOutcome, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let nothing = self.input.sources.iter().zip(&self.gave).filter(|(_, gave)| **gave == 0);
        let empty = nothing.map(|(source, _)| source.name().to_owned()).collect();
        Ok(IngestOutcome { counts: self.counts.clone(), empty })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn progress(sources: usize) -> Progress {
        let source = json!({"source_type": "local", "source_identifier": "/a"});
        let input = json!({"sources": vec![source; sources]});
        Progress::new(IngestInput::read(&Data::of(&input)).unwrap())
    }

    fn row(status: RowStatus) -> FileRow {
        FileRow {
            source_id: "s".to_owned(),
            document_id: None,
            source_identifier: "/a/b".to_owned(),
            collection: "default".to_owned(),
            status,
            chunks: 2,
            pages: 1,
            checksum: None,
            error: None,
            warnings: Vec::new(),
            fetched_as: None,
        }
    }

    fn fetched() -> Data {
        Data::of(&Fetching::Fetched { file: Data::of(&json!({"file": 1})) })
    }

    #[test]
    fn files_are_read_side_by_side_and_fetched_in_turn() {
        let mut progress = progress(1);
        for number in 0..AT_ONCE {
            let number = u32::try_from(number).unwrap();
            let wanted = progress.wanted();
            assert_eq!(
                wanted.last(),
                Some(&Wanted::Fetch { number, source: 0, settled: 0 }),
                "{wanted:?}"
            );
            progress.fetched(number, &fetched());
        }
        assert_eq!(progress.wanted().len(), AT_ONCE, "no further file is fetched");
        progress.read(0, &Data::of(&Parsing::Read { read: Data::null() }));
        progress.kept(0, &Data::of(&row(RowStatus::Taken)));
        let wanted = progress.wanted();
        assert_eq!(wanted.last(), Some(&Wanted::Fetch { number: 6, source: 0, settled: 1 }));
    }

    #[test]
    fn it_ends_when_every_source_ended_and_every_file_is_settled() {
        let mut progress = progress(2);
        progress.fetched(0, &fetched());
        progress.fetched(
            1,
            &Data::of(&Fetching::Row { row: Box::new(row(RowStatus::Skipped)), validators: None }),
        );
        progress.fetched(2, &Data::of(&Fetching::End));
        progress.fetched(3, &Data::of(&Fetching::End));
        assert!(matches!(progress.wanted()[..], [Wanted::Read { number: 0, .. }]));
        progress.read(0, &Data::of(&Parsing::Row { row: Box::new(row(RowStatus::Unchanged)) }));
        assert_eq!(progress.wanted(), [Wanted::Tidy]);
        progress.tidied();
        assert_eq!(progress.wanted(), []);
        let end = progress.end().unwrap();
        assert_eq!((end.counts.unchanged, end.counts.skipped, end.counts.chunks), (1, 1, 4));
        assert_eq!(end.empty, ["/a"], "the second source gave nothing");
    }

    #[test]
    fn one_file_or_one_source_fails_alone_and_the_home_fails_the_run() {
        let mut progress = progress(3);
        progress.fetched(0, &fetched());
        let fault = Fault::permanent("ERR_TIMEOUT", "too slow");
        progress.failed("parser", Some(0), &fault, At(0));
        assert_eq!(progress.counts.failed, 1);
        progress.failed("connector", Some(1), &fault, At(0));
        assert_eq!(progress.counts.failed, 2);
        let wanted = progress.wanted();
        assert_eq!(wanted, [Wanted::Fetch { number: 2, source: 1, settled: 2 }], "the next one");
        let row = Box::new(row(RowStatus::Failed));
        progress.fetched(2, &Data::of(&Fetching::GivenUp { row }));
        assert_eq!(progress.wanted(), [Wanted::Fetch { number: 3, source: 2, settled: 3 }]);
        progress.fetched(3, &Data::of(&Fetching::NotYet));
        assert_eq!(progress.wanted(), [Wanted::Fetch { number: 4, source: 2, settled: 4 }]);
        let fault = Fault::permanent("HOME_NOT_WRITABLE", "the disk is full");
        progress.failed("connector", Some(4), &fault, At(0));
        assert_eq!(progress.wanted(), []);
        assert!(progress.end().is_err());
    }

    #[test]
    fn what_was_settled_is_not_settled_twice() {
        let mut progress = progress(1);
        progress.fetched(0, &fetched());
        progress.fetched(0, &fetched());
        progress.kept(0, &Data::of(&row(RowStatus::Taken)));
        progress.kept(0, &Data::of(&row(RowStatus::Taken)));
        assert_eq!(progress.counts.taken, 1);
    }
}
