//! What a document says.
//!
//! [`parse`] takes the bytes of a file and gives a [`Document`]: what kind it is by its content, one stored text, and
//! the blocks of that text with their headings, pages and boxes. [`chunks`] cuts it into the parts that are found and
//! quoted. Files of strangers are read in a process with limits: [`child`].
//!
//! Nothing here fetches anything, follows a link in a document, runs a macro, or writes to the disk. No name that stands
//! in a file is ever opened.

mod archive;
pub mod child;
mod chunk;
mod code;
mod decode;
mod document;
mod error;
mod html;
mod kind;
mod mail;
mod markdown;
mod ocr;
mod office;
mod options;
mod parse;
mod pdf;
mod sheet;
mod table;
mod text;

pub use self::{
    chunk::{Chunk, Measure, chunks, estimate},
    document::{Block, Breaks, Document, Layout, Place},
    error::{Limit, ParseError},
    kind::Kind,
    ocr::find_tesseract,
    options::{Limits, Ocr, Options, Quality, When},
    parse::parse,
};
