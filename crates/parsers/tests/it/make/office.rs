//! Word, PowerPoint and Excel files: the parts that such a file must have, and no more.

use std::io::{Cursor, Write};

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// An archive of parts.
pub(crate) fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let packed = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, text) in parts {
        writer.start_file(*name, packed).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

const W: &str = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main' \
    xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships' \
    xmlns:wp='http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing'";

const TYPES: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A Word file with this body.
pub(crate) fn docx(body: &str) -> Vec<u8> {
    let document =
        format!("<?xml version='1.0'?><w:document {W}><w:body>{body}</w:body></w:document>");
    let styles = format!(
        "<w:styles {W}><w:style w:styleId='H1'><w:name w:val='heading 1'/></w:style>\
         <w:style w:styleId='Mine'><w:name w:val='Mine'/><w:basedOn w:val='H2'/></w:style>\
         <w:style w:styleId='H2'><w:name w:val='Heading 2'/><w:basedOn w:val='Mine'/></w:style>\
         <w:style w:styleId='L'><w:name w:val='List Bullet'/><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr>\
         </w:style></w:styles>"
    );
    let numbering = format!(
        "<w:numbering {W}><w:abstractNum w:abstractNumId='7'><w:lvl w:ilvl='0'><w:numFmt w:val='bullet'/></w:lvl>\
         </w:abstractNum><w:abstractNum w:abstractNumId='8'><w:lvl w:ilvl='0'><w:numFmt w:val='decimal'/></w:lvl>\
         <w:lvl w:ilvl='1'><w:numFmt w:val='lowerLetter'/></w:lvl></w:abstractNum>\
         <w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num><w:num w:numId='2'><w:abstractNumId w:val='8'/></w:num>\
         </w:numbering>"
    );
    let notes = format!(
        "<w:footnotes {W}><w:footnote w:type='separator' w:id='0'><w:p/></w:footnote>\
         <w:footnote w:id='2'><w:p><w:r><w:t>A note below.</w:t></w:r></w:p></w:footnote></w:footnotes>"
    );
    let links = format!(
        "<Relationships><Relationship Id='r9' Type='{TYPES}/hyperlink' TargetMode='External' \
         Target='https://example.org/'/></Relationships>"
    );
    let root = format!(
        "<Relationships><Relationship Id='a' Type='{TYPES}/officeDocument' Target='word/document.xml'/></Relationships>"
    );
    archive(&[
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", &root),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", &links),
        ("word/styles.xml", &styles),
        ("word/numbering.xml", &numbering),
        ("word/footnotes.xml", &notes),
        ("docProps/core.xml", CORE),
    ])
}

const CORE: &str = "<cp:coreProperties xmlns:cp='c' xmlns:dc='d' xmlns:dcterms='t'><dc:title>The title</dc:title>\
    <dc:creator>Ann</dc:creator><dcterms:created>2025-01-02T03:04:05Z</dcterms:created></cp:coreProperties>";

/// A PowerPoint file with these slides: what is in the tree of shapes, and the notes.
pub(crate) fn pptx(slides: &[(&str, &str)]) -> Vec<u8> {
    const P: &str = "xmlns:p='p' xmlns:a='a' xmlns:r='r'";
    let mut parts: Vec<(String, String)> = Vec::new();
    let (mut ids, mut links) = (String::new(), String::new());
    // The order of slides is that of the list, not of the names.
    for (at, (shapes, notes)) in slides.iter().enumerate() {
        let file = slides.len() - at;
        ids += &format!("<p:sldId id='{}' r:id='r{at}'/>", 256 + at);
        links += &format!(
            "<Relationship Id='r{at}' Type='{TYPES}/slide' Target='slides/slide{file}.xml'/>"
        );
        parts.push((
            format!("ppt/slides/slide{file}.xml"),
            format!("<p:sld {P}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"),
        ));
        if !notes.is_empty() {
            parts.push((
                format!("ppt/slides/_rels/slide{file}.xml.rels"),
                format!(
                    "<Relationships><Relationship Id='n' Type='{TYPES}/notesSlide' \
                     Target='../notesSlides/n{file}.xml'/></Relationships>"
                ),
            ));
            parts.push((
                format!("ppt/notesSlides/n{file}.xml"),
                format!(
                    "<p:notes {P}><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type='body'/></p:nvPr></p:nvSpPr>\
                     <p:txBody><a:p><a:r><a:t>{notes}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:notes>"
                ),
            ));
        }
    }
    parts.push((
        "ppt/presentation.xml".into(),
        format!("<p:presentation {P}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"),
    ));
    parts.push((
        "ppt/_rels/presentation.xml.rels".into(),
        format!("<Relationships>{links}</Relationships>"),
    ));
    let parts: Vec<(&str, &str)> =
        parts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    archive(&parts)
}

/// An Excel file with these sheets: a name, and the rows in XML.
pub(crate) fn xlsx(sheets: &[(&str, &str)]) -> Vec<u8> {
    const S: &str = "xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main' \
        xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'";
    let mut parts: Vec<(String, String)> = Vec::new();
    let (mut list, mut links) = (String::new(), String::new());
    for (at, (name, rows)) in sheets.iter().enumerate() {
        list += &format!("<sheet name='{name}' sheetId='{}' r:id='r{at}'/>", at + 1);
        links += &format!(
            "<Relationship Id='r{at}' Type='{TYPES}/worksheet' Target='worksheets/s{at}.xml'/>"
        );
        parts.push((
            format!("xl/worksheets/s{at}.xml"),
            format!("<worksheet {S}><sheetData>{rows}</sheetData></worksheet>"),
        ));
    }
    links += &format!("<Relationship Id='s' Type='{TYPES}/styles' Target='styles.xml'/>");
    let book = format!("<workbook {S}><sheets>{list}</sheets></workbook>");
    let root = format!(
        "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>\
         <Relationship Id='a' Type='{TYPES}/officeDocument' Target='xl/workbook.xml'/></Relationships>"
    );
    parts.push(("_rels/.rels".into(), root));
    parts.push(("xl/workbook.xml".into(), book));
    parts.push((
        "xl/_rels/workbook.xml.rels".into(),
        format!(
            "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>{links}</Relationships>"
        ),
    ));
    parts.push((
        "xl/styles.xml".into(),
        format!("<styleSheet {S}><cellXfs count='2'><xf numFmtId='0'/><xf numFmtId='14'/></cellXfs></styleSheet>"),
    ));
    // Excel writes the sheets last.
    parts.sort_by_key(|(name, _)| name.contains("/worksheets/"));
    let parts: Vec<(&str, &str)> =
        parts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    archive(&parts)
}
