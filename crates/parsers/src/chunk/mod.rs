//! Chunks: the parts of a document that are found and quoted.
//!
//! A chunk is an exact range of bytes of the stored text. It never goes over a heading or a page, a table is never
//! in one chunk with something else, and chunks end after sentences and table rows. One that is too long for a chunk is
//! a chunk of its own; past twice the length it is cut at words. The same document gives the same chunks every time,
//! and between chunks there is nothing but white space.

mod split;

use std::{ops::Range, sync::Arc};

use crate::document::{Block, Document, Layout};

/// How long chunks are.
pub struct Measure<'a> {
    /// The most tokens of a chunk.
    pub most: usize,
    /// The most tokens of a sentence or row before it is cut at words.
    pub hard: usize,
    /// How many tokens a text has.
    pub count: &'a dyn Fn(&str) -> usize,
}

impl Default for Measure<'_> {
    fn default() -> Self {
        Self { most: 200, hard: 400, count: &estimate }
    }
}

/// About how many tokens a text has, without a tokenizer: 1.3 for a word, more for long ones and for scripts without
/// spaces.
#[must_use]
pub fn estimate(text: &str) -> usize {
    let tenths: usize = text
        .split_whitespace()
        .map(|word| {
            let (mut narrow, mut wide) = (0, 0);
            for c in word.chars() {
                // Scripts that are written without spaces start here; each character is about a token.
                if c < '\u{2e80}' { narrow += 1 } else { wide += 1 }
            }
            let narrow: usize = narrow;
            wide * 10 + if narrow == 0 { 0 } else { 13 + narrow.saturating_sub(8) * 2 }
        })
        .sum();
    tenths.div_ceil(10)
}

/// A part of a document that is found and quoted.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// Its place in the document, from 0.
    pub index: usize,
    /// Its bytes in the stored text.
    pub span: Range<usize>,
    /// What it looks like: of several parts, the one that has most to say.
    pub layout: Layout,
    /// The page that it begins on, from 1.
    pub page: Option<u32>,
    /// Left, top, right and bottom on that page, in points from the top left.
    pub bbox: Option<[f64; 4]>,
    /// The titles of the headings that it is below, the outermost first.
    pub heading: Arc<[String]>,
    /// The bytes of the heading of the table that it goes on with. They belong to an earlier chunk, and say what the
    /// columns are.
    pub columns: Option<Range<usize>>,
    /// Its tokens.
    pub tokens: usize,
}

/// The chunks of a document.
#[must_use]
pub fn chunks(document: &Document, measure: &Measure<'_>) -> Vec<Chunk> {
    let mut maker = Maker { document, measure, done: Vec::new(), open: None };
    for block in &document.blocks {
        maker.block(block);
    }
    maker.close();
    maker.done
}

/// A chunk that is being filled.
struct Open {
    span: Range<usize>,
    tokens: usize,
    layout: Layout,
    page: Option<u32>,
    bbox: Option<[f64; 4]>,
    heading: Arc<[String]>,
    columns: Option<Range<usize>>,
    /// Whether something may follow in the same chunk.
    sealed: bool,
}

impl Open {
    /// Whether a block belongs with what is open: below the same headings, or below the heading that is open.
    fn takes(&self, block: &Block) -> bool {
        if self.layout == Layout::Header {
            block.heading.len() > self.heading.len() && block.heading.starts_with(&self.heading)
        } else {
            block.layout != Layout::Header && block.heading == self.heading
        }
    }
}

struct Maker<'a> {
    document: &'a Document,
    measure: &'a Measure<'a>,
    done: Vec<Chunk>,
    open: Option<Open>,
}

