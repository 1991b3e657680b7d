//! Word: paragraphs, headings by their style, lists, tables, notes.

use std::collections::HashMap;

use super::{
    Relationship, part, properties, relationships,
    xml::{Element, Node},
};
use crate::{
    Document, Kind, Options, ParseError,
    archive::Archive,
    document::{Spot, Writer, one_line},
};

/// Cells of a table that a cell spans at most.
const SPAN: usize = 100;

/// Reads a text of Word.
pub(crate) fn read(archive: &Archive<'_>, options: &Options) -> Result<Document, ParseError> {
    let mut writer = Writer::new(Kind::Docx, options.limits.text);
    if archive.damaged {
        writer.warn("the file is damaged: its end is missing");
    }
    let main = main_part(archive, options, &mut writer)?;
    let Some(root) = part(archive, &main, options, &mut writer)? else {
        return Err(ParseError::unsupported("the Word file has no text in it; it is damaged"));
    };
    let beside = |name: &str| match main.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name.to_owned(),
    };
    let styles = part(archive, &beside("styles.xml"), options, &mut writer)?;
    let numbering = part(archive, &beside("numbering.xml"), options, &mut writer)?;
    let mut reader = Text {
        links: relationships(archive, &main, options, &mut writer)?,
        styles: styles.as_ref().map(styles_of).unwrap_or_default(),
        lists: numbering.as_ref().map(lists_of).unwrap_or_default(),
        counts: HashMap::new(),
        lines: Vec::new(),
        writer: &mut writer,
    };
    if let Some(body) = root.at(&["document", "body"]) {
        reader.blocks(body);
    }
    reader.end_list();
    for (name, element, title) in [
        ("footnotes.xml", "footnote", "Footnotes"),
        ("endnotes.xml", "endnote", "Endnotes"),
        ("comments.xml", "comment", "Comments"),
    ] {
        let Some(notes) = part(archive, &beside(name), options, reader.writer)? else { continue };
        reader.notes(&notes, element, title);
    }
    properties(archive, options, &mut writer)?;
    writer.finish()
}

/// The part that holds the text; nearly always `word/document.xml`.
fn main_part(
    archive: &Archive<'_>,
    options: &Options,
    writer: &mut Writer,
) -> Result<String, ParseError> {
    let root = relationships(archive, "", options, writer)?;
    let main = root.into_values().find(|relationship| relationship.kind == "officeDocument");
    Ok(main.map_or_else(|| "word/document.xml".to_owned(), |relationship| relationship.target))
}

struct Style {
    level: Option<u8>,
    list: Option<(String, usize)>,
    code: bool,
}

/// What the styles say: which are headings, and which are lists.
fn styles_of(root: &Element) -> HashMap<String, Style> {
    let mut own: HashMap<String, (Style, Option<String>)> = HashMap::new();
    for style in root.child("styles").into_iter().flat_map(Element::elements) {
        let Some(id) = style.attribute("styleId") else { continue };
        let name = style.child("name").and_then(|name| name.attribute("val")).unwrap_or("");
        let name = name.to_ascii_lowercase();
        let by_name = match name.strip_prefix("heading ") {
            Some(level) => level.trim().parse().ok(),
            None if name == "title" => Some(1),
            None => None,
        };
        let format = style.child("pPr");
        let level = by_name.or_else(|| format.and_then(outline));
        let list = format.and_then(list_of);
        let code = name.contains("code") || name.contains("preformatted");
        let based = style.child("basedOn").and_then(|on| on.attribute("val")).map(str::to_owned);
        own.insert(id.to_owned(), (Style { level, list, code }, based));
    }
    // A style has what the one has that it is based on. They may lead around in a circle.
    let find = |id: &str, what: &dyn Fn(&Style) -> bool| {
        let mut id = id;
        for _ in 0..20 {
            let (style, based) = own.get(id)?;
            if what(style) {
                return Some(style);
            }
            id = based.as_deref()?;
        }
        None
    };
    own.keys()
        .map(|id| {
            let level = find(id, &|style| style.level.is_some()).and_then(|style| style.level);
            let list = find(id, &|style| style.list.is_some()).and_then(|style| style.list.clone());
            let code = find(id, &|style| style.code).is_some();
            (id.clone(), Style { level, list, code })
        })
        .collect()
}

fn outline(format: &Element) -> Option<u8> {
    let level: u8 = format.child("outlineLvl")?.attribute("val")?.parse().ok()?;
    // Level 9 is running text.
    (level < 9).then_some(level + 1)
}

fn list_of(format: &Element) -> Option<(String, usize)> {
    let list = format.child("numPr")?;
    let id = list.child("numId")?.attribute("val")?;
    let level =
        list.child("ilvl").and_then(|level| level.attribute("val")?.parse().ok()).unwrap_or(0);
    Some((id.to_owned(), level))
}

