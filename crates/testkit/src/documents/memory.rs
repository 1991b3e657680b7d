//! An index in memory: the port's promise in its simplest form, which every adapter is compared with.
//!
//! It goes through every chunk of an owner, each time, and keeps versions as they came.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use consign_engine::Owner;
use consign_knowledge::{
    Ask, ChunkId, DocumentId, Error, Found, Hit, Index, Languages, Progress, Put, Signals, Source,
    SourceId, SourceQuery, StoredChunk, Term, Totals, Vector, Version, rank, terms,
};

#[derive(Default)]
pub struct MemoryIndex {
    owners: Mutex<BTreeMap<String, Kept>>,
}

#[derive(Default)]
struct Kept(BTreeMap<SourceId, Entry>);

struct Entry {
    version: Version,
    missing: bool,
    model: String,
    vectors: HashMap<u32, Vector>,
}

impl MemoryIndex {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn owners(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, owner: &Owner, look: impl FnOnce(&mut Kept) -> T) -> T {
        look(self.owners().entry(owner.as_str().to_owned()).or_default())
    }
}

impl Kept {
    fn document(&self, id: &DocumentId) -> Option<&Entry> {
        self.0.values().find(|entry| entry.version.document == *id)
    }

    fn find(&self, ask: &Ask) -> Found {
        let languages = self.0.values().map(|entry| entry.version.languages);
        let languages = languages.fold(Languages::none(), Languages::and);
        let words = Words::of(self, &terms(&ask.question, languages));
        let (mut all, mut total) = (Vec::new(), 0);
        for entry in self.0.values() {
            if !ask.filters.allow_document(&entry.version.labels()) {
                continue;
            }
            for (index, chunk) in (0..).zip(&entry.version.chunks) {
                if ask.filters.allow_chunk(chunk.page, chunk.layout) {
                    let signals = words.signals(entry, index, ask);
                    total += u64::from(ask.judge().finds(&signals));
                    all.push((entry.id(index), signals));
                }
            }
        }
        let candidates = candidates(ask, all);
        let hits = rank(ask, candidates).into_iter().map(|(id, relevance)| {
            let entry = self.document(&id.document).expect("it was just looked at");
            Hit { chunk: entry.chunk(id.index), relevance }
        });
        let progress = ask
            .vector
            .as_ref()
            .map_or_else(|| self.progress(""), |vector| self.progress(&vector.model));
        let rarities = words.terms.iter().map(|(_, rarity)| *rarity).collect();
        let unseen = match self.0.is_empty() {
            true => 0.0,
            false => words.totals.rarity(0),
        };
        Found { hits: hits.collect(), total, progress, languages, rarities, unseen }
    }

    fn progress(&self, model: &str) -> Progress {
        let mut progress = Progress::default();
        for entry in self.0.values() {
            progress.total += entry.version.chunks.len() as u64;
            if entry.model == model {
                progress.done += entry.vectors.len() as u64;
            }
        }
        progress
    }
}

/// The best by words and the best by vectors, as the port asks for.
fn candidates(ask: &Ask, all: Vec<(ChunkId, Signals)>) -> Vec<(ChunkId, Signals)> {
    let best = |score: &dyn Fn(&Signals) -> Option<f64>| {
        let mut scored: Vec<_> =
            all.iter().filter_map(|(id, signals)| Some((score(signals)?, id, signals))).collect();
        scored.sort_by(|(a, x, _), (b, y, _)| b.total_cmp(a).then_with(|| x.cmp(y)));
        scored.truncate(ask.candidates());
        scored.into_iter().map(|(_, id, signals)| (id.clone(), *signals)).collect::<Vec<_>>()
    };
    let mut chosen: BTreeMap<ChunkId, Signals> = BTreeMap::new();
    chosen.extend(best(&|signals| (signals.bm25 > 0.0).then_some(signals.bm25)));
    chosen.extend(best(&|signals| signals.cosine.map(f64::from)));
    chosen.into_iter().collect()
}

impl Entry {
    fn id(&self, index: u32) -> ChunkId {
        ChunkId { document: self.version.document.clone(), index }
    }

    fn source(&self) -> Source {
        let version = &self.version;
        Source {
            id: version.source.clone(),
            document: version.document.clone(),
            about: version.about.clone(),
            chunks: version.chunks.len() as u32,
            length: version.text.len() as u64,
            missing: self.missing,
        }
    }

    fn chunk(&self, index: u32) -> StoredChunk {
        let version = &self.version;
        let chunk = &version.chunks[index as usize];
        StoredChunk {
            id: self.id(index),
            source: version.source.clone(),
            about: version.about.clone().into(),
            content: version.content(index as usize).to_owned(),
            span: chunk.span.clone(),
            page: chunk.page,
            layout: chunk.layout,
            heading: chunk.heading.clone(),
            bbox: chunk.bbox,
        }
    }
}

/// The words of a question, with what is known about them.
struct Words {
    terms: Vec<(Term, f64)>,
    totals: Totals,
}

impl Words {
    fn of(kept: &Kept, terms: &[Term]) -> Self {
        let stems = || kept.0.values().flat_map(|entry| &entry.version.stems);
        let words = stems().map(|stems| u64::from(stems.length())).sum();
        let totals = Totals { chunks: stems().count() as u64, words };
        let rarity = |term: &Term| {
            totals.rarity(stems().filter(|stems| times(stems, term) > 0).count() as u64)
        };
        let terms = terms.iter().map(|term| (term.clone(), rarity(term))).collect();
        Self { terms, totals }
    }

