//! PDF: reading order, columns, headings, lists and tables by `pdf-inspector`; pages, boxes and what goes over a page
//! break by us.
//!
//! The reader gives Markdown for each page, and the runs of text with their places. [`split`] cuts the Markdown into
//! blocks, [`place`] finds the runs of each block, [`join`] puts tables and sentences together that a page break has
//! cut.

mod join;
mod open;
mod place;
mod split;

use std::{collections::BTreeSet, time::Instant};

use pdf_inspector::{
    DetectionConfig, MarkdownOptions, PdfError, PdfOptions, PositionFrame, ScanStrategy, TextItem,
    extractor::{ItemType, extract_text_with_positions_mem_in_frame},
    process_pdf_mem_with_options, to_markdown_from_items,
};

use self::{open::Opened, place::Page, split::Raw};
use crate::{
    Document, Kind, Options, ParseError,
    document::Writer,
    ocr::{self, Picture, Raster, Reader},
    options::When,
};

/// Dots per inch of a page that is drawn to be read.
const DOTS: f32 = 200.0;

/// Reads a PDF.
pub(crate) fn read(bytes: &[u8], options: &Options) -> Result<Document, ParseError> {
    let begun = Instant::now();
    let mut writer = Writer::new(Kind::Pdf, options.limits.text);
    let opened = open::open(bytes, options.password.as_deref())?;
    if let Some(warning) = &opened.warning {
        writer.warn(warning.clone());
    }
    let pages = opened.sizes.len();
    writer.pages(u32::try_from(pages).unwrap_or(u32::MAX));
    if pages == 0 {
        return Err(ParseError::unsupported("the PDF has no pages; it is damaged"));
    }
    let found = process_pdf_mem_with_options(&opened.bytes, settings()).map_err(refused)?;
    facts(&found, &mut writer);
    let frame = PositionFrame::Display;
    let items = extract_text_with_positions_mem_in_frame(&opened.bytes, None, frame);
    let mut items = by_page(items.unwrap_or_default(), pages);
    let mut raw = split::split(found.markdown.as_deref().unwrap_or_default());
    place::assign_pages(&mut raw, &items);
    recover(&opened, &found.pages_needing_ocr, &mut raw, &mut items, options);
    let turns = see(&opened, &mut raw, &mut items, options, begun, &mut writer);
    write(raw, &items, &opened.sizes, &turns, &mut writer);
    writer.finish()
}

/// Reads a picture of a page.
pub(crate) fn image(bytes: &[u8], options: &Options) -> Result<Document, ParseError> {
    let begun = Instant::now();
    let refused = |why: &str| ParseError::unsupported(format!("this is a picture: {why}"));
    let (reader, warning) = match Reader::new(options) {
        Some(reader) => reader.map_err(|why| refused(&why))?,
        None => return Err(refused("its text can be read with OCR only")),
    };
    let picture = Picture::open(bytes).map_err(|why| refused(&why))?;
    let sight =
        reader.read(&picture, ocr::deadline(options, begun)).map_err(|why| refused(&why))?;
    let points = |pixels: usize| f64::from(pixels as f32 / picture.scale);
    let size = (points(picture.width), points(picture.height));
    let mut writer = Writer::new(Kind::Image, options.limits.text);
    writer.pages(1);
    if let Some(warning) = warning {
        writer.warn(warning);
    }
    let items = vec![ocr::items(&sight.seen, 1, size.1, picture.scale)];
    write(blocks_of(&items.concat(), 1), &items, &[size], &[sight.turn], &mut writer);
    if sight.seen.is_empty() {
        writer.warn("the picture shows no text");
    }
    writer.finish()
}

fn write(
    raw: Vec<Raw>,
    items: &[Vec<TextItem>],
    sizes: &[(f64, f64)],
    turns: &[f32],
    writer: &mut Writer,
) {
    let turns = turns.iter().copied().chain(std::iter::repeat(0.0));
    let pages = items.iter().zip(sizes).zip(turns);
    let mut pages: Vec<Page<'_>> =
        pages.map(|((items, size), turn)| Page::new(items, *size, turn)).collect();
    let mut blocks = place::place(raw, &mut pages);
    join::mend_headers(&mut blocks, &pages);
    join::write(&blocks, &pages, writer);
}

