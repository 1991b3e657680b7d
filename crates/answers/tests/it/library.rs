//! The documents of the corpus, found as an index by words finds them.
//!
//! Chunks, stems, rarity, ranking and calibration are those of `consign-knowledge`; only the database is left out.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use consign_answers::{Passage, Weights};
use consign_engine::{At, Owner};
use consign_knowledge::{
    About, Ask, Chunk, ChunkId, Draft, Filters, Hit, Languages, Marked, Signals, StoredChunk, Term,
    Totals, Version, rank, terms,
};
use consign_parsers::{Measure, Options, chunks, parse};

pub(crate) struct Library {
    versions: Vec<Version>,
    totals: Totals,
    languages: Languages,
}

impl Library {
    pub(crate) fn read(folder: &Path) -> Self {
        let mut paths: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let versions: Vec<Version> = paths.iter().map(|path| version(path)).collect();
        let stems = || versions.iter().flat_map(|version| &version.stems);
        let totals = Totals {
            chunks: stems().count() as u64,
            words: stems().map(|stems| u64::from(stems.length())).sum(),
        };
        let languages = versions.iter().fold(Languages::none(), |all, one| all.and(one.languages));
        Self { versions, totals, languages }
    }

    fn with(&self, term: &Term) -> u64 {
        let stems = self.versions.iter().flat_map(|version| &version.stems);
        let has =
            |stems: &&consign_knowledge::Stems| term.alternatives().any(|one| stems.count(one) > 0);
        stems.filter(has).count() as u64
    }

    /// The rarity of the words of a question, each stem by itself.
    pub(crate) fn weights(&self, question: &str) -> Weights {
        let mut rarities = BTreeMap::new();
        for term in terms(question, self.languages) {
            for stem in term.alternatives() {
                let stems = self.versions.iter().flat_map(|version| &version.stems);
                let count = stems.filter(|stems| stems.count(stem) > 0).count() as u64;
                if count > 0 {
                    rarities.insert(stem.to_owned(), self.totals.rarity(count));
                }
            }
        }
        Weights::of(rarities, self.totals.rarity(0))
    }

    /// What Memory gives.
    pub(crate) fn find(&self, question: &str, top_k: usize, min_relevance: f64) -> Vec<Passage> {
        let ask = Ask {
            question: question.to_owned(),
            vector: None,
            filters: Filters::default(),
            top_k,
            min_relevance,
        };
        let terms: Vec<(f64, Term)> = terms(question, self.languages)
            .into_iter()
            .map(|term| (self.totals.rarity(self.with(&term)), term))
            .collect();
        let all: f64 = terms.iter().map(|(rarity, _)| rarity).sum();
        let mut signals = Vec::new();
        for (place, version) in self.versions.iter().enumerate() {
            for (index, stems) in version.stems.iter().enumerate() {
                let (mut bm25, mut covered) = (0.0, 0.0);
                for (rarity, term) in &terms {
                    let times: u32 = term.alternatives().map(|one| stems.count(one)).sum();
                    if times > 0 {
                        bm25 += self.totals.score(*rarity, times, stems.length());
                        covered += rarity;
                    }
                }
                if covered > 0.0 {
                    let coverage = covered / all;
                    signals
                        .push(((place, index), Signals { bm25, coverage, ..Signals::default() }));
                }
            }
        }
        let found = rank(&ask, signals);
        found
            .into_iter()
            .map(|((place, index), relevance)| self.passage(place, index, relevance))
            .collect()
    }

    fn passage(&self, place: usize, index: usize, relevance: f64) -> Passage {
        let version = &self.versions[place];
        let chunk = &version.chunks[index];
        let stored = StoredChunk {
            id: ChunkId { document: version.document.clone(), index: index as u32 },
            source: version.source.clone(),
            about: Arc::new(version.about.clone()),
            content: version.content(index).to_owned(),
            span: chunk.span.clone(),
            page: chunk.page,
            layout: chunk.layout,
            heading: chunk.heading.clone(),
            bbox: None,
        };
        let marked = Marked { hit: Hit { chunk: stored, relevance }, marks: Vec::new() };
        Passage::of(&marked.to_context()).unwrap()
    }

    /// The stored text of a document, for checking quotes.
    pub(crate) fn text(&self, source: &str) -> &str {
        let version = self.versions.iter().find(|version| version.source.as_str() == source);
        &version.unwrap().text
    }

    pub(crate) fn file(&self, source: &str) -> &str {
        let version = self.versions.iter().find(|version| version.source.as_str() == source);
        version.unwrap().about.file_name.as_deref().unwrap()
    }
}

fn version(path: &Path) -> Version {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let options = Options { name: Some(name.clone()), ..Options::default() };
    let document = parse(&fs::read(path).unwrap(), &options).unwrap();
    let cut = chunks(&document, &Measure::default());
    let kept = cut.iter().map(|chunk| Chunk {
        span: chunk.span.clone(),
        content: chunk.columns.clone().map(|columns| {
            format!("{}\n{}", document.text[columns].trim_end(), &document.text[chunk.span.clone()])
        }),
        page: chunk.page,
        layout: chunk.layout.into(),
        heading: chunk.heading.to_vec(),
        bbox: None,
    });
    let about = About {
        collection: "corpus".to_owned(),
        source_type: "local".to_owned(),
        identifier: name.clone(),
        url: None,
        checksum: format!("checksum of {name}"),
        kind: document.kind.as_str().to_owned(),
        file_type: "txt".to_owned(),
        file_name: Some(name),
        title: document.title.clone(),
        metadata: serde_json::Map::new(),
        pages: 1,
        ingested_at: At(0),
    };
    let draft = Draft { about, chunks: kept.collect(), text: document.text.clone() };
    Version::of(&Owner::new("somebody"), draft).unwrap()
}
