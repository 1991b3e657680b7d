//! Whether what a line cites says what it says.

use super::{Fault, address, swap};
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
    /// The very bytes of the citation.
    cited: String,
    /// Headings, title and columns.
    above: String,
    /// The sentence before, which pronouns point to.
    before: String,
}

/// The least share of a line's words that what it cites must have.
const LEAST: f64 = 0.5;

/// The same of a title, which has few words.
const LEAST_OF_TITLE: f64 = 0.9;

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
            cited: citation.text_snippet.clone(),
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
    let least = if similarity.is_some_and(|cosine| cosine >= ALIKE) { LEAST_ALIKE } else { LEAST };
    let mut faults = against(text, evidence, reader, weights, least);
    if !faults.contains(&Fault::NotCovered) && !has_a_word(text, evidence, reader) {
        faults.push(Fault::NotCovered);
    }
    if similarity.is_some_and(|cosine| cosine < UNLIKE) {
        faults.push(Fault::Dissimilar);
    }
    faults
}

/// What speaks against a title above lines that cite this.
pub(super) fn of_title(
    title: &str,
    evidence: &[Evidence],
    reader: &Reader,
    weights: Option<&Weights>,
) -> Vec<Fault> {
    if evidence.is_empty() {
        return vec![Fault::NoCitation];
    }
    against(title, evidence, reader, weights, LEAST_OF_TITLE)
}

fn against(
    text: &str,
    evidence: &[Evidence],
    reader: &Reader,
    weights: Option<&Weights>,
    least: f64,
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
    let (own, source) = (Facts::in_language(text, lists), Facts::of(&said));
    let is_bare = own.numbers.is_empty() && own.dates.is_empty() && own.names.is_empty();
    // A line of small words, such as a bare "no", says what it says only where it stands.
    if covered.map_or_else(|| is_bare && !stands_in(text, evidence), |covered| covered < least) {
        faults.push(Fault::NotCovered);
    }
    let cited: String =
        evidence.iter().map(|one| one.cited.as_str()).collect::<Vec<_>>().join("\n");
    if let Some(address) = address::missing(text, &cited) {
        faults.push(Fault::AddressNotThere(address));
    }
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

/// Whether a word of a line stands in what it cites, or in the sentence before. A title or the name of a file says nothing
/// by itself: whoever gave it would otherwise have an answer of his own supported by any sentence below.
fn has_a_word(text: &str, evidence: &[Evidence], reader: &Reader) -> bool {
    let lists = lists::of(lists::language_of(text));
    let said = evidence.iter().map(|one| format!("{}\n{}", one.before, one.said()));
    let said = reader.read(&said.collect::<Vec<_>>().join("\n"));
    let words = phrase::words(text);
    let stems = words.iter().filter(|word| is_content(&word.normal, lists));
    let mut stems = stems.map(|word| reader.stems(&word.normal)).filter(|it| !it.is_empty());
    let first = stems.next();
    first.is_none_or(|first| {
        std::iter::once(first).chain(stems).any(|stems| stems.iter().any(|stem| said.has(stem)))
    })
}

/// Whether a text is one of the cited sentences, word by word.
fn stands_in(text: &str, evidence: &[Evidence]) -> bool {
    let words = |text: &str| -> Vec<String> {
        phrase::words(text).into_iter().map(|word| word.normal).collect()
    };
    let said = words(text);
    evidence.iter().flat_map(|one| &one.sentences).any(|sentence| words(sentence) == said)
}

/// The share of a line's words that these texts have; nothing where it has none that say something.
fn coverage(
    text: &str,
    texts: &[(&Tokens, f64)],
    lists: &Lists,
    reader: &Reader,
    weights: Option<&Weights>,
) -> Option<f64> {
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
    (all > 0.0).then(|| had / all)
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

/// Whether a line states nothing: it introduces what follows or asks back in small words, without a number or a name, and
/// says neither yes nor no.
pub(super) fn is_no_fact(text: &str) -> bool {
    let lists = lists::of(lists::language_of(text));
    let facts = Facts::in_language(text, lists);
    let plain = facts.numbers.is_empty() && facts.dates.is_empty() && facts.names.is_empty();
    let words = phrase::words(text);
    let says_nothing = |word: &phrase::Word| {
        !is_content(&word.normal, lists)
            && !is_polarity(&word.normal)
            && !word.normal.ends_with("n't")
    };
    text.ends_with([':', '?']) && plain && words.iter().all(says_nothing)
}

/// Whether a word says yes or no, in any language: short lines do not tell theirs.
fn is_polarity(word: &str) -> bool {
    const YES: [&str; 9] = ["yes", "yeah", "yep", "ja", "jawohl", "doch", "sí", "si", "oui"];
    const NO: [&str; 4] = ["no", "nope", "nein", "non"];
    YES.contains(&word)
        || NO.contains(&word)
        || lists::ALL
            .iter()
            .any(|(_, lists)| lists.negation.contains(&word) || lists.limits.contains(&word))
}
