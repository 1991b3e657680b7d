//! Splits a document into headings, blocks of code and paragraphs.

use std::sync::LazyLock;

use regex::Regex;

use super::{Block, Comment, Document, Heading};

/// Lines that belong together: a paragraph, an item of a list, a row of a table.
pub(super) struct Paragraph {
    pub line: usize,
    pub text: String,
    pub is_row: bool,
}

static FENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^([\s>]*)(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})(.*)$"));
static ATX: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[\s>]{0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$"));
static ITEM: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[\s>]*(?:[-*+]|\d+[.)])\s"));
static UNDERLINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s{0,3}(={2,}|-{2,})\s*$"));
static HTML_HEADING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?is)<h([1-6])[^>]*>(.*?)</h[1-6]>"));

pub(super) fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant that a test compiles")
}

struct Open {
    mark: char,
    length: usize,
    indent: usize,
    block: Block,
}

/// The paragraphs; headings and blocks go into the document.
pub(super) fn split(text: &str, document: &mut Document) -> Vec<Paragraph> {
    let lines: Vec<&str> = text.lines().collect();
    document.lines = lines.len();
    document.front_matter = front_matter(&lines);
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let mut current: Option<Paragraph> = None;
    let mut open: Option<Open> = None;
    let (mut in_list, mut blank) = (false, true);
    for (index, line) in lines.iter().enumerate().skip(document.front_matter) {
        let number = index + 1;
        if let Some(fence) = &mut open {
            if closes(line, fence) {
                fence.block.closed = true;
                document.blocks.extend(open.take().map(|open| open.block));
            } else {
                fence.block.text.push_str(without_indent(line, fence.indent));
                fence.block.text.push('\n');
            }
            continue;
        }
        let line = &*without_comments(line, number, document);
        if line.trim().is_empty() {
            paragraphs.extend(current.take());
            blank = true;
            continue;
        }
        if let Some(fence) = FENCE
            .captures(line)
            .filter(|fence| !fence[3].contains('`') || fence[2].starts_with('~'))
        {
            paragraphs.extend(current.take());
            let info = fence[3].trim().to_owned();
            let word = info.trim_start_matches('{').trim_start_matches('.');
            let language =
                word.split([' ', ',', '{', '}', ':', '\t']).next().unwrap_or("").to_lowercase();
            let block = Block {
                line: number + 1,
                language,
                info,
                text: String::new(),
                fenced: true,
                closed: false,
            };
            let mark = fence[2].chars().next().unwrap_or('`');
            open = Some(Open { mark, length: fence[2].len(), indent: fence[1].len(), block });
            blank = false;
            continue;
        }
        let is_item = ITEM.is_match(line);
        let indent = line.len() - line.trim_start().len();
        if blank && !is_item && indent == 0 {
            in_list = false;
        }
        in_list |= is_item && indent < 4;
        if !in_list && current.is_none() && (line.starts_with("    ") || line.starts_with('\t')) {
            indented(document, number, line);
            blank = false;
            continue;
        }
        blank = false;
        if let Some(heading) = ATX.captures(line) {
            paragraphs.extend(current.take());
            let level = u8::try_from(heading[1].len()).unwrap_or(6);
            let text = heading.get(2).map_or("", |text| text.as_str());
            document.headings.push(Heading { line: number, level, text: plain(text) });
            paragraphs.push(Paragraph { line: number, text: text.to_owned(), is_row: false });
            continue;
        }
        let is_row = line.trim_start().starts_with('|');
        if let Some(underline) = UNDERLINE.captures(line)
            && let Some(title) = current.take()
        {
            if title.text.contains('\n') || title.is_row || ITEM.is_match(&title.text) {
                current = Some(title);
            } else {
                let level = if underline[1].starts_with('=') { 1 } else { 2 };
                document.headings.push(Heading {
                    line: title.line,
                    level,
                    text: plain(&title.text),
                });
                paragraphs.push(title);
                continue;
            }
        }
        match &mut current {
            Some(paragraph) if !is_item && !is_row && !paragraph.is_row => {
                paragraph.text.push('\n');
                paragraph.text.push_str(line);
            }
            _ => {
                paragraphs.extend(current.take());
                current = Some(Paragraph { line: number, text: line.to_owned(), is_row });
            }
        }
    }
    paragraphs.extend(current);
    document.blocks.extend(open.map(|open| open.block));
    html_headings(&paragraphs, document);
    paragraphs
}

