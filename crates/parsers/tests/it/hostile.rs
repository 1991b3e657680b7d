//! Files that want to do harm: each ends with a clear code, in bounded time and memory.

use std::{
    fmt::Write as _,
    io::{Cursor, Write as _},
    time::{Duration, Instant},
};

use consign_parsers::{Kind, Limit, Limits, Options, ParseError, parse};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{
    in_child,
    make::{
        office,
        pdf::{Look, Maker},
        words::Dice,
    },
};

fn limit_of(bytes: &[u8]) -> Option<Limit> {
    let error = in_child(bytes, &Options::default()).expect_err("it is too much");
    assert_eq!(error.code().unwrap().as_str(), "ERR_PARSER_UNSUPPORTED");
    error.limit()
}

fn packed(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    archive(parts, CompressionMethod::Deflated)
}

fn archive(parts: &[(String, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in parts {
        writer.start_file(name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn bombs_in_archives_are_not_unpacked() {
    let zeros = vec![b' '; 50 << 20];
    let bomb = packed(&[("word/document.xml".into(), zeros)]);
    assert_eq!(limit_of(&bomb), Some(Limit::Expansion));
    // An archive that lies about how long its parts are.
    let mut lies = bomb.clone();
    let length = u32::try_from(50 << 20).unwrap().to_le_bytes();
    while let Some(at) = lies.windows(4).position(|four| four == length) {
        lies[at..at + 4].copy_from_slice(&1000_u32.to_le_bytes());
    }
    assert_eq!(limit_of(&lies), Some(Limit::Expansion));
    let many: Vec<_> = (0..1001).map(|at| (format!("word/{at}.xml"), b"x".to_vec())).collect();
    assert_eq!(limit_of(&packed(&many)), Some(Limit::Entries));
    // The same without the list at the end.
    let many = packed(&many);
    let list = many.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    assert_eq!(limit_of(&many[..list]), Some(Limit::Entries));
}

#[test]
fn entities_are_not_expanded_and_nothing_is_fetched() {
    let mut bomb = String::from("<!DOCTYPE w:document [<!ENTITY a 'ha'>");
    for level in 'b'..'m' {
        let below = char::from(level as u8 - 1);
        let _ = write!(bomb, "<!ENTITY {level} '{}'>", format!("&{below};").repeat(10));
    }
    bomb += "<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\
        <w:document><w:body><w:p><w:r><w:t>before &l; &x; after</w:t></w:r></w:p></w:body></w:document>";
    let file = packed(&[("word/document.xml".into(), bomb.into_bytes())]);
    let document = in_child(&file, &Options::default()).unwrap();
    assert_eq!(document.text, "before after");
}

#[test]
fn deep_nesting_is_a_limit_not_a_crash() {
    let deep = |open: &str, count: usize| open.repeat(count).into_bytes();
    assert_eq!(
        limit_of(&[b"<!doctype html>".to_vec(), deep("<div>", 200_000)].concat()),
        Some(Limit::Depth)
    );
    let xml = format!("<w:document><w:body>{}", "<w:ins>".repeat(100_000));
    let parts = [("word/document.xml".into(), xml.into_bytes())];
    assert_eq!(limit_of(&archive(&parts, CompressionMethod::Stored)), Some(Limit::Depth));
    // Lists in lists, quotes in quotes, brackets in brackets: text, whatever it looks like.
    for open in ["> ", "- ", "[", "(", "*", "{\"a\":"] {
        let text = [deep(open, 20_000), b"words".to_vec()].concat();
        let options = Options { name: Some("a.md".into()), ..Options::default() };
        assert!(in_child(&text, &options).is_ok(), "{open}");
    }
    let mut mail = String::new();
    for level in 0..2000 {
        let _ = write!(
            mail,
            "From: a@b.c\nTo: d@e.f\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n\
             Content-Type: message/rfc822\n\n"
        );
    }
    assert!(in_child(mail.as_bytes(), &Options::default()).is_ok());
}

#[test]
fn deep_and_looping_pdfs_end() {
    let mut pdf = Maker::new();
    pdf.text(72.0, 90.0, 12.0, false, "Some words.");
    let whole = String::from_utf8_lossy(&pdf.finish()).into_owned();
    // A tree of pages that is its own child, and arrays in arrays.
    let loops = whole.replacen("/Kids [10 0 R]", "/Kids [2 0 R]", 1);
    assert_ne!(loops, whole);
    let nested =
        whole.replacen("/MediaBox [", &format!("/Junk {}/MediaBox [", "[".repeat(50_000)), 1);
    assert_ne!(nested, whole);
    for file in [loops, nested] {
        let start = Instant::now();
        match in_child(file.as_bytes(), &Options::default()) {
            Ok(document) => assert_eq!(document.kind, Kind::Pdf),
            Err(error) => assert_eq!(error.code().unwrap().as_str(), "ERR_PARSER_UNSUPPORTED"),
        }
        assert!(start.elapsed() < Duration::from_secs(60));
    }
}

#[test]
fn a_pdf_whose_streams_explode_stops_at_the_memory_it_may_have() {
    let mut document = lopdf::Document::load_mem(&{
        let mut pdf = Maker::new();
        pdf.text(72.0, 90.0, 12.0, false, "Some words.");
        pdf.finish()
    })
    .unwrap();
    let mut content = lopdf::Stream::new(lopdf::Dictionary::new(), vec![b' '; 900 << 20]);
    content.compress().unwrap();
    let page = document.get_pages()[&1];
    let id = document.add_object(content);
    document.get_dictionary_mut(page).unwrap().set("Contents", id);
    let mut file = Vec::new();
    document.save_to(&mut file).unwrap();
    drop(document);
    assert!(file.len() < 4 << 20);
    let limits = Limits { memory: 300 << 20, time: Duration::from_secs(60), ..Limits::default() };
    let error = in_child(&file, &Options { limits, ..Options::default() });
    let limited = matches!(
        &error,
        Err(ParseError::Limit { limit: Limit::Memory, .. } | ParseError::Timeout { .. })
    );
    assert!(limited, "{error:?}");
}

#[test]
fn macros_and_embedded_programs_are_left_alone() {
    let document = "<w:document xmlns:w='w'><w:body><w:p><w:r><w:instrText>DDEAUTO c:\\cmd.exe</w:instrText>\
        <w:t>Only this.</w:t></w:r></w:p></w:body></w:document>";
    let file = packed(&[
        ("word/document.xml".into(), document.into()),
        ("word/vbaProject.bin".into(), b"Sub AutoOpen() Shell \"evil\"".to_vec()),
        ("word/embeddings/oleObject1.bin".into(), b"MZ evil".to_vec()),
        ("../../../../tmp/consign-evil".into(), b"evil".to_vec()),
    ]);
    let document = in_child(&file, &Options::default()).unwrap();
    assert_eq!(document.text, "Only this.");
    assert!(!std::path::Path::new("/tmp/consign-evil").exists());
    let page = "<html><body><p>Words</p><script>document.write('evil')</script><iframe src='http://x'></iframe>\
        <a href='javascript:evil()'>link</a></body></html>";
    let document = in_child(page.as_bytes(), &Options::default()).unwrap();
    assert!(!document.text.contains("evil"), "{}", document.text);
}

/// A file of each kind that is longer than a kilobyte.
fn one_of_each() -> Vec<(&'static str, Vec<u8>)> {
    let mut dice = Dice::new(1);
    let mut pdf = Maker::new();
    for page in 0..3 {
        if page > 0 {
            pdf.page();
        }
        let y = pdf.prose(72.0, 90.0, 450.0, 11.0, &dice.paragraph());
        let rows: Vec<Vec<String>> = (0..10).map(|_| vec![dice.words(1), dice.words(1)]).collect();
        pdf.table(72.0, y + 20.0, &[150.0, 150.0], &rows, Look::Ruled);
    }
    let paragraphs: Vec<String> = (0..40).map(|_| dice.paragraph()).collect();
    let word: String =
        paragraphs.iter().map(|text| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")).collect();
    let shapes: Vec<String> = paragraphs
        .iter()
        .map(|text| {
            format!("<p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>")
        })
        .collect();
    let slides: Vec<(&str, &str)> = shapes.iter().map(|shape| (shape.as_str(), "note")).collect();
    let rows: String = paragraphs
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let at = at + 1;
            format!("<row r='{at}'><c r='A{at}' t='inlineStr'><is><t>{text}</t></is></c></row>")
        })
        .collect();
    let page = format!(
        "<!doctype html><html><body><main><p>{}</p></main></body></html>",
        paragraphs.join("</p><p>")
    );
    let mail = format!("From: a@b.c\nTo: d@e.f\nSubject: x\n\n{}", paragraphs.join("\n\n"));
    vec![
        ("pdf", pdf.finish()),
        ("docx", office::docx(&word)),
        ("pptx", office::pptx(&slides)),
        ("xlsx", office::xlsx(&[("One", &rows)])),
        ("html", page.into_bytes()),
        ("eml", mail.into_bytes()),
        ("txt", paragraphs.join("\n\n").into_bytes()),
    ]
}

#[test]
fn what_is_cut_off_gives_what_is_left_or_a_clear_code() {
    for (kind, file) in one_of_each() {
        let whole = parse(&file, &Options::default()).unwrap();
        assert_eq!(whole.kind.as_str(), kind);
        let (mut read, mut tried, mut told) = (0, 0, 0);
        for cut in (0..file.len()).step_by(1024).skip(1) {
            tried += 1;
            match parse(&file[..cut], &Options::default()) {
                Ok(document) => {
                    read += usize::from(!document.text.is_empty());
                    told += usize::from(!document.warnings.is_empty());
                }
                Err(error) => assert!(error.code().is_some(), "{kind} cut at {cut}: {error}"),
            }
        }
        println!("{kind}: {read} of {tried} cuts gave text, {told} with a warning");
        assert!(tried >= 2, "{kind} has {} bytes", file.len());
        let packed = matches!(kind, "docx" | "pptx" | "xlsx" | "pdf");
        assert!(read * 2 >= tried, "{kind}: {read} of {tried}");
        assert!(!packed || told >= read, "{kind}: {told} of {read} are told to be damaged");
    }
}

#[test]
fn ten_thousand_pages_are_read() {
    let mut dice = Dice::new(2);
    let mut pdf = Maker::new();
    for page in 0..10_000 {
        if page > 0 {
            pdf.page();
        }
        let sentence = dice.sentence();
        pdf.text(72.0, 90.0, 11.0, false, &format!("Page number {}. {sentence}", page + 1));
    }
    let document = in_child(&pdf.finish(), &Options::default()).unwrap();
    assert_eq!(document.pages, Some(10_000));
    let last = document.blocks.last().unwrap();
    assert_eq!(last.places[0].page, Some(10_000));
    assert!(document.text_of(last).starts_with("Page number 10000."));
}
