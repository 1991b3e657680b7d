//! Gherkin: detection, the parser, and the scenarios that it finds.
//!
//! The `gherkin` crate reads keywords and structure in all languages. What it reads too loosely or
//! not at all is done before ([`prepare`]): comments, doc strings, tables and descriptions are taken
//! out of the text and put back into its tree ([`tree`]), the English structure is checked line by
//! line, `►` ends a line and a missing `Feature:` is added. Every prepared line knows the line that
//! it came from, so a refusal names the author's line.

mod headers;
mod prepare;
mod prepared;
mod row;
mod tree;

use ::gherkin::{Feature, GherkinEnv};

use self::{
    headers::{Header, header},
    prepared::Prepared,
};
use super::{Refused, scenario::Spec};

/// Whether a text is Gherkin: `Scenario:` or `Scenario Outline:` begins a line, or a line
/// `# language:` stands at the top, or `Feature:` does and some other header follows.
pub(super) fn fits(text: &str) -> bool {
    if language(text).is_some() {
        return true;
    }
    let lines = || text.split(['\n', '►']).map(str::trim);
    let mut headers = lines().filter_map(header).map(|(header, _)| header);
    match headers.next() {
        Some(Header::Feature) => headers.next().is_some(),
        Some(_) => lines().any(|line| {
            ["Scenario:", "Scenario Outline:", "Scenario Template:"]
                .iter()
                .any(|keyword| line.starts_with(keyword))
        }),
        None => false,
    }
}

pub(super) fn read(text: &str) -> Result<Spec, Refused> {
    let (language, line) = language(text).unwrap_or(("en", 1));
    let env = || GherkinEnv::new(language);
    if env().is_err() {
        return Err(Refused::at(line, &format!("the language `{language}` is not known")));
    }
    let prepared = prepare::prepare(text, language == "en")?;
    let parse = |text: &str| env().ok().and_then(|env| Feature::parse(text, env).ok());
    match parse(&prepared.text()) {
        Some(feature) => tree::spec(&feature, &prepared),
        None => Err(not_parsed(&prepared, language, |text| parse(text).is_some())),
    }
}

/// The code and the line of `# language: code`, which stands above everything but comments.
fn language(text: &str) -> Option<(&str, u32)> {
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with("```") {
            continue;
        }
        let comment = line.strip_prefix('#')?.trim_start();
        let code =
            comment.strip_prefix("language").and_then(|rest| rest.trim_start().strip_prefix(':'));
        let code = code.map(str::trim).filter(|code| {
            !code.is_empty()
                && code.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || c == '_')
        });
        if let Some(code) = code {
            return Some((code, number));
        }
    }
    None
}

/// The line where a text stops being Gherkin. The parser itself only knows how far it looked, which
/// is often the line after. The beginning of a good text is good, so the shortest bad one ends with
/// the line to blame.
fn not_parsed(prepared: &Prepared, language: &str, is_good: impl Fn(&str) -> bool) -> Refused {
    // Tags wait for what they belong to: a text that ends with them says nothing yet.
    let ends: Vec<usize> = prepared.ends().collect();
    let good = ends.partition_point(|end| is_good(&prepared.text_before(*end)));
    let Some(end) = ends.get(good) else {
        return Refused::at(prepared.end_of_file(), "the specification ends too early");
    };
    let (line, text) = prepared.line_before(*end);
    let message =
        format!("`{}` is not expected here in Gherkin of the language `{language}`", shorten(text));
    Refused::at(line, &message)
}

fn shorten(text: &str) -> String {
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(60).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}
