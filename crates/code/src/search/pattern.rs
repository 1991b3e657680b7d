//! A compiled query.

use std::ops::Range;

use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::{Regex, RegexBuilder};

use crate::{Error, Query};

/// Longer patterns are refused before anything is compiled.
const LONGEST: usize = 4096;
/// What a compiled pattern may take; a small pattern can be a large program, and each byte that is looked
/// at may cost as much as the program is large.
const PROGRAM: usize = 512 << 10;
const CACHE: usize = 4 << 20;
/// Bytes of a line that an expression is matched with. Plain text is found anywhere.
const WIDEST: usize = 64 << 10;
const NESTING: u32 = 100;

pub(super) struct Pattern {
    regex: Regex,
    glob: Option<GlobMatcher>,
    /// Whether lines without a match in all of them have none in any.
    whole: bool,
    /// The text to look for in paths, in lower case.
    plain: Option<String>,
}

impl Pattern {
    pub(super) fn new(query: &Query) -> Result<Self, Error> {
        let fault = |reason: String| Error::Pattern { pattern: shown(&query.pattern), reason };
        if query.pattern.trim().is_empty() {
            return Err(fault("it is empty".to_owned()));
        }
        if query.pattern.len() > LONGEST {
            return Err(fault(format!("it is longer than {LONGEST} bytes")));
        }
        if !query.regex && query.pattern.contains(['\n', '\r']) {
            return Err(fault(
                "it has several lines, but each line is matched by itself".to_owned(),
            ));
        }
        let source =
            if query.regex { query.pattern.clone() } else { regex::escape(&query.pattern) };
        // First as it was written: places in a message are then places in what was asked.
        let compiled =
            compile(&source, query.case_sensitive).map_err(|error| fault(reason(error)))?;
        let regex = if query.whole_word {
            let word = format!(r"\b{{start-half}}(?:{source})\b{{end-half}}");
            compile(&word, query.case_sensitive).map_err(|error| fault(reason(error)))?
        } else {
            compiled
        };
        let glob = query.glob.as_deref().map(compile_glob).transpose()?;
        let anchored = [r"\A", r"\z", "-m", "-s"].iter().any(|part| query.pattern.contains(part));
        let plain = (!query.regex).then(|| query.pattern.to_lowercase());
        Ok(Self { regex, glob, whole: !(query.regex && anchored), plain })
    }

    pub(super) fn wants(&self, path: &str) -> bool {
        self.glob.as_ref().is_none_or(|glob| glob.is_match(path))
    }

    pub(super) fn is_in_path(&self, path: &str) -> bool {
        self.plain.as_ref().is_some_and(|plain| path.to_lowercase().contains(plain.as_str()))
    }

    /// One look at many lines, which is much faster than one at each.
    pub(super) fn may_match(&self, lines: &[u8]) -> bool {
        let wide = self.plain.is_none() && lines.len() > WIDEST;
        wide || !self.whole || self.regex.is_match(lines)
    }

    /// The first match in a line that is not empty.
    pub(super) fn find(&self, line: &[u8]) -> Option<Range<usize>> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = if self.plain.is_some() { line } else { &line[..line.len().min(WIDEST)] };
        self.regex.find(line).map(|found| found.range()).filter(|found| !found.is_empty())
    }
}

fn compile(source: &str, case_sensitive: bool) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source)
        .case_insensitive(!case_sensitive)
        .multi_line(true)
        .crlf(true)
        .size_limit(PROGRAM)
        .dfa_size_limit(CACHE)
        .nest_limit(NESTING)
        .build()
}

/// A glob without a slash is about names, wherever they are; one with a slash about whole paths.
fn compile_glob(glob: &str) -> Result<GlobMatcher, Error> {
    let fault = |reason: String| Error::Pattern { pattern: shown(glob), reason };
    if glob.len() > LONGEST {
        return Err(fault(format!("it is longer than {LONGEST} bytes")));
    }
    let trimmed = glob.trim_start_matches("./").trim_start_matches('/');
    let deep = if trimmed.contains('/') { trimmed.to_owned() } else { format!("**/{trimmed}") };
    let deep = if deep.ends_with('/') { format!("{deep}**") } else { deep };
    let built = GlobBuilder::new(&deep).literal_separator(true).backslash_escape(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| fault(error.kind().to_string()))
}

/// What is wrong, without the drawing of the pattern that `regex` puts above it, but with the place.
fn reason(error: regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "it is too complex".to_owned(),
        regex::Error::Syntax(text) => {
            let what = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let mark = text.lines().find(|line| line.trim_start().starts_with('^'));
            let at = mark.and_then(|line| line.find('^')).and_then(|at| at.checked_sub(4));
            match at {
                Some(at) => format!("{what}, at character {}", at + 1),
                None => what.to_owned(),
            }
        }
        other => other.to_string(),
    }
}

fn shown(pattern: &str) -> String {
    pattern.chars().take(200).collect()
}
