//! An ingest, killed at any moment: the same command goes on with the same run, no passage is there twice, none is
//! missing, and nothing is left on the disk.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::Write,
    path::PathBuf,
    process::Stdio,
    thread::sleep,
    time::Instant,
};

use serde_json::{Value, json};

use crate::{
    boundaries::{BOUNDARIES, killed_at},
    support::{Chance, Home, need},
};

/// Of ingests; `CONSIGN_KILLS` sets another number.
const KILLS: usize = 25;
/// The files of one ingest, and the passages of each: enough for several kills before it ends.
const FILES: usize = 60;

struct Library {
    home: Home,
    folder: PathBuf,
}

impl Library {
    fn new() -> Self {
        let home = Home::new();
        let folder = home.file("documents");
        fs::create_dir(&folder).expect("it is not there yet");
        for number in 0..FILES {
            fs::write(folder.join(format!("{number:03}.txt")), said(number)).expect("it is there");
        }
        Self { home, folder }
    }

    fn args(&self) -> [&str; 3] {
        ["ingest", "--json", self.folder.to_str().expect("a plain name")]
    }

    fn runs(&self) -> Vec<Value> {
        self.home.run(["runs", "list", "--all", "--json"]).succeeds().json_lines()
    }

    /// Whether a run has taken files in.
    fn took(&self, run: &Value) -> bool {
        let id = run["id"].as_str().expect("a run has an id");
        let told = self.home.run(["runs", "output", id]).succeeds().stdout;
        let counts: Value =
            serde_json::from_str(&told).unwrap_or_else(|_| panic!("no JSON: {told}"));
        counts["taken"].as_u64().expect("a count") > 0
    }

    /// Every file is kept once, with every passage, as an ingest that nothing disturbed keeps it.
    fn is_whole(&self) {
        let sources = self.home.run(["sources", "list", "--all", "--json"]).succeeds().json_lines();
        let names: BTreeSet<&str> =
            sources.iter().filter_map(|source| source["source_identifier"].as_str()).collect();
        assert_eq!((sources.len(), names.len()), (FILES, FILES));
        for (number, answer) in self.answers().into_iter().enumerate() {
            let word = format!("marker{number:03}");
            let results = answer["results"].as_array().expect("a list");
            let mut places = BTreeMap::new();
            for hit in results {
                let place = hit["metadata"]["span"][0].as_u64().expect("a place");
                assert!(places.insert(place, ()).is_none(), "{word}: a passage is there twice");
            }
            let marked: usize = results
                .iter()
                .filter_map(|hit| hit["content"].as_str())
                .map(|content| content.matches(&word).count())
                .sum();
            assert_eq!(marked, PARAGRAPHS, "{word}: {results:#?}");
        }
        let total: u64 = sources.iter().filter_map(|source| source["chunks"].as_u64()).sum();
        let rows = self.home.run(self.args()).succeeds().json_lines();
        let (counts, rows) = rows.split_last().expect("the counts");
        assert_eq!((rows.len(), &counts["unchanged"]), (FILES, &FILES.into()));
        assert_eq!(counts["chunks"], total);
    }

    /// What is found for the word of each file.
    fn answers(&self) -> Vec<Value> {
        let mut command = self.home.command(["search", "--stream"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        for number in 0..FILES {
            let query = json!({"query_text": format!("marker{number:03}"), "top_k": 1000, "min_relevance_score": 0});
            writeln!(stdin, "{query}").expect("the binary is reading");
        }
        drop(stdin);
        let told = child.wait_with_output().expect("the binary ends").stdout;
        let told = String::from_utf8(told).expect("what we print is UTF-8");
        let answers: Vec<Value> =
            told.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
        assert_eq!(answers.len(), FILES);
        answers
    }

    /// The folder in which copies lie has nothing in it.
    fn is_tidy(&self) {
        let folder = self.home.path().join("ingest");
        let left: Vec<_> = fs::read_dir(folder).into_iter().flatten().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// Paragraphs of a file.
const PARAGRAPHS: usize = 12;

fn said(number: usize) -> String {
    let filler =
        "It is said at some length, so that a paragraph fills a passage of its own. ".repeat(9);
    let paragraph = |place: usize| format!("Place {place} has marker{number:03}. {filler}\n\n");
    (0..PARAGRAPHS).map(paragraph).collect()
}

#[test]
fn killed_ingests_go_on_as_one_run_with_no_passage_twice_and_none_missing() {
    let seed = Chance::seed();
    eprintln!("CONSIGN_SEED={seed} has the same kills again");
    let mut chance = Chance::new(seed);
    let kills = env::var("CONSIGN_KILLS").ok().map(|kills| kills.parse().expect("a number"));
    let kills: usize = kills.unwrap_or(KILLS);
    let (mut killed, mut ingests, mut too_late) = (0, 0, 0);
    // How long an ingest takes that is left alone decides where kills can hit.
    let begun = Instant::now();
    Library::new().home.run(["runs", "list"]).succeeds();
    let start = u64::try_from(begun.elapsed().as_millis()).expect("a short time");
    while killed < kills {
        ingests += 1;
        let library = Library::new();
        let mut kills_here = 0;
        loop {
            let mut ingest = library.home.start(library.home.command(library.args()));
            // The later ones have more time, so that every ingest ends.
            sleep(chance.millis(1..start + 400 + 150 * kills_here));
            if ingest.has_ended() || killed >= kills {
                ingest.wait().succeeds();
                break;
            }
            killed += usize::from(ingest.kill().signal == Some(9));
            kills_here += 1;
        }
        // A kill may come after the end of the run and before that of the command. Then the same command finds all as it
        // was, in a run of its own.
        let runs = library.runs();
        assert!(runs.iter().all(|run| run["status"] == "succeeded"), "{runs:#?}");
        let worked = runs.iter().filter(|run| library.took(run)).count();
        assert_eq!(worked, 1, "the same command goes on with the same run: {runs:#?}");
        too_late += runs.len() - 1;
        library.is_tidy();
        library.is_whole();
        library.home.run(["runs", "verify", "--all"]).succeeds();
    }
    eprintln!("{killed} kills of {ingests} ingests, {too_late} of them after the end of the run");
    assert!(killed >= 2 * too_late, "the kills came too late");
}

/// Just before writes, syncs and renames, of which an ingest has many.
#[test]
fn an_ingest_killed_at_a_write_boundary_goes_on() {
    need("strace");
    let mut hit = 0;
    // Each is a whole ingest and a look at all that came of it, so there is one for each call.
    for (call, number) in BOUNDARIES.into_iter().zip([2, 9, 40].into_iter().cycle()) {
        let library = Library::new();
        library.home.run(["runs", "list"]).succeeds();
        let args = library.args().map(str::to_owned);
        let killed = library.home.start(killed_at(&library.home, call, number, &args)).wait();
        hit += usize::from(killed.signal == Some(9));
        eprintln!("{call} {number}: {:?}", killed.signal);
        library.home.run(library.args()).succeeds();
        library.is_tidy();
        library.is_whole();
    }
    assert!(hit >= 3, "the kills came too late: {hit}");
}
