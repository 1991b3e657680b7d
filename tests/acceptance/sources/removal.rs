//! What is removed leaves nothing: the whole home is looked through, byte by byte.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::desk::Desk;
use crate::{home::until, support::text};

/// How a frame of zstd begins: what is compressed is looked through too.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The files below a folder that have one of these words in them, packed or not.
pub(crate) fn with_words(folder: &Path, words: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of ours").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(with_words(&path, words));
            continue;
        }
        // A file of a process that works may go meanwhile.
        let Ok(bytes) = fs::read(&path) else { continue };
        let frames = bytes.windows(4).enumerate().filter(|(_, start)| *start == ZSTD);
        let unpacked = frames.filter_map(|(at, _)| zstd::stream::decode_all(&bytes[at..]).ok());
        let has_words = |bytes: &[u8]| {
            let bytes = bytes.to_ascii_lowercase();
            words.iter().any(|word| memmem(&bytes, word.as_bytes()))
        };
        if has_words(&bytes) || unpacked.into_iter().any(|bytes| has_words(&bytes)) {
            found.push(path);
        }
    }
    found
}

fn memmem(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|part| part == word)
}

/// Stems too: an index keeps words by these.
const WORDS: [&str; 3] = ["chrysanthem", "photosynthe", "zwitterion"];
const SECRET: &str = "Chrysanthemums need photosynthesis, and every zwitterion is neutral.";

#[test]
fn a_removed_source_leaves_no_word_of_it() {
    let desk = Desk::new();
    desk.file("keep.txt", "Buttercups stay where they are.");
    let long = format!("{SECRET}\n\n").repeat(2_000);
    desk.file("a.txt", &long);
    desk.file(
        "b.md",
        format!("# Flowers\n\nSome **bold** words.\n\n## Chrysanthemum\n\n{SECRET}\n"),
    );
    desk.file(
        "c.csv",
        "flower,process,thing\nchrysanthemum,photosynthesis,zwitterion\nrose,none,none\n",
    );
    let told = desk.ingest(&[&desk.place(), "--meta", "topic=chrysanthemum"], 0);
    // An old version must be as gone as the current one.
    desk.file("a.txt", format!("A new text that says: {SECRET}"));
    desk.ingest(&[&desk.place(), "--meta", "topic=chrysanthemum"], 0);
    // Otherwise the look below shows nothing.
    assert!(!with_words(&desk.home.path(), &["buttercups"]).is_empty());
    assert!(!with_words(&desk.home.path(), &WORDS).is_empty());
    for name in ["a.txt", "b.md", "c.csv"] {
        let source = text(told.row(name), "source_id");
        desk.run(&["sources", "remove", source]).exits(0);
        desk.run(&["sources", "show", source]).fails(1, "NOT_FOUND");
    }
    // What was set for these files by hand is in the journal of its run, as all that a user said.
    assert_eq!(with_words(&desk.home.path(), &WORDS[1..]), Vec::<PathBuf>::new());
    assert_eq!(desk.found("buttercups", &["--min-score", "0"]).len(), 1);
    assert!(desk.found("zwitterion", &["--min-score", "0"]).is_empty());
    desk.run(&["runs", "verify", "--all"]).exits(0);
}

#[test]
fn a_source_of_a_killed_ingest_leaves_no_word_of_it() {
    let desk = Desk::new();
    for number in 0..120 {
        let said = format!("{SECRET} Number {number}.\n\n").repeat(200);
        desk.file(&format!("{number:03}.txt"), said);
    }
    let place = desk.place();
    let ingest = desk.home.spawn(&["ingest", &place, "--json"]);
    until("some files are kept", || {
        (desk.home.path().join("consign.db").exists()
            && desk.sources(&["--limit", "50"]).len() >= 5)
            .then_some(())
    });
    let killed = ingest.kill();
    assert_eq!(killed.signal, Some(9), "it ended by itself: {killed:#?}");
    let sources = desk.sources(&["--all"]);
    assert!(sources.len() < 120, "there was nothing left to do");
    // A cancelled run needs none of its copies, so nothing at all may be left.
    let runs = desk.run(&["runs", "list", "--json"]).exits(0).json_lines();
    desk.run(&["runs", "cancel", text(&runs[0], "id")]).exits(0);
    for source in &sources {
        desk.run(&["sources", "remove", text(source, "source_id")]).exits(0);
    }
    assert_eq!(with_words(&desk.home.path(), &WORDS), Vec::<PathBuf>::new());
}

#[test]
fn an_interrupted_ingest_keeps_no_copy_of_what_is_settled() {
    let desk = Desk::new();
    for number in 0..120 {
        let said = format!("The number of this file is marker{number:03}end.\n\n").repeat(200);
        desk.file(&format!("{number:03}.txt"), said);
    }
    let place = desk.place();
    let ingest = desk.home.spawn(&["ingest", &place, "--json"]);
    until("some files are kept", || {
        (desk.home.path().join("consign.db").exists()
            && desk.sources(&["--limit", "50"]).len() >= 5)
            .then_some(())
    });
    let killed = ingest.kill();
    assert_eq!(killed.signal, Some(9), "it ended by itself: {killed:#?}");
    // The last ones may be kept and not recorded as such: these are done again.
    let first = &desk.sources(&["--limit", "1"])[0];
    let name = text(first, "source_identifier");
    let number = name.rsplit('/').next().unwrap_or_default().trim_end_matches(".txt");
    let word = format!("marker{number}end");
    desk.run(&["sources", "remove", text(first, "source_id")]).exits(0);
    assert_eq!(with_words(&desk.home.path(), &[&word]), Vec::<PathBuf>::new());
    // What is not settled is still there for the run to go on with.
    let told = desk.ingest(&[&place], 0);
    assert_eq!(told.rows.len(), 120);
}

#[test]
fn nothing_is_removed_if_one_of_the_names_is_wrong() {
    let desk = Desk::new();
    desk.file("a.txt", "A text about parsnips.");
    let told = desk.ingest(&[&desk.place()], 0);
    let source = text(&told.rows[0], "source_id");
    desk.run(&["sources", "remove", source, "no-such-source"]).fails(1, "NOT_FOUND");
    assert_eq!(desk.found("parsnips", &[]).len(), 1);
}
