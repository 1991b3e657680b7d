//! Which candidates are said.

use std::ops::Range;

use super::{
    Outcome, Part,
    score::{Candidate, Read},
    table,
};
use crate::{
    answer::Kind,
    facts::{Facts, Number},
    lists,
    passage::{Citation, Passage},
    phrase,
    reader::Reader,
    refuse::{self, Signals},
    sentences::UnitKind,
};

pub(super) struct Chosen {
    pub(super) outcome: Outcome,
    pub(super) quotes: Vec<Quote>,
    pub(super) disagree: bool,
}

pub(super) struct Quote {
    pub(super) text: String,
    pub(super) citation: Citation,
    pub(super) kind: Kind,
}

/// The most sentences for a question, and the most that go with them.
const MOST_CLAIMS: usize = 3;
const MOST_CONTEXT: usize = 2;

/// How much a cosine counts beside words.
const COSINE: f64 = 0.6;

/// From this share on, a sentence has as much of the question as another.
const SAME: f64 = 0.9;

/// From this share on, another source stands beside the first one.
const AS_MUCH: f64 = 0.8;

/// The most bytes of a list that is quoted with the sentence before it.
const LONGEST_LIST: usize = 800;

/// `is_one_of_many`: the message asks for more.
pub(super) fn choose(
    part: &Part,
    read: &Read,
    is_one_of_many: bool,
    similarities: Option<&[f64]>,
) -> Chosen {
    let similarity = |at: usize| similarities.and_then(|all| all.get(at).copied());
    let mut order: Vec<(f64, usize)> = read
        .candidates
        .iter()
        .enumerate()
        .map(|(at, one)| (one.score + COSINE * similarity(at).unwrap_or(0.0), at))
        .collect();
    order.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.cmp(y)));
    let signals = Signals { is_one_of_many, ..signals(read, &order, &similarity) };
    let likely = refuse::likely(&signals);
    let answered = refuse::has_answer(&signals);
    let outcome = Outcome { answered, likely, signals };
    let Some(&(top, first)) = order.first().filter(|_| answered) else {
        return Chosen {
            outcome: Outcome { answered: false, ..outcome },
            quotes: Vec::new(),
            disagree: false,
        };
    };
    let best = &read.candidates[first];
    let mut claims = vec![best];
    let contrary = order.iter().skip(1).map(|(_, at)| &read.candidates[*at]);
    let contrary = contrary.clone().find(|one| contradicts(part, read, best, one));
    let disagree = contrary.is_some();
    claims.extend(contrary);
    if !disagree {
        // Another source that says as much stands beside it: whether they agree is for the reader to see.
        let others = order.iter().skip(1).map(|(_, at)| &read.candidates[*at]);
        claims.extend(others.clone().find(|one| says_as_much(part, read, best, one)));
    }
    for (score, at) in order.iter().skip(1) {
        let one = &read.candidates[*at];
        if !disagree
            && claims.len() < MOST_CLAIMS
            && *score >= top * 0.55
            && adds(read, &claims, one)
        {
            claims.push(one);
        }
    }
    let reader = Reader::of(&part.passages, [part.question.text.as_str()]);
    let quote = |one: &Candidate, kind: Kind| quote(part, read, one, kind, &reader);
    let mut quotes: Vec<Quote> = Vec::new();
    for one in &claims {
        quotes.extend(quote(one, Kind::Claim));
    }
    let around = order.iter().skip(1).map(|(_, at)| &read.candidates[*at]);
    let around = around.filter(|one| {
        !claims.iter().any(|claim| claim.passage == one.passage && claim.unit == one.unit)
            && claims
                .iter()
                .any(|claim| claim.passage == one.passage && claim.unit.abs_diff(one.unit) == 1)
            && one.facts.has_number()
    });
    for one in around.take(MOST_CONTEXT) {
        quotes.extend(quote(one, Kind::Context));
    }
    // What one quote says already is not said again.
    let mut said: Vec<Quote> = Vec::new();
    for quote in quotes {
        let within = |known: &Quote| {
            known.citation.chunk_id == quote.citation.chunk_id
                && known.citation.span.0 <= quote.citation.span.0
                && quote.citation.span.1 <= known.citation.span.1
                || known.text == quote.text && known.citation.source_id == quote.citation.source_id
        };
        if !said.iter().any(within) {
            said.push(quote);
        }
    }
    Chosen { outcome, quotes: said, disagree }
}

