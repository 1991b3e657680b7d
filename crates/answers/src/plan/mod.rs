//! From a message to the questions that are looked for.
//!
//! What it does: it splits a message into questions at question marks and before a question word that follows "and"; it
//! tells the two sides of a comparison; it carries the subject of the question before into one that has none of its own
//! ("and for managers?", "who signs it?"). It works by the closed word lists of [`crate::lists`] in English, German,
//! Spanish and French.
//!
//! What it does not do: it knows no grammar, so it does not tell what a pronoun stands for, only that something is
//! carried over; it does not split questions joined without a question word ("the fee and the notice period"); what was
//! said in answers is never carried over, so that nothing in a document can steer a plan; in another language a message
//! is one question.

mod asks;
mod compare;
mod follow;

use serde::{Deserialize, Serialize};

pub use self::asks::Asks;
pub(crate) use self::asks::Wanted;
use crate::{lists, phrase};

/// The most questions that a message is split into.
pub const MOST_QUESTIONS: usize = 4;

/// Longer messages are cut here.
const LONGEST: usize = 8 * 1024;

/// What is to be found out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// At least one, at most [`MOST_QUESTIONS`].
    pub questions: Vec<SubQuestion>,
    pub shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    Single,
    /// Several questions, answered one after the other.
    Parts,
    /// One question about each of several sides.
    Compare,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubQuestion {
    /// To be read and answered.
    pub text: String,
    /// To be searched for: its words that say something of its subject. In documents of several languages the others
    /// would be taken for rare words.
    pub search: String,
    pub asks: Asks,
    /// What stands above its part of the answer: a side of a comparison, or a question of several.
    pub title: Option<String>,
    /// Words that were carried over from earlier questions, or from the rest of the message.
    pub carried: Vec<String>,
}

/// Something that was said before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said<'a> {
    /// `user`, `assistant` or `system`.
    pub role: &'a str,
    pub content: &'a str,
}

/// The plan for a message, after what was said before (the oldest first).
#[must_use]
pub fn plan(message: &str, history: &[Said<'_>]) -> Plan {
    let mut subject: Option<String> = None;
    let said = history.iter().filter(|said| said.role == "user" && !said.content.trim().is_empty());
    let from = said.clone().count().saturating_sub(10);
    for said in said.skip(from) {
        let questions = questions(cut(said.content), subject.as_deref());
        subject = questions.into_iter().next().map(|question| question.text);
    }
    let message = cut(message);
    let sides = compare::sides(message, subject.as_deref());
    if sides.len() > 1 {
        let asks = Asks::of(message, lists::of(lists::language_of(message)));
        let of = |side: compare::Side| SubQuestion {
            search: search(&side.text),
            text: side.text,
            asks: if asks == Asks::How { Asks::Anything } else { asks },
            title: Some(side.name),
            carried: side.shared,
        };
        let questions = sides.into_iter().take(MOST_QUESTIONS).map(of).collect();
        return Plan { questions, shape: Shape::Compare };
    }
    let mut questions = questions(message, subject.as_deref());
    questions.truncate(MOST_QUESTIONS);
    let shape = if questions.len() > 1 { Shape::Parts } else { Shape::Single };
    if shape == Shape::Parts {
        let lists = lists::of(lists::language_of(message));
        // What asks nothing is not repeated in an answer.
        for question in &mut questions {
            let text = question.text.as_str();
            let asks = text.ends_with('?') || asks::has_question_word(text, lists);
            question.title = Some(text.to_owned()).filter(|_| asks);
        }
    }
    Plan { questions, shape }
}

/// The questions of a message, each with what it needs of the one before it.
fn questions(message: &str, before: Option<&str>) -> Vec<SubQuestion> {
    let language = lists::language_of(message);
    let lists = lists::of(language);
    let mut subject = before.map(str::to_owned);
    let mut questions: Vec<SubQuestion> = Vec::new();
    for (part, joined) in parts(message, lists) {
        let resolved = follow::resolve(part, subject.as_deref(), joined, lists, language);
        subject = Some(resolved.text.clone());
        let mut asks = Asks::of(part, lists);
        if asks == Asks::Anything && !resolved.carried.is_empty() {
            asks = before.map_or(asks, |before| Asks::of(before, lists));
        }
        questions.push(SubQuestion {
            search: search(&resolved.text),
            text: resolved.text,
            asks,
            title: None,
            carried: resolved.carried,
        });
    }
    if questions.is_empty() {
        let text = phrase::one_line(message);
        let search = search(&text);
        questions.push(SubQuestion {
            search,
            text,
            asks: Asks::Anything,
            title: None,
            carried: Vec::new(),
        });
    }
    questions
}

/// The words of a question that say something, as they are written; all of them where none does.
fn search(text: &str) -> String {
    let lists = lists::of(lists::language_of(text));
    let words = phrase::words(text);
    let said = words.iter().filter(|word| crate::reader::is_content(&word.normal, lists));
    let said: Vec<&str> = said.filter_map(|word| text.get(word.range.clone())).collect();
    if said.is_empty() { text.to_owned() } else { said.join(" ") }
}

/// The parts of a message that ask, and whether each is joined to the one before it by "and". What only tells something before a question goes with the question behind it.
fn parts<'a>(message: &'a str, lists: &lists::Lists) -> Vec<(&'a str, bool)> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, mark) in message.match_indices(['?', '？', '؟']) {
        let end = at + mark.len();
        split_joined(&message[from..end], lists, &mut parts);
        from = end;
    }
    let rest = message[from..].trim();
    if phrase::words(rest).len() > 2 || parts.is_empty() {
        split_joined(rest, lists, &mut parts);
    }
    parts.retain(|(part, _)| part.chars().any(char::is_alphanumeric));
    parts
}

/// Splits "What is X and when does Y?" before the second question word.
fn split_joined<'a>(text: &'a str, lists: &lists::Lists, parts: &mut Vec<(&'a str, bool)>) {
    let words = phrase::words(text);
    let (mut from, mut joined) = (0, false);
    for (at, word) in words.iter().enumerate().skip(1) {
        let joins = lists.and.contains(&word.normal.as_str());
        let next = words.get(at + 1..).unwrap_or_default();
        let before = &text[from..word.range.start];
        if joins
            && asks::begins_question(next, lists)
            && phrase::words(before).len() > 2
            && asks::has_question_word(before, lists)
        {
            parts.push((before.trim().trim_end_matches(','), joined));
            joined = true;
            from = word.range.end;
        }
    }
    parts.push((text[from..].trim(), joined));
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

#[cfg(test)]
mod tests;
