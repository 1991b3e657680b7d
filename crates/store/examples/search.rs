//! How quick a search is: `cargo run --release -p consign-store --example search [CHUNKS]`.
//!
//! Words follow Zipf's law, without the hundred most frequent ones: these are the stop words, which are not indexed. Vectors are noise. Figures are of the process's CPU time, the model's left out.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]
#![expect(clippy::unwrap_used, reason = "it stops where it fails")]

use std::{fs, time::Instant};

use consign_contracts::crew::LayoutType;
use consign_engine::At;
use consign_knowledge::{
    About, Ask, AskVector, Calibration, Chunk, ChunkId, Draft, Filters, Index, Language, Languages,
    Query, Vector, Version,
};
use consign_store::{Options, SqliteStore};
use rustix::{
    process::Pid,
    time::{ClockId, clock_gettime},
};

const DIMENSIONS: usize = 384;
const WORDS: f64 = 50_000.0;
const STOP: u64 = 100;

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A word: the most frequent one is in every tenth chunk.
    fn word(&mut self) -> String {
        loop {
            let rank = WORDS.powf(self.next()) as u64;
            if rank >= STOP {
                return format!("w{rank}x");
            }
        }
    }

    fn numbers(&mut self) -> Vec<f32> {
        (0..DIMENSIONS).map(|_| (self.next() + self.next() - 1.0) as f32).collect()
    }
}

fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

fn memory() -> u64 {
    let status = fs::read_to_string(format!(
        "/proc/{}/status",
        Pid::as_raw(Some(rustix::process::getpid()))
    ));
    let line = status.unwrap_or_default();
    let line = line.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0").to_owned();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default() / 1024
}

fn document(number: usize, chunks: usize, random: &mut Random) -> Version {
    let (mut text, mut spans) = (String::new(), Vec::new());
    for _ in 0..chunks {
        let from = text.len();
        for _ in 0..120 {
            text += &random.word();
            text.push(' ');
        }
        spans.push(from..text.len());
    }
    let chunk = |span| Chunk {
        span,
        content: None,
        page: Some(1),
        layout: LayoutType::Text,
        heading: Vec::new(),
        bbox: None,
    };
    let about = About {
        collection: "default".to_owned(),
        source_type: "local".to_owned(),
        identifier: format!("{number:06}.txt"),
        url: None,
        checksum: format!("{number:064}"),
        kind: "txt".to_owned(),
        file_type: "txt".to_owned(),
        file_name: None,
        title: None,
        metadata: serde_json::Map::from_iter([("part".to_owned(), (number % 10).into())]),
        pages: 1,
        ingested_at: At(0),
    };
    let chunks = spans.into_iter().map(chunk).collect();
    Version::of(&"ada".into(), Draft { about, text, chunks }).unwrap()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let chunks: usize = std::env::args().nth(1).map_or(100_000, |text| text.parse().unwrap());
    let home = tempfile::tempdir().unwrap();
    let (mut random, owner) = (Random(7), "ada".into());
    let open = || SqliteStore::open(home.path(), &Options::default()).unwrap();
    let store = open();
    let (began, used) = (Instant::now(), cpu());
    let mut ids = Vec::new();
    for number in 0..chunks / 20 {
        let version = document(number, 20, &mut random);
        ids.extend((0..20).map(|index| ChunkId { document: version.document.clone(), index }));
        store.put(&owner, vec![version]).await.unwrap();
    }
    println!(
        "put {chunks} chunks: {:.1} s, {:.1} s of CPU",
        began.elapsed().as_secs_f64(),
        (cpu() - used) / 1e3
    );
    let (began, used) = (Instant::now(), cpu());
    for ids in ids.chunks(1_000) {
        let vectors = ids.iter().map(|id| (id.clone(), Vector::of(&random.numbers()).unwrap()));
        store.add_vectors(&owner, "m", vectors.collect()).await.unwrap();
    }
    println!(
        "add vectors: {:.1} s, {:.1} s of CPU",
        began.elapsed().as_secs_f64(),
        (cpu() - used) / 1e3
    );
    store.close().await;
    let bytes = fs::metadata(home.path().join("consign.db")).unwrap().len();
    println!("database: {} MB", bytes >> 20);

    let knows = Languages::none().with(Language::English);
    let calibration =
        Calibration { offset: -13.0, coverage: 4.0, cosine: 16.0, knows, foreign: 0.1 };
    let mut question = |words: usize, vector: bool, filtered: bool| {
        let question = (0..words).map(|_| random.word()).collect::<Vec<_>>().join(" ");
        let query = Query::of(&random.numbers()).unwrap();
        let vector = vector.then(|| AskVector { model: "m".to_owned(), query, calibration });
        let filters =
            if filtered { Filters::default().and("part", "3") } else { Filters::default() };
        Ask { question, vector, filters, top_k: 5, min_relevance: 0.7 }
    };
    let store = open();
    let used = cpu();
    store.find(&owner, &question(5, false, false)).await.unwrap();
    println!("first search by words: {:.1} ms of CPU", cpu() - used);
    let used = cpu();
    store.find(&owner, &question(5, true, false)).await.unwrap();
    println!("first search with vectors: {:.1} ms of CPU", cpu() - used);
    for (name, words, vector, filtered) in [
        ("words", 5, false, false),
        ("words, 10 of them", 10, false, false),
        ("vectors", 0, true, false),
        ("both", 5, true, false),
        ("both, a tenth by a filter", 5, true, true),
    ] {
        let mut times = Vec::new();
        for _ in 0..200 {
            let ask = question(words, vector, filtered);
            let used = cpu();
            store.find(&owner, &ask).await.unwrap();
            times.push(cpu() - used);
        }
        times.sort_by(f64::total_cmp);
        println!("{name}: p50 {:.1} ms, p99 {:.1} ms of CPU", times[100], times[198]);
    }
    println!("memory: {} MB at most", memory());
}
