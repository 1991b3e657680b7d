//! Finds the first sentence of a comment, which says what something is.
//!
//! Comments are written in Markdown, HTML, Javadoc, JSDoc, XML or none of them, and do not say in which.
//! So everything that is not prose is skipped: code, headings, tags and their text. Nothing here knows
//! what the comment belongs to.

use super::markup;
use crate::words;

/// Characters of a sentence.
const LONGEST: usize = 300;
/// Words before a dot that ends nothing.
const SHORT: &[&str] = &["e.g", "i.e", "etc", "vs", "cf", "resp", "approx", "incl", "Mr", "Dr"];
/// Sections that do not say what something is; nothing after them does.
const SECTIONS: &[&str] = &[
    "arguments",
    "args",
    "attributes",
    "errors",
    "example",
    "examples",
    "panics",
    "parameters",
    "params",
    "raises",
    "returns",
    "safety",
    "see also",
    "usage",
    "yields",
];
/// Tags whose text is what is looked for; the text of others is about something else.
const SUMMARIES: &[&str] = &["brief", "summary", "description", "desc", "classdesc"];
/// How notes for tools begin, and notes that are none for readers.
const DIRECTIVES: &[&str] = &[
    "@ts-",
    "Copyright",
    "FIXME",
    "HACK",
    "NOLINT",
    "SAFETY",
    "SPDX-",
    "TODO",
    "XXX",
    "biome-",
    "c8 ignore",
    "clang-",
    "cspell",
    "eslint",
    "go:",
    "istanbul",
    "jshint",
    "nolint",
    "noqa",
    "prettier-",
    "pylint",
    "rustfmt",
    "tslint",
    "v8 ignore",
];

/// What a line of a comment is.
enum Line<'a> {
    Prose(&'a str),
    /// Between paragraphs, or a rule.
    Blank,
    /// Code begins after this text, and ends with the line that has that.
    Code(&'a str, &'static str),
    /// The text of a tag begins.
    Tag,
    Heading,
    /// A section that says nothing more about what it is.
    Section,
    /// Links, pictures, and what is for tools.
    Noise,
}

/// The first sentence of a comment that is written as documentation. Docstrings have no tags.
pub(super) fn first<'a>(
    lines: impl IntoIterator<Item = &'a str>,
    has_tags: bool,
) -> Option<String> {
    let cut = |paragraph: &str| cut(paragraph, has_tags);
    let mut paragraph = String::new();
    let mut code = None;
    let mut tagged = false;
    for line in lines {
        let line = line.trim();
        if let Some(end) = code {
            if line.contains(end) {
                code = None;
            }
            continue;
        }
        match classify(line) {
            Line::Prose(text) => {
                // A new item of a list is not how a sentence goes on.
                if is_item(text) && !paragraph.is_empty() {
                    break;
                }
                if !tagged {
                    paragraph.push_str(text);
                    paragraph.push(' ');
                }
                if paragraph.len() < 4 * LONGEST {
                    continue;
                }
            }
            Line::Code(text, end) => {
                paragraph.push_str(if tagged { "" } else { text });
                code = Some(end);
            }
            Line::Blank | Line::Heading => tagged = false,
            Line::Tag => tagged = true,
            Line::Section => break,
            Line::Noise => continue,
        }
        // A paragraph ends here, if it was one.
        if let Some(sentence) = cut(&paragraph) {
            return Some(sentence);
        }
        paragraph.clear();
    }
    cut(&paragraph)
}

/// The first sentence of an ordinary comment. One word is not a sentence.
pub(super) fn of_note(lines: &[&str]) -> Option<String> {
    first(lines.iter().copied(), true)
        .filter(|sentence| sentence.split_whitespace().nth(1).is_some())
}

/// Whether a line is one of a list.
fn is_item(line: &str) -> bool {
    let number = line.trim_start_matches(|char: char| char.is_ascii_digit());
    line.starts_with("- ")
        || line.starts_with("* ")
        || (number.len() < line.len() && number.starts_with(". "))
}

