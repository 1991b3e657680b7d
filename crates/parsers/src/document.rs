//! What a document says: one stored text, and the blocks that it is made of.
//!
//! A [`Document`] is made by a [`Writer`], which is told of headings, paragraphs, lists, tables and pictures in the order
//! in which they are read. Every block is an exact range of bytes of the stored text; between blocks there is nothing
//! but white space.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use consign_contracts::crew::LayoutType;
use serde::{Deserialize, Serialize};

use crate::{Kind, Limit, ParseError, table};

/// What a file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// What it is, by its content.
    pub kind: Kind,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// What the file says about itself: author, dates, sender and so on.
    pub metadata: BTreeMap<String, String>,
    /// The stored text. Headings and tables are written as in Markdown.
    pub text: String,
    /// The parts of the text, in order.
    pub blocks: Vec<Block>,
    /// Its pages, slides or sheets. None where there is no such thing.
    pub pages: Option<u32>,
    /// What could not be read, and why.
    pub warnings: Vec<String>,
}

impl Document {
    /// The text of a block.
    #[must_use]
    pub fn text_of(&self, block: &Block) -> &str {
        self.text.get(block.span.clone()).unwrap_or_default()
    }
}

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// What it looks like.
    pub layout: Layout,
    /// Where a chunk may end inside it.
    pub breaks: Breaks,
    /// Its bytes in the stored text.
    pub span: Range<usize>,
    /// The titles of the headings that it is below, the outermost first. A heading is not below itself.
    pub heading: Arc<[String]>,
    /// Where it stands. A block that goes on over a page break has one for each page; there is always a first one, and
    /// it begins where the block begins.
    pub places: Vec<Place>,
}

/// Where a part of a block stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The byte of the stored text from which on it stands here.
    pub from: usize,
    /// The page, from 1.
    pub page: Option<u32>,
    /// Left, top, right and bottom, in points from the top left of the page.
    pub bbox: Option<[f64; 4]>,
}

/// What a block looks like on its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// Running text, lists and code.
    Text,
    /// A table in Markdown.
    Table,
    /// A picture, with what is said about it.
    Image,
    /// A heading.
    Header,
}

impl From<Layout> for LayoutType {
    fn from(layout: Layout) -> Self {
        match layout {
            Layout::Text => Self::Text,
            Layout::Table => Self::Table,
            Layout::Image => Self::Image,
            Layout::Header => Self::Header,
        }
    }
}

/// Where a chunk may end inside a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Breaks {
    /// After a sentence.
    Sentences,
    /// At the end of a line: lists, code, tables.
    Lines,
}

/// Where what is written next stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spot {
    pub(crate) page: Option<u32>,
    pub(crate) bbox: Option<[f64; 4]>,
}

impl Spot {
    pub(crate) const NONE: Self = Self { page: None, bbox: None };

    pub(crate) const fn page(page: u32) -> Self {
        Self { page: Some(page), bbox: None }
    }
}

/// Makes a document, block by block.
pub(crate) struct Writer {
    document: Document,
    /// The headings that are open: how deep, and their titles.
    open: Vec<(u8, String)>,
    path: Arc<[String]>,
    /// The most bytes of text.
    most: usize,
    full: bool,
}

impl Writer {
    pub(crate) fn new(kind: Kind, most: usize) -> Self {
        Self {
            document: Document {
                kind,
                title: None,
                metadata: BTreeMap::new(),
                text: String::new(),
                blocks: Vec::new(),
                pages: None,
                warnings: Vec::new(),
            },
            open: Vec::new(),
            path: Arc::from([]),
            most,
            full: false,
        }
    }

