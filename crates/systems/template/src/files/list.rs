//! Lists the files that may be in a template, and why the others may not.

use std::io;

use consign_code::{Cancel, Class};
use consign_contracts::secrets;

use super::{ignored::Ignored, read, read::TreeReader};
use crate::{
    assemble::safe,
    folder::is_bridge,
    tree::{Seen, Tree},
};

/// Files that are listed at most.
const MOST_FILES: usize = 200_000;

pub(super) struct Listed {
    /// Those that may come into the template, by path.
    pub(super) files: Vec<Seen>,
    /// The paths of all that the project has, whether they may or not.
    pub(super) all: Vec<String>,
    /// Folders that were not looked into.
    pub(super) closed: Vec<String>,
}

pub(super) fn list(
    tree: &Tree,
    reader: &mut TreeReader<'_>,
    cancel: &Cancel,
) -> io::Result<Listed> {
    let mut ignored = Ignored::new(tree);
    let listing =
        tree.list(MOST_FILES, |path, beside| ignored.enters(path, beside), || cancel.is_over())?;
    for path in listing.odd {
        reader.leave_out(&path, "it is a link, or cannot be read");
    }
    if listing.truncated {
        reader.leave_out("…", format!("the project has more than {MOST_FILES} files"));
    }
    for path in ignored.tools() {
        reader.leave_out(path, "it is a tool's own folder");
    }
    let mut files = listing.files;
    files.retain(|file| !is_bridge(&file.path));
    let all = files.iter().map(|file| file.path.clone()).collect();
    files.retain(|file| {
        if ignored.ignores(&file.path, false) || file.path.ends_with(".DS_Store") {
            return false;
        }
        let why = unfit(file);
        if let Some(why) = &why {
            reader.leave_out(&file.path, why.clone());
        }
        why.is_none()
    });
    Ok(Listed { files, all, closed: ignored.into_closed() })
}

/// Why a file does not come into a template, as far as its name and size say.
fn unfit(file: &Seen) -> Option<String> {
    if let Some(why) = secrets::by_name(&file.path) {
        return Some(why.to_owned());
    }
    // What cannot be written later is not chosen now.
    let written = format!("templates/{}.template", file.path);
    if let Err(refused) = safe(&file.path).and_then(|_| safe(&written)) {
        return Some(refused.why.to_owned());
    }
    if is_history(&file.path) {
        return Some("it is about the history of this project".to_owned());
    }
    let ending = ending(&file.path);
    if MADE.contains(&ending.as_str()) {
        return Some("a program generated it".to_owned());
    }
    if DATA.contains(&ending.as_str()) && Class::of(&file.path) != Class::Test {
        return Some("it may hold personal data".to_owned());
    }
    let large = file.bytes > read::LARGEST;
    large.then(|| format!("it is larger than {} bytes", read::LARGEST))
}

/// Whether it says what was done to the project, or by whom. A licence stays.
fn is_history(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
    ["changelog", "changes", "history", "authors", "contributors"].contains(&stem)
        && ["", "md", "rst", "txt", "adoc"].contains(&ending)
}

/// What compilers leave, and what is made again from the sources.
const MADE: &[&str] = &["class", "o", "a", "so", "dylib", "dll", "exe", "pyc", "pdb", "map"];
/// What applications keep their records in.
const DATA: &[&str] = &["sqlite", "sqlite3", "db"];

/// Whether a name promises that there is no text inside.
pub(super) fn is_binary(path: &str) -> bool {
    const ENDS: &[&str] = &[
        "png", "jpg", "jpeg", "gif", "ico", "icns", "webp", "avif", "bmp", "pdf", "zip", "gz",
        "tgz", "bz2", "xz", "7z", "jar", "war", "wasm", "woff", "woff2", "ttf", "otf", "eot",
        "mp3", "mp4", "mov", "wav", "ogg", "sqlite", "sqlite3", "db", "bin", "parquet", "mo",
    ];
    ENDS.contains(&ending(path).as_str())
}

fn ending(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).unwrap_or_default()
}