fn classify(line: &str) -> Line<'_> {
    if line.is_empty() || line.bytes().all(|byte| b"=-~*#_+/".contains(&byte)) {
        return Line::Blank;
    }
    for fence in ["```", "~~~"] {
        if line.starts_with(fence) {
            return Line::Code("", fence);
        }
    }
    for (begin, end) in [("<pre", "</pre>"), ("<code>", "</code>"), ("<example", "</example>")] {
        // `<code>` in the middle of a sentence is a word of it.
        let whole = begin != "<code>" || line.starts_with(begin);
        if let Some(at) = line.find(begin).filter(|_| whole && !line.contains(end)) {
            return Line::Code(&line[..at], end);
        }
    }
    if line.starts_with(">>>") {
        return Line::Section;
    }
    let title = line.trim_start_matches('#');
    let heading = title.len() < line.len() && title.starts_with(' ');
    let name = title.trim().trim_end_matches(':').to_lowercase();
    if SECTIONS.contains(&name.as_str()) && (heading || line.ends_with(':') || name == line) {
        return Line::Section;
    }
    if heading {
        return Line::Heading;
    }
    let noise = ["![", "[![", "|"].iter().any(|start| line.starts_with(start));
    if noise || is_link(line) || DIRECTIVES.iter().any(|start| line.starts_with(start)) {
        return Line::Noise;
    }
    if let Some(tag) = line.strip_prefix(['@', '\\']) {
        let end = tag.find(|char: char| !char.is_alphanumeric()).unwrap_or(tag.len());
        let (tag, rest) = tag.split_at(end);
        return if SUMMARIES.contains(&tag) { Line::Prose(rest.trim()) } else { Line::Tag };
    }
    let about = ["<param", "<typeparam", "<returns", "<exception", "<value", "<seealso", ":param"];
    if about.iter().any(|start| line.starts_with(start)) || line.starts_with(".. ") {
        return Line::Tag;
    }
    Line::Prose(line)
}

/// `[name]: https://example.com`
fn is_link(line: &str) -> bool {
    line.starts_with('[') && line.split_once("]: ").is_some_and(|(name, _)| !name.contains(' '))
}

/// The first sentence of a paragraph, if there is a word in it.
fn cut(paragraph: &str, has_tags: bool) -> Option<String> {
    let plain = if has_tags { markup::plain(paragraph) } else { paragraph.to_owned() };
    let text = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut sentence = text.as_str();
    for (at, _) in text.match_indices(". ") {
        let before = &text[..at];
        let word = before.rsplit([' ', '(', '"']).next().unwrap_or(before);
        let counts = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if !SHORT.contains(&word) && !counts {
            sentence = &text[..=at];
            break;
        }
    }
    // `dox` is what people write when something must be written.
    let filler = !sentence.contains([' ', '.', '`']) && sentence.starts_with(char::is_lowercase);
    let said = sentence.chars().any(char::is_alphanumeric) && !filler;
    said.then(|| words::excerpt(sentence.as_bytes(), 0, LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(first(text.lines(), true).as_deref(), expected, "{text}");
    }

    #[test]
    fn the_first_sentence_is_prose() {
        check("JSON Extractor / Response.\n\nWhen used\n", Some("JSON Extractor / Response."));
        check("Reads e.g. a file. Then more.", Some("Reads e.g. a file."));
        check("Two lines make\none sentence. And more", Some("Two lines make one sentence."));
        check("No dot\n\nnext", Some("No dot"));
        check("dox", None);
        check("Parses.", Some("Parses."));
        check("It can:\n- do this\n- do that", Some("It can:"));
        check("", None);
        let docstring = first(["Texts in an <ul>. More."], false);
        assert_eq!(docstring.as_deref(), Some("Texts in an <ul>."));
    }

    #[test]
    fn code_and_headings_are_passed_over() {
        check("```\nlet x = 1.0;\n```\nWhat it is.", Some("What it is."));
        check("# Json\n\nWhat it is.", Some("What it is."));
        check("What it is:\n```\ncode\n```", Some("What it is:"));
        check("# Examples\n\nBasic usage:\n```\nf()\n```\nIt works.", None);
        check("Examples:\n    f()", None);
        check(">>> f()\n3", None);
        check("<pre>{@code\n  x();\n}</pre>\nWhat it is.", Some("What it is."));
        check("TODO(me): do it\nWhat it is.", Some("What it is."));
        check("| a | b |\n|---|---|\n\nWhat it is.", Some("What it is."));
        check("It can:\n1. do this\n2. do that", Some("It can:"));
        check("[![badge](x)](y)\n[link]: https://x\nWhat it is.", Some("What it is."));
        check("=====\nWhat it is\n=====\nText.", Some("What it is"));
    }

    #[test]
    fn tags_and_what_they_are_about_are_passed_over() {
        check("@internal", None);
        check("@internal\n\nWhat it is.", Some("What it is."));
        check("What it is.\n@param x the thing", Some("What it is."));
        check("@param x the thing. Really\n  and more\n@return nothing", None);
        check("@brief What it is.\n@param x", Some("What it is."));
        check("\\brief What it is.", Some("What it is."));
        check("<summary>\nWhat it is. More.\n</summary>\n<param name=\"x\">", Some("What it is."));
        check("{@inheritDoc}\n\nWhat it is.", Some("What it is."));
        check("<p>\nWhat it is.", Some("What it is."));
    }

    #[test]
    fn a_javadoc_is_read_as_people_read_it() {
        check(
            "An HTTP Client.\n\n<p> An {@code HttpClient} can be used to send {@linkplain HttpRequest\n\
             requests} and retrieve responses.",
            Some("An HTTP Client."),
        );
        check(
            "<p> An {@code HttpClient} can send {@linkplain HttpRequest\nrequests} to a host. More.",
            Some("An HttpClient can send requests to a host."),
        );
    }
}