    pub(crate) fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        // A file may be damaged in ten thousand places. The first ones say enough.
        if self.document.warnings.len() < 20 && !self.document.warnings.contains(&warning) {
            self.document.warnings.push(warning);
        }
    }

    pub(crate) fn title(&mut self, title: &str) {
        let title = one_line(title);
        if self.document.title.is_none() && !title.is_empty() {
            self.document.title = Some(title);
        }
    }

    pub(crate) fn fact(&mut self, name: &str, value: &str) {
        let value = one_line(value);
        if !value.is_empty() {
            self.document.metadata.entry(name.to_owned()).or_insert(value);
        }
    }

    pub(crate) const fn pages(&mut self, pages: u32) {
        self.document.pages = Some(pages);
    }

    /// A heading, from level 1. It closes all open headings of its level and below.
    pub(crate) fn heading(&mut self, level: u8, title: &str, spot: Spot) {
        let title = one_line(title);
        if title.is_empty() {
            return;
        }
        let level = level.clamp(1, 6);
        self.close(level);
        let marks = "#".repeat(usize::from(level));
        self.block(Layout::Header, Breaks::Sentences, &format!("{marks} {title}"), spot);
        self.open(level, title);
    }

    /// Ends the headings of this level and below without a new one.
    pub(crate) fn close(&mut self, level: u8) {
        self.open.retain(|(open, _)| *open < level);
        self.path = self.open.iter().map(|(_, title)| title.clone()).collect();
    }

    /// What follows is below a title that is not written: the slide, the sheet.
    fn open(&mut self, level: u8, title: String) {
        self.open.push((level, shortened(title)));
        self.path = self.open.iter().map(|(_, title)| title.clone()).collect();
    }

    /// Running text. Line breaks in it are white space.
    pub(crate) fn paragraph(&mut self, text: &str, spot: Spot) {
        self.block(Layout::Text, Breaks::Sentences, &one_line(text), spot);
    }

    /// Lines that mean something: a list, code, verse.
    pub(crate) fn lines(&mut self, text: &str, spot: Spot) {
        self.block(Layout::Text, Breaks::Lines, text.trim_matches(['\n', '\r']), spot);
    }

    /// A table; its first row is its heading.
    pub(crate) fn table(&mut self, rows: &[Vec<String>], spot: Spot) {
        self.block(Layout::Table, Breaks::Lines, &table::markdown(rows), spot);
    }

    /// A picture, with what is said about it.
    pub(crate) fn image(&mut self, said: &str, name: &str, spot: Spot) {
        let said = one_line(said).replace(['[', ']'], "");
        let name = one_line(name).replace(['(', ')', ' '], "_");
        self.block(Layout::Image, Breaks::Lines, &format!("![{said}]({name})"), spot);
    }

    pub(crate) fn block(&mut self, layout: Layout, breaks: Breaks, text: &str, spot: Spot) {
        let text = text.trim_end();
        let text = if breaks == Breaks::Lines { text } else { text.trim_start() };
        if text.trim().is_empty() {
            return;
        }
        if self.full || self.document.text.len() + text.len() + 2 > self.most {
            self.full = true;
            return;
        }
        if !self.document.text.is_empty() {
            self.document.text.push_str("\n\n");
        }
        let start = self.document.text.len();
        self.document.text.push_str(text);
        let places = vec![Place { from: start, page: spot.page, bbox: spot.bbox }];
        let span = start..self.document.text.len();
        self.document.blocks.push(Block {
            layout,
            breaks,
            span,
            heading: self.path.clone(),
            places,
        });
    }

    /// Adds lines to the last block: the part of it on the next page.
    pub(crate) fn go_on(&mut self, text: &str, joint: &str, spot: Spot) {
        if self.document.text.len() + text.len() + joint.len() > self.most {
            self.full = true;
            return;
        }
        let Some(block) = self.document.blocks.last_mut() else { return };
        self.document.text.push_str(joint);
        block.places.push(Place {
            from: self.document.text.len(),
            page: spot.page,
            bbox: spot.bbox,
        });
        self.document.text.push_str(text.trim_end());
        block.span.end = self.document.text.len();
    }

    pub(crate) fn last(&self) -> Option<(&Block, &str)> {
        self.document.blocks.last().map(|block| (block, self.document.text_of(block)))
    }

    /// Puts a whole other document at the end: an attachment. Its title becomes a heading.
    pub(crate) fn append(&mut self, title: &str, other: &Document) {
        self.heading(1, title, Spot::NONE);
        for block in &other.blocks {
            let text = other.text_of(block);
            if block.layout == Layout::Header {
                let level = text.bytes().take_while(|byte| *byte == b'#').count();
                let level = u8::try_from(level).unwrap_or(6).saturating_add(1);
                self.heading(level, text.trim_start_matches('#'), Spot::NONE);
            } else {
                self.block(block.layout, block.breaks, text, Spot::NONE);
            }
        }
        for warning in &other.warnings {
            self.warn(format!("{title}: {warning}"));
        }
        self.close(1);
    }

    pub(crate) fn finish(self) -> Result<Document, ParseError> {
        if self.full {
            let most = self.most >> 20;
            return Err(ParseError::limited(
                Limit::Memory,
                format!("it has more than {most} MB of text"),
            ));
        }
        Ok(self.document)
    }

    /// Takes a text as it is. Its blocks are told by `mark`.
    pub(crate) fn whole(&mut self, text: String) {
        if text.len() > self.most {
            self.full = true;
            return;
        }
        self.document.text = text;
    }

    /// A block of the text that was given as a [`whole`](Self::whole). A title makes it a heading.
    pub(crate) fn mark(
        &mut self,
        layout: Layout,
        breaks: Breaks,
        span: Range<usize>,
        title: Option<(u8, String)>,
    ) {
        let Some(text) = self.document.text.get(span.clone()) else { return };
        let start = span.start + (text.len() - text.trim_start_matches(['\n', '\r']).len());
        let end = span.start + text.trim_end().len();
        if start >= end || text.trim().is_empty() {
            return;
        }
        if let Some((level, _)) = &title {
            self.close(*level);
        }
        let places = vec![Place { from: start, page: None, bbox: None }];
        self.document.blocks.push(Block {
            layout,
            breaks,
            span: start..end,
            heading: self.path.clone(),
            places,
        });
        if let Some((level, title)) = title.filter(|(_, title)| !title.is_empty()) {
            self.open(level, title);
        }
    }
}

/// A title as the chunks below it carry it, each of them.
fn shortened(mut title: String) -> String {
    if title.len() > LONGEST_TITLE {
        title.truncate(title.floor_char_boundary(LONGEST_TITLE));
        title.push('…');
    }
    title
}

/// In bytes.
const LONGEST_TITLE: usize = 300;

/// The text with every run of white space as one space, and without characters that no reader sees.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || (c.is_control())) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|c| !matches!(c, '\u{ad}' | '\u{feff}' | '\u{200b}')));
    }
    line
}
