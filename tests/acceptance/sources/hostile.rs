//! Documents that want to do harm, among good ones: each has a clear end, and the good ones are found.

use serde_json::json;

use super::{desk::Desk, files::sealed};
use crate::{home::keeps, make::office, support::text};

/// A PDF of these objects, the first of which is its catalogue.
fn objects(all: &[&str]) -> String {
    let mut file = "%PDF-1.5\n".to_owned();
    let mut places = Vec::new();
    for (at, object) in all.iter().enumerate() {
        places.push(file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", at + 1);
    }
    let table = file.len();
    file += &format!("xref\n0 {}\n0000000000 65535 f \n", all.len() + 1);
    for place in places {
        file += &format!("{place:010} 00000 n \n");
    }
    file + &format!("trailer<</Size {}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF", all.len() + 1)
}

/// Entities that stand for ten times the one before, a billion in all.
fn laughs() -> Vec<u8> {
    let mut entities = "<!ENTITY a \"aaaaaaaaaa\">".to_owned();
    for (before, name) in ('a'..='i').zip('b'..='j') {
        entities += &format!("<!ENTITY {name} \"{}\">", format!("&{before};").repeat(10));
    }
    let named = "http://schemas.openxmlformats.org";
    let document = format!(
        "<!DOCTYPE w:document [{entities}]><w:document xmlns:w='{named}/wordprocessingml/2006/main'><w:body>\
         <w:p><w:r><w:t>&j;</w:t></w:r></w:p><w:p><w:r><w:t>After the laughs comes a tamarin.</w:t></w:r></w:p>\
         </w:body></w:document>"
    );
    let root = format!(
        "<Relationships><Relationship Id='a' Type='{named}/officeDocument/2006/relationships/officeDocument' \
         Target='word/document.xml'/></Relationships>"
    );
    let parts = [
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", &root),
        ("word/document.xml", &document),
    ];
    office::archive(&parts)
}

#[test]
fn harmful_files_have_a_clear_end_and_spoil_nothing() {
    let desk = Desk::new();
    let deep = |count: usize| {
        format!(
            "<!doctype html><html><body>{}deep{}",
            "<div>".repeat(count),
            "</div>".repeat(count)
        )
    };
    let bytes = |text: String| text.into_bytes();
    let unsupported = Some("ERR_PARSER_UNSUPPORTED");
    let files: Vec<(&str, Vec<u8>, Option<&str>)> = vec![
        ("good.txt", b"A galago sits in a good file.".to_vec(), None),
        ("deep.html", bytes(deep(100_000)), unsupported),
        (
            "wide.html",
            bytes(
                "<table>".to_owned()
                    + &"<tr><td colspan=100000 rowspan=100000>x</td></tr>".repeat(500),
            ),
            None,
        ),
        (
            "quotes.md",
            bytes("> ".repeat(50_000) + "hi\n" + &"[".repeat(50_000) + &"*".repeat(50_000)),
            None,
        ),
        ("word.txt", bytes("w".repeat(3 << 20)), None),
        ("laughs.docx", laughs(), None),
        (
            "loop.pdf",
            bytes(objects(&[
                "<</Type/Catalog/Pages 2 0 R>>",
                "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>",
            ])),
            unsupported,
        ),
        (
            "forms.pdf",
            bytes(objects(&[
                "<</Type/Catalog/Pages 2 0 R>>",
                "<</Type/Pages/Kids[3 0 R]/Count 1>>",
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</A 5 0 R>>>>>>",
                "<</Length 5>>stream\n/A Do\nendstream",
                "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</A 5 0 R>>>>/Length 11>>stream\n/A Do /A Do\nendstream",
            ])),
            None,
        ),
        (
            "nested.pdf",
            bytes(format!(
                "%PDF-1.4\n1 0 obj\n{}{}\nendobj\ntrailer<</Root 1 0 R>>",
                "[".repeat(200_000),
                "]".repeat(200_000)
            )),
            unsupported,
        ),
        (
            "wrong.pdf",
            office::docx("<w:p><w:r><w:t>An aye-aye calls itself a PDF.</w:t></w:r></w:p>"),
            None,
        ),
        ("sealed.pdf.docx", sealed(), Some("ERR_PARSER_ENCRYPTED")),
        (
            "noise.bin",
            (0..40_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect(),
            unsupported,
        ),
    ];
    for (name, bytes, _) in &files {
        desk.file(name, bytes);
    }
    let told = desk.ingest(&[&desk.place()], 0);
    for (name, _, code) in &files {
        let row = told.row(name);
        assert_eq!(row["error"]["error_code"].as_str(), *code, "{name}: {row:#}");
        assert_eq!(text(row, "status"), if code.is_some() { "skipped" } else { "taken" }, "{name}");
        if code.is_some() {
            keeps("crew/agent-failure", &row["error"].to_string());
        }
    }
    assert_eq!(told.row("deep.html")["error"]["details"]["limit"], "depth");
    for (words, name) in
        [("galago", "good.txt"), ("tamarin", "laughs.docx"), ("aye-aye", "wrong.pdf")]
    {
        let found = desk.found(words, &[]);
        assert_eq!(found[0]["metadata"]["file_name"], name, "{found:#?}");
    }
    let warnings = &told.row("wrong.pdf")["warnings"];
    assert_eq!(warnings, &json!([]), "its name is no wish");
}

/// A PDF of forty pages, each with its text right behind it. (A page whose text is lost would be read as a picture.)
fn storks() -> Vec<u8> {
    let kids: String = (0..40).map(|number| format!("{} 0 R ", 4 + 2 * number)).collect();
    let mut all = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Kids[{kids}]/Count 40>>"),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    for number in 0..40 {
        let said = format!("BT /F 12 Tf 72 700 Td (Page {number} is about storks.) Tj ET");
        all.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Contents {} 0 R>>",
            5 + 2 * number
        ));
        all.push(format!("<</Length {}>>stream\n{said}\nendstream", said.len()));
    }
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    objects(&all).into_bytes()
}

#[test]
fn a_file_that_is_cut_off_anywhere_gives_what_is_left_of_it() {
    let desk = Desk::new();
    let lines: String = (0..200)
        .map(|number| {
            // Words that do not pack well.
            let noise = number * 2_654_435_761_u64 % 99_999_989;
            format!("<w:p><w:r><w:t>Paragraph {number} is about ibis{noise}.</w:t></w:r></w:p>")
        })
        .collect();
    let (word, paper) = (office::docx(&lines), storks());
    let mut input = String::new();
    let mut count = 0;
    for (kind, whole) in [("docx", &word), ("pdf", &paper)] {
        for end in (0..whole.len()).step_by(1024) {
            let file = desk.file(&format!("{end}.{kind}"), &whole[..end]);
            let line = json!({"file_path": file, "file_type": kind, "ingestion_source": "local"});
            input += &format!("{line}\n");
            count += 1;
        }
    }
    let told = desk.home.consign(&["parse", "--stream"]).stdin(input).run().json_lines();
    assert_eq!(told.len(), count);
    for line in &told {
        match line["error"]["code"].as_str() {
            Some(code) => assert_eq!(code, "ERR_PARSER_UNSUPPORTED", "{line:#}"),
            None => assert_ne!(line["metadata"]["warnings"], json!([]), "{line:#}"),
        }
    }
    let read = told.iter().filter(|line| line["error"].is_null()).count();
    assert!(read * 10 > count * 7, "{read} of {count}");
}
