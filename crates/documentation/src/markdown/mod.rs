//! Reads Markdown as far as Scribe needs it: headings, fenced blocks, code spans and links, with lines.
//!
//! [`Document::read`] takes any text and never fails. It is no renderer: what it does not know is prose.

mod blocks;
mod inline;
mod slug;

pub use slug::slug;

/// A document with its parts. Lines count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub headings: Vec<Heading>,
    pub blocks: Vec<Block>,
    pub spans: Vec<Span>,
    pub links: Vec<Link>,
    /// Names that a link to this document may end with: `#name`.
    pub anchors: Vec<String>,
    /// Prose, one for each paragraph, list item and row of a table, with code spans blanked out.
    pub prose: Vec<Prose>,
    /// Labels of `[label]: target`.
    pub labels: Vec<String>,
    /// Comments outside of code.
    pub comments: Vec<Comment>,
    /// How many lines the front matter has.
    pub front_matter: usize,
    pub lines: usize,
}

/// `<!-- … -->`, where it is no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// With its marks; not with the other text of its lines.
    pub text: String,
    /// Its first byte, in a line.
    pub line: usize,
    pub column: usize,
    /// Behind its last byte.
    pub end_line: usize,
    pub end_column: usize,
    /// Whether it has an end.
    pub closed: bool,
}

impl Comment {
    /// What stands between its marks.
    #[must_use]
    pub fn inner(&self) -> &str {
        let text = self.text.trim_start_matches("<!--");
        text.strip_suffix("-->").unwrap_or(text).trim()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    pub line: usize,
    pub level: u8,
    /// Without marks, links and tags.
    pub text: String,
}

/// A fenced or indented block of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The first line of its text.
    pub line: usize,
    /// What stands behind the fence: the first word, in small letters.
    pub language: String,
    /// All that stands behind the fence.
    pub info: String,
    pub text: String,
    pub fenced: bool,
    /// Whether the fence was closed.
    pub closed: bool,
}

/// A code span in prose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub line: usize,
    pub text: String,
    /// Where the link goes that it is in.
    pub linked: Option<String>,
    /// The words before and after it in its paragraph.
    pub before: String,
    pub after: String,
    /// Whether it is in a row of a table.
    pub in_table: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub line: usize,
    pub text: String,
    pub target: String,
    /// `[text][label]`: the target is a label.
    pub by_label: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prose {
    pub line: usize,
    pub text: String,
}

impl Prose {
    /// The line of a byte of its text.
    #[must_use]
    pub fn line_at(&self, offset: usize) -> usize {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        self.line + before.bytes().filter(|byte| *byte == b'\n').count()
    }
}

impl Document {
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut document = Self::default();
        for paragraph in blocks::split(text, &mut document) {
            inline::read(&paragraph, &mut document);
        }
        slug::number(&mut document);
        document
    }

    /// The innermost heading above a line.
    #[must_use]
    pub fn heading_of(&self, line: usize) -> Option<&Heading> {
        self.headings.iter().take_while(|heading| heading.line <= line).last()
    }
}