fn settings() -> PdfOptions {
    let markdown = MarkdownOptions {
        detect_bold: false,
        detect_italic: false,
        detect_underline: false,
        include_images: true,
        include_page_numbers: true,
        ..MarkdownOptions::default()
    };
    // Each page is looked at: what one page lacks, another may have.
    let detection = DetectionConfig { strategy: ScanStrategy::Full, ..DetectionConfig::default() };
    PdfOptions::new().markdown(markdown).detection(detection)
}

fn refused(error: PdfError) -> ParseError {
    match error {
        PdfError::Encrypted => open::sealed(false),
        PdfError::Io(_)
        | PdfError::Parse(_)
        | PdfError::InvalidStructure
        | PdfError::NotAPdf(_) => {
            ParseError::unsupported(format!("the PDF cannot be read: {error}"))
        }
    }
}

fn facts(found: &pdf_inspector::PdfProcessResult, writer: &mut Writer) {
    if let Some(title) = &found.title {
        writer.title(title);
    }
    for (name, value) in [
        ("author", &found.author),
        ("subject", &found.subject),
        ("keywords", &found.keywords),
        ("creator", &found.creator),
        ("producer", &found.producer),
        ("created", &found.creation_date),
        ("modified", &found.mod_date),
    ] {
        if let Some(value) = value {
            writer.fact(name, value);
        }
    }
}

fn by_page(items: Vec<TextItem>, pages: usize) -> Vec<Vec<TextItem>> {
    let mut sorted: Vec<Vec<TextItem>> = (0..pages).map(|_| Vec::new()).collect();
    for item in items {
        let page = sorted.get_mut((item.page as usize).wrapping_sub(1));
        if let Some(page) = page {
            page.push(item);
        }
    }
    sorted
}

/// Pages whose text the reader does not trust, or that have none to be seen: what text they have is taken, also a layer
/// that lies unseen under a scan. What then has no text is told.
fn recover(
    opened: &Opened,
    doubtful: &[u32],
    raw: &mut Vec<Raw>,
    items: &mut [Vec<TextItem>],
    options: &Options,
) {
    let have: BTreeSet<u32> =
        raw.iter().filter(|raw| !raw.is_picture()).map(|raw| raw.page).collect();
    // The reader takes unseen text by itself on some pages, and then does not say where it stands.
    let silent = |page: u32| {
        let own = items.get((page as usize).wrapping_sub(1));
        own.is_some_and(|own| !own.iter().any(|item| matches!(item.item_type, ItemType::Text)))
    };
    let all = doubtful.iter().copied().chain(have.iter().copied());
    let empty: BTreeSet<u32> = all.filter(|page| !have.contains(page) || silent(*page)).collect();
    if empty.is_empty() || options.ocr.when == When::Always {
        return;
    }
    let hidden = opened.with_hidden_text(&empty).and_then(|bytes| {
        let pages = empty.iter().copied().collect();
        extract_text_with_positions_mem_in_frame(&bytes, Some(&pages), PositionFrame::Display).ok()
    });
    let mut hidden = by_page(hidden.unwrap_or_default(), items.len());
    for page in empty {
        let at = (page as usize).wrapping_sub(1);
        let (Some(own), Some(hidden)) = (items.get_mut(at), hidden.get_mut(at)) else { continue };
        if !hidden.is_empty() {
            *own = std::mem::take(hidden);
        }
        if !have.contains(&page) {
            replace(raw, page, blocks_of(own, page));
        }
    }
}

/// The blocks of a page of which only the runs of text are known.
fn blocks_of(items: &[TextItem], page: u32) -> Vec<Raw> {
    let markdown = MarkdownOptions { include_page_numbers: false, ..settings().markdown };
    split::split_page(&to_markdown_from_items(items.to_vec(), markdown), page)
}

