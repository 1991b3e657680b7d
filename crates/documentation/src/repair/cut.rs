//! Where a wrong reference stands, and how much goes with it.

use std::ops::Range;

use regex::Regex;

use super::{Lines, Taken, prose};
use crate::{
    Issue, IssueKind,
    check::is_shell,
    markdown::{Block, Document},
};

/// A part of the text, and what comes in its place.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub range: Range<usize>,
    pub with: String,
    pub taken: Taken,
}

impl Cut {
    pub(super) fn new(range: Range<usize>, taken: Taken) -> Self {
        Self { range, with: String::new(), taken }
    }
}

/// What to take out for an issue; nothing where the reference cannot be found again.
pub(super) fn find(text: &str, document: &Document, lines: &Lines, issue: &Issue) -> Vec<Cut> {
    if let Some(cut) = corrected(text, lines, issue) {
        return vec![cut];
    }
    let within = |block: &&Block| {
        let last = block.line + block.text.lines().count();
        let first = if block.fenced { block.line - 1 } else { block.line };
        (first..last.max(first + 1)).contains(&issue.line)
    };
    if let Some(block) = document.blocks.iter().find(within) {
        return vec![in_block(text, lines, block, issue)];
    }
    if issue.kind == IssueKind::Link {
        let found = links(text, lines, issue);
        if !found.is_empty() {
            return found;
        }
    }
    if let Some(at) = document.headings.iter().position(|heading| heading.line == issue.line) {
        let heading = &document.headings[at];
        let next = document.headings[at + 1..].iter().find(|next| next.level <= heading.level);
        let last = next.map_or(lines.count(), |next| next.line - 1);
        // A document is more than a wrong title.
        let cut = Cut::new(lines.bytes(heading.line, last), Taken::Section);
        return if heading.level > 1 { vec![cut] } else { Vec::new() };
    }
    prose::find(text, lines, issue).into_iter().collect()
}

/// A version of which the repository says another.
fn corrected(text: &str, lines: &Lines, issue: &Issue) -> Option<Cut> {
    let fix = issue.fix.as_ref().filter(|_| issue.kind == IssueKind::Version)?;
    let wrong = issue.reference.rsplit(' ').next()?;
    let line = lines.bytes(issue.line, issue.line);
    let mut found = text[line.clone()].match_indices(wrong);
    let (at, _) = found.next().filter(|_| found.next().is_none())?;
    let range = line.start + at..line.start + at + wrong.len();
    Some(Cut { range, with: fix.clone(), taken: Taken::Corrected })
}

fn in_block(text: &str, lines: &Lines, block: &Block, issue: &Issue) -> Cut {
    let (first, last) = (block.line, block.line + block.text.lines().count().saturating_sub(1));
    if block.fenced && !block.closed {
        // Where it should have ended cannot be known: it ends where the text does.
        let start = lines.bytes(block.line - 1, block.line - 1);
        let mark = if text[start].contains("~~~") { "~~~" } else { "```" };
        let with = if text.ends_with('\n') { format!("{mark}\n") } else { format!("\n{mark}\n") };
        return Cut { range: text.len()..text.len(), with, taken: Taken::Block };
    }
    let is_commands = is_shell(&block.language) || block.language.is_empty();
    if issue.kind == IssueKind::Block || !is_commands || issue.line < first || issue.line > last {
        return Cut::new(whole(lines, block), Taken::Block);
    }
    let line = |number: usize| text[lines.bytes(number, number)].trim_end();
    let (mut from, mut to) = (issue.line, issue.line);
    while from > first && line(from - 1).ends_with('\\') {
        from -= 1;
    }
    while to < last && line(to).ends_with('\\') {
        to += 1;
    }
    // What a command prints goes with it.
    if line(from).trim_start().starts_with("$ ") {
        while to < last && !line(to + 1).trim_start().starts_with("$ ") {
            to += 1;
        }
    }
    Cut::new(lines.bytes(from, to), Taken::Line)
}

fn whole(lines: &Lines, block: &Block) -> Range<usize> {
    let last = block.line + block.text.lines().count();
    match block.fenced {
        true => lines.bytes(block.line - 1, last),
        false => lines.bytes(block.line, last - 1),
    }
}

