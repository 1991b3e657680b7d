//! Whether an answer says only what the passages of this turn say.
//!
//! Every citation must be of a passage that was given, with its source, its hash and the exact bytes of its span. Every
//! line that states a fact must have one. What it cites must have its words, numbers, dates, names and addresses, must not
//! deny what it says, and must count the same thing with each number. What fails is taken out, with the reason. A title
//! stays if it is the title of a question, or if the text that is cited below it says the same. A bare yes or no is a
//! fact too, and stays only if the cited text has it.
//!
//! It compares words, not meanings: it cannot tell "rises" from "falls" where both are in the source, and a paraphrase
//! that shares few words with its source is taken out unless a similarity speaks for it. It errs on that side.

mod address;
mod citation;
mod support;
mod swap;

use std::fmt;

use serde::{Deserialize, Serialize};

use self::support::Evidence;
use crate::{
    answer::{Answer, Kind, Line},
    lists,
    passage::{Citation, MOST_PASSAGES, Passage},
    phrases,
    reader::Reader,
    weights::Weights,
};

/// An answer, as far as it is supported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    /// What is left, with its citations numbered anew.
    pub answer: Answer,
    pub removed: Vec<Removed>,
    /// Citations that were wrong and are gone, although their lines had others and stayed.
    pub dropped: Vec<Fault>,
    /// The share of the facts that are supported: 1 where there are none.
    pub share_supported: f64,
    /// The mean relevance of what is cited times the share that is supported.
    pub confidence: f64,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Everything stays.
    Supported,
    /// Some lines are gone.
    Trimmed,
    /// It stated facts, and none of them is left.
    Unsupported,
}

/// A line that was taken out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    pub text: String,
    pub faults: Vec<Fault>,
}

/// What is wrong with a line or its citation. Words of the line are kept, so this is as private as the answer is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// A mark names a citation that is not there.
    NoSuchCitation,
    /// The chunk was not given in this turn.
    ChunkNotGiven,
    /// The chunk is of another source.
    OtherSource,
    /// The source had another content.
    OtherHash,
    /// The span is no part of the chunk.
    SpanOutside,
    /// The bytes of the span are others than the quote.
    QuoteDiffers,
    /// It states a fact and cites nothing.
    NoCitation,
    /// What it cites says little of it.
    NotCovered,
    /// What it cites does not have this number, or counts something else with it.
    NumberNotThere(String),
    DateNotThere(String),
    NameNotThere(String),
    /// A link, a picture, or an address of the web or of mail.
    AddressNotThere(String),
    /// One of the two denies what the other says.
    NegationDiffers,
    /// The number or the name belongs to something else there.
    Swapped,
    /// A model finds them too unlike.
    Dissimilar,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::NoSuchCitation => "it has a mark without a citation",
            Self::ChunkNotGiven => "it cites a chunk that was not given",
            Self::OtherSource => "its citation names another source than its chunk has",
            Self::OtherHash => "its citation is of another version of the source",
            Self::SpanOutside => "its citation points outside of its chunk",
            Self::QuoteDiffers => "its quote is not the text at its place",
            Self::NoCitation => "it states a fact and cites nothing",
            Self::NotCovered => "what it cites does not say it",
            Self::NumberNotThere(number) => {
                return write!(f, "what it cites does not say {number}");
            }
            Self::DateNotThere(date) => return write!(f, "what it cites does not say {date}"),
            Self::NameNotThere(name) => return write!(f, "what it cites does not name {name}"),
            Self::AddressNotThere(address) => {
                return write!(f, "what it cites does not have the address {address}");
            }
            Self::NegationDiffers => "what it cites says the contrary",
            Self::Swapped => "what it cites says it of something else",
            Self::Dissimilar => "what it cites is about something else",
        };
        f.write_str(text)
    }
}

