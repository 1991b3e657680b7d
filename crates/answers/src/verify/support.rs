//! Whether what a line cites says what it says.

use super::{Fault, swap};
use crate::{
    facts::Facts,
    lists::{self, Lists},
    passage::{Citation, Passage},
    phrase,
    reader::{Reader, Tokens, is_content},
    sentences::{self, UnitKind},
    weights::{Weights, weight},
};

/// What a citation stands for: the sentences that it touches, and what stands above them.
pub(super) struct Evidence {
    /// Each sentence or row.
    pub(super) sentences: Vec<String>,
    pub(super) is_table: bool,
    /// Headings, title and columns.
    above: String,
    /// The sentence before, which pronouns point to.
    before: String,
}

/// The least share of a line's words that what it cites must have.
const LEAST: f64 = 0.5;

/// With a similarity: below this it is about something else, and from there on fewer words are enough.
const UNLIKE: f64 = 0.25;
const ALIKE: f64 = 0.75;
const LEAST_ALIKE: f64 = 0.2;

impl Evidence {
    pub(super) fn of(citation: &Citation, passage: &Passage) -> Self {
        let from = citation.span.0.saturating_sub(passage.span.start) + passage.before();
        let to = citation.span.1.saturating_sub(passage.span.start) + passage.before();
        let text = passage.content.as_str();
        let units = sentences::units(passage.read());
        let touches = |unit: &&sentences::Unit| unit.range.start < to && from < unit.range.end;
        let said =
            |unit: &sentences::Unit| text.get(unit.range.clone()).unwrap_or_default().to_owned();
        let touched: Vec<&sentences::Unit> = units.iter().filter(touches).collect();
        let mut above = passage.heading.join("\n");
        for name in [&passage.title, &passage.file_name].into_iter().flatten() {
            above.push('\n');
            above.push_str(&name.replace(['_', '-', '.'], " "));
        }
        let is_table = touched.iter().any(|unit| unit.kind == UnitKind::Row);
        let first = touched.first().map_or(0, |unit| unit.range.start);
        let earlier = || units.iter().filter(move |unit| unit.range.end <= first);
        let headings = earlier().filter(|unit| unit.kind == UnitKind::Heading);
        let columns = units.iter().take(1).filter(|unit| is_table && unit.kind == UnitKind::Row);
        let intro =
            earlier().filter(|unit| unit.kind == UnitKind::Sentence && said(unit).ends_with(':'));
        for unit in headings.chain(columns).chain(intro) {
            above.push('\n');
            above.push_str(&said(unit));
        }
        let before = earlier().next_back().filter(|unit| unit.kind != UnitKind::Row);
        Self {
            sentences: touched.into_iter().map(said).collect(),
            is_table,
            above,
            before: before.map(said).unwrap_or_default(),
        }
    }

    fn said(&self) -> String {
        self.sentences.join("\n")
    }
}

/// What speaks against a line.
pub(super) fn faults(
    text: &str,
    evidence: &[Evidence],
    reader: &Reader,
    weights: Option<&Weights>,
    similarity: Option<f64>,
) -> Vec<Fault> {
    let lists = lists::of(lists::language_of(text));
    let said: String = evidence.iter().map(Evidence::said).collect::<Vec<_>>().join("\n");
    let above: String =
        evidence.iter().map(|one| one.above.as_str()).collect::<Vec<_>>().join("\n");
    let before: String =
        evidence.iter().map(|one| one.before.as_str()).collect::<Vec<_>>().join("\n");
    let mut faults = Vec::new();
    let (said_tokens, above_tokens) = (reader.read(&said), reader.read(&above));
    let before_tokens = reader.read(&before);
    let covered = coverage(
        text,
        &[(&said_tokens, 1.0), (&above_tokens, 1.0), (&before_tokens, 0.7)],
        lists,
        reader,
        weights,
    );
    let least = if similarity.is_some_and(|cosine| cosine >= ALIKE) { LEAST_ALIKE } else { LEAST };
    if covered < least {
        faults.push(Fault::NotCovered);
    }
    if similarity.is_some_and(|cosine| cosine < UNLIKE) {
        faults.push(Fault::Dissimilar);
    }
    let (own, source) = (Facts::in_language(text, lists), Facts::of(&said));
    let heading = Facts::of(&above);
    let shown =
        |range: &std::ops::Range<usize>| text.get(range.clone()).unwrap_or_default().to_owned();
    for number in own.numbers.iter().filter(|number| !number.is_weak) {
        if !source.has(number) && !heading.has(number) {
            faults.push(Fault::NumberNotThere(shown(&number.range)));
        }
    }
    for date in &own.dates {
        if !source.has_this_date(date) && !heading.has_this_date(date) {
            faults.push(Fault::DateNotThere(shown(&date.range)));
        }
    }
    for name in &own.names {
        let stems = reader.stems(&name.word);
        // A name is there as it is, or not at all; what has no stem means nothing.
        let is_there = stems.is_empty()
            || [&said_tokens, &above_tokens, &before_tokens]
                .iter()
                .any(|tokens| tokens.match_of(&stems) >= 1.0)
            || stems.iter().any(|stem| said.to_lowercase().contains(stem.as_str()));
        if !is_there {
            faults.push(Fault::NameNotThere(shown(&name.range)));
        }
    }
    if denies(text, &own, evidence, reader) {
        faults.push(Fault::NegationDiffers);
    }
    if swap::is_swapped(text, &own, evidence, reader, lists) {
        faults.push(Fault::Swapped);
    }
    faults
}

