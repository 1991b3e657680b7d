//! The extractive Tailor: sentences that answer, as quotes.
//!
//! [`candidates`] reads the passages of each question and keeps the sentences that speak most for it; a caller with an
//! embedding model can compare their [`Candidates::texts`] with the questions. [`compose`] decides for each question
//! whether the documents have it ([`crate::refuse`]), takes the sentences that answer it, and orders them. Tables are
//! answered by cell. Where two sources say different numbers or dates, or one denies what the other says, both are shown.

mod choose;
mod question;
mod score;
mod table;
mod timing;

use crate::{
    answer::{Answer, Block, Kind, Line},
    lists,
    passage::{MOST_PASSAGES, Passage},
    phrases,
    plan::{Plan, Shape, SubQuestion},
    refuse::Signals,
    weights::Weights,
};

/// A question, and the passages that were found for it, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub question: SubQuestion,
    pub passages: Vec<Passage>,
}

/// Sentences that may answer, for each part.
#[derive(Clone, Debug)]
pub struct Candidates {
    parts: Vec<Found>,
}

#[derive(Clone, Debug)]
struct Found {
    part: Part,
    read: score::Read,
}

/// An extractive answer, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    pub answer: Answer,
    /// Of each part.
    pub outcomes: Vec<Outcome>,
}

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    pub answered: bool,
    /// How likely it is that the passages have an answer: 0 to 1.
    pub likely: f64,
    pub signals: Signals,
}

/// The sentences that may answer each part. `weights` are of the words of questions, from the index; without them all
/// words count alike.
#[must_use]
pub fn candidates(parts: &[Part], weights: Option<&Weights>) -> Candidates {
    let read = |part: &Part| {
        let mut part = part.clone();
        part.passages.truncate(MOST_PASSAGES);
        let read = score::read(&part, weights);
        Found { part, read }
    };
    Candidates { parts: parts.iter().map(read).collect() }
}

impl Candidates {
    /// The candidates of each part, as they stand in their passages, best first.
    #[must_use]
    pub fn texts(&self) -> Vec<Vec<String>> {
        let of = |found: &Found| {
            let text = |candidate: &score::Candidate| {
                found.part.passages.get(candidate.passage).and_then(|passage| {
                    passage.content.get(candidate.range.clone()).map(str::to_owned)
                })
            };
            found.read.candidates.iter().map(|one| text(one).unwrap_or_default()).collect()
        };
        self.parts.iter().map(of).collect()
    }
}

/// The answer. `similarities` are cosines between each question and the texts of its candidates, in the same order.
#[must_use]
pub fn compose(plan: &Plan, candidates: &Candidates, similarities: Option<&[Vec<f64>]>) -> Draft {
    let mut answer = Answer::default();
    let mut outcomes = Vec::new();
    for (at, found) in candidates.parts.iter().enumerate() {
        let similarities = similarities.and_then(|all| all.get(at)).map(Vec::as_slice);
        let chosen =
            choose::choose(&found.part, &found.read, candidates.parts.len() > 1, similarities);
        let question = &found.part.question;
        let language = lists::language_of(&question.text);
        let title = question.title.clone().filter(|_| plan.shape != Shape::Single);
        let mut block = Block { title, ..Block::default() };
        if !chosen.outcome.answered {
            block.lines.push(missing(question, plan.shape, language));
        } else if chosen.disagree {
            block.lines.push(Line::of(Kind::Note, phrases::of(language).disagree));
            block.list = true;
        }
        for quote in chosen.quotes {
            let place = answer.citations.iter().position(|known| *known == quote.citation);
            let place = place.unwrap_or_else(|| {
                answer.citations.push(quote.citation.clone());
                answer.citations.len() - 1
            });
            let line = Line { text: quote.text, cites: vec![place], kind: quote.kind };
            // One sentence can answer several parts; what only went with another answer has not been said as one.
            let is_said = |known: &Line| {
                known.text == line.text
                    && known.cites == line.cites
                    && (known.kind != Kind::Context || line.kind == Kind::Context)
            };
            if !answer.lines().any(is_said) {
                block.lines.push(line);
            }
        }
        if block.lines.iter().any(|line| line.kind != Kind::Note) {
            answer.blocks.push(block);
        }
        outcomes.push(chosen.outcome);
    }
    Draft { answer: answer.renumbered(), outcomes }
}

fn missing(question: &SubQuestion, shape: Shape, language: consign_knowledge::Language) -> Line {
    let phrases = phrases::of(language);
    match (&question.title, shape) {
        (Some(title), Shape::Parts | Shape::Compare) => {
            let title = title.trim_end_matches(['?', '.', ' ']);
            Line::of(Kind::Missing, format!("{} {title}.", phrases.not_there_about))
        }
        (_, Shape::Single | Shape::Parts | Shape::Compare) => {
            Line::of(Kind::Missing, phrases.not_there)
        }
    }
}

#[cfg(test)]
mod tests;
