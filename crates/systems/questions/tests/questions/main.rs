//! Real questions about real repositories: what the built-in agents find without a model.
//!
//! The repositories come from `scripts/corpus.sh`, which fetches what is missing. Each question of a table
//! goes through all six stages, loops included. Whatever is cited must stand where it is said to stand,
//! every output must keep its contract, and most answers must name a file that somebody who knows the
//! project would have named.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]
#![expect(clippy::print_stdout, reason = "the rates are what the tests are for")]

mod journey;
mod statements;
mod table;

use std::{collections::BTreeMap, path::PathBuf, process::Command};

use journey::Journey;
use table::{Question, Set};

/// Of the answers, how many must name an expected file.
const LEAST: f64 = 0.8;

fn corpus() -> PathBuf {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../scripts/corpus.sh");
    let made = Command::new(script).output().unwrap();
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "the corpus could not be fetched: {said}");
    PathBuf::from(String::from_utf8(made.stdout).unwrap().trim())
}

#[derive(Default)]
struct Tally {
    asked: usize,
    named: usize,
    early: usize,
    intents: usize,
}

impl Tally {
    fn add(&mut self, question: &Question, journey: &Journey) {
        self.asked += 1;
        self.named += usize::from(journey.names(&question.files));
        self.early += usize::from(journey.names_early(&question.files));
        self.intents += usize::from(question.intent.contains(&journey.intent()));
    }

    fn rate(&self) -> f64 {
        self.named as f64 / self.asked.max(1) as f64
    }

    fn report(&self) -> String {
        format!(
            "{} of {} answers name an expected file, {} in the first three citations; {} intents as expected",
            self.named, self.asked, self.early, self.intents
        )
    }
}

fn check(name: &str) {
    let repo = corpus().join(name);
    let mut tallies: BTreeMap<Set, Tally> = BTreeMap::new();
    for question in &table::read(name) {
        let journey = Journey::of(&question.ask, &repo);
        journey.keeps_its_word(&repo);
        if question.clarify {
            assert!(journey.asks_back(), "{}: {}", question.ask, journey.answer());
            continue;
        }
        tallies.entry(question.set).or_default().add(question, &journey);
        let found = if journey.names(&question.files) { "ok  " } else { "MISS" };
        let when = if journey.names_early(&question.files) { "early" } else { "late " };
        println!("{found} {when} [{}] {}", journey.intent(), question.ask);
        let cited = journey.cited();
        let said = if journey.asks_back() {
            journey.asked()
        } else {
            cited[..4.min(cited.len())].join(" ")
        };
        println!("    {said}");
        if std::env::var_os("CONSIGN_SHOW_ANSWERS").is_some() {
            println!("{}\n----\n", journey.answer());
        }
    }
    for (set, tally) in &tallies {
        println!("{name}, {set:?}: {}", tally.report());
    }
    for tally in tallies.values() {
        assert!(tally.asked >= 5);
        assert!(tally.rate() >= LEAST, "{name}: {}", tally.report());
    }
}

#[test]
fn questions_about_a_python_project_are_answered() {
    check("django");
}

#[test]
fn questions_about_a_typescript_project_are_answered() {
    check("mongodb");
}

#[test]
fn questions_about_a_rust_project_are_answered() {
    check("reqwest");
}

#[test]
fn questions_about_a_project_that_was_never_looked_at_are_answered() {
    check("fastify");
}

#[test]
fn the_same_question_has_the_same_answer() {
    let repo = corpus().join("reqwest");
    let [one, two] = [0, 1].map(|_| Journey::of("How are cookies stored?", &repo));
    assert_eq!(one.answer(), two.answer());
    assert_eq!(one.cited(), two.cited());
}

/// For people: `cargo nextest run --release --run-ignored all --no-capture million`.
#[test]
#[ignore = "a measurement; needs `scripts/corpus.sh --large` and a release build"]
fn a_million_lines_take_seconds() {
    let repo = corpus().join("large");
    assert!(repo.is_dir(), "scripts/corpus.sh --large puts it together");
    for question in [
        "How does authentication work?",
        "Who calls constant_time_compare?",
        "Where is DisallowedHost raised?",
    ] {
        let journey = Journey::of(question, &repo);
        assert!(!journey.asks_back() && journey.cited().len() > 1, "{question}");
        journey.keeps_its_word(&repo);
        println!("{question} {:?}", journey.cited());
        for (stage, took) in &journey.times {
            println!("    {stage:12} {:6.0} ms", took.as_secs_f64() * 1e3);
        }
        println!(
            "    {:12} {:6.0} ms",
            "all",
            journey.times.iter().map(|(_, took)| took.as_secs_f64()).sum::<f64>() * 1e3
        );
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default());
}