/// What speaks for and against an answer.
fn signals(
    read: &Read,
    order: &[(f64, usize)],
    similarity: &dyn Fn(usize) -> Option<f64>,
) -> Signals {
    let whole: f64 = read.weights.iter().sum::<f64>().max(1e-9);
    let Some(&(top, first)) = order.first() else { return Signals::default() };
    let best = &read.candidates[first];
    let has = &read.has[best.passage];
    let share = |has: &dyn Fn(usize) -> f64| {
        read.weights.iter().enumerate().map(|(at, weight)| has(at) * weight).sum::<f64>() / whole
    };
    let together = |at: usize| read.has.iter().map(|has| has[at]).fold(0.0, f64::max);
    let heaviest = read.weights.iter().copied().fold(1e-9, f64::max);
    let missing = (0..read.weights.len()).filter(|at| has[*at] == 0.0);
    let missing = missing.map(|at| read.weights[at] / heaviest).fold(0.0, f64::max);
    let absent =
        (0..read.weights.len()).filter(|at| read.names[*at] && together(*at) == 0.0).count();
    let elsewhere = (0..read.weights.len())
        .filter(|at| read.names[*at] && has[*at] == 0.0 && together(*at) > 0.0)
        .count();
    // Another source that says as much of it is no rival.
    let says_as_much =
        |one: &Candidate| one.covered >= SAME * best.covered && one.own >= SAME * best.own;
    let second = order.iter().skip(1).find(|(_, at)| {
        let one = &read.candidates[*at];
        one.passage != best.passage && !says_as_much(one)
    });
    let cosine = order.iter().filter_map(|(_, at)| similarity(*at)).reduce(f64::max);
    let about = &read.about[best.passage];
    let asked: Vec<usize> = (0..read.weights.len()).filter(|at| !about[*at]).collect();
    let asked = if asked.is_empty() { (0..read.weights.len()).collect() } else { asked };
    let asked_whole: f64 = asked.iter().map(|at| read.weights[*at]).sum::<f64>().max(1e-9);
    let of_asked = |has: &dyn Fn(usize) -> f64| {
        asked.iter().map(|at| has(*at) * read.weights[*at]).sum::<f64>() / asked_whole
    };
    let plain: Vec<usize> = asked.iter().copied().filter(|at| !read.names[*at]).collect();
    Signals {
        evidence: best.words.iter().zip(&read.weights).map(|(has, weight)| has * weight).sum(),
        whole: best.words.iter().all(|has| *has > 0.0),
        names: read.names.iter().filter(|is_name| **is_name).count() as f64,
        is_one_of_many: false,
        asked: if plain.is_empty() { read.weights.len() } else { plain.len() } as f64,
        focus: of_asked(&|at| best.words[at]),
        focus_passage: of_asked(&|at| has[at]),
        count: asked.iter().map(|at| best.words[*at]).sum::<f64>().min(6.0),
        close: best.close,
        pairs: best.pairs.min(4.0),
        own: best.own,
        covered: best.covered,
        passage: share(&|at| has[at]),
        together: share(&together),
        missing,
        absent: absent as f64,
        elsewhere: elsewhere as f64,
        typed: best.typed.map_or(0.0, |typed| if typed { 1.0 } else { -1.0 }),
        margin: second.map_or(top, |(second, _)| top - second).clamp(0.0, 1.0),
        words: read.weights.len() as f64,
        cosine,
    }
}

/// Whether a sentence has words of the question that what was chosen lacks.
fn adds(read: &Read, claims: &[&Candidate], one: &Candidate) -> bool {
    let whole: f64 = read.weights.iter().sum::<f64>().max(1e-9);
    let had = |at: usize| claims.iter().map(|claim| claim.words[at]).fold(0.0, f64::max);
    let new = |at: usize| (one.words[at] - had(at)).max(0.0) * read.weights[at];
    let new: f64 = (0..read.weights.len()).map(new).sum::<f64>() / whole;
    new >= 0.2
}

/// Whether a sentence of another source answers as well, of the same thing.
fn says_as_much(part: &Part, read: &Read, one: &Candidate, other: &Candidate) -> bool {
    let source = |candidate: &Candidate| &part.passages[candidate.passage].source_id;
    let name = |at: usize| read.names[at] && one.words[at] > 0.0 && other.words[at] == 0.0;
    // Rows of the same article in another table say something else of it.
    let rows = one.kind == UnitKind::Row && other.kind == UnitKind::Row;
    source(one) != source(other)
        && one.typed == other.typed
        && (!rows || is_alike(read, one, other))
        && one.own >= 0.3
        && other.covered >= AS_MUCH * one.covered
        && other.own >= AS_MUCH * one.own
        && !(0..read.weights.len()).any(name)
}

