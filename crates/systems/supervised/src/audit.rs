//! `audit.log`: a line of JSON for every violation of the protocol, every restore and every repair.
//!
//! The first line has the version. Lines come from the journal ([`crate::record`]), except those about repairs, which say
//! that a file was not what the journal says. Nothing here decides what is noted.

use std::{
    fs,
    io::{self, ErrorKind},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::Path,
};

use consign_engine::At;
use serde_json::{Value, json};

/// The name of the file in the job's directory.
pub const AUDIT: &str = "audit.log";
/// The code of a line about a repair.
pub(crate) const ALTERED: &str = "HISTORY_ALTERED";
const HEAD: &str = "{\"version\":\"1.0\"}\n";

/// One line.
#[must_use]
pub fn line(at: At, sequence: Option<u64>, code: &str, message: &str) -> Value {
    json!({ "at": at.to_string(), "sequence": sequence, "code": code, "message": message })
}

/// All lines but the first. A line that is not JSON is null; a file that is not there has none.
pub fn lines(directory: &Path) -> io::Result<Vec<Value>> {
    let text = match fs::read_to_string(directory.join(AUDIT)) {
        Ok(text) => text,
        Err(cause) if cause.kind() == ErrorKind::NotFound => String::new(),
        Err(cause) => return Err(cause),
    };
    Ok(text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap_or_default()).collect())
}

/// The lines that a journal wrote.
pub(crate) fn of_journal(directory: &Path) -> io::Result<Vec<Value>> {
    Ok(lines(directory)?.into_iter().filter(|line| line["code"] != ALTERED).collect())
}

/// The lines about repairs. A file that cannot be read has none: it is put aside with everything in it.
pub(crate) fn of_repairs(directory: &Path) -> Vec<Value> {
    let lines = lines(directory).unwrap_or_default();
    lines.into_iter().filter(|line| line["code"] == ALTERED).collect()
}

/// Adds lines. `end` is where the file ended when it was last known to be right; without it, lines that are there already
/// are not added again.
pub(crate) fn append(directory: &Path, end: Option<u64>, lines: &[Value]) -> io::Result<()> {
    let path = directory.join(AUDIT);
    let there = fs::metadata(&path).map(|meta| meta.len());
    let (end, lines) = match end {
        Some(end) => (end, lines),
        None => {
            let known = of_journal(directory)?;
            let known = lines.iter().take_while(|line| known.contains(line)).count();
            (there.as_ref().map_or(0, |length| *length), &lines[known..])
        }
    };
    if lines.is_empty() && there.is_ok() {
        return Ok(());
    }
    let end = end.min(there.unwrap_or(0));
    let mut text = if end == 0 { HEAD.to_owned() } else { String::new() };
    for line in lines {
        text.push_str(&format!("{line}\n"));
    }
    let file = open_private(&path)?;
    file.set_len(end)?;
    file.write_all_at(text.as_bytes(), end)
}

/// Opens a file that only its owner reads, and makes it if there is none.
pub(crate) fn open_private(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_once_and_torn_ones_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let of = |code: &str| line(At(0), Some(1), code, "so");
        append(folder.path(), None, &[of("A")]).unwrap();
        append(folder.path(), None, &[of("A"), of("B")]).unwrap();
        assert_eq!(lines(folder.path()).unwrap(), [of("A"), of("B")]);
        let path = folder.path().join(AUDIT);
        let end = fs::metadata(&path).unwrap().len();
        // A crash left half a line behind what was known.
        fs::write(&path, format!("{}{{\"at", fs::read_to_string(&path).unwrap())).unwrap();
        append(folder.path(), Some(end), &[of(ALTERED)]).unwrap();
        assert_eq!(lines(folder.path()).unwrap(), [of("A"), of("B"), of(ALTERED)]);
        assert_eq!(of_journal(folder.path()).unwrap().len(), 2);
        assert_eq!(of_repairs(folder.path()), [of(ALTERED)]);
    }
}