/// Checks an answer against the passages of its turn. `titles` are those of the questions, which may stand above its
/// parts. `similarities` are cosines between the lines that state facts, in their order, and what they cite.
#[must_use]
pub fn verify(
    answer: &Answer,
    titles: &[&str],
    passages: &[Passage],
    weights: Option<&Weights>,
    similarities: Option<&[f64]>,
) -> Verified {
    let passages = &passages[..passages.len().min(MOST_PASSAGES)];
    let texts = answer.lines().map(|line| line.text.as_str());
    let above = answer.blocks.iter().filter_map(|block| block.title.as_deref());
    let reader = Reader::of(passages, texts.chain(above));
    let mut checked = Verified {
        answer: Answer { blocks: Vec::new(), citations: answer.citations.clone() },
        removed: Vec::new(),
        dropped: Vec::new(),
        share_supported: 1.0,
        confidence: 0.0,
        verdict: Verdict::Supported,
    };
    let (mut facts, mut kept) = (0_usize, 0_usize);
    for block in &answer.blocks {
        let (mut lines, mut evidence) = (Vec::new(), Vec::new());
        for line in &block.lines {
            let line = Line { kind: kind(line, titles), ..line.clone() };
            if !line.kind.is_fact() {
                lines.push(line);
                continue;
            }
            let similarity = similarities.and_then(|all| all.get(facts).copied());
            facts += 1;
            match check(&line, &answer.citations, passages, &reader, weights, similarity) {
                Ok(sound) => {
                    kept += 1;
                    checked.dropped.extend(sound.dropped);
                    evidence.extend(sound.evidence);
                    lines.push(Line { cites: sound.cites, ..line });
                }
                Err(faults) => checked.removed.push(Removed { text: line.text, faults }),
            }
        }
        // Our words around facts do not stay without them.
        if lines.iter().all(|line| line.kind == Kind::Note) {
            continue;
        }
        let wrong = |title: &&String| match is_title(title, titles) {
            true => None,
            false => {
                let faults = support::of_title(title, &evidence, &reader, weights);
                (!faults.is_empty()).then(|| Removed { text: (*title).clone(), faults })
            }
        };
        let removed = block.title.as_ref().and_then(|title| wrong(&title));
        let title = block.title.clone().filter(|_| removed.is_none());
        checked.removed.extend(removed);
        checked.answer.blocks.push(crate::answer::Block { title, lines, list: block.list });
    }
    checked.answer = checked.answer.renumbered();
    checked.verdict = match (facts, kept) {
        (facts, kept) if facts == kept => Verdict::Supported,
        (_, 0) => Verdict::Unsupported,
        (_, _) => Verdict::Trimmed,
    };
    if facts > 0 {
        checked.share_supported = kept as f64 / facts as f64;
    }
    checked.confidence = confidence(&checked.answer, passages) * checked.share_supported;
    checked
}

/// What a line is, by what it says: who made the answer does not decide whether it is checked.
fn kind(line: &Line, titles: &[&str]) -> Kind {
    if !line.cites.is_empty() {
        return if line.kind == Kind::Context { Kind::Context } else { Kind::Claim };
    }
    if says_missing(&line.text, titles) {
        Kind::Missing
    } else if says_disagree(&line.text) || support::is_no_fact(&line.text) {
        Kind::Note
    } else {
        Kind::Claim
    }
}

/// Whether a text is one of our own sentences about what is not there.
fn says_missing(text: &str, titles: &[&str]) -> bool {
    let bare = |text: &str| text.trim_end_matches(['?', '.', ' ']).trim_start().to_lowercase();
    lists::ALL.iter().any(|(language, _)| {
        let phrases = phrases::of(*language);
        // What is named behind it is what was asked: a number or an address would be a fact.
        let names_it = |about: &str| {
            titles.iter().any(|title| bare(title) == bare(about))
                || !about.chars().any(|c| c.is_ascii_digit())
                    && address::missing(about, "").is_none()
        };
        text == phrases.not_there
            || text == phrases.unknown
            || text == "I don't know."
            || text.strip_prefix(phrases.not_there_about).is_some_and(names_it)
    })
}

fn says_disagree(text: &str) -> bool {
    lists::ALL.iter().any(|(language, _)| text == phrases::of(*language).disagree)
}

/// Whether a title needs no support: it is what was asked.
fn is_title(title: &str, titles: &[&str]) -> bool {
    let bare = |text: &str| text.trim_end_matches([':', ' ']).to_lowercase();
    says_disagree(title) || titles.iter().any(|asked| bare(asked) == bare(title))
}

/// The mean relevance of what is cited.
fn confidence(answer: &Answer, passages: &[Passage]) -> f64 {
    let relevance = |citation: &Citation| {
        passages
            .iter()
            .find(|passage| passage.chunk_id == citation.chunk_id)
            .map(|passage| passage.relevance)
    };
    let all: Vec<f64> = answer.citations.iter().filter_map(relevance).collect();
    if all.is_empty() { 0.0 } else { all.iter().sum::<f64>() / all.len() as f64 }
}

/// What is right about a line.
struct Sound {
    cites: Vec<usize>,
    /// What is wrong with its other citations.
    dropped: Vec<Fault>,
    evidence: Vec<Evidence>,
}

/// The citations of a line that are right; or why the line cannot stay.
fn check(
    line: &Line,
    citations: &[Citation],
    passages: &[Passage],
    reader: &Reader,
    weights: Option<&Weights>,
    similarity: Option<f64>,
) -> Result<Sound, Vec<Fault>> {
    if line.cites.is_empty() {
        return Err(vec![Fault::NoCitation]);
    }
    let (mut cites, mut dropped, mut evidence) = (Vec::new(), Vec::new(), Vec::new());
    for at in &line.cites {
        let found = citations.get(*at).ok_or(Fault::NoSuchCitation);
        match found.and_then(|citation| Ok((citation, citation::check(citation, passages)?))) {
            Ok((citation, passage)) => {
                cites.push(*at);
                evidence.push(Evidence::of(citation, passage));
            }
            Err(fault) => dropped.push(fault),
        }
    }
    if cites.is_empty() {
        return Err(dropped);
    }
    let unsupported = support::faults(&line.text, &evidence, reader, weights, similarity);
    if unsupported.is_empty() {
        Ok(Sound { cites, dropped, evidence })
    } else {
        dropped.extend(unsupported);
        Err(dropped)
    }
}

#[cfg(test)]
mod tests;
