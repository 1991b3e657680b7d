//! Histories in folders of their own, and what is asked of all of them.

mod appending;
mod damage;
mod measure;
mod migration;
mod model;
mod rotation;

use std::{
    fs,
    path::{Path, PathBuf},
};

use consign_contracts::{
    job::JobHistory,
    json::{self, Limits},
    wire::Message,
};
use consign_engine::Data;

use super::{Error, Head, HistoryFile, check, interactions, points};

/// The directory of a job.
struct Dir(tempfile::TempDir);

impl Dir {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self) -> PathBuf {
        self.path().join("jobHistory.json")
    }

    fn in_folder(&self, name: &str) -> PathBuf {
        self.path().join("history").join(name)
    }

    fn create(&self, rotate_bytes: u64) -> HistoryFile {
        HistoryFile::create(self.path(), &head(), rotate_bytes).unwrap()
    }

    fn all(&self) -> Vec<Data> {
        interactions(self.path(), 0, u64::MAX).map(Result::unwrap).collect()
    }

    fn size(&self) -> u64 {
        fs::metadata(self.file()).unwrap().len()
    }

    fn cut(&self, path: &Path, bytes: u64) {
        let length = fs::metadata(path).unwrap().len();
        let file = fs::OpenOptions::new().write(true).open(path).unwrap();
        file.set_len(length.saturating_sub(bytes)).unwrap();
    }

    /// The names in the folder of segments that are not hidden.
    fn segments(&self) -> Vec<String> {
        let names = fs::read_dir(self.path().join("history")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.contains("zst")).collect();
        names.sort();
        names
    }

    /// All is as it should be: what is read, what is checked, and the file by the contract.
    #[track_caller]
    fn holds(&self, model: &[Data], model_points: &[Data]) {
        assert_eq!(self.all(), model);
        assert_eq!(points(self.path()).unwrap(), model_points);
        let mut lines = Vec::new();
        let damages = check(self.path(), |sequence, line| {
            lines.push((sequence, String::from_utf8(line.to_vec()).unwrap()));
        });
        assert_eq!(damages.unwrap(), []);
        let expected = model.iter().map(|data| (sequence(data), data.as_str().to_owned()));
        assert_eq!(lines, expected.collect::<Vec<_>>());
        self.is_valid();
    }

    #[track_caller]
    fn is_valid(&self) {
        let text = fs::read(self.file()).unwrap();
        let tree = json::parse_within(&text, Limits { bytes: 1 << 30, depth: 64 }).unwrap();
        let breaches = JobHistory::contract().schema().check(&tree).breaches;
        assert!(breaches.is_empty(), "{breaches:?}");
    }
}

fn head() -> Head {
    Head { job_id: "job-1".to_owned(), created_at: "2026-01-02T03:04:05Z".to_owned() }
}

fn interaction(sequence: u64, size: usize) -> Data {
    // Text that looks like our own layout must not confuse anything.
    let prompt = format!("], \\\"recovery_points\\\": [\\n]}}\\n é{}", "x".repeat(size));
    let text = format!(
        concat!(
            r#"{{"sequence":{},"timestamp":"2026-01-02T03:04:05Z","state_before":"PENDING","#,
            r#""request":{{"prompt":"{}","files_context":[]}},"response":{{"status":"SUCCESS"}}}}"#
        ),
        sequence, prompt
    );
    Data::parse(text).unwrap()
}

fn many(range: std::ops::Range<u64>, size: usize) -> Vec<Data> {
    range.map(|sequence| interaction(sequence, size)).collect()
}

fn point(sequence: u64) -> Data {
    Data::parse(format!(r#"{{"sequence":{sequence},"id":"phase-{sequence}-complete"}}"#)).unwrap()
}

fn sequence(data: &Data) -> u64 {
    super::body::sequence_of(data.as_str().as_bytes()).unwrap()
}

#[track_caller]
fn damaged<T>(result: Result<T, Error>) -> (Option<u64>, String) {
    match result {
        Err(Error::Damaged { sequence, why }) => (sequence, why),
        Err(other) => panic!("not damaged: {other}"),
        Ok(_) => panic!("not damaged"),
    }
}
