//! Counts the lines of source, and recognises generated files.

use std::collections::BTreeMap;

use consign_code::{Class, Error, File, Files, Language, Repository};

/// How many files are read for their lines. The lines of others are estimated from their size.
const MOST_READ: usize = 60_000;
/// Larger files are data.
const LARGEST: u64 = 1 << 20;
/// A file with longer lines was not written by hand.
const LONGEST_LINE: usize = 500;

/// How much a language counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    Program,
    /// Scripts, queries and schemas: they count, but never before programs.
    Script,
    /// It counts only where there is nothing else.
    Page,
}

/// A file of source.
pub(super) struct Source {
    pub(super) path: String,
    pub(super) class: Class,
    pub(super) language: Language,
    pub(super) lines: usize,
}

impl Source {
    pub(super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Its name without the folder.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(super) fn is_test(&self) -> bool {
        self.class == Class::Test
    }
}

/// Nothing for languages that are no source at all.
pub(super) fn tier(language: Language) -> Option<Tier> {
    use Language as L;
    let no_source = [L::Markdown, L::Text, L::Json, L::Yaml, L::Toml, L::Xml];
    let scripts = [L::Shell, L::PowerShell, L::Sql, L::Protobuf, L::GraphQl, L::Terraform];
    if no_source.contains(&language) {
        None
    } else if [L::Html, L::Css].contains(&language) {
        Some(Tier::Page)
    } else if scripts.contains(&language) {
        Some(Tier::Script)
    } else {
        Some(Tier::Program)
    }
}

/// Whether a file is of a program, by its name.
pub(crate) fn is_program(path: &str) -> bool {
    Language::of(path).and_then(tier) == Some(Tier::Program)
}

/// Whether a file is of what people see, by its name.
pub(crate) fn is_page(path: &str) -> bool {
    Language::of(path).and_then(tier) == Some(Tier::Page)
}

/// What reading a file once shows.
#[derive(Clone, Copy)]
struct Look {
    lines: usize,
    bytes: usize,
    written: bool,
    typed: bool,
}

pub(super) fn sources(repository: &Repository, listed: &Files) -> Result<Vec<Source>, Error> {
    let files: Vec<(&File, Language)> = listed
        .files
        .iter()
        .filter(|file| !file.binary && !matches!(file.class, Class::Generated | Class::Lock))
        .filter_map(|file| file.language.map(|language| (file, language)))
        .filter(|(_, language)| tier(*language).is_some())
        .collect();
    let step = files.len().div_ceil(MOST_READ).max(1);
    let read: Vec<&str> = files.iter().step_by(step).map(|(file, _)| file.path.as_str()).collect();
    let looks = repository.read_each(&read, LARGEST, look)?;
    // Bytes and lines by language, for those that are not read.
    let mut known: BTreeMap<Language, (usize, usize)> = BTreeMap::new();
    for ((_, language), look) in files.iter().step_by(step).zip(&looks) {
        if let Some(look) = look {
            let sum = known.entry(*language).or_default();
            *sum = (sum.0 + look.bytes, sum.1 + look.lines);
        }
    }
    let mut sources = Vec::with_capacity(files.len());
    for (place, (file, language)) in files.into_iter().enumerate() {
        let source = |lines, language| Source {
            path: file.path.clone(),
            class: file.class,
            language,
            lines,
        };
        if place % step == 0 {
            let Some(look) = looks.get(place / step).copied().flatten() else { continue };
            if look.written {
                sources.push(source(look.lines, script_of(language, look.typed)));
            }
        } else if let Ok(size) = repository.size_of(&file.path)
            && size <= LARGEST
        {
            let (bytes, lines) = known.get(&language).copied().unwrap_or((40, 1));
            let size = usize::try_from(size).unwrap_or(0);
            let lines = size * lines / bytes.max(1);
            sources.push(source(lines, script_of(language, false)));
        }
    }
    Ok(sources)
}

/// The language of a component is that of its script, and TSX is TypeScript.
fn script_of(language: Language, typed: bool) -> Language {
    if language == Language::Tsx {
        Language::TypeScript
    } else if [Language::Vue, Language::Svelte].contains(&language) {
        if typed { Language::TypeScript } else { Language::JavaScript }
    } else {
        language
    }
}

fn look(path: &str, bytes: &[u8]) -> Look {
    let open = bytes.last().is_some_and(|&last| last != b'\n');
    let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() + usize::from(open);
    let head = &bytes[..bytes.len().min(1_024)];
    let head = String::from_utf8_lossy(head);
    let minified = bytes.len() > 4 * LONGEST_LINE && bytes.len() / lines.max(1) > LONGEST_LINE;
    Look {
        lines,
        bytes: bytes.len(),
        written: !minified && !is_generated(&head),
        typed: is_component(path) && is_typed(bytes),
    }
}

/// Whether the first lines say that a program wrote the rest.
fn is_generated(head: &str) -> bool {
    let marks = ["@generated", "<auto-generated", "DO NOT EDIT", "Do not edit this file by hand"];
    let first = head.lines().take(12).filter(|line| {
        let line = line.trim_start();
        ["//", "#", "/*", "*", "<!--", "--"].iter().any(|mark| line.starts_with(mark))
    });
    first.into_iter().any(|line| marks.iter().any(|mark| line.contains(mark)))
}

fn is_component(path: &str) -> bool {
    matches!(Language::of(path), Some(Language::Vue | Language::Svelte))
}

/// Whether a component says that its script is TypeScript.
fn is_typed(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(64 << 10)]);
    text.contains("lang=\"ts\"") || text.contains("lang='ts'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_wrote_is_told_by_its_head_or_its_lines() {
        let long = format!("var a={};", "1+".repeat(3_000));
        for (text, written) in [
            ("package main\n", true),
            ("// Code generated by protoc-gen-go. DO NOT EDIT.\npackage x\n", false),
            ("// <auto-generated>\nclass A {}\n", false),
            ("fn main() { println!(\"DO NOT EDIT\"); }\n", true),
            (long.as_str(), false),
        ] {
            assert_eq!(look("a", text.as_bytes()).written, written, "{text:.40}");
        }
    }
}
