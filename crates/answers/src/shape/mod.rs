//! How an answer looks: for whom it is, and what was asked of its form.
//!
//! A persona chooses what is said, never what is true: `Technical` keeps the sentences that go with an answer, `General` the
//! answer, `Executive` the first sentence of each part. Forms that need no model are followed; the rest is said in a note.

mod wishes;

use consign_contracts::{
    crew::{Persona, TailorOutput},
    json::{Number, Object},
};

use self::wishes::Wishes;
use crate::{
    answer::{Answer, Block, Kind, Line},
    lists,
    passage::{Citation, Passage},
    phrases, sentences,
};

/// An answer in its form.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaped {
    /// The answer with its marks, and notes below it: plain text. It has no pictures, and no links but those of the lines.
    pub text: String,
    /// As it is written: what a persona or a wish leaves out is not in it, and its citations are numbered as in the text.
    pub answer: Answer,
    /// What was asked of its form and could not be done.
    pub notes: Vec<String>,
    pub persona: Persona,
}

/// An answer for a persona, in the form that was asked for. `question` tells the language of what is ours.
#[must_use]
pub fn shape(
    answer: &Answer,
    question: &str,
    persona: Persona,
    instructions: Option<&str>,
    passages: &[Passage],
) -> Shaped {
    let wishes = Wishes::of(instructions.unwrap_or_default());
    let phrases = phrases::of(lists::language_of(question));
    let answer = chosen(answer, persona, &wishes);
    let mut text = written(&answer, &wishes);
    let notes: Vec<String> = wishes
        .unknown
        .iter()
        .map(|wish| format!("Note: without a model this was not followed: \"{wish}\""))
        .collect();
    if wishes.citation_table && !answer.citations.is_empty() {
        text.push_str("\n\n");
        text.push_str(&citation_table(&answer, passages, phrases));
    }
    for note in &notes {
        text.push_str("\n\n");
        text.push_str(note);
    }
    Shaped { text, answer, notes, persona }
}

/// What is said where nothing is left of an answer: "I don't know", in the language of the question.
#[must_use]
pub fn refusal(question: &str) -> Answer {
    let text = phrases::of(lists::language_of(question)).unknown;
    let block = Block { lines: vec![Line::of(Kind::Missing, text)], ..Block::default() };
    Answer { blocks: vec![block], citations: Vec::new() }
}

impl Shaped {
    /// The answer as its contract has it. A confidence that is no number from 0 to 1 counts as 0.
    #[must_use]
    pub fn to_output(&self, suggestions: Vec<String>, confidence: f64) -> TailorOutput {
        let rounded = (confidence.clamp(0.0, 1.0) * 1e4).round() / 1e4;
        TailorOutput {
            content: self.text.clone(),
            citations: self.answer.citations.iter().map(Citation::to_contract).collect(),
            tone_used: self.persona.as_str().to_owned(),
            follow_up_suggestions: suggestions,
            confidence_score: Number::try_from(rounded).unwrap_or_else(|_| 0_u64.into()),
            extra: Object::new(),
        }
    }
}

fn chosen(answer: &Answer, persona: Persona, wishes: &Wishes) -> Answer {
    let mut answer = answer.clone();
    let short = wishes.short || wishes.one_sentence || persona == Persona::Executive;
    let keeps_context = persona == Persona::Technical && !wishes.one_sentence && !wishes.short;
    for block in &mut answer.blocks {
        // Where sources disagree, none of them is left out.
        let disagrees = block.lines.iter().any(|line| line.kind == Kind::Note);
        let mut facts = 0;
        block.lines.retain(|line| match line.kind {
            Kind::Note | Kind::Missing => true,
            Kind::Context => keeps_context,
            Kind::Claim => {
                facts += 1;
                disagrees || !short || facts == 1
            }
        });
        // A claim that only stood there as context must not vanish with it.
        if block.lines.iter().all(|line| line.kind == Kind::Note) {
            block.lines.clear();
        }
    }
    answer.renumbered()
}

fn marked(line: &Line) -> String {
    let marks: String = line.cites.iter().map(|at| format!(" [{}]", at + 1)).collect();
    without_pictures(&line.text) + &marks
}

/// A picture of a document, where the text is taken for Markdown, would be loaded without a click.
fn without_pictures(text: &str) -> String {
    text.replace("![", "[")
}

fn written(answer: &Answer, wishes: &Wishes) -> String {
    let mut number = 0;
    let many = answer.blocks.len() > 1;
    let block = |block: &Block| {
        let mut rows: Vec<String> = Vec::new();
        // The title of the only part says no more than the question.
        let title = block.title.as_deref().filter(|title| many || title.ends_with(':'));
        rows.extend(title.map(without_pictures));
        if wishes.bullets || wishes.numbered || block.list && !wishes.one_sentence {
            for line in &block.lines {
                let mark = if !line.kind.is_fact() {
                    String::new()
                } else if wishes.numbered {
                    number += 1;
                    format!("{number}. ")
                } else {
                    "- ".to_owned()
                };
                rows.push(mark + &marked(line));
            }
        } else {
            rows.push(block.lines.iter().map(marked).collect::<Vec<_>>().join(" "));
        }
        rows.join("\n")
    };
    answer.blocks.iter().map(block).collect::<Vec<_>>().join("\n\n")
}

fn citation_table(answer: &Answer, passages: &[Passage], phrases: &phrases::Phrases) -> String {
    let mut text = format!("| # | {} | {} | |\n|---|---|---|---|", phrases.sources, phrases.page);
    for (at, citation) in answer.citations.iter().enumerate() {
        let passage = passages.iter().find(|passage| passage.chunk_id == citation.chunk_id);
        let name = escaped(passage.map_or("", Passage::name));
        let page = citation.page_number.map_or_else(String::new, |page| page.to_string());
        let quote = escaped(&crate::phrase::one_line(&citation.text_snippet));
        text.push_str(&format!("\n| {} | {name} | {page} | {quote} |", at + 1));
    }
    text
}

/// The text of an answer as Markdown: its lists and tables are some, and nothing else in it is a link, a picture or HTML.
#[must_use]
pub fn markdown(text: &str) -> String {
    let mut rows: Vec<(bool, String)> = Vec::new();
    for row in text.lines().map(str::trim) {
        let said = sentences::after_bullet(row);
        let mark = row.strip_suffix(said).unwrap_or_default();
        let is_row = row.starts_with('|') && is_plain_row(row);
        let written = match is_row {
            true => row.to_owned(),
            false => mark.replace(['*', '+'], "-") + &escaped(said),
        };
        let is_list = is_row || !mark.is_empty();
        // Lines below each other would become one.
        let goes_on = |(list, last): &(bool, String)| last.is_empty() || *list && is_list;
        let is_apart = rows.last().is_some_and(|last| !goes_on(last));
        if is_apart && !row.is_empty() {
            rows.push((false, String::new()));
        }
        rows.push((is_list, written));
    }
    rows.into_iter().map(|(_, row)| row).collect::<Vec<_>>().join("\n")
}

/// Whether a row of a table has no markup in its cells, or is escaped already.
fn is_plain_row(row: &str) -> bool {
    let mut letters = row.chars();
    while let Some(c) = letters.next() {
        match c {
            '\\' => drop(letters.next()),
            '|' => {}
            c if is_markup(c) => return false,
            _ => {}
        }
    }
    true
}

/// Text of strangers in Markdown: nothing in it is a link, a picture or HTML.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if is_markup(c) || c == '|' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

fn is_markup(c: char) -> bool {
    matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '!' | '&' | '~')
}

#[cfg(test)]
mod tests;
