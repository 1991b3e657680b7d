//! Markdown: headings, paragraphs, lists, tables and code, where they stand in the file.

use pulldown_cmark::{
    Event, HeadingLevel, MetadataBlockKind, Options as Syntax, Parser, Tag, TagEnd,
};

use crate::{
    Document, Kind, Options, ParseError,
    document::{Breaks, Layout, Writer},
};

/// Reads Markdown. The stored text is the text itself.
pub(crate) fn read(text: String, options: &Options) -> Result<Document, ParseError> {
    let mut writer = Writer::new(Kind::Markdown, options.limits.text);
    let found = blocks(&text);
    let facts = found.facts;
    writer.whole(text);
    for (name, value) in facts {
        if name == "title" {
            writer.title(&value);
        } else {
            writer.fact(&name, &value);
        }
    }
    for block in found.blocks {
        if let Some((1, title)) = &block.title {
            writer.title(title);
        }
        writer.mark(block.layout, block.breaks, block.span, block.title);
    }
    writer.finish()
}

/// A block of a Markdown text.
pub(crate) struct Found {
    pub(crate) layout: Layout,
    pub(crate) breaks: Breaks,
    pub(crate) span: std::ops::Range<usize>,
    pub(crate) title: Option<(u8, String)>,
}

pub(crate) struct Blocks {
    pub(crate) blocks: Vec<Found>,
    facts: Vec<(String, String)>,
}

/// The outermost blocks of a Markdown text, in order.
pub(crate) fn blocks(text: &str) -> Blocks {
    let syntax = Syntax::ENABLE_TABLES
        | Syntax::ENABLE_FOOTNOTES
        | Syntax::ENABLE_STRIKETHROUGH
        | Syntax::ENABLE_TASKLISTS
        | Syntax::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut found = Blocks { blocks: Vec::new(), facts: Vec::new() };
    let mut depth = 0_usize;
    let mut title: Option<String> = None;
    let mut metadata = false;
    // What the block that is open holds besides a picture.
    let mut words = false;
    let mut pictures = 0;
    for (event, span) in Parser::new_ext(text, syntax).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                depth += 1;
                if depth == 1 {
                    words = false;
                    pictures = 0;
                    title = matches!(tag, Tag::Heading { .. }).then(String::new);
                    metadata = matches!(tag, Tag::MetadataBlock(MetadataBlockKind::YamlStyle));
                }
                pictures += usize::from(matches!(tag, Tag::Image { .. }));
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                if depth > 0 {
                    continue;
                }
                let title = title.take();
                let (layout, breaks, title) = match tag {
                    TagEnd::Heading(level) => {
                        (Layout::Header, Breaks::Sentences, title.map(|title| (rank(level), title)))
                    }
                    TagEnd::Table => (Layout::Table, Breaks::Lines, None),
                    TagEnd::Paragraph if pictures > 0 && !words => {
                        (Layout::Image, Breaks::Lines, None)
                    }
                    TagEnd::Paragraph | TagEnd::BlockQuote(_) => {
                        (Layout::Text, Breaks::Sentences, None)
                    }
                    TagEnd::CodeBlock
                    | TagEnd::HtmlBlock
                    | TagEnd::List(_)
                    | TagEnd::Item
                    | TagEnd::FootnoteDefinition
                    | TagEnd::DefinitionList
                    | TagEnd::DefinitionListTitle
                    | TagEnd::DefinitionListDefinition
                    | TagEnd::TableHead
                    | TagEnd::TableRow
                    | TagEnd::TableCell
                    | TagEnd::Emphasis
                    | TagEnd::Strong
                    | TagEnd::Strikethrough
                    | TagEnd::Superscript
                    | TagEnd::Subscript
                    | TagEnd::Link
                    | TagEnd::Image
                    | TagEnd::MetadataBlock(_) => (Layout::Text, Breaks::Lines, None),
                };
                found.blocks.push(Found { layout, breaks, span, title });
            }
            Event::Text(said) | Event::Code(said) => {
                if metadata {
                    found.facts.extend(facts(&said));
                }
                words |= pictures == 0;
                if let Some(title) = &mut title {
                    title.push_str(&said);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(title) = &mut title {
                    title.push(' ');
                }
            }
            Event::Rule => {}
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => words = true,
        }
    }
    found.blocks = filled(std::mem::take(&mut found.blocks), text);
    found
}

/// Puts what stands between blocks into blocks of its own: where links lead to is no block for Markdown, but it is text
/// that may be looked for.
fn filled(blocks: Vec<Found>, text: &str) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    let mut end = 0;
    let between = |from: usize, to: usize, all: &mut Vec<Found>| {
        let said = text.get(from..to).unwrap_or_default();
        if !said.trim().is_empty() {
            let (layout, breaks) = (Layout::Text, Breaks::Lines);
            all.push(Found { layout, breaks, span: from..to, title: None });
        }
    };
    for block in blocks {
        between(end, block.span.start, &mut all);
        end = end.max(block.span.end);
        all.push(block);
    }
    between(end, text.len(), &mut all);
    all
}

/// What the block between dashes at the beginning says, where it says it in one line.
fn facts(yaml: &str) -> Vec<(String, String)> {
    yaml.lines()
        .filter_map(|line| line.split_once(": "))
        .filter(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'))
        .map(|(name, value)| (name.to_owned(), value.trim().trim_matches(['"', '\'']).to_owned()))
        .filter(|(name, value)| !name.is_empty() && !value.is_empty())
        .take(50)
        .collect()
}

const fn rank(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_where_it_stands_in_the_file() {
        let text = "---\ntitle: Notes\nauthor: Ann\n---\n\n# One `x`\n\nSome *words*\nand more.\n\n- a\n- b\n\n\
                    ## Two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\n# not a heading\n\nfn f() {}\n```\n\n\
                    ![a picture](p.png)\n\n# Three\n\nEnd";
        let document = read(text.to_owned(), &Options::default()).unwrap();
        assert_eq!(document.text, text);
        assert_eq!(document.title.as_deref(), Some("Notes"));
        assert_eq!(document.metadata["author"], "Ann");
        let said: Vec<_> = document
            .blocks
            .iter()
            .map(|block| (block.layout, document.text_of(block), block.heading.join(" > ")))
            .collect();
        let at = |at: usize| (said[at].0, said[at].1, said[at].2.as_str());
        assert_eq!(at(1), (Layout::Header, "# One `x`", ""));
        assert_eq!(at(2), (Layout::Text, "Some *words*\nand more.", "One x"));
        assert_eq!(at(3), (Layout::Text, "- a\n- b", "One x"));
        assert_eq!(at(4), (Layout::Header, "## Two", "One x"));
        assert_eq!(at(5), (Layout::Table, "| a | b |\n|---|---|\n| 1 | 2 |", "One x > Two"));
        assert_eq!(at(6).1, "```rust\n# not a heading\n\nfn f() {}\n```");
        assert_eq!(at(7).0, Layout::Image);
        assert_eq!(at(8), (Layout::Header, "# Three", ""));
        assert_eq!(at(9), (Layout::Text, "End", "Three"));
        assert_eq!(said.len(), 10);
    }
}
