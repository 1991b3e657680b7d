//! PowerPoint: slides in their order, with titles, text, tables, pictures and notes.

use super::{part, properties, relationships, xml::Element};
use crate::{
    Document, Kind, Options, ParseError,
    archive::Archive,
    document::{Spot, Writer, one_line},
};

/// Units of PowerPoint in a point.
const UNITS: f64 = 12_700.0;

/// Reads slides. A slide is a page.
pub(crate) fn read(archive: &Archive<'_>, options: &Options) -> Result<Document, ParseError> {
    let mut writer = Writer::new(Kind::Pptx, options.limits.text);
    if archive.damaged {
        writer.warn("the file is damaged: its end is missing");
    }
    let slides = order(archive, options, &mut writer)?;
    if slides.is_empty() {
        return Err(ParseError::unsupported("the PowerPoint file has no slides; it is damaged"));
    }
    let mut page = 0_u32;
    for name in &slides {
        page += 1;
        let Some(root) = part(archive, name, options, &mut writer)? else {
            writer.warn(format!("slide {page} is missing"));
            continue;
        };
        let links = relationships(archive, name, options, &mut writer)?;
        writer.close(1);
        let shapes = root.at(&["sld", "cSld", "spTree"]);
        let mut found = Vec::new();
        if let Some(shapes) = shapes {
            gather(shapes, &mut found);
        }
        // The title is read first, wherever it stands.
        found.sort_by_key(|shape| !is_title(shape));
        for shape in found {
            one(shape, page, &mut writer);
        }
        for link in links.values().filter(|link| link.kind == "diagramData") {
            diagram(archive, &link.target, page, options, &mut writer)?;
        }
        for link in links.values().filter(|link| link.kind == "notesSlide") {
            notes(archive, &link.target, page, options, &mut writer)?;
        }
    }
    writer.pages(page);
    properties(archive, options, &mut writer)?;
    writer.finish()
}

/// The slides in the order in which they are shown. A damaged file may have lost it; then they go by their numbers.
fn order(
    archive: &Archive<'_>,
    options: &Options,
    writer: &mut Writer,
) -> Result<Vec<String>, ParseError> {
    const MAIN: &str = "ppt/presentation.xml";
    let links = relationships(archive, MAIN, options, writer)?;
    if let Some(root) = part(archive, MAIN, options, writer)?
        && let Some(list) = root.at(&["presentation", "sldIdLst"])
    {
        let listed: Vec<String> = list
            .elements()
            .filter_map(|slide| links.get(slide.attribute("r:id")?))
            .map(|link| link.target.clone())
            .collect();
        if !listed.is_empty() {
            return Ok(listed);
        }
    }
    let mut numbered: Vec<(u32, String)> = archive
        .names()
        .filter_map(|name| {
            let number = name.strip_prefix("ppt/slides/slide")?.strip_suffix(".xml")?;
            Some((number.parse().ok()?, name.to_owned()))
        })
        .collect();
    numbered.sort();
    Ok(numbered.into_iter().map(|(_, name)| name).collect())
}

/// The shapes of a slide; those of groups too.
fn gather<'a>(parent: &'a Element, found: &mut Vec<&'a Element>) {
    for element in parent.elements() {
        match &*element.name {
            "sp" | "graphicFrame" | "pic" | "cxnSp" => found.push(element),
            "grpSp" | "AlternateContent" | "Choice" => gather(element, found),
            _ => {}
        }
    }
}

fn placeholder(shape: &Element) -> Option<&str> {
    let about = shape.elements().find(|element| element.name.starts_with("nv"))?;
    let placeholder = about.at(&["nvPr", "ph"])?;
    Some(placeholder.attribute("type").unwrap_or("body"))
}

fn is_title(shape: &Element) -> bool {
    matches!(placeholder(shape), Some("title" | "ctrTitle"))
}

/// Where a shape stands. A placeholder that stands where its layout has it does not say.
fn spot(shape: &Element, page: u32) -> Spot {
    let frame = shape.at(&["spPr", "xfrm"]).or_else(|| shape.child("xfrm"));
    let bbox = frame.and_then(|frame| {
        let number = |element: &str, name: &str| {
            let units: f64 = frame.child(element)?.attribute(name)?.parse().ok()?;
            units.is_finite().then_some(units / UNITS)
        };
        let (x, y) = (number("off", "x")?, number("off", "y")?);
        Some([x, y, x + number("ext", "cx")?, y + number("ext", "cy")?])
    });
    Spot { page: Some(page), bbox }
}