/// A block of which only comments and blank lines would stay goes as a whole.
pub(super) fn whole_blocks(text: &str, document: &Document, lines: &Lines, cuts: &mut Vec<Cut>) {
    for block in document.blocks.iter().filter(|block| block.closed) {
        let is_in = |cut: &Cut| {
            let all = whole(lines, block);
            cut.taken == Taken::Line && all.start <= cut.range.start && cut.range.end <= all.end
        };
        if !cuts.iter().any(is_in) {
            continue;
        }
        let left = (block.line..block.line + block.text.lines().count()).any(|number| {
            let bytes = lines.bytes(number, number);
            let line = text[bytes.clone()].trim();
            let is_cut = cuts.iter().any(|cut| {
                is_in(cut) && cut.range.start <= bytes.start && bytes.end <= cut.range.end
            });
            !is_cut && !line.is_empty() && !line.starts_with('#')
        });
        if !left {
            cuts.push(Cut::new(whole(lines, block), Taken::Block));
        }
    }
}

/// Links to a target become their text, images go, and so do labels.
fn links(text: &str, lines: &Lines, issue: &Issue) -> Vec<Cut> {
    let target = regex::escape(&issue.reference);
    let replace = |forms: &[String], range: Range<usize>| -> Vec<Cut> {
        let mut found: Vec<Cut> = Vec::new();
        for form in forms.iter().filter_map(|form| Regex::new(form).ok()) {
            for link in form.captures_iter(&text[range.clone()]) {
                let Some(all) = link.get(0) else { continue };
                let at = range.start + all.start()..range.start + all.end();
                if found.iter().any(|cut| cut.range.start < at.end && at.start < cut.range.end) {
                    continue;
                }
                let with = link.name("text").map_or("", |text| text.as_str()).to_owned();
                found.push(Cut { range: at, with, taken: Taken::Link });
            }
        }
        found
    };
    // A paragraph may go on over lines, so the text from here on is looked through, and the first place counts.
    let from = lines.bytes(issue.line, issue.line);
    let label = Regex::new(&format!(r"(?m)\A\s{{0,3}}\[([^\]\n]+)\]:\s*<?{target}(?:[>\s]|$)"));
    if let Some(label) =
        label.ok().and_then(|form| form.captures(&text[from.clone()]).map(|it| it[1].to_owned()))
    {
        let name = regex::escape(&label);
        let forms = [
            format!(r"!\[[^\[\]]*\]\[(?i:{name})\]"),
            format!(r"\[(?P<text>[^\[\]]*)\]\[(?i:{name})\]"),
            format!(r"\[(?P<text>(?i:{name}))\]\[\]"),
        ];
        let mut found = vec![Cut::new(from, Taken::Link)];
        found.extend(replace(&forms, 0..text.len()));
        return found;
    }
    let end = r#">?(?:\s+["'(][^\n]*?["')])?\s*\)"#;
    let forms = [
        format!(r"\[\s*!\[[^\[\]]*\]\(\s*<?{target}{end}\s*\]\([^()\s]*\)"),
        format!(r"!\[[^\[\]]*\]\(\s*<?{target}{end}"),
        format!(r"\[(?P<text>(?:[^\[\]]|!\[[^\[\]]*\]\([^()]*\))*)\]\(\s*<?{target}{end}"),
        format!(r#"(?is)<(?:img|source|video)\b[^<>]*?src\s*=\s*["']{target}["'][^<>]*>"#),
        format!(r#"(?is)<a\b[^<>]*?href\s*=\s*["']{target}["'][^<>]*>(?P<text>.*?)</a>"#),
    ];
    let here = replace(&forms, from.clone());
    if !here.is_empty() {
        return here;
    }
    if let Some((words, _)) =
        issue.reference.strip_prefix('[').and_then(|rest| rest.split_once("]["))
        && let Some(at) = text[from.clone()].find(&issue.reference)
    {
        let range = from.start + at..from.start + at + issue.reference.len();
        return vec![Cut { range, with: words.to_owned(), taken: Taken::Link }];
    }
    let last = (issue.line + 4).min(lines.count());
    replace(&forms, lines.bytes(issue.line, last)).into_iter().take(1).collect()
}

/// The text without its cuts; of cuts that overlap, the outer one counts.
pub(super) fn apply(text: &str, mut cuts: Vec<Cut>) -> String {
    cuts.sort_by_key(|cut| (cut.range.start, std::cmp::Reverse(cut.range.end)));
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for cut in cuts {
        if cut.range.start < at {
            // It overlaps one that went before: what it takes beyond that goes too.
            at = at.max(cut.range.end);
            continue;
        }
        out.push_str(&text[at..cut.range.start]);
        out.push_str(&cut.with);
        at = cut.range.end;
        // No two blank lines where something stood between them.
        if cut.with.is_empty()
            && (out.is_empty() || out.ends_with("\n\n") || out.ends_with("\n\r\n"))
        {
            let rest = &text[at..];
            let blank = rest.len() - rest.trim_start_matches(['\n', '\r']).len();
            at += blank;
        }
    }
    out.push_str(&text[at.min(text.len())..]);
    out
}
