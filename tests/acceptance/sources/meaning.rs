//! Documents are found by what they mean, with the model of `consign models pull embeddings`, where that is installed.

use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::desk::Desk;
use crate::{
    harness::embeddings,
    home::until,
    support::{Consign, Outcome, text},
};

/// A desk with the model.
struct Place {
    desk: Desk,
    models: PathBuf,
}

impl Place {
    fn new() -> Option<Self> {
        embeddings().map(|models| Self { desk: Desk::new(), models })
    }

    fn consign(&self, args: &[&str]) -> Consign {
        self.desk.home.consign(args).env("CONSIGN_MODELS", &self.models)
    }

    fn run(&self, args: &[&str]) -> Outcome {
        self.consign(args).run()
    }

    #[track_caller]
    fn search(&self, question: &str) -> Value {
        self.run(&["search", "--json", question]).exits(0).json()
    }

    /// Vectors that are kept.
    fn vectors(&self) -> u64 {
        let db = Connection::open(self.desk.home.path().join("consign.db")).expect("it is there");
        let count: i64 =
            db.query_row("SELECT count(*) FROM vectors", [], |row| row.get(0)).expect("a count");
        count.try_into().expect("a count")
    }

    /// Files of some passages each.
    fn write(&self, files: usize, paragraphs: usize) {
        for file in 0..files {
            let one = |place: usize| format!("Paragraph {place} of file {file}. {FILLER}\n\n");
            self.desk.file(&format!("{file:03}.txt"), (0..paragraphs).map(one).collect::<String>());
        }
    }
}

const FILLER: &str = "The committee met on the second floor and went through the accounts of the year before, line by line, \
    until each of its members had seen every receipt, had asked what it was for, and had put a mark beside it. Then the \
    windows were opened, coffee was brought, and the chair read out what was left on the list for the afternoon session, \
    which turned out to be longer than anybody had feared when the invitations were sent out in spring.";

const REFUND: &str =
    "Customers get their money back within two weeks after the parcel has come back to us.";
const HOLIDAY: &str =
    "On public holidays the office stays closed and nobody answers the telephone.";

#[test]
fn what_shares_no_word_with_the_question_is_found() {
    let Some(place) = Place::new() else { return };
    place.desk.file("shop.txt", REFUND);
    place.desk.file("office.txt", HOLIDAY);
    place.run(&["ingest", &place.desk.place(), "--json"]).exits(0);
    let answer = place.search("How long does a refund take?");
    let search = &answer["search"];
    let done =
        json!({"way": "hybrid", "model": search["model"], "vectors_done": 2, "vectors_total": 2});
    assert_eq!(search, &done);
    assert!(text(search, "model").contains("arctic"), "{search}");
    assert_eq!(answer["results"][0]["content"], REFUND, "{answer:#}");
    // Words alone have nothing to go by, and say so.
    let answer = place.desk.search("How long does a refund take?", &[]);
    assert_eq!(answer["results"], json!([]));
    assert_eq!(answer["search"]["way"], "text");
    let told = place.desk.run(&["search", "closed office"]).exits(0);
    told.telling("by words alone; `consign models pull embeddings` lets it find by meaning too");
    place.run(&["search", "closed office"]).exits(0).telling("by words and meaning\n");
}

#[test]
fn many_are_left_until_they_are_waited_for_and_removal_leaves_none() {
    let Some(place) = Place::new() else { return };
    // In parts, so that most of it comes when the work in the background has ended.
    place.write(30, 5);
    let folder = place.desk.place();
    let told = place.run(&["ingest", &folder, "--wait-vectors", "--json"]).exits(0).json_lines();
    let chunks = told.last().and_then(|counts| counts["chunks"].as_u64()).expect("a count");
    assert!(chunks > 100, "{chunks}");
    assert_eq!(place.vectors(), chunks);
    let search = &place.search("what did the meeting discuss?")["search"];
    assert_eq!(
        (&search["vectors_done"], &search["vectors_total"]),
        (&json!(chunks), &json!(chunks))
    );
    // Nothing is left to do, and no source is needed to say so.
    let told = place.run(&["ingest", "--wait-vectors"]).exits(0);
    told.telling(&format!("vectors {chunks} of {chunks}"));
    for source in place.desk.sources(&["--all"]) {
        place.run(&["sources", "remove", text(&source, "source_id")]).exits(0);
    }
    assert_eq!(place.vectors(), 0);
}

#[test]
fn a_worker_and_a_server_take_up_what_was_left() {
    /// More than are turned into vectors at a time.
    const SOME: usize = 40;
    let Some(place) = Place::new() else { return };
    let stream = |from: usize| -> String {
        let line = |number: usize| json!({"id": format!("t{number}"), "text": format!("Text {number}. {FILLER}")});
        (from..from + SOME).map(|number| format!("{}\n", line(number))).collect()
    };
    // Without the model there, nothing is done.
    for (from, command) in [(0, &["worker"][..]), (SOME, &["serve", "--listen", "127.0.0.1:0"])] {
        place.desk.home.consign(&["ingest", "--stream"]).stdin(stream(from)).run().exits(0);
        let left = place.vectors();
        assert_eq!(left, from as u64);
        let process = place.desk.home.let_go_on(place.consign(command));
        until("every passage has a vector", || {
            (place.vectors() == left + SOME as u64).then_some(())
        });
        process.signal(rustix::process::Signal::TERM);
        process.wait().exits(0);
    }
}

#[test]
fn texts_that_are_streamed_get_their_vectors() {
    let Some(place) = Place::new() else { return };
    let line = json!({"id": "a", "text": REFUND}).to_string();
    place.consign(&["ingest", "--stream", "--wait-vectors"]).stdin(line).run().exits(0);
    assert_eq!(place.search("How long does a refund take?")["results"][0]["content"], REFUND);
}

#[test]
fn without_the_model_who_waits_for_vectors_is_told() {
    let desk = Desk::new();
    let file = desk.file("a.txt", REFUND);
    let told = desk.run(&["ingest", &file, "--wait-vectors", "--json"]).exits(0);
    told.telling("no vectors: the model for searching by meaning is not there");
    assert_eq!(desk.search("parcel money", &[])["search"]["way"], "text");
}
