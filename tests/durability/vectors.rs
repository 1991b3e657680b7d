//! The work on vectors, killed at any moment: it goes on where it was, beside another process too, and every passage
//! has one vector at the end.

use std::{path::PathBuf, thread::sleep, time::Duration};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    harness::embeddings,
    support::{Chance, Home},
};

/// Passages, several batches of them.
const TEXTS: u64 = 240;
const KILLS: usize = 6;

struct Place {
    home: Home,
    models: PathBuf,
}

impl Place {
    fn new() -> Option<Self> {
        embeddings().map(|models| Self { home: Home::new(), models })
    }

    fn start(&self, args: &[&str]) -> crate::harness::Process {
        let mut command = self.home.command(args);
        command.env("CONSIGN_MODELS", &self.models);
        self.home.start(command)
    }

    /// How many vectors there are, and how many of them are of a passage that is there.
    fn vectors(&self) -> (u64, u64) {
        let db = Connection::open(self.home.path().join("consign.db")).expect("it is there");
        let count = |sql: &str| {
            let count: i64 = db.query_row(sql, [], |row| row.get(0)).expect("a count");
            u64::try_from(count).expect("a count")
        };
        let of_passages = "SELECT count(*) FROM vectors JOIN chunks ON chunks.key = vectors.chunk";
        (count("SELECT count(*) FROM vectors"), count(of_passages))
    }
}

#[test]
fn killed_work_on_vectors_goes_on_and_ends() {
    let Some(place) = Place::new() else { return };
    let seed = Chance::seed();
    eprintln!("CONSIGN_SEED={seed} has the same kills again");
    let mut chance = Chance::new(seed);
    let filler = "It is said at some length, so that it takes its time. ".repeat(6);
    let text = |number: u64| json!({"id": format!("t{number}"), "text": format!("Text {number}. {filler}")});
    let lines: String = (0..TEXTS).map(|number| format!("{}\n", text(number))).collect();
    let file = place.home.file("texts.jsonl");
    std::fs::write(&file, lines).expect("a file of ours");
    let mut ingest = place.home.command(["ingest", "--stream"]);
    ingest.stdin(std::fs::File::open(&file).expect("it is there"));
    assert!(ingest.output().expect("the binary starts").status.success());
    assert_eq!(place.vectors(), (0, 0), "without a model there is none");
    let (mut before, mut hit) = (0, 0);
    for kill in 0..KILLS {
        // Sometimes two at once.
        let beside = (kill % 2 == 1).then(|| place.start(&["worker"]));
        let work = place.start(&["ingest", "--wait-vectors"]);
        sleep(chance.millis(300..1_500) + Duration::from_millis(100));
        hit += usize::from(work.kill().signal == Some(9));
        drop(beside.map(crate::harness::Process::kill));
        let (all, of_passages) = place.vectors();
        assert_eq!(all, of_passages);
        assert!(all >= before && all <= TEXTS, "{before} and then {all}");
        before = all;
    }
    eprintln!("{hit} of {KILLS} were killed, with {before} of {TEXTS} vectors");
    place.start(&["ingest", "--wait-vectors"]).wait().succeeds();
    assert_eq!(place.vectors(), (TEXTS, TEXTS));
    let answer = place.start(&["search", "--json", "how long is it?"]).wait().succeeds().json();
    let done: [&Value; 2] = [&answer["search"]["vectors_done"], &answer["search"]["vectors_total"]];
    assert_eq!(done, [TEXTS, TEXTS]);
}
