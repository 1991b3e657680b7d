//! Reads a file that may be of any kind, and may grow meanwhile.

use std::{fs::File, io::Read, path::PathBuf};

use crate::Error;

/// The file and its size, if it is a regular one.
pub(crate) fn regular(file: File, path: impl Fn() -> PathBuf) -> Result<(File, u64), Error> {
    let about = file.metadata();
    let about = about.map_err(|source| Error::Io {
        doing: "read the metadata of",
        path: path(),
        source,
    })?;
    if about.is_file() { Ok((file, about.len())) } else { Err(Error::NotAFile { path: path() }) }
}

/// Reads all of it, unless there is more than the limit.
pub(crate) fn fill(
    file: File,
    size: u64,
    limit: u64,
    bytes: &mut Vec<u8>,
    path: impl Fn() -> PathBuf,
) -> Result<(), Error> {
    let large = || Error::TooLarge { path: path(), limit };
    if size > limit {
        return Err(large());
    }
    bytes.reserve(usize::try_from(size).unwrap_or(0).saturating_add(1));
    // It may have grown since, or be of the kind that says 0 and never ends.
    let read = file.take(limit.saturating_add(1)).read_to_end(bytes);
    read.map_err(|source| Error::Io { doing: "read", path: path(), source })?;
    if bytes.len() as u64 > limit { Err(large()) } else { Ok(()) }
}
