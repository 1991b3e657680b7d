//! Which kind of text a text is.

use super::{Kind, languages};
use crate::sheet;

/// The encoding that a page or an XML file names at its beginning.
pub(super) fn declared_encoding(head: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let at = head.find("charset=").map(|at| at + 8).or_else(|| {
        (head.trim_start().starts_with("<?xml")).then(|| head.find("encoding=").map(|at| at + 9))?
    })?;
    let rest = head.get(at..)?.trim_start_matches(['"', '\'']);
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c)));
    Some(rest.get(..end.unwrap_or(rest.len()))?.to_owned())
}

/// The kind of a text, and the language of source code.
pub(super) fn kind(text: &str, name: Option<&str>) -> (Kind, Option<&'static str>) {
    let head = start_of(text, 16 * 1024);
    if is_html(head) {
        return (Kind::Html, None);
    }
    if is_mail(head) {
        return (Kind::Eml, None);
    }
    if let Some(language) = languages::by_first_line(head) {
        return (Kind::Code, Some(language));
    }
    if head.trim_start().starts_with("<?xml") {
        return (Kind::Code, Some("xml"));
    }
    if is_json(head) {
        return (Kind::Code, Some("json"));
    }
    if let Some(language) = name.and_then(languages::by_name) {
        return (Kind::Code, Some(language));
    }
    let end = name.and_then(|name| name.rsplit_once('.')).map(|(_, end)| end.to_ascii_lowercase());
    let named_markdown = matches!(end.as_deref(), Some("md" | "markdown" | "mdx" | "mkd"));
    let named_table = matches!(end.as_deref(), Some("csv" | "tsv" | "tab"));
    if !named_markdown && sheet::delimiter(head, named_table).is_some() {
        return (Kind::Csv, None);
    }
    if named_markdown || is_markdown(head) {
        return (Kind::Markdown, None);
    }
    if end.as_deref() != Some("txt") && is_code(head) {
        return (Kind::Code, None);
    }
    (Kind::Txt, None)
}

/// The first bytes of a text, to the end of a character.
fn start_of(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

fn is_html(head: &str) -> bool {
    let mut rest = head.trim_start_matches('\u{feff}').trim_start();
    // A declaration and comments may come first.
    loop {
        if rest.starts_with("<?xml") {
            let Some((_, after)) = rest.split_once("?>") else { return false };
            rest = after.trim_start();
        } else if rest.starts_with("<!--") {
            let Some((_, after)) = rest.split_once("-->") else { return false };
            rest = after.trim_start();
        } else {
            break;
        }
    }
    let start = start_of(rest, 64).to_ascii_lowercase();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        return true;
    }
    const FIRST: [&str; 12] = [
        "<head", "<body", "<meta", "<title", "<div", "<p>", "<p ", "<h1", "<table", "<article",
        "<main", "<section",
    ];
    if !FIRST.iter().any(|tag| start.starts_with(tag)) {
        return false;
    }
    let lower = rest.to_ascii_lowercase();
    ["</p>", "</div>", "</body>", "</head>", "</table>", "</h1>", "</article>", "</title>"]
        .iter()
        .any(|tag| lower.contains(tag))
}

fn is_mail(head: &str) -> bool {
    const FIELDS: [&str; 12] = [
        "from",
        "to",
        "subject",
        "date",
        "received",
        "return-path",
        "message-id",
        "mime-version",
        "delivered-to",
        "cc",
        "reply-to",
        "content-type",
    ];
    let mut found = Vec::new();
    for (at, line) in head.lines().enumerate() {
        if line.is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) || (at == 0 && line.starts_with("From ")) {
            continue;
        }
        let Some((name, _)) = line.split_once(':') else { return false };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return false;
        }
        let name = name.to_ascii_lowercase();
        if FIELDS.contains(&name.as_str()) && !found.contains(&name) {
            found.push(name);
        }
    }
    found.len() >= 3 && found.iter().any(|name| name == "from" || name == "received")
}

fn is_json(head: &str) -> bool {
    let start = head.trim_start();
    if !start.starts_with(['{', '[']) {
        return false;
    }
    // `[1] A footnote` and `[a link](…)` begin as JSON does. What is cut off here may go on in the file.
    let mut any = false;
    for value in serde_json::Deserializer::from_str(start).into_iter::<serde::de::IgnoredAny>() {
        match value {
            Ok(_) => any = true,
            Err(error) => return error.is_eof(),
        }
    }
    any
}

fn is_markdown(head: &str) -> bool {
    let mut marks = 0;
    let mut fenced = false;
    for line in head.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
            marks += 2;
            continue;
        }
        if fenced {
            continue;
        }
        let hashes = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        let heading = (1..=6).contains(&hashes) && trimmed.as_bytes().get(hashes) == Some(&b' ');
        if heading && line.len() - trimmed.len() < 4 {
            marks += 2;
        } else if trimmed.contains("](") && trimmed.contains('[') || trimmed.contains("**") {
            marks += 1;
        } else if crate::table::is_rule(trimmed) {
            marks += 3;
        }
    }
    marks >= 3
}

/// Most lines end as statements do.
fn is_code(head: &str) -> bool {
    let lines = head.lines().map(str::trim).filter(|line| !line.is_empty());
    let (mut all, mut ended) = (0_usize, 0_usize);
    for line in lines {
        all += 1;
        let end = line.ends_with([';', '{', '}', '(', ')', ',']) || line.ends_with("*/");
        let start = line.starts_with("//") || line.starts_with("/*") || line.starts_with("* ");
        ended += usize::from(end || start);
    }
    all >= 5 && ended * 10 >= all * 6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, name: Option<&str>, expected: Kind) {
        assert_eq!(kind(text, name).0, expected, "{text:?}");
    }

    #[test]
    fn the_content_decides() {
        check("<!DOCTYPE html><html><body>x</body></html>", Some("a.txt"), Kind::Html);
        check("<!-- made by hand -->\n<div><p>x</p></div>", None, Kind::Html);
        check("From: a@b.c\nTo: d@e.f\nSubject: x\n\nHello", Some("a.md"), Kind::Eml);
        check("#!/usr/bin/env python3\nprint(1)\n", None, Kind::Code);
        check("{\"a\": 1}", None, Kind::Code);
        check("[1] A footnote says more.", None, Kind::Txt);
        check("# Title\n\nSome **bold** words.\n\n## More\n", None, Kind::Markdown);
        check("name,age,town\nAnn,31,Bonn\nBob,42,Ulm\nEve,27,Kiel\n", None, Kind::Csv);
        check("int main(void) {\n  f(1);\n  g(2);\n  return 0;\n}\n", None, Kind::Code);
        check("It was a dark night, and the rain fell, and so on.\nThe end.", None, Kind::Txt);
    }

    #[test]
    fn a_name_decides_between_texts_only() {
        check("Nothing special here.", Some("notes.md"), Kind::Markdown);
        check("x = 1", Some("a.py"), Kind::Code);
        check("x = 1", Some("a.pdf"), Kind::Txt);
        check("first line, and more\nsecond line, and more\n", Some("a.txt"), Kind::Txt);
    }

    #[test]
    fn a_page_names_its_encoding() {
        let found = |head: &str| declared_encoding(head.as_bytes());
        assert_eq!(found("<meta charset=\"Shift_JIS\">").as_deref(), Some("shift_jis"));
        assert_eq!(found("<?xml version=\"1.0\" encoding='latin1'?>").as_deref(), Some("latin1"));
        assert_eq!(found("no such thing"), None);
    }
}
