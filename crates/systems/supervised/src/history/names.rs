//! The names of the files that a history consists of, below the job's directory.

use consign_files::{Error, Root};

pub(super) const FILE: &str = "jobHistory.json";
/// What [`FILE`] is called while it is written anew. A crash may leave it; the next one replaces it.
pub(super) const UNFINISHED: &str = ".jobHistory.json.new";
pub(super) const FOLDER: &str = "history";
pub(super) const INDEX: &str = "history/index.json";
pub(super) const OFFSETS: &str = "history/offsets";

/// The rights of [`FOLDER`]: like the files in it, it is its owner's.
pub(super) const FOLDER_MODE: u32 = 0o700;

/// The name of a segment in [`FOLDER`]. They count from 1.
pub(super) fn segment(number: usize) -> String {
    format!("{number:06}.json.zst")
}

/// The path of a file in [`FOLDER`].
pub(super) fn in_folder(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

/// Gives a file the first name that is free of `base-1`, `base-2` and so on.
pub(super) fn put_aside(root: &Root, path: &str, base: &str) -> Result<String, Error> {
    let mut number = 1;
    loop {
        let aside = format!("{base}-{number}");
        match root.rename_new(path, &aside) {
            Err(Error::AlreadyExists { .. }) => number += 1,
            renamed => return renamed.map(|()| aside),
        }
    }
}