fn one(shape: &Element, page: u32, writer: &mut Writer) {
    let spot = spot(shape, page);
    match &*shape.name {
        "pic" => {
            let Some(about) = shape.at(&["nvPicPr", "cNvPr"]) else { return };
            let said = about.attribute("descr").or_else(|| about.attribute("title")).unwrap_or("");
            writer.image(said, about.attribute("name").unwrap_or(""), spot);
        }
        "graphicFrame" => {
            let mut tables = Vec::new();
            shape.all("tbl", &mut tables);
            for table in tables {
                writer.table(&rows(table), spot);
            }
        }
        _ => {
            let Some(body) = shape.child("txBody") else { return };
            let kind = placeholder(shape);
            if is_title(shape) {
                let title = one_line(&body_text(body));
                writer.title(&title);
                writer.heading(1, &title, spot);
            } else if !matches!(kind, Some("sldNum" | "dt" | "ftr" | "hdr")) {
                text(body, kind.is_some(), spot, writer);
            }
        }
    }
}

/// Paragraphs: those of a placeholder are items of a list, as PowerPoint shows them.
fn text(body: &Element, bullets: bool, spot: Spot, writer: &mut Writer) {
    let mut lines = Vec::new();
    for paragraph in body.elements().filter(|element| &*element.name == "p") {
        let said = one_line(&paragraph_text(paragraph));
        if said.is_empty() {
            continue;
        }
        let format = paragraph.child("pPr");
        let level: usize =
            format.and_then(|format| format.attribute("lvl")?.parse().ok()).unwrap_or(0);
        let none = format.is_some_and(|format| format.child("buNone").is_some());
        let own = format.is_some_and(|format| {
            format.child("buChar").is_some() || format.child("buAutoNum").is_some()
        });
        if (bullets || own) && !none {
            lines.push(format!("{}- {said}", "  ".repeat(level.min(8))));
        } else {
            writer.lines(&std::mem::take(&mut lines).join("\n"), spot);
            writer.paragraph(&said, spot);
        }
    }
    writer.lines(&lines.join("\n"), spot);
}

fn body_text(body: &Element) -> String {
    let paragraphs = body.elements().filter(|element| &*element.name == "p");
    paragraphs.map(paragraph_text).collect::<Vec<_>>().join("\n")
}

fn paragraph_text(paragraph: &Element) -> String {
    let mut words = String::new();
    for element in paragraph.elements() {
        match &*element.name {
            "br" => words.push('\n'),
            "pPr" | "endParaRPr" => {}
            _ => words.push_str(&element.text()),
        }
    }
    words
}

fn rows(table: &Element) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in table.elements().filter(|element| &*element.name == "tr") {
        let mut cells: Vec<String> = Vec::new();
        for cell in row.elements().filter(|element| &*element.name == "tc") {
            let said = cell.child("txBody").map(body_text).unwrap_or_default();
            let down =
                cell.attribute("vMerge").is_some_and(|merge| merge != "0" && merge != "false");
            let above = rows.last().and_then(|above| above.get(cells.len()));
            cells.push(match above {
                Some(above) if down => above.clone(),
                _ => said,
            });
        }
        rows.push(cells);
    }
    rows
}

fn diagram(
    archive: &Archive<'_>,
    name: &str,
    page: u32,
    options: &Options,
    writer: &mut Writer,
) -> Result<(), ParseError> {
    let Some(root) = part(archive, name, options, writer)? else { return Ok(()) };
    let mut points = Vec::new();
    root.all("pt", &mut points);
    let lines: Vec<String> = points
        .into_iter()
        .filter_map(|point| point.child("t"))
        .map(|text| one_line(&body_text(text)))
        .filter(|said| !said.is_empty())
        .map(|said| format!("- {said}"))
        .collect();
    writer.lines(&lines.join("\n"), Spot::page(page));
    Ok(())
}

fn notes(
    archive: &Archive<'_>,
    name: &str,
    page: u32,
    options: &Options,
    writer: &mut Writer,
) -> Result<(), ParseError> {
    let Some(root) = part(archive, name, options, writer)? else { return Ok(()) };
    let Some(shapes) = root.at(&["notes", "cSld", "spTree"]) else { return Ok(()) };
    let mut found = Vec::new();
    gather(shapes, &mut found);
    let said: Vec<String> = found
        .into_iter()
        .filter(|shape| placeholder(shape) == Some("body"))
        .filter_map(|shape| shape.child("txBody"))
        .flat_map(|body| {
            let paragraphs = body.elements().filter(|element| &*element.name == "p");
            paragraphs.map(|paragraph| one_line(&paragraph_text(paragraph))).collect::<Vec<_>>()
        })
        .filter(|said| !said.is_empty())
        .collect();
    if !said.is_empty() {
        writer.heading(2, "Notes", Spot::page(page));
        for paragraph in said {
            writer.paragraph(&paragraph, Spot::page(page));
        }
    }
    Ok(())
}
