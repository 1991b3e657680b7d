//! The known ways to break a document.
//!
//! Each takes something that is true (a file that is there, a word of the code, a heading that is linked to) and makes it
//! false. What is true is decided here, by plain text and patterns of its own: a reference that the checker overlooks
//! is broken like any other.

use std::{ops::Range, sync::LazyLock};

use consign_documentation::Contract;
use regex::{Captures, Regex};

use super::corpus::Repository;

/// A broken document.
pub(super) struct Broken {
    pub kind: &'static str,
    /// The line that was changed.
    pub line: usize,
    /// How many lines away an issue may be: a block is flagged at its beginning.
    pub reach: usize,
    pub from: String,
    pub to: String,
    pub text: String,
}

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant that a test compiles")
}

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => { $(static $name: LazyLock<Regex> = LazyLock::new(|| pattern($pattern));)* };
}

patterns! {
    SPAN = r"`([^`\n]+)`";
    FENCE = r"^[ \t>]*(`{3,}|~{3,})[ \t]*\{?\.?([\w+-]*)(.*)$";
    HEADING = r"^(#{1,6})\s+(.*?)\s*#*$";
}

mod code;
mod text;

/// A fenced block: its lines from 0, without the fences.
struct Block {
    language: String,
    info: String,
    lines: Range<usize>,
}

struct Page<'a> {
    text: &'a str,
    lines: Vec<&'a str>,
    /// The first byte of each line.
    starts: Vec<usize>,
    blocks: Vec<Block>,
}

impl<'a> Page<'a> {
    fn read(text: &'a str) -> Self {
        let lines: Vec<&str> = text.split('\n').collect();
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        let (mut blocks, mut open): (Vec<Block>, Option<(String, Block)>) = (Vec::new(), None);
        for (number, line) in lines.iter().enumerate() {
            let Some(fence) = FENCE.captures(line.trim_end_matches('\r')) else { continue };
            match open.take() {
                Some((mark, mut block)) if fence[1].starts_with(&mark) && fence[2].is_empty() => {
                    block.lines.end = number;
                    blocks.push(block);
                }
                Some(block) => open = Some(block),
                None => {
                    let language = fence[2].to_lowercase();
                    let info = fence[3].to_owned();
                    open = Some((
                        fence[1].to_owned(),
                        Block { language, info, lines: number + 1..number + 1 },
                    ));
                }
            }
        }
        Self { text, lines, starts, blocks }
    }

    fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    fn block_of(&self, line: usize) -> Option<&Block> {
        self.blocks.iter().find(|block| block.lines.contains(&line))
    }

    fn changed(&self, kind: &'static str, at: Range<usize>, to: &str) -> Broken {
        let from = self.text[at.clone()].chars().take(120).collect();
        let text = format!("{}{to}{}", &self.text[..at.start], &self.text[at.end..]);
        let line = self.line_of(at.start) + 1;
        Broken { kind, line, reach: 1, from, to: to.chars().take(120).collect(), text }
    }

    fn headings(&self) -> Vec<(usize, usize, String)> {
        let of = |(number, line): (usize, &&str)| {
            let heading = HEADING.captures(line.trim_end_matches('\r'))?;
            (self.block_of(number).is_none())
                .then(|| (number, heading[1].len(), heading[2].to_owned()))
        };
        self.lines.iter().enumerate().filter_map(of).collect()
    }
}

/// All ways to break this document that its own text and the repository allow.
pub(super) fn of(path: &str, text: &str, repository: &Repository) -> Vec<Broken> {
    let page = Page::read(text);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut found = Vec::new();
    // A changelog speaks of the past: only its links and blocks are of today. So does a page of an earlier major version.
    let major = repository.entry.version.split('.').next().unwrap_or_default();
    let of_version =
        |part: &str| part.strip_prefix('v').is_some_and(|it| it.parse::<u64>().is_ok());
    let is_past =
        folder.split('/').any(|part| of_version(part) && part[1..] != *major) && major != "0";
    if Contract::of(path) != Contract::Changelog && !is_past {
        code::commands(&page, repository, &mut found);
        code::names(&page, repository, &mut found);
        code::calls(&page, repository, &mut found);
        text::claims(&page, repository, &mut found);
        text::paths(&page, folder, repository, &mut found);
    }
    text::links(&page, folder, repository, &mut found);
    text::sections(path, &page, &mut found);
    text::blocks(&page, &mut found);
    found
}

fn each(
    page: &Page<'_>,
    form: &Regex,
    group: usize,
    kind: &'static str,
    found: &mut Vec<Broken>,
    mut to: impl FnMut(&Captures<'_>, Option<&Block>, &str) -> Option<String>,
) {
    for words in form.captures_iter(page.text) {
        let Some(at) = words.get(group) else { continue };
        let line = page.line_of(at.start());
        if let Some(to) = to(&words, page.block_of(line), page.lines[line]) {
            found.push(page.changed(kind, at.range(), &to));
        }
    }
}

fn moved(path: &str) -> String {
    let (stem, end) = path.rsplit_once('.').unwrap_or((path, "md"));
    format!("{stem}-moved.{end}")
}