/// Puts these blocks in the place of those of a page.
fn replace(raw: &mut Vec<Raw>, page: u32, found: Vec<Raw>) {
    let before = raw.partition_point(|raw| raw.page < page);
    let after = raw.partition_point(|raw| raw.page <= page);
    if !found.is_empty() {
        raw.splice(before..after, found);
    }
}

/// Draws pages without text and reads the pictures; all pages when that is asked for. Pages that stay without text are
/// told. Gives by how much each page is turned.
fn see(
    opened: &Opened<'_>,
    raw: &mut Vec<Raw>,
    items: &mut [Vec<TextItem>],
    options: &Options,
    begun: Instant,
    writer: &mut Writer,
) -> Vec<f32> {
    let mut turns = vec![0.0; items.len()];
    let have: BTreeSet<u32> =
        raw.iter().filter(|raw| !raw.is_picture()).map(|raw| raw.page).collect();
    let last = u32::try_from(items.len()).unwrap_or(u32::MAX);
    let all = options.ocr.when == When::Always;
    // A page without text and pictures is empty, or its text is drawn as lines.
    let wanted: Vec<u32> = (1..=last).filter(|page| all || !have.contains(page)).collect();
    if wanted.is_empty() {
        return turns;
    }
    let without: Vec<u32> = wanted.iter().copied().filter(|page| !have.contains(page)).collect();
    let reader = match Reader::new(options) {
        Some(Ok((reader, warning))) => {
            warning.into_iter().for_each(|warning| writer.warn(warning));
            reader
        }
        Some(Err(why)) => {
            if !without.is_empty() {
                writer.warn(format!("{} no text; {why}", said(&without)));
            }
            return turns;
        }
        None => {
            let shown: BTreeSet<u32> = items
                .iter()
                .flatten()
                .filter(|item| matches!(item.item_type, ItemType::Image))
                .map(|item| item.page)
                .collect();
            let scans: Vec<u32> = without.into_iter().filter(|page| shown.contains(page)).collect();
            if !scans.is_empty() {
                writer.warn(format!("{} no text that can be read without OCR", said(&scans)));
            }
            return turns;
        }
    };
    let until = ocr::deadline(options, begun);
    let raster = match Raster::open(&opened.bytes) {
        Ok(raster) => raster,
        Err(why) => {
            writer.warn(format!("{} not been drawn: {why}", said(&wanted)));
            return turns;
        }
    };
    for (at, page) in wanted.iter().enumerate() {
        if Instant::now() >= until {
            let rest = wanted.get(at..).unwrap_or_default();
            writer.warn(format!("{} not been read by OCR: the time is up", said(rest)));
            break;
        }
        let index = (*page as usize).wrapping_sub(1);
        let (Some(own), Some((_, height)), Some(turn)) =
            (items.get_mut(index), opened.sizes.get(index), turns.get_mut(index))
        else {
            continue;
        };
        let read = raster
            .page(*page, DOTS)
            .and_then(|picture| Ok((reader.read(&picture, until)?, picture.scale)));
        match read {
            Ok((sight, scale)) if !sight.seen.is_empty() => {
                *own = ocr::items(&sight.seen, *page, *height, scale);
                *turn = sight.turn;
                replace(raw, *page, blocks_of(own, *page));
            }
            Ok(_) => {}
            Err(why) => writer.warn(format!("page {page} is not read by OCR: {why}")),
        }
    }
    turns
}

/// "page 3 has", "pages 1-4 and 7 have".
fn said(pages: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for page in pages {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *page => *last = *page,
            _ => runs.push((*page, *page)),
        }
    }
    let runs: Vec<String> = runs
        .into_iter()
        .map(
            |(first, last)| {
                if first == last { first.to_string() } else { format!("{first}-{last}") }
            },
        )
        .collect();
    if pages.len() == 1 {
        format!("page {} has", runs.join(""))
    } else {
        format!("pages {} have", runs.join(", "))
    }
}
