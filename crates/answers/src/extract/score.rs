//! How much a sentence speaks for a question.
//!
//! A word of the question counts in full where the sentence has it, for less where the headings above it, the sentence
//! before it or the rest of its passage do.

use std::ops::Range;

use super::{
    Part,
    question::{Question, Term},
    table::Table,
    timing::Timing,
};
use crate::{
    facts::Facts,
    passage::Passage,
    phrase, plan,
    reader::{Reader, Tokens},
    sentences::{self, Unit, UnitKind},
    weights::Weights,
};

/// The most sentences of a part that are compared further.
pub(super) const MOST_CANDIDATES: usize = 24;

/// The most units of a passage that are looked at.
const MOST_UNITS: usize = 400;

/// What a word of the question counts by where it stands.
const IN_COLUMNS: f64 = 0.95;
const IN_HEADING: f64 = 0.85;
const IN_TITLE: f64 = 0.8;
const BEFORE: f64 = 0.6;
const TOPIC: f64 = 0.7;
const AROUND: f64 = 0.4;

const TYPED: f64 = 0.15;
const STRANGE: f64 = 0.25;
const CLOSE: f64 = 0.06;
const RELEVANT: f64 = 0.05;

/// A sentence that may answer.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its place among the passages of the part.
    pub(super) passage: usize,
    /// Its bytes in the content.
    pub(super) range: Range<usize>,
    pub(super) kind: UnitKind,
    /// Its place among the units of its passage.
    pub(super) unit: usize,
    pub(super) score: f64,
    /// The share of the question's words that it has itself, and with what stands around it.
    pub(super) own: f64,
    pub(super) covered: f64,
    /// For each word of the question, how well the sentence itself has it, with headings.
    pub(super) words: Vec<f64>,
    /// How close together the question's words stand in it.
    pub(super) close: f64,
    /// How many neighbours of the question are neighbours in it.
    pub(super) pairs: f64,
    pub(super) typed: Option<bool>,
    pub(super) facts: Facts,
}

/// What was read for a part.
#[derive(Clone, Debug)]
pub(super) struct Read {
    /// Best first.
    pub(super) candidates: Vec<Candidate>,
    /// The units of each passage.
    pub(super) units: Vec<Vec<Unit>>,
    pub(super) tables: Vec<Option<Table>>,
    pub(super) weights: Vec<f64>,
    pub(super) names: Vec<bool>,
    /// For each passage and each word of the question, how well the passage has it, with headings and title.
    pub(super) has: Vec<Vec<f64>>,
    /// The same for title and outermost heading alone: what the whole document is about.
    pub(super) about: Vec<Vec<bool>>,
    pub(super) stems: Vec<Vec<String>>,
}

struct Around {
    heading: Tokens,
    outer: Tokens,
    title: Tokens,
    whole: Tokens,
}

pub(super) fn read(part: &Part, weights: Option<&Weights>) -> Read {
    let reader = Reader::of(&part.passages, [part.question.text.as_str()]);
    let around: Vec<Around> =
        part.passages.iter().map(|passage| Around::of(passage, &reader)).collect();
    let is_found = |stems: &[String]| {
        around.iter().any(|around| {
            around.whole.match_of(stems) > 0.0 || around.heading.match_of(stems) > 0.0
        })
    };
    let question = Question::of(&part.question, &reader, weights, is_found);
    let mut read = Read {
        candidates: Vec::new(),
        units: Vec::new(),
        tables: Vec::new(),
        weights: question.terms.iter().map(|term| term.weight).collect(),
        names: question.terms.iter().map(|term| term.is_name && !term.is_carried).collect(),
        has: Vec::new(),
        about: Vec::new(),
        stems: question.terms.iter().map(|term| term.stems.to_vec()).collect(),
    };
    for (at, (passage, around)) in part.passages.iter().zip(&around).enumerate() {
        let mut units = sentences::units(passage.read());
        units.truncate(MOST_UNITS);
        let table = Table::of(passage, &units);
        let has = question.terms.iter().map(|term| {
            let of = |tokens: &Tokens| tokens.match_or_alike(&term.stems, &term.alike);
            of(&around.whole).max(of(&around.heading)).max(of(&around.title))
        });
        read.has.push(has.collect());
        let about = question.terms.iter().map(|term| {
            around.title.match_of(&term.stems) > 0.0 || around.outer.match_of(&term.stems) > 0.0
        });
        read.about.push(about.collect());
        score_passage(&mut read, &question, &reader, at, passage, around, &units, table.as_ref());
        read.units.push(units);
        read.tables.push(table);
    }
    read.candidates.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (a.passage, a.unit).cmp(&(b.passage, b.unit)))
    });
    read.candidates.truncate(MOST_CANDIDATES);
    read
}

