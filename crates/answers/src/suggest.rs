//! What could be asked next: questions that the passages answer.
//!
//! They are made of headings, of the cells and columns of tables and of names in sentences that were not used, and each is
//! tried: only one that would be answered with a citation is suggested.

use consign_knowledge::Language;

use crate::{
    answer::Answer,
    extract::{Part, candidates, compose},
    lists,
    passage::Passage,
    phrase,
    plan::plan,
    reader::{content_words, is_content},
    sentences::{self, UnitKind},
    weights::Weights,
};

/// The most suggestions.
pub const MOST_SUGGESTIONS: usize = 3;

/// The most questions that are tried.
const MOST_TRIED: usize = 12;

/// The longest part of a document that goes into a question.
const LONGEST: usize = 60;

/// The most words of a sentence that name what it is about; more of them in a row are half a sentence.
const LONGEST_TOPIC: usize = 3;

/// Questions that the passages answer and that were not asked. `asked` are the messages of the user so far, the last one
/// last.
#[must_use]
pub fn suggest(
    asked: &[&str],
    answer: &Answer,
    passages: &[Passage],
    weights: Option<&Weights>,
) -> Vec<String> {
    let language = asked.last().map_or(Language::English, |last| lists::language_of(last));
    let lists = lists::of(language);
    let known: Vec<Vec<String>> = asked.iter().map(|text| content_words(text, lists)).collect();
    let mut suggestions: Vec<String> = Vec::new();
    let mut topics: Vec<Vec<String>> = Vec::new();
    for (question, words) in questions(passages, answer, language).into_iter().take(MOST_TRIED) {
        if suggestions.len() >= MOST_SUGGESTIONS {
            break;
        }
        let said = |other: &Vec<String>| words.iter().all(|word| other.contains(word));
        if words.is_empty() || known.iter().any(said) || topics.iter().any(said) {
            continue;
        }
        if has_answer(&question, passages, weights) {
            suggestions.push(question);
            topics.push(words);
        }
    }
    suggestions
}

fn has_answer(question: &str, passages: &[Passage], weights: Option<&Weights>) -> bool {
    let plan = plan(question, &[]);
    let part = |question: &crate::plan::SubQuestion| Part {
        question: question.clone(),
        passages: passages.to_vec(),
    };
    let parts: Vec<Part> = plan.questions.iter().map(part).collect();
    let draft = compose(&plan, &candidates(&parts, weights), None);
    draft.outcomes.iter().all(|outcome| outcome.answered) && !draft.answer.citations.is_empty()
}

/// Questions that may have an answer, with the words of their subject.
fn questions(
    passages: &[Passage],
    answer: &Answer,
    language: Language,
) -> Vec<(String, Vec<String>)> {
    let lists = lists::of(language);
    let mut questions = Vec::new();
    let used = |passage: &Passage| {
        answer.citations.iter().any(|citation| citation.chunk_id == passage.chunk_id)
    };
    let mut add = |question: String, subject: &str| {
        let words = content_words(subject, lists);
        if !questions.iter().any(|(known, _)| *known == question) {
            questions.push((question, words));
        }
    };
    for passage in passages {
        let units = sentences::units(passage.read());
        let text = passage.read();
        let rows: Vec<&str> = units
            .iter()
            .filter(|unit| unit.kind == UnitKind::Row)
            .filter_map(|unit| text.get(unit.range.clone()))
            .collect();
        if let [columns, rest @ ..] = rows.as_slice() {
            let cell = |row: &str, at: usize| {
                row.trim_matches('|').split('|').nth(at).map(|cell| cell.trim().to_owned())
            };
            let row = rest
                .iter()
                .find(|row| !answer.citations.iter().any(|one| one.text_snippet == **row));
            if let (Some(row), Some(column)) = (row, cell(columns, 1))
                && let Some(name) = cell(row, 0)
                && is_topic(&name)
                && is_topic(&column)
            {
                add(property(&column, &name, language), &format!("{column} {name}"));
            }
        }
        if !used(passage)
            && let Some(heading) = passage.heading.last().map(|heading| phrase::one_line(heading))
            && is_topic(&heading)
        {
            add(about(&heading, language), &heading);
        }
        let headings = units.iter().filter(|unit| unit.kind == UnitKind::Heading);
        for unit in headings.filter(|_| !used(passage)) {
            let heading = phrase::one_line(text.get(unit.range.clone()).unwrap_or_default());
            if is_topic(&heading) {
                add(about(&heading, language), &heading);
            }
        }
        let sentences =
            units.iter().filter(|unit| matches!(unit.kind, UnitKind::Sentence | UnitKind::Item));
        for unit in sentences {
            let said = text.get(unit.range.clone()).unwrap_or_default();
            let is_used = answer.citations.iter().any(|one| one.text_snippet.contains(said));
            let words = phrase::words(said);
            let mut subject: Vec<phrase::Word> = words
                .iter()
                .skip_while(|word| !is_content(&word.normal, lists))
                .take_while(|word| is_content(&word.normal, lists))
                .take(LONGEST_TOPIC + 1)
                .cloned()
                .collect();
            // What stands before a small word that joins nothing is the verb more often than not: "the shop opens on".
            let next = subject
                .last()
                .and_then(|last| words.iter().find(|word| word.range.start >= last.range.end));
            let is_cut = subject.len() > LONGEST_TOPIC;
            if next.is_some_and(|next| !lists.and.contains(&next.normal.as_str())) {
                subject.pop();
            }
            let topic = phrase::text_of(said, &subject);
            let is_short = !is_cut && subject.len() >= 2 && !topic.contains(',');
            if !is_used && is_short && is_topic(topic) {
                add(about(topic, language), topic);
            }
        }
    }
    questions
}

/// Whether a part of a document can stand in a question: short, words, and nothing that looks like an address or markup.
fn is_topic(text: &str) -> bool {
    let plain = |c: char| {
        c.is_alphanumeric()
            || matches!(c, ' ' | '-' | '–' | '\'' | '’' | '(' | ')' | '/' | '&' | ',')
    };
    text.len() >= 3
        && text.len() <= LONGEST
        && text.chars().all(plain)
        && text.chars().any(char::is_alphabetic)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all others are asked in English")]
fn about(topic: &str, language: Language) -> String {
    match language {
        Language::German => format!("Was steht in den Dokumenten zu „{topic}“?"),
        Language::Spanish => format!("¿Qué dicen los documentos sobre «{topic}»?"),
        Language::French => format!("Que disent les documents sur « {topic} » ?"),
        _ => format!("What do the documents say about “{topic}”?"),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all others are asked in English")]
fn property(column: &str, row: &str, language: Language) -> String {
    match language {
        Language::German => format!("Was ist bei „{row}“ unter „{column}“ angegeben?"),
        Language::Spanish => format!("¿Qué se indica en «{column}» para «{row}»?"),
        Language::French => format!("Qu'indique « {column} » pour « {row} » ?"),
        _ => format!("What is given as “{column}” for “{row}”?"),
    }
}