fn html_headings(paragraphs: &[Paragraph], document: &mut Document) {
    for paragraph in paragraphs {
        for heading in HTML_HEADING.captures_iter(&paragraph.text) {
            let start = heading.get(0).map_or(0, |all| all.start());
            let line = paragraph.line + paragraph.text[..start].matches('\n').count();
            let level = heading[1].parse().unwrap_or(6);
            document.headings.push(Heading { line, level, text: plain(&heading[2]) });
        }
    }
    document.headings.sort_by_key(|heading| heading.line);
}

/// Lines of `---` … `---` at the top.
fn front_matter(lines: &[&str]) -> usize {
    let Some(first) = lines.first().map(|line| line.trim_end()) else { return 0 };
    if first != "---" && first != "+++" {
        return 0;
    }
    let end = lines.iter().skip(1).take(200).position(|line| line.trim_end() == first);
    let Some(end) = end else { return 0 };
    // A rule under a rule is no front matter: that has keys.
    let has_keys = lines[1..=end]
        .iter()
        .all(|line| line.trim().is_empty() || line.contains([':', '=', '-', '#', '[', ']']));
    if has_keys { end + 2 } else { 0 }
}

fn closes(line: &str, fence: &Open) -> bool {
    let rest = line.trim_start_matches([' ', '\t', '>']);
    let run = rest.chars().take_while(|c| *c == fence.mark).count();
    run >= fence.length && rest[run..].trim().is_empty()
}

fn without_indent(line: &str, indent: usize) -> &str {
    let blank = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
    line.get(indent.min(blank)..).unwrap_or(line)
}

fn indented(document: &mut Document, number: usize, line: &str) {
    let text = line.strip_prefix('\t').unwrap_or_else(|| line.get(4..).unwrap_or(""));
    match document.blocks.last_mut() {
        Some(last) if !last.fenced && last.line + last.text.lines().count() == number => {
            last.text.push_str(text);
            last.text.push('\n');
        }
        _ => document.blocks.push(Block {
            line: number,
            language: String::new(),
            info: String::new(),
            text: format!("{text}\n"),
            fenced: false,
            closed: true,
        }),
    }
}

/// A line without its comments, which go into the document; a comment may go on over lines.
fn without_comments(line: &str, number: usize, document: &mut Document) -> String {
    let (mut at, mut kept) = (0, String::new());
    loop {
        if let Some(comment) = document.comments.last_mut().filter(|comment| !comment.closed) {
            if comment.line < number && at == 0 {
                comment.text.push('\n');
            }
            let end = line[at..].find("-->").map(|end| at + end + 3);
            comment.text.push_str(&line[at..end.unwrap_or(line.len())]);
            (comment.end_line, comment.end_column) = (number, end.unwrap_or(line.len()));
            match end {
                Some(end) => (at, comment.closed) = (end, true),
                None => return kept,
            }
        }
        let Some(start) = line[at..].find("<!--").map(|start| at + start) else {
            kept.push_str(&line[at..]);
            return kept;
        };
        kept.push_str(&line[at..start]);
        at = start + 4;
        // In a code span it is no comment.
        if kept.matches('`').count() % 2 == 1 {
            kept.push_str("<!--");
            continue;
        }
        document.comments.push(Comment {
            text: "<!--".to_owned(),
            line: number,
            column: start,
            end_line: number,
            end_column: at,
            closed: false,
        });
    }
}

static TAG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?is)</?(?:a|abbr|b|br|code|em|i|img|kbd|p|picture|small|source|span|strong|sub|sup|div|center|font|u|s|del|ins|h[1-6])(?:\s[^<>]*)?/?>|&#x?[0-9a-f]+;",
    )
});
static LINKED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])"));

/// The words of a heading.
fn plain(text: &str) -> String {
    let text = LINKED.replace_all(text, "$1");
    let text = LINKED.replace_all(&text, "$1");
    let text = if text.contains('`') {
        text.into_owned()
    } else {
        TAG.replace_all(&text, "").into_owned()
    };
    let text = text.replace(['`', '*'], "").replace("\\_", "_").replace('\\', "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
