//! `sample/append.*`: appends one line, its idempotency key, to a file.
//!
//! The four agents do the same and claim different things. Half of the sleep is before the line and
//! half after it, so that a kill can hit either side of the effect.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, ErrorKind, Write},
    path::Path,
    time::Duration,
};

use async_trait::async_trait;
use consign_engine::{Agent, Attempt, Data, Effect, Failure, Fault, Invoker, Nanos, Probe, Reply};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::{
    nap::nap,
    terms::{self, unpaid},
};

/// The agent of a class.
pub(crate) fn name(class: Effect) -> &'static str {
    match class {
        Effect::Pure => "sample/append.pure",
        Effect::Idempotent => "sample/append.idempotent",
        Effect::Keyed => "sample/append.keyed",
        Effect::Unsafe => "sample/append.unsafe",
    }
}

const INPUT: &str = r#"{
    "type": "object",
    "properties": {
        "file": {"type": "string", "minLength": 1},
        "sleep_ms": {"type": "integer", "minimum": 0}
    },
    "required": ["file", "sleep_ms"],
    "additionalProperties": false
}"#;

const OUTPUT: &str = r#"{
    "type": "object",
    "properties": {"line": {"type": "string"}},
    "required": ["line"],
    "additionalProperties": false
}"#;

#[derive(Serialize, Deserialize)]
pub(crate) struct Input {
    pub(crate) file: String,
    pub(crate) sleep_ms: u32,
}

#[derive(Serialize)]
struct Output {
    line: String,
}

pub(super) fn agents() -> [(&'static str, Agent); 4] {
    let agent = Agent::new(Effect::Pure, Append)
        .with_contract(Some(terms::schema(INPUT)), Some(terms::schema(OUTPUT)));
    [Effect::Pure, Effect::Idempotent, Effect::Keyed, Effect::Unsafe]
        .map(|effect| (name(effect), Agent { effect, ..agent.clone() }))
}

struct Append;

#[async_trait]
impl Invoker for Append {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let Input { file, sleep_ms } = terms::read(&attempt.input).map_err(unpaid)?;
        let half = Duration::from_millis(sleep_ms.into()) / 2;
        nap(half, attempt.cancelled()).await.map_err(unpaid)?;
        let key = attempt.idempotency_key();
        let line = key.clone();
        // Tiny, but a disk or a network mount may hang, and then only this thread may.
        let appended = spawn_blocking(move || append(Path::new(&file), &line)).await;
        let appended = appended.unwrap_or_else(|lost| {
            let message = format!("the append was aborted: {lost}");
            Err(Fault::outcome_unknown("APPEND_LOST", message))
        });
        appended.map_err(unpaid)?;
        // The line is there: being cancelled now only ends the wait.
        nap(half, attempt.cancelled()).await.ok();
        Ok(reply(key))
    }

    async fn probe(&self, attempt: Attempt) -> Probe {
        let Ok(Input { file, .. }) = terms::read(&attempt.input) else { return Probe::NotDone };
        let key = attempt.idempotency_key();
        let line = key.clone();
        match spawn_blocking(move || holds(Path::new(&file), &line)).await {
            Ok(Ok(true)) => Probe::Done(reply(key)),
            Ok(Ok(false)) => Probe::NotDone,
            Ok(Err(_)) | Err(_) => Probe::Unknown,
        }
    }
}

/// The reply. A probe gives the same one as the attempt that it asks about.
fn reply(line: String) -> Reply {
    Reply::new(Data::of(&Output { line }), Nanos::ZERO)
}

/// Adds a line with one write, so that lines of several writers never mix. What is written survives
/// the end of this process; it need not survive that of the machine.
fn append(path: &Path, line: &str) -> Result<(), Fault> {
    let refuse = |why: &dyn std::fmt::Display| {
        let message = format!("cannot append to {}: {why}", path.display());
        Err(Fault::permanent("APPEND_FAILED", message))
    };
    // Opening a pipe would wait for its reader.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return refuse(&"it is not a regular file");
    }
    let line = format!("{line}\n");
    let written = OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .and_then(|mut file| file.write(line.as_bytes()));
    match written {
        Ok(length) if length == line.len() => Ok(()),
        Ok(length) => refuse(&format!("only {length} of {} bytes were written", line.len())),
        Err(cause) => refuse(&cause),
    }
}

/// Whether the file has that line, all of it.
fn holds(path: &Path, line: &str) -> io::Result<bool> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(false),
        Err(cause) => return Err(cause),
    };
    let (mut lines, mut found) = (BufReader::new(file), Vec::new());
    while lines.read_until(b'\n', &mut found)? > 0 {
        if found.strip_suffix(b"\n") == Some(line.as_bytes()) {
            return Ok(true);
        }
        found.clear();
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_append_is_one_line_and_the_probe_sees_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("effects");
        assert!(!holds(&file, "run:step-1").unwrap());
        append(&file, "run:step-1").unwrap();
        append(&file, "run:step-12").unwrap();
        append(&file, "run:step-1").unwrap();
        let lines = fs::read_to_string(&file).unwrap();
        assert_eq!(lines, "run:step-1\nrun:step-12\nrun:step-1\n");
        assert!(holds(&file, "run:step-1").unwrap());
        assert!(!holds(&file, "run:step-2").unwrap());
    }

    #[test]
    fn part_of_a_line_is_not_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("effects");
        fs::write(&file, "other run:step-1\nrun:step-1").unwrap();
        assert!(!holds(&file, "run:step-1").unwrap());
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let check = |path: &Path, reason: &str| {
            let fault = append(path, "run:step-1").unwrap_err();
            assert_eq!(fault.code, "APPEND_FAILED");
            let expected = format!("cannot append to {}: {reason}", path.display());
            assert_eq!(fault.message, expected);
        };
        let missing = "No such file or directory (os error 2)";
        check(&folder.path().join("no/such/folder"), missing);
        check(folder.path(), "it is not a regular file");
    }

    #[test]
    fn its_answer_keeps_its_contract() {
        let reply = reply("run:step-1".into());
        assert!(terms::schema(OUTPUT).is_valid(&reply.output.tree().unwrap()));
    }
}
