//! Plain text: paragraphs between empty lines.

use crate::{
    Document, Kind, Options, ParseError,
    document::{Breaks, Layout, Writer},
};

/// Reads plain text. The stored text is the text itself.
pub(crate) fn read(text: String, options: &Options) -> Result<Document, ParseError> {
    let mut writer = Writer::new(Kind::Txt, options.limits.text);
    let spans = paragraphs(&text);
    let blocks: Vec<_> =
        spans.into_iter().map(|span| (breaks(&text[span.clone()]), span)).collect();
    writer.whole(text);
    for (breaks, span) in blocks {
        writer.mark(Layout::Text, breaks, span, None);
    }
    writer.finish()
}

/// What stands between empty lines.
pub(crate) fn paragraphs(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut spans = Vec::new();
    let mut from = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match (line.trim().is_empty(), from) {
            (false, None) => from = Some(at),
            (true, Some(start)) => {
                spans.push(start..at);
                from = None;
            }
            (false, Some(_)) | (true, None) => {}
        }
        at += line.len();
    }
    if let Some(start) = from {
        spans.push(start..text.len());
    }
    spans
}

/// Whether line breaks mean something: lists, addresses, verse and logs have them where no line is full.
fn breaks(paragraph: &str) -> Breaks {
    let lines: Vec<&str> = paragraph.lines().collect();
    let item = |line: &&&str| {
        let line = line.trim_start();
        line.starts_with(['-', '*', '•', '–']) || line.starts_with(|c: char| c.is_ascii_digit())
    };
    if lines.iter().filter(item).count() * 2 > lines.len() {
        return Breaks::Lines;
    }
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    // In running text that is broken into lines, all but the last are about equally long.
    let full = lines.iter().filter(|line| line.chars().count() * 10 > longest * 7).count();
    if lines.len() < 2 || full * 10 >= (lines.len() - 1) * 7 {
        Breaks::Sentences
    } else {
        Breaks::Lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_lie_between_empty_lines() {
        let text = "\n\nOne.\nStill one.\n \t\nTwo.\n\n\nThree";
        let document = read(text.to_owned(), &Options::default()).unwrap();
        let said: Vec<_> = document.blocks.iter().map(|block| document.text_of(block)).collect();
        assert_eq!(said, ["One.\nStill one.", "Two.", "Three"]);
        assert_eq!(document.text, text);
    }

    #[test]
    fn lists_end_at_lines_and_running_text_after_sentences() {
        assert_eq!(breaks("- milk\n- bread\n- eggs"), Breaks::Lines);
        assert_eq!(
            breaks("Ann Smith\n12 High Street, flat number four\nBonn\nGermany"),
            Breaks::Lines
        );
        let prose = "This is a line of a text that goes on\nand on, as lines of texts that are long do\nto the end.";
        assert_eq!(breaks(prose), Breaks::Sentences);
    }
}