/// Of each list and level, whether its items are counted.
fn lists_of(root: &Element) -> HashMap<(String, usize), bool> {
    let Some(root) = root.child("numbering") else { return HashMap::new() };
    let mut abstracts: HashMap<&str, Vec<(usize, bool)>> = HashMap::new();
    for list in root.elements().filter(|element| &*element.name == "abstractNum") {
        let levels =
            list.elements().filter(|element| &*element.name == "lvl").filter_map(|level| {
                let at = level.attribute("ilvl")?.parse().ok()?;
                let format = level.child("numFmt")?.attribute("val")?;
                Some((at, format != "bullet" && format != "none"))
            });
        abstracts.insert(list.attribute("abstractNumId").unwrap_or(""), levels.collect());
    }
    let mut lists = HashMap::new();
    for number in root.elements().filter(|element| &*element.name == "num") {
        let Some(id) = number.attribute("numId") else { continue };
        let of = number.child("abstractNumId").and_then(|of| of.attribute("val")).unwrap_or("");
        for (level, counted) in abstracts.get(of).into_iter().flatten() {
            lists.insert((id.to_owned(), *level), *counted);
        }
    }
    lists
}

struct Text<'a> {
    links: HashMap<String, Relationship>,
    styles: HashMap<String, Style>,
    lists: HashMap<(String, usize), bool>,
    counts: HashMap<(String, usize), u64>,
    /// The items of the list that is open.
    lines: Vec<String>,
    writer: &'a mut Writer,
}

/// What a paragraph holds besides its words.
#[derive(Default)]
struct Found<'a> {
    words: String,
    pictures: Vec<(String, String)>,
    boxes: Vec<&'a Element>,
}