    fn signals(&self, entry: &Entry, index: u32, ask: &Ask) -> Signals {
        let stems = &entry.version.stems[index as usize];
        let (mut bm25, mut covered, mut all) = (0.0, 0.0, 0.0);
        for (term, rarity) in &self.terms {
            all += rarity;
            let times = times(stems, term);
            if times > 0 {
                bm25 += self.totals.score(*rarity, times, stems.length());
                covered += rarity;
            }
        }
        let vector = ask.vector.as_ref().filter(|vector| vector.model == entry.model);
        let cosine = vector.and_then(|vector| {
            let of = entry.vectors.get(&index)?;
            Some(vector.query.cosine(of.scale, &of.parts))
        });
        let coverage = if covered > 0.0 { covered / all } else { 0.0 };
        let languages = entry.version.languages;
        let foreign = ask.vector.as_ref().is_some_and(|of| of.calibration.is_foreign(languages));
        Signals { bm25, coverage, cosine, foreign }
    }
}

fn times(stems: &consign_knowledge::Stems, term: &Term) -> u32 {
    term.alternatives().map(|word| stems.count(word)).sum()
}

#[async_trait]
impl Index for MemoryIndex {
    async fn put(&self, owner: &Owner, versions: Vec<Version>) -> Result<Vec<Put>, Error> {
        Ok(self.with(owner, |kept| {
            let put = |version: Version| {
                let before = kept.0.get_mut(&version.source);
                if let Some(entry) = before
                    && entry.version.digest == version.digest
                {
                    entry.missing = false;
                    return Put::Unchanged;
                }
                let entry = Entry {
                    missing: false,
                    model: String::new(),
                    vectors: HashMap::new(),
                    version,
                };
                match kept.0.insert(entry.version.source.clone(), entry) {
                    Some(_) => Put::Replaced,
                    None => Put::Taken,
                }
            };
            versions.into_iter().map(put).collect()
        }))
    }

    async fn remove(&self, owner: &Owner, source: &SourceId) -> Result<bool, Error> {
        Ok(self.with(owner, |kept| kept.0.remove(source).is_some()))
    }

    async fn set_missing(
        &self,
        owner: &Owner,
        source: &SourceId,
        missing: bool,
    ) -> Result<bool, Error> {
        let set = |entry: &mut Entry| entry.missing = missing;
        Ok(self.with(owner, |kept| kept.0.get_mut(source).map(set).is_some()))
    }

    async fn source(&self, owner: &Owner, source: &SourceId) -> Result<Option<Source>, Error> {
        Ok(self.with(owner, |kept| kept.0.get(source).map(Entry::source)))
    }

    async fn sources(&self, owner: &Owner, query: &SourceQuery) -> Result<Vec<Source>, Error> {
        let name =
            |source: &Source| (source.about.collection.clone(), source.about.identifier.clone());
        let mut all: Vec<_> = self.with(owner, |kept| kept.0.values().map(Entry::source).collect());
        all.sort_by_key(name);
        all.retain(|source| {
            query.after.as_ref().is_none_or(|after| name(source) > *after)
                && query.collection.as_ref().is_none_or(|only| source.about.collection == *only)
        });
        all.truncate(query.most);
        Ok(all)
    }

    async fn text(
        &self,
        owner: &Owner,
        document: &DocumentId,
        span: Range<usize>,
    ) -> Result<Option<String>, Error> {
        Ok(self
            .with(owner, |kept| Some(kept.document(document)?.version.text.get(span)?.to_owned())))
    }

    async fn chunks(
        &self,
        owner: &Owner,
        document: &DocumentId,
        from: u32,
        most: usize,
    ) -> Result<Vec<StoredChunk>, Error> {
        Ok(self.with(owner, |kept| {
            let Some(entry) = kept.document(document) else { return Vec::new() };
            let all = from..entry.version.chunks.len() as u32;
            all.take(most).map(|index| entry.chunk(index)).collect()
        }))
    }

    async fn find(&self, owner: &Owner, ask: &Ask) -> Result<Found, Error> {
        Ok(self.with(owner, |kept| kept.find(ask)))
    }

    async fn owners_without_vectors(&self, model: &str) -> Result<Vec<Owner>, Error> {
        let owners = self.owners();
        let lacks = |kept: &Kept| kept.progress(model).done < kept.progress(model).total;
        let lacking = owners.iter().filter(|(_, kept)| lacks(kept));
        Ok(lacking.map(|(owner, _)| owner.as_str().into()).collect())
    }

    async fn without_vectors(
        &self,
        owner: &Owner,
        model: &str,
        most: usize,
    ) -> Result<Vec<StoredChunk>, Error> {
        Ok(self.with(owner, |kept| {
            let chunks = kept.0.values().flat_map(|entry| {
                let all = 0..entry.version.chunks.len() as u32;
                let lacks =
                    |index: &u32| entry.model != model || !entry.vectors.contains_key(index);
                all.filter(lacks).map(|index| entry.chunk(index))
            });
            chunks.take(most).collect()
        }))
    }

    async fn add_vectors(
        &self,
        owner: &Owner,
        model: &str,
        vectors: Vec<(ChunkId, Vector)>,
    ) -> Result<usize, Error> {
        Ok(self.with(owner, |kept| {
            let mut added = 0;
            for (id, vector) in vectors {
                let mut entries = kept.0.values_mut();
                let Some(entry) = entries.find(|entry| entry.version.document == id.document)
                else {
                    continue;
                };
                if entry.model != model {
                    entry.vectors.clear();
                    model.clone_into(&mut entry.model);
                }
                let is_there = (id.index as usize) < entry.version.chunks.len();
                if is_there && !entry.vectors.contains_key(&id.index) {
                    entry.vectors.insert(id.index, vector);
                    added += 1;
                }
            }
            added
        }))
    }

    async fn progress(&self, owner: &Owner, model: &str) -> Result<Progress, Error> {
        Ok(self.with(owner, |kept| kept.progress(model)))
    }
}
