//! Parser: from a file to chunks of text and tables.

use crate::{
    json::{Number, Object},
    wire::{Integer, Nullable, wire, words},
};

wire! {
    /// A file to parse.
    pub open struct ParserInput = "crew/parser.input" {
        /// The file.
        file_path: String,
        /// What kind of file it is.
        file_type: FileType,
        /// Where it came from.
        ingestion_source: IngestionSource,
        /// Whether to read it as pictures even where it has text.
        force_ocr: Option<bool> [default: false],
    }
}

words! {
    /// Kinds of file.
    pub enum FileType {
        Pdf = "pdf",
        Html = "html",
        Docx = "docx",
        Pptx = "pptx",
        Txt = "txt",
    }
}

words! {
    /// Where a file came from.
    pub enum IngestionSource {
        Gdrive = "gdrive",
        Local = "local",
        WebScrape = "web_scrape",
    }
}

wire! {
    /// A file that was parsed.
    pub open struct ParserOutput = "crew/parser.output" {
        /// Names the document.
        document_id: String,
        /// What the file says about itself.
        metadata: Object<'static>,
        /// Its parts, in order.
        chunks: Vec<ParsedChunk>,
        /// Its pages.
        total_pages: Integer [minimum: 0],
        /// How long it took.
        processing_time_ms: Number<'static> [minimum: 0],
    }
}

wire! {
    /// A part of a document.
    pub open struct ParsedChunk {
        /// Names the chunk.
        chunk_id: String,
        /// Its text; a table as Markdown.
        content: String,
        /// Its place in the document, from 0.
        chunk_index: Integer [minimum: 0],
        /// Its page.
        page_number: Nullable<Integer> [minimum: 0],
        /// What it looks like on the page.
        layout_type: LayoutType,
        /// Its corners on the page: x1, y1, x2, y2.
        bbox: Option<Nullable<Vec<Number<'static>>>> [minItems: 4, maxItems: 4],
    }
}

words! {
    /// What a chunk looks like on its page.
    pub enum LayoutType {
        Text = "text",
        Table = "table",
        Image = "image",
        Header = "header",
    }
}