impl Text<'_> {
    fn blocks(&mut self, parent: &Element) {
        for element in parent.elements() {
            match &*element.name {
                "p" => self.paragraph(element),
                "tbl" => self.table(element),
                "sdt" => {
                    if let Some(content) = element.child("sdtContent") {
                        self.blocks(content);
                    }
                }
                "customXml" | "ins" | "smartTag" => self.blocks(element),
                _ => {}
            }
        }
    }

    fn paragraph(&mut self, paragraph: &Element) {
        let format = paragraph.child("pPr");
        let style = format
            .and_then(|format| format.child("pStyle")?.attribute("val"))
            .and_then(|id| self.styles.get(id));
        let level = format.and_then(outline).or_else(|| style.and_then(|style| style.level));
        let code = style.is_some_and(|style| style.code);
        let list = format.and_then(list_of).or_else(|| style.and_then(|style| style.list.clone()));
        // List 0 takes a paragraph out of the list of its style.
        let list = list.filter(|(id, _)| id != "0");
        let mut found = Found::default();
        self.runs(paragraph, &mut found);
        let Found { words, pictures, boxes } = found;
        let said = one_line(&words);
        match (level, list) {
            (Some(level), _) if !said.is_empty() => {
                self.end_list();
                self.writer.heading(level, &said, Spot::NONE);
            }
            (_, Some((id, depth))) if !said.is_empty() => {
                let depth = depth.min(8);
                let counted = self.lists.get(&(id.clone(), depth)).copied().unwrap_or(false);
                let indent = "  ".repeat(depth);
                let mark =
                    if counted { format!("{}.", self.next(&id, depth)) } else { "-".to_owned() };
                self.lines.push(format!("{indent}{mark} {said}"));
            }
            _ if code => {
                self.end_list();
                self.writer.lines(&words, Spot::NONE);
            }
            _ => {
                if !said.is_empty() {
                    self.end_list();
                }
                self.writer.paragraph(&said, Spot::NONE);
            }
        }
        if pictures.is_empty() && boxes.is_empty() {
            return;
        }
        self.end_list();
        for (said, name) in pictures {
            self.writer.image(&said, &name, Spot::NONE);
        }
        for text in boxes {
            self.blocks(text);
            self.end_list();
        }
    }

    fn next(&mut self, id: &str, depth: usize) -> u64 {
        // An item of a level begins the levels below it again.
        self.counts.retain(|(list, level), _| list != id || *level <= depth);
        let count = self.counts.entry((id.to_owned(), depth)).or_insert(0);
        *count += 1;
        *count
    }

    fn end_list(&mut self) {
        if !self.lines.is_empty() {
            let lines = std::mem::take(&mut self.lines).join("\n");
            self.writer.lines(&lines, Spot::NONE);
        }
    }

    /// The words of a paragraph or a part of it.
    fn runs<'a>(&self, parent: &'a Element, found: &mut Found<'a>) {
        for node in &parent.children {
            let Node::Element(element) = node else { continue };
            match &*element.name {
                "t" => found.words.push_str(&element.text()),
                "tab" | "br" | "cr" | "ptab" => found.words.push('\n'),
                "noBreakHyphen" => found.words.push('-'),
                "del" | "moveFrom" | "pPr" | "rPr" | "instrText" | "Fallback" => {}
                "hyperlink" => self.link(element, found),
                "oMath" | "oMathPara" => found.words.push_str(&element.text()),
                "drawing" | "pict" => drawing(element, found),
                _ => self.runs(element, found),
            }
        }
    }

    fn link<'a>(&self, element: &'a Element, found: &mut Found<'a>) {
        let mut inner = Found::default();
        self.runs(element, &mut inner);
        let said = one_line(&inner.words);
        let address = element.attribute("r:id").and_then(|id| self.links.get(id));
        match address.filter(|link| link.outside && link.target != said && !said.is_empty()) {
            Some(link) => {
                let address = link.target.replace(char::is_whitespace, "%20");
                found.words.push_str(&format!("[{said}]({address})"));
            }
            None => found.words.push_str(&inner.words),
        }
        found.pictures.append(&mut inner.pictures);
        found.boxes.append(&mut inner.boxes);
    }

    fn table(&mut self, table: &Element) {
        self.end_list();
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut found = Vec::new();
        for element in table.elements() {
            match &*element.name {
                "tr" => found.push(element),
                "sdt" | "ins" | "customXml" => element.all("tr", &mut found),
                _ => {}
            }
        }
        for row in found {
            let mut cells: Vec<String> = Vec::new();
            let mut inside = Vec::new();
            for element in row.elements() {
                match &*element.name {
                    "tc" => inside.push(element),
                    "sdt" | "ins" | "customXml" => element.all("tc", &mut inside),
                    _ => {}
                }
            }
            for cell in inside {
                let format = cell.child("tcPr");
                let across = format
                    .and_then(|format| format.child("gridSpan")?.attribute("val")?.parse().ok())
                    .unwrap_or(1_usize)
                    .clamp(1, SPAN);
                let goes_on = format
                    .and_then(|format| format.child("vMerge"))
                    .is_some_and(|merge| merge.attribute("val") != Some("restart"));
                let mut said = self.cell(cell);
                if goes_on && said.is_empty() {
                    said = rows
                        .last()
                        .and_then(|above| above.get(cells.len()).cloned())
                        .unwrap_or_default();
                }
                cells.push(said);
                cells.extend(std::iter::repeat_n(String::new(), across - 1));
            }
            rows.push(cells);
        }
        // A frame around text is no table.
        if rows.iter().map(Vec::len).max() == Some(1) {
            let mut cells = Vec::new();
            table.all("tc", &mut cells);
            for cell in cells {
                self.blocks(cell);
                self.end_list();
            }
            return;
        }
        self.writer.table(&rows, Spot::NONE);
    }

    /// The words of a cell, with those of tables inside it.
    fn cell(&self, cell: &Element) -> String {
        let mut found = Found::default();
        let mut paragraphs = Vec::new();
        cell.all("p", &mut paragraphs);
        for paragraph in paragraphs {
            self.runs(paragraph, &mut found);
            found.words.push('\n');
        }
        one_line(&found.words)
    }

    fn notes(&mut self, root: &Element, name: &str, title: &str) {
        let mut notes = Vec::new();
        root.all(name, &mut notes);
        let mut begun = false;
        for note in notes {
            // The lines between text and notes are notes too.
            if note.attribute("type").is_some_and(|kind| kind != "normal") {
                continue;
            }
            let said = self.cell(note);
            if said.is_empty() {
                continue;
            }
            if !begun {
                self.writer.close(1);
                self.writer.heading(1, title, Spot::NONE);
                begun = true;
            }
            let number = note.attribute("id").unwrap_or("");
            self.writer.paragraph(&format!("[{number}] {said}"), Spot::NONE);
        }
    }
}

/// What is said about a picture, and the text of boxes.
fn drawing<'a>(drawing: &'a Element, found: &mut Found<'a>) {
    let mut boxes = Vec::new();
    drawing.all("txbxContent", &mut boxes);
    if !boxes.is_empty() {
        found.boxes.append(&mut boxes);
        return;
    }
    let mut about = Vec::new();
    drawing.all("docPr", &mut about);
    for picture in about {
        let said = picture.attribute("descr").or_else(|| picture.attribute("title")).unwrap_or("");
        let name = picture.attribute("name").unwrap_or("");
        found.pictures.push((said.to_owned(), name.to_owned()));
    }
}