/// Whether two sentences of different sources answer the same with other numbers or dates, or one denies the other.
fn contradicts(part: &Part, read: &Read, one: &Candidate, other: &Candidate) -> bool {
    let source = |candidate: &Candidate| &part.passages[candidate.passage].source_id;
    let less = other.covered < one.covered * 0.75 || other.own < one.own * 0.5;
    if source(one) == source(other) || one.own < 0.3 || less || one.typed != other.typed {
        return false;
    }
    // A name that only one of them has makes them say something of different things.
    let name = |at: usize| read.names[at] && (one.words[at] > 0.0) != (other.words[at] > 0.0);
    if (0..read.weights.len()).any(name) {
        return false;
    }
    let (a, b) = (&one.facts, &other.facts);
    let asked = |number: &&Number| !number.is_weak;
    let numbers = |facts: &Facts| facts.numbers.iter().filter(asked).count();
    let differ = numbers(a) > 0
        && numbers(b) > 0
        && !a.numbers.iter().filter(asked).any(|number| b.has(number))
        && a.numbers.iter().any(|x| {
            b.numbers
                .iter()
                .any(|y| x.unit == y.unit && (x.unit.is_some() || is_alike(read, one, other)))
        });
    let dates = !a.dates.is_empty()
        && !b.dates.is_empty()
        && !a.dates.iter().any(|date| b.has_this_date(date))
        && !b.dates.iter().any(|date| a.has_this_date(date));
    let denied = (a.negations == 0) != (b.negations == 0)
        && !a.limited
        && !b.limited
        && one.own > 0.6
        && other.own > 0.6;
    differ || dates || denied
}

/// Whether plain numbers of two candidates can be of the same thing: both are sentences, or rows of tables with the same
/// columns. A price and a stock are both numbers of one article.
fn is_alike(read: &Read, one: &Candidate, other: &Candidate) -> bool {
    let columns = |candidate: &Candidate| {
        let table = read.tables.get(candidate.passage)?.as_ref()?;
        Some(table.columns.iter().map(|name| name.to_lowercase()).collect::<Vec<_>>())
    };
    match (one.kind == UnitKind::Row, other.kind == UnitKind::Row) {
        (true, true) => columns(one) == columns(other),
        (false, false) => true,
        (true, false) | (false, true) => false,
    }
}

fn quote(part: &Part, read: &Read, one: &Candidate, kind: Kind, reader: &Reader) -> Option<Quote> {
    let passage = part.passages.get(one.passage)?;
    if one.kind == UnitKind::Row {
        let matches = |text: &str, stems: &[String]| reader.read(text).match_of(stems);
        let table = read.tables.get(one.passage)?.as_ref();
        let said =
            table.and_then(|table| table::say(table, one.unit, read, part.question.asks, &matches));
        let citation = passage.cite(&one.range)?;
        let text = said.unwrap_or_else(|| phrase::one_line(&citation.text_snippet));
        return Some(Quote { text, citation, kind });
    }
    let range = whole(passage, read, one);
    let citation = passage.cite(&range).or_else(|| passage.cite(&one.range))?;
    Some(Quote { text: phrase::one_line(&citation.text_snippet), citation, kind })
}

/// The bytes to quote: with the sentence before where this one points back to it, with the list below where it ends with a
/// colon, and with the sentence that introduces it where it is the item of a list.
fn whole(passage: &Passage, read: &Read, one: &Candidate) -> Range<usize> {
    let units = &read.units[one.passage];
    let text = passage.read();
    let mut range = one.range.clone();
    let said = text.get(range.clone()).unwrap_or_default();
    let words = phrase::words(said);
    let lists = lists::of(lists::language_of(said));
    let first = words.first().map_or("", |word| word.normal.as_str());
    let points_back = lists.pronouns.contains(&first) && !lists.articles.contains(&first);
    let before = one.unit.checked_sub(1).and_then(|at| units.get(at));
    if let Some(before) = before.filter(|before| points_back && before.kind == one.kind) {
        let gap = text.get(before.range.end..range.start).unwrap_or_default();
        if !gap.contains("\n\n") && before.range.start >= passage.before() {
            range.start = before.range.start;
        }
    }
    if said.ends_with(':') {
        for unit in units.iter().skip(one.unit + 1) {
            if unit.kind != UnitKind::Item || unit.range.end - range.start > LONGEST_LIST {
                break;
            }
            range.end = unit.range.end;
        }
    }
    range
}
