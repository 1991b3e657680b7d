//! The four formats that are not Gherkin: arrows, colons, sentences, lines.
//!
//! Each has a function that says whether a text is written so and one that reads it. Marks of lists
//! and headings in front of a line are never part of it. A first line `Feature: …` is the title.

use super::scenario::{Scenario, Spec};

/// A name before a colon is no longer than this.
const LONGEST_NAME: usize = 80;

/// Words that a full stop belongs to.
const ABBREVIATIONS: &[&str] = &[
    "approx", "cf", "dr", "e.g", "etc", "fig", "i.e", "incl", "mr", "mrs", "ms", "prof", "resp",
    "vs",
];

pub(super) fn fits_arrow(text: &str) -> bool {
    Body::of(text).lines.iter().any(|line| line.contains("->") || line.contains('→'))
}

/// The first part of a line is the name, the rest are the steps. A line that begins with an arrow
/// goes on with the scenario above.
pub(super) fn arrow(text: &str) -> Spec {
    let body = Body::of(text);
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for line in &body.lines {
        let line = line.replace('→', "->");
        let goes_on = line.starts_with("->") || line.starts_with("-->");
        let parts = line.split("->").map(|part| part.trim_end_matches('-').trim());
        let mut parts = parts.filter(|part| !part.is_empty()).map(str::to_owned);
        match found.last_mut() {
            Some((_, steps)) if goes_on => steps.extend(parts),
            _ => found.extend(parts.next().map(|name| (name, parts.collect()))),
        }
    }
    body.spec(found.into_iter().map(|(name, steps)| Scenario::plain(&name, steps)).collect())
}

pub(super) fn fits_colon(text: &str) -> bool {
    let body = Body::of(text);
    !body.lines.is_empty() && body.lines.iter().all(|line| name_and_steps(line).is_some())
}

/// Steps are separated by `,` and `;`.
pub(super) fn colon(text: &str) -> Spec {
    let body = Body::of(text);
    let scenario = |(name, steps): (&str, &str)| {
        let steps = steps.split([',', ';']).map(str::trim).filter(|step| !step.is_empty());
        Scenario::plain(name, steps.map(|step| without_stop(step).to_owned()).collect())
    };
    let found = body.lines.iter().filter_map(|line| name_and_steps(line)).map(scenario).collect();
    body.spec(found)
}

fn name_and_steps(line: &str) -> Option<(&str, &str)> {
    let at =
        line.match_indices(':').find(|(at, _)| line[at + 1..].starts_with(char::is_whitespace))?;
    let (name, steps) = (line[..at.0].trim(), line[at.0 + 1..].trim());
    let fits = !name.is_empty()
        && !steps.is_empty()
        && name.chars().count() <= LONGEST_NAME
        && !name.contains(['.', '。']);
    fits.then_some((name, steps))
}

/// A full stop stands between two sentences of one line, or ends every paragraph.
pub(super) fn fits_sentences(text: &str) -> bool {
    let body = Body::of(text);
    let ends = |paragraph: &String| paragraph.ends_with(['.', '。']);
    body.lines.iter().any(|line| split_sentences(line).len() > 1)
        || (!body.paragraphs.is_empty() && body.paragraphs.iter().all(ends))
}

/// A paragraph is a scenario. Its first sentence is the name, and all of them are its steps.
pub(super) fn sentences(text: &str) -> Spec {
    let body = Body::of(text);
    let scenario = |paragraph: &String| {
        let steps = split_sentences(paragraph);
        let name = steps.first()?.clone();
        Some(Scenario::plain(&name, steps))
    };
    let found = body.paragraphs.iter().filter_map(scenario).collect();
    body.spec(found)
}

pub(super) fn lines(text: &str) -> Spec {
    let body = Body::of(text);
    let found = body.lines.iter().map(|line| Scenario::plain(line, Vec::new())).collect();
    body.spec(found)
}

/// A specification without its title and without the marks of lists.
struct Body {
    title: Option<String>,
    lines: Vec<String>,
    paragraphs: Vec<String>,
}

impl Body {
    fn of(text: &str) -> Self {
        let mut title = None;
        let mut lines: Vec<&str> = text.lines().collect();
        let first = lines.iter().position(|line| !line.trim().is_empty());
        if let Some(first) = first
            && let Some(said) = lines[first].trim().strip_prefix("Feature:")
            && !said.trim().is_empty()
            && lines[first + 1..].iter().any(|line| says_something(line))
        {
            title = Some(said.trim().to_owned());
            lines.drain(..=first);
        }
        let anything = lines.iter().any(|line| says_something(line));
        let mut body = Self { title, lines: Vec::new(), paragraphs: Vec::new() };
        let mut open = false;
        for line in lines {
            let line = line.trim();
            // A ruler between two parts is no scenario, unless there is nothing else.
            if line.is_empty() || (anything && !says_something(line)) {
                open = false;
                continue;
            }
            let line = without_mark(line);
            body.lines.push(line.to_owned());
            match body.paragraphs.last_mut() {
                Some(paragraph) if open => {
                    paragraph.push(' ');
                    paragraph.push_str(line);
                }
                _ => body.paragraphs.push(line.to_owned()),
            }
            open = true;
        }
        body
    }

    fn spec(self, scenarios: Vec<Scenario>) -> Spec {
        Spec { title: self.title, description: String::new(), scenarios }
    }
}

fn says_something(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

/// The line without the mark of a list, a box to tick or a heading. Never empty.
fn without_mark(line: &str) -> &str {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = if digits.len() < line.len() && line.len() - digits.len() <= 3 {
        digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") "))
    } else {
        None
    };
    let hashes = line.trim_start_matches('#');
    let heading = if hashes.len() < line.len() { hashes.strip_prefix(' ') } else { None };
    let bullet = ["- ", "* ", "+ ", "• "].iter().find_map(|mark| line.strip_prefix(mark));
    let rest = numbered.or(heading).or(bullet).unwrap_or(line).trim();
    let boxes = ["[ ] ", "[x] ", "[X] "];
    let rest = boxes.iter().find_map(|mark| rest.strip_prefix(mark)).unwrap_or(rest).trim();
    if says_something(rest) { rest } else { line }
}

fn split_sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, stop) in text.char_indices().filter(|(_, c)| matches!(c, '.' | '。')) {
        let end = at + stop.len_utf8();
        let rest = text[end..].trim_start_matches(['"', '\'', ')', '”', '’']);
        let apart = stop == '。' || rest.is_empty() || rest.starts_with(char::is_whitespace);
        if !apart || belongs_to_a_word(&text[start..at], rest) {
            continue;
        }
        let end = text.len() - rest.len();
        found.push(without_stop(text[start..end].trim()).to_owned());
        start = end;
    }
    found.push(without_stop(text[start..].trim()).to_owned());
    found.retain(|sentence| says_something(sentence));
    found
}

fn belongs_to_a_word(before: &str, after: &str) -> bool {
    let next = after.trim_start().chars().next();
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches(['(', '"']).to_lowercase();
    let known = ABBREVIATIONS.contains(&word.as_str());
    known && next.is_some() && !(word == "etc" && next.is_some_and(char::is_uppercase))
}

fn without_stop(sentence: &str) -> &str {
    sentence.trim_end_matches(['.', '。']).trim_end()
}
