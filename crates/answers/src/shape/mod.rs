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
    phrases,
};

/// An answer in its form.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaped {
    /// The answer with its marks, and notes below it.
    pub text: String,
    /// In Markdown, followed by the numbered citations with source, page and quote.
    pub markdown: String,
    /// As they are numbered in the text.
    pub citations: Vec<Citation>,
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
    let mut text = written(&answer, &wishes, false);
    let mut markdown = written(&answer, &wishes, true);
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
        markdown.push_str("\n\n");
        markdown.push_str(&escaped(note));
    }
    if !answer.citations.is_empty() {
        markdown.push_str("\n\n");
        markdown.push_str(&if wishes.citation_table {
            citation_table(&answer, passages, phrases)
        } else {
            citation_list(&answer, passages, phrases)
        });
    }
    Shaped { text, markdown, citations: answer.citations, notes, persona }
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
            citations: self.citations.iter().map(Citation::to_contract).collect(),
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

fn marked(line: &Line, markdown: bool) -> String {
    let text = if markdown { escaped(&line.text) } else { line.text.clone() };
    let marks: String = line.cites.iter().map(|at| format!(" [{}]", at + 1)).collect();
    text + &marks
}

fn written(answer: &Answer, wishes: &Wishes, markdown: bool) -> String {
    let mut number = 0;
    let many = answer.blocks.len() > 1;
    let blocks: Vec<String> = answer
        .blocks
        .iter()
        .map(|block| {
            let mut rows: Vec<String> = Vec::new();
            if let Some(title) = block.title.as_deref().filter(|_| many) {
                rows.push(if markdown {
                    format!("**{}**", escaped(title))
                } else {
                    title.to_owned()
                });
            }
            let bullets = wishes.bullets || wishes.numbered || block.list && !wishes.one_sentence;
            if bullets {
                for line in &block.lines {
                    let mark = if !line.kind.is_fact() {
                        String::new()
                    } else if wishes.numbered {
                        number += 1;
                        format!("{number}. ")
                    } else {
                        "- ".to_owned()
                    };
                    rows.push(mark + &marked(line, markdown));
                }
            } else {
                let lines: Vec<String> =
                    block.lines.iter().map(|line| marked(line, markdown)).collect();
                rows.push(lines.join(" "));
            }
            let gap = if markdown && bullets {
                "\n"
            } else if markdown {
                "\n\n"
            } else {
                "\n"
            };
            rows.join(gap)
        })
        .collect();
    blocks.join("\n\n")
}

fn place<'a>(
    citation: &Citation,
    passages: &'a [Passage],
    phrases: &phrases::Phrases,
) -> (&'a str, String) {
    let passage = passages.iter().find(|passage| passage.chunk_id == citation.chunk_id);
    let page =
        citation.page_number.map_or_else(String::new, |page| format!("{} {page}", phrases.page));
    (passage.map_or("", Passage::name), page)
}

fn citation_list(answer: &Answer, passages: &[Passage], phrases: &phrases::Phrases) -> String {
    let mut text = format!("**{}**\n", phrases.sources);
    for (at, citation) in answer.citations.iter().enumerate() {
        let (name, page) = place(citation, passages, phrases);
        let page = if page.is_empty() { page } else { format!(", {page}") };
        let quote = crate::phrase::one_line(&citation.text_snippet);
        text.push_str(&format!("\n{}. {}{page}: “{}”", at + 1, escaped(name), escaped(&quote)));
    }
    text
}

fn citation_table(answer: &Answer, passages: &[Passage], phrases: &phrases::Phrases) -> String {
    let mut text = format!("| # | {} | {} | |\n|---|---|---|---|", phrases.sources, phrases.page);
    for (at, citation) in answer.citations.iter().enumerate() {
        let (name, _) = place(citation, passages, phrases);
        let page = citation.page_number.map_or_else(String::new, |page| page.to_string());
        let quote = crate::phrase::one_line(&citation.text_snippet);
        text.push_str(&format!(
            "\n| {} | {} | {page} | {} |",
            at + 1,
            escaped(name),
            escaped(&quote)
        ));
    }
    text
}

/// Text of strangers in Markdown: nothing in it is a link, a picture or HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '!' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
