//! A database file that is damaged, or not ours.

use std::fs;

use rusqlite::Connection;
use serde_json::json;

use super::Kept;
use crate::support::args_to_start;

const TOLD: [&str; 4] = ["STORE_DAMAGED", "STORE_UNAVAILABLE", "JOURNAL_BROKEN", "STATE_BROKEN"];

/// Puts bytes in the place of the database, and gives back what was there.
fn replace(kept: &Kept, bytes: &[u8]) -> Vec<u8> {
    let was = whole(kept);
    fs::write(kept.home.database(), bytes).expect("a file of ours");
    was
}

/// The database, with everything that the log has.
fn whole(kept: &Kept) -> Vec<u8> {
    let file = kept.home.database();
    // Whoever closes it last copies the log into it, and takes the log away.
    let db = Connection::open(&file).expect("a database can be opened, or will be found damaged");
    let _ = db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    drop(db);
    fs::read(&file).expect("the database is there")
}

#[test]
fn a_file_that_is_no_database_of_ours_is_refused_and_not_touched() {
    let kept = Kept::new();
    let foreign = kept.home.file("foreign.db");
    let db = Connection::open(&foreign).expect("a new database");
    db.execute_batch("CREATE TABLE runs (id TEXT); INSERT INTO runs VALUES ('theirs')")
        .expect("SQL");
    drop(db);
    let foreign = fs::read(&foreign).expect("it was made");
    let start = args_to_start("sample/steps", &json!({"steps": 1}), &["--detach"]);
    for (bytes, words) in [
        (foreign.as_slice(), "another program"),
        (&[0xa5; 100_000][..], "not a database"),
        (b"not a database at all\\n", "not a database"),
    ] {
        let was = replace(&kept, bytes);
        for args in [vec!["runs", "list"], vec!["worker"], vec!["inbox"]] {
            kept.home.run(args).fails_with(&TOLD).telling(words);
        }
        kept.home.run(&start).fails_with(&TOLD).telling(words);
        assert_eq!(replace(&kept, &was), bytes, "a file that is not ours was written to");
    }
    kept.is_unchanged();
    kept.goes_on();
}

#[test]
fn a_database_that_is_cut_off_or_has_holes_is_never_taken_for_a_whole_one() {
    let kept = Kept::new();
    let whole = whole(&kept);
    let size = usize::from(u16::from_be_bytes([whole[16], whole[17]]));
    let pages = whole.len() / size;
    assert!(pages >= 10, "{pages} pages are too few to mean anything");
    let mut told = 0;
    let mut check = |what: String, bytes: &[u8]| {
        replace(&kept, bytes);
        // Whoever looks is told the truth, or that it cannot be told.
        if let Err(outcome) = kept.is_told_right() {
            eprintln!("{what}: {}", outcome.error_code().unwrap_or("?"));
            outcome.ends_with(&TOLD);
            told += 1;
        }
        // Nobody falls over who writes, either.
        let start = args_to_start("sample/steps", &json!({"steps": 1}), &[]);
        let started = kept.home.run(start);
        if started.code != Some(0) {
            started.ends_with(&TOLD);
        }
        let helpers = ["db-wal", "db-shm"].map(|end| kept.home.database().with_extension(end));
        helpers.iter().for_each(|helper| drop(fs::remove_file(helper)));
        fs::write(kept.home.database(), &whole).expect("a file of ours");
    };
    for page in 0..pages {
        let mut bytes = whole.clone();
        bytes[page * size..(page + 1) * size].fill(0);
        check(format!("page {} of {pages} is empty", page + 1), &bytes);
    }
    for left in [1, pages / 2, pages - 1] {
        check(format!("{left} of {pages} pages are left"), &whole[..left * size]);
    }
    check("half a page is missing".to_owned(), &whole[..whole.len() - size / 2]);
    // The root of a table without rows says nothing that could be missed.
    let has_cells = |page: &&[u8]| u16::from_be_bytes([page[3], page[4]]) > 0;
    let used = 1 + whole.chunks(size).skip(1).filter(has_cells).count();
    eprintln!("{told} of {} were told; {used} pages have something in them", pages + 4);
    assert!(
        told > used / 3,
        "too few were told: the rest are pages of indexes that nobody reads here"
    );
    kept.is_there();
    kept.goes_on();
}