impl Maker<'_> {
    fn block(&mut self, block: &Block) {
        let text = self.document.text_of(block);
        // A heading begins a chunk, and what is below it goes on with it. Tables and pictures stand alone.
        let alone = matches!(block.layout, Layout::Table | Layout::Image);
        if alone || block.layout == Layout::Header && !self.only_headings() {
            self.close();
        }
        let columns = (block.layout == Layout::Table).then(|| split::heading_rows(text)).flatten();
        let columns = columns.map(|rows| block.span.start..block.span.start + rows);
        let whole = columns.as_ref().map_or(0, ExactSizeIterator::len);
        let pieces = match block.layout {
            // The number of a heading is no sentence of its own.
            Layout::Header => split::whole(text).into_iter().collect(),
            Layout::Text | Layout::Table | Layout::Image => {
                split::pieces(text, block.breaks, whole)
            }
        };
        for piece in pieces {
            let span = block.span.start + piece.start..block.span.start + piece.end;
            self.piece(block, span, columns.as_ref());
        }
        if alone {
            self.close();
        }
    }

    /// Whether the open chunk is nothing but headings.
    fn only_headings(&self) -> bool {
        self.open.as_ref().is_none_or(|open| open.layout == Layout::Header)
    }

    /// A sentence, a line or a row.
    fn piece(&mut self, block: &Block, span: Range<usize>, columns: Option<&Range<usize>>) {
        let text = self.document.text.get(span.clone()).unwrap_or_default();
        let tokens = (self.measure.count)(text);
        if tokens > self.measure.most {
            // What is only headings goes with what it heads, as long as that is no chunk of its own.
            self.close();
            if tokens <= self.measure.hard {
                self.begin(block, span, tokens, columns, true);
                return;
            }
            for cut in split::words(text, self.measure.hard, self.measure.count) {
                let part = span.start + cut.start..span.start + cut.end;
                let tokens = (self.measure.count)(text.get(cut).unwrap_or_default());
                self.begin(block, part, tokens, columns, true);
            }
            return;
        }
        let page = place(block, span.start).and_then(|at| block.places.get(at)?.page);
        let fits = self.open.as_ref().is_some_and(|open| {
            !open.sealed
                && open.tokens + tokens <= self.measure.most
                && open.page == page
                && open.takes(block)
                // Tokens of parts add up, but for one or two at the seams: near the limit it is counted again.
                && ((open.tokens + tokens) * 10 <= self.measure.most * 9
                    || self.counts(open.span.start..span.end) <= self.measure.most)
        });
        if !fits {
            self.begin(block, span, tokens, columns, false);
            return;
        }
        if let Some(open) = &mut self.open {
            open.span.end = span.end;
            open.tokens += tokens;
            open.bbox = union(open.bbox, bbox(block, span));
            if open.layout == Layout::Header {
                open.layout = block.layout;
                open.heading = block.heading.clone();
            }
        }
    }

    fn counts(&self, span: Range<usize>) -> usize {
        (self.measure.count)(self.document.text.get(span).unwrap_or_default())
    }

    fn begin(
        &mut self,
        block: &Block,
        span: Range<usize>,
        tokens: usize,
        columns: Option<&Range<usize>>,
        sealed: bool,
    ) {
        self.close();
        self.open = Some(Open {
            tokens,
            layout: block.layout,
            page: place(block, span.start).and_then(|at| block.places.get(at)?.page),
            bbox: bbox(block, span.clone()),
            heading: block.heading.clone(),
            columns: columns.filter(|columns| columns.end <= span.start).cloned(),
            span,
            sealed,
        });
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        self.done.push(Chunk {
            index: self.done.len(),
            tokens: self.counts(open.span.clone()),
            span: open.span,
            layout: open.layout,
            page: open.page,
            bbox: open.bbox,
            heading: open.heading,
            columns: open.columns,
        });
    }
}

/// Which of a block's places a byte stands at.
fn place(block: &Block, at: usize) -> Option<usize> {
    block.places.iter().rposition(|place| place.from <= at)
}

/// The box of a part of a block, on the page that it begins on.
fn bbox(block: &Block, span: Range<usize>) -> Option<[f64; 4]> {
    let first = place(block, span.start)?;
    let page = block.places.get(first)?.page;
    let last = place(block, span.end.saturating_sub(1)).unwrap_or(first);
    let places = block.places.get(first..=last)?;
    places.iter().filter(|place| place.page == page).fold(None, |all, place| union(all, place.bbox))
}

fn union(one: Option<[f64; 4]>, other: Option<[f64; 4]>) -> Option<[f64; 4]> {
    match (one, other) {
        (Some([a, b, c, d]), Some([e, f, g, h])) => Some([a.min(e), b.min(f), c.max(g), d.max(h)]),
        (one, other) => one.or(other),
    }
}