impl Around {
    fn of(passage: &Passage, reader: &Reader) -> Self {
        let title = [passage.title.as_deref(), passage.file_name.as_deref()];
        let title: Vec<&str> = title.into_iter().flatten().collect();
        // The parts of a file's name are words.
        let title = title.join(" ").replace(['_', '-', '.'], " ");
        Self {
            heading: reader.read(&passage.heading.join("\n")),
            title: reader.read(&title),
            outer: reader.read(passage.heading.first().map_or("", String::as_str)),
            whole: reader.read(passage.read()),
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "one loop, named for itself")]
fn score_passage(
    read: &mut Read,
    question: &Question,
    reader: &Reader,
    at: usize,
    passage: &Passage,
    around: &Around,
    units: &[Unit],
    table: Option<&Table>,
) {
    let text = passage.read();
    let said = |unit: &Unit| text.get(unit.range.clone()).unwrap_or_default();
    let tokens: Vec<Tokens> = units.iter().map(|unit| reader.read(said(unit))).collect();
    let columns = table.map(|table| reader.read(&table.columns.join(" | ")));
    // What is the same for all of its sentences.
    let of_passage = question.terms.iter().map(|term| {
        let of = |tokens: &Tokens| tokens.match_or_alike(&term.stems, &term.alike);
        let heading = of(&around.heading) * IN_HEADING;
        let title = of(&around.title) * IN_TITLE;
        (heading.max(title), of(&around.whole))
    });
    let of_passage: Vec<(f64, f64)> = of_passage.collect();
    // The last heading inside the passage, and the sentence that introduces a list.
    let (mut inner, mut intro): (Option<usize>, Option<usize>) = (None, None);
    let mut topic: Option<usize> = None;
    for (place, unit) in units.iter().enumerate() {
        match unit.kind {
            UnitKind::Heading => {
                (inner, intro) = (Some(place), None);
                continue;
            }
            UnitKind::Rule => continue,
            UnitKind::Sentence => intro = said(unit).ends_with(':').then_some(place),
            UnitKind::Item | UnitKind::Row => {}
        }
        let is_row = unit.kind == UnitKind::Row;
        if is_row && table.is_some_and(|table| !table.rows.contains_key(&place))
            || unit.range.start < passage.before()
        {
            continue;
        }
        let own = &tokens[place];
        if topic.is_none_or(|at| units[at].paragraph != unit.paragraph) {
            topic = Some(place);
        }
        let before = place.checked_sub(1).filter(|_| !is_row && Some(place - 1) != inner);
        let one = |(term, (above, whole)): (&Term, &(f64, f64))| {
            let of = |tokens: Option<&Tokens>, factor: f64| {
                let one = |tokens: &Tokens| tokens.match_or_alike(&term.stems, &term.alike);
                tokens.map_or(0.0, |tokens| one(tokens) * factor)
            };
            let in_it = of(Some(own), 1.0).max(of(columns.as_ref().filter(|_| is_row), IN_COLUMNS));
            let above = above
                .max(of(inner.map(|at| &tokens[at]), IN_HEADING))
                .max(of(intro.filter(|at| *at != place).map(|at| &tokens[at]), IN_HEADING));
            let near = of(before.map(|at| &tokens[at]), BEFORE)
                .max(of(topic.filter(|at| *at != place).map(|at| &tokens[at]), TOPIC))
                .max(whole * AROUND);
            (in_it, in_it.max(above), in_it.max(above).max(near))
        };
        let found: Vec<(f64, f64, f64)> = question.terms.iter().zip(&of_passage).map(one).collect();
        let whole = question.whole();
        let sum = |take: &dyn Fn(&(f64, f64, f64)) -> f64| {
            let all =
                found.iter().zip(&question.terms).map(|(found, term)| take(found) * term.weight);
            all.sum::<f64>() / whole
        };
        let (in_it, covered) = (sum(&|found| found.0), sum(&|found| found.2));
        if in_it <= 0.0 && covered < 0.3 || !says_more(own, question) {
            continue;
        }
        let said = said(unit);
        // An object of a program is no sentence, whatever it says of itself.
        if said.starts_with('{') && said.contains("\":") {
            continue;
        }
        if question.timing.differs(&Timing::of(said, reader)) {
            continue;
        }
        let facts = Facts::of(said);
        let wanted = plan::Wanted {
            asks: question.asks,
            lists: question.lists,
            question: &question.facts,
            is_measure: question.is_measure,
            is_dated: question.is_dated,
            is_price: question.prices.is_some(),
            names_price: is_row
                || question.prices.as_ref().is_some_and(|stems| {
                    let has = |tokens: &Tokens| stems.iter().any(|stem| tokens.has(stem));
                    has(own)
                }),
            is_counted: question.counted.is_none_or(|at| {
                found[at].1 > 0.0
                    && (unit.kind != UnitKind::Sentence
                        || counts(said, &facts, own, &question.terms[at]))
            }),
        };
        let typed = wanted.is_in(said, &facts);
        let with_type = typed.map_or(0.0, |typed| if typed { TYPED } else { -TYPED });
        let close = proximity(own, question);
        // A name of the question that is not even in the passage: it is about something else.
        let strange = found
            .iter()
            .zip(&question.terms)
            .any(|(found, term)| term.is_name && !term.is_carried && found.2 <= 0.0);
        let score =
            covered + 0.25 * in_it + with_type + CLOSE * close + RELEVANT * passage.relevance
                - if strange { STRANGE } else { 0.0 };
        read.candidates.push(Candidate {
            passage: at,
            range: unit.range.clone(),
            kind: unit.kind,
            unit: place,
            score,
            own: in_it,
            covered,
            words: found.iter().map(|found| found.1).collect(),
            close,
            pairs: pairs(own, question),
            typed,
            facts,
        });
    }
}

/// Whether a number stands at the thing that is counted: "37 people", "members: 212".
fn counts(said: &str, facts: &Facts, own: &Tokens, term: &Term) -> bool {
    if own.match_or_alike(&term.stems, &term.alike) <= 0.0 {
        // It is in the heading above.
        return true;
    }
    let words = phrase::words(said);
    let is_it = |token: &crate::reader::Token| {
        let has = |stems: &[String]| stems.iter().any(|stem| token.stems.contains(stem));
        has(&term.stems) || has(&term.alike)
    };
    let named: Vec<&str> =
        own.all.iter().filter(|token| is_it(token)).map(|token| token.word.as_str()).collect();
    let places = words.iter().enumerate().filter(|(_, word)| named.contains(&word.normal.as_str()));
    let places: Vec<usize> = places.map(|(at, _)| at).collect();
    // What only has the word as a part of it cannot be placed.
    places.is_empty()
        || facts.numbers.iter().any(|number| {
            let at = words.iter().position(|word| word.range.start >= number.range.start);
            at.is_some_and(|at| places.iter().any(|place| place.abs_diff(at) <= 3))
        })
}

/// Whether a sentence says anything that the question does not.
fn says_more(own: &Tokens, question: &Question) -> bool {
    own.all.iter().any(|token| {
        !question.terms.iter().any(|term| term.stems.iter().any(|stem| token.stems.contains(stem)))
    })
}

/// How close together the question's words stand: 1 where there is nothing between them.
fn proximity(own: &Tokens, question: &Question) -> f64 {
    let places = question.terms.iter();
    let mut places: Vec<usize> =
        places.filter_map(|term| term.stems.iter().find_map(|stem| own.place(stem))).collect();
    places.sort_unstable();
    match (places.first(), places.last()) {
        (Some(first), Some(last)) if last > first => {
            (places.len() as f64) / ((last - first + 1) as f64)
        }
        (_, _) => 0.0,
    }
}

/// How many of the question's words that follow each other stand at most two words apart.
fn pairs(own: &Tokens, question: &Question) -> f64 {
    let place = |at: usize| question.terms[at].stems.iter().find_map(|stem| own.place(stem));
    let near = |at: &usize| match (place(*at), place(*at + 1)) {
        (Some(a), Some(b)) => a.abs_diff(b) <= 3,
        (_, _) => false,
    };
    (0..question.terms.len().saturating_sub(1)).filter(near).count() as f64
}