/// The share of a line's words that these texts have.
fn coverage(
    text: &str,
    texts: &[(&Tokens, f64)],
    lists: &Lists,
    reader: &Reader,
    weights: Option<&Weights>,
) -> f64 {
    let (mut all, mut had) = (0.0, 0.0);
    for word in phrase::words(text) {
        if !is_content(&word.normal, lists) {
            continue;
        }
        let stems = reader.stems(&word.normal);
        // Numbers are judged by what they mean, not by how they are written.
        if stems.is_empty()
            || word.normal.starts_with(|c: char| c.is_ascii_digit())
            || is_number(&word.normal, lists)
        {
            continue;
        }
        let found = texts
            .iter()
            .map(|(tokens, factor)| tokens.match_of(&stems) * factor)
            .fold(0.0, f64::max);
        let weight = weight(weights, &stems, found > 0.0);
        all += weight;
        had += weight * found;
    }
    if all > 0.0 { had / all } else { 1.0 }
}

fn is_number(word: &str, lists: &Lists) -> bool {
    lists.numbers.contains(&word)
}

/// Whether the line denies what the sentence says that has most of it, or the other way round.
fn denies(text: &str, own: &Facts, evidence: &[Evidence], reader: &Reader) -> bool {
    if own.limited || evidence.iter().any(|one| one.is_table) {
        return false;
    }
    let tokens = reader.read(text);
    let stems = tokens.stems();
    let mut sentences: Vec<(f64, Facts)> = Vec::new();
    for sentence in evidence.iter().flat_map(|one| &one.sentences) {
        for clause in swap::clauses(sentence) {
            let read = reader.read(clause);
            let both = stems.iter().filter(|stem| read.has(stem)).count();
            sentences.push((both as f64 / stems.len().max(1) as f64, Facts::of(clause)));
        }
        let read = reader.read(sentence);
        let both = stems.iter().filter(|stem| read.has(stem)).count();
        sentences.push((both as f64 / stems.len().max(1) as f64, Facts::of(sentence)));
    }
    let best = sentences.iter().map(|(share, _)| *share).fold(0.0, f64::max);
    let same = |facts: &Facts| facts.limited || (facts.negations > 0) == (own.negations > 0);
    best >= 0.3 && !sentences.iter().any(|(share, facts)| *share >= best * 0.9 && same(facts))
}

/// Whether a line states nothing: it introduces what follows or asks back, without a number or a name.
pub(super) fn is_no_fact(text: &str) -> bool {
    let lists = lists::of(lists::language_of(text));
    let facts = Facts::in_language(text, lists);
    let plain = facts.numbers.iter().all(|number| number.is_weak)
        && facts.dates.is_empty()
        && facts.names.is_empty();
    let content = phrase::words(text).iter().filter(|word| is_content(&word.normal, lists)).count();
    plain && (text.ends_with(':') && content <= 4 || content == 0)
}
