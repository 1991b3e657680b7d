//! Each kind of file: what was put in comes out, with its structure.

use consign_contracts::crew::FileType;
use consign_parsers::{Kind, Layout, Options, parse};

use crate::{make::office, said};

#[test]
fn word_gives_headings_lists_tables_links_and_notes() {
    let p = |style: &str, text: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let item = |list: u8, level: u8, text: &str| {
        format!(
            "<w:p><w:pPr><w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='{list}'/></w:numPr></w:pPr>\
             <w:r><w:t>{text}</w:t></w:r></w:p>"
        )
    };
    let cell = |more: &str, text: &str| {
        format!("<w:tc><w:tcPr>{more}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>")
    };
    let body = [
        p("H1", "First"),
        "<w:p><w:r><w:t xml:space='preserve'>Plain </w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>\
         <w:hyperlink r:id='r9'><w:r><w:t>link</w:t></w:r></w:hyperlink><w:r><w:tab/><w:t>end &amp; more.</w:t></w:r></w:p>"
            .to_owned(),
        p("L", "point"),
        item(2, 0, "one"),
        item(2, 1, "inner"),
        item(2, 0, "two"),
        p("Mine", "Second"),
        format!(
            "<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>",
            cell("", "a"),
            cell("", "b"),
            cell("<w:vMerge w:val='restart'/>", "1"),
            cell("", "2|3"),
            cell("<w:vMerge/>", ""),
            cell("", "4"),
        ),
        "<w:p><w:r><w:drawing><wp:inline><wp:docPr name='p1' descr='A cat'/></wp:inline></w:drawing></w:r></w:p>".into(),
    ]
    .concat();
    let document = parse(&office::docx(&body), &Options::default()).unwrap();
    let expected = [
        ("", "# First"),
        ("First", "Plain [link](https://example.org/) end & more."),
        ("First", "- point\n1. one\n  1. inner\n2. two"),
        ("First", "## Second"),
        ("First > Second", "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |\n| 1 | 4 |"),
        ("First > Second", "![A cat](p1)"),
        ("", "# Footnotes"),
        ("Footnotes", "[2] A note below."),
    ];
    assert_eq!(said(&document), expected.map(|(one, other)| (one.to_owned(), other.to_owned())));
    assert_eq!((document.kind, document.pages), (Kind::Docx, None));
    assert_eq!(document.title.as_deref(), Some("The title"));
    assert_eq!(document.metadata["author"], "Ann");
    assert_eq!(document.warnings, Vec::<String>::new());
}

#[test]
fn slides_are_pages_with_titles_tables_and_notes() {
    let title = |text: &str| {
        format!(
            "<p:sp><p:nvSpPr><p:nvPr><p:ph type='title'/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>{text}</a:t>\
             </a:r></a:p></p:txBody></p:sp>"
        )
    };
    let body = "<p:sp><p:nvSpPr><p:nvPr><p:ph idx='1'/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x='127000' y='254000'/>\
        <a:ext cx='1270000' cy='635000'/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>one</a:t></a:r></a:p>\
        <a:p><a:pPr lvl='1'/><a:r><a:t>inner</a:t></a:r></a:p></p:txBody></p:sp>";
    let table = "<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p>\
        </a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>y</a:t></a:r></a:p></a:txBody></a:tc></a:tr><a:tr><a:tc><a:txBody>\
        <a:p><a:r><a:t>1</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>2</a:t></a:r></a:p></a:txBody>\
        </a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>";
    let first = format!("{body}{}", title("Hello"));
    let second = format!("{}<p:grpSp>{table}</p:grpSp>", title("World"));
    let file = office::pptx(&[(&first, "Say it slowly."), (&second, "")]);
    let document = parse(&file, &Options::default()).unwrap();
    let expected = [
        ("", "# Hello", 1),
        ("Hello", "- one\n  - inner", 1),
        ("Hello", "## Notes", 1),
        ("Hello > Notes", "Say it slowly.", 1),
        ("", "# World", 2),
        ("World", "| x | y |\n| --- | --- |\n| 1 | 2 |", 2),
    ];
    let found: Vec<_> = said(&document)
        .into_iter()
        .zip(&document.blocks)
        .map(|((heading, text), block)| (heading, text, block.places[0].page.unwrap()))
        .collect();
    let expected = expected.map(|(one, other, page)| (one.to_owned(), other.to_owned(), page));
    assert_eq!(found, expected);
    assert_eq!(document.pages, Some(2));
    assert_eq!(document.blocks[1].places[0].bbox, Some([10.0, 20.0, 110.0, 70.0]));
}

#[test]
fn sheets_are_pages_of_tables() {
    let rows = "<row r='1'><c r='A1' t='inlineStr'><is><t>name</t></is></c><c r='B1' t='inlineStr'><is><t>born</t></is></c>\
        <c r='C1' t='inlineStr'><is><t>sum</t></is></c></row><row r='2'><c r='A2' t='inlineStr'><is><t>Ann</t></is></c>\
        <c r='B2' s='1'><v>45292</v></c><c r='C2'><f>1+1</f><v>0.30000000000000004</v></c></row>\
        <row r='9'><c r='A9' t='inlineStr'><is><t>apart</t></is></c></row>\
        <row r='1048576'><c r='XFD1048576' t='inlineStr'><is><t>corner</t></is></c></row>";
    let other = "<row r='1'><c r='A1' t='b'><v>1</v></c></row>";
    let file = office::xlsx(&[("One", rows), ("Two", other)]);
    let document = parse(&file, &Options::default()).unwrap();
    let found = said(&document);
    let expected = [
        ("", "# One"),
        ("One", "| name | born | sum |\n| --- | --- | --- |\n| Ann | 2024-01-01 | 0.3 |"),
        ("One", "| apart |\n| --- |"),
        ("", "# Two"),
        ("Two", "| true |\n| --- |"),
    ];
    assert_eq!(found, expected.map(|(one, other)| (one.to_owned(), other.to_owned())));
    assert_eq!(document.pages, Some(2));
    assert!(document.warnings[0].contains("first 1000 columns"), "{:?}", document.warnings);
}

#[test]
fn the_content_decides_and_a_wrong_wish_is_told() {
    let wish = |wished| Options { wished: Some(wished), ..Options::default() };
    let document = parse(b"just words", &wish(FileType::Pdf)).unwrap();
    assert_eq!(document.kind, Kind::Txt);
    assert_eq!(document.warnings, ["taken for pdf, but its content is txt"]);
    let document = parse(b"a,b,c\n1,2,3\n4,5,6\n", &wish(FileType::Txt)).unwrap();
    assert_eq!((document.kind, document.warnings.len()), (Kind::Csv, 0));
    assert_eq!(document.blocks[0].layout, Layout::Table);
}

#[test]
fn what_is_not_read_is_named() {
    for (bytes, word) in [
        (&b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"[..], "ZIP"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "gzip"),
        (b"{\\rtf1 hello}", "RTF"),
        (b"   \n\t ", "empty"),
        (b"\0\0\0\x18ftypmp42", "film"),
        (b"\x01\x02\x03\x04", "neither"),
    ] {
        let error = parse(bytes, &Options::default()).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
        assert_eq!(error.code().unwrap().as_str(), "ERR_PARSER_UNSUPPORTED");
    }
    let mut sealed = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    sealed.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    let error = parse(&sealed, &Options::default()).unwrap_err();
    assert_eq!(error.code().unwrap().as_str(), "ERR_PARSER_ENCRYPTED");
}
